/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/json_value.c - values in JSON
 *
 * Recursion follows the type, which is nested no deeper than SLUICE_NESTING_MAX; what is nested
 * deeper in a JSON text fits no type and is refused where it begins.
 */
#include "route/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "route/base64.h"
#include "route/leaf.h"
#include "route/text_value.h"

/* Beyond this, readers that know only doubles would round. */
#define JSON_INTEGER_MAX (INT64_C(1) << 53)

enum {
    JSON_MESSAGE_BYTES = 128,
    JSON_FAIL_FLAGS = JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII
};

static json_t *make_integer(int64_t number)
{
    if (number >= -JSON_INTEGER_MAX && number <= JSON_INTEGER_MAX)
        return json_integer(number);
    return json_sprintf("%lld", (long long)number);
}

static json_t *make_unsigned(uint64_t number)
{
    return number <= (uint64_t)JSON_INTEGER_MAX ? json_integer((json_int_t)number)
                                                : json_sprintf("%llu", (unsigned long long)number);
}

static json_t *make_float(const sluice_column *column, int64_t row)
{
    const uint64_t bits = sluice_leaf_float(column, row);
    double number;

    memcpy(&number, &bits, sizeof(number));
    if (isnan(number))
        return json_string(signbit(number) ? "-NaN" : "NaN");
    if (isinf(number))
        return json_string(number < 0 ? "-Infinity" : "Infinity");
    return json_real(number);
}

static json_t *make_interval(const sluice_column *column, int64_t row)
{
    const sluice_bytes_view view = sluice_column_bytes(column, row);
    int32_t halves[2];
    int64_t nanoseconds;

    memcpy(halves, view.bytes, sizeof(halves));
    if (column->field->type == SLUICE_TYPE_INTERVAL_DAY_TIME)
        return json_pack("{s:i, s:i}", "days", halves[0], "milliseconds", halves[1]);
    memcpy(&nanoseconds, view.bytes + sizeof(halves), sizeof(nanoseconds));
    return json_pack("{s:i, s:i, s:o}", "months", halves[0], "days", halves[1], "nanoseconds",
                     make_integer(nanoseconds));
}

static json_t *make_base64(const sluice_bytes_view *view)
{
    sluice_bytes text = {0};
    json_t *value = NULL;

    if (sluice_base64_encode(&text, NULL, view->bytes, (size_t)view->byte_count, NULL) ==
        SLUICE_OK)
        value = json_stringn(text.byte_count == 0 ? "" : (const char *)text.bytes,
                             text.byte_count);
    sluice_bytes_deinit(&text, NULL);
    return value;
}

static json_t *make_bytes(const sluice_column *column, int64_t row)
{
    const sluice_bytes_view view = sluice_column_bytes(column, row);

    if (column->field->type != SLUICE_TYPE_UTF8)
        return make_base64(&view);
    return json_stringn((const char *)view.bytes, (size_t)view.byte_count);
}

static json_t *make_leaf(const sluice_column *column, int64_t row)
{
    char text[SLUICE_TEXT_VALUE_BYTES];

    if (sluice_text_value_format(column, row, text))
        return json_string(text);
    switch (sluice_leaf_family(column->field->type)) {
    case SLUICE_LEAF_BOOL:
        return json_boolean(sluice_leaf_integer(column, row));
    case SLUICE_LEAF_UNSIGNED:
        return make_unsigned((uint64_t)sluice_leaf_integer(column, row));
    case SLUICE_LEAF_FLOAT:
        return make_float(column, row);
    case SLUICE_LEAF_INTERVAL:
        return make_interval(column, row);
    case SLUICE_LEAF_SIGNED:
    case SLUICE_LEAF_TIME:
        return make_integer(sluice_leaf_integer(column, row));
    case SLUICE_LEAF_DECIMAL:
    case SLUICE_LEAF_NONE:
        break;
    }
    return make_bytes(column, row);
}

static bool has_distinct_names(const sluice_field *field)
{
    for (size_t i = 0; i < field->child_count; i++) {
        for (size_t before = 0; before < i; before++) {
            if (strcmp(field->children[before].name, field->children[i].name) == 0)
                return false;
        }
    }
    return true;
}

