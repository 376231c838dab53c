/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/block.c - the pieces of a block, their order, and which part of what a run is
 */
#include "place/block.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/math.h"

enum {
    ROWS_PER_PARTITION = 128, /* So that a run is worth its fixed cost ... */
    ROWS_TARGET_MAX = 1 << 16, /* ... as long as a column of the block fits the cache. */
    PLAIN_BUFFERS = 8
};

static uint32_t choose_rows_target(uint32_t partition_count)
{
    const uint64_t wanted = (uint64_t)partition_count * ROWS_PER_PARTITION;

    if (wanted < SLUICE_BLOCK_ROWS_MIN)
        return SLUICE_BLOCK_ROWS_MIN;
    return wanted < ROWS_TARGET_MAX ? (uint32_t)wanted : ROWS_TARGET_MAX;
}

/* Note the view of every node below a column, in the order of the plan. */
static void list_views(const sluice_place_plan *plan, uint32_t node_index, sluice_column *column,
                       sluice_column **nodes)
{
    const sluice_place_node *node = &plan->nodes[node_index];

    nodes[node_index] = column;
    for (uint32_t child = 0; child < node->child_count; child++)
        list_views(plan, plan->children[node->first_child + child], &column->children[child],
                   nodes);
}

static sluice_status make_views(sluice_block *block, sluice_piece *piece, sluice_error *error)
{
    const sluice_place_plan *plan = block->plan;

    if (piece->root != NULL)
        return SLUICE_OK;
    /* One more than there are nodes, so that a table without columns is an allocation too. */
    sluice_column **nodes =
        sluice_allocate_zeroed(&block->allocator, plan->node_count + 1, sizeof(*piece->nodes));
    if (nodes == NULL)
        return sluice_fail_allocation(error, plan->node_count * sizeof(*nodes), "column views");
    const sluice_status status = sluice_column_new(sluice_schema_root(plan->source_schema),
                                                   &block->allocator, &piece->root, error);
    if (status != SLUICE_OK) {
        sluice_free(&block->allocator, nodes, (plan->node_count + 1) * sizeof(*nodes));
        return status;
    }
    for (uint32_t column = 0; column < plan->column_count; column++)
        list_views(plan, plan->columns[column], &piece->root->children[column], nodes);
    piece->nodes = nodes;
    return SLUICE_OK;
}

static sluice_status allocate_arrays(sluice_block *block, sluice_error *error)
{
    const sluice_place_plan *plan = block->plan;
    const size_t dictionaries = plan->dictionary_count;

    block->extents =
        sluice_allocate_zeroed(&block->allocator, plan->extent_count, sizeof(*block->extents));
    block->remaps = sluice_allocate_zeroed(
        &block->allocator, dictionaries * SLUICE_BLOCK_REMAPS + 1, sizeof(*block->remaps));
    block->remap_last =
        sluice_allocate_zeroed(&block->allocator, dictionaries + 1, sizeof(*block->remap_last));
    block->remap_of =
        sluice_allocate_zeroed(&block->allocator, dictionaries * SLUICE_BLOCK_PIECES_MAX + 1,
                               sizeof(*block->remap_of));
    block->dictionary_values = sluice_allocate_zeroed(&block->allocator, dictionaries + 1,
                                                      sizeof(*block->dictionary_values));
    if (block->extents == NULL || block->remaps == NULL || block->remap_last == NULL ||
        block->remap_of == NULL || block->dictionary_values == NULL)
        return sluice_fail_allocation(error, plan->extent_count * sizeof(*block->extents),
                                      "a block of rows");
    return SLUICE_OK;
}

/* The buffers there is one of in a block. */
static void list_plain_buffers(sluice_block *block, sluice_buffer *plain[PLAIN_BUFFERS])
{
    sluice_buffer *const all[PLAIN_BUFFERS] = {&block->ids,     &block->ranks, &block->starts,
                                               &block->cursors, &block->runs,  &block->ranges,
                                               &block->stage,   &block->values};

    memcpy(plain, all, sizeof(all));
}

