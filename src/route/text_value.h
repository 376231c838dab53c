/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/text_value.h - values from text and as text
 *
 * The texts of cli.md's JSON values and of CSV fields: numbers, true and false, NaN and infinities,
 * decimals, ISO 8601.
 */
#ifndef SLUICE_ROUTE_TEXT_VALUE_H
#define SLUICE_ROUTE_TEXT_VALUE_H

#include "route/rows.h"

/*
 * Append a value of a flat column that is read from a text of text_bytes bytes, which is followed
 * by a zero.  Binary and strings are taken as they are.  SLUICE_INVALID says which split point,
 * key and text when it cannot be read as the column's type.
 */
sluice_status sluice_text_value_append(sluice_rows *rows, const char *text, size_t text_bytes,
                                       int64_t split, sluice_error *error);

/* Append an integer, range-checked, to a column of integers, times or decimals' unscaled values. */
sluice_status sluice_text_value_append_integer(sluice_rows *rows, int64_t number, int64_t split,
                                               sluice_error *error);

sluice_status sluice_text_value_append_double(sluice_rows *rows, double number, int64_t split,
                                              sluice_error *error);

/* "split 3 of key k: "x" is no int64" */
sluice_status sluice_text_value_fail(const sluice_rows *rows, const char *text, int64_t split,
                                     sluice_error *error);

/*
 * The text of a value that has one in JSON too: decimals, dates, times, timestamps.  False for
 * other types, and for times beyond a day.
 */
enum { SLUICE_TEXT_VALUE_BYTES = 192 };

bool sluice_text_value_format(const sluice_column *column, int64_t row,
                              char text[SLUICE_TEXT_VALUE_BYTES]);

#endif /* SLUICE_ROUTE_TEXT_VALUE_H */
