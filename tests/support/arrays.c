/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/arrays.c - arrays from JSON
 *
 * A builder gets the values of one array as pointers to JSON values, NULL for null, and makes the
 * arrays below it from those of its own values that belong there.
 */
#include "arrays.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNION_VALUES = 2, VIEW_BYTES = 16, VIEW_INLINE_BYTES = 12, BUFFER_ALIGNMENT = 64 };

typedef struct value_list {
    json_t **values;
    size_t count;
} value_list;

static void release_test_array(struct ArrowArray *array)
{
    struct ArrowArray *children = array->private_data;

    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    free(array->buffers);
    free(array->dictionary);
    free(array->children);
    free(children);
    array->release = NULL;
}

static void *allocate_zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);

    test_require(memory != NULL, "out of memory");
    return memory;
}

void test_array_new(int64_t row_count, int64_t buffer_count, const size_t *buffer_bytes,
                    int64_t child_count, bool has_dictionary, struct ArrowArray *out)
{
    struct ArrowArray *children = allocate_zeroed((size_t)child_count, sizeof(*children));

    memset(out, 0, sizeof(*out));
    out->length = row_count;
    out->n_buffers = buffer_count;
    out->buffers = allocate_zeroed((size_t)buffer_count, sizeof(*out->buffers));
    out->n_children = child_count;
    out->children = allocate_zeroed((size_t)child_count, sizeof(*out->children));
    for (int64_t i = 0; i < child_count; i++)
        out->children[i] = &children[i];
    for (int64_t i = 0; i < buffer_count; i++) {
        const size_t bytes = buffer_bytes[i];

        if (bytes == 0)
            continue;
        /* Exactly as long as was asked for, so that the address sanitizer sees what is beyond. */
        void *buffer = NULL;

        test_require(posix_memalign(&buffer, BUFFER_ALIGNMENT, bytes) == 0, "out of memory");
        memset(buffer, 0, bytes);
        out->buffers[i] = buffer;
    }
    if (has_dictionary)
        out->dictionary = allocate_zeroed(1, sizeof(*out->dictionary));
    out->private_data = children;
    out->release = release_test_array;
}

void *test_array_buffer(const struct ArrowArray *array, int64_t index)
{
    test_require(index >= 0 && index < array->n_buffers, "an array lacks a buffer");
    return (void *)(uintptr_t)array->buffers[index];
}

static value_list make_list(size_t count)
{
    return (value_list){.values = allocate_zeroed(count, sizeof(json_t *)), .count = count};
}

static void set_bit(uint8_t *bits, size_t at)
{
    bits[at / 8] = (uint8_t)(bits[at / 8] | (1u << (at % 8)));
}

static int64_t count_nulls(value_list list)
{
    int64_t nulls = 0;

    for (size_t i = 0; i < list.count; i++)
        nulls += list.values[i] == NULL;
    return nulls;
}

/* The size of a bitmap for the values; 0 when none is null. */
static size_t get_bitmap_bytes(value_list list)
{
    return count_nulls(list) == 0 ? 0 : (list.count + 7) / 8;
}

static void fill_validity(value_list list, struct ArrowArray *out)
{
    out->null_count = count_nulls(list);
    for (size_t i = 0; out->null_count > 0 && i < list.count; i++) {
        if (list.values[i] != NULL)
            set_bit(test_array_buffer(out, 0), i);
    }
}

/* The little-endian bits of a number given as JSON; see test_array() for the forms. */
static void write_number(const struct ArrowSchema *field, const json_t *value, uint8_t *target,
                         size_t width)
{
    const bool is_float = strchr("fg", field->format[0]) != NULL;
    const char *text = json_string_value(value);

    if (text != NULL && strncmp(text, "0x", 2) == 0) {
        const size_t digit_count = strlen(text) - 2;

        memset(target, 0, width);
        for (size_t digit = 0; digit < digit_count && digit < 2 * width; digit++) {
            const char digits[2] = {text[2 + digit_count - 1 - digit], '\0'};

            target[digit / 2] |= (uint8_t)(strtoul(digits, NULL, 16) << (digit % 2 * 4));
        }
    } else if (is_float) {
        const double number = text != NULL ? strtod(text, NULL) : json_number_value(value);
        const float narrow = (float)number;

        memcpy(target, width == 4 ? (const void *)&narrow : (const void *)&number, width);
    } else {
        const int64_t number =
            text != NULL ? (int64_t)strtoull(text, NULL, 10) : json_integer_value(value);

        test_require(text != NULL || json_is_integer(value), "a value is no integer");
        for (size_t byte = 0; byte < width; byte++)
            target[byte] = (uint8_t)(byte < 8 ? number >> (8 * byte) : number >> 63);
    }
}

