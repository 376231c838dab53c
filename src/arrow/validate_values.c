/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/validate_values.c - every number in an array that leads somewhere, and every string
 *
 * Files are always checked, so these loops are run over everything that is read from one.  The
 * loops over offsets and over whole buffers of text first ask whether all is well, without
 * leaving early, and look for the place only when it is not.
 */
#include "arrow/validate_values.h"

#include <string.h>

#include "arrow/utf8.h"
#include "base/bits.h"

/* An array under check.  Places count from the start of its buffers. */
typedef struct checked_array {
    const sluice_field *field;
    const struct ArrowArray *array;
    const sluice_path *path;
    sluice_error *error;
    const uint8_t *validity; /* NULL: no nulls. */
    int64_t first, end;      /* Places. */
} checked_array;

static bool is_null_at(const checked_array *checked, int64_t at)
{
    return checked->validity != NULL && !sluice_bit_get(checked->validity, at);
}

static sluice_status check_null_count(const checked_array *checked)
{
    const struct ArrowArray *array = checked->array;
    int64_t null_count;

    if (checked->validity == NULL || array->null_count < 0)
        return SLUICE_OK;
    null_count = array->length - sluice_bits_count(checked->validity, array->offset, array->length);
    if (null_count == array->null_count)
        return SLUICE_OK;
    return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                          "its null count is %lld, but %lld of its %lld rows are null",
                          (long long)array->null_count, (long long)null_count,
                          (long long)array->length);
}

static sluice_status fail_offset(const checked_array *checked, int64_t at, int64_t offset,
                                 int64_t next)
{
    return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                          "row %lld: its offset %lld is greater than the next one, %lld",
                          (long long)(at - checked->first), (long long)offset, (long long)next);
}

/* The first and last offsets are in range already, so rising ones all are. */
static sluice_status check_offsets32(const checked_array *checked)
{
    const int32_t *offsets = checked->array->buffers[1];
    bool is_falling = false;

    for (int64_t at = checked->first; at < checked->end; at++)
        is_falling |= offsets[at + 1] < offsets[at];
    for (int64_t at = checked->first; is_falling && at < checked->end; at++) {
        if (offsets[at + 1] < offsets[at])
            return fail_offset(checked, at, offsets[at], offsets[at + 1]);
    }
    return SLUICE_OK;
}

static sluice_status check_offsets64(const checked_array *checked)
{
    const int64_t *offsets = checked->array->buffers[1];
    bool is_falling = false;

    for (int64_t at = checked->first; at < checked->end; at++)
        is_falling |= offsets[at + 1] < offsets[at];
    for (int64_t at = checked->first; is_falling && at < checked->end; at++) {
        if (offsets[at + 1] < offsets[at])
            return fail_offset(checked, at, offsets[at], offsets[at + 1]);
    }
    return SLUICE_OK;
}

static int64_t get_offset(const checked_array *checked, int64_t at)
{
    if (checked->field->layout == SLUICE_LAYOUT_BYTES32)
        return ((const int32_t *)checked->array->buffers[1])[at];
    return ((const int64_t *)checked->array->buffers[1])[at];
}

/*
 * True when the bytes of all rows together are UTF-8 and no row begins within a character.  False
 * also when only the bytes of nulls are not.
 */
static bool is_utf8_throughout(const checked_array *checked)
{
    const uint8_t *data = checked->array->buffers[2];
    const int64_t data_first = get_offset(checked, checked->first);
    const int64_t data_end = get_offset(checked, checked->end);

    if (data_first == data_end)
        return true;
    if (!sluice_utf8_validate(data + data_first, (size_t)(data_end - data_first)))
        return false;
    for (int64_t at = checked->first; at < checked->end; at++) {
        const int64_t offset = get_offset(checked, at);

        if (offset < data_end && (data[offset] & 0xC0) == 0x80)
            return false;
    }
    return true;
}

static sluice_status fail_utf8(const checked_array *checked, int64_t at)
{
    return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path, "row %lld: not UTF-8",
                          (long long)(at - checked->first));
}

static sluice_status check_bytes(const checked_array *checked)
{
    const uint8_t *data = checked->array->buffers[2];

    if (checked->field->layout == SLUICE_LAYOUT_BYTES32)
        SLUICE_TRY(check_offsets32(checked));
    else
        SLUICE_TRY(check_offsets64(checked));
    if (checked->field->type != SLUICE_TYPE_UTF8 || is_utf8_throughout(checked))
        return SLUICE_OK;
    for (int64_t at = checked->first; at < checked->end; at++) {
        const int64_t offset = get_offset(checked, at);
        const int64_t bytes = get_offset(checked, at + 1) - offset;

        if (bytes > 0 && !is_null_at(checked, at) &&
            !sluice_utf8_validate(data + offset, (size_t)bytes))
            return fail_utf8(checked, at);
    }
    return SLUICE_OK;
}

