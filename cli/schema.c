/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/schema.c - see cli/schema.h
 *
 * Schemas come from libsluice_io and are well formed; nesting is cut off at a depth all the same.
 */
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "memory.h"

enum { DEPTH_MAX = 64 };

typedef struct format_name {
    const char *format;
    const char *name;
} format_name;

/* Formats without parameters. */
static const format_name simple_names[] = {
    {"n", "null"},           {"b", "bool"},          {"c", "int8"},
    {"C", "uint8"},          {"s", "int16"},         {"S", "uint16"},
    {"i", "int32"},          {"I", "uint32"},        {"l", "int64"},
    {"L", "uint64"},         {"e", "float16"},       {"f", "float32"},
    {"g", "float64"},        {"z", "binary"},        {"Z", "large_binary"},
    {"vz", "binary_view"},   {"u", "utf8"},          {"U", "large_utf8"},
    {"vu", "utf8_view"},     {"tdD", "date32"},      {"tdm", "date64"},
    {"tts", "time32[s]"},    {"ttm", "time32[ms]"},  {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},   {"tDs", "duration[s]"}, {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"}, {"tDn", "duration[ns]"},
    {"tiM", "interval[months]"}, {"tiD", "interval[day_time]"},
    {"tin", "interval[month_day_nano]"},
};

/* Formats of nested types, by what they begin with. */
static const format_name nested_names[] = {
    {"+vl", "list_view"},    {"+vL", "large_list_view"}, {"+ud", "dense_union"},
    {"+us", "sparse_union"}, {"+w", "fixed_size_list"},  {"+l", "list"},
    {"+L", "large_list"},    {"+s", "struct"},
    {"+r", "run_end_encoded"},
};

/* "d:15,2" and "d:15,2,256" */
static void append_decimal(cli_text *text, const char *parameters)
{
    const char *const comma = strchr(parameters, ',');
    const char *const width = comma ? strchr(comma + 1, ',') : NULL;
    const int bytes = width ? (int)(width - parameters) : (int)strlen(parameters);
    cli_text_append_format(text, "decimal%s(%.*s)", width ? width + 1 : "128", bytes, parameters);
}

static void append_timestamp(cli_text *text, const char *format)
{
    const char *const unit = format[2] == 's' ? "s" : format[2] == 'm' ? "ms"
                             : format[2] == 'u' ? "us" : "ns";
    const char *const zone = strchr(format, ':');
    if (zone && zone[1])
        cli_text_append_format(text, "timestamp[%s, %s]", unit, zone + 1);
    else
        cli_text_append_format(text, "timestamp[%s]", unit);
}

static void append_type(cli_text *text, const struct ArrowSchema *field, int depth);

/* "map<utf8, int64>": the fields are those of the struct below. */
static void append_map(cli_text *text, const struct ArrowSchema *field, int depth)
{
    const struct ArrowSchema *const entries = field->children[0];
    cli_text_append_string(text, "map<");
    append_type(text, entries->children[0], depth + 2);
    cli_text_append_string(text, ", ");
    append_type(text, entries->children[1], depth + 2);
    cli_text_append_string(text, ">");
}

static void append_nested(cli_text *text, const struct ArrowSchema *field, int depth)
{
    if (strcmp(field->format, "+m") == 0 && field->n_children == 1 &&
        field->children[0]->n_children == 2) {
        append_map(text, field, depth);
        return;
    }
    const char *name = field->format;
    for (size_t i = 0; i < sizeof nested_names / sizeof *nested_names; i++) {
        const size_t bytes = strlen(nested_names[i].format);
        if (strncmp(field->format, nested_names[i].format, bytes) == 0) {
            name = nested_names[i].name;
            break;
        }
    }
    cli_text_append_format(text, "%s<", name);
    for (int64_t i = 0; i < field->n_children; i++) {
        const struct ArrowSchema *const child = field->children[i];
        cli_text_append_format(text, "%s%s: ", i > 0 ? ", " : "", child->name ? child->name : "");
        append_type(text, child, depth + 1);
        if (!(child->flags & ARROW_FLAG_NULLABLE))
            cli_text_append_string(text, " not null");
    }
    cli_text_append_string(text, ">");
    if (strncmp(field->format, "+w:", 3) == 0)
        cli_text_append_format(text, "[%s]", field->format + 3);
}

static void append_type(cli_text *text, const struct ArrowSchema *field, int depth)
{
    const char *const format = field->format;
    if (depth > DEPTH_MAX) {
        cli_text_append_string(text, "...");
        return;
    }
    if (field->dictionary) {
        cli_text_append_string(text, "dictionary<values=");
        append_type(text, field->dictionary, depth + 1);
        cli_text_append_string(text, ", indices=");
    }
    const char *simple = NULL;
    for (size_t i = 0; i < sizeof simple_names / sizeof *simple_names; i++)
        if (strcmp(format, simple_names[i].format) == 0)
            simple = simple_names[i].name;
    if (simple)
        cli_text_append_string(text, simple);
    else if (strncmp(format, "d:", 2) == 0)
        append_decimal(text, format + 2);
    else if (strncmp(format, "w:", 2) == 0)
        cli_text_append_format(text, "fixed_size_binary(%s)", format + 2);
    else if (strncmp(format, "ts", 2) == 0)
        append_timestamp(text, format);
    else if (format[0] == '+')
        append_nested(text, field, depth);
    else
        cli_text_append_string(text, format);
    if (field->dictionary)
        cli_text_append_string(text, ">");
}

void cli_type_append(cli_text *text, const struct ArrowSchema *field)
{
    append_type(text, field, 0);
}

char *cli_type_text(const struct ArrowSchema *field)
{
    cli_text text = {0};
    cli_type_append(&text, field);
    if (!(field->flags & ARROW_FLAG_NULLABLE))
        cli_text_append_string(&text, " not null");
    return text.bytes;
}

static const char *field_name(const struct ArrowSchema *field)
{
    return field->name ? field->name : "";
}

json_t *cli_schema_to_json(const struct ArrowSchema *schema)
{
    json_t *const columns = json_array();
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *const field = schema->children[i];
        cli_text text = {0};
        cli_type_append(&text, field);
        json_array_append_new(columns,
                              json_pack("{s:o, s:o, s:b}", "name", cli_json_text(field_name(field)),
                                        "type", cli_json_text(text.bytes), "nullable",
                                        (field->flags & ARROW_FLAG_NULLABLE) != 0));
        cli_text_deinit(&text);
    }
    return columns;
}

