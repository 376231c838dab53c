/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/hash_template.h - canonical values into row hashes
 *
 * A template; see kernel/portable.c for its parameters.  Rows do not depend on each other, so the
 * processor overlaps the multiplications of several rows; compilers unroll and vectorise the loop
 * where the instruction set has a 64-bit multiplication.
 */
#include "kernel/mix.h"

KERNEL_TARGET static void KERNEL(hash_fold)(const uint64_t *restrict values, size_t row_count,
                                            uint64_t *restrict hashes)
{
    for (size_t row = 0; row < row_count; row++)
        hashes[row] = sluice_mix_fold(hashes[row], values[row]);
}