/* A view whose bytes lie within it: what is behind them must be zero. */
static sluice_status check_short_view(const checked_array *checked, int64_t at,
                                      const uint8_t *view, int32_t bytes)
{
    for (int32_t padding = bytes; padding < 12; padding++) {
        if (view[4 + padding] != 0) {
            return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                                  "row %lld: the view of %d bytes is not padded with zeros",
                                  (long long)(at - checked->first), (int)bytes);
        }
    }
    if (checked->field->type == SLUICE_TYPE_UTF8 && !sluice_utf8_validate(view + 4, (size_t)bytes))
        return fail_utf8(checked, at);
    return SLUICE_OK;
}

/* A view that leads into one of the variadic buffers. */
static sluice_status check_long_view(const checked_array *checked, int64_t at,
                                     const uint8_t *view)
{
    const struct ArrowArray *array = checked->array;
    const int64_t buffer_count = array->n_buffers - 3;
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    const long long row = (long long)(at - checked->first);
    int32_t parts[4];

    memcpy(parts, view, sizeof(parts));
    if (parts[2] < 0 || parts[2] >= buffer_count) {
        return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                              "row %lld: its view names buffer %d of %lld", row, (int)parts[2],
                              (long long)buffer_count);
    }
    if (parts[3] < 0 || (int64_t)parts[3] + parts[0] > sizes[parts[2]]) {
        return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                              "row %lld: its view names %d bytes from %d on, buffer %d has %lld",
                              row, (int)parts[0], (int)parts[3], (int)parts[2],
                              (long long)sizes[parts[2]]);
    }
    const uint8_t *bytes = (const uint8_t *)array->buffers[2 + parts[2]] + parts[3];

    if (memcmp(view + 4, bytes, 4) != 0) {
        return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                              "row %lld: the prefix in its view is not that of its bytes", row);
    }
    if (checked->field->type == SLUICE_TYPE_UTF8 &&
        !sluice_utf8_validate(bytes, (size_t)parts[0]))
        return fail_utf8(checked, at);
    return SLUICE_OK;
}

static sluice_status check_views(const checked_array *checked)
{
    const uint8_t *views = checked->array->buffers[1];

    for (int64_t at = checked->first; at < checked->end; at++) {
        const uint8_t *view = views + at * 16;
        int32_t bytes;

        if (is_null_at(checked, at))
            continue;
        memcpy(&bytes, view, sizeof(bytes));
        if (bytes < 0) {
            return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                                  "row %lld: its view has %d bytes",
                                  (long long)(at - checked->first), (int)bytes);
        }
        if (bytes <= 12)
            SLUICE_TRY(check_short_view(checked, at, view, bytes));
        else
            SLUICE_TRY(check_long_view(checked, at, view));
    }
    return SLUICE_OK;
}

/* The format asks for good ranges even where the row is null. */
static sluice_status check_list_views(const checked_array *checked)
{
    const bool is_wide = checked->field->layout == SLUICE_LAYOUT_LIST_VIEW64;
    const void *offsets = checked->array->buffers[1];
    const void *sizes = checked->array->buffers[2];
    const int64_t child_rows = checked->array->children[0]->length;

    for (int64_t at = checked->first; at < checked->end; at++) {
        const int64_t offset =
            is_wide ? ((const int64_t *)offsets)[at] : ((const int32_t *)offsets)[at];
        const int64_t size = is_wide ? ((const int64_t *)sizes)[at] : ((const int32_t *)sizes)[at];

        if (offset < 0 || size < 0 || offset > child_rows || size > child_rows - offset) {
            return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                                  "row %lld: %lld elements from %lld on, the child has %lld",
                                  (long long)(at - checked->first), (long long)size,
                                  (long long)offset, (long long)child_rows);
        }
    }
    return SLUICE_OK;
}

static sluice_status check_unions(const checked_array *checked)
{
    const bool is_dense = checked->field->layout == SLUICE_LAYOUT_DENSE_UNION;
    const int8_t *ids = checked->array->buffers[0];
    const int32_t *offsets = is_dense ? checked->array->buffers[1] : NULL;

    for (int64_t at = checked->first; at < checked->end; at++) {
        const int child = ids[at] < 0 ? -1 : checked->field->child_of_id[ids[at]];

        if (child < 0) {
            return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                                  "row %lld: there is no type id %d",
                                  (long long)(at - checked->first), (int)ids[at]);
        }
        if (!is_dense)
            continue;
        const int64_t child_rows = checked->array->children[child]->length;

        if (offsets[at] < 0 || offsets[at] >= child_rows) {
            return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                                  "row %lld: its offset is %d, child %d has %lld rows",
                                  (long long)(at - checked->first), (int)offsets[at], child,
                                  (long long)child_rows);
        }
    }
    return SLUICE_OK;
}

