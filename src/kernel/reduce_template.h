/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/reduce_template.h - hashes to partition ids
 *
 * A template; see kernel/portable.c for its parameters.
 *
 * The id is floor(high * count / 2^32), where high is the upper half of the hash: one multiply
 * instead of a division, any partition count, and a hash table built on the low bits of the same
 * hash stays evenly filled inside each partition.
 */

KERNEL_TARGET static void KERNEL(reduce)(const uint64_t *restrict hashes, size_t row_count,
                                         uint32_t partition_count, uint32_t *restrict ids)
{
    SLUICE_ASSERT(partition_count > 0);
    for (size_t row = 0; row < row_count; row++)
        ids[row] = (uint32_t)(((hashes[row] >> 32) * partition_count) >> 32);
}
