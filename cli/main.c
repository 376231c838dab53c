/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/main.c - the command sluice: finds the command, parses its flags and runs it
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "json.h"
#include "message.h"
#include "text.h"
#include "sluice/sluice.h"

typedef int (*command_function)(const cli_arguments *arguments);

static const command_function command_functions[COMMAND_COUNT] = {
    [COMMAND_REPARTITION] = cli_repartition, [COMMAND_INSPECT] = cli_inspect,
    [COMMAND_VERIFY] = cli_verify,           [COMMAND_REPORT] = cli_report,
    [COMMAND_DEMO] = cli_demo,
};

static int show_version(void)
{
    printf("sluice %s\n", sluice_version());
    return CLI_DONE;
}

static int refuse_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = cli_commands[i].name;
    const char *const near = cli_nearest(name, names, COMMAND_COUNT);
    if (near)
        return cli_error(CLI_USAGE, "%s: no such command; did you mean sluice %s?", name, near);
    return cli_error(CLI_USAGE, "%s: no such command; see sluice --help", name);
}

static int run_command(const cli_command *command, int count, char **texts)
{
    cli_arguments arguments;
    int code = cli_arguments_parse(command, count, texts, &arguments);
    if (code != CLI_DONE)
        goto done;
    if (cli_has(&arguments, OPTION_HELP)) {
        cli_help_command(stdout, command, arguments.is_help_long);
        goto done;
    }
    if (cli_has(&arguments, OPTION_VERSION)) {
        code = show_version();
        goto done;
    }
    cli_set_quiet(cli_has(&arguments, OPTION_QUIET));
    code = command_functions[cli_command_index(command)](&arguments);

done:
    cli_arguments_deinit(&arguments);
    return code;
}

static int run_main(int count, char **texts)
{
    if (count < 2) {
        cli_help_overview(stderr, false);
        return CLI_USAGE;
    }
    const char *const first = texts[1];
    if (strcmp(first, "--version") == 0)
        return show_version();
    if (strcmp(first, "-h") == 0 || strcmp(first, "--help") == 0) {
        cli_help_overview(stdout, first[1] == '-');
        return CLI_DONE;
    }
    const cli_command *const named =
        strcmp(first, "help") == 0 && count > 2 ? cli_command_find(texts[2]) : NULL;
    if (strcmp(first, "help") == 0) {
        if (named)
            cli_help_command(stdout, named, true);
        else
            cli_help_overview(stdout, true);
        return CLI_DONE;
    }
    const cli_command *const command = cli_command_find(first);
    return command ? run_command(command, count - 2, texts + 2) : refuse_command(first);
}

int main(int count, char **texts)
{
    setlocale(LC_CTYPE, "");
    cli_json_start();
    /* A reader that goes away is an error of write(), and one of a file too large likewise. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int code = run_main(count, texts);
    if (fflush(stdout) != 0 || ferror(stdout))
        code = code == CLI_DONE ? cli_error(CLI_FAILED, "standard output: cannot be written")
                                : code;
    return code;
}
