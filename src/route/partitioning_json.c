/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/partitioning_json.c - partitionings to JSON and from it
 *
 * What comes in is not trusted: every member is checked for its kind before it is used, and what
 * the constructors check they check here too.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/math.h"
#include "route/json_value.h"
#include "route/key_types.h"
#include "route/partitioning_new.h"
#include "route/text_value.h"
#include "route/type_name.h"

enum {
    JSON_TYPE_BYTES = 4096,
    REAL_PRECISION_MIN = 15,
    REAL_PRECISION_MAX = 17,
    REAL_TEXT_BYTES = 40
};

/* --------------------------------------------------------------------------------- to JSON */

/*
 * The name of a type.  Names of nested types hold names of fields, which may be anything: a name
 * that would not be read back as the same type is refused.
 */
static sluice_status describe_key_type(const sluice_field *field, bool must_parse, char *text,
                                       sluice_error *error)
{
    const char *name = field->name;
    const char *type = text;
    sluice_schema *parsed = NULL;

    sluice_field_describe(field, text, JSON_TYPE_BYTES);
    if (!must_parse || field->child_count == 0)
        return SLUICE_OK;
    const sluice_status status = sluice_type_names_parse(&name, &type, 1, &parsed, NULL);
    const bool is_same =
        status == SLUICE_OK &&
        sluice_key_types_match(field, &sluice_schema_root(parsed)->children[0]);

    sluice_schema_unref(parsed);
    if (status == SLUICE_OUT_OF_MEMORY)
        return sluice_fail_allocation(error, JSON_TYPE_BYTES, "JSON");
    if (is_same)
        return SLUICE_OK;
    return sluice_fail(error, SLUICE_UNSUPPORTED,
                       "key %s: the names in type %.200s cannot be written to JSON", name, text);
}

/* The field that says the type of a key; NULL when it is not known. */
static sluice_status find_key_field(const sluice_partitioning *partitioning, size_t key,
                                    const sluice_schema *schema, const sluice_field **field,
                                    sluice_error *error)
{
    *field = NULL;
    if (partitioning->kind == SLUICE_PARTITIONING_RANGE) {
        *field = &partitioning->splits->field->children[key];
    } else if (schema != NULL) {
        size_t column;

        SLUICE_TRY(
            sluice_schema_resolve(schema, partitioning->keys[key].name, &column, error));
        *field = &sluice_schema_root(schema)->children[column];
    }
    return SLUICE_OK;
}

static sluice_status fail_json(sluice_error *error)
{
    return sluice_fail(error, SLUICE_OUT_OF_MEMORY,
                       "a partitioning cannot be written to JSON: there is no memory, or a name "
                       "or a string is no UTF-8");
}

/* One object of "keys" or "order". */
static sluice_status make_key(const sluice_partitioning *partitioning, size_t key,
                              const sluice_schema *schema, json_t *array, sluice_error *error)
{
    const sluice_partition_key *declared = &partitioning->keys[key];
    const bool is_range = partitioning->kind == SLUICE_PARTITIONING_RANGE;
    const sluice_field *field;
    char type[JSON_TYPE_BYTES];
    json_t *object = json_object();
    int failed = json_array_append_new(array, object); /* Takes it, NULL too. */

    if (failed != 0)
        return fail_json(error);
    failed = json_object_set_new(object, "name", json_string(declared->name));
    SLUICE_TRY(find_key_field(partitioning, key, schema, &field, error));
    if (field != NULL) {
        SLUICE_TRY(describe_key_type(field, is_range, type, error));
        failed |= json_object_set_new(object, "type", json_string(type));
    }
    if (is_range) {
        failed |= json_object_set_new(object, "descending", json_boolean(declared->descending));
        failed |= json_object_set_new(object, "nulls_first", json_boolean(declared->nulls_first));
    }
    return failed != 0 ? fail_json(error) : SLUICE_OK;
}

static sluice_status set_keys(const sluice_partitioning *partitioning, const char *member,
                              const sluice_schema *schema, json_t *object, sluice_error *error)
{
    json_t *keys = json_array();

    if (json_object_set_new(object, member, keys) != 0)
        return fail_json(error);
    for (size_t key = 0; key < partitioning->key_count; key++)
        SLUICE_TRY(make_key(partitioning, key, schema, keys, error));
    return SLUICE_OK;
}

