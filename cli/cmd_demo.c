/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_demo.c - sluice demo: make a data set, repartition it, verify it, show the report
 *
 * Each step is shown as the command line that does the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "demo_table.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "text.h"

static const uint64_t rows_default = 2000000;

/* A table of an earlier demo goes; anything else of that name stays, and the demo ends. */
static int remove_table(const char *path)
{
    sluice_error error;
    sluice_source *source = NULL;
    if (access(path, F_OK) != 0)
        return CLI_DONE;
    const bool is_ours =
        sluice_source_open(path, SLUICE_FORMAT_PARQUET, &source, &error) == SLUICE_OK &&
        sluice_source_get_metadata(source, CLI_DEMO_KEY) != NULL;
    sluice_source_free(source);
    if (!is_ours)
        return cli_error(CLI_FAILED, "%s: is there and was not made by a demo; give another DIR",
                         path);
    return unlink(path) == 0 ? CLI_DONE
                             : cli_error(CLI_FAILED, "%s: %s", path, strerror(errno));
}

static int make_table(const char *directory, const char *path, uint64_t rows)
{
    sluice_error error;
    char number[CLI_NUMBER_BYTES];
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return cli_error(CLI_FAILED, "%s: cannot be made: %s", directory, strerror(errno));
    const int code = remove_table(path);
    if (code != CLI_DONE)
        return code;
    printf("# %s made-up orders into %s\n", cli_count_text(rows, number), path);
    fflush(stdout);
    return cli_demo_write(path, rows, &error) == SLUICE_OK ? CLI_DONE : cli_error_of("", &error);
}

/* The line a person would type. */
static void show_command(const cli_arguments *arguments)
{
    printf("\n$ sluice %s", arguments->command->name);
    for (size_t i = 0; i < arguments->operand_count; i++)
        printf(" %s", arguments->operands[i]);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const cli_option *const option = &cli_options[i];
        const char *const text = arguments->settings[i].text;
        if (!text || option->group == GROUP_MESSAGES)
            continue;
        if (option->letter)
            printf(" -%c", option->letter);
        else
            printf(" --%s", option->name);
        if (option->kind != VALUE_NONE)
            printf(" %s", text);
    }
    fputc('\n', stdout);
    fflush(stdout);
}

/* A command on one path, with what the user said about threads and messages. */
static cli_arguments arguments_for(cli_command_id command, const cli_arguments *from,
                                   const char **path)
{
    cli_arguments arguments = {.command = &cli_commands[command], .operands = path,
                               .operand_count = 1};
    static const cli_option_id passed_on[] = {OPTION_PROGRESS, OPTION_QUIET, OPTION_VERBOSE,
                                              OPTION_THREADS};
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        if (cli_option_works(&cli_options[passed_on[i]], arguments.command))
            arguments.settings[passed_on[i]] = from->settings[passed_on[i]];
    return arguments;
}

static int run_steps(const cli_arguments *arguments, const char *table, const char *output)
{
    cli_arguments step = arguments_for(COMMAND_REPARTITION, arguments, &table);
    cli_arguments_set(&step, OPTION_HASH, "customer");
    cli_arguments_set(&step, OPTION_PARTITIONS, cli_get_text(arguments, OPTION_PARTITIONS, "16"));
    cli_arguments_set(&step, OPTION_OUTPUT, output);
    cli_arguments_set(&step, OPTION_IF_EXISTS, "replace");
    step.settings[OPTION_FORMAT] = arguments->settings[OPTION_FORMAT];
    show_command(&step);
    int code = cli_repartition(&step);
    if (code != CLI_DONE)
        return code;
    step = arguments_for(COMMAND_VERIFY, arguments, &output);
    show_command(&step);
    code = cli_verify(&step);
    if (code != CLI_DONE)
        return code;
    step = arguments_for(COMMAND_REPORT, arguments, &output);
    show_command(&step);
    return cli_report(&step);
}

int cli_demo(const cli_arguments *arguments)
{
    if (arguments->operand_count > 1)
        return cli_error(CLI_USAGE, "one DIR, not %zu", arguments->operand_count);
    const char *const directory =
        arguments->operand_count > 0 ? arguments->operands[0] : "sluice-demo";
    char *const table = cli_format("%s/orders.parquet", directory);
    char *const output = cli_format("%s/out", directory);
    int code = make_table(directory, table, cli_get_number(arguments, OPTION_ROWS, rows_default));
    if (code == CLI_DONE)
        code = run_steps(arguments, table, output);
    if (code == CLI_DONE)
        printf("\nNext: sluice inspect %s\n      sluice repartition %s --range day "
               "--splits 2025-01-01 -o %s/by_day\n      sluice repartition --help\n",
               output, table, directory);
    cli_free(output);
    cli_free(table);
    return code;
}
