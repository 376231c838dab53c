/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/message.c - see cli/message.h
 *
 * A line is put together first and written with one call, so that lines of several threads or
 * processes do not mix.  The progress line, if there is one, is cleared before.
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "progress.h"

static bool messages_are_quiet;

void cli_set_quiet(bool is_quiet)
{
    messages_are_quiet = is_quiet;
}

/* File names and texts from elsewhere may hold line breaks and control characters. */
static void write_line(const char *format, va_list arguments)
{
    char *const text = cli_format_list(format, arguments);
    for (char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == 0x7f)
            *at = ' ';
    }
    cli_progress_hide();
    fprintf(stderr, "sluice: %s\n", text);
    cli_free(text);
}

int cli_error(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments);
    va_end(arguments);
    return code;
}

void cli_note(const char *format, ...)
{
    if (messages_are_quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments);
    va_end(arguments);
}

int cli_exit_code(sluice_status status)
{
    return status == SLUICE_OUT_OF_MEMORY ? CLI_LIMIT : CLI_FAILED;
}

int cli_error_of(const char *prefix, const sluice_error *error)
{
    return cli_error(cli_exit_code(error->status), "%s%s", prefix,
                     error->message[0] ? error->message : sluice_status_name(error->status));
}
