/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/block.h - some rows of one input, on their way to the open batches
 *
 * A block is one batch, or several when there are so many partitions that one batch would give
 * each only a few rows.  Each part of a batch in a block is a piece.
 *
 *     sluice_block_add()       a piece, until sluice_block_is_full()
 *     ids                      are written by the router, piece by piece
 *     sluice_block_arrange()   ranks: rows grouped by partition, stable
 *     sluice_block_measure()   how much of each extent the rows have
 *     sluice_block_ranges()    which part of each extent a run of ranked rows is
 *     sluice_block_add_run()   after it was reserved in an open batch
 *     sluice_block_copy()      every run into its batch, column by column
 *     sluice_block_clear()
 *
 * Everything here belongs to one input and one thread.  "Destination order" is the order of ranks.
 */
#ifndef SLUICE_PLACE_BLOCK_H
#define SLUICE_PLACE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/batch.h"
#include "arrow/column.h"
#include "kernel/kernels.h"
#include "memory/buffer.h"
#include "place/dictionary.h"
#include "place/open_batch.h"
#include "place/plan.h"

enum {
    SLUICE_BLOCK_ROWS_MIN = 8192,
    SLUICE_BLOCK_ROWS_MAX = 1 << 30,
    SLUICE_BLOCK_PIECES_MAX = 64,
    SLUICE_BLOCK_REMAPS = SLUICE_BLOCK_PIECES_MAX + 1
};

/* Part of an extent: of a block (first) or of an open batch (target). */
typedef struct sluice_range {
    int64_t first;
    int64_t count;
    int64_t target;
} sluice_range;

/* Ranked rows that lie together in one open batch. */
typedef struct sluice_run {
    sluice_open_batch *batch;
    sluice_range *ranges; /* One per extent. */
    uint32_t partition;   /* Of its first row. */
} sluice_run;

typedef struct sluice_piece {
    sluice_batch *batch;    /* Owned. */
    sluice_column *root;    /* Its rows: a view, cut to the piece. */
    sluice_column **nodes;  /* The view of each node of the plan. */
    uint32_t first_row;     /* In the block. */
    uint32_t row_count;
} sluice_piece;

/* A row of a column of a piece: piece in the upper 16 bits, row in the lower 48. */
typedef uint64_t sluice_element;

#define SLUICE_ELEMENT_ROW_BITS 48

static inline sluice_element sluice_element_make(uint32_t piece, int64_t row)
{
    return ((uint64_t)piece << SLUICE_ELEMENT_ROW_BITS) | (uint64_t)row;
}

static inline uint32_t sluice_element_piece(sluice_element element)
{
    return (uint32_t)(element >> SLUICE_ELEMENT_ROW_BITS);
}

static inline int64_t sluice_element_row(sluice_element element)
{
    return (int64_t)(element & ((UINT64_C(1) << SLUICE_ELEMENT_ROW_BITS) - 1));
}

/* What a block knows of one extent. */
typedef struct sluice_block_extent {
    int64_t count;           /* Units the whole block has. */
    sluice_buffer elements;  /* sluice_element per unit, in destination order, where the units are
                                rows of a column. */
    sluice_buffer ends;      /* int64_t: the units before each row of the parent, then count. */
} sluice_block_extent;

typedef struct sluice_block {
    /* Set once. */
    const sluice_place_plan *plan;
    const sluice_kernels *kernels;
    sluice_dictionaries *dictionaries;
    sluice_allocator allocator;
    uint32_t partition_count;
    uint32_t rows_target;
    bool streams; /* Runs go past the cache. */
    bool needs_elements; /* Some column is not copied by rank alone. */

    /* The rows. */
    sluice_piece pieces[SLUICE_BLOCK_PIECES_MAX];
    uint32_t piece_count;
    uint32_t row_count;
    sluice_buffer ids;    /* uint32_t per row. */
    sluice_buffer ranks;  /* uint32_t per row. */
    sluice_buffer starts; /* uint32_t: first rank of each partition, and row_count. */
    sluice_buffer cursors;
    sluice_block_extent *extents;
    sluice_dictionary_remap *remaps; /* SLUICE_BLOCK_REMAPS per dictionary, used in turn ... */
    uint32_t *remap_last;            /* ... the one used last, per dictionary ... */
    uint32_t *remap_of;              /* ... and the one of each dictionary and piece. */
    uint64_t *dictionary_values;     /* Of each dictionary: what batches with these rows need. */

    /* The runs. */
    sluice_buffer runs;
    sluice_buffer ranges;
    uint32_t run_count;

    /* Scratch of one column. */
    sluice_buffer stage;
    sluice_buffer values;
} sluice_block;

