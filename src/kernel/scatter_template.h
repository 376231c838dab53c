/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/scatter_template.h - values to their ranks
 *
 * A template; see kernel/portable.c for its parameters.  The source is read in order and the
 * target, a stage of the size of a block, is written at random inside the cache.  Sources need not
 * be aligned: Arrow arrays of other producers are not always.
 *
 * The processor's own prefetcher stops at the end of a page and starts anew in each column, so the
 * source is prefetched SCATTER_AHEAD bytes ahead; a prefetch past the end of the array is harmless.
 */

enum { KERNEL(SCATTER_AHEAD) = 2048, KERNEL(SCATTER_STEP) = 8 };

#define SCATTER(width)                                                                             \
    KERNEL_TARGET static void KERNEL(scatter##width)(                                              \
        const void *source, const uint32_t *restrict ranks, size_t row_count, void *target)        \
    {                                                                                              \
        const uint8_t *from = source;                                                              \
        uint8_t *to = target;                                                                      \
        size_t row = 0;                                                                            \
                                                                                                   \
        for (; row_count - row >= KERNEL(SCATTER_STEP); row += KERNEL(SCATTER_STEP)) {             \
            __builtin_prefetch(from + row * (width) + KERNEL(SCATTER_AHEAD));                      \
            for (size_t i = row; i < row + KERNEL(SCATTER_STEP); i++)                              \
                memcpy(to + (size_t)ranks[i] * (width), from + i * (width), (width));              \
        }                                                                                          \
        for (; row < row_count; row++)                                                             \
            memcpy(to + (size_t)ranks[row] * (width), from + row * (width), (width));              \
    }

SCATTER(1)
SCATTER(2)
SCATTER(4)
SCATTER(8)
SCATTER(16)
SCATTER(32)
#undef SCATTER

KERNEL_TARGET static void KERNEL(scatter_bits)(const uint8_t *restrict source, int64_t first,
                                               const uint32_t *restrict ranks, size_t row_count,
                                               uint8_t *restrict target)
{
    for (size_t row = 0; row < row_count; row++)
        target[ranks[row]] = sluice_bit_get(source, first + (int64_t)row);
}
