/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/copy_fixed.c - values of a fixed number of bytes, and dictionary indices
 */
#include <string.h>

#include "base/compiler.h"
#include "place/copy.h"

static void scatter_any(const uint8_t *source, const uint32_t *ranks, size_t row_count,
                        size_t width, uint8_t *target)
{
    for (size_t row = 0; row < row_count; row++)
        memcpy(target + ranks[row] * width, source + row * width, width);
}

static void scatter(const sluice_kernels *kernels, const void *source, const uint32_t *ranks,
                    size_t row_count, size_t width, void *target)
{
    switch (width) {
    case 1:
        kernels->scatter1(source, ranks, row_count, target);
        break;
    case 2:
        kernels->scatter2(source, ranks, row_count, target);
        break;
    case 4:
        kernels->scatter4(source, ranks, row_count, target);
        break;
    case 8:
        kernels->scatter8(source, ranks, row_count, target);
        break;
    case 16:
        kernels->scatter16(source, ranks, row_count, target);
        break;
    case 32:
        kernels->scatter32(source, ranks, row_count, target);
        break;
    default:
        scatter_any(source, ranks, row_count, width, target);
    }
}

/* Every run out of the stage, which holds values in destination order. */
static void flush_runs(const sluice_block *block, uint32_t node_index, size_t width)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const uint8_t *stage = block->stage.bytes;

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);
        const sluice_range rows = run.ranges[node->rows_extent];
        uint8_t *target = sluice_copy_target(&run, node->values);

        if (rows.count == 0)
            continue;
        target += (size_t)rows.target * width;
        if (block->streams)
            block->kernels->copy_stream(target, stage + (size_t)rows.first * width,
                                        (size_t)rows.count * width);
        else
            memcpy(target, stage + (size_t)rows.first * width, (size_t)rows.count * width);
    }
}

static sluice_status copy_by_rank(sluice_block *block, uint32_t node_index, size_t width,
                                  sluice_error *error)
{
    const uint32_t *ranks = block->ranks.bytes;

    SLUICE_TRY(sluice_buffer_reserve(&block->stage, block->row_count, width,
                                     "values of a column", error));
    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];
        const sluice_column *column = piece->nodes[node_index];

        if (piece->row_count > 0)
            scatter(block->kernels,
                    (const uint8_t *)column->values + (size_t)column->offset * width,
                    ranks + piece->first_row, piece->row_count, width, block->stage.bytes);
    }
    flush_runs(block, node_index, width);
    return SLUICE_OK;
}

static void gather_run(const sluice_block *block, uint32_t node_index, size_t width,
                       const sluice_run *run)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_element *elements = sluice_copy_elements(block, node_index);
    uint8_t *target = sluice_copy_target(run, node->values);

    for (int64_t row = 0; row < rows.count; row++) {
        const sluice_element element = elements[rows.first + row];
        const sluice_column *column =
            block->pieces[sluice_element_piece(element)].nodes[node_index];
        const size_t place = (size_t)(column->offset + sluice_element_row(element));

        memcpy(target + (size_t)(rows.target + row) * width,
               (const uint8_t *)column->values + place * width, width);
    }
}

sluice_status sluice_copy_fixed(sluice_block *block, uint32_t node_index, size_t width,
                                sluice_error *error)
{
    if (width == 0)
        return SLUICE_OK;
    if (sluice_copy_has_ranks(block, node_index))
        return copy_by_rank(block, node_index, width, error);
    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);

        gather_run(block, node_index, width, &run);
    }
    return SLUICE_OK;
}

/* The new index of a row; 0 for a null, which needs any index that exists. */
static int64_t remapped_index(const sluice_block *block, uint32_t node_index, uint32_t piece,
                              int64_t row)
{
    const uint32_t dictionary = block->plan->nodes[node_index].dictionary;
    const sluice_column *column = block->pieces[piece].nodes[node_index];
    const uint32_t remap = block->remap_of[(size_t)dictionary * SLUICE_BLOCK_PIECES_MAX + piece];
    const int64_t *indices =
        block->remaps[(size_t)dictionary * SLUICE_BLOCK_REMAPS + remap].indices.bytes;

    if (sluice_column_is_null(column, row))
        return 0;
    return indices[sluice_column_dictionary_index(column, row)];
}

static void store_index(uint8_t *target, int64_t place, size_t width, int64_t index)
{
    if (width == 4) {
        const int32_t narrow = (int32_t)index;

        memcpy(target + (size_t)place * 4, &narrow, 4);
    } else {
        memcpy(target + (size_t)place * 8, &index, 8);
    }
}

/* The new indices of the rows of a piece, in row order. */
static void remap_piece(const sluice_block *block, uint32_t node_index, uint32_t piece,
                        size_t width, uint8_t *remapped)
{
    const uint32_t dictionary = block->plan->nodes[node_index].dictionary;
    const sluice_column *column = block->pieces[piece].nodes[node_index];
    const uint32_t remap = block->remap_of[(size_t)dictionary * SLUICE_BLOCK_PIECES_MAX + piece];
    const int64_t *indices =
        block->remaps[(size_t)dictionary * SLUICE_BLOCK_REMAPS + remap].indices.bytes;

    /* What readers of files give; other indices take the general way. */
    if (column->validity == NULL && column->field->type == SLUICE_TYPE_INT32 && width == 4) {
        const int32_t *old = (const int32_t *)column->values + column->offset;
        int32_t *target = (int32_t *)remapped;

        for (int64_t row = 0; row < column->row_count; row++)
            target[row] = (int32_t)indices[old[row]];
        return;
    }
    for (int64_t row = 0; row < column->row_count; row++)
        store_index(remapped, row, width, remapped_index(block, node_index, piece, row));
}

/* Indices of all rows of the table in the stage, in destination order. */
static void stage_indices(sluice_block *block, uint32_t node_index, size_t width)
{
    const uint32_t *ranks = block->ranks.bytes;

    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];

        remap_piece(block, node_index, index, width, block->values.bytes);
        scatter(block->kernels, block->values.bytes, ranks + piece->first_row, piece->row_count,
                width, block->stage.bytes);
    }
}

static void gather_indices(const sluice_block *block, uint32_t node_index, size_t width,
                           const sluice_run *run)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];
    const sluice_range rows = run->ranges[node->rows_extent];
    const sluice_element *elements = sluice_copy_elements(block, node_index);

    for (int64_t row = 0; row < rows.count; row++) {
        const sluice_element element = elements[rows.first + row];

        store_index(sluice_copy_target(run, node->values), rows.target + row, width,
                    remapped_index(block, node_index, sluice_element_piece(element),
                                   sluice_element_row(element)));
    }
}

sluice_status sluice_copy_indices(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const size_t width = (size_t)block->plan->nodes[node_index].field->byte_width;

    SLUICE_ASSERT(width == 4 || width == 8);
    if (sluice_copy_has_ranks(block, node_index)) {
        SLUICE_TRY(sluice_buffer_reserve(&block->stage, block->row_count, width,
                                         "indices of a column", error));
        SLUICE_TRY(sluice_buffer_reserve(&block->values, block->row_count, width,
                                         "indices of a column", error));
        stage_indices(block, node_index, width);
        flush_runs(block, node_index, width);
        return SLUICE_OK;
    }
    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);

        gather_indices(block, node_index, width, &run);
    }
    return SLUICE_OK;
}