typedef struct sluice_block_options {
    const sluice_place_plan *plan;
    const sluice_kernels *kernels;
    sluice_dictionaries *dictionaries;
    sluice_pool *pool;
    uint32_t partition_count;
    bool streams; /* Open batches are more than the cache holds, so do not write through it. */
    const sluice_allocator *allocator;
} sluice_block_options;

/* Plan, dictionaries and pool are borrowed for the life of the block. */
sluice_status sluice_block_new(const sluice_block_options *options, sluice_block **out,
                               sluice_error *error);

/* NULL is allowed. */
void sluice_block_free(sluice_block *block);

/*
 * Add rows first to first + row_count - 1 of a batch, which is shared.  The block must have room:
 * fewer than SLUICE_BLOCK_PIECES_MAX pieces and rows in all below SLUICE_BLOCK_ROWS_MAX.  *piece
 * is valid until sluice_block_clear().
 */
sluice_status sluice_block_add(sluice_block *block, sluice_batch *batch, int64_t first,
                               int64_t row_count, sluice_piece **piece, sluice_error *error);

/*
 * The same with the rows of a view that is no batch of its own, of the field of the plan's only
 * column: the values of a dictionary.  batch is what holds them.
 */
sluice_status sluice_block_add_values(sluice_block *block, sluice_batch *batch,
                                      const sluice_column *values, sluice_piece **piece,
                                      sluice_error *error);

/* Enough rows to go on with. */
bool sluice_block_is_full(const sluice_block *block);

/* The ids of a piece, to be written. */
uint32_t *sluice_block_ids(sluice_block *block, const sluice_piece *piece);

/* True when all rows, of which there are some, have the same id. */
bool sluice_block_is_single(const sluice_block *block);

/* Rank the rows by their ids. */
sluice_status sluice_block_arrange(sluice_block *block, sluice_error *error);

/* The rank of the first row of a partition; sluice_block_start(block, partition + 1) ends it. */
static inline uint32_t sluice_block_start(const sluice_block *block, uint32_t partition)
{
    return ((const uint32_t *)block->starts.bytes)[partition];
}

/* Measure every extent, bring new dictionary values into the dictionaries, and note how many values
 * batches with these rows need. */
sluice_status sluice_block_measure(sluice_block *block, sluice_error *error);

/* first and count of every extent for ranked rows first to first + row_count - 1. */
void sluice_block_ranges(const sluice_block *block, int64_t first, int64_t row_count,
                         sluice_range *ranges);

/*
 * Add a run whose ranges are not set yet.  *run is valid until the next call.
 */
sluice_status sluice_block_add_run(sluice_block *block, sluice_open_batch *batch,
                                   uint32_t partition, sluice_run **run, sluice_error *error);

/* The runs of the block; ranges are found anew at each call. */
sluice_run sluice_block_get_run(const sluice_block *block, uint32_t run_index);

/* Copy all runs.  Fails only for lack of memory. */
sluice_status sluice_block_copy(sluice_block *block, sluice_error *error);

/*
 * Copy ranked rows first to first + row_count - 1 into one batch of their own.  first is 0 or the
 * start of a partition.
 */
sluice_status sluice_block_gather(sluice_block *block, int64_t first, int64_t row_count,
                                  sluice_shelf *shelf, sluice_open_batch **out,
                                  sluice_error *error);

/* Let go of the batches and the runs. */
void sluice_block_clear(sluice_block *block);

#endif /* SLUICE_PLACE_BLOCK_H */
