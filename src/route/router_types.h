/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/router_types.h - what the routers of the schemes share
 *
 * router.c picks a table of functions by the kind of the partitioning; everything after that goes
 * through it.  A state belongs to its router.
 */
#ifndef SLUICE_ROUTE_ROUTER_TYPES_H
#define SLUICE_ROUTE_ROUTER_TYPES_H

#include "route/partitioning.h"
#include "route/router.h"

/* What a scheme needs to know to make its state; all of it is borrowed during the call, but the
 * schema and the kernels, which outlive the router. */
typedef struct sluice_router_setup {
    const sluice_schema *schema;
    const sluice_partitioning *partitioning;
    const size_t *key_columns; /* Columns of the schema, one per key. */
    const sluice_router_options *options;
    const sluice_allocator *allocator; /* Never NULL; outlives the router. */
} sluice_router_setup;

typedef struct sluice_router_scheme {
    sluice_status (*make)(const sluice_router_setup *setup, void **state, sluice_error *error);
    sluice_status (*route)(void *state, const sluice_column *root, uint32_t *ids,
                           sluice_error *error);
    void (*free)(void *state); /* NULL is allowed. */
} sluice_router_scheme;

extern const sluice_router_scheme sluice_hash_router;
extern const sluice_router_scheme sluice_range_router;
extern const sluice_router_scheme sluice_turn_router; /* Round robin by rows and by batches. */
extern const sluice_router_scheme sluice_value_router;
extern const sluice_router_scheme sluice_ids_router;

/* The hashes of the keys; state is that of the hash router. */
void sluice_hash_router_hash(void *state, const sluice_column *root, uint64_t *hashes);

/* The partition of the next batch; state is that of the turn router. */
uint32_t sluice_turn_router_next(void *state);

#endif /* SLUICE_ROUTE_ROUTER_TYPES_H */
