/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/routing.c - see cli/routing.h
 *
 * A range is handed to the library as the declaration it would have in a file, so that there is one
 * place that reads typed values.
 */
#include "routing.h"

#include <string.h>

#include "json.h"
#include "memory.h"
#include "message.h"
#include "schema.h"
#include "splits.h"

int cli_refuse_column(const char *flag, const struct ArrowSchema *schema, const char *name)
{
    const char *const near = cli_schema_nearest(schema, name);
    if (near)
        return cli_error(CLI_USAGE, "--%s: column %s: not there; did you mean %s?", flag, name,
                         near);
    return cli_error(CLI_USAGE, "--%s: column %s: not there; sluice inspect shows the columns",
                     flag, name);
}

static int check_ways(const cli_arguments *arguments)
{
    static const cli_option_id ways[] = {OPTION_HASH, OPTION_RANGE, OPTION_ROUND_ROBIN};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!cli_has(arguments, ways[i]))
            continue;
        if (first)
            return cli_error(CLI_USAGE, "two ways at once: --%s and --%s; give one", first,
                             cli_options[ways[i]].name);
        first = cli_options[ways[i]].name;
    }
    if (!first)
        return cli_error(CLI_USAGE, "which row goes where? give --hash KEYS -n N, --range KEYS "
                                    "--splits LIST or --round-robin -n N");
    if (cli_has(arguments, OPTION_SPLITS) && !cli_has(arguments, OPTION_RANGE))
        return cli_error(CLI_USAGE, "--splits: goes with --range, not with --%s", first);
    if (cli_has(arguments, OPTION_HASH_SCHEME) && !cli_has(arguments, OPTION_HASH) &&
        !arguments->settings[OPTION_HASH_SCHEME].is_from_environment)
        return cli_error(CLI_USAGE, "--hash-scheme: goes with --hash, not with --%s", first);
    if (cli_has(arguments, OPTION_RANGE) && !cli_has(arguments, OPTION_SPLITS))
        return cli_error(CLI_USAGE, "--range: split points from a sample are not in this version; "
                                    "give --splits LIST or FILE");
    if (!cli_has(arguments, OPTION_RANGE) && !cli_has(arguments, OPTION_PARTITIONS))
        return cli_error(CLI_USAGE, "-n: missing; into how many partitions?");
    return CLI_DONE;
}

int cli_routing_parse(const cli_arguments *arguments, cli_routing *out)
{
    *out = (cli_routing){0};
    const int code = check_ways(arguments);
    if (code != CLI_DONE)
        return code;
    out->count = (uint32_t)cli_get_number(arguments, OPTION_PARTITIONS, 0);
    if (cli_has(arguments, OPTION_ROUND_ROBIN)) {
        out->kind = SLUICE_PARTITIONING_ROUND_ROBIN_ROWS;
        return CLI_DONE;
    }
    const bool is_range = cli_has(arguments, OPTION_RANGE);
    out->kind = is_range ? SLUICE_PARTITIONING_RANGE : SLUICE_PARTITIONING_HASH;
    return cli_keys_parse(is_range ? "range" : "hash",
                          cli_get_text(arguments, is_range ? OPTION_RANGE : OPTION_HASH, ""),
                          is_range, &out->keys);
}

/* {"kind":"range","order":[..],"splits":[..]} */
static char *describe_range(const cli_key_list *keys, const struct ArrowSchema *schema,
                            json_t *splits)
{
    json_t *const order = json_array();
    for (size_t i = 0; i < keys->count; i++) {
        const cli_key *const key = &keys->keys[i];
        const int64_t column = cli_schema_find(schema, key->name);
        cli_text type = {0};
        cli_type_append(&type, cli_value_field(schema->children[column]));
        json_array_append_new(order, json_pack("{s:o, s:o, s:b, s:b}", "name",
                                               cli_json_text(key->name), "type",
                                               cli_json_text(type.bytes), "descending",
                                               key->descending, "nulls_first", key->nulls_first));
        cli_text_deinit(&type);
    }
    json_t *const root = json_pack("{s:s, s:o, s:O, s:I}", "kind", "range", "order", order,
                                   "splits", splits, "count",
                                   (json_int_t)json_array_size(splits) + 1);
    char *const text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    return text;
}

static int resolve_range(const cli_arguments *arguments, const struct ArrowSchema *schema,
                         cli_routing *routing)
{
    json_t *splits = NULL;
    sluice_error error;
    int code = cli_splits_read(cli_get_text(arguments, OPTION_SPLITS, ""), &routing->keys, schema,
                               &splits);
    if (code != CLI_DONE)
        return code;
    const size_t count = json_array_size(splits) + 1;
    if (routing->count != 0 && routing->count != count) {
        code = cli_error(CLI_USAGE, "-n %u: %zu split points make %zu partitions; leave -n away",
                         routing->count, count - 1, count);
        goto done;
    }
    char *const text = describe_range(&routing->keys, schema, splits);
    if (sluice_partitioning_from_json(text, &routing->partitioning, &error) != SLUICE_OK)
        code = cli_error(CLI_USAGE, "--splits: %s", error.message);
    cli_free(text);
    routing->count = (uint32_t)count;

done:
    json_decref(splits);
    return code;
}

int cli_routing_resolve(const cli_arguments *arguments, const struct ArrowSchema *schema,
                        cli_routing *routing)
{
    sluice_error error;
    for (size_t i = 0; i < routing->keys.count; i++)
        if (cli_schema_find(schema, routing->keys.keys[i].name) < 0)
            return cli_refuse_column(routing->kind == SLUICE_PARTITIONING_RANGE ? "range" : "hash",
                                     schema, routing->keys.keys[i].name);
    if (routing->kind == SLUICE_PARTITIONING_RANGE)
        return resolve_range(arguments, schema, routing);
    sluice_status status;
    if (routing->kind == SLUICE_PARTITIONING_HASH) {
        const char **const names = cli_keys_names(&routing->keys);
        status = sluice_partitioning_new_hash(names, routing->keys.count, routing->count,
                                              SLUICE_HASH_SLUICE1, &routing->partitioning, &error);
        cli_free(names);
    } else {
        status = sluice_partitioning_new_round_robin(routing->kind, routing->count,
                                                     &routing->partitioning, &error);
    }
    return status == SLUICE_OK ? CLI_DONE : cli_error(CLI_USAGE, "%s", error.message);
}

char *cli_routing_declare(const sluice_partitioning *partitioning,
                          const struct ArrowSchema *schema, int64_t index)
{
    sluice_error error;
    char *text = NULL;
    if (sluice_partitioning_to_json(partitioning, schema, &text, &error) != SLUICE_OK) {
        cli_error_of("", &error);
        return NULL;
    }
    json_t *const root = json_loads(text, 0, NULL);
    sluice_string_free(text);
    if (!json_is_object(root)) {
        json_decref(root);
        cli_error(CLI_FAILED, "the declaration of the partitioning is not valid JSON");
        return NULL;
    }
    if (index >= 0)
        json_object_set_new(root, "index", json_integer(index));
    char *const declaration = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    return declaration;
}

void cli_routing_deinit(cli_routing *routing)
{
    cli_keys_deinit(&routing->keys);
    sluice_partitioning_free(routing->partitioning);
    *routing = (cli_routing){0};
}
