/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/copy_varying.c - columns whose rows have bytes, elements or runs in varying number
 *
 * Lengths were summed in destination order by place/measure.c, so the offsets of a run are those
 * sums, moved to where the run lies in its batch.
 */
#include <assert.h>
#include <string.h>

#include "base/compiler.h"
#include "place/copy.h"

/* Longer strings, on average, are worth a call of memcpy() each, and no stage. */
enum { STAGED_BYTES_MEAN_MAX = 128 };

static void store_offset(void *target, int64_t place, bool is_wide, int64_t offset)
{
    if (is_wide)
        ((int64_t *)target)[place] = offset;
    else
        ((int32_t *)target)[place] = (int32_t)offset;
}

static bool has_wide_offsets(const sluice_field *field)
{
    return field->layout == SLUICE_LAYOUT_BYTES64 || field->layout == SLUICE_LAYOUT_LIST64 ||
           field->layout == SLUICE_LAYOUT_LIST_VIEW64;
}

/* Offsets of 32 bits without a decision per row. */
static void write_narrow_offsets(const int64_t *restrict ends, int64_t row_count, int64_t moved,
                                 int32_t *restrict offsets)
{
    for (int64_t row = 0; row < row_count; row++)
        offsets[row] = (int32_t)(ends[row] + moved);
}

/* The end of each row of a run, behind the ends of the runs before it. */
static void write_offsets(const sluice_block *block, const sluice_place_node *node,
                          const sluice_run *run)
{
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_range values = run->ranges[node->value_extent];
    const int64_t *ends = block->extents[node->value_extent].ends.bytes;
    const int64_t moved = values.target - values.first;
    const bool is_wide = has_wide_offsets(node->field);
    void *offsets = sluice_copy_target(run, node->values);

    if (!is_wide) {
        write_narrow_offsets(ends + rows.first + 1, rows.count, moved,
                             (int32_t *)offsets + rows.target + 1);
        return;
    }
    for (int64_t row = 0; row < rows.count; row++)
        store_offset(offsets, rows.target + row + 1, is_wide, ends[rows.first + row + 1] + moved);
}

static const sluice_column *column_of(const sluice_block *block, uint32_t node_index,
                                      sluice_element element)
{
    return block->pieces[sluice_element_piece(element)].nodes[node_index];
}

static void gather_bytes(const sluice_block *block, uint32_t node_index, const sluice_run *run)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_element *elements = sluice_copy_elements(block, node_index);
    const int64_t *ends = block->extents[node->value_extent].ends.bytes;
    const sluice_range values = run->ranges[node->value_extent];
    uint8_t *target = sluice_copy_target(run, node->data);

    if (values.count == 0)
        return;
    target += values.target - values.first;
    for (int64_t row = rows.first; row < rows.first + rows.count; row++) {
        const int64_t byte_count = ends[row + 1] - ends[row];

        if (byte_count == 0)
            continue;
        const sluice_bytes_view source = sluice_column_bytes(
            column_of(block, node_index, elements[row]), sluice_element_row(elements[row]));
        memcpy(target + ends[row], source.bytes, (size_t)byte_count);
    }
}

/* Short strings of a column of the table are staged like values of a fixed width. */
static bool should_stage_bytes(const sluice_block *block, uint32_t node_index)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const int64_t bytes = block->extents[node->value_extent].count;

    return sluice_copy_has_ranks(block, node_index) &&
           node->field->layout == SLUICE_LAYOUT_BYTES32 && bytes > 0 &&
           bytes <= (int64_t)block->row_count * STAGED_BYTES_MEAN_MAX;
}

static sluice_status stage_bytes(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_block_extent *extent =
        &block->extents[block->plan->nodes[node_index].value_extent];
    const size_t gaps = ((size_t)block->partition_count + 1) * SLUICE_BYTES_SLACK;

    SLUICE_TRY(sluice_buffer_reserve(&block->stage, (size_t)extent->count + gaps, 1,
                                     "strings of a column", error));
    const uint32_t *ranks = block->ranks.bytes;
    const uint32_t *ids = block->ids.bytes;

    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];
        const sluice_column *column = piece->nodes[node_index];
        const sluice_string_rows rows = {
            .bytes = column->data,
            .offsets = (const int32_t *)column->values + column->offset,
            .row_count = piece->row_count,
        };

        if (rows.row_count > 0)
            block->kernels->scatter_bytes(&rows, ranks + piece->first_row, ids + piece->first_row,
                                          extent->ends.bytes, block->stage.bytes);
    }
    return SLUICE_OK;
}

/* The bytes of a run out of the stage, partition by partition: between them are gaps. */
static void flush_bytes(const sluice_block *block, uint32_t node_index, const sluice_run *run)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_range values = run->ranges[node->value_extent];
    const int64_t *ends = block->extents[node->value_extent].ends.bytes;
    const uint8_t *stage = block->stage.bytes;
    const int64_t end_row = rows.first + rows.count;
    int64_t row = rows.first;

    for (uint32_t partition = run->partition; row < end_row; partition++) {
        const int64_t partition_end = sluice_block_start(block, partition + 1);
        const int64_t next = partition_end < end_row ? partition_end : end_row;

        if (next <= row)
            continue;
        const int64_t byte_count = ends[next] - ends[row];
        const size_t place = (size_t)ends[row] + (size_t)partition * SLUICE_BYTES_SLACK;
        uint8_t *target = (uint8_t *)sluice_copy_target(run, node->data) + values.target +
                          (ends[row] - values.first);

        if (byte_count > 0)
            memcpy(target, stage + place, (size_t)byte_count);
        row = next;
    }
}

