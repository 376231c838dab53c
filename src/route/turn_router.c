/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/turn_router.c - round robin: the partitions in turn, by rows or by batches
 *
 * A turn depends on the rows or batches of this input alone, never on the time, so that a run can
 * be repeated.  With batches the inputs start at different partitions.
 */
#include "base/alloc.h"
#include "route/router_types.h"

typedef struct turn_router {
    const sluice_allocator *allocator;
    uint32_t partition_count;
    uint32_t next; /* Where the next row or batch goes. */
} turn_router;

static void free_turn_router(void *state)
{
    turn_router *router = state;

    if (router != NULL)
        sluice_free(router->allocator, router, sizeof(*router));
}

static sluice_status make_turn_router(const sluice_router_setup *setup, void **state,
                                      sluice_error *error)
{
    const sluice_router_options *options = setup->options;
    const uint32_t partition_count = setup->partitioning->partition_count;
    turn_router *router = sluice_allocate_zeroed(setup->allocator, 1, sizeof(*router));

    *state = NULL;
    if (router == NULL)
        return sluice_fail_allocation(error, sizeof(*router), "a router");
    router->allocator = setup->allocator;
    router->partition_count = partition_count;
    if (setup->partitioning->kind == SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES &&
        options->input_count > 0) {
        router->next = (uint32_t)((uint64_t)options->input_index * partition_count /
                                  options->input_count % partition_count);
    }
    *state = router;
    return SLUICE_OK;
}

uint32_t sluice_turn_router_next(void *state)
{
    turn_router *router = state;
    const uint32_t partition = router->next;

    router->next = partition + 1 == router->partition_count ? 0 : partition + 1;
    return partition;
}

static sluice_status route_turns(void *state, const sluice_column *root, uint32_t *ids,
                                 sluice_error *error)
{
    (void)error;
    for (int64_t row = 0; row < root->row_count; row++)
        ids[row] = sluice_turn_router_next(state);
    return SLUICE_OK;
}

const sluice_router_scheme sluice_turn_router = {
    .make = make_turn_router, .route = route_turns, .free = free_turn_router};