static json_t *make_split(const sluice_column *splits, int64_t row)
{
    json_t *values = json_array();

    for (size_t key = 0; values != NULL && key < splits->field->child_count; key++) {
        json_t *value = sluice_json_from_value(&splits->children[key], row);

        if (json_array_append_new(values, value) != 0) {
            json_decref(values);
            return NULL;
        }
    }
    return values;
}

static sluice_status set_splits_json(const sluice_partitioning *partitioning, json_t *object,
                                     sluice_error *error)
{
    json_t *splits = json_array();

    if (json_object_set_new(object, "splits", splits) != 0)
        return fail_json(error);
    for (uint32_t split = 0; split < partitioning->split_count; split++) {
        if (json_array_append_new(splits, make_split(partitioning->splits, split)) != 0)
            return fail_json(error);
    }
    if (partitioning->is_total_order &&
        json_object_set_new(object, "total_order", json_true()) != 0)
        return fail_json(error);
    return SLUICE_OK;
}

static sluice_status set_members(const sluice_partitioning *partitioning,
                                 const sluice_schema *schema, json_t *object, sluice_error *error)
{
    int failed = json_object_set_new(
        object, "kind", json_string(sluice_partitioning_kind_name(partitioning->kind)));

    switch (partitioning->kind) {
    case SLUICE_PARTITIONING_HASH:
        failed |= json_object_set_new(object, "scheme", json_string("sluice1"));
        SLUICE_TRY(set_keys(partitioning, "keys", schema, object, error));
        break;
    case SLUICE_PARTITIONING_RANGE:
        SLUICE_TRY(set_keys(partitioning, "order", schema, object, error));
        SLUICE_TRY(set_splits_json(partitioning, object, error));
        break;
    case SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES:
        failed |= json_object_set_new(object, "unit", json_string("batches"));
        break;
    case SLUICE_PARTITIONING_ROUND_ROBIN_ROWS:
        failed |= json_object_set_new(object, "unit", json_string("rows"));
        break;
    case SLUICE_PARTITIONING_VALUE:
        SLUICE_TRY(set_keys(partitioning, "keys", schema, object, error));
        break;
    case SLUICE_PARTITIONING_IDS:
        failed |= json_object_set_new(object, "column", json_string(partitioning->keys[0].name));
        break;
    }
    failed |= json_object_set_new(object, "count", json_integer(partitioning->partition_count));
    return failed != 0 ? fail_json(error) : SLUICE_OK;
}

/*
 * The digits with which every real number in a value is read back as it was: 17 always do, but 0.1
 * is nicer to read with fewer.  The value is nested no deeper than types are.
 */
static int find_precision(const json_t *value)
{
    int precision = REAL_PRECISION_MIN;
    const char *name;
    json_t *member;
    size_t index;

    if (json_is_real(value)) {
        const double number = json_real_value(value);
        char text[REAL_TEXT_BYTES];

        for (; precision < REAL_PRECISION_MAX; precision++) {
            snprintf(text, sizeof(text), "%.*g", precision, number);
            if (strtod(text, NULL) == number)
                break;
        }
        return precision;
    }
    json_array_foreach(value, index, member) {
        const int needed = find_precision(member);

        precision = needed > precision ? needed : precision;
    }
    json_object_foreach((json_t *)(uintptr_t)value, name, member) {
        const int needed = find_precision(member);

        precision = needed > precision ? needed : precision;
    }
    return precision;
}

/* The text of a JSON value as a string of our own. */
static sluice_status dump_json(const json_t *value, char **out, sluice_error *error)
{
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION((size_t)find_precision(value));
    const size_t bytes = json_dumpb(value, NULL, 0, flags);

    if (bytes == 0)
        return fail_json(error);
    char *text = sluice_allocate(NULL, bytes + 1);

    if (text == NULL)
        return sluice_fail_allocation(error, bytes + 1, "JSON");
    if (json_dumpb(value, text, bytes, flags) != bytes) {
        sluice_free(NULL, text, bytes + 1);
        return fail_json(error);
    }
    text[bytes] = '\0';
    *out = text;
    return SLUICE_OK;
}

