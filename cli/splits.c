/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/splits.c - see cli/splits.h
 *
 * Values become JSON as the data sets write them: integers as numbers, as text beyond 2^53;
 * decimals, dates and times as text; binary as base64.
 */
#include "splits.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "json.h"
#include "memory.h"
#include "message.h"
#include "schema.h"

const struct ArrowSchema *cli_value_field(const struct ArrowSchema *field)
{
    if (field->dictionary)
        return field->dictionary;
    if (strcmp(field->format, "+r") == 0 && field->n_children == 2)
        return field->children[1];
    return field;
}

static json_t *integer_value(const char *text)
{
    const char *const digits = text + (*text == '-' || *text == '+');
    char *end;
    if (!isdigit((unsigned char)*digits))
        return NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (*end)
        return NULL;
    if (errno == ERANGE || value > (1LL << 53) || value < -(1LL << 53))
        return json_string(text + (*text == '+'));
    return json_integer(value);
}

static json_t *float_value(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end)
        return NULL;
    if (isnan(value))
        return json_string("NaN");
    if (isinf(value))
        return json_string(value > 0 ? "Infinity" : "-Infinity");
    return json_real(value);
}

static json_t *bool_value(const char *text)
{
    if (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0)
        return json_true();
    if (strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0)
        return json_false();
    return NULL;
}

/* "2026-07-01 12:00:00" is how CSV has it, with a T how ISO 8601 does. */
static json_t *timestamp_value(const char *text)
{
    char *const copy = cli_copy_string(text);
    if (strlen(copy) > 10 && copy[10] == ' ')
        copy[10] = 'T';
    json_t *const value = json_string(copy);
    cli_free(copy);
    return value;
}

static json_t *binary_value(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t count = strlen(text);
    char *const encoded = cli_allocate((count + 2) / 3 * 4 + 1);
    size_t at = 0;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t bits = (uint32_t)(unsigned char)text[i] << 16 |
                              (left > 1 ? (uint32_t)(unsigned char)text[i + 1] << 8 : 0) |
                              (left > 2 ? (uint32_t)(unsigned char)text[i + 2] : 0);
        encoded[at++] = letters[bits >> 18];
        encoded[at++] = letters[bits >> 12 & 63];
        encoded[at++] = left > 1 ? letters[bits >> 6 & 63] : '=';
        encoded[at++] = left > 2 ? letters[bits & 63] : '=';
    }
    encoded[at] = '\0';
    json_t *const value = json_string(encoded);
    cli_free(encoded);
    return value;
}

/* NULL when the text is no value of the type; *is_known_out when there is a way to write one. */
static json_t *typed_value(const struct ArrowSchema *field, const char *text, bool *is_known_out)
{
    const char *const format = field->format;
    *is_known_out = true;
    if (strchr("cCsSiIlL", format[0]) || strncmp(format, "tD", 2) == 0)
        return integer_value(text);
    if (strchr("efg", format[0]))
        return float_value(text);
    if (format[0] == 'b')
        return bool_value(text);
    if (strncmp(format, "ts", 2) == 0)
        return timestamp_value(text);
    if (format[0] == 'u' || format[0] == 'U' || format[0] == 'd' || strcmp(format, "vu") == 0 ||
        strncmp(format, "td", 2) == 0 || strncmp(format, "tt", 2) == 0)
        return json_string(text);
    if (format[0] == 'z' || format[0] == 'Z' || format[0] == 'w' || strcmp(format, "vz") == 0)
        return binary_value(text);
    *is_known_out = false;
    return NULL;
}

static int read_value(const char **text, const struct ArrowSchema *field, json_t **out)
{
    cli_field part;
    bool is_known;
    if (!cli_next_field(text, ",", &part))
        return cli_error(CLI_USAGE, "--splits: a quote is not closed, or text follows it: %s",
                         *text);
    int code = CLI_DONE;
    *out = typed_value(field, part.text, &is_known);
    char *const type = cli_type_text(field);
    if (!*part.text && !part.is_quoted)
        code = cli_error(CLI_USAGE, "--splits: a value is empty");
    else if (!is_known)
        code = cli_error(CLI_USAGE, "--splits: values of type %s are given in a JSON file", type);
    else if (!*out)
        code = cli_error(CLI_USAGE, "--splits: %s is no valid %s", part.text, type);
    if (code != CLI_DONE) {
        json_decref(*out);
        *out = NULL;
    }
    cli_free(type);
    cli_free(part.text);
    return code;
}

