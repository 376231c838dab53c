/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/float_bits.h - floats of any width as the bits of a double
 *
 * Widening is done on the bits, so that NaNs keep their sign and payload and stay signalling; the
 * processor's conversions do not promise that.
 */
#ifndef SLUICE_ROUTE_FLOAT_BITS_H
#define SLUICE_ROUTE_FLOAT_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define SLUICE_FLOAT_SIGN UINT64_C(0x8000000000000000)
#define SLUICE_FLOAT_INFINITY UINT64_C(0x7ff0000000000000)

/*
 * Widen a binary float of exponent_bits and mantissa_bits.  A subnormal becomes a normal double:
 * its leading one moves to where doubles do not write it.
 */
static inline uint64_t sluice_float_widen(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    const uint64_t sign = (uint64_t)(bits >> (exponent_bits + mantissa_bits)) << 63;
    const uint32_t exponent_max = (1u << exponent_bits) - 1;
    const uint32_t exponent = (bits >> mantissa_bits) & exponent_max;
    const uint64_t mantissa = bits & ((1u << mantissa_bits) - 1);
    const int bias_change = 1023 - (1 << (exponent_bits - 1)) + 1;

    if (exponent == exponent_max)
        return sign | SLUICE_FLOAT_INFINITY | mantissa << (52 - mantissa_bits);
    if (exponent != 0)
        return sign | (uint64_t)(exponent + (uint32_t)bias_change) << 52 |
               mantissa << (52 - mantissa_bits);
    if (mantissa == 0)
        return sign;
    const int shift = __builtin_clzll(mantissa) - (63 - mantissa_bits);

    return sign | (uint64_t)(bias_change + 1 - shift) << 52 |
           ((mantissa << (52 - mantissa_bits + shift)) & ((UINT64_C(1) << 52) - 1));
}

static inline uint64_t sluice_float16_widen(uint16_t bits)
{
    return sluice_float_widen(bits, 5, 10);
}

static inline uint64_t sluice_float32_widen(uint32_t bits)
{
    return sluice_float_widen(bits, 8, 23);
}

/* One zero and one NaN; everything else stays.  Without branches, for loops over columns. */
static inline uint64_t sluice_float_canonical(uint64_t bits)
{
    const uint64_t magnitude = bits & ~SLUICE_FLOAT_SIGN;

    bits = magnitude == 0 ? 0 : bits;
    return magnitude > SLUICE_FLOAT_INFINITY ? UINT64_C(0x7ff8000000000000) : bits;
}

/* The order of doubles by IEEE 754 totalOrder as the order of unsigned numbers. */
static inline uint64_t sluice_float_order(uint64_t bits)
{
    return (bits & SLUICE_FLOAT_SIGN) != 0 ? ~bits : bits | SLUICE_FLOAT_SIGN;
}

#endif /* SLUICE_ROUTE_FLOAT_BITS_H */