static json_t *make_struct(const sluice_column *column, int64_t row)
{
    const sluice_field *field = column->field;
    const bool is_object = has_distinct_names(field);
    json_t *value = is_object ? json_object() : json_array();

    for (size_t i = 0; value != NULL && i < field->child_count; i++) {
        json_t *member = sluice_json_from_value(&column->children[i], row);
        const int failed = is_object ? json_object_set_new(value, field->children[i].name, member)
                                     : json_array_append_new(value, member);

        if (failed != 0) {
            json_decref(value);
            return NULL;
        }
    }
    return value;
}

static json_t *make_list(const sluice_column *column, int64_t row)
{
    const sluice_list_range range = sluice_column_list(column, row);
    json_t *value = json_array();

    for (int64_t i = 0; value != NULL && i < range.count; i++) {
        json_t *element = sluice_json_from_value(&column->children[0], range.first + i);

        if (json_array_append_new(value, element) != 0) {
            json_decref(value);
            return NULL;
        }
    }
    return value;
}

json_t *sluice_json_from_value(const sluice_column *column, int64_t row)
{
    if (!sluice_leaf_resolve(&column, &row))
        return json_null();
    if (column->field->type == SLUICE_TYPE_STRUCT)
        return make_struct(column, row);
    if (column->field->type == SLUICE_TYPE_LIST)
        return make_list(column, row);
    SLUICE_ASSERT(column->field->child_count == 0);
    return make_leaf(column, row);
}

/* A value of the wrong kind; the message shows it, cut. */
static sluice_status fail_value(const sluice_rows *rows, const json_t *value, int64_t split,
                                sluice_error *error)
{
    char text[JSON_MESSAGE_BYTES] = {0}; /* Its end stays zero where the value is cut. */

    if (json_is_string(value))
        return sluice_text_value_fail(rows, json_string_value(value), split, error);
    if (json_dumpb(value, text, sizeof(text) - 1, JSON_FAIL_FLAGS) == 0)
        text[0] = '?';
    return sluice_text_value_fail(rows, text, split, error);
}

static sluice_status append_string(sluice_rows *rows, const json_t *value, int64_t split,
                                   sluice_error *error)
{
    const char *text = json_string_value(value);
    const size_t text_bytes = json_string_length(value);
    const sluice_type type = rows->field.type;
    sluice_bytes bytes = {0};
    sluice_status status;

    if (type != SLUICE_TYPE_BINARY && type != SLUICE_TYPE_FIXED_SIZE_BINARY)
        return sluice_text_value_append(rows, text, text_bytes, split, error);
    status = sluice_base64_decode(&bytes, &rows->allocator, text, text_bytes, NULL);
    if (status == SLUICE_OK && type == SLUICE_TYPE_FIXED_SIZE_BINARY &&
        bytes.byte_count != (size_t)rows->field.byte_width)
        status = SLUICE_BAD_DATA;
    if (status == SLUICE_OK)
        status = sluice_rows_append_bytes(rows, bytes.bytes, bytes.byte_count, error);
    else if (status == SLUICE_BAD_DATA)
        status = fail_value(rows, value, split, error);
    else
        status = sluice_fail_allocation(error, text_bytes, "a split point");
    sluice_bytes_deinit(&bytes, &rows->allocator);
    return status;
}

static sluice_status append_number(sluice_rows *rows, const json_t *value, int64_t split,
                                   sluice_error *error)
{
    const sluice_leaf_kind kind = sluice_leaf_family(rows->field.type);
    char text[32];

    if (kind == SLUICE_LEAF_FLOAT)
        return sluice_text_value_append_double(rows, json_number_value(value), split, error);
    if (!json_is_integer(value))
        return fail_value(rows, value, split, error);
    if (kind == SLUICE_LEAF_SIGNED || kind == SLUICE_LEAF_UNSIGNED || kind == SLUICE_LEAF_TIME)
        return sluice_text_value_append_integer(rows, json_integer_value(value), split, error);
    if (kind != SLUICE_LEAF_DECIMAL)
        return fail_value(rows, value, split, error);
    const int text_bytes =
        snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));

    return sluice_text_value_append(rows, text, (size_t)text_bytes, split, error);
}

