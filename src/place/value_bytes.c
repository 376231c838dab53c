/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/value_bytes.c - one value of any column as bytes
 *
 * A byte says null or not; fixed values follow as they lie in memory, everything of varying length
 * behind its count.
 */
#include "place/value_bytes.h"

#include <string.h>

#include "base/math.h"

static sluice_status append(sluice_buffer *bytes, size_t *byte_count, const void *source,
                            size_t count, sluice_error *error)
{
    size_t total;

    if (!sluice_add_size(*byte_count, count, &total))
        return sluice_fail_allocation(error, count, "dictionary values");
    SLUICE_TRY(sluice_buffer_grow(bytes, total, *byte_count, "dictionary values", error));
    if (count > 0)
        memcpy((uint8_t *)bytes->bytes + *byte_count, source, count);
    *byte_count = total;
    return SLUICE_OK;
}

static sluice_status append_counted(sluice_buffer *bytes, size_t *byte_count,
                                    sluice_bytes_view value, sluice_error *error)
{
    SLUICE_TRY(append(bytes, byte_count, &value.byte_count, sizeof(value.byte_count), error));
    return append(bytes, byte_count, value.bytes, (size_t)value.byte_count, error);
}

static sluice_status append_list(const sluice_column *column, int64_t row, sluice_buffer *bytes,
                                 size_t *byte_count, sluice_error *error)
{
    const sluice_list_range list = sluice_column_list(column, row);

    SLUICE_TRY(append(bytes, byte_count, &list.count, sizeof(list.count), error));
    for (int64_t element = 0; element < list.count; element++)
        SLUICE_TRY(sluice_value_bytes_append(&column->children[0], list.first + element, bytes,
                                             byte_count, error));
    return SLUICE_OK;
}

static sluice_status append_struct(const sluice_column *column, int64_t row, sluice_buffer *bytes,
                                   size_t *byte_count, sluice_error *error)
{
    for (size_t child = 0; child < column->field->child_count; child++)
        SLUICE_TRY(sluice_value_bytes_append(&column->children[child], row, bytes, byte_count,
                                             error));
    return SLUICE_OK;
}

static sluice_status append_union(const sluice_column *column, int64_t row, sluice_buffer *bytes,
                                  size_t *byte_count, sluice_error *error)
{
    const sluice_union_value value = sluice_column_union(column, row);

    SLUICE_TRY(append(bytes, byte_count, &value.type_id, sizeof(value.type_id), error));
    return sluice_value_bytes_append(&column->children[value.child], value.row, bytes, byte_count,
                                     error);
}

/* A value that is not null. */
static sluice_status append_value(const sluice_column *column, int64_t row, sluice_buffer *bytes,
                                  size_t *byte_count, sluice_error *error)
{
    switch (column->field->layout) {
    case SLUICE_LAYOUT_NULL:
        return SLUICE_OK;
    case SLUICE_LAYOUT_BITS: {
        const uint8_t flag = sluice_bit_get(column->values, column->offset + row);

        return append(bytes, byte_count, &flag, 1, error);
    }
    case SLUICE_LAYOUT_FIXED: {
        const size_t width = (size_t)column->field->byte_width;
        const uint8_t *values = column->values;

        if (width == 0)
            return SLUICE_OK;
        return append(bytes, byte_count, values + (size_t)(column->offset + row) * width, width,
                      error);
    }
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW:
        return append_counted(bytes, byte_count, sluice_column_bytes(column, row), error);
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        return append_list(column, row, bytes, byte_count, error);
    case SLUICE_LAYOUT_STRUCT:
        return append_struct(column, row, bytes, byte_count, error);
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        return append_union(column, row, bytes, byte_count, error);
    case SLUICE_LAYOUT_DICTIONARY:
        return sluice_value_bytes_append(column->dictionary,
                                         sluice_column_dictionary_index(column, row), bytes,
                                         byte_count, error);
    case SLUICE_LAYOUT_RUN_END:
        return sluice_value_bytes_append(&column->children[1], sluice_column_run(column, row),
                                         bytes, byte_count, error);
    }
    return SLUICE_OK;
}

sluice_status sluice_value_bytes_append(const sluice_column *column, int64_t row,
                                        sluice_buffer *bytes, size_t *byte_count,
                                        sluice_error *error)
{
    const uint8_t is_null = sluice_column_is_null(column, row);

    SLUICE_TRY(append(bytes, byte_count, &is_null, 1, error));
    return is_null ? SLUICE_OK : append_value(column, row, bytes, byte_count, error);
}
