/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/random_arrays.c - random arrays and schemas
 *
 * An array is made with some rows more than are asked for, at either end, when it is to be sliced;
 * what is below it is made for all of them.  Everything Arrow leaves open is left to chance.
 */
#include "arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_DEFAULT = 20, EXTRA_ROWS_MAX = 9, VIEW_BUFFERS = 2, DICTIONARY_ROWS_MAX = 40 };

/* What all arrays of a tree share. */
typedef struct random_source {
    uint64_t state;
    const test_random_options *options;
} random_source;

/* An array in the making: rows from physical place offset on, physical_rows in all. */
typedef struct random_array {
    const struct ArrowSchema *field;
    int64_t row_count, offset, physical_rows;
    bool has_bitmap;
} random_array;

uint64_t test_random_next(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/* A number from 0 to limit - 1; 0 when limit is 0. */
static int64_t draw(random_source *source, int64_t limit)
{
    return limit <= 0 ? 0 : (int64_t)(test_random_next(&source->state) % (uint64_t)limit);
}

/*
 * The size of a string or a list.  When values come from few, sizes do too: the largest ones, so
 * that strings are not just empty.
 */
static int64_t draw_size(random_source *source)
{
    const int64_t value_count = (int64_t)source->options->value_count;
    const int64_t size_max =
        source->options->size_max == 0 ? SIZE_DEFAULT : source->options->size_max;

    if (value_count > 0 && value_count <= size_max)
        return size_max - draw(source, value_count);
    return draw(source, size_max + 1);
}

/* The seed of a plain value: from few, when the options say so. */
static uint64_t draw_value(random_source *source)
{
    const uint64_t value_count = source->options->value_count;

    return value_count == 0 ? test_random_next(&source->state)
                            : (uint64_t)draw(source, (int64_t)value_count);
}

/* The seed of a string.  When values come from few, it follows from the size. */
static uint64_t draw_string(random_source *source, int64_t size)
{
    return source->options->value_count == 0 ? test_random_next(&source->state) : (uint64_t)size;
}

static void write_random_bytes(uint64_t value, uint8_t *target, size_t count)
{
    for (size_t at = 0; at < count; at += 8) {
        const uint64_t word = test_random_next(&value);

        memcpy(target + at, &word, count - at < 8 ? count - at : 8);
    }
}

/* Text of exactly count bytes: characters of one to four bytes. */
static void write_random_text(uint64_t value, uint8_t *target, size_t count)
{
    static const char *const characters[] = {"a", "b", "Z", "0", " ", "\xC3\xA9",
                                             "\xE2\x82\xAC", "\xF0\x9F\x8C\x8A"};

    while (count > 0) {
        const char *character = characters[test_random_next(&value) % 8];
        const size_t bytes = strlen(character);

        if (bytes > count)
            continue;
        memcpy(target, character, bytes);
        target += bytes;
        count -= bytes;
    }
}

static bool is_text(const struct ArrowSchema *field)
{
    return strchr("uU", field->format[field->format[0] == 'v' ? 1 : 0]) != NULL;
}

static void write_random_string(const struct ArrowSchema *field, uint64_t value, uint8_t *target,
                                size_t count)
{
    if (is_text(field))
        write_random_text(value, target, count);
    else
        write_random_bytes(value, target, count);
}

static bool read_bit(const uint8_t *bits, int64_t at)
{
    return ((bits[at / 8] >> (at % 8)) & 1) != 0;
}

static bool is_row_null(const struct ArrowArray *array, int64_t at)
{
    return array->buffers[0] != NULL && !read_bit(array->buffers[0], at);
}

static size_t get_bitmap_size(const random_array *made)
{
    return made->has_bitmap ? (size_t)(made->physical_rows + 7) / 8 : 0;
}

/* Allocate the array, and fill its bitmap. */
static void begin_array(random_source *source, const random_array *made, int64_t buffer_count,
                        const size_t *bytes, int64_t child_count, struct ArrowArray *out)
{
    const int null_percent = source->options->null_percent;
    int64_t null_count = 0;

    test_array_new(made->row_count, buffer_count, bytes, child_count,
                   made->field->dictionary != NULL, out);
    out->offset = made->offset;
    if (!made->has_bitmap || buffer_count == 0 || out->buffers[0] == NULL)
        return;
    uint8_t *bits = test_array_buffer(out, 0);

    for (int64_t at = 0; at < made->physical_rows; at++) {
        if (draw(source, 100) >= null_percent)
            bits[at / 8] = (uint8_t)(bits[at / 8] | (1u << (at % 8)));
        else if (at >= made->offset && at < made->offset + made->row_count)
            null_count++;
    }
    out->null_count = draw(source, 4) == 0 ? -1 : null_count;
}

static void make_array(random_source *source, const struct ArrowSchema *field, int64_t row_count,
                       bool can_be_null, struct ArrowArray *out);

static void make_fixed(random_source *source, const random_array *made, size_t width,
                       struct ArrowArray *out)
{
    const size_t bytes[] = {get_bitmap_size(made), (size_t)made->physical_rows * width};

    begin_array(source, made, 2, bytes, 0, out);
    for (int64_t at = 0; width > 0 && at < made->physical_rows; at++) {
        write_random_bytes(draw_value(source),
                           (uint8_t *)test_array_buffer(out, 1) + (size_t)at * width, width);
    }
}

static void make_bool(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const size_t bytes[] = {get_bitmap_size(made), (size_t)(made->physical_rows + 7) / 8};

    begin_array(source, made, 2, bytes, 0, out);
    write_random_bytes(test_random_next(&source->state), test_array_buffer(out, 1), bytes[1]);
}

static void set_offset(const struct ArrowArray *array, int64_t buffer, bool is_wide, int64_t at,
                       int64_t offset)
{
    if (is_wide)
        ((int64_t *)test_array_buffer(array, buffer))[at] = offset;
    else
        ((int32_t *)test_array_buffer(array, buffer))[at] = (int32_t)offset;
}

/*
 * Write offsets with random distances, from a first one that need not be 0, and return the last.
 * An array without rows may have no offsets at all.
 */
static int64_t fill_offsets(random_source *source, const random_array *made, bool is_wide,
                            struct ArrowArray *out)
{
    int64_t offset = source->options->is_sliced ? draw(source, 5) : 0;

    for (int64_t at = 0; at <= made->physical_rows && out->buffers[1] != NULL; at++) {
        set_offset(out, 1, is_wide, at, offset);
        if (at < made->physical_rows)
            offset += draw_size(source);
    }
    return offset;
}

static size_t get_offsets_size(random_source *source, const random_array *made, bool is_wide)
{
    if (made->physical_rows == 0 && draw(source, 2) == 0)
        return 0;
    return (size_t)(made->physical_rows + 1) * (is_wide ? 8 : 4);
}

static void make_bytes(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const bool is_wide = made->field->format[0] == 'Z' || made->field->format[0] == 'U';
    const size_t bytes[] = {get_bitmap_size(made), get_offsets_size(source, made, is_wide), 0};

    begin_array(source, made, 3, bytes, 0, out);
    const int64_t data_bytes = fill_offsets(source, made, is_wide, out);

    if (data_bytes == 0)
        return;
    uint8_t *data = malloc((size_t)data_bytes);

    test_require(data != NULL, "out of memory");
    memset(data, 0xFF, (size_t)data_bytes);
    out->buffers[2] = data;
    for (int64_t at = 0; at < made->physical_rows && out->buffers[1] != NULL; at++) {
        const void *offsets = out->buffers[1];
        const int64_t first =
            is_wide ? ((const int64_t *)offsets)[at] : ((const int32_t *)offsets)[at];
        const int64_t end =
            is_wide ? ((const int64_t *)offsets)[at + 1] : ((const int32_t *)offsets)[at + 1];

        if (!is_row_null(out, at))
            write_random_string(made->field, draw_string(source, end - first), data + first,
                                (size_t)(end - first));
    }
}

/* The buffers are as long as if all strings were long. */
static void make_views(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const int size_max = source->options->size_max == 0 ? SIZE_DEFAULT : source->options->size_max;
    const size_t data_bytes = (size_t)made->physical_rows * (size_t)size_max + 1;
    const size_t bytes[] = {get_bitmap_size(made), (size_t)made->physical_rows * 16, data_bytes,
                            data_bytes, 8 * VIEW_BUFFERS};
    int32_t ends[VIEW_BUFFERS] = {0};

    begin_array(source, made, 3 + VIEW_BUFFERS, bytes, 0, out);
    for (size_t i = 0; i < VIEW_BUFFERS; i++)
        ((int64_t *)test_array_buffer(out, 2 + VIEW_BUFFERS))[i] = (int64_t)data_bytes;
    for (int64_t at = 0; at < made->physical_rows; at++) {
        uint8_t *view = (uint8_t *)test_array_buffer(out, 1) + at * 16;
        const int32_t count = (int32_t)draw_size(source);
        const int32_t buffer = (int32_t)draw(source, VIEW_BUFFERS);

        if (is_row_null(out, at)) {
            memset(view, 0xEE, 16);
            continue;
        }
        memcpy(view, &count, 4);
        if (count <= 12) {
            write_random_string(made->field, draw_string(source, count), view + 4, (size_t)count);
            continue;
        }
        uint8_t *data = (uint8_t *)test_array_buffer(out, 2 + buffer) + ends[buffer];

        write_random_string(made->field, draw_string(source, count), data, (size_t)count);
        memcpy(view + 4, data, 4);
        memcpy(view + 8, &buffer, 4);
        memcpy(view + 12, &ends[buffer], 4);
        ends[buffer] += count;
    }
}

static void make_list(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const bool is_wide = made->field->format[1] == 'L';
    const size_t bytes[] = {get_bitmap_size(made), get_offsets_size(source, made, is_wide)};

    begin_array(source, made, 2, bytes, 1, out);
    const int64_t child_rows = fill_offsets(source, made, is_wide, out) + draw(source, 3);

    make_array(source, made->field->children[0], child_rows, true, out->children[0]);
}

/* Ranges anywhere in the child: in no order, overlapping, with gaps. */
static void make_list_view(random_source *source, const random_array *made,
                           struct ArrowArray *out)
{
    const bool is_wide = made->field->format[2] == 'L';
    const size_t width = is_wide ? 8 : 4;
    const size_t bytes[] = {get_bitmap_size(made), (size_t)made->physical_rows * width,
                            (size_t)made->physical_rows * width};
    const int64_t child_rows = draw(source, 3 * made->physical_rows + 1) + draw_size(source);

    begin_array(source, made, 3, bytes, 1, out);
    for (int64_t at = 0; at < made->physical_rows; at++) {
        const int64_t offset = draw(source, child_rows + 1);
        const int64_t size = draw_size(source);

        set_offset(out, 1, is_wide, at, offset);
        set_offset(out, 2, is_wide, at, size < child_rows - offset ? size : child_rows - offset);
    }
    make_array(source, made->field->children[0], child_rows, true, out->children[0]);
}

static void make_fixed_list(random_source *source, const random_array *made,
                            struct ArrowArray *out)
{
    const int64_t size = strtoll(made->field->format + 3, NULL, 10);
    const size_t bytes[] = {get_bitmap_size(made)};

    begin_array(source, made, 1, bytes, 1, out);
    make_array(source, made->field->children[0], made->physical_rows * size, true,
               out->children[0]);
}

static void make_struct(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const size_t bytes[] = {get_bitmap_size(made)};
    const int64_t child_count = made->field->n_children;

    begin_array(source, made, 1, bytes, child_count, out);
    for (int64_t i = 0; i < child_count; i++)
        make_array(source, made->field->children[i], made->physical_rows, true, out->children[i]);
}

/* Fill the type ids, and where dense the offsets, which rise within each child. */
static void make_union(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const bool is_dense = made->field->format[2] == 'd';
    const int64_t child_count = made->field->n_children;
    const size_t bytes[] = {(size_t)made->physical_rows,
                            is_dense ? (size_t)made->physical_rows * 4 : 0};
    int8_t ids[128];
    int32_t child_rows[128] = {0};
    const char *text = made->field->format + 4;

    for (int64_t i = 0; i < child_count; i++) {
        char *end;

        ids[i] = (int8_t)strtol(text, &end, 10);
        text = end + 1;
    }
    begin_array(source, made, is_dense ? 2 : 1, bytes, child_count, out);
    for (int64_t at = 0; at < made->physical_rows; at++) {
        const int64_t child = draw(source, child_count);

        ((int8_t *)test_array_buffer(out, 0))[at] = ids[child];
        if (!is_dense)
            continue;
        child_rows[child] += draw(source, 5) == 0;
        ((int32_t *)test_array_buffer(out, 1))[at] = child_rows[child];
        child_rows[child] += draw(source, 5) != 0;
    }
    for (int64_t i = 0; i < child_count; i++) {
        make_array(source, made->field->children[i],
                   is_dense ? child_rows[i] + 1 : made->physical_rows, true, out->children[i]);
    }
}

/* Null rows have indices beyond the dictionary now and then. */
static void make_dictionary(random_source *source, const random_array *made, size_t width,
                            struct ArrowArray *out)
{
    const size_t bytes[] = {get_bitmap_size(made), (size_t)made->physical_rows * width};
    const int64_t dictionary_rows = 1 + draw(source, DICTIONARY_ROWS_MAX);

    begin_array(source, made, 2, bytes, 0, out);
    for (int64_t at = 0; at < made->physical_rows; at++) {
        const int64_t index = is_row_null(out, at) ? 100 : draw(source, dictionary_rows);

        memcpy((char *)test_array_buffer(out, 1) + (size_t)at * width, &index, width);
    }
    make_array(source, made->field->dictionary, dictionary_rows, true, out->dictionary);
}

static void make_runs(random_source *source, const random_array *made, struct ArrowArray *out)
{
    const char format = made->field->children[0]->format[0];
    const size_t width = format == 's' ? 2 : format == 'i' ? 4 : 8;
    const size_t bytes[] = {0, (size_t)(made->physical_rows + 1) * width};
    int64_t end = 0;
    int64_t run = 0;

    test_require(width > 2 || made->physical_rows < INT16_MAX - 4, "too many rows for int16 runs");
    begin_array(source, made, 0, NULL, 2, out);
    test_array_new(0, 2, bytes, 0, false, out->children[0]);
    while (end < made->physical_rows) {
        end += 1 + draw(source, 4);
        memcpy((char *)test_array_buffer(out->children[0], 1) + (size_t)run++ * width, &end, width);
    }
    out->children[0]->length = run;
    make_array(source, made->field->children[1], run, true, out->children[1]);
}

/* Bytes of a value of a type that has neither offsets nor children. */
static size_t get_value_bytes(const struct ArrowSchema *field)
{
    const char *format = field->format;
    const char *last_comma = strrchr(format, ',');

    if (format[0] == 'w')
        return strtoul(format + 2, NULL, 10);
    if (format[0] == 'd')
        return last_comma == strchr(format, ',') ? 16 : strtoul(last_comma + 1, NULL, 10) / 8;
    if (strcmp(format, "tin") == 0)
        return 16;
    if (strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0 ||
        strcmp(format, "tiM") == 0)
        return 4;
    if (format[0] == 't')
        return 8;
    return strchr("cC", format[0]) != NULL     ? 1
           : strchr("sSe", format[0]) != NULL  ? 2
           : strchr("iIf", format[0]) != NULL ? 4
                                               : 8;
}

static void make_nested(random_source *source, const random_array *made, struct ArrowArray *out)
{
    switch (made->field->format[1]) {
    case 's':
        make_struct(source, made, out);
        return;
    case 'u':
        make_union(source, made, out);
        return;
    case 'r':
        make_runs(source, made, out);
        return;
    case 'v':
        make_list_view(source, made, out);
        return;
    case 'w':
        make_fixed_list(source, made, out);
        return;
    default:
        make_list(source, made, out);
        return;
    }
}

static void make_array(random_source *source, const struct ArrowSchema *field, int64_t row_count,
                       bool can_be_null, struct ArrowArray *out)
{
    const bool is_sliced = source->options->is_sliced;
    const char *format = field->format;
    random_array made = {.field = field, .row_count = row_count};

    made.offset = is_sliced ? draw(source, EXTRA_ROWS_MAX) : 0;
    made.physical_rows = made.offset + row_count + (is_sliced ? draw(source, EXTRA_ROWS_MAX) : 0);
    made.has_bitmap = can_be_null && (field->flags & ARROW_FLAG_NULLABLE) != 0 &&
                      source->options->null_percent > 0 && draw(source, 8) != 0;
    if (field->dictionary != NULL) {
        make_dictionary(source, &made, get_value_bytes(field), out);
    } else if (format[0] == 'n') {
        test_array_new(row_count, 0, NULL, 0, false, out);
        out->offset = made.offset;
        out->null_count = row_count;
    } else if (format[0] == '+') {
        make_nested(source, &made, out);
    } else if (format[0] == 'b') {
        make_bool(source, &made, out);
    } else if (format[0] == 'v') {
        make_views(source, &made, out);
    } else if (strchr("zZuU", format[0]) != NULL) {
        make_bytes(source, &made, out);
    } else {
        make_fixed(source, &made, get_value_bytes(field), out);
    }
}

void test_random_array(const struct ArrowSchema *field, int64_t row_count,
                       const test_random_options *options, struct ArrowArray *out)
{
    random_source source = {.state = options->seed, .options = options};

    make_array(&source, field, row_count, true, out);
}

void test_random_batch(const struct ArrowSchema *schema, int64_t row_count,
                       const test_random_options *options, struct ArrowArray *out)
{
    random_source source = {.state = options->seed, .options = options};

    make_array(&source, schema, row_count, false, out);
}