static bool equal_to_depth(const struct ArrowSchema *left, const struct ArrowSchema *right,
                           int depth)
{
    const int64_t compared = ARROW_FLAG_NULLABLE | ARROW_FLAG_DICTIONARY_ORDERED;
    if (depth > DEPTH_MAX || strcmp(left->format, right->format) != 0 ||
        strcmp(field_name(left), field_name(right)) != 0 || left->n_children != right->n_children ||
        !left->dictionary != !right->dictionary ||
        (left->flags & compared) != (right->flags & compared))
        return false;
    for (int64_t i = 0; i < left->n_children; i++)
        if (!equal_to_depth(left->children[i], right->children[i], depth + 1))
            return false;
    return !left->dictionary || equal_to_depth(left->dictionary, right->dictionary, depth + 1);
}

bool cli_field_equal(const struct ArrowSchema *left, const struct ArrowSchema *right)
{
    return equal_to_depth(left, right, 0);
}

/* There are no seconds in Parquet, and no dates in milliseconds. */
static const struct ArrowSchema *find_changed(const struct ArrowSchema *field, int depth)
{
    const char *const format = field->format;
    if (strcmp(format, "tdm") == 0 || strcmp(format, "tts") == 0 || strncmp(format, "tss", 3) == 0)
        return field;
    const struct ArrowSchema *found = NULL;
    if (field->dictionary && depth < DEPTH_MAX)
        found = find_changed(field->dictionary, depth + 1);
    for (int64_t i = 0; i < field->n_children && !found && depth < DEPTH_MAX; i++)
        found = find_changed(field->children[i], depth + 1);
    return found;
}

const struct ArrowSchema *cli_field_changed_by_parquet(const struct ArrowSchema *field)
{
    return find_changed(field, 0);
}

