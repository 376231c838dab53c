/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/type_name.c - types from their names
 *
 * A recursive descent over the text, as deep as types may be nested, that fills ArrowSchemas; what
 * the formats mean is left to sluice_schema_import().
 */
#include "route/type_name.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/math.h"
#include "nanoarrow/nanoarrow.h"

enum {
    TYPE_FORMAT_BYTES = 256,
    TYPE_CHILDREN_MAX = 1024,
    FIXED_SIZE_BYTES_MAX = 1 << 20 /* Of one value: texts are not trusted. */
};

typedef struct type_parser {
    const char *text; /* What is left. */
    const char *key;
    const char *whole;
    int64_t fixed_bytes; /* What a null of the type takes at most. */
    sluice_error *error;
} type_parser;

typedef struct type_format {
    const char *name;
    const char *format;
} type_format;

/* Names that have nothing behind them; a longer one stands before its beginning. */
static const type_format plain_types[] = {
    {"null", "n"},
    {"bool", "b"},
    {"int8", "c"},
    {"int16", "s"},
    {"int32", "i"},
    {"int64", "l"},
    {"uint8", "C"},
    {"uint16", "S"},
    {"uint32", "I"},
    {"uint64", "L"},
    {"halffloat", "e"},
    {"float16", "e"},
    {"float32", "f"},
    {"float64", "g"},
    {"float", "f"},
    {"double", "g"},
    {"large_utf8", "U"},
    {"large_string", "U"},
    {"large_binary", "Z"},
    {"utf8_view", "vu"},
    {"string_view", "vu"},
    {"binary_view", "vz"},
    {"utf8", "u"},
    {"string", "u"},
    {"binary", "z"},
    {"date32[day]", "tdD"},
    {"date32", "tdD"},
    {"date64[ms]", "tdm"},
    {"date64", "tdm"},
    {"time32[s]", "tts"},
    {"time32[ms]", "ttm"},
    {"time64[us]", "ttu"},
    {"time64[ns]", "ttn"},
    {"duration[s]", "tDs"},
    {"duration[ms]", "tDm"},
    {"duration[us]", "tDu"},
    {"duration[ns]", "tDn"},
    {"interval[months]", "tiM"},
    {"interval[day_time]", "tiD"},
    {"interval[month_day_nano]", "tin"},
    {"month_interval", "tiM"},
    {"day_time_interval", "tiD"},
    {"month_day_nano_interval", "tin"},
};

