/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/message.h - what the command says on standard error, and how it ends
 *
 * A message is one line.  Standard output carries data only.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>

#include "sluice/status.h"

/* The exit codes of the command; sluice(1) explains them. */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_NO = 3,
    CLI_SKIPPED = 4,
    CLI_LIMIT = 5,
    CLI_INTERRUPTED = 130,
    CLI_TERMINATED = 143
};

/* With -q, only errors are said. */
void cli_set_quiet(bool is_quiet);

/* "sluice: ..." on standard error.  Returns code, so that a caller can say and return at once. */
int cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, not with -q, and it is no error. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code for a failed call: out of memory is a limit, everything else a failure. */
int cli_exit_code(sluice_status status);

/* Say what a call of the library said, behind a prefix ("" for none), and return the exit code. */
int cli_error_of(const char *prefix, const sluice_error *error);

#endif /* CLI_MESSAGE_H */
