/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/manifest.h - _sluice.json, the list of what a data set holds
 *
 * A manifest is read from a file that anybody may have written, so everything in it is checked:
 * paths stay inside the directory, numbers are numbers, and partitions are listed once.
 */
#ifndef CLI_MANIFEST_H
#define CLI_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inputs.h"
#include "sluice/checksum.h"

enum { CLI_CHECKSUM_BYTES = 33 };

typedef struct cli_file_entry {
    char *path; /* Relative to the directory. */
    uint64_t rows;
    uint64_t bytes;
} cli_file_entry;

typedef struct cli_partition_entry {
    uint32_t index;
    uint64_t rows;
    sluice_checksum checksum;
    bool has_checksum;
    cli_file_entry *files;
    size_t file_count;
} cli_partition_entry;

typedef struct cli_manifest {
    char *partitioning; /* P as JSON, or NULL when nothing is claimed. */
    json_t *schema;     /* May be NULL. */
    uint64_t rows;
    sluice_checksum checksum;
    bool has_checksum;
    cli_partition_entry *partitions;
    size_t partition_count;
    json_t *inputs;     /* The next three may be NULL when read; borrowed by to_text. */
    json_t *options;
    json_t *skipped;
} cli_manifest;

/* DIRECTORY/_sluice.json is there. */
bool cli_manifest_exists(const char *directory);

/* Read and check it.  0, or the exit code after a message. */
int cli_manifest_read(const char *directory, cli_manifest *out);

/* The manifest as text, to be freed with cli_free(). */
char *cli_manifest_to_text(const cli_manifest *manifest);

void cli_manifest_deinit(cli_manifest *manifest);

/* Add the paths of the files that the manifest of a directory names. */
int cli_manifest_list_files(const char *directory, cli_input_list *out);

/* Bytes of all files of a partition. */
uint64_t cli_partition_bytes(const cli_partition_entry *partition);

/* 32 hexadecimal digits, the high half first. */
void cli_checksum_to_text(const sluice_checksum *checksum, char text[CLI_CHECKSUM_BYTES]);
bool cli_checksum_from_text(const char *text, sluice_checksum *out);

#endif /* CLI_MANIFEST_H */
