/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/measure.c - how many bytes, elements and runs the rows of a block have
 *
 * For each extent but the rows: the units before every row of its parent, in destination order, so
 * that the part of any run of rows is two look-ups.  Where the units are rows of a child column,
 * their places in the pieces are listed too, and the child is measured next.
 */
#include <string.h>

#include "place/block.h"

/* Units that a row of a column has, of the extent that the column measures. */
typedef int64_t unit_counter(const sluice_column *column, int64_t row);

static int64_t count_bytes(const sluice_column *column, int64_t row)
{
    return sluice_column_is_null(column, row) ? 0 : sluice_column_bytes(column, row).byte_count;
}

/* A view of up to 12 bytes holds them itself. */
static int64_t count_view_bytes(const sluice_column *column, int64_t row)
{
    const int64_t bytes = count_bytes(column, row);

    return bytes > 12 ? bytes : 0;
}

static int64_t count_elements(const sluice_column *column, int64_t row)
{
    return sluice_column_is_null(column, row) ? 0 : sluice_column_list(column, row).count;
}

/* A null row of a fixed-size list has elements like any other. */
static int64_t count_fixed_elements(const sluice_column *column, int64_t row)
{
    (void)row;
    return column->field->list_size;
}

static unit_counter *choose_counter(sluice_layout layout)
{
    switch (layout) {
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
        return count_bytes;
    case SLUICE_LAYOUT_BYTES_VIEW:
        return count_view_bytes;
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        return count_fixed_elements;
    default:
        return count_elements;
    }
}

/* Turn the count behind each place into the sum before it; returns the total. */
static int64_t sum_up(int64_t *ends, int64_t row_count)
{
    int64_t total = 0;

    ends[0] = 0;
    for (int64_t row = 1; row <= row_count; row++) {
        total += ends[row];
        ends[row] = total;
    }
    return total;
}

static sluice_status reserve_ends(sluice_block_extent *extent, int64_t row_count,
                                  sluice_error *error)
{
    return sluice_buffer_reserve(&extent->ends, (size_t)row_count + 1, sizeof(int64_t),
                                 "lengths of a column", error);
}

/* Lengths of the strings of a piece, by rank: the most common case without a call per row. */
static void count_ranked_bytes(const sluice_column *column, const uint32_t *ranks, int64_t *counts)
{
    const int32_t *offsets = (const int32_t *)column->values + column->offset;

    for (int64_t row = 0; row < column->row_count; row++)
        counts[ranks[row]] = offsets[row + 1] - offsets[row];
}

/* True when every piece of a column of the table has 32-bit offsets and no nulls. */
static bool has_plain_bytes(const sluice_block *block, uint32_t node_index)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];

    if (node->rows_extent != 0 || node->field->layout != SLUICE_LAYOUT_BYTES32)
        return false;
    for (uint32_t piece = 0; piece < block->piece_count; piece++) {
        const sluice_column *column = block->pieces[piece].nodes[node_index];

        if (column->validity != NULL || (column->values == NULL && column->row_count > 0))
            return false;
    }
    return true;
}

static void measure_plain_bytes(sluice_block *block, uint32_t node_index, int64_t *ends)
{
    const uint32_t *ranks = block->ranks.bytes;

    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];

        count_ranked_bytes(piece->nodes[node_index], ranks + piece->first_row, ends + 1);
    }
}

static void measure_rows(const sluice_block *block, uint32_t node_index, int64_t *ends)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_block_extent *rows = &block->extents[node->rows_extent];
    const sluice_element *elements = rows->elements.bytes;
    unit_counter *count_units = choose_counter(node->field->layout);

    for (int64_t row = 0; row < rows->count; row++) {
        const sluice_column *column =
            block->pieces[sluice_element_piece(elements[row])].nodes[node_index];

        ends[row + 1] = count_units(column, sluice_element_row(elements[row]));
    }
}

/* ends of an extent that one count per row makes. */
static sluice_status measure_counts(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_block_extent *rows = &block->extents[node->rows_extent];
    sluice_block_extent *extent = &block->extents[node->value_extent];

    SLUICE_TRY(reserve_ends(extent, rows->count, error));
    int64_t *ends = extent->ends.bytes;

    if (has_plain_bytes(block, node_index))
        measure_plain_bytes(block, node_index, ends);
    else
        measure_rows(block, node_index, ends);
    extent->count = sum_up(ends, rows->count);
    return SLUICE_OK;
}

/* The places of the elements of lists, in destination order. */
static sluice_status list_elements(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_block_extent *rows = &block->extents[node->rows_extent];
    sluice_block_extent *extent = &block->extents[node->value_extent];
    const bool is_fixed = node->field->layout == SLUICE_LAYOUT_FIXED_SIZE_LIST;

    SLUICE_TRY(sluice_buffer_reserve(&extent->elements, (size_t)extent->count,
                                     sizeof(sluice_element), "elements of lists", error));
    const sluice_element *parents = rows->elements.bytes;
    const int64_t *ends = extent->ends.bytes;
    sluice_element *elements = extent->elements.bytes;

    for (int64_t row = 0; row < rows->count; row++) {
        const int64_t count = ends[row + 1] - ends[row];
        const uint32_t piece = sluice_element_piece(parents[row]);
        const int64_t parent_row = sluice_element_row(parents[row]);

        if (count == 0)
            continue;
        const int64_t first =
            is_fixed ? parent_row * count
                     : sluice_column_list(block->pieces[piece].nodes[node_index], parent_row).first;
        for (int64_t element = 0; element < count; element++)
            elements[ends[row] + element] = sluice_element_make(piece, first + element);
    }
    return SLUICE_OK;
}

