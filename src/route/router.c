/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/router.c - a partitioning that has met a schema
 */
#include "route/router.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "route/router_types.h"

struct sluice_router {
    sluice_allocator allocator;
    sluice_schema *schema;
    sluice_partitioning_kind kind;
    const sluice_router_scheme *scheme;
    void *state;
};

static const sluice_router_scheme *find_scheme(sluice_partitioning_kind kind)
{
    switch (kind) {
    case SLUICE_PARTITIONING_HASH:
        return &sluice_hash_router;
    case SLUICE_PARTITIONING_RANGE:
        return &sluice_range_router;
    case SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES:
    case SLUICE_PARTITIONING_ROUND_ROBIN_ROWS:
        return &sluice_turn_router;
    case SLUICE_PARTITIONING_VALUE:
        return &sluice_value_router;
    case SLUICE_PARTITIONING_IDS:
        return &sluice_ids_router;
    }
    return NULL;
}

static sluice_status resolve_keys(const sluice_schema *schema,
                                  const sluice_partitioning *partitioning, size_t *columns,
                                  sluice_error *error)
{
    for (size_t key = 0; key < partitioning->key_count; key++) {
        SLUICE_TRY(sluice_schema_resolve(schema, partitioning->keys[key].name, &columns[key],
                                         error));
    }
    return SLUICE_OK;
}

/* Resolve the keys and make the state of the scheme. */
static sluice_status make_state(sluice_router *router, const sluice_partitioning *partitioning,
                                const sluice_router_options *options, sluice_error *error)
{
    const size_t columns_bytes = partitioning->key_count * sizeof(size_t);
    size_t *columns = sluice_allocate(&router->allocator, columns_bytes);
    const sluice_router_setup setup = {.schema = router->schema,
                                       .partitioning = partitioning,
                                       .key_columns = columns,
                                       .options = options,
                                       .allocator = &router->allocator};
    sluice_status status;

    if (columns == NULL && columns_bytes > 0)
        return sluice_fail_allocation(error, columns_bytes, "keys");
    status = resolve_keys(router->schema, partitioning, columns, error);
    if (status == SLUICE_OK)
        status = router->scheme->make(&setup, &router->state, error);
    sluice_free(&router->allocator, columns, columns_bytes);
    return status;
}

sluice_status sluice_router_new(sluice_schema *schema, const sluice_partitioning *partitioning,
                                const sluice_router_options *options, sluice_router **out,
                                sluice_error *error)
{
    sluice_router *router = sluice_allocate_zeroed(options->allocator, 1, sizeof(*router));
    sluice_status status;

    *out = NULL;
    if (router == NULL)
        return sluice_fail_allocation(error, sizeof(*router), "a router");
    router->allocator = sluice_allocator_or_default(options->allocator);
    router->schema = sluice_schema_ref(schema);
    router->kind = partitioning->kind;
    router->scheme = find_scheme(partitioning->kind);
    SLUICE_ASSERT(router->scheme != NULL);
    status = make_state(router, partitioning, options, error);
    if (status != SLUICE_OK) {
        sluice_router_free(router);
        return status;
    }
    *out = router;
    return SLUICE_OK;
}

bool sluice_router_takes_batches(const sluice_router *router)
{
    return router->kind == SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES;
}

uint32_t sluice_router_next_batch(sluice_router *router)
{
    SLUICE_ASSERT(sluice_router_takes_batches(router));
    return sluice_turn_router_next(router->state);
}

sluice_status sluice_router_route(sluice_router *router, const sluice_column *root, uint32_t *ids,
                                  sluice_error *error)
{
    SLUICE_ASSERT(!sluice_router_takes_batches(router));
    return router->scheme->route(router->state, root, ids, error);
}

sluice_status sluice_router_hash(sluice_router *router, const sluice_column *root,
                                 uint64_t *hashes, sluice_error *error)
{
    if (router->kind != SLUICE_PARTITIONING_HASH)
        return sluice_fail(error, SLUICE_INVALID, "only hash partitionings have hashes");
    sluice_hash_router_hash(router->state, root, hashes);
    return SLUICE_OK;
}

void sluice_router_free(sluice_router *router)
{
    if (router == NULL)
        return;
    const sluice_allocator allocator = router->allocator;

    router->scheme->free(router->state);
    sluice_schema_unref(router->schema);
    sluice_free(&allocator, router, sizeof(*router));
}
