/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/rows.c - a small table that grows row by row
 *
 * See rows_export.c for the way out.
 */
#include "route/rows.h"

#include "base/alloc.h"
#include "base/math.h"

/* What holds the values: the field itself, a dictionary's values, a run-end's values. */
static const sluice_field *get_value_field(const sluice_field *field)
{
    while (field->layout == SLUICE_LAYOUT_DICTIONARY || field->layout == SLUICE_LAYOUT_RUN_END) {
        field = field->layout == SLUICE_LAYOUT_DICTIONARY ? field->dictionary
                                                          : &field->children[1];
    }
    return field;
}

/* Give a copied field the plain form of its layout. */
static sluice_status plain_layout(sluice_rows *rows, sluice_error *error)
{
    sluice_field *field = &rows->field;

    switch (field->layout) {
    case SLUICE_LAYOUT_BYTES_VIEW:
        field->layout = SLUICE_LAYOUT_BYTES64;
        field->format = field->type == SLUICE_TYPE_UTF8 ? "U" : "Z";
        return SLUICE_OK;
    case SLUICE_LAYOUT_LIST_VIEW32:
        field->layout = SLUICE_LAYOUT_LIST32;
        field->format = "+l";
        return SLUICE_OK;
    case SLUICE_LAYOUT_LIST_VIEW64:
        field->layout = SLUICE_LAYOUT_LIST64;
        field->format = "+L";
        return SLUICE_OK;
    case SLUICE_LAYOUT_SPARSE_UNION:
        /* "+us:0,1" becomes "+ud:0,1". */
        rows->format = sluice_copy_string(&rows->allocator, field->format);
        if (rows->format == NULL)
            return sluice_fail_allocation(error, strlen(field->format) + 1, "keys");
        rows->format[2] = 'd';
        field->layout = SLUICE_LAYOUT_DENSE_UNION;
        field->format = rows->format;
        return SLUICE_OK;
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_BITS:
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
    case SLUICE_LAYOUT_STRUCT:
    case SLUICE_LAYOUT_DENSE_UNION:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_RUN_END:
        return SLUICE_OK;
    }
    return SLUICE_OK;
}

/* Make room for the children of rows, whose child_count is set. */
static sluice_status rows_init_children(sluice_rows *rows, sluice_error *error)
{
    const size_t count = rows->field.child_count;

    rows->field.children = NULL;
    if (count == 0)
        return SLUICE_OK;
    rows->children = sluice_allocate_zeroed(&rows->allocator, count, sizeof(*rows->children));
    rows->field.children =
        sluice_allocate_zeroed(&rows->allocator, count, sizeof(*rows->field.children));
    if (rows->children == NULL || rows->field.children == NULL) {
        return sluice_fail_allocation(error, count * (sizeof(sluice_rows) + sizeof(sluice_field)),
                                      "keys");
    }
    return SLUICE_OK;
}

/* rows is zeroed.  After an error it is good for rows_deinit(). */
static sluice_status rows_init(sluice_rows *rows, const sluice_field *field,
                               const sluice_allocator *allocator, sluice_error *error)
{
    const sluice_field *value_field = get_value_field(field);

    rows->allocator = *allocator;
    rows->field = *value_field;
    rows->field.children = NULL;
    rows->field.name = field->name;
    if (value_field != field)
        rows->field.flags |= ARROW_FLAG_NULLABLE;
    SLUICE_TRY(plain_layout(rows, error));
    SLUICE_TRY(rows_init_children(rows, error));
    for (size_t i = 0; i < rows->field.child_count; i++) {
        SLUICE_TRY(rows_init(&rows->children[i], &value_field->children[i], allocator, error));
        rows->field.children[i] = rows->children[i].field;
    }
    return SLUICE_OK;
}

static void rows_deinit(sluice_rows *rows)
{
    const size_t count = rows->field.child_count;

    for (size_t i = 0; rows->children != NULL && i < count; i++)
        rows_deinit(&rows->children[i]);
    sluice_free(&rows->allocator, rows->field.children, count * sizeof(*rows->field.children));
    sluice_free(&rows->allocator, rows->children, count * sizeof(*rows->children));
    sluice_free_string(&rows->allocator, rows->format);
    sluice_bytes_deinit(&rows->data, &rows->allocator);
    sluice_bytes_deinit(&rows->values, &rows->allocator);
    sluice_bytes_deinit(&rows->validity, &rows->allocator);
}