static void init_buffers(sluice_block *block, sluice_pool *pool)
{
    const sluice_allocator *allocator = &block->allocator;
    sluice_buffer *plain[PLAIN_BUFFERS];

    list_plain_buffers(block, plain);
    for (size_t i = 0; i < PLAIN_BUFFERS; i++)
        sluice_buffer_init(plain[i], pool, allocator);
    for (uint32_t extent = 0; extent < block->plan->extent_count; extent++) {
        sluice_buffer_init(&block->extents[extent].elements, pool, allocator);
        sluice_buffer_init(&block->extents[extent].ends, pool, allocator);
    }
    for (size_t i = 0; i < (size_t)block->plan->dictionary_count * SLUICE_BLOCK_REMAPS; i++)
        sluice_dictionary_remap_init(&block->remaps[i], pool, allocator);
}

static void free_buffers(sluice_block *block)
{
    sluice_buffer *plain[PLAIN_BUFFERS];

    list_plain_buffers(block, plain);
    for (size_t i = 0; i < PLAIN_BUFFERS; i++)
        sluice_buffer_deinit(plain[i]);
    for (uint32_t extent = 0; extent < block->plan->extent_count; extent++) {
        sluice_buffer_deinit(&block->extents[extent].elements);
        sluice_buffer_deinit(&block->extents[extent].ends);
    }
    for (size_t i = 0; i < (size_t)block->plan->dictionary_count * SLUICE_BLOCK_REMAPS; i++)
        sluice_dictionary_remap_deinit(&block->remaps[i]);
}

static void free_arrays(sluice_block *block)
{
    const size_t dictionaries = block->plan->dictionary_count;

    sluice_free(&block->allocator, block->dictionary_values,
                (dictionaries + 1) * sizeof(*block->dictionary_values));
    sluice_free(&block->allocator, block->remap_of,
                (dictionaries * SLUICE_BLOCK_PIECES_MAX + 1) * sizeof(*block->remap_of));
    sluice_free(&block->allocator, block->remap_last,
                (dictionaries + 1) * sizeof(*block->remap_last));
    sluice_free(&block->allocator, block->remaps,
                (dictionaries * SLUICE_BLOCK_REMAPS + 1) * sizeof(*block->remaps));
    sluice_free(&block->allocator, block->extents,
                block->plan->extent_count * sizeof(*block->extents));
}

sluice_status sluice_block_new(const sluice_block_options *options, sluice_block **out,
                               sluice_error *error)
{
    sluice_block *block = sluice_allocate_zeroed(options->allocator, 1, sizeof(*block));

    *out = NULL;
    if (block == NULL)
        return sluice_fail_allocation(error, sizeof(*block), "a block of rows");
    block->plan = options->plan;
    block->kernels = options->kernels;
    block->dictionaries = options->dictionaries;
    block->allocator = sluice_allocator_or_default(options->allocator);
    block->partition_count = options->partition_count;
    block->streams = options->streams;
    block->rows_target = choose_rows_target(options->partition_count);
    block->needs_elements = block->plan->extent_count > 1;
    const sluice_status status = allocate_arrays(block, error);
    if (status != SLUICE_OK) {
        free_arrays(block);
        sluice_free(options->allocator, block, sizeof(*block));
        return status;
    }
    init_buffers(block, options->pool);
    *out = block;
    return SLUICE_OK;
}

void sluice_block_free(sluice_block *block)
{
    if (block == NULL)
        return;
    sluice_block_clear(block);
    for (uint32_t piece = 0; piece < SLUICE_BLOCK_PIECES_MAX; piece++) {
        sluice_column_free(block->pieces[piece].root, &block->allocator);
        sluice_free(&block->allocator, block->pieces[piece].nodes,
                    (block->plan->node_count + 1) * sizeof(*block->pieces[piece].nodes));
    }
    free_buffers(block);
    free_arrays(block);
    const sluice_allocator allocator = block->allocator;
    sluice_free(&allocator, block, sizeof(*block));
}

