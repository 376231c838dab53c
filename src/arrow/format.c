/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/format.c - what a format string says
 *
 * nanoarrow reads the formats of plain types.  Those with numbers in them and nested ones are read
 * here, because their numbers must not be cut to 32 bits and because nanoarrow's checks look into
 * children that have not been checked yet.
 */
#include "arrow/format.h"

#include <stdbool.h>
#include <string.h>

#include "nanoarrow/nanoarrow.h"

typedef struct leaf_type {
    enum ArrowType arrow_type;
    sluice_type type;
    sluice_layout layout;
    int32_t byte_width;
} leaf_type;

static const leaf_type leaf_types[] = {
    {NANOARROW_TYPE_NA, SLUICE_TYPE_NULL, SLUICE_LAYOUT_NULL, 0},
    {NANOARROW_TYPE_BOOL, SLUICE_TYPE_BOOL, SLUICE_LAYOUT_BITS, 0},
    {NANOARROW_TYPE_INT8, SLUICE_TYPE_INT8, SLUICE_LAYOUT_FIXED, 1},
    {NANOARROW_TYPE_INT16, SLUICE_TYPE_INT16, SLUICE_LAYOUT_FIXED, 2},
    {NANOARROW_TYPE_INT32, SLUICE_TYPE_INT32, SLUICE_LAYOUT_FIXED, 4},
    {NANOARROW_TYPE_INT64, SLUICE_TYPE_INT64, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_UINT8, SLUICE_TYPE_UINT8, SLUICE_LAYOUT_FIXED, 1},
    {NANOARROW_TYPE_UINT16, SLUICE_TYPE_UINT16, SLUICE_LAYOUT_FIXED, 2},
    {NANOARROW_TYPE_UINT32, SLUICE_TYPE_UINT32, SLUICE_LAYOUT_FIXED, 4},
    {NANOARROW_TYPE_UINT64, SLUICE_TYPE_UINT64, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_HALF_FLOAT, SLUICE_TYPE_FLOAT16, SLUICE_LAYOUT_FIXED, 2},
    {NANOARROW_TYPE_FLOAT, SLUICE_TYPE_FLOAT32, SLUICE_LAYOUT_FIXED, 4},
    {NANOARROW_TYPE_DOUBLE, SLUICE_TYPE_FLOAT64, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_DATE32, SLUICE_TYPE_DATE32, SLUICE_LAYOUT_FIXED, 4},
    {NANOARROW_TYPE_DATE64, SLUICE_TYPE_DATE64, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_TIME32, SLUICE_TYPE_TIME32, SLUICE_LAYOUT_FIXED, 4},
    {NANOARROW_TYPE_TIME64, SLUICE_TYPE_TIME64, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_TIMESTAMP, SLUICE_TYPE_TIMESTAMP, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_DURATION, SLUICE_TYPE_DURATION, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_INTERVAL_MONTHS, SLUICE_TYPE_INTERVAL_MONTHS, SLUICE_LAYOUT_FIXED, 4},
    {NANOARROW_TYPE_INTERVAL_DAY_TIME, SLUICE_TYPE_INTERVAL_DAY_TIME, SLUICE_LAYOUT_FIXED, 8},
    {NANOARROW_TYPE_INTERVAL_MONTH_DAY_NANO, SLUICE_TYPE_INTERVAL_MONTH_DAY_NANO,
     SLUICE_LAYOUT_FIXED, 16},
    {NANOARROW_TYPE_BINARY, SLUICE_TYPE_BINARY, SLUICE_LAYOUT_BYTES32, 0},
    {NANOARROW_TYPE_LARGE_BINARY, SLUICE_TYPE_BINARY, SLUICE_LAYOUT_BYTES64, 0},
    {NANOARROW_TYPE_BINARY_VIEW, SLUICE_TYPE_BINARY, SLUICE_LAYOUT_BYTES_VIEW, 0},
    {NANOARROW_TYPE_STRING, SLUICE_TYPE_UTF8, SLUICE_LAYOUT_BYTES32, 0},
    {NANOARROW_TYPE_LARGE_STRING, SLUICE_TYPE_UTF8, SLUICE_LAYOUT_BYTES64, 0},
    {NANOARROW_TYPE_STRING_VIEW, SLUICE_TYPE_UTF8, SLUICE_LAYOUT_BYTES_VIEW, 0},
};

