/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/order_key.h - numbers as unsigned 64-bit keys in the same order
 *
 * The fast way of a range over one numeric column: its values and its split points become
 * uint64_t, which kernel search compares.
 */
#ifndef SLUICE_ROUTE_ORDER_KEY_H
#define SLUICE_ROUTE_ORDER_KEY_H

#include "route/key_bytes.h"

/* Whether the values of a field fit such keys: every number of up to 64 bits. */
bool sluice_order_key_is_defined(const sluice_field *field);

/*
 * Write the keys of row_count rows, at most SLUICE_CANONICAL_BLOCK_ROWS, from row first on.  Null
 * rows get any key.
 */
void sluice_order_key_fill(const sluice_column *column, int64_t first, size_t row_count,
                           sluice_key_order order, uint64_t *restrict keys);

/*
 * The key of a split point, which may have another width than the field it splits.  0, or, when no
 * value of the field is that small or that large: -1, it comes before all of them in the declared
 * order, or 1, it comes after.
 */
int sluice_order_key_of_split(const sluice_field *field, const sluice_column *split, int64_t row,
                              sluice_key_order order, uint64_t *key);

#endif /* SLUICE_ROUTE_ORDER_KEY_H */