/* The next piece, with views, and room for the ids of its rows. */
static sluice_status open_piece(sluice_block *block, int64_t row_count, sluice_piece **out,
                                sluice_error *error)
{
    SLUICE_ASSERT(block->piece_count < SLUICE_BLOCK_PIECES_MAX);
    SLUICE_ASSERT(row_count <= SLUICE_BLOCK_ROWS_MAX - (int64_t)block->row_count);
    sluice_piece *piece = &block->pieces[block->piece_count];
    const size_t kept = block->row_count * sizeof(uint32_t);

    SLUICE_TRY(make_views(block, piece, error));
    SLUICE_TRY(sluice_buffer_grow(&block->ids, kept + (size_t)row_count * sizeof(uint32_t), kept,
                                  "partition ids", error));
    piece->first_row = block->row_count;
    piece->row_count = (uint32_t)row_count;
    *out = piece;
    return SLUICE_OK;
}

static void close_piece(sluice_block *block, sluice_piece *piece, sluice_batch *batch)
{
    piece->batch = sluice_batch_ref(batch);
    block->piece_count++;
    block->row_count += piece->row_count;
}

sluice_status sluice_block_add(sluice_block *block, sluice_batch *batch, int64_t first,
                               int64_t row_count, sluice_piece **piece, sluice_error *error)
{
    SLUICE_TRY(open_piece(block, row_count, piece, error));
    sluice_column_set((*piece)->root, sluice_batch_array(batch));
    sluice_column_slice((*piece)->root, first, row_count);
    close_piece(block, *piece, batch);
    return SLUICE_OK;
}

/* Copy what a view shows into another tree of the same shape. */
static void copy_view(sluice_column *target, const sluice_column *source)
{
    sluice_column *const children = target->children;
    sluice_column *const dictionary = target->dictionary;
    const sluice_field *const field = target->field;

    *target = *source;
    target->children = children;
    target->dictionary = dictionary;
    target->field = field;
    for (size_t child = 0; child < field->child_count; child++)
        copy_view(&children[child], &source->children[child]);
    if (dictionary != NULL)
        copy_view(dictionary, source->dictionary);
}

sluice_status sluice_block_add_values(sluice_block *block, sluice_batch *batch,
                                      const sluice_column *values, sluice_piece **piece,
                                      sluice_error *error)
{
    SLUICE_TRY(open_piece(block, values->row_count, piece, error));
    (*piece)->root->row_count = values->row_count;
    copy_view(&(*piece)->root->children[0], values);
    close_piece(block, *piece, batch);
    return SLUICE_OK;
}

bool sluice_block_is_full(const sluice_block *block)
{
    return block->row_count >= block->rows_target ||
           block->piece_count == SLUICE_BLOCK_PIECES_MAX;
}

uint32_t *sluice_block_ids(sluice_block *block, const sluice_piece *piece)
{
    return (uint32_t *)block->ids.bytes + piece->first_row;
}

bool sluice_block_is_single(const sluice_block *block)
{
    const uint32_t *ids = block->ids.bytes;
    uint32_t row = 1;

    while (row < block->row_count && ids[row] == ids[0])
        row++;
    return row == block->row_count;
}

/* The elements of extent 0: every row of every piece at its rank. */
static sluice_status list_rows(sluice_block *block, sluice_error *error)
{
    sluice_block_extent *rows = &block->extents[0];

    SLUICE_TRY(sluice_buffer_reserve(&rows->elements, block->row_count, sizeof(sluice_element),
                                     "row numbers", error));
    const uint32_t *ranks = block->ranks.bytes;
    sluice_element *elements = rows->elements.bytes;

    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];

        for (uint32_t row = 0; row < piece->row_count; row++)
            elements[ranks[piece->first_row + row]] = sluice_element_make(index, row);
    }
    return SLUICE_OK;
}