/* The integer member of an interval, as a number or as text; false when it is neither. */
static bool get_component(const json_t *interval, const char *name, int64_t *number)
{
    const json_t *value = json_object_get(interval, name);
    char *end;

    *number = json_integer_value(value);
    if (json_is_integer(value))
        return true;
    if (!json_is_string(value) || json_string_length(value) == 0)
        return false;
    errno = 0;
    *number = strtoll(json_string_value(value), &end, 10);
    return *end == '\0' && errno == 0;
}

static sluice_status append_interval(sluice_rows *rows, const json_t *value, int64_t split,
                                     sluice_error *error)
{
    const bool is_day_time = rows->field.type == SLUICE_TYPE_INTERVAL_DAY_TIME;
    int64_t parts[3] = {0};
    const bool is_interval =
        get_component(value, is_day_time ? "days" : "months", &parts[0]) &&
        get_component(value, is_day_time ? "milliseconds" : "days", &parts[1]) &&
        (is_day_time || get_component(value, "nanoseconds", &parts[2]));
    const int32_t halves[2] = {(int32_t)parts[0], (int32_t)parts[1]};
    uint8_t bytes[16];

    if (!is_interval || halves[0] != parts[0] || halves[1] != parts[1])
        return fail_value(rows, value, split, error);
    memcpy(bytes, halves, sizeof(halves));
    memcpy(bytes + sizeof(halves), &parts[2], sizeof(parts[2]));
    return sluice_rows_append_bytes(rows, bytes, (size_t)rows->field.byte_width, error);
}

static sluice_status append_elements(sluice_rows *rows, const json_t *value, int64_t split,
                                     sluice_error *error)
{
    const size_t count = json_array_size(value);

    if (rows->field.layout == SLUICE_LAYOUT_FIXED_SIZE_LIST &&
        count != (size_t)rows->field.list_size)
        return fail_value(rows, value, split, error);
    for (size_t i = 0; i < count; i++) {
        SLUICE_TRY(sluice_json_value_append(&rows->children[0], json_array_get(value, i), split,
                                            error));
    }
    return sluice_rows_end_list(rows, error);
}

/* Members that are not there are null. */
static sluice_status append_members(sluice_rows *rows, const json_t *value, int64_t split,
                                    sluice_error *error)
{
    const size_t count = rows->field.child_count;
    const bool is_array = json_is_array(value);

    if ((is_array && json_array_size(value) != count) ||
        (!is_array && !has_distinct_names(&rows->field)))
        return fail_value(rows, value, split, error);
    for (size_t i = 0; i < count; i++) {
        const json_t *member = is_array
                                   ? json_array_get(value, i)
                                   : json_object_get(value, rows->field.children[i].name);

        SLUICE_TRY(sluice_json_value_append(&rows->children[i], member, split, error));
    }
    return sluice_rows_end_struct(rows, error);
}

sluice_status sluice_json_value_append(sluice_rows *rows, const json_t *value, int64_t split,
                                       sluice_error *error)
{
    const sluice_type type = rows->field.type;

    if (value == NULL || json_is_null(value))
        return sluice_rows_append_null(rows, error);
    if (type == SLUICE_TYPE_STRUCT && (json_is_object(value) || json_is_array(value)))
        return append_members(rows, value, split, error);
    if (type == SLUICE_TYPE_LIST && json_is_array(value))
        return append_elements(rows, value, split, error);
    if (sluice_leaf_family(type) == SLUICE_LEAF_INTERVAL && json_is_object(value))
        return append_interval(rows, value, split, error);
    if (type == SLUICE_TYPE_BOOL && json_is_boolean(value)) {
        const uint8_t bit = json_is_true(value);

        return sluice_rows_append_bytes(rows, &bit, 1, error);
    }
    if (rows->field.child_count > 0 || type == SLUICE_TYPE_NULL)
        return fail_value(rows, value, split, error);
    if (json_is_string(value))
        return append_string(rows, value, split, error);
    if (json_is_number(value))
        return append_number(rows, value, split, error);
    return fail_value(rows, value, split, error);
}
