/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/json_value.h - values in JSON, as sluice-format(5) has them
 *
 *     null, booleans, strings     as such
 *     integers, durations         numbers; text beyond 2^53
 *     floats                      numbers; "NaN", "Infinity", "-Infinity" (and "-NaN", by its sign)
 *     decimals                    text
 *     dates, times, timestamps    ISO 8601 text
 *     intervals                   months as a number; {"days","milliseconds"};
 *                                 {"months","days","nanoseconds"}
 *     binary                      base64
 *     lists                       arrays
 *     structs                     objects; arrays when a field name is there twice
 *
 * Reading also takes numbers as text, times as their numbers and structs as arrays.
 */
#ifndef SLUICE_ROUTE_JSON_VALUE_H
#define SLUICE_ROUTE_JSON_VALUE_H

#include <jansson.h>

#include "route/rows.h"

/* A new reference; NULL when there is no memory, or when a text or a name is no UTF-8. */
json_t *sluice_json_from_value(const sluice_column *column, int64_t row);

/*
 * Append a JSON value to a column.  SLUICE_INVALID says which split point and key when it is
 * nothing of the column's type.
 */
sluice_status sluice_json_value_append(sluice_rows *rows, const json_t *value, int64_t split,
                                       sluice_error *error);

#endif /* SLUICE_ROUTE_JSON_VALUE_H */
