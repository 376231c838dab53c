/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/validate.c - the structure of arrays that come from elsewhere
 *
 * One walk over field and array together.  For each array: its numbers, then that all it is made
 * of is there, then what is below it, and last what it says about what is below it.  Nothing is
 * read before it is known to be there, and an array without rows may lack any buffer.
 */
#include "arrow/validate.h"

#include <stdint.h>

#include "arrow/path.h"
#include "arrow/validate_values.h"
#include "base/bits.h"
#include "base/math.h"

/* Places beyond this could overflow when they are turned into bytes of any type but a very wide
 * fixed-size binary, which is checked for itself. */
static const int64_t places_max = INT64_MAX / 64;

typedef struct array_checker {
    bool validate_values;
    sluice_error *error;
} array_checker;

/* How the buffers of a layout lie, besides the variadic ones of views. */
typedef struct layout_shape {
    int64_t buffer_count;
    bool has_validity;
} layout_shape;

static const layout_shape layout_shapes[] = {
    [SLUICE_LAYOUT_NULL] = {0, false},
    [SLUICE_LAYOUT_BITS] = {2, true},
    [SLUICE_LAYOUT_FIXED] = {2, true},
    [SLUICE_LAYOUT_BYTES32] = {3, true},
    [SLUICE_LAYOUT_BYTES64] = {3, true},
    [SLUICE_LAYOUT_BYTES_VIEW] = {3, true},
    [SLUICE_LAYOUT_LIST32] = {2, true},
    [SLUICE_LAYOUT_LIST64] = {2, true},
    [SLUICE_LAYOUT_LIST_VIEW32] = {3, true},
    [SLUICE_LAYOUT_LIST_VIEW64] = {3, true},
    [SLUICE_LAYOUT_FIXED_SIZE_LIST] = {1, true},
    [SLUICE_LAYOUT_STRUCT] = {1, true},
    [SLUICE_LAYOUT_SPARSE_UNION] = {1, false},
    [SLUICE_LAYOUT_DENSE_UNION] = {2, false},
    [SLUICE_LAYOUT_DICTIONARY] = {2, true},
    [SLUICE_LAYOUT_RUN_END] = {0, false},
};

static sluice_status check_numbers(const struct ArrowArray *array, const sluice_path *path,
                                   sluice_error *error)
{
    if (array->length < 0 || array->length > places_max) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its length is %lld",
                              (long long)array->length);
    }
    if (array->offset < 0 || array->offset > places_max - array->length) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its offset is %lld, its length %lld",
                              (long long)array->offset, (long long)array->length);
    }
    if (array->null_count < -1 || array->null_count > array->length) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its null count is %lld of %lld rows",
                              (long long)array->null_count, (long long)array->length);
    }
    return SLUICE_OK;
}

/* Children and dictionary are there, and as many as the field says. */
static sluice_status check_below(const sluice_field *field, const struct ArrowArray *array,
                                 const sluice_path *path, sluice_error *error)
{
    if (array->n_children < 0 || (uint64_t)array->n_children != field->child_count) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                              "it has %lld children, the schema has %zu",
                              (long long)array->n_children, field->child_count);
    }
    if (field->child_count > 0 && array->children == NULL) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its %zu children are NULL",
                              field->child_count);
    }
    for (size_t i = 0; i < field->child_count; i++) {
        if (array->children[i] == NULL || array->children[i]->release == NULL) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path, "child %zu of %zu is %s", i,
                                  field->child_count,
                                  array->children[i] == NULL ? "NULL" : "released");
        }
    }
    if ((field->dictionary != NULL) != (array->dictionary != NULL)) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "a dictionary is %s",
                              array->dictionary == NULL ? "missing"
                                                        : "there, the schema has none");
    }
    if (array->dictionary != NULL && array->dictionary->release == NULL)
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its dictionary is released");
    return SLUICE_OK;
}

/* The number of buffers, and the validity bitmap. */
static sluice_status check_buffer_count(const sluice_field *field, const struct ArrowArray *array,
                                        const sluice_path *path, sluice_error *error)
{
    const layout_shape shape = layout_shapes[field->layout];
    const bool is_view = field->layout == SLUICE_LAYOUT_BYTES_VIEW;

    /* Views name their buffer by an int32. */
    if (array->n_buffers < shape.buffer_count ||
        array->n_buffers > (is_view ? INT32_MAX : shape.buffer_count)) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                              "it has %lld buffers, %s%lld are needed",
                              (long long)array->n_buffers, is_view ? "at least " : "",
                              (long long)shape.buffer_count);
    }
    if (array->n_buffers > 0 && array->buffers == NULL) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its %lld buffers are NULL",
                              (long long)array->n_buffers);
    }
    if (shape.has_validity && array->buffers[0] == NULL && array->null_count > 0) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                              "%lld rows are null, but there is no validity bitmap",
                              (long long)array->null_count);
    }
    return SLUICE_OK;
}

