/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/array_text.c - rows as text, read from the C Data interface alone
 *
 * The reading is slow and plain on purpose: it is what the library is compared with.
 */
#include "arrays.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_text {
    char *bytes;
    size_t count;
    size_t capacity;
} row_text;

__attribute__((format(printf, 2, 3))) static void append_text(row_text *out, const char *format,
                                                              ...)
{
    for (;;) {
        const size_t room = out->capacity - out->count;
        va_list arguments;

        va_start(arguments, format);
        const int bytes =
            room == 0 ? 0 : vsnprintf(out->bytes + out->count, room, format, arguments);
        va_end(arguments);
        if (room > 0 && (size_t)bytes < room) {
            out->count += (size_t)bytes;
            return;
        }
        out->capacity = out->capacity * 2 + 64;
        out->bytes = realloc(out->bytes, out->capacity);
        test_require(out->bytes != NULL, "out of memory");
    }
}

static void append_quoted(row_text *out, const uint8_t *bytes, int64_t count)
{
    append_text(out, "\"");
    for (int64_t i = 0; i < count; i++) {
        if (bytes[i] >= ' ' && bytes[i] < 0x7F && bytes[i] != '"' && bytes[i] != '\\')
            append_text(out, "%c", bytes[i]);
        else
            append_text(out, "\\x%02x", bytes[i]);
    }
    append_text(out, "\"");
}

/* The bits of a value of any width, most significant byte first. */
static void append_bits(row_text *out, const uint8_t *bytes, int64_t count)
{
    append_text(out, "0x");
    for (int64_t i = count - 1; i >= 0; i--)
        append_text(out, "%02x", bytes[i]);
}

static bool has_format(const struct ArrowSchema *field, const char *beginning)
{
    return strncmp(field->format, beginning, strlen(beginning)) == 0;
}

/* A signed (or, for capitals, unsigned) integer from a buffer whose items the format names. */
static int64_t read_integer(char format, const void *values, int64_t at)
{
    switch (format) {
    case 'c':
        return ((const int8_t *)values)[at];
    case 'C':
        return ((const uint8_t *)values)[at];
    case 's':
        return ((const int16_t *)values)[at];
    case 'S':
        return ((const uint16_t *)values)[at];
    case 'i':
        return ((const int32_t *)values)[at];
    case 'I':
        return ((const uint32_t *)values)[at];
    default:
        return ((const int64_t *)values)[at];
    }
}

/* Bytes of a value with a fixed width, 0 for bool, -1 for all other types. */
static int64_t get_width(const struct ArrowSchema *field)
{
    static const struct {
        const char *beginning;
        int64_t width;
    } widths[] = {{"c", 1},   {"C", 1},   {"s", 2},   {"S", 2},   {"i", 4},   {"I", 4},
                  {"l", 8},   {"L", 8},   {"e", 2},   {"f", 4},   {"g", 8},   {"tdD", 4},
                  {"tdm", 8}, {"tts", 4}, {"ttm", 4}, {"ttu", 8}, {"ttn", 8}, {"ts", 8},
                  {"tD", 8},  {"tiM", 4}, {"tiD", 8}, {"tin", 16}};

    if (has_format(field, "w:"))
        return strtoll(field->format + 2, NULL, 10);
    if (has_format(field, "d:")) {
        const char *comma = strchr(field->format, ',');
        const char *second = comma == NULL ? NULL : strchr(comma + 1, ',');

        return second == NULL ? 16 : strtoll(second + 1, NULL, 10) / 8;
    }
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        if (has_format(field, widths[i].beginning))
            return widths[i].width;
    }
    return -1;
}