/* The parts of an interval, each of its own width. */
static void write_interval(const json_t *value, uint8_t *target, size_t part_count)
{
    for (size_t part = 0; part < part_count; part++) {
        const int64_t number = json_integer_value(json_array_get(value, part));

        memcpy(target + 4 * part, &number, part == 2 ? 8 : 4);
    }
}

static size_t get_fixed_width(const struct ArrowSchema *field)
{
    static const char *const formats[] = {"c", "C", "s",   "S",   "e",   "i",   "I",   "f",
                                          "l", "L", "g",   "tdD", "tts", "ttm", "tiM", "tdm",
                                          "ttu", "ttn", "tiD", "tin"};
    static const size_t widths[] = {1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 16};
    const char *last_comma = strrchr(field->format, ',');

    if (strncmp(field->format, "w:", 2) == 0)
        return strtoul(field->format + 2, NULL, 10);
    if (strncmp(field->format, "d:", 2) == 0)
        return last_comma == strchr(field->format, ',') ? 16
                                                        : strtoul(last_comma + 1, NULL, 10) / 8;
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        if (strcmp(field->format, formats[i]) == 0)
            return widths[i];
    }
    test_require(strncmp(field->format, "ts", 2) == 0 || strncmp(field->format, "tD", 2) == 0,
                 "a format that no array can be made of");
    return 8;
}

static void build_fixed(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const size_t width = get_fixed_width(field);
    const size_t bytes[] = {get_bitmap_bytes(list), list.count * width};

    test_array_new((int64_t)list.count, 2, bytes, 0, false, out);
    for (size_t i = 0; i < list.count; i++) {
        if (list.values[i] == NULL || width == 0)
            continue;
        uint8_t *target = (uint8_t *)test_array_buffer(out, 1) + i * width;

        if (field->format[0] == 'w') {
            test_require(json_string_length(list.values[i]) == width, "a string of another width");
            memcpy(target, json_string_value(list.values[i]), width);
        } else if (strcmp(field->format, "tiD") == 0 || strcmp(field->format, "tin") == 0) {
            write_interval(list.values[i], target, width == 16 ? 3 : 2);
        } else {
            write_number(field, list.values[i], target, width);
        }
    }
}

static void build_bool(value_list list, struct ArrowArray *out)
{
    const size_t bytes[] = {get_bitmap_bytes(list), (list.count + 7) / 8};

    test_array_new((int64_t)list.count, 2, bytes, 0, false, out);
    for (size_t i = 0; i < list.count; i++) {
        if (json_is_true(list.values[i]))
            set_bit(test_array_buffer(out, 1), i);
    }
}

static void write_offset(const struct ArrowArray *array, bool is_wide, size_t at, size_t offset)
{
    if (is_wide)
        ((int64_t *)test_array_buffer(array, 1))[at] = (int64_t)offset;
    else
        ((int32_t *)test_array_buffer(array, 1))[at] = (int32_t)offset;
}

static void build_bytes(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const bool is_wide = field->format[0] == 'Z' || field->format[0] == 'U';
    size_t data_bytes = 0;

    for (size_t i = 0; i < list.count; i++)
        data_bytes += json_string_length(list.values[i]);
    const size_t bytes[] = {get_bitmap_bytes(list), (list.count + 1) * (is_wide ? 8 : 4),
                            data_bytes};
    size_t end = 0;

    test_array_new((int64_t)list.count, 3, bytes, 0, false, out);
    for (size_t i = 0; i < list.count; i++) {
        const size_t count = json_string_length(list.values[i]);

        if (count > 0) {
            memcpy((char *)test_array_buffer(out, 2) + end, json_string_value(list.values[i]),
                   count);
        }
        end += count;
        write_offset(out, is_wide, i + 1, end);
    }
}

