/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_inspect.c - sluice inspect: what a file or data set declares
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "claim.h"
#include "commands.h"
#include "inputs.h"
#include "json.h"
#include "manifest.h"
#include "memory.h"
#include "message.h"
#include "schema.h"
#include "sluice/io.h"

/* What there is to say about one PATH. */
typedef struct inspected {
    const char *path;
    const char *kind;      /* "data set", "directory" or the format of a file. */
    bool is_data_set;
    json_t *partitioning;  /* NULL: none declared. */
    json_t *schema;
    json_t *partitions;    /* Rows and files of each, of data sets. */
    uint64_t rows;
    bool has_rows;
    uint64_t bytes;
    uint64_t files;
    uint64_t pieces;       /* Of files: row groups or record batches. */
    char checksum[CLI_CHECKSUM_BYTES];
} inspected;

static int inspect_data_set(inspected *out)
{
    cli_manifest manifest;
    const int code = cli_manifest_read(out->path, &manifest);
    if (code != CLI_DONE)
        return code;
    out->kind = "data set";
    out->is_data_set = true;
    out->partitioning = manifest.partitioning ? json_loads(manifest.partitioning, 0, NULL) : NULL;
    out->schema = json_incref(manifest.schema);
    out->rows = manifest.rows;
    out->has_rows = true;
    out->partitions = json_array();
    if (manifest.has_checksum)
        cli_checksum_to_text(&manifest.checksum, out->checksum);
    for (size_t i = 0; i < manifest.partition_count; i++) {
        const cli_partition_entry *const partition = &manifest.partitions[i];
        out->bytes += cli_partition_bytes(partition);
        out->files += partition->file_count;
        json_array_append_new(out->partitions,
                              json_pack("{s:I, s:o, s:o, s:o}", "index",
                                        (json_int_t)partition->index, "rows",
                                        cli_json_count(partition->rows), "bytes",
                                        cli_json_count(cli_partition_bytes(partition)), "files",
                                        cli_json_count(partition->file_count)));
    }
    cli_manifest_deinit(&manifest);
    return CLI_DONE;
}

/* Adds what one file holds; the first one gives the columns and the claim. */
static int inspect_file(inspected *out, const char *path, sluice_file_format format)
{
    sluice_error error;
    sluice_source *source = NULL;
    struct ArrowSchema schema = {0};
    if (sluice_source_open(path, format, &source, &error) != SLUICE_OK ||
        sluice_source_get_schema(source, &schema, &error) != SLUICE_OK) {
        sluice_source_free(source);
        return cli_error_of("", &error);
    }
    const int64_t rows = sluice_source_get_row_count(source);
    const int64_t bytes = sluice_source_get_bytes(source);
    const char *const claim = sluice_source_get_metadata(source, "sluice.partitioning");
    out->has_rows = (out->files == 0 || out->has_rows) && rows >= 0;
    out->rows += rows > 0 ? (uint64_t)rows : 0;
    out->bytes += bytes > 0 ? (uint64_t)bytes : 0;
    out->pieces += sluice_source_get_piece_count(source);
    if (out->files++ == 0) {
        out->schema = cli_schema_to_json(&schema);
        out->partitioning = claim ? json_loads(claim, 0, NULL) : NULL;
        out->kind = sluice_file_format_name(sluice_source_get_format(source));
    }
    cli_schema_release(&schema);
    sluice_source_free(source);
    return CLI_DONE;
}

/* A directory that is no data set of ours declares nothing as a whole. */
static int inspect_directory(inspected *out)
{
    cli_input_list files = {0};
    int code = cli_inputs_expand(&out->path, 1, NULL, &files);
    for (size_t i = 0; i < files.count && code == CLI_DONE; i++)
        code = inspect_file(out, files.paths[i], SLUICE_FORMAT_DETECT);
    json_decref(out->partitioning);
    out->partitioning = NULL;
    out->kind = "directory without a manifest";
    cli_inputs_deinit(&files);
    return code;
}

static int inspect_path(inspected *out, const char *path)
{
    struct stat status;
    *out = (inspected){.path = path};
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return inspect_file(out, path, SLUICE_FORMAT_DETECT);
    return cli_manifest_exists(path) ? inspect_data_set(out) : inspect_directory(out);
}

static void inspected_deinit(inspected *what)
{
    json_decref(what->partitioning);
    json_decref(what->schema);
    json_decref(what->partitions);
}

static json_t *inspected_to_json(const inspected *what)
{
    json_t *const root = json_pack("{s:o, s:s}", "path", cli_json_text(what->path), "kind",
                                   what->is_data_set ? "data-set" : what->kind);
    json_object_set_new(root, "rows", what->has_rows ? cli_json_count(what->rows) : json_null());
    json_object_set_new(root, "bytes", cli_json_count(what->bytes));
    json_object_set_new(root, "files", cli_json_count(what->files));
    json_object_set_new(root, "partitioning",
                        what->partitioning ? json_incref(what->partitioning) : json_null());
    json_object_set(root, "schema", what->schema);
    if (what->partitions)
        json_object_set(root, "partitions", what->partitions);
    if (*what->checksum)
        json_object_set_new(root, "checksum", json_string(what->checksum));
    return root;
}