static void append_plain(row_text *out, const struct ArrowSchema *field, const void *values,
                         int64_t at)
{
    const int64_t width = get_width(field);
    const uint8_t *bytes = (const uint8_t *)values + (width > 0 ? at * width : 0);

    test_require(width >= 0, "a format without a reader");
    if (has_format(field, "w:"))
        append_quoted(out, bytes, width);
    else if (strchr("efg", field->format[0]) != NULL || width > 8 || has_format(field, "tiD"))
        append_bits(out, bytes, width);
    else if (field->format[0] == 'L')
        append_text(out, "%" PRIu64, ((const uint64_t *)values)[at]);
    else if (strchr("CSI", field->format[0]) != NULL)
        append_text(out, "%" PRId64, read_integer(field->format[0], values, at));
    else
        append_text(out, "%" PRId64,
                    read_integer("?cs?i???l"[width], values, at));
}

static void append_bytes_value(row_text *out, const struct ArrowSchema *field,
                               const struct ArrowArray *array, int64_t at)
{
    if (field->format[0] == 'v') {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * at;
        int32_t parts[4];

        memcpy(parts, view, sizeof(parts));
        if (parts[0] <= 12)
            append_quoted(out, view + 4, parts[0]);
        else
            append_quoted(out, (const uint8_t *)array->buffers[2 + parts[2]] + parts[3], parts[0]);
        return;
    }
    const char width = field->format[0] == 'Z' || field->format[0] == 'U' ? 'l' : 'i';
    const int64_t first = read_integer(width, array->buffers[1], at);
    const int64_t end = read_integer(width, array->buffers[1], at + 1);

    append_quoted(out, first == end ? NULL : (const uint8_t *)array->buffers[2] + first,
                  end - first);
}

static void append_value(row_text *out, const struct ArrowSchema *field,
                         const struct ArrowArray *array, int64_t row);

static void append_elements(row_text *out, const struct ArrowSchema *field,
                            const struct ArrowArray *array, int64_t first, int64_t count)
{
    append_text(out, "[");
    for (int64_t i = 0; i < count; i++) {
        append_text(out, "%s", i == 0 ? "" : ",");
        append_value(out, field->children[0], array->children[0], first + i);
    }
    append_text(out, "]");
}

static void append_list(row_text *out, const struct ArrowSchema *field,
                        const struct ArrowArray *array, int64_t at)
{
    const void *const *buffers = array->buffers;

    if (has_format(field, "+w:")) {
        const int64_t size = strtoll(field->format + 3, NULL, 10);

        append_elements(out, field, array, at * size, size);
    } else if (has_format(field, "+v")) {
        const char width = field->format[2] == 'L' ? 'l' : 'i';

        append_elements(out, field, array, read_integer(width, buffers[1], at),
                        read_integer(width, buffers[2], at));
    } else {
        const char width = field->format[1] == 'L' ? 'l' : 'i';
        const int64_t first = read_integer(width, buffers[1], at);

        append_elements(out, field, array, first, read_integer(width, buffers[1], at + 1) - first);
    }
}

static void append_struct(row_text *out, const struct ArrowSchema *field,
                          const struct ArrowArray *array, int64_t at)
{
    append_text(out, "{");
    for (int64_t i = 0; i < field->n_children; i++) {
        append_text(out, "%s%s:", i == 0 ? "" : ",", field->children[i]->name);
        append_value(out, field->children[i], array->children[i], at);
    }
    append_text(out, "}");
}

/* The child that a type id names: its place in the list of the format. */
static int64_t find_union_child(const struct ArrowSchema *field, int id)
{
    const char *text = field->format + 4;

    for (int64_t child = 0; child < field->n_children; child++) {
        char *end;

        if (strtol(text, &end, 10) == id)
            return child;
        text = end + 1;
    }
    test_require(false, "a union has a type id that its format lacks");
    return 0;
}

static void append_union(row_text *out, const struct ArrowSchema *field,
                         const struct ArrowArray *array, int64_t at)
{
    const int id = ((const int8_t *)array->buffers[0])[at];
    const int64_t child = find_union_child(field, id);
    const int64_t row =
        field->format[2] == 'd' ? ((const int32_t *)array->buffers[1])[at] : at;

    append_text(out, "(%d:", id);
    append_value(out, field->children[child], array->children[child], row);
    append_text(out, ")");
}

