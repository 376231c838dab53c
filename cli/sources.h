/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/sources.h - the input files of a run, opened and found alike
 */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inputs.h"
#include "sluice/io.h"

typedef struct cli_source_list {
    sluice_source **sources;
    size_t count;
    struct ArrowSchema schema; /* Logical, of the first one; all have the same. */
    json_t *skipped;           /* [{"path":..,"reason":..}] */
    uint64_t bytes;            /* Of all files whose size is known. */
} cli_source_list;

/*
 * Open every input and compare its columns with those of the first.  With is_skipping_bad a file
 * that breaks its format is noted in skipped; one that the system does not let us read is an error
 * nevertheless.  0, or the exit code after a message.
 */
int cli_sources_open(const cli_input_list *inputs, sluice_file_format format, bool is_skipping_bad,
                     cli_source_list *out);
void cli_sources_deinit(cli_source_list *sources);

#endif /* CLI_SOURCES_H */
