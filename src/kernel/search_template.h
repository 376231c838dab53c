/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/search_template.h - keys to the number of bounds that are not greater
 *
 * A template; see kernel/portable.c for its parameters.
 *
 * A binary search whose number of steps depends on the number of bounds alone, so that there is no
 * branch to mispredict.  A step moves the base by half or by nothing; the comparison is turned
 * into a mask, because compilers like to turn a conditional expression into a branch: with 4095
 * bounds and random keys that costs 45 ns a row instead of 8 (clang 14).  Four keys go in lockstep:
 * the loads of one hide behind those of the others.
 *
 * Invariant: bounds before base are not greater than the key, and bounds from base + left on are
 * greater.
 */

/* How far the base moves: half or 0. */
KERNEL_TARGET static inline uint32_t KERNEL(search_step)(const uint64_t *restrict bounds,
                                                         uint32_t base, uint32_t half, uint64_t key)
{
    uint32_t mask = 0u - (uint32_t)(bounds[base + half - 1] <= key);

    /* Nothing, but the compiler must have the mask here: else clang 14 makes a branch of it. */
    __asm__("" : "+r"(mask));
    return half & mask;
}

KERNEL_TARGET static void KERNEL(search)(const uint64_t *restrict keys, size_t row_count,
                                         const uint64_t *restrict bounds, uint32_t bound_count,
                                         uint32_t *restrict ids)
{
    size_t row = 0;

    for (; row_count - row >= 4; row += 4) {
        const uint64_t key0 = keys[row], key1 = keys[row + 1];
        const uint64_t key2 = keys[row + 2], key3 = keys[row + 3];
        uint32_t base0 = 0, base1 = 0, base2 = 0, base3 = 0;

        for (uint32_t left = bound_count; left > 0;) {
            const uint32_t half = left - left / 2;

            base0 += KERNEL(search_step)(bounds, base0, half, key0);
            base1 += KERNEL(search_step)(bounds, base1, half, key1);
            base2 += KERNEL(search_step)(bounds, base2, half, key2);
            base3 += KERNEL(search_step)(bounds, base3, half, key3);
            left -= half;
        }
        ids[row] = base0;
        ids[row + 1] = base1;
        ids[row + 2] = base2;
        ids[row + 3] = base3;
    }
    for (; row < row_count; row++) {
        uint32_t base = 0;

        for (uint32_t left = bound_count; left > 0;) {
            const uint32_t half = left - left / 2;

            base += KERNEL(search_step)(bounds, base, half, keys[row]);
            left -= half;
        }
        ids[row] = base;
    }
}
