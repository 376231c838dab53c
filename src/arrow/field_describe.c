/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/field_describe.c - types by Arrow's names
 */
#include "arrow/field.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that is cut when its room ends. */
typedef struct type_text {
    char *text;
    size_t text_bytes; /* At least 1. */
    size_t end;
} type_text;

static const char *const time_unit_names[] = {"s", "ms", "us", "ns"};

SLUICE_PRINTF(2, 3) static void describe(type_text *out, const char *format, ...)
{
    const size_t room = out->text_bytes - out->end;
    va_list arguments;

    va_start(arguments, format);
    const int bytes = vsnprintf(out->text + out->end, room, format, arguments);
    va_end(arguments);
    if (bytes > 0)
        out->end += (size_t)bytes < room ? (size_t)bytes : room - 1;
}

/* The names of types that are always called the same; NULL for the others. */
static const char *get_fixed_name(sluice_type type)
{
    static const char *const names[] = {
        [SLUICE_TYPE_NULL] = "null",
        [SLUICE_TYPE_BOOL] = "bool",
        [SLUICE_TYPE_INT8] = "int8",
        [SLUICE_TYPE_INT16] = "int16",
        [SLUICE_TYPE_INT32] = "int32",
        [SLUICE_TYPE_INT64] = "int64",
        [SLUICE_TYPE_UINT8] = "uint8",
        [SLUICE_TYPE_UINT16] = "uint16",
        [SLUICE_TYPE_UINT32] = "uint32",
        [SLUICE_TYPE_UINT64] = "uint64",
        [SLUICE_TYPE_FLOAT16] = "float16",
        [SLUICE_TYPE_FLOAT32] = "float32",
        [SLUICE_TYPE_FLOAT64] = "float64",
        [SLUICE_TYPE_DATE32] = "date32",
        [SLUICE_TYPE_DATE64] = "date64",
        [SLUICE_TYPE_INTERVAL_MONTHS] = "interval[months]",
        [SLUICE_TYPE_INTERVAL_DAY_TIME] = "interval[day_time]",
        [SLUICE_TYPE_INTERVAL_MONTH_DAY_NANO] = "interval[month_day_nano]",
        [SLUICE_TYPE_UNION] = NULL,
    };

    return names[type];
}

static void describe_leaf(type_text *out, const sluice_field *field)
{
    const char *fixed_name = get_fixed_name(field->type);

    if (fixed_name != NULL) {
        describe(out, "%s", fixed_name);
        return;
    }
    switch (field->type) {
    case SLUICE_TYPE_DECIMAL32:
    case SLUICE_TYPE_DECIMAL64:
    case SLUICE_TYPE_DECIMAL128:
    case SLUICE_TYPE_DECIMAL256:
        describe(out, "decimal%d(%d,%d)", (int)field->byte_width * 8,
                 (int)field->precision, (int)field->scale);
        return;
    case SLUICE_TYPE_TIME32:
    case SLUICE_TYPE_TIME64:
        describe(out, "time%d[%s]", (int)field->byte_width * 8,
                 time_unit_names[field->unit]);
        return;
    case SLUICE_TYPE_DURATION:
        describe(out, "duration[%s]", time_unit_names[field->unit]);
        return;
    case SLUICE_TYPE_TIMESTAMP:
        describe(out, "timestamp[%s%s%s]", time_unit_names[field->unit],
                 field->timezone[0] == '\0' ? "" : ", ", field->timezone);
        return;
    default:
        describe(out, "fixed_size_binary(%d)", (int)field->byte_width);
        return;
    }
}

static void describe_field(type_text *out, const sluice_field *field);

static void describe_children(type_text *out, const sluice_field *field,
                              const char *open, const char *close)
{
    describe(out, "%s", open);
    for (size_t i = 0; i < field->child_count; i++) {
        describe(out, "%s%s: ", i == 0 ? "" : ", ", field->children[i].name);
        describe_field(out, &field->children[i]);
    }
    describe(out, "%s", close);
}

static void describe_union(type_text *out, const sluice_field *field)
{
    const char *separator = "";

    describe(out,
             field->layout == SLUICE_LAYOUT_DENSE_UNION ? "dense_union<" : "sparse_union<");
    for (int id = 0; id < 128; id++) {
        if (field->child_of_id[id] < 0)
            continue;
        const sluice_field *child = &field->children[field->child_of_id[id]];

        describe(out, "%s%d=%s: ", separator, id, child->name);
        describe_field(out, child);
        separator = ", ";
    }
    describe(out, ">");
}

static void describe_bytes(type_text *out, const sluice_field *field)
{
    describe(out, "%s%s%s", field->layout == SLUICE_LAYOUT_BYTES64 ? "large_" : "",
             field->type == SLUICE_TYPE_UTF8 ? "utf8" : "binary",
             field->layout == SLUICE_LAYOUT_BYTES_VIEW ? "_view" : "");
}

static void describe_map(type_text *out, const sluice_field *field)
{
    const sluice_field *entries = &field->children[0];

    describe(out, "map<");
    describe_field(out, &entries->children[0]);
    describe(out, ", ");
    describe_field(out, &entries->children[1]);
    describe(out, ">");
}

static void describe_dictionary(type_text *out, const sluice_field *field)
{
    describe(out, "dictionary<values=");
    describe_field(out, field->dictionary);
    describe(out, ", indices=%s>", get_fixed_name(field->type));
}

/* Nested no deeper than SLUICE_NESTING_MAX, as every field. */
static void describe_field(type_text *out, const sluice_field *field)
{
    switch (field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_BITS:
    case SLUICE_LAYOUT_FIXED:
        describe_leaf(out, field);
        return;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW:
        describe_bytes(out, field);
        return;
    case SLUICE_LAYOUT_LIST32:
        if (field->type == SLUICE_TYPE_MAP)
            describe_map(out, field);
        else
            describe_children(out, field, "list<", ">");
        return;
    case SLUICE_LAYOUT_LIST64:
        describe_children(out, field, "large_list<", ">");
        return;
    case SLUICE_LAYOUT_LIST_VIEW32:
        describe_children(out, field, "list_view<", ">");
        return;
    case SLUICE_LAYOUT_LIST_VIEW64:
        describe_children(out, field, "large_list_view<", ">");
        return;
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        describe_children(out, field, "fixed_size_list<", ">");
        describe(out, "[%d]", (int)field->list_size);
        return;
    case SLUICE_LAYOUT_STRUCT:
        describe_children(out, field, "struct<", ">");
        return;
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        describe_union(out, field);
        return;
    case SLUICE_LAYOUT_DICTIONARY:
        describe_dictionary(out, field);
        return;
    case SLUICE_LAYOUT_RUN_END:
        describe_children(out, field, "run_end_encoded<", ">");
        return;
    }
}

void sluice_field_describe(const sluice_field *field, char *text, size_t text_bytes)
{
    type_text out = {.text = text, .text_bytes = text_bytes};

    if (text_bytes == 0)
        return;
    text[0] = '\0';
    describe_field(&out, field);
}
