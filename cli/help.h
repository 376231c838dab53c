/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/help.h - help, made from the tables of cli/options.h
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

/* The commands, and how to go on. */
void cli_help_overview(FILE *file, bool is_long);

/* One command: -h fits a screen; --help has examples first, then everything. */
void cli_help_command(FILE *file, const cli_command *command, bool is_long);

#endif /* CLI_HELP_H */