enum { LEAF_TYPE_COUNT = sizeof(leaf_types) / sizeof(leaf_types[0]) };

/* Nested formats that are one fixed string. */
typedef struct nested_type {
    const char *format;
    sluice_type type;
    sluice_layout layout;
    int child_count; /* -1: any. */
} nested_type;

static const nested_type nested_types[] = {
    {"+s", SLUICE_TYPE_STRUCT, SLUICE_LAYOUT_STRUCT, -1},
    {"+l", SLUICE_TYPE_LIST, SLUICE_LAYOUT_LIST32, 1},
    {"+L", SLUICE_TYPE_LIST, SLUICE_LAYOUT_LIST64, 1},
    {"+vl", SLUICE_TYPE_LIST, SLUICE_LAYOUT_LIST_VIEW32, 1},
    {"+vL", SLUICE_TYPE_LIST, SLUICE_LAYOUT_LIST_VIEW64, 1},
    {"+m", SLUICE_TYPE_MAP, SLUICE_LAYOUT_LIST32, 1},
    {"+r", SLUICE_TYPE_NULL, SLUICE_LAYOUT_RUN_END, 2},
};

enum { NESTED_TYPE_COUNT = sizeof(nested_types) / sizeof(nested_types[0]) };

static sluice_status fail_format(const sluice_field *field, const sluice_path *path,
                                 sluice_error *error)
{
    return sluice_fail_at(error, SLUICE_UNSUPPORTED, path, "there is no Arrow format \"%s\"",
                          field->format);
}

/* Read a decimal number that fits an int32, and move *text behind it. */
static bool parse_number(const char **text, int32_t *out)
{
    const char *at = *text;
    const bool is_negative = *at == '-';
    int64_t number = 0;

    if (is_negative)
        at++;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (*at - '0');
        if (number > INT32_MAX)
            return false;
    }
    *text = at;
    *out = (int32_t)(is_negative ? -number : number);
    return true;
}

static sluice_status check_child_count(const sluice_field *field, size_t expected,
                                       const sluice_path *path, sluice_error *error)
{
    if (field->child_count == expected)
        return SLUICE_OK;
    return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                          "format \"%s\" needs %zu children, %zu are there", field->format,
                          expected, field->child_count);
}

/* "w:16" and "+w:3" */
static sluice_status parse_fixed_size(sluice_field *field, const sluice_path *path,
                                      sluice_error *error)
{
    const bool is_list = field->format[0] == '+';
    const char *text = field->format + (is_list ? 3 : 2);
    int32_t size;

    if (!parse_number(&text, &size) || *text != '\0')
        return fail_format(field, path, error);
    if (size < 0) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "size %d in format \"%s\" is negative",
                              (int)size, field->format);
    }
    field->type = is_list ? SLUICE_TYPE_LIST : SLUICE_TYPE_FIXED_SIZE_BINARY;
    field->layout = is_list ? SLUICE_LAYOUT_FIXED_SIZE_LIST : SLUICE_LAYOUT_FIXED;
    field->list_size = is_list ? size : 0;
    field->byte_width = is_list ? 0 : size;
    return check_child_count(field, is_list ? 1 : 0, path, error);
}

/* "d:15,2" and "d:15,2,256" */
static sluice_status parse_decimal(sluice_field *field, const sluice_path *path,
                                   sluice_error *error)
{
    static const struct {
        int32_t bits, precision_max;
        sluice_type type;
    } widths[] = {{32, 9, SLUICE_TYPE_DECIMAL32},
                  {64, 18, SLUICE_TYPE_DECIMAL64},
                  {128, 38, SLUICE_TYPE_DECIMAL128},
                  {256, 76, SLUICE_TYPE_DECIMAL256}};
    const char *text = field->format + 2;
    int32_t bits = 128;
    size_t width = 0;

    if (!parse_number(&text, &field->precision) || *text++ != ',' ||
        !parse_number(&text, &field->scale))
        return fail_format(field, path, error);
    if (*text == ',') {
        text++;
        if (!parse_number(&text, &bits))
            return fail_format(field, path, error);
    }
    while (width < 4 && widths[width].bits != bits)
        width++;
    if (*text != '\0' || width == 4)
        return fail_format(field, path, error);
    if (field->precision < 1 || field->precision > widths[width].precision_max) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                              "precision %d of a decimal%d is not between 1 and %d",
                              (int)field->precision, (int)bits,
                              (int)widths[width].precision_max);
    }
    field->type = widths[width].type;
    field->layout = SLUICE_LAYOUT_FIXED;
    field->byte_width = bits / 8;
    return check_child_count(field, 0, path, error);
}

