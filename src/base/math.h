/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/math.h - arithmetic on sizes that cannot wrap unnoticed
 */
#ifndef SLUICE_BASE_MATH_H
#define SLUICE_BASE_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *out = left + right; false, and *out undefined, when that does not fit. */
static inline bool sluice_add_size(size_t left, size_t right, size_t *out)
{
    return !__builtin_add_overflow(left, right, out);
}

static inline bool sluice_mul_size(size_t left, size_t right, size_t *out)
{
    return !__builtin_mul_overflow(left, right, out);
}

static inline bool sluice_add_int64(int64_t left, int64_t right, int64_t *out)
{
    return !__builtin_add_overflow(left, right, out);
}

static inline bool sluice_mul_int64(int64_t left, int64_t right, int64_t *out)
{
    return !__builtin_mul_overflow(left, right, out);
}

/* The next multiple of alignment, a power of two.  value must leave room for it. */
static inline size_t sluice_round_up(size_t value, size_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static inline size_t sluice_min_size(size_t left, size_t right)
{
    return left < right ? left : right;
}

static inline size_t sluice_max_size(size_t left, size_t right)
{
    return left > right ? left : right;
}

static inline int64_t sluice_min_int64(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

static inline int64_t sluice_max_int64(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

#endif /* SLUICE_BASE_MATH_H */
