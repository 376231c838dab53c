/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/progress.h - the line on standard error that says how far it is
 *
 * Workers count into it from any thread; one thread redraws it, at most ten times a second, on a
 * terminal and not before two seconds.  There is one line, so the state is one, too.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "arguments.h"

/* Reset the counts.  total_bytes is what is to be read: 0 when nobody knows. */
void cli_progress_start(const cli_arguments *arguments, const char *phase, uint64_t total_bytes);

void cli_progress_add(uint64_t rows, uint64_t bytes);

/* Redraw, if it is time to. */
void cli_progress_tick(void);

/* Write one line with the state, whatever the settings: the answer to SIGUSR1. */
void cli_progress_tell(void);

/* Clear the line; the next tick draws it again. */
void cli_progress_hide(void);

/* Clear it for good. */
void cli_progress_stop(void);

/* Seconds since the start of this process's clock; only differences mean something. */
double cli_now_seconds(void);

#endif /* CLI_PROGRESS_H */
