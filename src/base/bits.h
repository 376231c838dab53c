/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/bits.h - bitmaps as Arrow lays them out: bit i of the map is bit i % 8 of byte i / 8
 */
#ifndef SLUICE_BASE_BITS_H
#define SLUICE_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool sluice_bit_get(const uint8_t *bits, int64_t index)
{
    return (bits[index >> 3] >> (index & 7)) & 1;
}

static inline void sluice_bit_set(uint8_t *bits, int64_t index)
{
    bits[index >> 3] = (uint8_t)(bits[index >> 3] | (1u << (index & 7)));
}

static inline void sluice_bit_clear(uint8_t *bits, int64_t index)
{
    bits[index >> 3] = (uint8_t)(bits[index >> 3] & ~(1u << (index & 7)));
}

static inline size_t sluice_bitmap_bytes(size_t bit_count)
{
    return bit_count / 8 + (bit_count % 8 != 0);
}

/* Ones among bit_count bits from bit first on. */
static inline int64_t sluice_bits_count(const uint8_t *bits, int64_t first, int64_t bit_count)
{
    int64_t ones = 0;
    int64_t index = first;
    const int64_t end = first + bit_count;

    for (; index < end && (index & 7) != 0; index++)
        ones += sluice_bit_get(bits, index);
    for (; end - index >= 64; index += 64) {
        uint64_t word;

        memcpy(&word, bits + (index >> 3), sizeof(word));
        ones += __builtin_popcountll(word);
    }
    for (; index < end; index++)
        ones += sluice_bit_get(bits, index);
    return ones;
}

#endif /* SLUICE_BASE_BITS_H */