/* A buffer whose items have width bytes each.  It must be there when there are rows. */
static sluice_status check_buffer(const struct ArrowArray *array, int64_t index, int64_t width,
                                  const sluice_path *path, sluice_error *error)
{
    /* The greatest power of two up to 8 that divides the width. */
    const int64_t alignment = width % 8 == 0 ? 8 : width & -width;
    const void *buffer = array->buffers[index];
    int64_t bytes;

    if (array->length == 0 || width == 0)
        return SLUICE_OK;
    if (buffer == NULL) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "buffer %lld is NULL, with %lld rows",
                              (long long)index, (long long)array->length);
    }
    if ((uintptr_t)buffer % (uintptr_t)alignment != 0) {
        return sluice_fail_at(error, SLUICE_UNSUPPORTED, path,
                              "buffer %lld is not aligned to %lld bytes", (long long)index,
                              (long long)alignment);
    }
    /* One more than there are rows, as offsets have. */
    if (!sluice_mul_int64(array->offset + array->length + 1, width, &bytes)) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                              "%lld values of %lld bytes from %lld on do not fit in memory",
                              (long long)array->length, (long long)width,
                              (long long)array->offset);
    }
    return SLUICE_OK;
}

static int64_t read_offset(const struct ArrowArray *array, int64_t width, int64_t at)
{
    return width == 4 ? ((const int32_t *)array->buffers[1])[at]
                      : ((const int64_t *)array->buffers[1])[at];
}

/* The first and the last offset of bytes or lists, against the size of what they lead into. */
static sluice_status check_offset_ends(const struct ArrowArray *array, int64_t width, int64_t size,
                                       const sluice_path *path, sluice_error *error)
{
    int64_t first, last;

    SLUICE_TRY(check_buffer(array, 1, width, path, error));
    if (array->length == 0)
        return SLUICE_OK;
    first = read_offset(array, width, array->offset);
    last = read_offset(array, width, array->offset + array->length);
    if (first < 0 || first > last) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its offsets go from %lld to %lld",
                              (long long)first, (long long)last);
    }
    if (last <= size)
        return SLUICE_OK;
    return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                          "its offsets go to %lld, the child has %lld rows", (long long)last,
                          (long long)size);
}

static sluice_status check_bytes_layout(const struct ArrowArray *array, int64_t width,
                                        const sluice_path *path, sluice_error *error)
{
    /* The size of the data is not part of the interface. */
    SLUICE_TRY(check_offset_ends(array, width, INT64_MAX, path, error));
    if (array->length == 0 || array->buffers[2] != NULL)
        return SLUICE_OK;
    const int64_t bytes = read_offset(array, width, array->offset + array->length) -
                          read_offset(array, width, array->offset);

    if (bytes == 0)
        return SLUICE_OK;
    return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                          "its data buffer is NULL, with %lld bytes in use", (long long)bytes);
}

static sluice_status check_view_layout(const struct ArrowArray *array, const sluice_path *path,
                                       sluice_error *error)
{
    const int64_t variadic_count = array->n_buffers - 3;
    const int64_t *sizes = array->buffers[array->n_buffers - 1];

    SLUICE_TRY(check_buffer(array, 1, 16, path, error));
    if (variadic_count == 0)
        return SLUICE_OK;
    if (sizes == NULL || (uintptr_t)sizes % sizeof(*sizes) != 0) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "the sizes of its %lld buffers are %s",
                              (long long)variadic_count, sizes == NULL ? "NULL" : "not aligned");
    }
    for (int64_t i = 0; i < variadic_count; i++) {
        if (sizes[i] < 0 || (sizes[i] > 0 && array->buffers[2 + i] == NULL)) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path, "view buffer %lld of %lld bytes%s",
                                  (long long)i, (long long)sizes[i],
                                  sizes[i] < 0 ? "" : " is NULL");
        }
    }
    return SLUICE_OK;
}

/* The rows a child must have for all rows of its parent. */
static sluice_status check_child_rows(const struct ArrowArray *array, int64_t rows_per_row,
                                      const sluice_path *path, sluice_error *error)
{
    int64_t needed;

    if (!sluice_mul_int64(array->offset + array->length, rows_per_row, &needed))
        needed = INT64_MAX;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->length < needed) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                                  "child %lld has %lld rows, %lld are needed", (long long)i,
                                  (long long)array->children[i]->length, (long long)needed);
        }
    }
    return SLUICE_OK;
}

static int64_t read_run_end(const sluice_field *field, const struct ArrowArray *ends, int64_t run)
{
    const int64_t at = ends->offset + run;

    if (field->byte_width == 2)
        return ((const int16_t *)ends->buffers[1])[at];
    return read_offset(ends, field->byte_width, at);
}