sluice_status sluice_partitioning_to_json(const sluice_partitioning *partitioning,
                                          const struct ArrowSchema *schema, char **out,
                                          sluice_error *error)
{
    json_t *object = json_object();
    sluice_schema *imported = NULL;
    sluice_status status = object == NULL ? fail_json(error) : SLUICE_OK;

    *out = NULL;
    if (status == SLUICE_OK && schema != NULL)
        status = sluice_schema_import(schema, NULL, &imported, error);
    if (status == SLUICE_OK)
        status = set_members(partitioning, imported, object, error);
    if (status == SLUICE_OK)
        status = dump_json(object, out, error);
    sluice_schema_unref(imported);
    json_decref(object);
    return status;
}

void sluice_partitioning_describe_split(const sluice_column *splits, int64_t row, char *text,
                                        size_t text_bytes)
{
    json_t *values = make_split(splits, row);

    memset(text, 0, text_bytes);
    const int precision = find_precision(values);

    if (json_dumpb(values, text, text_bytes - 1,
                   JSON_COMPACT | JSON_REAL_PRECISION((size_t)precision)) == 0)
        text[0] = '?';
    json_decref(values);
}

void sluice_string_free(char *string)
{
    sluice_free_string(NULL, string);
}

/* ------------------------------------------------------------------------------- from JSON */

static sluice_status fail_member(const char *member, const char *expected, sluice_error *error)
{
    return sluice_fail(error, SLUICE_BAD_DATA, "partitioning: \"%s\" is not %s", member, expected);
}

/* A number of partitions; the constructors check that it is between 1 and the most. */
static sluice_status read_count(const json_t *object, uint32_t *count, sluice_error *error)
{
    const json_t *value = json_object_get(object, "count");

    if (!json_is_integer(value))
        return fail_member("count", "an integer", error);
    if (json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX) {
        return sluice_fail(error, SLUICE_INVALID,
                           "partitioning: %lld partitions, the count must be between 1 and %d",
                           (long long)json_integer_value(value), SLUICE_PARTITIONS_MAX);
    }
    *count = (uint32_t)json_integer_value(value);
    return SLUICE_OK;
}

/* A string without zeros inside, which C strings could not hold; NULL when it is none. */
static const char *get_text(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    const char *text = json_string_value(value);

    return text != NULL && strlen(text) == json_string_length(value) ? text : NULL;
}

/* Read the names of an array of keys; *names has room for SLUICE_PARTITIONING_KEYS_MAX. */
static sluice_status read_key_names(const json_t *keys, const char *member, const char **names,
                                    sluice_error *error)
{
    const size_t key_count = json_array_size(keys);

    if (!json_is_array(keys))
        return fail_member(member, "an array of objects", error);
    if (key_count > SLUICE_PARTITIONING_KEYS_MAX) {
        return sluice_fail(error, SLUICE_INVALID, "partitioning: %zu keys, at most %d can be",
                           key_count, SLUICE_PARTITIONING_KEYS_MAX);
    }
    for (size_t key = 0; key < key_count; key++) {
        names[key] = get_text(json_array_get(keys, key), "name");
        if (names[key] == NULL)
            return fail_member(member, "an array of objects that each have a \"name\"", error);
    }
    return SLUICE_OK;
}

static sluice_status read_hash(const json_t *object, sluice_partitioning **out,
                               sluice_error *error)
{
    const json_t *keys = json_object_get(object, "keys");
    const char *scheme = get_text(object, "scheme");
    const char *names[SLUICE_PARTITIONING_KEYS_MAX];
    uint32_t count;

    if (scheme == NULL)
        return fail_member("scheme", "a string", error);
    if (strcmp(scheme, "sluice1") != 0) {
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "partitioning: hash scheme \"%.100s\" is not known", scheme);
    }
    SLUICE_TRY(read_key_names(keys, "keys", names, error));
    SLUICE_TRY(read_count(object, &count, error));
    return sluice_partitioning_new_hash(names, json_array_size(keys), count, SLUICE_HASH_SLUICE1,
                                        out, error);
}

