/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/decimal_text.h - decimals as text
 */
#ifndef SLUICE_ROUTE_DECIMAL_TEXT_H
#define SLUICE_ROUTE_DECIMAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any decimal: 78 digits, a sign, a point, zeros before it, an exponent. */
enum { SLUICE_DECIMAL_TEXT_BYTES = 192 };

/*
 * Write an unscaled number of 256 bits, little-endian, with its scale: "-12.50".  A scale that is
 * negative or above 76 becomes an exponent: "125E3".
 */
void sluice_decimal_format(const uint64_t words[4], int32_t scale,
                           char text[SLUICE_DECIMAL_TEXT_BYTES]);

/*
 * Read such a text, whole, as an unscaled number of bit_count bits, sign-extended to 256.  False
 * when it is no number, does not fit, or has digits that the scale cannot hold.
 */
bool sluice_decimal_parse(const char *text, int32_t scale, int bit_count, uint64_t words[4]);

#endif /* SLUICE_ROUTE_DECIMAL_TEXT_H */
