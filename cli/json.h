/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/json.h - JSON in and out, on jansson
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Let jansson take its memory from cli/memory.h, so that none of its calls can fail for that. */
void cli_json_start(void);

/* A string; bytes that are no UTF-8 (file names may hold any) become U+FFFD. */
json_t *cli_json_text(const char *text);

/* A count; beyond 2^53 it is text. */
json_t *cli_json_count(uint64_t count);

/* Three decimals, for times. */
json_t *cli_json_seconds(double seconds);

/* Read a count written either way; false when it is something else. */
bool cli_json_read_count(const json_t *value, uint64_t *out);

/* Print one object on standard output, on one line. */
void cli_json_print(const json_t *value);

/* A copy of text that is valid UTF-8, to be freed with cli_free(). */
char *cli_valid_utf8(const char *text);

#endif /* CLI_JSON_H */