static sluice_status check_run_layout(const sluice_field *field, const struct ArrowArray *array,
                                      const sluice_path *path, sluice_error *error)
{
    const struct ArrowArray *ends = array->children[0];
    const int64_t runs = ends->length;
    const int64_t needed = array->offset + array->length;

    if (ends->null_count > 0 ||
        (ends->null_count < 0 && ends->buffers[0] != NULL &&
         sluice_bits_count(ends->buffers[0], ends->offset, runs) < runs))
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "a run end is null");
    if (array->children[1]->length < runs) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "%lld runs have %lld values",
                              (long long)runs, (long long)array->children[1]->length);
    }
    if (array->length == 0)
        return SLUICE_OK;
    const int64_t last_end = runs == 0 ? 0 : read_run_end(&field->children[0], ends, runs - 1);

    if (last_end >= needed)
        return SLUICE_OK;
    return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                          "its %lld runs end at %lld, %lld rows are needed", (long long)runs,
                          (long long)last_end, (long long)needed);
}

/* What a layout asks of its buffers and of what is below it, which has been checked. */
static sluice_status check_layout(const sluice_field *field, const struct ArrowArray *array,
                                  const sluice_path *path, sluice_error *error)
{
    switch (field->layout) {
    case SLUICE_LAYOUT_NULL:
        return SLUICE_OK;
    case SLUICE_LAYOUT_BITS:
        return check_buffer(array, 1, 1, path, error);
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_DICTIONARY:
        return check_buffer(array, 1, field->byte_width, path, error);
    case SLUICE_LAYOUT_BYTES32:
        return check_bytes_layout(array, 4, path, error);
    case SLUICE_LAYOUT_BYTES64:
        return check_bytes_layout(array, 8, path, error);
    case SLUICE_LAYOUT_BYTES_VIEW:
        return check_view_layout(array, path, error);
    case SLUICE_LAYOUT_LIST32:
        return check_offset_ends(array, 4, array->children[0]->length, path, error);
    case SLUICE_LAYOUT_LIST64:
        return check_offset_ends(array, 8, array->children[0]->length, path, error);
    case SLUICE_LAYOUT_LIST_VIEW32:
        SLUICE_TRY(check_buffer(array, 1, 4, path, error));
        return check_buffer(array, 2, 4, path, error);
    case SLUICE_LAYOUT_LIST_VIEW64:
        SLUICE_TRY(check_buffer(array, 1, 8, path, error));
        return check_buffer(array, 2, 8, path, error);
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        return check_child_rows(array, field->list_size, path, error);
    case SLUICE_LAYOUT_STRUCT:
        return check_child_rows(array, 1, path, error);
    case SLUICE_LAYOUT_SPARSE_UNION:
        SLUICE_TRY(check_buffer(array, 0, 1, path, error));
        return check_child_rows(array, 1, path, error);
    case SLUICE_LAYOUT_DENSE_UNION:
        SLUICE_TRY(check_buffer(array, 0, 1, path, error));
        return check_buffer(array, 1, 4, path, error);
    case SLUICE_LAYOUT_RUN_END:
        return check_run_layout(field, array, path, error);
    }
    return SLUICE_OK;
}

/* As deep as the field, which is bounded. */
static sluice_status check_array(const array_checker *checker, const sluice_field *field,
                                 const struct ArrowArray *array, const sluice_path *path)
{
    sluice_error *error = checker->error;

    SLUICE_TRY(check_numbers(array, path, error));
    SLUICE_TRY(check_below(field, array, path, error));
    SLUICE_TRY(check_buffer_count(field, array, path, error));
    for (size_t i = 0; i < field->child_count; i++) {
        const sluice_path child_path = {path, field->children[i].name};

        SLUICE_TRY(check_array(checker, &field->children[i], array->children[i], &child_path));
    }
    if (field->dictionary != NULL) {
        const sluice_path values_path = {path, "dictionary"};

        SLUICE_TRY(check_array(checker, field->dictionary, array->dictionary, &values_path));
    }
    SLUICE_TRY(check_layout(field, array, path, error));
    if (!checker->validate_values)
        return SLUICE_OK;
    return sluice_validate_values(field, array, path, error);
}

sluice_status sluice_validate_array(const sluice_field *field, const struct ArrowArray *array,
                                    bool validate_values, const sluice_allocator *allocator,
                                    sluice_error *error)
{
    const sluice_path top = {NULL, ""};
    const array_checker checker = {.validate_values = validate_values, .error = error};

    /* No check so far needs memory. */
    (void)allocator;
    if (array == NULL || array->release == NULL) {
        return sluice_fail(error, SLUICE_INVALID, "the batch is %s",
                           array == NULL ? "NULL" : "released");
    }
    return check_array(&checker, field, array, &top);
}