static void build_views(value_list list, struct ArrowArray *out)
{
    size_t data_bytes = 0;

    for (size_t i = 0; i < list.count; i++)
        data_bytes += json_string_length(list.values[i]);
    const size_t bytes[] = {get_bitmap_bytes(list), list.count * VIEW_BYTES, data_bytes, 8};
    int32_t end = 0;

    test_array_new((int64_t)list.count, 4, bytes, 0, false, out);
    *(int64_t *)test_array_buffer(out, 3) = (int64_t)data_bytes;
    for (size_t i = 0; i < list.count; i++) {
        const int32_t count = (int32_t)json_string_length(list.values[i]);
        const char *text = json_string_value(list.values[i]);
        uint8_t *view = (uint8_t *)test_array_buffer(out, 1) + i * VIEW_BYTES;

        memcpy(view, &count, 4);
        if (count > 0)
            memcpy(view + 4, text, (size_t)(count <= VIEW_INLINE_BYTES ? count : 4));
        if (count <= VIEW_INLINE_BYTES)
            continue;
        memcpy(view + 12, &end, 4);
        memcpy((char *)test_array_buffer(out, 2) + end, text, (size_t)count);
        end += count;
    }
}

static void build_array(const struct ArrowSchema *field, value_list list, struct ArrowArray *out);

/* The elements of all lists in a row; NULL where a fixed-size list is null. */
static value_list gather_elements(value_list list, size_t fixed_size)
{
    size_t count = 0;

    for (size_t i = 0; i < list.count; i++)
        count += list.values[i] == NULL ? fixed_size : json_array_size(list.values[i]);
    value_list elements = make_list(count);
    size_t end = 0;

    for (size_t i = 0; i < list.count; i++) {
        const size_t size =
            list.values[i] == NULL ? fixed_size : json_array_size(list.values[i]);

        for (size_t element = 0; element < size; element++) {
            json_t *value = json_array_get(list.values[i], element);

            elements.values[end++] = json_is_null(value) ? NULL : value;
        }
    }
    return elements;
}

static void build_list(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const bool is_fixed = field->format[1] == 'w';
    const bool is_view = field->format[1] == 'v';
    const bool is_wide = field->format[is_view ? 2 : 1] == 'L';
    const size_t width = is_wide ? 8 : 4;
    const size_t bytes[] = {get_bitmap_bytes(list), (list.count + 1) * width,
                            is_view ? (list.count + 1) * width : 0};
    const value_list elements =
        gather_elements(list, is_fixed ? strtoul(field->format + 3, NULL, 10) : 0);
    size_t end = 0;

    test_array_new((int64_t)list.count, is_fixed ? 1 : is_view ? 3 : 2, bytes, 1, false, out);
    build_array(field->children[0], elements, out->children[0]);
    for (size_t i = 0; !is_fixed && i < list.count; i++) {
        const size_t count = json_array_size(list.values[i]);

        end += count;
        write_offset(out, is_wide, i + 1, end);
        if (is_view)
            memcpy((char *)test_array_buffer(out, 2) + i * width, &count, width);
    }
    free(elements.values);
}

static void build_struct(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const size_t bytes[] = {get_bitmap_bytes(list)};

    test_array_new((int64_t)list.count, 1, bytes, field->n_children, false, out);
    for (int64_t child = 0; child < field->n_children; child++) {
        const value_list members = make_list(list.count);

        for (size_t i = 0; i < list.count; i++) {
            json_t *value = json_is_array(list.values[i])
                                ? json_array_get(list.values[i], (size_t)child)
                                : json_object_get(list.values[i], field->children[child]->name);

            members.values[i] = json_is_null(value) ? NULL : value;
        }
        build_array(field->children[child], members, out->children[child]);
        free(members.values);
    }
}

/* Children of a sparse union have a row for each of the union, null where it is another's. */
static void build_union(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const bool is_dense = field->format[2] == 'd';
    const size_t bytes[] = {list.count, is_dense ? list.count * 4 : 0};
    const char *ids = field->format + 4;

    test_array_new((int64_t)list.count, is_dense ? 2 : 1, bytes, field->n_children, false, out);
    for (int64_t child = 0; child < field->n_children; child++) {
        const value_list members = make_list(list.count);
        size_t end = 0;
        char *ids_next;
        const long id = strtol(ids, &ids_next, 10);

        ids = ids_next + 1;
        for (size_t i = 0; i < list.count; i++) {
            test_require(json_array_size(list.values[i]) == UNION_VALUES,
                         "a value of a union is no [type id, value]");
            json_t *value = json_array_get(list.values[i], 1);
            const bool is_here = json_integer_value(json_array_get(list.values[i], 0)) == id;

            if (is_here) {
                ((int8_t *)test_array_buffer(out, 0))[i] = (int8_t)id;
                if (is_dense)
                    ((int32_t *)test_array_buffer(out, 1))[i] = (int32_t)end;
            }
            if (is_here || !is_dense)
                members.values[end++] = !is_here || json_is_null(value) ? NULL : value;
        }
        build_array(field->children[child], (value_list){members.values, end},
                    out->children[child]);
        free(members.values);
    }
}