sluice_status sluice_rows_new(const sluice_field *const *fields, size_t field_count,
                              const sluice_allocator *allocator, sluice_rows **out,
                              sluice_error *error)
{
    const sluice_allocator chosen = sluice_allocator_or_default(allocator);
    sluice_rows *rows = sluice_allocate_zeroed(allocator, 1, sizeof(*rows));
    sluice_status status;

    *out = NULL;
    if (rows == NULL)
        return sluice_fail_allocation(error, sizeof(*rows), "keys");
    rows->allocator = chosen;
    rows->field = (sluice_field){.name = "",
                                 .format = "+s",
                                 .type = SLUICE_TYPE_STRUCT,
                                 .layout = SLUICE_LAYOUT_STRUCT,
                                 .child_count = field_count};
    status = rows_init_children(rows, error);
    for (size_t i = 0; i < field_count && status == SLUICE_OK; i++) {
        status = rows_init(&rows->children[i], fields[i], &chosen, error);
        rows->field.children[i] = rows->children[i].field;
    }
    if (status != SLUICE_OK) {
        sluice_rows_free(rows);
        return status;
    }
    *out = rows;
    return SLUICE_OK;
}

void sluice_rows_free(sluice_rows *rows)
{
    if (rows == NULL)
        return;
    const sluice_allocator allocator = rows->allocator;

    rows_deinit(rows);
    sluice_free(&allocator, rows, sizeof(*rows));
}

/* Append what stands in the parent's own buffers for a row: that it is there, or null. */
static sluice_status append_validity(sluice_rows *rows, bool is_valid, sluice_error *error)
{
    const uint8_t valid = is_valid;

    SLUICE_TRY(sluice_bytes_append(&rows->validity, &rows->allocator, &valid, 1, error));
    rows->row_count++;
    rows->null_count += !is_valid;
    return SLUICE_OK;
}

static sluice_status append_end(sluice_rows *rows, int64_t end, sluice_error *error)
{
    const bool is_narrow = rows->field.layout == SLUICE_LAYOUT_BYTES32 ||
                           rows->field.layout == SLUICE_LAYOUT_LIST32;

    if (is_narrow && end > INT32_MAX) {
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "column %s: the distinct keys need %lld bytes or elements, 32-bit "
                           "offsets reach %d",
                           rows->field.name, (long long)end, INT32_MAX);
    }
    return sluice_bytes_append(&rows->values, &rows->allocator, &end, sizeof(end), error);
}

/* A union has no nulls of its own: its first child is null instead. */
static sluice_status append_null_union(sluice_rows *rows, sluice_error *error)
{
    const int32_t place = rows->field.child_count > 0 ? (int32_t)rows->children[0].row_count : 0;
    uint8_t type_id = 0;

    while (type_id < 127 && rows->field.child_of_id[type_id] != 0)
        type_id++;
    if (rows->field.child_count > 0)
        SLUICE_TRY(sluice_rows_append_null(&rows->children[0], error));
    SLUICE_TRY(sluice_bytes_append(&rows->values, &rows->allocator, &type_id, 1, error));
    SLUICE_TRY(sluice_bytes_append(&rows->data, &rows->allocator, &place, sizeof(place), error));
    return append_validity(rows, true, error);
}

sluice_status sluice_rows_append_null(sluice_rows *rows, sluice_error *error)
{
    switch (rows->field.layout) {
    case SLUICE_LAYOUT_NULL:
        break;
    case SLUICE_LAYOUT_BITS:
        SLUICE_TRY(sluice_bytes_append_zeros(&rows->values, &rows->allocator, 1, error));
        break;
    case SLUICE_LAYOUT_FIXED:
        SLUICE_TRY(sluice_bytes_append_zeros(&rows->values, &rows->allocator,
                                             (size_t)rows->field.byte_width, error));
        break;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
        SLUICE_TRY(append_end(rows, (int64_t)rows->data.byte_count, error));
        break;
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
        SLUICE_TRY(append_end(rows, rows->children[0].row_count, error));
        break;
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        for (int32_t i = 0; i < rows->field.list_size; i++)
            SLUICE_TRY(sluice_rows_append_null(&rows->children[0], error));
        break;
    case SLUICE_LAYOUT_STRUCT:
        for (size_t i = 0; i < rows->field.child_count; i++)
            SLUICE_TRY(sluice_rows_append_null(&rows->children[i], error));
        break;
    case SLUICE_LAYOUT_DENSE_UNION:
        return append_null_union(rows, error);
    case SLUICE_LAYOUT_BYTES_VIEW:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_RUN_END:
        SLUICE_ASSERT(false); /* No plain form. */
        break;
    }
    return append_validity(rows, false, error);
}