static void print_columns(const json_t *schema)
{
    size_t width = 0;
    for (size_t i = 0; i < json_array_size(schema); i++) {
        const char *const name =
            json_string_value(json_object_get(json_array_get(schema, i), "name"));
        if (name && strlen(name) > width)
            width = strlen(name) < 40 ? strlen(name) : 40;
    }
    printf("  columns       %zu\n", json_array_size(schema));
    for (size_t i = 0; i < json_array_size(schema); i++) {
        const json_t *const field = json_array_get(schema, i);
        const char *const name = json_string_value(json_object_get(field, "name"));
        const char *const type = json_string_value(json_object_get(field, "type"));
        printf("    %-*s  %s%s\n", (int)width, name ? name : "", type ? type : "",
               json_is_false(json_object_get(field, "nullable")) ? " not null" : "");
    }
}

static void print_inspected(const inspected *what)
{
    char number[CLI_NUMBER_BYTES];
    printf("%s: %s\n", what->path, what->kind);
    if (what->has_rows)
        printf("  rows          %s\n", cli_count_text(what->rows, number));
    if (what->is_data_set || what->files != 1)
        printf("  files         %s\n", cli_count_text(what->files, number));
    else
        printf("  %-12s  %s\n", strcmp(what->kind, "parquet") == 0 ? "row groups" : "batches",
               cli_count_text(what->pieces, number));
    printf("  size          %s\n", cli_bytes_text(what->bytes, number));
    cli_text claim = {0};
    if (what->partitioning)
        cli_claim_describe(what->partitioning, &claim);
    printf("  partitioning  %s\n", claim.bytes ? claim.bytes : "none declared");
    const json_t *const index = json_object_get(what->partitioning, "index");
    if (index)
        printf("  partition     %lld\n", (long long)json_integer_value(index));
    if (*what->checksum)
        printf("  checksum      %s\n", what->checksum);
    cli_text_deinit(&claim);
    print_columns(what->schema);
}

static int print_meeting(const cli_arguments *arguments, const inspected *both)
{
    cli_text reason = {0};
    bool meets = cli_claims_meet(both[0].partitioning, both[1].partitioning, &reason);
    const json_t *const left = json_object_get(both[0].partitioning, "index");
    const json_t *const right = json_object_get(both[1].partitioning, "index");
    if (meets && left && right && !json_equal(left, right)) {
        cli_text_deinit(&reason);
        cli_text_append_format(&reason, "one is partition %lld, the other partition %lld",
                               (long long)json_integer_value(left),
                               (long long)json_integer_value(right));
        meets = false;
    }
    if (cli_has(arguments, OPTION_JSON)) {
        json_t *const root = json_pack("{s:b, s:o}", "co_partitioned", meets, "reason",
                                       cli_json_text(reason.bytes));
        cli_json_print(root);
        json_decref(root);
    } else {
        printf("%s: %s\n", meets ? "yes" : "no", reason.bytes);
    }
    cli_text_deinit(&reason);
    return meets ? CLI_DONE : CLI_NO;
}

static void print_all(const cli_arguments *arguments, const inspected *all, size_t count)
{
    if (!cli_has(arguments, OPTION_JSON)) {
        for (size_t i = 0; i < count; i++)
            print_inspected(&all[i]);
        return;
    }
    json_t *root = count == 1 ? inspected_to_json(&all[0]) : json_array();
    for (size_t i = 0; i < count && count > 1; i++)
        json_array_append_new(root, inspected_to_json(&all[i]));
    if (count > 1)
        root = json_pack("{s:o}", "paths", root);
    cli_json_print(root);
    json_decref(root);
}

int cli_inspect(const cli_arguments *arguments)
{
    const size_t count = arguments->operand_count;
    const bool is_comparing = cli_has(arguments, OPTION_CO_PARTITIONED);
    if (is_comparing && count != 2)
        return cli_error(CLI_USAGE, "--co-partitioned: compares 2 paths, not %zu", count);
    if (count == 0)
        return cli_error(CLI_USAGE, "which file or data set? give its path");
    inspected *const all = cli_allocate_zeroed(count, sizeof *all);
    int code = CLI_DONE;
    for (size_t i = 0; i < count && code == CLI_DONE; i++)
        code = inspect_path(&all[i], arguments->operands[i]);
    if (code == CLI_DONE && is_comparing)
        code = print_meeting(arguments, all);
    else if (code == CLI_DONE)
        print_all(arguments, all, count);
    for (size_t i = 0; i < count; i++)
        inspected_deinit(&all[i]);
    cli_free(all);
    return code;
}