/* Names with one element type in <>. */
static const type_format list_types[] = {
    {"list<", "+l"},
    {"large_list<", "+L"},
    {"list_view<", "+vl"},
    {"large_list_view<", "+vL"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static sluice_status fail_type(const type_parser *parser)
{
    return sluice_fail(parser->error, SLUICE_BAD_DATA, "key %s: \"%.200s\" is no type", parser->key,
                       parser->whole);
}

static bool take_text(type_parser *parser, const char *text)
{
    const size_t bytes = strlen(text);

    if (strncmp(parser->text, text, bytes) != 0)
        return false;
    parser->text += bytes;
    return true;
}

/* A number of up to nine digits, with a sign. */
static bool take_int32(type_parser *parser, int32_t *number)
{
    const bool is_negative = take_text(parser, "-");
    int digit_count = 0;

    *number = 0;
    for (; *parser->text >= '0' && *parser->text <= '9' && digit_count < 9; digit_count++)
        *number = *number * 10 + (*parser->text++ - '0');
    if (is_negative)
        *number = -*number;
    return digit_count > 0;
}

/* nanoarrow copies what it is given; it fails only when there is no memory. */
static sluice_status set_format(const type_parser *parser, struct ArrowSchema *schema,
                                const char *format)
{
    if (ArrowSchemaSetFormat(schema, format) != NANOARROW_OK)
        return sluice_fail_allocation(parser->error, strlen(format) + 1, "a type");
    return SLUICE_OK;
}

static sluice_status set_name(const type_parser *parser, struct ArrowSchema *schema,
                              const char *name)
{
    if (ArrowSchemaSetName(schema, name) != NANOARROW_OK)
        return sluice_fail_allocation(parser->error, strlen(name) + 1, "a type");
    return SLUICE_OK;
}

static sluice_status allocate_children(const type_parser *parser, struct ArrowSchema *schema,
                                       size_t count)
{
    if (ArrowSchemaAllocateChildren(schema, (int64_t)count) != NANOARROW_OK)
        return sluice_fail_allocation(parser->error, count * sizeof(*schema), "a type");
    for (size_t i = 0; i < count; i++)
        ArrowSchemaInit(schema->children[i]);
    return SLUICE_OK;
}

/* "(15,2)" behind "decimal128" */
static sluice_status parse_decimal_name(type_parser *parser, struct ArrowSchema *schema)
{
    char format[TYPE_FORMAT_BYTES];
    int32_t bit_count, precision, scale;

    if (!take_int32(parser, &bit_count) || !take_text(parser, "(") ||
        !take_int32(parser, &precision) || !take_text(parser, ","))
        return fail_type(parser);
    (void)take_text(parser, " ");
    if (!take_int32(parser, &scale) || !take_text(parser, ")"))
        return fail_type(parser);
    snprintf(format, sizeof(format), "d:%d,%d,%d", (int)precision, (int)scale, (int)bit_count);
    return set_format(parser, schema, format);
}

/* "us, UTC]" behind "timestamp[" */
static sluice_status parse_timestamp_name(type_parser *parser, struct ArrowSchema *schema)
{
    static const type_format units[] = {{"s", "tss:"}, {"ms", "tsm:"}, {"us", "tsu:"},
                                        {"ns", "tsn:"}};
    char format[TYPE_FORMAT_BYTES];
    size_t unit = 0;

    /* Longer names first would do too, but "s" is followed by "," or "]" and "ms" is not. */
    while (unit < COUNT_OF(units)) {
        const size_t bytes = strlen(units[unit].name);
        const char after = strncmp(parser->text, units[unit].name, bytes) == 0
                               ? parser->text[bytes]
                               : '\0';

        if (after == ',' || after == ']')
            break;
        unit++;
    }
    if (unit == COUNT_OF(units))
        return fail_type(parser);
    parser->text += strlen(units[unit].name);
    if (take_text(parser, ", "))
        (void)take_text(parser, "tz=");
    const char *end = strchr(parser->text, ']');

    if (end == NULL || end - parser->text > TYPE_FORMAT_BYTES - 8)
        return fail_type(parser);
    snprintf(format, sizeof(format), "%s%.*s", units[unit].format, (int)(end - parser->text),
             parser->text);
    parser->text = end + 1;
    return set_format(parser, schema, format);
}

static sluice_status count_fixed(type_parser *parser, int32_t size, int64_t unit_bytes)
{
    if (size < 0)
        return fail_type(parser);
    if (!sluice_mul_int64(parser->fixed_bytes, (int64_t)size * unit_bytes + 1,
                          &parser->fixed_bytes) ||
        parser->fixed_bytes > FIXED_SIZE_BYTES_MAX) {
        return sluice_fail(parser->error, SLUICE_UNSUPPORTED,
                           "key %s: values of type \"%.200s\" are larger than %d bytes",
                           parser->key, parser->whole, FIXED_SIZE_BYTES_MAX);
    }
    return SLUICE_OK;
}

/* "(16)" or "[16]" behind "fixed_size_binary" */
static sluice_status parse_fixed_binary_name(type_parser *parser, struct ArrowSchema *schema)
{
    const bool is_square = take_text(parser, "[");
    char format[TYPE_FORMAT_BYTES];
    int32_t size;

    if ((!is_square && !take_text(parser, "(")) || !take_int32(parser, &size) ||
        !take_text(parser, is_square ? "]" : ")"))
        return fail_type(parser);
    SLUICE_TRY(count_fixed(parser, size, 1));
    snprintf(format, sizeof(format), "w:%d", (int)size);
    return set_format(parser, schema, format);
}

static sluice_status parse_type(type_parser *parser, struct ArrowSchema *schema, int depth);

/* "name: type" */
static sluice_status parse_child(type_parser *parser, struct ArrowSchema *child, int depth)
{
    const char *end = strstr(parser->text, ": ");
    char name[TYPE_FORMAT_BYTES];

    if (end == NULL || (size_t)(end - parser->text) >= sizeof(name))
        return fail_type(parser);
    snprintf(name, sizeof(name), "%.*s", (int)(end - parser->text), parser->text);
    parser->text = end + 2;
    SLUICE_TRY(set_name(parser, child, name));
    return parse_type(parser, child, depth + 1);
}

static sluice_status parse_list_name(type_parser *parser, struct ArrowSchema *schema,
                                     const char *format, int depth)
{
    SLUICE_TRY(set_format(parser, schema, format));
    SLUICE_TRY(allocate_children(parser, schema, 1));
    SLUICE_TRY(parse_child(parser, schema->children[0], depth));
    return take_text(parser, ">") ? SLUICE_OK : fail_type(parser);
}

static sluice_status parse_fixed_list_name(type_parser *parser, struct ArrowSchema *schema,
                                           int depth)
{
    char format[TYPE_FORMAT_BYTES];
    int32_t size;

    SLUICE_TRY(parse_list_name(parser, schema, "+l", depth));
    if (!take_text(parser, "[") || !take_int32(parser, &size) || !take_text(parser, "]"))
        return fail_type(parser);
    SLUICE_TRY(count_fixed(parser, size, 8));
    snprintf(format, sizeof(format), "+w:%d", (int)size);
    return set_format(parser, schema, format);
}

/* The fields of a struct, one by one into children that are made in advance. */
static sluice_status parse_struct_name(type_parser *parser, struct ArrowSchema *schema, int depth)
{
    size_t count = 0;
    sluice_status status;

    SLUICE_TRY(set_format(parser, schema, "+s"));
    if (take_text(parser, ">"))
        return SLUICE_OK;
    /* As many fields as there can be: one more than there are separators in what is left. */
    size_t count_max = 1;

    for (const char *at = parser->text; (at = strstr(at, ", ")) != NULL; at += 2)
        count_max++;
    SLUICE_TRY(allocate_children(parser, schema,
                                 sluice_min_size(count_max, TYPE_CHILDREN_MAX)));
    do {
        if (count == (size_t)schema->n_children)
            return fail_type(parser);
        status = parse_child(parser, schema->children[count++], depth);
    } while (status == SLUICE_OK && take_text(parser, ", "));
    SLUICE_TRY(status);
    for (size_t i = count; i < (size_t)schema->n_children; i++) {
        ArrowSchemaRelease(schema->children[i]);
        ArrowFree(schema->children[i]);
    }
    schema->n_children = (int64_t)count;
    return take_text(parser, ">") ? SLUICE_OK : fail_type(parser);
}

/* "dictionary<values=T, indices=I>" is a T, and so is "run_end_encoded<a: int32, b: T>". */
static sluice_status parse_encoded_name(type_parser *parser, struct ArrowSchema *schema,
                                        bool is_dictionary, int depth)
{
    struct ArrowSchema other;
    sluice_status status;

    ArrowSchemaInit(&other);
    if (is_dictionary) {
        status = take_text(parser, "values=") ? parse_type(parser, schema, depth + 1)
                                              : fail_type(parser);
        if (status == SLUICE_OK && !take_text(parser, ", indices="))
            status = fail_type(parser);
        if (status == SLUICE_OK)
            status = parse_type(parser, &other, depth + 1);
        if (status == SLUICE_OK)
            (void)take_text(parser, ", ordered=0");
    } else {
        status = parse_child(parser, &other, depth);
        if (status == SLUICE_OK)
            status = take_text(parser, ", ") ? parse_child(parser, schema, depth)
                                             : fail_type(parser);
    }
    ArrowSchemaRelease(&other);
    SLUICE_TRY(status);
    return take_text(parser, ">") ? SLUICE_OK : fail_type(parser);
}

/* Whether the text goes on with a letter, so that a name was only the beginning of another. */
static bool has_more_letters(const type_parser *parser)
{
    const char next = *parser->text;

    return (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == '_';
}

static sluice_status parse_type(type_parser *parser, struct ArrowSchema *schema, int depth)
{
    if (depth >= SLUICE_NESTING_MAX) {
        return sluice_fail(parser->error, SLUICE_UNSUPPORTED,
                           "key %s: types are nested deeper than %d", parser->key,
                           SLUICE_NESTING_MAX);
    }
    for (size_t i = 0; i < COUNT_OF(plain_types); i++) {
        const char *start = parser->text;

        if (take_text(parser, plain_types[i].name) && !has_more_letters(parser))
            return set_format(parser, schema, plain_types[i].format);
        parser->text = start;
    }
    for (size_t i = 0; i < COUNT_OF(list_types); i++) {
        if (take_text(parser, list_types[i].name))
            return parse_list_name(parser, schema, list_types[i].format, depth);
    }
    if (take_text(parser, "decimal"))
        return parse_decimal_name(parser, schema);
    if (take_text(parser, "timestamp["))
        return parse_timestamp_name(parser, schema);
    if (take_text(parser, "fixed_size_binary"))
        return parse_fixed_binary_name(parser, schema);
    if (take_text(parser, "fixed_size_list<"))
        return parse_fixed_list_name(parser, schema, depth);
    if (take_text(parser, "struct<"))
        return parse_struct_name(parser, schema, depth);
    if (take_text(parser, "dictionary<"))
        return parse_encoded_name(parser, schema, true, depth);
    if (take_text(parser, "run_end_encoded<"))
        return parse_encoded_name(parser, schema, false, depth);
    if (take_text(parser, "map<") || take_text(parser, "dense_union<") ||
        take_text(parser, "sparse_union<")) {
        return sluice_fail(parser->error, SLUICE_UNSUPPORTED,
                           "range key %s: there is no order for type %.200s", parser->key,
                           parser->whole);
    }
    return fail_type(parser);
}

sluice_status sluice_type_names_parse(const char *const *names, const char *const *types,
                                      size_t count, sluice_schema **out, sluice_error *error)
{
    type_parser parser = {.key = "", .whole = "", .error = error};
    struct ArrowSchema root;
    sluice_status status;

    *out = NULL;
    ArrowSchemaInit(&root);
    status = set_format(&parser, &root, "+s");
    if (status == SLUICE_OK)
        status = allocate_children(&parser, &root, count);
    for (size_t i = 0; i < count && status == SLUICE_OK; i++) {
        parser.text = parser.whole = types[i];
        parser.key = names[i];
        parser.fixed_bytes = 1;
        status = parse_type(&parser, root.children[i], 0);
        /* Last, so that a name inside of the type does not stay. */
        if (status == SLUICE_OK)
            status = set_name(&parser, root.children[i], names[i]);
        if (status == SLUICE_OK && *parser.text != '\0')
            status = fail_type(&parser);
    }
    if (status == SLUICE_OK)
        status = sluice_schema_import(&root, NULL, out, error);
    ArrowSchemaRelease(&root);
    return status;
}