static int read_list(const char *text, const cli_key_list *keys, const struct ArrowSchema *schema,
                     json_t **out)
{
    if (keys->count != 1)
        return cli_error(CLI_USAGE,
                         "--splits: a list is for one key; for %zu keys give a JSON file",
                         keys->count);
    const int64_t column = cli_schema_find(schema, keys->keys[0].name);
    json_t *const splits = json_array();
    for (;;) {
        json_t *value = NULL;
        const int code = read_value(&text, cli_value_field(schema->children[column]), &value);
        if (code != CLI_DONE) {
            json_decref(splits);
            return code;
        }
        json_array_append_new(splits, json_pack("[o]", value));
        if (!*text)
            break;
        text++;
    }
    *out = splits;
    return CLI_DONE;
}

/* The order of a file completes keys that were written without one. */
static int apply_order(const char *path, const json_t *order, cli_key_list *keys)
{
    if (!order)
        return CLI_DONE;
    if (!json_is_array(order) || json_array_size(order) != keys->count)
        return cli_error(CLI_USAGE, "--splits %s: \"order\" has %zu keys, --range has %zu", path,
                         json_array_size(order), keys->count);
    for (size_t i = 0; i < keys->count; i++) {
        const json_t *const entry = json_array_get(order, i);
        const char *const name = json_string_value(json_object_get(entry, "name"));
        const bool descending = json_is_true(json_object_get(entry, "descending"));
        const json_t *const nulls = json_object_get(entry, "nulls_first");
        const bool nulls_first = !nulls || json_is_true(nulls);
        cli_key *const key = &keys->keys[i];
        if (!name || strcmp(name, key->name) != 0)
            return cli_error(CLI_USAGE, "--splits %s: key %zu of \"order\" is %s, of --range %s",
                             path, i + 1, name ? name : "missing", key->name);
        if (!key->is_ordered) {
            key->descending = descending;
            key->nulls_first = nulls_first;
        } else if (key->descending != descending || key->nulls_first != nulls_first) {
            return cli_error(CLI_USAGE,
                             "--splits %s: %s is %s, nulls %s there, and %s, nulls %s in --range",
                             path, name, descending ? "descending" : "ascending",
                             nulls_first ? "first" : "last",
                             key->descending ? "descending" : "ascending",
                             key->nulls_first ? "first" : "last");
        }
    }
    return CLI_DONE;
}

static int read_splits_file(const char *path, cli_key_list *keys, json_t **out)
{
    json_error_t error;
    json_t *const root = json_load_file(path, JSON_DECODE_ANY, &error);
    if (!root)
        return cli_error(CLI_USAGE, "--splits %s: line %d: %s", path, error.line, error.text);
    json_t *const splits = json_is_array(root) ? root : json_object_get(root, "splits");
    int code = apply_order(path, json_object_get(root, "order"), keys);
    if (code == CLI_DONE && !json_is_array(splits))
        code = cli_error(CLI_USAGE, "--splits %s: \"splits\" is missing or no array", path);
    for (size_t i = 0; code == CLI_DONE && i < json_array_size(splits); i++) {
        const json_t *const split = json_array_get(splits, i);
        if (!json_is_array(split) || json_array_size(split) != keys->count)
            code = cli_error(CLI_USAGE,
                             "--splits %s: split point %zu has %zu values, --range has %zu keys",
                             path, i + 1, json_array_size(split), keys->count);
    }
    if (code == CLI_DONE)
        *out = json_incref(splits);
    json_decref(root);
    return code;
}

static bool names_a_file(const char *text)
{
    struct stat status;
    const size_t bytes = strlen(text);
    return (bytes > 5 && strcmp(text + bytes - 5, ".json") == 0) ||
           (stat(text, &status) == 0 && S_ISREG(status.st_mode));
}

int cli_splits_read(const char *text, cli_key_list *keys, const struct ArrowSchema *schema,
                    json_t **out)
{
    *out = NULL;
    return names_a_file(text) ? read_splits_file(text, keys, out)
                              : read_list(text, keys, schema, out);
}
