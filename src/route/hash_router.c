/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/hash_router.c - equal keys meet: sluice1 hashes, reduced to partition ids
 */
#include "base/alloc.h"
#include "base/math.h"
#include "route/router_types.h"
#include "route/row_hash.h"

typedef struct hash_router {
    const sluice_allocator *allocator;
    const sluice_kernels *kernels;
    uint32_t partition_count;
    sluice_row_hasher *hasher;
    uint64_t hashes[SLUICE_CANONICAL_BLOCK_ROWS];
} hash_router;

static void free_hash_router(void *state)
{
    hash_router *router = state;

    if (router == NULL)
        return;
    sluice_row_hasher_free(router->hasher);
    sluice_free(router->allocator, router, sizeof(*router));
}

static sluice_status make_hash_router(const sluice_router_setup *setup, void **state,
                                      sluice_error *error)
{
    hash_router *router = sluice_allocate_zeroed(setup->allocator, 1, sizeof(*router));

    *state = NULL;
    if (router == NULL)
        return sluice_fail_allocation(error, sizeof(*router), "a router");
    router->allocator = setup->allocator;
    router->kernels = setup->options->kernels;
    router->partition_count = setup->partitioning->partition_count;
    const sluice_status status = sluice_row_hasher_new(
        setup->schema, setup->key_columns, setup->partitioning->key_count, router->kernels,
        setup->allocator, &router->hasher, error);

    if (status != SLUICE_OK) {
        free_hash_router(router);
        return status;
    }
    *state = router;
    return SLUICE_OK;
}

/* Hash a block with seed 0 to hashes. */
static void hash_block(hash_router *router, const sluice_column *root, int64_t first,
                       size_t row_count, uint64_t *hashes)
{
    uint64_t *const targets[SLUICE_ROW_HASH_SEEDS_MAX] = {hashes, NULL};

    memset(hashes, 0, row_count * sizeof(*hashes));
    sluice_row_hasher_block(router->hasher, root, first, row_count, 1, targets);
}

static size_t get_block_rows(const sluice_column *root, int64_t first)
{
    return (size_t)sluice_min_int64(root->row_count - first, SLUICE_CANONICAL_BLOCK_ROWS);
}

static sluice_status route_hashes(void *state, const sluice_column *root, uint32_t *ids,
                                  sluice_error *error)
{
    hash_router *router = state;

    (void)error;
    sluice_row_hasher_begin(router->hasher);
    for (int64_t first = 0; first < root->row_count; first += SLUICE_CANONICAL_BLOCK_ROWS) {
        const size_t row_count = get_block_rows(root, first);

        hash_block(router, root, first, row_count, router->hashes);
        router->kernels->reduce(router->hashes, row_count, router->partition_count, ids + first);
    }
    return SLUICE_OK;
}

void sluice_hash_router_hash(void *state, const sluice_column *root, uint64_t *hashes)
{
    hash_router *router = state;

    sluice_row_hasher_begin(router->hasher);
    for (int64_t first = 0; first < root->row_count; first += SLUICE_CANONICAL_BLOCK_ROWS)
        hash_block(router, root, first, get_block_rows(root, first), hashes + first);
}

const sluice_router_scheme sluice_hash_router = {
    .make = make_hash_router, .route = route_hashes, .free = free_hash_router};