/* "+us:5,7" and "+ud:0,1" */
static sluice_status parse_union(sluice_field *field, const sluice_path *path,
                                 sluice_error *error)
{
    const char *text = field->format + 4;
    size_t id_count = 0;

    field->type = SLUICE_TYPE_UNION;
    field->layout =
        field->format[2] == 's' ? SLUICE_LAYOUT_SPARSE_UNION : SLUICE_LAYOUT_DENSE_UNION;
    while (*text != '\0') {
        int32_t id;

        if ((id_count > 0 && *text++ != ',') || !parse_number(&text, &id))
            return fail_format(field, path, error);
        if (id < 0 || id > 127) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                                  "union type id %d is not between 0 and 127", (int)id);
        }
        if (field->child_of_id[id] != -1) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path, "union type id %d is there twice",
                                  (int)id);
        }
        field->child_of_id[id] = (int16_t)id_count++;
    }
    return check_child_count(field, id_count, path, error);
}

static sluice_status parse_nested(sluice_field *field, const sluice_path *path,
                                  sluice_error *error)
{
    if (strncmp(field->format, "+w:", 3) == 0)
        return parse_fixed_size(field, path, error);
    if (strncmp(field->format, "+us:", 4) == 0 || strncmp(field->format, "+ud:", 4) == 0)
        return parse_union(field, path, error);
    for (size_t i = 0; i < NESTED_TYPE_COUNT; i++) {
        if (strcmp(field->format, nested_types[i].format) != 0)
            continue;
        field->type = nested_types[i].type;
        field->layout = nested_types[i].layout;
        if (nested_types[i].child_count < 0)
            return SLUICE_OK;
        return check_child_count(field, (size_t)nested_types[i].child_count, path, error);
    }
    return fail_format(field, path, error);
}

static sluice_time_unit map_time_unit(enum ArrowTimeUnit unit)
{
    switch (unit) {
    case NANOARROW_TIME_UNIT_SECOND:
        return SLUICE_TIME_SECOND;
    case NANOARROW_TIME_UNIT_MILLI:
        return SLUICE_TIME_MILLI;
    case NANOARROW_TIME_UNIT_MICRO:
        return SLUICE_TIME_MICRO;
    case NANOARROW_TIME_UNIT_NANO:
        return SLUICE_TIME_NANO;
    }
    return SLUICE_TIME_SECOND;
}

/* nanoarrow looks at nothing but the pointer; the copy it is given is never released. */
static void release_never(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static sluice_status parse_leaf(sluice_field *field, const sluice_path *path, sluice_error *error)
{
    const struct ArrowSchema leaf = {.format = field->format, .release = release_never};
    struct ArrowSchemaView view;
    const leaf_type *found = NULL;

    memset(&view, 0, sizeof(view));
    if (ArrowSchemaViewInit(&view, &leaf, NULL) != NANOARROW_OK)
        return fail_format(field, path, error);
    for (size_t i = 0; i < LEAF_TYPE_COUNT && found == NULL; i++) {
        if (leaf_types[i].arrow_type == view.type)
            found = &leaf_types[i];
    }
    if (found == NULL)
        return fail_format(field, path, error);
    field->type = found->type;
    field->layout = found->layout;
    field->byte_width = found->byte_width;
    if (found->type >= SLUICE_TYPE_TIME32 && found->type <= SLUICE_TYPE_DURATION)
        field->unit = map_time_unit(view.time_unit);
    if (found->type == SLUICE_TYPE_TIMESTAMP)
        field->timezone = view.timezone;
    return check_child_count(field, 0, path, error);
}

sluice_status sluice_format_parse(sluice_field *field, const sluice_path *path,
                                  sluice_error *error)
{
    for (size_t id = 0; id < 128; id++)
        field->child_of_id[id] = -1;
    if (field->format[0] == '+')
        return parse_nested(field, path, error);
    if (strncmp(field->format, "w:", 2) == 0)
        return parse_fixed_size(field, path, error);
    if (strncmp(field->format, "d:", 2) == 0)
        return parse_decimal(field, path, error);
    return parse_leaf(field, path, error);
}
