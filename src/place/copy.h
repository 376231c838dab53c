/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/copy.h - how the files of the copy share the work
 *
 * Each function copies one part of one column (a node of the plan) for every run of the block.
 * Columns of the table are staged: written to their ranks in scratch memory, then every run goes
 * to its batch as one piece.  Columns below lists are gathered run by run.
 */
#ifndef SLUICE_PLACE_COPY_H
#define SLUICE_PLACE_COPY_H

#include "place/block.h"

/* copy_bits.c: validity of any node that has it; values of a BITS node. */
sluice_status sluice_copy_validity(sluice_block *block, uint32_t node_index, sluice_error *error);
sluice_status sluice_copy_bit_values(sluice_block *block, uint32_t node_index,
                                     sluice_error *error);

/* copy_fixed.c: values of a FIXED node and type ids; indices of a DICTIONARY node. */
sluice_status sluice_copy_fixed(sluice_block *block, uint32_t node_index, size_t width,
                                sluice_error *error);
sluice_status sluice_copy_indices(sluice_block *block, uint32_t node_index, sluice_error *error);

/* copy_varying.c: offsets and bytes, views, list offsets and sizes, union offsets, run ends. */
sluice_status sluice_copy_bytes(sluice_block *block, uint32_t node_index, sluice_error *error);
void sluice_copy_views(sluice_block *block, uint32_t node_index);
void sluice_copy_list(sluice_block *block, uint32_t node_index);
void sluice_copy_union_offsets(sluice_block *block, uint32_t node_index);
void sluice_copy_run_ends(sluice_block *block, uint32_t node_index);

/* A buffer of the batch of a run, or NULL while nothing of it is needed. */
static inline void *sluice_copy_target(const sluice_run *run, uint32_t buffer)
{
    return run->batch->buffers[buffer].bytes;
}

/* The elements of the rows of a node; NULL for columns of the table when none are listed. */
static inline const sluice_element *sluice_copy_elements(const sluice_block *block,
                                                         uint32_t node_index)
{
    return block->extents[block->plan->nodes[node_index].rows_extent].elements.bytes;
}

/* True for columns of the table, whose rows have ranks. */
static inline bool sluice_copy_has_ranks(const sluice_block *block, uint32_t node_index)
{
    return block->plan->nodes[node_index].rows_extent == 0;
}

#endif /* SLUICE_PLACE_COPY_H */
