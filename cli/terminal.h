/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal.h - what the terminal can show, and drawing with characters
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "text.h"

/* COLUMNS, else the terminal's width, else 80; at least 40. */
int cli_terminal_columns(FILE *file);

/* The locale is UTF-8 and TERM is not dumb. */
bool cli_terminal_is_utf8(void);

/* A terminal, not dumb, and NO_COLOR is not set. */
bool cli_terminal_has_colour(FILE *file);

/* A bar of value / value_max of columns characters, in eighths; padded to columns. */
void cli_draw_bar(cli_text *text, uint64_t value, uint64_t value_max, int columns, bool is_utf8);

/*
 * One character per value, or, when there are more values than columns, one for the largest of
 * each run of values, so that a hot spot never disappears.  A blank is nothing at all.
 */
void cli_draw_line(cli_text *text, const uint64_t *values, size_t count, int columns,
                   bool is_utf8);

#endif /* CLI_TERMINAL_H */