static sluice_status read_value(const json_t *object, sluice_partitioning **out,
                                sluice_error *error)
{
    const json_t *keys = json_object_get(object, "keys");
    const char *names[SLUICE_PARTITIONING_KEYS_MAX];
    uint32_t count;

    SLUICE_TRY(read_key_names(keys, "keys", names, error));
    SLUICE_TRY(read_count(object, &count, error));
    return sluice_partitioning_new_value(names, json_array_size(keys), count, out, error);
}

static sluice_status read_round_robin(const json_t *object, sluice_partitioning **out,
                                      sluice_error *error)
{
    const char *unit = get_text(object, "unit");
    uint32_t count;

    if (unit == NULL || (strcmp(unit, "rows") != 0 && strcmp(unit, "batches") != 0))
        return fail_member("unit", "\"rows\" or \"batches\"", error);
    SLUICE_TRY(read_count(object, &count, error));
    return sluice_partitioning_new_round_robin(strcmp(unit, "rows") == 0
                                                   ? SLUICE_PARTITIONING_ROUND_ROBIN_ROWS
                                                   : SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES,
                                               count, out, error);
}

static sluice_status read_ids(const json_t *object, sluice_partitioning **out,
                              sluice_error *error)
{
    const char *column = get_text(object, "column");
    uint32_t count;

    if (column == NULL)
        return fail_member("column", "a string", error);
    SLUICE_TRY(read_count(object, &count, error));
    return sluice_partitioning_new_ids(column, count, out, error);
}

/* What a range in JSON is made of before there is a partitioning. */
typedef struct range_reader {
    const json_t *order;
    const json_t *splits;
    size_t key_count;
    const char *names[SLUICE_PARTITIONING_KEYS_MAX];
    const char *types[SLUICE_PARTITIONING_KEYS_MAX];
    sluice_sort_key keys[SLUICE_PARTITIONING_KEYS_MAX];
    const sluice_field *fields[SLUICE_PARTITIONING_KEYS_MAX];
} range_reader;

static sluice_status read_flag(const json_t *key, const char *member, bool fallback, bool *out,
                               sluice_error *error)
{
    const json_t *value = json_object_get(key, member);

    if (value != NULL && !json_is_boolean(value))
        return fail_member(member, "true or false", error);
    *out = value == NULL ? fallback : json_is_true(value);
    return SLUICE_OK;
}

static sluice_status read_order(range_reader *reader, sluice_error *error)
{
    SLUICE_TRY(read_key_names(reader->order, "order", reader->names, error));
    reader->key_count = json_array_size(reader->order);
    for (size_t key = 0; key < reader->key_count; key++) {
        const json_t *object = json_array_get(reader->order, key);
        sluice_sort_key *sort_key = &reader->keys[key];

        sort_key->name = reader->names[key];
        reader->types[key] = get_text(object, "type");
        if (reader->types[key] == NULL)
            return fail_member("type", "there for each key of \"order\"", error);
        SLUICE_TRY(read_flag(object, "descending", false, &sort_key->descending, error));
        SLUICE_TRY(read_flag(object, "nulls_first", true, &sort_key->nulls_first, error));
    }
    return SLUICE_OK;
}

static sluice_status read_splits(const range_reader *reader, sluice_rows *rows,
                                 sluice_error *error)
{
    const size_t split_count = json_array_size(reader->splits);

    if (!json_is_array(reader->splits))
        return fail_member("splits", "an array", error);
    for (size_t split = 0; split < split_count; split++) {
        const json_t *values = json_array_get(reader->splits, split);

        if (!json_is_array(values)) {
            return sluice_fail(error, SLUICE_BAD_DATA,
                               "partitioning: split point %zu is no array", split);
        }
        if (json_array_size(values) != reader->key_count) {
            return sluice_fail(error, SLUICE_INVALID,
                               "range partitioning: split point %zu has width %zu, but the order "
                               "has width %zu",
                               split, json_array_size(values), reader->key_count);
        }
        for (size_t key = 0; key < reader->key_count; key++) {
            SLUICE_TRY(sluice_json_value_append(&rows->children[key],
                                                json_array_get(values, key), (int64_t)split,
                                                error));
        }
        SLUICE_TRY(sluice_rows_end_struct(rows, error));
    }
    return SLUICE_OK;
}

