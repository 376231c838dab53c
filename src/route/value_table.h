/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/value_table.h - numbers for distinct keys, in the order of first appearance
 *
 * The calls of the value router on the table that route/router.h makes, exports and frees.
 */
#ifndef SLUICE_ROUTE_VALUE_TABLE_H
#define SLUICE_ROUTE_VALUE_TABLE_H

#include "route/bytes.h"
#include "route/router.h"

/*
 * The number of a key, given as key bytes (route/key_bytes.h).  A new key gets the next number,
 * and its row of root is kept for the export.  SLUICE_INVALID when there are too many.
 */
sluice_status sluice_value_table_find(sluice_value_table *table, const uint8_t *bytes,
                                      size_t byte_count, const sluice_column *root, int64_t row,
                                      uint32_t *id, sluice_error *error);

#endif /* SLUICE_ROUTE_VALUE_TABLE_H */
