/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/sources.c - see cli/sources.h
 */
#include "sources.h"

#include <string.h>

#include "json.h"
#include "memory.h"
#include "message.h"
#include "schema.h"

static int compare_schemas(const cli_source_list *list, const struct ArrowSchema *schema,
                           const char *path)
{
    const struct ArrowSchema *const first = &list->schema;
    const char *const first_path = sluice_source_get_path(list->sources[0]);
    const int64_t count = first->n_children > schema->n_children ? first->n_children
                                                                 : schema->n_children;
    for (int64_t i = 0; i < count; i++) {
        if (i >= schema->n_children || i >= first->n_children) {
            const bool is_extra = i >= first->n_children;
            const struct ArrowSchema *const field = is_extra ? schema->children[i]
                                                             : first->children[i];
            return cli_error(CLI_FAILED, "%s: in %s, not in %s", field->name ? field->name : "",
                             is_extra ? path : first_path, is_extra ? first_path : path);
        }
        const struct ArrowSchema *const left = first->children[i];
        const struct ArrowSchema *const right = schema->children[i];
        if (cli_field_equal(left, right))
            continue;
        const char *const left_name = left->name ? left->name : "";
        const char *const right_name = right->name ? right->name : "";
        if (strcmp(left_name, right_name) != 0)
            return cli_error(CLI_FAILED, "column %lld: %s in %s, %s in %s", (long long)i + 1,
                             left_name, first_path, right_name, path);
        char *const left_type = cli_type_text(left);
        char *const right_type = cli_type_text(right);
        const int code = cli_error(CLI_FAILED, "%s: %s in %s, %s in %s", left_name, left_type,
                                   first_path, right_type, path);
        cli_free(left_type);
        cli_free(right_type);
        return code;
    }
    return CLI_DONE;
}

/* Takes the source. */
static int add_source(cli_source_list *list, sluice_source *source)
{
    sluice_error error;
    struct ArrowSchema schema = {0};
    int code = CLI_DONE;
    list->sources = cli_make_room(list->sources, list->count, sizeof(sluice_source *));
    list->sources[list->count++] = source;
    if (sluice_source_get_bytes(source) > 0)
        list->bytes += (uint64_t)sluice_source_get_bytes(source);
    if (sluice_source_get_schema(source, &schema, &error) != SLUICE_OK)
        return cli_error_of("", &error);
    if (list->count == 1) {
        list->schema = schema;
        return CLI_DONE;
    }
    code = compare_schemas(list, &schema, sluice_source_get_path(source));
    cli_schema_release(&schema);
    return code;
}

int cli_sources_open(const cli_input_list *inputs, sluice_file_format format, bool is_skipping_bad,
                     cli_source_list *out)
{
    *out = (cli_source_list){.skipped = json_array()};
    int code = CLI_DONE;
    for (size_t i = 0; i < inputs->count && code == CLI_DONE; i++) {
        sluice_error error;
        sluice_source *source = NULL;
        const sluice_status status = sluice_source_open(inputs->paths[i], format, &source, &error);
        if (status == SLUICE_OK) {
            code = add_source(out, source);
        } else if (status == SLUICE_BAD_DATA && is_skipping_bad) {
            json_array_append_new(out->skipped,
                                  json_pack("{s:o, s:o}", "path", cli_json_text(inputs->paths[i]),
                                            "reason",
                                            cli_json_text(error.message)));
            cli_note("skipped: %s", error.message);
        } else {
            code = cli_error_of("", &error);
        }
    }
    if (code == CLI_DONE && out->count == 0)
        code = inputs->count == 0
                   ? cli_error(CLI_FAILED, "there are no input files, so there are no columns")
                   : cli_error(CLI_FAILED, "%zu inputs, none of which can be read", inputs->count);
    if (code != CLI_DONE)
        cli_sources_deinit(out);
    return code;
}

void cli_sources_deinit(cli_source_list *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        sluice_source_free(sources->sources[i]);
    cli_free(sources->sources);
    cli_schema_release(&sources->schema);
    json_decref(sources->skipped);
    *sources = (cli_source_list){0};
}
