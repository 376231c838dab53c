/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/help.c - see cli/help.h
 */
#include "help.h"

#include <string.h>

#include "sluice/sluice.h"

enum { HELP_COLUMNS = 80, HELP_INDENT = 33, DETAIL_INDENT = 10 };

/* Print words from column `column` on, breaking lines before HELP_COLUMNS at `indent`. */
static void print_wrapped(FILE *file, const char *text, int column, int indent)
{
    while (*text) {
        const size_t bytes = strcspn(text, " ");
        if (column > indent && column + 1 + (int)bytes > HELP_COLUMNS) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        fwrite(text, 1, bytes, file);
        column += (int)bytes;
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void print_option(FILE *file, const cli_option *option, bool is_long)
{
    char names[64];
    const char *const value = option->value ? option->value : "";
    const bool is_optional = option->kind == VALUE_TEXT_OPTIONAL;
    int width;
    if (option->letter)
        width = snprintf(names, sizeof names, "  -%c, --%s", option->letter, option->name);
    else
        width = snprintf(names, sizeof names, "      --%s", option->name);
    if (*value)
        width += snprintf(names + width, sizeof names - (size_t)width,
                          is_optional ? "[=%s]" : " %s", value);
    fputs(names, file);
    if (width + 2 > HELP_INDENT) {
        fputc('\n', file);
        width = 0;
    }
    fprintf(file, "%*s", HELP_INDENT - width, "");
    print_wrapped(file, option->summary, HELP_INDENT, HELP_INDENT);
    if (!is_long)
        return;
    if (option->kind == VALUE_CHOICE && strchr(option->choices, '|'))
        fprintf(file, "%*sone of %s\n", DETAIL_INDENT, "", option->choices);
    if (option->detail) {
        fprintf(file, "%*s", DETAIL_INDENT, "");
        print_wrapped(file, option->detail, DETAIL_INDENT, DETAIL_INDENT);
    }
}

static void print_options(FILE *file, const cli_command *command, bool is_long)
{
    for (cli_option_group group = 0; group < GROUP_COUNT; group++) {
        bool has_title = false;
        for (size_t i = 0; i < OPTION_COUNT; i++) {
            const cli_option *const option = &cli_options[i];
            if (option->group != group || !cli_option_works(option, command))
                continue;
            if (!has_title)
                fprintf(file, "\n%s:\n", cli_group_titles[group]);
            has_title = true;
            print_option(file, option, is_long);
        }
    }
}

static void print_examples(FILE *file, const cli_command *command)
{
    if (!command->examples[0])
        return;
    fputs("\nExamples:\n", file);
    for (const char *const *example = command->examples; example[0]; example += 2)
        fprintf(file, "  # %s\n  %s\n", example[0], example[1]);
}

static void print_rest(FILE *file, const cli_command *command)
{
    if (command->exit_codes)
        fprintf(file, "\nExit codes:\n%s", command->exit_codes);
    fputs("\nEnvironment:\n"
          "  SLUICE_<FLAG>  a value for any flag above, as SLUICE_THREADS=4; the flag wins\n"
          "  NO_COLOR       no colours\n"
          "  COLUMNS        the width of the terminal\n"
          "\nSizes: 64M, 1GiB, 10k; K, M, G are powers of 1024, KB, MB, GB of 1000.\n"
          "\nSee also: sluice --help",
          file);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (&cli_commands[i] != command && cli_commands[i].works)
            fprintf(file, ", sluice %s", cli_commands[i].name);
    fputc('\n', file);
}

void cli_help_command(FILE *file, const cli_command *command, bool is_long)
{
    fprintf(file, "Usage: sluice %s %s\n", command->name, command->usage);
    print_wrapped(file, command->summary, 0, 0);
    if (!command->works) {
        fputs("\nThis command does not work in this version.\n", file);
        return;
    }
    if (is_long) {
        print_examples(file, command);
        fprintf(file, "\n%s\n", command->description);
    }
    print_options(file, command, is_long);
    if (is_long)
        print_rest(file, command);
    else
        fprintf(file, "\nsluice %s --help shows examples, exit codes and the rest.\n",
                command->name);
}

void cli_help_overview(FILE *file, bool is_long)
{
    fputs("Usage: sluice COMMAND [OPTIONS] ...\n"
          "Takes tables apart by key and puts the pieces where the next step wants them.\n"
          "\nCommands:\n",
          file);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (cli_commands[i].works)
            fprintf(file, "  %-12s %s\n", cli_commands[i].name, cli_commands[i].summary);
    if (is_long) {
        fputs("\nNot in this version:", file);
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            if (!cli_commands[i].works)
                fprintf(file, " %s", cli_commands[i].name);
        fputc('\n', file);
    }
    fputs("\nExamples:\n", file);
    for (const char *const *example = cli_commands[COMMAND_REPARTITION].examples; example[0];
         example += 2) {
        fprintf(file, "  # %s\n  %s\n", example[0], example[1]);
        if (!is_long)
            break;
    }
    fputs("  # see it work\n  sluice demo\n"
          "\nsluice COMMAND -h shows the flags of a command, --help also examples and exit codes.\n"
          "sluice --version shows the version.\n",
          file);
}