sluice_status sluice_rows_append_bytes(sluice_rows *rows, const void *bytes, size_t byte_count,
                                       sluice_error *error)
{
    if (rows->field.layout == SLUICE_LAYOUT_BITS || rows->field.layout == SLUICE_LAYOUT_FIXED) {
        SLUICE_ASSERT(rows->field.layout != SLUICE_LAYOUT_FIXED ||
                      byte_count == (size_t)rows->field.byte_width);
        SLUICE_TRY(
            sluice_bytes_append(&rows->values, &rows->allocator, bytes, byte_count, error));
    } else {
        SLUICE_TRY(sluice_bytes_append(&rows->data, &rows->allocator, bytes, byte_count, error));
        SLUICE_TRY(append_end(rows, (int64_t)rows->data.byte_count, error));
    }
    return append_validity(rows, true, error);
}

sluice_status sluice_rows_end_list(sluice_rows *rows, sluice_error *error)
{
    if (rows->field.layout != SLUICE_LAYOUT_FIXED_SIZE_LIST)
        SLUICE_TRY(append_end(rows, rows->children[0].row_count, error));
    return append_validity(rows, true, error);
}

sluice_status sluice_rows_end_struct(sluice_rows *rows, sluice_error *error)
{
    return append_validity(rows, true, error);
}

static sluice_status append_union(sluice_rows *rows, const sluice_column *column, int64_t row,
                                  sluice_error *error)
{
    const sluice_union_value value = sluice_column_union(column, row);
    sluice_rows *child = &rows->children[value.child];

    if (child->row_count >= INT32_MAX) {
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "column %s: a union has more than %d distinct keys of one type",
                           rows->field.name, INT32_MAX);
    }
    const int32_t place = (int32_t)child->row_count;

    SLUICE_TRY(sluice_rows_append(child, &column->children[value.child], value.row, error));
    SLUICE_TRY(sluice_bytes_append(&rows->values, &rows->allocator, &value.type_id, 1, error));
    SLUICE_TRY(sluice_bytes_append(&rows->data, &rows->allocator, &place, sizeof(place), error));
    return append_validity(rows, true, error);
}

static sluice_status append_list(sluice_rows *rows, const sluice_column *column, int64_t row,
                                 sluice_error *error)
{
    const sluice_list_range range = sluice_column_list(column, row);

    for (int64_t i = 0; i < range.count; i++) {
        SLUICE_TRY(sluice_rows_append(&rows->children[0], &column->children[0], range.first + i,
                                      error));
    }
    return sluice_rows_end_list(rows, error);
}

static sluice_status append_struct(sluice_rows *rows, const sluice_column *column, int64_t row,
                                   sluice_error *error)
{
    for (size_t i = 0; i < rows->field.child_count; i++)
        SLUICE_TRY(sluice_rows_append(&rows->children[i], &column->children[i], row, error));
    return sluice_rows_end_struct(rows, error);
}

sluice_status sluice_rows_append(sluice_rows *rows, const sluice_column *column, int64_t row,
                                 sluice_error *error)
{
    if (sluice_column_is_null(column, row))
        return sluice_rows_append_null(rows, error);
    switch (column->field->layout) {
    case SLUICE_LAYOUT_NULL:
        break;
    case SLUICE_LAYOUT_BITS: {
        const uint8_t bit = sluice_bit_get(column->values, column->offset + row);

        return sluice_rows_append_bytes(rows, &bit, 1, error);
    }
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW: {
        const sluice_bytes_view view = sluice_column_bytes(column, row);

        return sluice_rows_append_bytes(rows, view.bytes, (size_t)view.byte_count, error);
    }
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        return append_list(rows, column, row, error);
    case SLUICE_LAYOUT_STRUCT:
        return append_struct(rows, column, row, error);
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        return append_union(rows, column, row, error);
    case SLUICE_LAYOUT_DICTIONARY:
        return sluice_rows_append(rows, column->dictionary,
                                  sluice_column_dictionary_index(column, row), error);
    case SLUICE_LAYOUT_RUN_END:
        return sluice_rows_append(rows, &column->children[1], sluice_column_run(column, row),
                                  error);
    }
    return sluice_rows_append_null(rows, error);
}
