/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/rank_template.h - the place of every row among the rows of its block, by partition
 *
 * A template; see kernel/portable.c for its parameters.  count makes the histogram, the caller its
 * prefix sum, and rank turns that into a stable counting sort: rows of partition 0 first, each
 * partition's rows in row order.
 */

KERNEL_TARGET static void KERNEL(count)(const uint32_t *restrict ids, size_t row_count,
                                        uint32_t *restrict counts)
{
    for (size_t row = 0; row < row_count; row++)
        counts[ids[row]]++;
}

KERNEL_TARGET static void KERNEL(rank)(const uint32_t *restrict ids, size_t row_count,
                                       uint32_t *restrict cursors, uint32_t *restrict ranks)
{
    for (size_t row = 0; row < row_count; row++)
        ranks[row] = cursors[ids[row]]++;
}