static void append_run(row_text *out, const struct ArrowSchema *field,
                       const struct ArrowArray *array, int64_t at)
{
    const struct ArrowArray *ends = array->children[0];
    int64_t run = 0;

    while (read_integer(field->children[0]->format[0], ends->buffers[1], ends->offset + run) <= at)
        test_require(++run < ends->length, "runs end before their array does");
    append_value(out, field->children[1], array->children[1], run);
}

static void append_value(row_text *out, const struct ArrowSchema *field,
                         const struct ArrowArray *array, int64_t row)
{
    const int64_t at = array->offset + row;
    const bool has_bitmap =
        field->format[0] != 'n' && !has_format(field, "+r") && !has_format(field, "+u");

    test_require(row >= 0 && row < array->length, "a row is read that is not there");
    if (field->format[0] == 'n' ||
        (has_bitmap && array->buffers[0] != NULL &&
         ((((const uint8_t *)array->buffers[0])[at / 8] >> (at % 8)) & 1) == 0)) {
        append_text(out, "null");
    } else if (field->dictionary != NULL) {
        append_value(out, field->dictionary, array->dictionary,
                     read_integer(field->format[0], array->buffers[1], at));
    } else if (field->format[0] == 'b') {
        const uint8_t byte = ((const uint8_t *)array->buffers[1])[at / 8];

        append_text(out, "%s", ((byte >> (at % 8)) & 1) != 0 ? "true" : "false");
    } else if (strchr("zZuUv", field->format[0]) != NULL) {
        append_bytes_value(out, field, array, at);
    } else if (has_format(field, "+s")) {
        append_struct(out, field, array, at);
    } else if (has_format(field, "+u")) {
        append_union(out, field, array, at);
    } else if (has_format(field, "+r")) {
        append_run(out, field, array, at);
    } else if (field->format[0] == '+') {
        append_list(out, field, array, at);
    } else {
        append_plain(out, field, array->buffers[1], at);
    }
}

char *test_row_text(const struct ArrowSchema *field, const struct ArrowArray *array, int64_t row)
{
    row_text out = {0};

    append_value(&out, field, array, row);
    return out.bytes;
}

bool test_arrays_equal(const struct ArrowSchema *left_field, const struct ArrowArray *left,
                       const struct ArrowSchema *right_field, const struct ArrowArray *right)
{
    test_rows left_rows = {0};
    test_rows right_rows = {0};

    test_rows_append(&left_rows, left_field, left);
    test_rows_append(&right_rows, right_field, right);
    const bool is_equal = test_rows_equal(&left_rows, &right_rows);

    test_rows_free(&right_rows);
    test_rows_free(&left_rows);
    return is_equal;
}

void test_rows_append(test_rows *rows, const struct ArrowSchema *field,
                      const struct ArrowArray *array)
{
    for (int64_t row = 0; row < array->length; row++) {
        if (rows->count == rows->capacity) {
            rows->capacity = rows->capacity * 2 + 16;
            rows->texts = realloc(rows->texts, rows->capacity * sizeof(*rows->texts));
            test_require(rows->texts != NULL, "out of memory");
        }
        rows->texts[rows->count++] = test_row_text(field, array, row);
    }
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void test_rows_sort(test_rows *rows)
{
    if (rows->count > 0)
        qsort(rows->texts, rows->count, sizeof(*rows->texts), compare_texts);
}

bool test_rows_equal(const test_rows *left, const test_rows *right)
{
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++) {
        if (strcmp(left->texts[i], right->texts[i]) != 0)
            return false;
    }
    return true;
}

void test_rows_free(test_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->texts[i]);
    free(rows->texts);
    *rows = (test_rows){0};
}
