/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/router.h - a partitioning that has met a schema: batches in, partition ids out
 *
 *     sluice_router_new()            once per input
 *     sluice_router_takes_batches()  round robin by batches: ask sluice_router_next_batch() where
 *                                    the batch goes and do not call sluice_router_route()
 *     sluice_router_route()          for every other scheme: one id per row
 *
 * A router belongs to one input and one thread at a time.  What the inputs share is the value
 * table of the value scheme; whoever shares one calls sluice_router_route() under a lock.
 */
#ifndef SLUICE_ROUTE_ROUTER_H
#define SLUICE_ROUTE_ROUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrow/column.h"
#include "arrow/field.h"
#include "kernel/kernels.h"
#include "sluice/partitioning.h"

typedef struct sluice_router sluice_router;

/* The distinct keys met so far, in the order of their partitions. */
typedef struct sluice_value_table sluice_value_table;

typedef struct sluice_router_options {
    uint32_t input_index;
    uint32_t input_count;
    const sluice_kernels *kernels;
    sluice_value_table *values; /* Value scheme only. */
    const sluice_allocator *allocator;
} sluice_router_options;

/*
 * Resolve the keys against the schema and build what routing needs.  The schema is shared, the
 * partitioning is read during the call only.  Errors name the key: an unknown column, a type that
 * is no key, a split point of another type.
 */
sluice_status sluice_router_new(sluice_schema *schema, const sluice_partitioning *partitioning,
                                const sluice_router_options *options, sluice_router **out,
                                sluice_error *error);

bool sluice_router_takes_batches(const sluice_router *router);

/* The partition of the next batch, round robin by batches only. */
uint32_t sluice_router_next_batch(sluice_router *router);

/*
 * Write the partition of each row of root, the view of a batch or of a slice of one, to
 * ids[0 .. root->row_count - 1].  Slices of a batch are routed in order.  Not every router is
 * ready for the next call after an error.
 */
sluice_status sluice_router_route(sluice_router *router, const sluice_column *root, uint32_t *ids,
                                  sluice_error *error);

/* The same for the 64-bit key hashes of a hash router; SLUICE_INVALID for others. */
sluice_status sluice_router_hash(sluice_router *router, const sluice_column *root,
                                 uint64_t *hashes, sluice_error *error);

/* NULL is allowed. */
void sluice_router_free(sluice_router *router);

sluice_status sluice_value_table_new(sluice_schema *schema,
                                     const sluice_partitioning *partitioning,
                                     const sluice_allocator *allocator, sluice_value_table **out,
                                     sluice_error *error);

uint32_t sluice_value_table_count(const sluice_value_table *table);

/* All keys as a struct array, one row per partition. */
sluice_status sluice_value_table_export(const sluice_value_table *table,
                                        struct ArrowSchema *schema_out, struct ArrowArray *out,
                                        sluice_error *error);

/* NULL is allowed. */
void sluice_value_table_free(sluice_value_table *table);

#endif /* SLUICE_ROUTE_ROUTER_H */
