/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/column.c - views of columns
 *
 * A tree of views is one block: the view of the field itself, then its children next to each
 * other, then what is below each of them.
 */
#include "arrow/column.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"

/*
 * What a buffer that is not there points at, so that adding 0 to it or copying 0 bytes from it is
 * defined.  Nothing reads it: such buffers belong to columns without rows or without bytes.
 */
static _Alignas(64) const uint8_t no_bytes[64];

static size_t count_columns(const sluice_field *field)
{
    size_t count = 1;

    for (size_t i = 0; i < field->child_count; i++)
        count += count_columns(&field->children[i]);
    if (field->dictionary != NULL)
        count += count_columns(field->dictionary);
    return count;
}

/* Lay out a tree whose root is there and the rest follows at next.  Returns where it ends. */
static sluice_column *lay_out_columns(sluice_column *column, const sluice_field *field,
                                      sluice_column *next)
{
    column->field = field;
    if (field->child_count > 0) {
        column->children = next;
        next += field->child_count;
        for (size_t i = 0; i < field->child_count; i++)
            next = lay_out_columns(&column->children[i], &field->children[i], next);
    }
    if (field->dictionary != NULL) {
        column->dictionary = next;
        next = lay_out_columns(column->dictionary, field->dictionary, next + 1);
    }
    return next;
}

sluice_status sluice_column_new(const sluice_field *field, const sluice_allocator *allocator,
                                sluice_column **out, sluice_error *error)
{
    const size_t count = count_columns(field);
    sluice_column *columns = sluice_allocate_zeroed(allocator, count, sizeof(*columns));

    *out = NULL;
    if (columns == NULL)
        return sluice_fail_allocation(error, count * sizeof(*columns), "views of columns");
    const sluice_column *end = lay_out_columns(columns, field, columns + 1);

    SLUICE_ASSERT(end == columns + count);
    (void)end;
    *out = columns;
    return SLUICE_OK;
}

void sluice_column_free(sluice_column *column, const sluice_allocator *allocator)
{
    if (column == NULL)
        return;
    sluice_free(allocator, column, count_columns(column->field) * sizeof(*column));
}

static const void *get_buffer(const struct ArrowArray *array, int64_t index)
{
    return array->buffers[index] != NULL ? array->buffers[index] : no_bytes;
}

/* Set the members that point at buffers. */
static void set_buffers(sluice_column *column, const struct ArrowArray *array)
{
    switch (column->field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_RUN_END:
        return;
    case SLUICE_LAYOUT_SPARSE_UNION:
        column->values = get_buffer(array, 0);
        return;
    case SLUICE_LAYOUT_DENSE_UNION:
        column->values = get_buffer(array, 0);
        column->data = get_buffer(array, 1);
        return;
    case SLUICE_LAYOUT_STRUCT:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        break;
    case SLUICE_LAYOUT_BITS:
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
        column->values = get_buffer(array, 1);
        break;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
        column->values = get_buffer(array, 1);
        column->data = get_buffer(array, 2);
        break;
    case SLUICE_LAYOUT_BYTES_VIEW:
        column->values = get_buffer(array, 1);
        column->view_buffers = array->buffers + 2;
        column->view_buffer_count = array->n_buffers - 3;
        column->view_buffer_bytes = get_buffer(array, array->n_buffers - 1);
        break;
    }
    column->validity = array->null_count == 0 ? NULL : array->buffers[0];
}

/* Point the view at row_count rows of an array, from its row first on. */
static void point_column(sluice_column *column, const struct ArrowArray *array, int64_t first,
                         int64_t row_count)
{
    const sluice_field *field = column->field;

    SLUICE_ASSERT(array->n_children == (int64_t)field->child_count);
    SLUICE_ASSERT(first + row_count <= array->length);
    column->offset = array->offset + first;
    column->row_count = row_count;
    set_buffers(column, array);
    for (size_t i = 0; i < field->child_count; i++) {
        const struct ArrowArray *child = array->children[i];
        int64_t child_first = 0;
        int64_t child_rows = child->length;

        if (field->layout == SLUICE_LAYOUT_STRUCT || field->layout == SLUICE_LAYOUT_SPARSE_UNION) {
            child_first = column->offset;
            child_rows = row_count;
        } else if (field->layout == SLUICE_LAYOUT_FIXED_SIZE_LIST) {
            child_first = column->offset * field->list_size;
            child_rows = row_count * field->list_size;
        }
        point_column(&column->children[i], child, child_first, child_rows);
    }
    if (column->dictionary != NULL)
        point_column(column->dictionary, array->dictionary, 0, array->dictionary->length);
}

void sluice_column_set(sluice_column *column, const struct ArrowArray *array)
{
    point_column(column, array, 0, array->length);
}

void sluice_column_slice(sluice_column *column, int64_t first, int64_t row_count)
{
    const sluice_field *field = column->field;
    int64_t rows_per_row = 1;

    SLUICE_ASSERT(first >= 0);
    SLUICE_ASSERT(row_count >= 0);
    SLUICE_ASSERT(first <= column->row_count - row_count);
    column->offset += first;
    column->row_count = row_count;
    if (field->layout == SLUICE_LAYOUT_FIXED_SIZE_LIST)
        rows_per_row = field->list_size;
    else if (field->layout != SLUICE_LAYOUT_STRUCT && field->layout != SLUICE_LAYOUT_SPARSE_UNION)
        return;
    for (size_t i = 0; i < field->child_count; i++) {
        sluice_column_slice(&column->children[i], first * rows_per_row,
                            row_count * rows_per_row);
    }
}