sluice_status sluice_copy_bytes(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const bool is_staged = should_stage_bytes(block, node_index);

    if (is_staged)
        SLUICE_TRY(stage_bytes(block, node_index, error));
    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);

        if (run.ranges[block->plan->nodes[node_index].rows_extent].count == 0)
            continue;
        write_offsets(block, &block->plan->nodes[node_index], &run);
        if (!is_staged)
            gather_bytes(block, node_index, &run);
        else if (run.ranges[block->plan->nodes[node_index].value_extent].count > 0)
            flush_bytes(block, node_index, &run);
    }
    return SLUICE_OK;
}

/* A view as the format lays it out: up to 12 bytes in place, or a prefix and where the rest is. */
typedef struct string_view {
    int32_t byte_count;
    uint8_t prefix[4];
    int32_t buffer_index;
    int32_t offset;
} string_view;

static_assert(sizeof(string_view) == 16, "views have 16 bytes");

/* Copy one view; the bytes of a long one go to bytes + offset, in the batch's one data buffer. */
static string_view copy_view_value(const sluice_column *column, int64_t row, uint8_t *bytes,
                                   int64_t offset)
{
    string_view view = {0};

    if (sluice_column_is_null(column, row))
        return view;
    memcpy(&view, (const string_view *)column->values + column->offset + row, sizeof(view));
    if (view.byte_count <= 12)
        return view;
    memcpy(bytes + offset, sluice_column_bytes(column, row).bytes, (size_t)view.byte_count);
    view.buffer_index = 0;
    view.offset = (int32_t)offset;
    return view;
}

static void gather_views(const sluice_block *block, uint32_t node_index, const sluice_run *run)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_range values = run->ranges[node->value_extent];
    const sluice_element *elements = sluice_copy_elements(block, node_index);
    const int64_t *ends = block->extents[node->value_extent].ends.bytes;
    string_view *views = sluice_copy_target(run, node->values);
    uint8_t *bytes = sluice_copy_target(run, node->data);
    const int64_t moved = values.target - values.first;

    for (int64_t row = 0; row < rows.count; row++) {
        const sluice_element element = elements[rows.first + row];

        views[rows.target + row] =
            copy_view_value(column_of(block, node_index, element), sluice_element_row(element),
                            bytes, ends[rows.first + row] + moved);
    }
}

void sluice_copy_views(sluice_block *block, uint32_t node_index)
{
    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);

        gather_views(block, node_index, &run);
    }
}

/* List views have the start of each row and its size; rows lie one after the other. */
static void write_starts_and_sizes(const sluice_block *block, const sluice_place_node *node,
                                   const sluice_run *run)
{
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_range values = run->ranges[node->value_extent];
    const int64_t *ends = block->extents[node->value_extent].ends.bytes;
    const int64_t moved = values.target - values.first;
    const bool is_wide = has_wide_offsets(node->field);
    void *starts = sluice_copy_target(run, node->values);
    void *sizes = sluice_copy_target(run, node->data);

    for (int64_t row = 0; row < rows.count; row++) {
        const int64_t start = ends[rows.first + row];

        store_offset(starts, rows.target + row, is_wide, start + moved);
        store_offset(sizes, rows.target + row, is_wide, ends[rows.first + row + 1] - start);
    }
}

void sluice_copy_list(sluice_block *block, uint32_t node_index)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const bool has_sizes = node->data != SLUICE_PLACE_NONE;

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);

        if (run.ranges[node->rows_extent].count == 0)
            continue;
        if (has_sizes)
            write_starts_and_sizes(block, node, &run);
        else
            write_offsets(block, node, &run);
    }
}

void sluice_copy_union_offsets(sluice_block *block, uint32_t node_index)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_element *elements = sluice_copy_elements(block, node_index);

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);
        const sluice_range rows = run.ranges[node->rows_extent];
        int32_t *offsets = sluice_copy_target(&run, node->data);

        for (int64_t row = 0; row < rows.count; row++) {
            const sluice_element element = elements[rows.first + row];
            const sluice_union_value value = sluice_column_union(
                column_of(block, node_index, element), sluice_element_row(element));
            const uint32_t extent = node->value_extent + value.child;
            const int64_t *ends = block->extents[extent].ends.bytes;
            const sluice_range values = run.ranges[extent];

            offsets[rows.target + row] =
                (int32_t)(ends[rows.first + row] - values.first + values.target);
        }
    }
}

static void store_run_end(void *run_ends, int64_t place, int32_t width, int64_t end)
{
    if (width == 2)
        ((int16_t *)run_ends)[place] = (int16_t)end;
    else if (width == 4)
        ((int32_t *)run_ends)[place] = (int32_t)end;
    else
        ((int64_t *)run_ends)[place] = end;
}

/*
 * The end of each run of a run of rows: where the run of the next row is another one, or the rows
 * end.
 */
void sluice_copy_run_ends(sluice_block *block, uint32_t node_index)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_place_node *ends_node =
        &block->plan->nodes[block->plan->children[node->first_child]];
    const int64_t *ends = block->extents[node->value_extent].ends.bytes;

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);
        const sluice_range rows = run.ranges[node->rows_extent];
        const sluice_range values = run.ranges[node->value_extent];
        void *run_ends = sluice_copy_target(&run, ends_node->values);

        for (int64_t row = 0; row < rows.count; row++) {
            const int64_t run_index = ends[rows.first + row + 1] - 1;

            /* Later rows of the same run write the same place again, with a later end. */
            store_run_end(run_ends, values.target + run_index - values.first,
                          ends_node->field->byte_width, rows.target + row + 1);
        }
    }
}
