/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/mix.h - the mixing step of sluice1
 *
 * docs/sluice1.md defines the hash.  Its step is SplitMix64: add the golden ratio, then the
 * finaliser (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 */
#ifndef SLUICE_KERNEL_MIX_H
#define SLUICE_KERNEL_MIX_H

#include <stdint.h>

#define SLUICE_MIX_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t sluice_mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* Fold a canonical value into a hash. */
static inline uint64_t sluice_mix_fold(uint64_t hash, uint64_t value)
{
    return sluice_mix(hash + SLUICE_MIX_GOLDEN + value);
}

#endif /* SLUICE_KERNEL_MIX_H */
