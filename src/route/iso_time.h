/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/iso_time.h - dates and times as ISO 8601 text
 *
 * The proleptic Gregorian calendar, and every value that 64 bits hold: years outside of 0 to 9999
 * have a sign.  Fractions are written with the digits of the unit, and not at all when they are 0.
 */
#ifndef SLUICE_ROUTE_ISO_TIME_H
#define SLUICE_ROUTE_ISO_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrow/field.h"

/* Room for any of the texts. */
enum { SLUICE_ISO_TEXT_BYTES = 64 };

/* Seconds, milliseconds ... in a second. */
int64_t sluice_iso_units_per_second(sluice_time_unit unit);

/* "2024-02-29", from days since 1970-01-01. */
void sluice_iso_format_date(int64_t days, char text[SLUICE_ISO_TEXT_BYTES]);

/* "23:59:59.999", from units since midnight; false when that is not within a day. */
bool sluice_iso_format_time(int64_t time, sluice_time_unit unit,
                            char text[SLUICE_ISO_TEXT_BYTES]);

/* "2024-02-29T23:59:59.999Z", the Z only when has_zone. */
void sluice_iso_format_timestamp(int64_t timestamp, sluice_time_unit unit, bool has_zone,
                                 char text[SLUICE_ISO_TEXT_BYTES]);

/* Read the same texts, whole.  False when they are something else or do not fit. */
bool sluice_iso_parse_date(const char *text, int64_t *days);
bool sluice_iso_parse_time(const char *text, sluice_time_unit unit, int64_t *time);

/*
 * The time may be left out, and a space may stand for the T.  With has_zone the text may end with
 * Z or an offset such as +02:00; without either it is UTC.
 */
bool sluice_iso_parse_timestamp(const char *text, sluice_time_unit unit, bool has_zone,
                                int64_t *timestamp);

#endif /* SLUICE_ROUTE_ISO_TIME_H */