sluice_status sluice_block_arrange(sluice_block *block, sluice_error *error)
{
    const size_t start_count = (size_t)block->partition_count + 1;

    SLUICE_TRY(sluice_buffer_reserve(&block->ranks, block->row_count, sizeof(uint32_t),
                                     "row ranks", error));
    SLUICE_TRY(sluice_buffer_reserve(&block->starts, start_count, sizeof(uint32_t),
                                     "partition starts", error));
    SLUICE_TRY(sluice_buffer_reserve(&block->cursors, start_count, sizeof(uint32_t),
                                     "partition cursors", error));
    uint32_t *starts = block->starts.bytes;
    uint32_t *cursors = block->cursors.bytes;
    uint32_t rows_before = 0;

    memset(cursors, 0, start_count * sizeof(*cursors));
    block->kernels->count(block->ids.bytes, block->row_count, cursors);
    for (uint32_t partition = 0; partition < block->partition_count; partition++) {
        const uint32_t rows = cursors[partition];

        starts[partition] = rows_before;
        cursors[partition] = rows_before;
        rows_before += rows;
    }
    starts[block->partition_count] = rows_before;
    SLUICE_ASSERT(rows_before == block->row_count);
    block->kernels->rank(block->ids.bytes, block->row_count, cursors, block->ranks.bytes);
    block->extents[0].count = block->row_count;
    return block->needs_elements ? list_rows(block, error) : SLUICE_OK;
}

void sluice_block_ranges(const sluice_block *block, int64_t first, int64_t row_count,
                         sluice_range *ranges)
{
    const sluice_place_plan *plan = block->plan;

    ranges[0] = (sluice_range){.first = first, .count = row_count};
    for (uint32_t extent = 1; extent < plan->extent_count; extent++) {
        const sluice_place_extent *layout = &plan->extents[extent];
        const int64_t *ends = block->extents[extent].ends.bytes;
        const int64_t start = ranges[layout->parent].first;
        const int64_t end = start + ranges[layout->parent].count;
        const bool is_runs =
            plan->nodes[layout->node].field->layout == SLUICE_LAYOUT_RUN_END;

        /* The run that the first row is in counts although it may have begun before. */
        const int64_t from = is_runs && end > start ? ends[start + 1] - 1 : ends[start];

        ranges[extent] = (sluice_range){.first = from, .count = ends[end] - from};
    }
}

sluice_status sluice_block_add_run(sluice_block *block, sluice_open_batch *batch,
                                   uint32_t partition, sluice_run **run, sluice_error *error)
{
    const size_t runs = block->run_count;
    const size_t extents = block->plan->extent_count;

    SLUICE_TRY(sluice_buffer_grow(&block->runs, (runs + 1) * sizeof(sluice_run),
                                  runs * sizeof(sluice_run), "runs of rows", error));
    SLUICE_TRY(sluice_buffer_grow(&block->ranges, (runs + 1) * extents * sizeof(sluice_range),
                                  runs * extents * sizeof(sluice_range), "runs of rows", error));
    sluice_run *added = (sluice_run *)block->runs.bytes + runs;

    added->batch = batch;
    added->partition = partition;
    added->ranges = (sluice_range *)block->ranges.bytes + runs * extents;
    block->run_count++;
    *run = added;
    return SLUICE_OK;
}

sluice_run sluice_block_get_run(const sluice_block *block, uint32_t run_index)
{
    const sluice_run *runs = block->runs.bytes;

    return (sluice_run){
        .batch = runs[run_index].batch,
        .partition = runs[run_index].partition,
        .ranges = (sluice_range *)block->ranges.bytes +
                  (size_t)run_index * block->plan->extent_count,
    };
}

void sluice_block_clear(sluice_block *block)
{
    for (uint32_t piece = 0; piece < block->piece_count; piece++) {
        sluice_batch_unref(block->pieces[piece].batch);
        block->pieces[piece].batch = NULL;
    }
    block->piece_count = 0;
    block->row_count = 0;
    block->run_count = 0;
}
