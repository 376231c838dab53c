/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/claim.c - see cli/claim.h
 *
 * Two partitionings meet when kind, scheme, count, order, null rule and split points are equal and
 * each pair of keys has types that the scheme treats alike.  Names may differ: that is what a join
 * is for.
 */
#include "claim.h"

#include <stdio.h>
#include <string.h>

#include "json.h"

static const char *member(const json_t *object, const char *name)
{
    const char *const text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const json_t *keys_of(const json_t *claim)
{
    const json_t *const order = json_object_get(claim, "order");
    return order ? order : json_object_get(claim, "keys");
}

static json_int_t count_of(const json_t *claim)
{
    return json_integer_value(json_object_get(claim, "count"));
}

void cli_claim_describe(const json_t *claim, cli_text *text)
{
    const json_t *const keys = keys_of(claim);
    cli_text_append_string(text, member(claim, "kind"));
    if (*member(claim, "scheme"))
        cli_text_append_format(text, " (%s)", member(claim, "scheme"));
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *const key = json_array_get(keys, i);
        cli_text_append_format(text, "%s%s", i > 0 ? ", " : " of ", member(key, "name"));
        if (*member(key, "type"))
            cli_text_append_format(text, ": %s", member(key, "type"));
        if (json_is_true(json_object_get(key, "descending")))
            cli_text_append_string(text, ", descending");
        if (json_is_false(json_object_get(key, "nulls_first")))
            cli_text_append_string(text, ", nulls last");
    }
    const json_int_t count = count_of(claim);
    cli_text_append_format(text, ", %lld partition%s", (long long)count, count == 1 ? "" : "s");
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/*
 * What sluice1 hashes alike, and ranges compare alike, has the same class: integers of every width,
 * floats, bytes in every form, decimals of one scale, timestamps of one unit.  A dictionary stands
 * for its values.
 */
static void type_class(const char *type, char *class, size_t class_bytes)
{
    static const char *const bytes_names[] = {"utf8",        "large_utf8",   "utf8_view",
                                              "binary",      "large_binary", "binary_view",
                                              "string"};
    static const char values_prefix[] = "dictionary<values=";
    const char *inner = type;
    size_t inner_bytes = strlen(type);
    if (begins(type, values_prefix)) {
        inner = type + sizeof values_prefix - 1;
        const char *end = inner;
        for (const char *at = inner; (at = strstr(at, ", indices=")) != NULL; at++)
            end = at;
        inner_bytes = (size_t)(end - inner);
    }
    snprintf(class, class_bytes, "%.*s", (int)inner_bytes, inner);
    if (begins(class, "int8") || begins(class, "int16") || begins(class, "int32") ||
        begins(class, "int64") || begins(class, "uint"))
        snprintf(class, class_bytes, "integer");
    else if (begins(class, "float"))
        snprintf(class, class_bytes, "float");
    else if (begins(class, "fixed_size_binary"))
        snprintf(class, class_bytes, "bytes");
    else if (begins(class, "decimal") && strchr(class, ','))
        memmove(class, strchr(class, ','), strlen(strchr(class, ',')) + 1);
    else if (begins(class, "timestamp[") && strchr(class, ','))
        snprintf(strchr(class, ','), 2, "]");
    for (size_t i = 0; i < sizeof bytes_names / sizeof *bytes_names; i++)
        if (strcmp(class, bytes_names[i]) == 0)
            snprintf(class, class_bytes, "bytes");
}

static bool keys_meet(const json_t *left, const json_t *right, cli_text *reason)
{
    for (size_t i = 0; i < json_array_size(left); i++) {
        const json_t *const a = json_array_get(left, i);
        const json_t *const b = json_array_get(right, i);
        char class_a[256];
        char class_b[256];
        type_class(member(a, "type"), class_a, sizeof class_a);
        type_class(member(b, "type"), class_b, sizeof class_b);
        if (strcmp(class_a, class_b) != 0) {
            cli_text_append_format(reason, "key %zu: %s is %s, %s is %s", i + 1, member(a, "name"),
                                   member(a, "type"), member(b, "name"), member(b, "type"));
            return false;
        }
        static const char *const flags[] = {"descending", "nulls_first"};
        for (size_t flag = 0; flag < 2; flag++) {
            if (json_is_true(json_object_get(a, flags[flag])) ==
                json_is_true(json_object_get(b, flags[flag])))
                continue;
            cli_text_append_format(reason, "key %zu: %s differs: %s and %s", i + 1, flags[flag],
                                   member(a, "name"), member(b, "name"));
            return false;
        }
    }
    return true;
}

bool cli_claims_meet(const json_t *left, const json_t *right, cli_text *reason)
{
    const json_t *const left_keys = keys_of(left);
    const json_t *const right_keys = keys_of(right);
    const char *const kind = member(left, "kind");
    if (!left || !right) {
        cli_text_append_format(reason, "the %s declares no partitioning",
                               left ? "second" : "first");
    } else if (strcmp(kind, member(right, "kind")) != 0) {
        cli_text_append_format(reason, "one is by %s, the other by %s", kind,
                               member(right, "kind"));
    } else if (strcmp(kind, "hash") != 0 && strcmp(kind, "range") != 0) {
        cli_text_append_format(reason, "%s does not place rows by a key", kind);
    } else if (strcmp(member(left, "scheme"), member(right, "scheme")) != 0) {
        cli_text_append_format(reason, "the schemes differ: %s and %s", member(left, "scheme"),
                               member(right, "scheme"));
    } else if (count_of(left) != count_of(right)) {
        cli_text_append_format(reason, "the counts differ: %lld and %lld partitions",
                               (long long)count_of(left), (long long)count_of(right));
    } else if (json_array_size(left_keys) != json_array_size(right_keys)) {
        cli_text_append_format(reason, "the numbers of keys differ: %zu and %zu",
                               json_array_size(left_keys), json_array_size(right_keys));
    } else if (keys_meet(left_keys, right_keys, reason)) {
        const json_t *const splits = json_object_get(left, "splits");
        if (!splits || json_equal(splits, json_object_get(right, "splits"))) {
            cli_text_append_string(reason, "both are ");
            cli_claim_describe(left, reason);
            return true;
        }
        cli_text_append_string(reason, "the split points differ");
    }
    return false;
}
