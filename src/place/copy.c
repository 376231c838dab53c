/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/copy.c - all columns of a block into the open batches
 */
#include "place/copy.h"

/* Values of a node, without its validity; children are nodes of their own. */
static sluice_status copy_values(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_field *field = block->plan->nodes[node_index].field;

    switch (field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_STRUCT:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        return SLUICE_OK;
    case SLUICE_LAYOUT_BITS:
        return sluice_copy_bit_values(block, node_index, error);
    case SLUICE_LAYOUT_FIXED:
        return sluice_copy_fixed(block, node_index, (size_t)field->byte_width, error);
    case SLUICE_LAYOUT_DICTIONARY:
        return sluice_copy_indices(block, node_index, error);
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
        return sluice_copy_bytes(block, node_index, error);
    case SLUICE_LAYOUT_BYTES_VIEW:
        sluice_copy_views(block, node_index);
        return SLUICE_OK;
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
        sluice_copy_list(block, node_index);
        return SLUICE_OK;
    case SLUICE_LAYOUT_DENSE_UNION:
        sluice_copy_union_offsets(block, node_index);
        return sluice_copy_fixed(block, node_index, 1, error);
    case SLUICE_LAYOUT_SPARSE_UNION:
        return sluice_copy_fixed(block, node_index, 1, error);
    case SLUICE_LAYOUT_RUN_END:
        sluice_copy_run_ends(block, node_index);
        return SLUICE_OK;
    }
    return SLUICE_OK;
}

/* Run ends are made anew by their parent. */
static void mark_run_ends(const sluice_place_plan *plan, uint32_t node_index, uint32_t *made_anew)
{
    if (plan->nodes[node_index].field->layout == SLUICE_LAYOUT_RUN_END)
        *made_anew = plan->children[plan->nodes[node_index].first_child];
}

sluice_status sluice_block_copy(sluice_block *block, sluice_error *error)
{
    uint32_t made_anew = SLUICE_PLACE_NONE;

    for (uint32_t node = 0; node < block->plan->node_count; node++) {
        if (node == made_anew)
            continue;
        SLUICE_TRY(sluice_copy_validity(block, node, error));
        SLUICE_TRY(copy_values(block, node, error));
        mark_run_ends(block->plan, node, &made_anew);
    }
    if (block->streams)
        block->kernels->fence_stream();
    return SLUICE_OK;
}

sluice_status sluice_block_gather(sluice_block *block, int64_t first, int64_t row_count,
                                  sluice_shelf *shelf, sluice_open_batch **out,
                                  sluice_error *error)
{
    sluice_run *run;
    sluice_open_batch *batch;

    *out = NULL;
    SLUICE_TRY(sluice_open_batch_new(shelf, row_count, &batch, error));
    sluice_status status = sluice_block_add_run(block, batch, 0, &run, error);
    if (status != SLUICE_OK)
        goto done;
    sluice_block_ranges(block, first, row_count, run->ranges);
    for (uint32_t extent = 0; extent < block->plan->extent_count; extent++) {
        const int64_t units = run->ranges[extent].count;

        run->ranges[extent].target = 0;
        if (units > block->plan->extents[extent].units_max) {
            status = sluice_fail(error, SLUICE_UNSUPPORTED,
                                 "%lld bytes or elements of a column in one batch, at most %lld "
                                 "fit",
                                 (long long)units,
                                 (long long)block->plan->extents[extent].units_max);
            goto done;
        }
        if (extent > 0)
            status = sluice_open_batch_grow(batch, extent, units, error);
        if (status != SLUICE_OK)
            goto done;
        batch->used[extent] = units;
    }
    for (uint32_t dictionary = 0; dictionary < block->plan->dictionary_count; dictionary++)
        batch->dictionary_values[dictionary] = block->dictionary_values[dictionary];
    status = sluice_block_copy(block, error);
done:
    if (status != SLUICE_OK) {
        sluice_open_batch_free(batch);
        return status;
    }
    *out = batch;
    return SLUICE_OK;
}