static sluice_status check_range_count(const json_t *object, size_t split_count,
                                       sluice_error *error)
{
    uint32_t count;

    if (json_object_get(object, "count") == NULL)
        return SLUICE_OK;
    SLUICE_TRY(read_count(object, &count, error));
    if (count == split_count + 1)
        return SLUICE_OK;
    return sluice_fail(error, SLUICE_INVALID,
                       "range partitioning: %zu split points make %zu partitions, but \"count\" "
                       "is %u",
                       split_count, split_count + 1, (unsigned)count);
}

static sluice_status read_range(const json_t *object, range_reader *reader,
                                sluice_partitioning **out, sluice_error *error)
{
    sluice_schema *schema = NULL;
    sluice_rows *rows = NULL;
    bool is_total_order = false;
    sluice_status status;

    reader->order = json_object_get(object, "order");
    if (reader->order == NULL)
        reader->order = json_object_get(object, "keys");
    reader->splits = json_object_get(object, "splits");
    SLUICE_TRY(read_order(reader, error));
    SLUICE_TRY(check_range_count(object, json_array_size(reader->splits), error));
    SLUICE_TRY(read_flag(object, "total_order", false, &is_total_order, error));
    SLUICE_TRY(sluice_type_names_parse(reader->names, reader->types, reader->key_count, &schema,
                                       error));
    for (size_t key = 0; key < reader->key_count; key++)
        reader->fields[key] = &sluice_schema_root(schema)->children[key];
    status = sluice_rows_new(reader->fields, reader->key_count, NULL, &rows, error);
    if (status == SLUICE_OK)
        status = read_splits(reader, rows, error);
    if (status == SLUICE_OK) {
        status = sluice_partitioning_new_range_from_rows(reader->keys, reader->key_count, rows,
                                                         is_total_order, out, error);
    }
    sluice_rows_free(rows);
    sluice_schema_unref(schema);
    return status;
}

static sluice_status read_range_on_heap(const json_t *object, sluice_partitioning **out,
                                        sluice_error *error)
{
    range_reader *reader = sluice_allocate_zeroed(NULL, 1, sizeof(*reader));

    if (reader == NULL)
        return sluice_fail_allocation(error, sizeof(*reader), "split points");
    const sluice_status status = read_range(object, reader, out, error);

    sluice_free(NULL, reader, sizeof(*reader));
    return status;
}

static sluice_status read_object(const json_t *object, sluice_partitioning **out,
                                 sluice_error *error)
{
    const char *kind = get_text(object, "kind");

    if (!json_is_object(object))
        return sluice_fail(error, SLUICE_BAD_DATA, "partitioning: the JSON is no object");
    /* What `sluice bounds` prints has no kind. */
    if (json_object_get(object, "kind") == NULL && json_object_get(object, "splits") != NULL)
        kind = "range";
    if (kind == NULL)
        return fail_member("kind", "a string", error);
    if (strcmp(kind, "hash") == 0)
        return read_hash(object, out, error);
    if (strcmp(kind, "range") == 0)
        return read_range_on_heap(object, out, error);
    if (strcmp(kind, "round-robin") == 0)
        return read_round_robin(object, out, error);
    if (strcmp(kind, "value") == 0)
        return read_value(object, out, error);
    if (strcmp(kind, "ids") == 0)
        return read_ids(object, out, error);
    return sluice_fail(error, SLUICE_UNSUPPORTED, "partitioning: kind \"%.100s\" is not known",
                       kind);
}

sluice_status sluice_partitioning_from_json(const char *json, sluice_partitioning **out,
                                            sluice_error *error)
{
    json_error_t json_error;
    json_t *object = json_loads(json, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &json_error);
    sluice_status status;

    *out = NULL;
    if (object == NULL) {
        return sluice_fail(error, SLUICE_BAD_DATA,
                           "partitioning: line %d, column %d of the JSON: %s", json_error.line,
                           json_error.column, json_error.text);
    }
    status = read_object(object, out, error);
    json_decref(object);
    return status;
}
