/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/key_bytes.h - keys of any type as bytes that memcmp() puts in order
 *
 * The bytes of a key are, for each column, a byte for null or not null, placed by nulls_first, and
 * then the value; no key is a prefix of another.  With descending the bytes of the value are
 * complemented; nulls inside of nested values stay where nulls_first puts them.
 *
 *     integers            one byte for the sign, eight big-endian; so all widths are one order
 *     dates, times ...    eight bytes, sign flipped
 *     floats              eight bytes of the double, in the order of the numbers
 *     decimals            32 bytes of the unscaled number, sign flipped; all widths are one order
 *     intervals           their components one after the other: day, time; month, day, nanosecond
 *     bytes, strings      0 becomes 0 255, and 0 0 ends them
 *     lists, maps         1 before each element, and 0 ends them: lexicographic
 *     structs             the fields in their order, nulls included
 *     unions              type id, then the value
 *
 * Without is_total_order, equal keys in the sense of sluice1 are the same bytes: both zeros are
 * one number, and all NaNs are one, which is greater than the rest.
 */
#ifndef SLUICE_ROUTE_KEY_BYTES_H
#define SLUICE_ROUTE_KEY_BYTES_H

#include "arrow/column.h"
#include "route/bytes.h"

typedef struct sluice_key_order {
    bool descending;
    bool nulls_first;
    bool is_total_order; /* Floats by IEEE 754 totalOrder. */
} sluice_key_order;

/* Append the bytes of one row of a column, of any type. */
sluice_status sluice_key_bytes_append(sluice_bytes *out, const sluice_allocator *allocator,
                                      const sluice_column *column, int64_t row,
                                      sluice_key_order order, sluice_error *error);

/* memcmp() with lengths: below, at or above 0. */
int sluice_key_bytes_compare(const uint8_t *left, size_t left_count, const uint8_t *right,
                             size_t right_count);

#endif /* SLUICE_ROUTE_KEY_BYTES_H */
