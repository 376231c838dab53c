/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/keys.h - KEYS and lists of columns, as they are written on a command line
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "sluice/partitioning.h"

typedef struct cli_key {
    char *name;
    bool descending;
    bool nulls_first;
    bool is_ordered; /* An order was written behind the name. */
} cli_key;

typedef struct cli_key_list {
    cli_key *keys;
    size_t count;
} cli_key_list;

/*
 * Parse name[,name...]; names with a comma, colon or parenthesis are quoted "...", a quote inside
 * is doubled.  With is_ordered each may carry :asc, :desc, :nulls-first and :nulls-last.  0, or
 * the exit code after a message that names the flag.
 */
int cli_keys_parse(const char *flag, const char *text, bool is_ordered, cli_key_list *out);
void cli_keys_deinit(cli_key_list *keys);

/* The names alone, borrowed; the array is the caller's, to be freed with cli_free(). */
const char **cli_keys_names(const cli_key_list *keys);

/* One field of a comma-separated line: see cli_next_field(). */
typedef struct cli_field {
    char *text;     /* Unquoted; to be freed with cli_free(). */
    bool is_quoted;
} cli_field;

/*
 * Read the field at *text, ended by a character of ends or the end of the text, which *text then
 * points to.  False when a quote is not closed or followed by something else; then nothing is to
 * be freed.
 */
bool cli_next_field(const char **text, const char *ends, cli_field *out);

#endif /* CLI_KEYS_H */
