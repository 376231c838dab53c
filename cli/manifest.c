/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/manifest.c - see cli/manifest.h
 */
#include "manifest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "memory.h"
#include "message.h"

enum { MANIFEST_VERSION = 1 };

static char *manifest_path(const char *directory)
{
    return cli_format("%s/_sluice.json", directory);
}

bool cli_manifest_exists(const char *directory)
{
    char *const path = manifest_path(directory);
    const bool exists = access(path, F_OK) == 0;
    cli_free(path);
    return exists;
}

void cli_checksum_to_text(const sluice_checksum *checksum, char text[CLI_CHECKSUM_BYTES])
{
    snprintf(text, CLI_CHECKSUM_BYTES, "%016llx%016llx", (unsigned long long)checksum->high,
             (unsigned long long)checksum->low);
}

bool cli_checksum_from_text(const char *text, sluice_checksum *out)
{
    if (!text || strlen(text) != CLI_CHECKSUM_BYTES - 1)
        return false;
    uint64_t halves[2] = {0, 0};
    for (size_t i = 0; i < CLI_CHECKSUM_BYTES - 1; i++) {
        const int letter = tolower((unsigned char)text[i]);
        if (!isxdigit(letter))
            return false;
        const uint64_t digit = (uint64_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
        halves[i / 16] = halves[i / 16] << 4 | digit;
    }
    *out = (sluice_checksum){.low = halves[1], .high = halves[0]};
    return true;
}

/* Relative, and no way out of the directory. */
static bool is_safe_path(const char *path)
{
    if (!*path || *path == '/')
        return false;
    while (*path) {
        const size_t bytes = strcspn(path, "/");
        if ((bytes == 1 && path[0] == '.') || (bytes == 2 && path[0] == '.' && path[1] == '.') ||
            bytes == 0)
            return false;
        path += bytes;
        path += *path == '/';
    }
    return true;
}

static bool read_file(const json_t *object, cli_file_entry *out)
{
    const char *const path = json_string_value(json_object_get(object, "path"));
    if (!path || !is_safe_path(path) ||
        !cli_json_read_count(json_object_get(object, "rows"), &out->rows) ||
        !cli_json_read_count(json_object_get(object, "bytes"), &out->bytes))
        return false;
    out->path = cli_copy_string(path);
    return true;
}

static bool read_checksum(const json_t *object, sluice_checksum *out, bool *has_out)
{
    const json_t *const text = json_object_get(object, "checksum");
    *has_out = text != NULL;
    return !text || cli_checksum_from_text(json_string_value(text), out);
}

static bool read_partition(const json_t *object, cli_partition_entry *out)
{
    uint64_t index;
    const json_t *const files = json_object_get(object, "files");
    if (!cli_json_read_count(json_object_get(object, "index"), &index) || index > UINT32_MAX ||
        !cli_json_read_count(json_object_get(object, "rows"), &out->rows) ||
        !json_is_array(files) || !read_checksum(object, &out->checksum, &out->has_checksum))
        return false;
    out->index = (uint32_t)index;
    out->files = cli_allocate_zeroed(json_array_size(files), sizeof *out->files);
    for (size_t i = 0; i < json_array_size(files); i++) {
        if (!read_file(json_array_get(files, i), &out->files[i]))
            return false;
        out->file_count++;
    }
    return true;
}

static int compare_partitions(const void *left, const void *right)
{
    const uint32_t a = ((const cli_partition_entry *)left)->index;
    const uint32_t b = ((const cli_partition_entry *)right)->index;
    return (a > b) - (a < b);
}

static bool read_partitions(const json_t *array, cli_manifest *out)
{
    if (!json_is_array(array))
        return false;
    out->partitions = cli_allocate_zeroed(json_array_size(array), sizeof *out->partitions);
    for (size_t i = 0; i < json_array_size(array); i++) {
        out->partition_count++;
        if (!read_partition(json_array_get(array, i), &out->partitions[i]))
            return false;
    }
    if (out->partition_count > 1)
        qsort(out->partitions, out->partition_count, sizeof *out->partitions, compare_partitions);
    for (size_t i = 1; i < out->partition_count; i++)
        if (out->partitions[i - 1].index == out->partitions[i].index)
            return false;
    return true;
}

static int read_object(const char *path, const json_t *root, cli_manifest *out)
{
    uint64_t version = 0;
    const json_t *const partitioning = json_object_get(root, "partitioning");
    if (!cli_json_read_count(json_object_get(root, "sluice"), &version))
        return cli_error(CLI_FAILED, "%s: no manifest of sluice: \"sluice\" is missing", path);
    if (version != MANIFEST_VERSION)
        return cli_error(CLI_FAILED, "%s: version %llu; this sluice knows version %d", path,
                         (unsigned long long)version, MANIFEST_VERSION);
    if (!cli_json_read_count(json_object_get(root, "rows"), &out->rows))
        return cli_error(CLI_FAILED, "%s: \"rows\" is missing or no count", path);
    if (!read_checksum(root, &out->checksum, &out->has_checksum))
        return cli_error(CLI_FAILED, "%s: \"checksum\" must have 32 hexadecimal digits", path);
    if (!read_partitions(json_object_get(root, "partitions"), out))
        return cli_error(CLI_FAILED, "%s: entry %zu of \"partitions\" is not valid", path,
                         out->partition_count);
    if (json_is_object(partitioning))
        out->partitioning = json_dumps(partitioning, JSON_COMPACT | JSON_REAL_PRECISION(17));
    out->schema = json_incref(json_object_get(root, "schema"));
    out->inputs = json_incref(json_object_get(root, "inputs"));
    out->options = json_incref(json_object_get(root, "options"));
    out->skipped = json_incref(json_object_get(root, "skipped"));
    return CLI_DONE;
}

int cli_manifest_read(const char *directory, cli_manifest *out)
{
    *out = (cli_manifest){0};
    char *const path = manifest_path(directory);
    json_error_t error;
    json_t *root = NULL;
    int code;
    FILE *const file = fopen(path, "rb");
    if (!file) {
        code = cli_error(CLI_FAILED, "%s: cannot be read: %s", path, strerror(errno));
        goto done;
    }
    root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (!root) {
        code = cli_error(CLI_FAILED, "%s: line %d: %s", path, error.line, error.text);
        goto done;
    }
    code = read_object(path, root, out);
    if (code != CLI_DONE)
        cli_manifest_deinit(out);

done:
    json_decref(root);
    cli_free(path);
    return code;
}

static json_t *partition_to_json(const cli_partition_entry *partition)
{
    json_t *const files = json_array();
    for (size_t i = 0; i < partition->file_count; i++) {
        const cli_file_entry *const file = &partition->files[i];
        json_array_append_new(files, json_pack("{s:o, s:o, s:o}", "path",
                                               cli_json_text(file->path), "rows",
                                               cli_json_count(file->rows), "bytes",
                                               cli_json_count(file->bytes)));
    }
    json_t *const object = json_pack("{s:I, s:o, s:o}", "index", (json_int_t)partition->index,
                                     "rows", cli_json_count(partition->rows), "files", files);
    char checksum[CLI_CHECKSUM_BYTES];
    cli_checksum_to_text(&partition->checksum, checksum);
    if (partition->has_checksum)
        json_object_set_new(object, "checksum", json_string(checksum));
    return object;
}

char *cli_manifest_to_text(const cli_manifest *manifest)
{
    json_t *const root = json_object();
    json_object_set_new(root, "sluice", json_integer(MANIFEST_VERSION));
    json_object_set_new(root, "partitioning",
                        manifest->partitioning
                            ? json_loads(manifest->partitioning, 0, NULL)
                            : json_null());
    json_object_set(root, "schema", manifest->schema);
    json_object_set(root, "inputs", manifest->inputs);
    json_object_set_new(root, "rows", cli_json_count(manifest->rows));
    char checksum[CLI_CHECKSUM_BYTES];
    cli_checksum_to_text(&manifest->checksum, checksum);
    json_object_set_new(root, "checksum", json_string(checksum));
    json_t *const partitions = json_array();
    for (size_t i = 0; i < manifest->partition_count; i++)
        json_array_append_new(partitions, partition_to_json(&manifest->partitions[i]));
    json_object_set_new(root, "partitions", partitions);
    json_object_set(root, "options", manifest->options);
    json_object_set(root, "skipped", manifest->skipped);
    char *const text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return text;
}

void cli_manifest_deinit(cli_manifest *manifest)
{
    for (size_t i = 0; i < manifest->partition_count; i++) {
        cli_partition_entry *const partition = &manifest->partitions[i];
        for (size_t j = 0; j < partition->file_count; j++)
            cli_free(partition->files[j].path);
        cli_free(partition->files);
    }
    cli_free(manifest->partitions);
    cli_free(manifest->partitioning);
    json_decref(manifest->schema);
    json_decref(manifest->inputs);
    json_decref(manifest->options);
    json_decref(manifest->skipped);
    *manifest = (cli_manifest){0};
}

int cli_manifest_list_files(const char *directory, cli_input_list *out)
{
    cli_manifest manifest;
    const int code = cli_manifest_read(directory, &manifest);
    if (code != CLI_DONE)
        return code;
    const bool has_slash = *directory && directory[strlen(directory) - 1] == '/';
    for (size_t i = 0; i < manifest.partition_count; i++)
        for (size_t j = 0; j < manifest.partitions[i].file_count; j++) {
            out->paths = cli_make_room(out->paths, out->count, sizeof *out->paths);
            out->paths[out->count++] = cli_format(has_slash ? "%s%s" : "%s/%s", directory,
                                                  manifest.partitions[i].files[j].path);
        }
    cli_manifest_deinit(&manifest);
    return CLI_DONE;
}

uint64_t cli_partition_bytes(const cli_partition_entry *partition)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < partition->file_count; i++)
        bytes += partition->files[i].bytes;
    return bytes;
}
