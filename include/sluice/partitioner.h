/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/partitioner.h - the routing of an exchange, for hosts with their own channels and threads
 *
 * A partitioner is made once for a schema and a partitioning and then given batches.  It keeps the
 * turn of the round robin and the keys met by the value scheme; apart from that batches do not
 * depend on each other.  One thread at a time.
 *
 *     sluice_partitioner_ids()          partition id of each row
 *     sluice_partitioner_permutation()  rows grouped by partition, stable, with offsets
 *     sluice_partitioner_split()        one copy of the batch, grouped, as one slice per partition
 *     sluice_partitioner_for_each()     the same, handed to a callback
 */
#ifndef SLUICE_PARTITIONER_H
#define SLUICE_PARTITIONER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/allocator.h"
#include "sluice/arrow_abi.h"
#include "sluice/partitioning.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_partitioner sluice_partitioner;

/* Set size to sizeof(sluice_partitioner_options), zero the rest, then set what differs. */
typedef struct sluice_partitioner_options {
    size_t size;
    uint32_t input_index;              /* Which of the inputs: the start of a round robin. */
    uint32_t input_count;              /* 0 means 1. */
    bool validate_values;              /* Check offsets, UTF-8 and dictionary indices too. */
    const sluice_allocator *allocator; /* NULL: malloc() and free(). */
} sluice_partitioner_options;

/* Everything is read during the call and not kept.  options may be NULL. */
SLUICE_API sluice_status sluice_partitioner_new(const struct ArrowSchema *schema,
                                                const sluice_partitioning *partitioning,
                                                const sluice_partitioner_options *options,
                                                sluice_partitioner **out, sluice_error *error);

/*
 * The schema of the slices.  It is the schema the partitioner was made with, but for dictionary
 * columns whose indices have fewer than 32 bits: all dictionaries of a column become one, so its
 * indices are int32.  The caller releases it.
 */
SLUICE_API sluice_status sluice_partitioner_get_schema(const sluice_partitioner *partitioner,
                                                       struct ArrowSchema *out,
                                                       sluice_error *error);

/* Partitions there are; with the value scheme, those met so far. */
SLUICE_API uint32_t sluice_partitioner_get_count(const sluice_partitioner *partitioner);

/* Write the partition of each row of a struct array to ids[0 .. batch->length - 1].  The batch
 * stays the caller's. */
SLUICE_API sluice_status sluice_partitioner_ids(sluice_partitioner *partitioner,
                                                const struct ArrowArray *batch, uint32_t *ids,
                                                sluice_error *error);

/*
 * Write the 64-bit hash of each row's keys to hashes[0 .. batch->length - 1].  Only for hash
 * partitionings; anything else is SLUICE_INVALID.
 */
SLUICE_API sluice_status sluice_partitioner_hashes(sluice_partitioner *partitioner,
                                                   const struct ArrowArray *batch,
                                                   uint64_t *hashes, sluice_error *error);

/*
 * Write the row numbers grouped by partition, in row order within each, to
 * rows[0 .. batch->length - 1] and the start of partition p to offsets[p]; offsets has one more
 * entry than sluice_partitioner_get_count() can be for this partitioning.  At most 2^32 - 1 rows.
 */
SLUICE_API sluice_status sluice_partitioner_permutation(sluice_partitioner *partitioner,
                                                        const struct ArrowArray *batch,
                                                        uint32_t *rows, uint64_t *offsets,
                                                        sluice_error *error);

/*
 * Copy the batch once, grouped by partition, and write one zero-copy slice of the copy per
 * partition to slices[0 .. partition count - 1]; a partition without rows gets a released array.
 * A batch of one partition whole is passed on without a copy.  Takes the batch on SLUICE_OK; on
 * any other status the caller releases it unless batch->release is NULL.  Each slice is released
 * by the caller.
 */
SLUICE_API sluice_status sluice_partitioner_split(sluice_partitioner *partitioner,
                                                  struct ArrowArray *batch,
                                                  struct ArrowArray *slices, sluice_error *error);

/* Called with each partition that has rows, in order.  Takes the slice.  Anything but SLUICE_OK
 * ends the call with that status. */
typedef sluice_status (*sluice_partition_callback)(void *opaque, uint32_t partition,
                                                   struct ArrowArray *slice);

/* Split the batch as above and hand the slices to the callback. */
SLUICE_API sluice_status sluice_partitioner_for_each(sluice_partitioner *partitioner,
                                                     struct ArrowArray *batch,
                                                     sluice_partition_callback callback,
                                                     void *opaque, sluice_error *error);

/*
 * The keys met by the value scheme, as a struct array with one row per partition.  Any other
 * scheme is SLUICE_INVALID.
 */
SLUICE_API sluice_status sluice_partitioner_get_values(const sluice_partitioner *partitioner,
                                                       struct ArrowSchema *schema_out,
                                                       struct ArrowArray *out,
                                                       sluice_error *error);

/* NULL is allowed. */
SLUICE_API void sluice_partitioner_free(sluice_partitioner *partitioner);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_PARTITIONER_H */
