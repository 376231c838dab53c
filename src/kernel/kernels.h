/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/kernels.h - the inner loops, once per instruction set
 *
 * Kernels take arrays and counts, never objects, and cannot fail.  Every table computes the same
 * bits: sluice_kernels_portable defines them, the others are checked against it.  Arrays do not
 * overlap unless a comment says so.
 */
#ifndef SLUICE_KERNEL_KERNELS_H
#define SLUICE_KERNEL_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Strings with 32-bit offsets, of which row_count + 1 are there. */
typedef struct sluice_string_rows {
    const uint8_t *bytes;
    const int32_t *offsets;
    size_t row_count;
} sluice_string_rows;

/* Bytes that a stage for strings has to spare behind each partition. */
enum { SLUICE_BYTES_SLACK = 32 };

typedef struct sluice_kernels {
    const char *name;
    uint32_t cpu_features; /* SLUICE_CPU_* bits the processor must have. */

    /* hash_template.h: fold one 64-bit canonical value per row into the row's hash. */
    void (*hash_fold)(const uint64_t *restrict values, size_t row_count, uint64_t *restrict hashes);

    /* reduce_template.h: hashes to partition ids by multiply-shift on the high bits. */
    void (*reduce)(const uint64_t *restrict hashes, size_t row_count, uint32_t partition_count,
                   uint32_t *restrict ids);

    /* search_template.h: for each key the number of bounds, ascending, that are not greater. */
    void (*search)(const uint64_t *restrict keys, size_t row_count, const uint64_t *restrict bounds,
                   uint32_t bound_count, uint32_t *restrict ids);

    /* rank_template.h: add the rows of each partition to counts[partition]. */
    void (*count)(const uint32_t *restrict ids, size_t row_count, uint32_t *restrict counts);

    /* rank_template.h: ranks[row] = cursors[ids[row]]++. */
    void (*rank)(const uint32_t *restrict ids, size_t row_count, uint32_t *restrict cursors,
                 uint32_t *restrict ranks);

    /* scatter_template.h: target[ranks[row]] = source[row], for values of 1 to 32 bytes. */
    void (*scatter1)(const void *source, const uint32_t *restrict ranks, size_t row_count,
                     void *target);
    void (*scatter2)(const void *source, const uint32_t *restrict ranks, size_t row_count,
                     void *target);
    void (*scatter4)(const void *source, const uint32_t *restrict ranks, size_t row_count,
                     void *target);
    void (*scatter8)(const void *source, const uint32_t *restrict ranks, size_t row_count,
                     void *target);
    void (*scatter16)(const void *source, const uint32_t *restrict ranks, size_t row_count,
                      void *target);
    void (*scatter32)(const void *source, const uint32_t *restrict ranks, size_t row_count,
                      void *target);

    /* scatter_template.h: target[ranks[row]] = bit first + row of source, as a byte 0 or 1. */
    void (*scatter_bits)(const uint8_t *restrict source, int64_t first,
                         const uint32_t *restrict ranks, size_t row_count,
                         uint8_t *restrict target);

    /*
     * bytes_template.h: each string to stage + ends[rank] + id * SLUICE_BYTES_SLACK.  ends has the
     * bytes before each rank, and a string has ends[rank + 1] - ends[rank] of them, which may be
     * fewer than its offsets say.  Ranks are grouped by id and rise with the rows of an id.
     */
    void (*scatter_bytes)(const sluice_string_rows *rows, const uint32_t *restrict ranks,
                          const uint32_t *restrict ids, const int64_t *restrict ends,
                          uint8_t *restrict stage);

    /* stream_template.h: copy to memory that will not be read soon.  Before others may read it,
     * fence_stream() must have been called. */
    void (*copy_stream)(void *restrict target, const void *restrict source, size_t bytes);
    void (*fence_stream)(void);
} sluice_kernels;

extern const sluice_kernels sluice_kernels_portable;
#if SLUICE_ARCH_X86_64
extern const sluice_kernels sluice_kernels_avx2;
extern const sluice_kernels sluice_kernels_avx512;
#endif

/* All tables of this build, best first; NULL behind the last one, which is the portable one. */
const sluice_kernels *sluice_kernels_get(size_t index);

/* True when this processor can run the table, and may. */
bool sluice_kernels_can_run(const sluice_kernels *table);

/* The best table that this processor can run. */
const sluice_kernels *sluice_kernels_choose(void);

#endif /* SLUICE_KERNEL_KERNELS_H */
