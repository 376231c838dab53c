/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/commands.h - the functions behind the commands, one file each; each returns an exit code
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "arguments.h"

int cli_repartition(const cli_arguments *arguments);
int cli_inspect(const cli_arguments *arguments);
int cli_verify(const cli_arguments *arguments);
int cli_report(const cli_arguments *arguments);
int cli_demo(const cli_arguments *arguments);

#endif /* CLI_COMMANDS_H */
