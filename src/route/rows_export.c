/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/rows_export.c - a small table as an Arrow array
 *
 * Each node of the array owns one block with the structures of its children and its buffers behind
 * them, so that a consumer may move a child out.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "route/rows.h"

enum { ROWS_BUFFERS_MAX = 3, ROWS_BUFFER_ALIGNMENT = 64 };

/* The head of a node's block; the pointers to the children follow the children. */
typedef struct array_node {
    sluice_allocator allocator;
    size_t block_bytes;
    const void *buffers[ROWS_BUFFERS_MAX];
    struct ArrowArray children[];
} array_node;

static void release_array_node(struct ArrowArray *array)
{
    array_node *node = array->private_data;
    const sluice_allocator allocator = node->allocator;

    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    }
    array->release = NULL;
    sluice_free(&allocator, node, node->block_bytes);
}

/* How many bytes each buffer of a layout has, in the order of the C Data interface. */
typedef struct buffer_sizes {
    int64_t count;
    size_t bytes[ROWS_BUFFERS_MAX];
} buffer_sizes;

static buffer_sizes measure_buffers(const sluice_rows *rows)
{
    const size_t row_count = (size_t)rows->row_count;
    const size_t validity = rows->null_count > 0 ? sluice_bitmap_bytes(row_count) : 0;

    switch (rows->field.layout) {
    case SLUICE_LAYOUT_BITS:
        return (buffer_sizes){2, {validity, sluice_bitmap_bytes(row_count)}};
    case SLUICE_LAYOUT_FIXED:
        return (buffer_sizes){2, {validity, rows->values.byte_count}};
    case SLUICE_LAYOUT_BYTES32:
        return (buffer_sizes){3, {validity, (row_count + 1) * 4, rows->data.byte_count}};
    case SLUICE_LAYOUT_BYTES64:
        return (buffer_sizes){3, {validity, (row_count + 1) * 8, rows->data.byte_count}};
    case SLUICE_LAYOUT_LIST32:
        return (buffer_sizes){2, {validity, (row_count + 1) * 4}};
    case SLUICE_LAYOUT_LIST64:
        return (buffer_sizes){2, {validity, (row_count + 1) * 8}};
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
    case SLUICE_LAYOUT_STRUCT:
        return (buffer_sizes){1, {validity}};
    case SLUICE_LAYOUT_DENSE_UNION:
        return (buffer_sizes){2, {row_count, rows->data.byte_count}};
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_BYTES_VIEW:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_RUN_END:
        break;
    }
    return (buffer_sizes){0};
}

/* The target is zeroed. */
static void pack_bits(const sluice_bytes *source, uint8_t *target)
{
    for (size_t row = 0; row < source->byte_count; row++) {
        if (source->bytes[row] != 0)
            sluice_bit_set(target, (int64_t)row);
    }
}

/* Ends of rows become offsets of 4 or 8 bytes, with a zero in front. */
static void write_offsets(const sluice_bytes *ends, size_t width, uint8_t *target)
{
    for (size_t row = 0; row < ends->byte_count / sizeof(int64_t); row++) {
        int64_t end;

        memcpy(&end, ends->bytes + row * sizeof(end), sizeof(end));
        const int32_t narrow = (int32_t)end;

        memcpy(target + (row + 1) * width, width == 4 ? (const void *)&narrow : &end, width);
    }
}

static void copy_buffer(const sluice_bytes *source, uint8_t *target)
{
    if (source->byte_count > 0)
        memcpy(target, source->bytes, source->byte_count);
}

static void write_buffers(const sluice_rows *rows, uint8_t *const targets[ROWS_BUFFERS_MAX])
{
    switch (rows->field.layout) {
    case SLUICE_LAYOUT_BITS:
        pack_bits(&rows->values, targets[1]);
        break;
    case SLUICE_LAYOUT_FIXED:
        copy_buffer(&rows->values, targets[1]);
        break;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_LIST32:
        write_offsets(&rows->values, 4, targets[1]);
        copy_buffer(&rows->data, targets[2]);
        break;
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_LIST64:
        write_offsets(&rows->values, 8, targets[1]);
        copy_buffer(&rows->data, targets[2]);
        break;
    case SLUICE_LAYOUT_DENSE_UNION:
        copy_buffer(&rows->values, targets[0]);
        copy_buffer(&rows->data, targets[1]);
        return;
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
    case SLUICE_LAYOUT_STRUCT:
    case SLUICE_LAYOUT_BYTES_VIEW:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_RUN_END:
        break;
    }
    if (rows->null_count > 0 && targets[0] != NULL)
        pack_bits(&rows->validity, targets[0]);
}

/* Make the node of rows alone; its children stay released. */
static sluice_status make_array_node(const sluice_rows *rows, struct ArrowArray *out,
                                     sluice_error *error)
{
    const size_t child_count = rows->field.child_count;
    const buffer_sizes sizes = measure_buffers(rows);
    const size_t head_bytes =
        sluice_round_up(sizeof(array_node) + child_count * (sizeof(struct ArrowArray) +
                                                            sizeof(struct ArrowArray *)),
                        ROWS_BUFFER_ALIGNMENT);
    size_t block_bytes = head_bytes;
    uint8_t *targets[ROWS_BUFFERS_MAX] = {NULL};

    for (int64_t i = 0; i < sizes.count; i++)
        block_bytes += sluice_round_up(sizes.bytes[i], ROWS_BUFFER_ALIGNMENT);
    array_node *node = sluice_allocate_zeroed(&rows->allocator, 1, block_bytes);

    if (node == NULL)
        return sluice_fail_allocation(error, block_bytes, "keys");
    uint8_t *next = (uint8_t *)node + head_bytes;

    for (int64_t i = 0; i < sizes.count; i++) {
        targets[i] = sizes.bytes[i] > 0 ? next : NULL;
        node->buffers[i] = targets[i];
        next += sluice_round_up(sizes.bytes[i], ROWS_BUFFER_ALIGNMENT);
    }
    write_buffers(rows, targets);
    struct ArrowArray **children = (struct ArrowArray **)&node->children[child_count];

    for (size_t i = 0; i < child_count; i++)
        children[i] = &node->children[i];
    node->allocator = rows->allocator;
    node->block_bytes = block_bytes;
    *out = (struct ArrowArray){
        .length = rows->row_count,
        .null_count = rows->field.layout == SLUICE_LAYOUT_DENSE_UNION ? 0 : rows->null_count,
        .n_buffers = sizes.count,
        .n_children = (int64_t)child_count,
        .buffers = node->buffers,
        .children = child_count == 0 ? NULL : children,
        .private_data = node,
        .release = release_array_node};
    return SLUICE_OK;
}

static sluice_status export_array(const sluice_rows *rows, struct ArrowArray *out,
                                  sluice_error *error)
{
    SLUICE_TRY(make_array_node(rows, out, error));
    for (size_t i = 0; i < rows->field.child_count; i++) {
        const sluice_status status =
            export_array(&rows->children[i], out->children[i], error);

        if (status != SLUICE_OK) {
            out->release(out);
            return status;
        }
    }
    return SLUICE_OK;
}

sluice_status sluice_rows_export(const sluice_rows *rows, struct ArrowSchema *schema_out,
                                 struct ArrowArray *out, sluice_error *error)
{
    memset(schema_out, 0, sizeof(*schema_out));
    memset(out, 0, sizeof(*out));
    SLUICE_TRY(sluice_field_export(&rows->field, schema_out, error));
    const sluice_status status = export_array(rows, out, error);

    if (status != SLUICE_OK)
        schema_out->release(schema_out);
    return status;
}
