/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/arguments.h - a command line, parsed and checked against the option table
 *
 * Whatever is wrong with a command line by itself is found here: unknown, misplaced and not yet
 * working flags, values that are not what the flag takes.  So the getters cannot fail.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

/* What a flag was given; text is NULL when it was not. */
typedef struct cli_setting {
    const char *text;   /* "1" for a switch.  Borrowed from argv or the environment. */
    uint64_t number;    /* Of VALUE_COUNT and VALUE_SIZE. */
    bool is_from_environment;
} cli_setting;

typedef struct cli_arguments {
    const cli_command *command;
    cli_setting settings[OPTION_COUNT];
    const char **operands; /* Borrowed names. */
    size_t operand_count;
    bool is_help_long;     /* --help rather than -h. */
} cli_arguments;

/*
 * Parse what follows the name of the command, then the environment.  0, or the exit code after a
 * message.  With --help or --version nothing else is checked.
 */
int cli_arguments_parse(const cli_command *command, int count, char **texts, cli_arguments *out);
void cli_arguments_deinit(cli_arguments *arguments);

bool cli_has(const cli_arguments *arguments, cli_option_id option);
const char *cli_get_text(const cli_arguments *arguments, cli_option_id option,
                         const char *otherwise);
uint64_t cli_get_number(const cli_arguments *arguments, cli_option_id option, uint64_t otherwise);

/* True when a VALUE_CHOICE is that choice, whatever stands behind a colon. */
bool cli_is_choice(const cli_arguments *arguments, cli_option_id option, const char *choice);

/* A switch that is set without a command line, by a command that runs another. */
void cli_arguments_set(cli_arguments *arguments, cli_option_id option, const char *text);

#endif /* CLI_ARGUMENTS_H */