/* A run starts where the row before is in another one, or in another piece. */
static sluice_status measure_runs(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_block_extent *rows = &block->extents[node->rows_extent];
    sluice_block_extent *extent = &block->extents[node->value_extent];

    SLUICE_TRY(reserve_ends(extent, rows->count, error));
    SLUICE_TRY(sluice_buffer_reserve(&extent->elements, (size_t)rows->count,
                                     sizeof(sluice_element), "runs of a column", error));
    const sluice_element *parents = rows->elements.bytes;
    int64_t *ends = extent->ends.bytes;
    sluice_element *elements = extent->elements.bytes;
    int64_t run_count = 0;

    ends[0] = 0;
    for (int64_t row = 0; row < rows->count; row++) {
        const uint32_t piece = sluice_element_piece(parents[row]);
        const sluice_column *column = block->pieces[piece].nodes[node_index];
        const sluice_element run = sluice_element_make(
            piece, sluice_column_run(column, sluice_element_row(parents[row])));

        if (run_count == 0 || elements[run_count - 1] != run)
            elements[run_count++] = run;
        ends[row + 1] = run_count;
    }
    extent->count = run_count;
    return SLUICE_OK;
}

/* One extent for each child of a dense union: the rows that choose it. */
static sluice_status measure_union_child(sluice_block *block, uint32_t node_index, uint32_t child,
                                         sluice_error *error)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_block_extent *rows = &block->extents[node->rows_extent];
    sluice_block_extent *extent = &block->extents[node->value_extent + child];

    SLUICE_TRY(reserve_ends(extent, rows->count, error));
    SLUICE_TRY(sluice_buffer_reserve(&extent->elements, (size_t)rows->count,
                                     sizeof(sluice_element), "values of a union", error));
    const sluice_element *parents = rows->elements.bytes;
    int64_t *ends = extent->ends.bytes;
    sluice_element *elements = extent->elements.bytes;
    int64_t value_count = 0;

    ends[0] = 0;
    for (int64_t row = 0; row < rows->count; row++) {
        const uint32_t piece = sluice_element_piece(parents[row]);
        const sluice_union_value value = sluice_column_union(
            block->pieces[piece].nodes[node_index], sluice_element_row(parents[row]));

        if (value.child == child)
            elements[value_count++] = sluice_element_make(piece, value.row);
        ends[row + 1] = value_count;
    }
    extent->count = value_count;
    return SLUICE_OK;
}

static sluice_status measure_union(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    for (uint32_t child = 0; child < block->plan->nodes[node_index].child_count; child++)
        SLUICE_TRY(measure_union_child(block, node_index, child, error));
    return SLUICE_OK;
}

static sluice_status measure_node(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    switch (block->plan->nodes[node_index].field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_BITS:
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_STRUCT:
    case SLUICE_LAYOUT_SPARSE_UNION:
        return SLUICE_OK;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW:
        return measure_counts(block, node_index, error);
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        SLUICE_TRY(measure_counts(block, node_index, error));
        return list_elements(block, node_index, error);
    case SLUICE_LAYOUT_DENSE_UNION:
        return measure_union(block, node_index, error);
    case SLUICE_LAYOUT_RUN_END:
        return measure_runs(block, node_index, error);
    }
    return SLUICE_OK;
}

/* The remap of each piece of a dictionary column, made anew unless the dictionary is the last. */
static sluice_status unify_dictionary(sluice_block *block, uint32_t dictionary,
                                      sluice_error *error)
{
    const uint32_t node_index = block->plan->dictionary_nodes[dictionary];
    sluice_dictionary_remap *remaps = &block->remaps[(size_t)dictionary * SLUICE_BLOCK_REMAPS];
    uint32_t *last = &block->remap_last[dictionary];
    uint64_t value_count = 0;

    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];
        const sluice_column *values = piece->nodes[node_index]->dictionary;

        if (!sluice_dictionary_remap_is_of(&remaps[*last], values)) {
            *last = (*last + 1) % SLUICE_BLOCK_REMAPS;
            SLUICE_TRY(sluice_dictionary_unify(block->dictionaries, dictionary, piece->batch,
                                               values, &remaps[*last], error));
        }
        block->remap_of[(size_t)dictionary * SLUICE_BLOCK_PIECES_MAX + index] = *last;
        if (remaps[*last].value_count > value_count)
            value_count = remaps[*last].value_count;
    }
    block->dictionary_values[dictionary] = value_count;
    return SLUICE_OK;
}

sluice_status sluice_block_measure(sluice_block *block, sluice_error *error)
{
    for (uint32_t node = 0; node < block->plan->node_count; node++)
        SLUICE_TRY(measure_node(block, node, error));
    for (uint32_t dictionary = 0; dictionary < block->plan->dictionary_count; dictionary++)
        SLUICE_TRY(unify_dictionary(block, dictionary, error));
    return SLUICE_OK;
}
