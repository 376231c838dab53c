/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/copy_bits.c - validity bitmaps and booleans
 *
 * Bits become bytes, bytes go to their ranks, and each run is packed into bits again.  The bytes
 * of a bitmap at the two ends of a run may be shared with a run of another input: they start as
 * ones, and zeros are put in atomically.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/bits.h"
#include "place/copy.h"

/* Clear the bits of one shared byte that mask selects and bits has as zeros. */
static void clear_shared(uint8_t *byte, uint8_t bits, uint8_t mask)
{
    _Atomic uint8_t *shared = (_Atomic uint8_t *)byte;
    const uint8_t kept = (uint8_t)(bits | (uint8_t)~mask);

    if (kept != 0xff)
        atomic_fetch_and_explicit(shared, kept, memory_order_relaxed);
}

static uint8_t pack_byte(const uint8_t *flags, int64_t count)
{
    uint8_t bits = 0;

    for (int64_t bit = 0; bit < count; bit++)
        bits = (uint8_t)(bits | (flags[bit] << bit));
    return bits;
}

/* Eight flags of 0 or 1 at once: the multiplication moves the lowest bit of each byte to the top
 * byte. */
static uint8_t pack_eight(const uint8_t *flags)
{
    uint64_t word;

    memcpy(&word, flags, sizeof(word));
    return (uint8_t)((word * UINT64_C(0x0102040810204080)) >> 56);
}

/* Write count flags to the bits from first on. */
static void pack_run(uint8_t *bitmap, int64_t first, const uint8_t *flags, int64_t count)
{
    uint8_t *byte = bitmap + first / 8;
    const int64_t skipped = first % 8;

    if (skipped != 0) {
        const int64_t head = count < 8 - skipped ? count : 8 - skipped;
        const uint8_t mask = (uint8_t)(((1u << head) - 1) << skipped);

        clear_shared(byte, (uint8_t)(pack_byte(flags, head) << skipped), mask);
        flags += head;
        count -= head;
        byte++;
    }
    for (; count >= 8; count -= 8, flags += 8)
        *byte++ = pack_eight(flags);
    if (count > 0)
        clear_shared(byte, pack_byte(flags, count), (uint8_t)((1u << count) - 1));
}

static int64_t count_zeros(const uint8_t *flags, int64_t count)
{
    int64_t ones = 0;

    for (int64_t row = 0; row < count; row++)
        ones += flags[row];
    return count - ones;
}

static bool any_nulls(const sluice_block *block, uint32_t node_index)
{
    for (uint32_t piece = 0; piece < block->piece_count; piece++) {
        if (block->pieces[piece].nodes[node_index]->validity != NULL)
            return true;
    }
    return false;
}

/* The bitmap a flag comes from: validity or the values of a boolean column; NULL: all ones. */
static const uint8_t *bitmap_of(const sluice_column *column, bool is_validity)
{
    return is_validity ? column->validity : column->values;
}

static void stage_by_rank(sluice_block *block, uint32_t node_index, bool is_validity,
                          uint8_t *flags)
{
    const uint32_t *ranks = block->ranks.bytes;

    for (uint32_t index = 0; index < block->piece_count; index++) {
        const sluice_piece *piece = &block->pieces[index];
        const sluice_column *column = piece->nodes[node_index];
        const uint8_t *bitmap = bitmap_of(column, is_validity);
        const uint32_t *piece_ranks = ranks + piece->first_row;

        if (bitmap != NULL) {
            block->kernels->scatter_bits(bitmap, column->offset, piece_ranks, piece->row_count,
                                         flags);
            continue;
        }
        for (uint32_t row = 0; row < piece->row_count; row++)
            flags[piece_ranks[row]] = 1;
    }
}

static void stage_by_element(sluice_block *block, uint32_t node_index, bool is_validity,
                             uint8_t *flags)
{
    const sluice_element *elements = sluice_copy_elements(block, node_index);
    const int64_t count = block->extents[block->plan->nodes[node_index].rows_extent].count;

    for (int64_t row = 0; row < count; row++) {
        const sluice_column *column =
            block->pieces[sluice_element_piece(elements[row])].nodes[node_index];
        const uint8_t *bitmap = bitmap_of(column, is_validity);

        flags[row] = bitmap == NULL ||
                     sluice_bit_get(bitmap, column->offset + sluice_element_row(elements[row]));
    }
}

/* The flags of all rows of a node in destination order, as bytes. */
static sluice_status stage_flags(sluice_block *block, uint32_t node_index, bool is_validity,
                                 sluice_error *error)
{
    const int64_t count = block->extents[block->plan->nodes[node_index].rows_extent].count;

    SLUICE_TRY(sluice_buffer_reserve(&block->stage, (size_t)count, 1, "bits of a column", error));
    if (sluice_copy_has_ranks(block, node_index))
        stage_by_rank(block, node_index, is_validity, block->stage.bytes);
    else
        stage_by_element(block, node_index, is_validity, block->stage.bytes);
    return SLUICE_OK;
}

sluice_status sluice_copy_validity(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];

    if (node->validity == SLUICE_PLACE_NONE || !any_nulls(block, node_index))
        return SLUICE_OK;
    SLUICE_TRY(stage_flags(block, node_index, true, error));
    const uint8_t *flags = block->stage.bytes;

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);
        const sluice_range rows = run.ranges[node->rows_extent];
        const int64_t nulls = count_zeros(flags + rows.first, rows.count);

        if (nulls == 0)
            continue;
        pack_run(sluice_copy_target(&run, node->validity), rows.target, flags + rows.first,
                 rows.count);
        atomic_fetch_add_explicit(&run.batch->null_counts[node_index], nulls,
                                  memory_order_relaxed);
    }
    return SLUICE_OK;
}

sluice_status sluice_copy_bit_values(sluice_block *block, uint32_t node_index, sluice_error *error)
{
    const sluice_place_node *node = &block->plan->nodes[node_index];

    SLUICE_TRY(stage_flags(block, node_index, false, error));
    const uint8_t *flags = block->stage.bytes;

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);
        const sluice_range rows = run.ranges[node->rows_extent];

        if (rows.count > 0)
            pack_run(sluice_copy_target(&run, node->values), rows.target, flags + rows.first,
                     rows.count);
    }
    return SLUICE_OK;
}
