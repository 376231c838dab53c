/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/leaf.h - single values of columns, and which types are the same kind of number
 *
 * For keys that are looked at row by row.  Rows are not null, but where a comment says so.
 */
#ifndef SLUICE_ROUTE_LEAF_H
#define SLUICE_ROUTE_LEAF_H

#include "arrow/column.h"

/* Values of one family are compared as numbers, whatever their widths. */
typedef enum sluice_leaf_kind {
    SLUICE_LEAF_NONE, /* No number: null, bytes and what is nested. */
    SLUICE_LEAF_BOOL,
    SLUICE_LEAF_SIGNED,
    SLUICE_LEAF_UNSIGNED,
    SLUICE_LEAF_TIME, /* Dates, times, timestamps, durations, months: signed. */
    SLUICE_LEAF_FLOAT,
    SLUICE_LEAF_DECIMAL,
    SLUICE_LEAF_INTERVAL /* Day-time and month-day-nano. */
} sluice_leaf_kind;

sluice_leaf_kind sluice_leaf_family(sluice_type type);

/* The field that has the values: what is inside of dictionaries and run-ends. */
const sluice_field *sluice_leaf_field(const sluice_field *field);

/*
 * Go from a row of a dictionary or a run-end encoded column to the row that holds its value.
 * False when the value is null, at any level.
 */
bool sluice_leaf_resolve(const sluice_column **column, int64_t *row);

/* BOOL, SIGNED, TIME, DECIMAL up to 64 bits, UNSIGNED: the number; of uint64, its bits. */
int64_t sluice_leaf_integer(const sluice_column *column, int64_t row);

/* FLOAT: the bits of the double, signs and payloads of NaNs kept. */
uint64_t sluice_leaf_float(const sluice_column *column, int64_t row);

/* DECIMAL: the unscaled number as 256 bits, little-endian. */
void sluice_leaf_decimal(const sluice_column *column, int64_t row, uint64_t words[4]);

#endif /* SLUICE_ROUTE_LEAF_H */