static bool are_values_equal(const json_t *left, const json_t *right)
{
    return left == NULL || right == NULL ? left == right : json_equal(left, right) != 0;
}

static void build_dictionary(const struct ArrowSchema *field, value_list list,
                             struct ArrowArray *out)
{
    const size_t width = get_fixed_width(field);
    const size_t bytes[] = {get_bitmap_bytes(list), list.count * width};
    const value_list entries = make_list(list.count);
    size_t entry_count = 0;

    test_array_new((int64_t)list.count, 2, bytes, 0, true, out);
    for (size_t i = 0; i < list.count; i++) {
        size_t entry = 0;

        if (list.values[i] == NULL)
            continue;
        while (entry < entry_count && !are_values_equal(entries.values[entry], list.values[i]))
            entry++;
        if (entry == entry_count)
            entries.values[entry_count++] = list.values[i];
        memcpy((char *)test_array_buffer(out, 1) + i * width, &entry, width);
    }
    build_array(field->dictionary, (value_list){entries.values, entry_count}, out->dictionary);
    free(entries.values);
}

static void build_runs(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const size_t width = get_fixed_width(field->children[0]);
    const value_list runs = make_list(list.count);
    size_t run_count = 0;
    size_t *ends = allocate_zeroed(list.count, sizeof(*ends));

    for (size_t i = 0; i < list.count; i++) {
        if (run_count == 0 || !are_values_equal(runs.values[run_count - 1], list.values[i]))
            runs.values[run_count++] = list.values[i];
        ends[run_count - 1] = i + 1;
    }
    const size_t bytes[] = {0, run_count * width};

    test_array_new((int64_t)list.count, 0, NULL, 2, false, out);
    test_array_new((int64_t)run_count, 2, bytes, 0, false, out->children[0]);
    for (size_t run = 0; run < run_count; run++)
        memcpy((char *)test_array_buffer(out->children[0], 1) + run * width, &ends[run], width);
    build_array(field->children[1], (value_list){runs.values, run_count}, out->children[1]);
    free(ends);
    free(runs.values);
}

static void build_array(const struct ArrowSchema *field, value_list list, struct ArrowArray *out)
{
    const char *format = field->format;
    bool has_validity = true;

    if (field->dictionary != NULL) {
        build_dictionary(field, list, out);
    } else if (format[0] == 'n') {
        test_array_new((int64_t)list.count, 0, NULL, 0, false, out);
        out->null_count = (int64_t)list.count;
        has_validity = false;
    } else if (format[0] == 'b') {
        build_bool(list, out);
    } else if (strchr("zZuU", format[0]) != NULL) {
        build_bytes(field, list, out);
    } else if (format[0] == 'v') {
        build_views(list, out);
    } else if (strcmp(format, "+s") == 0) {
        build_struct(field, list, out);
    } else if (strncmp(format, "+u", 2) == 0) {
        build_union(field, list, out);
        has_validity = false;
    } else if (strcmp(format, "+r") == 0) {
        build_runs(field, list, out);
        has_validity = false;
    } else if (format[0] == '+') {
        build_list(field, list, out);
    } else {
        build_fixed(field, list, out);
    }
    if (has_validity)
        fill_validity(list, out);
}

void test_array(const struct ArrowSchema *field, const char *json, struct ArrowArray *out)
{
    json_error_t json_error;
    json_t *parsed = json_loads(json, JSON_ALLOW_NUL, &json_error);

    if (!json_is_array(parsed)) {
        fprintf(stderr, "%s: %s\n", json_error.text, json);
        test_require(false, "the JSON of an array is no array");
    }
    const value_list list = make_list(json_array_size(parsed));

    for (size_t i = 0; i < list.count; i++) {
        json_t *value = json_array_get(parsed, i);

        list.values[i] = json_is_null(value) ? NULL : value;
    }
    build_array(field, list, out);
    free(list.values);
    json_decref(parsed);
}

void test_batch(const struct ArrowSchema *schema, const char *json, struct ArrowArray *out)
{
    test_array(schema, json, out);
    test_require(out->null_count == 0, "a row of a batch is null");
}