int64_t sluice_column_count_nulls(const sluice_column *column)
{
    if (column->field->layout == SLUICE_LAYOUT_NULL)
        return column->row_count;
    if (column->validity == NULL)
        return 0;
    return column->row_count -
           sluice_bits_count(column->validity, column->offset, column->row_count);
}

int64_t sluice_column_dictionary_index(const sluice_column *column, int64_t row)
{
    const int64_t at = column->offset + row;

    SLUICE_ASSERT(column->field->layout == SLUICE_LAYOUT_DICTIONARY);
    SLUICE_ASSERT(row >= 0 && row < column->row_count);
    switch (column->field->type) {
    case SLUICE_TYPE_INT8:
        return ((const int8_t *)column->values)[at];
    case SLUICE_TYPE_UINT8:
        return ((const uint8_t *)column->values)[at];
    case SLUICE_TYPE_INT16:
        return ((const int16_t *)column->values)[at];
    case SLUICE_TYPE_UINT16:
        return ((const uint16_t *)column->values)[at];
    case SLUICE_TYPE_INT32:
        return ((const int32_t *)column->values)[at];
    case SLUICE_TYPE_UINT32:
        return ((const uint32_t *)column->values)[at];
    case SLUICE_TYPE_UINT64:
        return (int64_t)((const uint64_t *)column->values)[at];
    default:
        return ((const int64_t *)column->values)[at];
    }
}

/* A run end as it stands, counted from the physical start of the parent. */
static int64_t get_run_end(const sluice_column *ends, int64_t run)
{
    const int64_t at = ends->offset + run;

    switch (ends->field->byte_width) {
    case 2:
        return ((const int16_t *)ends->values)[at];
    case 4:
        return ((const int32_t *)ends->values)[at];
    default:
        return ((const int64_t *)ends->values)[at];
    }
}

int64_t sluice_column_run(const sluice_column *column, int64_t row)
{
    const sluice_column *ends = &column->children[0];
    const int64_t place = column->offset + row;
    int64_t first = 0;
    int64_t last = ends->row_count - 1;

    SLUICE_ASSERT(column->field->layout == SLUICE_LAYOUT_RUN_END);
    SLUICE_ASSERT(row >= 0 && row < column->row_count);
    /* Ends at the last run whatever the ends are: a validated structure has one that is enough. */
    while (first < last) {
        const int64_t middle = first + (last - first) / 2;

        if (get_run_end(ends, middle) > place)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

int64_t sluice_column_run_end(const sluice_column *column, int64_t run)
{
    SLUICE_ASSERT(column->field->layout == SLUICE_LAYOUT_RUN_END);
    SLUICE_ASSERT(run >= 0 && run < column->children[0].row_count);
    return get_run_end(&column->children[0], run) - column->offset;
}

/* A view is an int32 length, then up to 12 bytes, or 4 of them, a buffer and a place in it. */
static sluice_bytes_view read_view(const sluice_column *column, int64_t at)
{
    const uint8_t *view = (const uint8_t *)column->values + at * 16;
    int32_t parts[4];

    memcpy(parts, view, sizeof(parts));
    if (parts[0] <= 12)
        return (sluice_bytes_view){view + 4, parts[0]};
    const uint8_t *buffer = column->view_buffers[parts[2]];

    return (sluice_bytes_view){buffer + parts[3], parts[0]};
}

sluice_bytes_view sluice_column_bytes(const sluice_column *column, int64_t row)
{
    const int64_t at = column->offset + row;
    const uint8_t *data = column->data;

    SLUICE_ASSERT(row >= 0 && row < column->row_count);
    if (column->field->layout == SLUICE_LAYOUT_BYTES32) {
        const int32_t *offsets = (const int32_t *)column->values + at;

        return (sluice_bytes_view){data + offsets[0], offsets[1] - offsets[0]};
    }
    if (column->field->layout == SLUICE_LAYOUT_BYTES64) {
        const int64_t *offsets = (const int64_t *)column->values + at;

        return (sluice_bytes_view){data + offsets[0], offsets[1] - offsets[0]};
    }
    if (column->field->layout == SLUICE_LAYOUT_BYTES_VIEW)
        return read_view(column, at);
    SLUICE_ASSERT(column->field->layout == SLUICE_LAYOUT_FIXED);
    const int64_t width = column->field->byte_width;

    return (sluice_bytes_view){(const uint8_t *)column->values + at * width, width};
}

sluice_list_range sluice_column_list(const sluice_column *column, int64_t row)
{
    const int64_t at = column->offset + row;

    SLUICE_ASSERT(row >= 0 && row < column->row_count);
    if (column->field->layout == SLUICE_LAYOUT_LIST32) {
        const int32_t *offsets = (const int32_t *)column->values + at;

        return (sluice_list_range){offsets[0], offsets[1] - offsets[0]};
    }
    if (column->field->layout == SLUICE_LAYOUT_LIST64) {
        const int64_t *offsets = (const int64_t *)column->values + at;

        return (sluice_list_range){offsets[0], offsets[1] - offsets[0]};
    }
    if (column->field->layout == SLUICE_LAYOUT_LIST_VIEW32) {
        return (sluice_list_range){((const int32_t *)column->values)[at],
                                   ((const int32_t *)column->data)[at]};
    }
    if (column->field->layout == SLUICE_LAYOUT_LIST_VIEW64) {
        return (sluice_list_range){((const int64_t *)column->values)[at],
                                   ((const int64_t *)column->data)[at]};
    }
    SLUICE_ASSERT(column->field->layout == SLUICE_LAYOUT_FIXED_SIZE_LIST);
    const int64_t size = column->field->list_size;

    return (sluice_list_range){row * size, size};
}