/* Strings of 24 bytes and lists of three elements: what the guess is made of. */
static uint64_t field_bytes(const struct ArrowSchema *field, int depth)
{
    static const char one[] = "bcC";
    static const char two[] = "sSe";
    static const char eight[] = "lLg";
    const char *const format = field->format;
    if (depth > DEPTH_MAX)
        return 0;
    if (format[0] == '+') {
        uint64_t bytes = 4;
        for (int64_t i = 0; i < field->n_children; i++)
            bytes += field_bytes(field->children[i], depth + 1);
        return format[1] == 's' ? bytes : 3 * bytes;
    }
    if (format[0] == 'n')
        return 0;
    if (format[0] == 'd')
        return 16;
    if (format[0] == 'w')
        return strtoull(format + 2, NULL, 10);
    if (strchr("uUzZv", format[0]))
        return format[0] == 'v' ? 40 : 28;
    if (strchr(one, format[0]))
        return 1;
    if (strchr(two, format[0]))
        return 2;
    return strchr(eight, format[0]) || format[0] == 't' ? 8 : 4;
}

uint64_t cli_field_bytes(const struct ArrowSchema *field)
{
    return field_bytes(field, 0);
}

int64_t cli_schema_find(const struct ArrowSchema *schema, const char *name)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (strcmp(field_name(schema->children[i]), name) == 0)
            return i;
    return -1;
}

const char *cli_schema_nearest(const struct ArrowSchema *schema, const char *name)
{
    const size_t count = (size_t)schema->n_children;
    const char **const names = cli_allocate((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = field_name(schema->children[i]);
    const char *const nearest = cli_nearest(name, names, count);
    cli_free(names);
    return nearest;
}

struct ArrowSchema cli_schema_view(const struct ArrowSchema *schema, const uint32_t *indexes,
                                   size_t count, struct ArrowSchema **children)
{
    struct ArrowSchema view = *schema;
    for (size_t i = 0; i < count; i++)
        children[i] = schema->children[indexes[i]];
    view.children = children;
    view.n_children = (int64_t)count;
    return view;
}

struct ArrowArray cli_batch_view(const struct ArrowArray *batch, const uint32_t *indexes,
                                 size_t count, struct ArrowArray **children)
{
    struct ArrowArray view = *batch;
    for (size_t i = 0; i < count; i++)
        children[i] = batch->children[indexes[i]];
    view.children = children;
    view.n_children = (int64_t)count;
    return view;
}

/* What a projected batch owns: the columns that were moved out of the one it was made from. */
typedef struct projected_batch {
    const void *buffers[1];
    struct ArrowArray **children;
    struct ArrowArray *columns;
    size_t column_count;
} projected_batch;

static void release_projected(struct ArrowArray *array)
{
    projected_batch *const projected = array->private_data;
    for (size_t i = 0; i < projected->column_count; i++)
        cli_array_release(&projected->columns[i]);
    cli_free(projected->children);
    cli_free(projected->columns);
    cli_free(projected);
    array->release = NULL;
}

/* Columns may be moved out of a batch as long as the batch is released right after. */
void cli_batch_project(struct ArrowArray *batch, const uint32_t *indexes, size_t count)
{
    projected_batch *const projected = cli_allocate_zeroed(1, sizeof *projected);
    projected->children = cli_allocate_zeroed(count, sizeof *projected->children);
    projected->columns = cli_allocate_zeroed(count, sizeof *projected->columns);
    projected->column_count = count;
    for (size_t i = 0; i < count; i++) {
        struct ArrowArray *const source = batch->children[indexes[i]];
        projected->columns[i] = *source;
        source->release = NULL;
        projected->children[i] = &projected->columns[i];
    }
    struct ArrowArray result = *batch;
    batch->release(batch);
    result.null_count = 0;
    result.n_buffers = 1;
    result.buffers = projected->buffers;
    result.n_children = (int64_t)count;
    result.children = projected->children;
    result.dictionary = NULL;
    result.release = release_projected;
    result.private_data = projected;
    *batch = result;
}

void cli_schema_release(struct ArrowSchema *schema)
{
    if (schema->release)
        schema->release(schema);
    schema->release = NULL;
}

void cli_array_release(struct ArrowArray *array)
{
    if (array->release)
        array->release(array);
    array->release = NULL;
}

void cli_stream_release(struct ArrowArrayStream *stream)
{
    if (stream->release)
        stream->release(stream);
    stream->release = NULL;
}