/* An integer of any width as uint64, in which negative ones are greater than any length. */
static uint64_t get_integer(const sluice_field *field, const void *values, int64_t at)
{
    switch (field->type) {
    case SLUICE_TYPE_INT8:
        return (uint64_t)(int64_t)((const int8_t *)values)[at];
    case SLUICE_TYPE_UINT8:
        return ((const uint8_t *)values)[at];
    case SLUICE_TYPE_INT16:
        return (uint64_t)(int64_t)((const int16_t *)values)[at];
    case SLUICE_TYPE_UINT16:
        return ((const uint16_t *)values)[at];
    case SLUICE_TYPE_INT32:
        return (uint64_t)(int64_t)((const int32_t *)values)[at];
    case SLUICE_TYPE_UINT32:
        return ((const uint32_t *)values)[at];
    default:
        return ((const uint64_t *)values)[at];
    }
}

static sluice_status check_dictionary(const checked_array *checked)
{
    const void *indices = checked->array->buffers[1];
    const uint64_t dictionary_rows = (uint64_t)checked->array->dictionary->length;
    const bool is_signed = checked->field->type <= SLUICE_TYPE_INT64;

    for (int64_t at = checked->first; at < checked->end; at++) {
        const uint64_t index = get_integer(checked->field, indices, at);

        if (index < dictionary_rows || is_null_at(checked, at))
            continue;
        return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                              "row %lld: its index is %s%llu, the dictionary has %llu rows",
                              (long long)(at - checked->first),
                              is_signed && (int64_t)index < 0 ? "-" : "",
                              (unsigned long long)(is_signed && (int64_t)index < 0 ? 0 - index
                                                                                   : index),
                              (unsigned long long)dictionary_rows);
    }
    return SLUICE_OK;
}

/* The last end is large enough already. */
static sluice_status check_run_ends(const checked_array *checked)
{
    const struct ArrowArray *ends = checked->array->children[0];
    int64_t end_before = 0;

    for (int64_t run = 0; run < ends->length; run++) {
        const int64_t end = (int64_t)get_integer(&checked->field->children[0], ends->buffers[1],
                                                 ends->offset + run);

        if (end <= end_before) {
            return sluice_fail_at(checked->error, SLUICE_BAD_DATA, checked->path,
                                  "run %lld ends at %lld, the one before it at %lld",
                                  (long long)run, (long long)end, (long long)end_before);
        }
        end_before = end;
    }
    return SLUICE_OK;
}

/* By layout.  An array without rows may have no buffers to look at. */
static sluice_status check_layout_values(const checked_array *checked)
{
    switch (checked->field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_BITS:
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
    case SLUICE_LAYOUT_STRUCT:
        return SLUICE_OK;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
        return check_bytes(checked);
    case SLUICE_LAYOUT_BYTES_VIEW:
        return check_views(checked);
    case SLUICE_LAYOUT_LIST32:
        return check_offsets32(checked);
    case SLUICE_LAYOUT_LIST64:
        return check_offsets64(checked);
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
        return check_list_views(checked);
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        return check_unions(checked);
    case SLUICE_LAYOUT_DICTIONARY:
        return check_dictionary(checked);
    case SLUICE_LAYOUT_RUN_END:
        return check_run_ends(checked);
    }
    return SLUICE_OK;
}

static bool has_validity(sluice_layout layout)
{
    return layout != SLUICE_LAYOUT_NULL && layout != SLUICE_LAYOUT_SPARSE_UNION &&
           layout != SLUICE_LAYOUT_DENSE_UNION && layout != SLUICE_LAYOUT_RUN_END;
}

sluice_status sluice_validate_values(const sluice_field *field, const struct ArrowArray *array,
                                     const sluice_path *path, sluice_error *error)
{
    checked_array checked = {
        .field = field,
        .array = array,
        .path = path,
        .error = error,
        .validity = has_validity(field->layout) ? array->buffers[0] : NULL,
        .first = array->offset,
        .end = array->offset + array->length,
    };

    if (array->length == 0)
        return SLUICE_OK;
    SLUICE_TRY(check_null_count(&checked));
    return check_layout_values(&checked);
}
