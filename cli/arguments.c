/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/arguments.c - see cli/arguments.h
 *
 * GNU habits: flags and operands in any order, --flag value and --flag=value, -n4 and -n 4, -qv,
 * a lone - is an operand, -- ends the flags, and the last of two equal flags wins.
 */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "message.h"
#include "text.h"

/* Where the parser stands in argv. */
typedef struct argument_cursor {
    char **texts;
    int count;
    int next;
} argument_cursor;

static bool choice_matches(const char *list, const char *text)
{
    const size_t text_bytes = strcspn(text, ":");
    while (list && *list) {
        const size_t bytes = strcspn(list, "|");
        if (bytes == text_bytes && memcmp(list, text, bytes) == 0)
            return true;
        list += bytes;
        list += *list == '|';
    }
    return false;
}

static const char *nearest_option(const cli_command *command, const char *name)
{
    const char *names[OPTION_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (cli_option_works(&cli_options[i], command))
            names[count++] = cli_options[i].name;
    return cli_nearest(name, names, count);
}

static int refuse_unknown(const cli_command *command, const char *name)
{
    const char *const near = nearest_option(command, name);
    if (near)
        return cli_error(CLI_USAGE, "--%s: no such flag; did you mean --%s?", name, near);
    return cli_error(CLI_USAGE, "--%s: no such flag; see sluice %s -h", name, command->name);
}

static int check_option(const cli_command *command, const cli_option *option)
{
    if (!cli_option_belongs(option, command))
        return cli_error(CLI_USAGE, "--%s: not a flag of sluice %s; see sluice %s -h",
                         option->name, command->name, command->name);
    if (!cli_option_works(option, command))
        return cli_error(CLI_USAGE, "--%s: not in this version; it does not work yet",
                         option->name);
    return CLI_DONE;
}

static int check_choice(const cli_option *option, const char *label, const char *text)
{
    if (choice_matches(option->choices, text))
        return CLI_DONE;
    if (choice_matches(option->choices_later, text))
        return cli_error(CLI_USAGE, "%s %s: not in this version; it does not work yet",
                         label, text);
    return cli_error(CLI_USAGE, "%s %s: must be one of %s", label, text,
                     option->choices);
}

static int check_count(const cli_option *option, const char *label, const char *text,
                       uint64_t *out)
{
    if (!cli_parse_count(text, out))
        return cli_error(CLI_USAGE, "%s %s: not a whole number", label, text);
    if (*out < option->count_min || *out > option->count_max)
        return cli_error(CLI_USAGE, "%s %s: must be between %llu and %llu", label, text,
                         (unsigned long long)option->count_min,
                         (unsigned long long)option->count_max);
    return CLI_DONE;
}

/* label is how the user wrote the flag: --threads or SLUICE_THREADS. */
static int check_value(const cli_option *option, const char *label, const char *text,
                       uint64_t *number)
{
    *number = 0;
    switch (option->kind) {
    case VALUE_NONE:
    case VALUE_TEXT_OPTIONAL:
        return CLI_DONE;
    case VALUE_TEXT:
        if (!*text)
            return cli_error(CLI_USAGE, "%s: the value is empty", label);
        return CLI_DONE;
    case VALUE_COUNT:
        return check_count(option, label, text, number);
    case VALUE_SIZE:
        if (!cli_parse_size(text, number))
            return cli_error(CLI_USAGE, "%s %s: not a size; write it like 64M, 1GiB or 10k",
                             label, text);
        return CLI_DONE;
    case VALUE_CHOICE:
        return check_choice(option, label, text);
    }
    return CLI_USAGE;
}

/* value is NULL when none was attached to the flag. */
static int take_option(cli_arguments *arguments, argument_cursor *cursor, const cli_option *option,
                       const char *value)
{
    int code = check_option(arguments->command, option);
    if (code != CLI_DONE)
        return code;
    cli_setting *const setting = &arguments->settings[option->id];
    if (option->kind == VALUE_NONE) {
        if (value)
            return cli_error(CLI_USAGE, "--%s=%s: the flag takes no value", option->name, value);
        setting->text = "1";
        return CLI_DONE;
    }
    if (!value) {
        if (cursor->next >= cursor->count)
            return cli_error(CLI_USAGE, "--%s: a value is missing: %s", option->name,
                             option->value);
        value = cursor->texts[cursor->next++];
    }
    char label[CLI_VARIABLE_BYTES];
    snprintf(label, sizeof label, "--%s", option->name);
    setting->text = value;
    return check_value(option, label, value, &setting->number);
}

static int take_long(cli_arguments *arguments, argument_cursor *cursor, const char *text)
{
    const char *const name = text + 2;
    const size_t name_bytes = strcspn(name, "=");
    const char *const value = name[name_bytes] ? name + name_bytes + 1 : NULL;
    const cli_option *const option = cli_option_find(name, name_bytes);
    if (!option) {
        char *const copy = cli_copy_string(name);
        copy[name_bytes] = '\0';
        const int code = refuse_unknown(arguments->command, copy);
        cli_free(copy);
        return code;
    }
    if (option->id == OPTION_HELP)
        arguments->is_help_long = true;
    return take_option(arguments, cursor, option, value);
}

static int take_letters(cli_arguments *arguments, argument_cursor *cursor, const char *text)
{
    for (const char *letter = text + 1; *letter; letter++) {
        const cli_option *const option = cli_option_find_letter(*letter);
        if (!option)
            return cli_error(CLI_USAGE, "-%c: no such flag; see sluice %s -h", *letter,
                             arguments->command->name);
        const bool has_rest = option->kind != VALUE_NONE && letter[1];
        const int code = take_option(arguments, cursor, option, has_rest ? letter + 1 : NULL);
        if (code != CLI_DONE || has_rest)
            return code;
    }
    return CLI_DONE;
}

static void add_operand(cli_arguments *arguments, const char *text)
{
    arguments->operands = cli_make_room(arguments->operands, arguments->operand_count,
                                        sizeof *arguments->operands);
    arguments->operands[arguments->operand_count++] = text;
}

static bool is_off(const char *text)
{
    return !*text || strcmp(text, "0") == 0 || strcmp(text, "false") == 0 ||
           strcmp(text, "no") == 0;
}

/*
 * A way to route on the command line stands against any way in the environment, not beside it:
 * the flag wins.
 */
static bool has_routing_flag(const cli_arguments *arguments)
{
    return cli_has(arguments, OPTION_HASH) || cli_has(arguments, OPTION_RANGE) ||
           cli_has(arguments, OPTION_ROUND_ROBIN) || cli_has(arguments, OPTION_BY);
}

static bool is_routing_way(cli_option_id option)
{
    return option == OPTION_HASH || option == OPTION_RANGE || option == OPTION_ROUND_ROBIN ||
           option == OPTION_BY || option == OPTION_SPLITS;
}

static int take_environment(cli_arguments *arguments)
{
    const bool has_way = has_routing_flag(arguments);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const cli_option *const option = &cli_options[i];
        char name[CLI_VARIABLE_BYTES];
        cli_option_variable(option, name);
        const char *const text = getenv(name);
        cli_setting *const setting = &arguments->settings[i];
        if (!text || setting->text || option->id >= OPTION_HELP ||
            !cli_option_belongs(option, arguments->command) ||
            (has_way && is_routing_way(option->id)))
            continue;
        if (option->kind == VALUE_NONE ? is_off(text) : !*text)
            continue;
        if (!cli_option_works(option, arguments->command))
            return cli_error(CLI_USAGE, "%s: --%s is not in this version; it does not work yet",
                             name, option->name);
        const int code = check_value(option, name, text, &setting->number);
        if (code != CLI_DONE)
            return code;
        setting->text = text;
        setting->is_from_environment = true;
    }
    return CLI_DONE;
}

static bool asks_for_help(int count, char **texts)
{
    for (int i = 0; i < count; i++)
        if (strcmp(texts[i], "-h") == 0 || strcmp(texts[i], "--help") == 0)
            return true;
    return false;
}

int cli_arguments_parse(const cli_command *command, int count, char **texts, cli_arguments *out)
{
    *out = (cli_arguments){.command = command};
    if (!command->works && !asks_for_help(count, texts))
        return cli_error(CLI_USAGE, "%s: not in this version; the command does not work yet",
                         command->name);
    argument_cursor cursor = {texts, count, 0};
    bool is_flags_over = false;
    while (cursor.next < count) {
        const char *const text = texts[cursor.next++];
        int code = CLI_DONE;
        if (is_flags_over || text[0] != '-' || !text[1])
            add_operand(out, text);
        else if (strcmp(text, "--") == 0)
            is_flags_over = true;
        else if (text[1] == '-')
            code = take_long(out, &cursor, text);
        else
            code = take_letters(out, &cursor, text);
        if (cli_has(out, OPTION_HELP) || cli_has(out, OPTION_VERSION))
            return CLI_DONE;
        if (code != CLI_DONE)
            return code;
    }
    return take_environment(out);
}

void cli_arguments_deinit(cli_arguments *arguments)
{
    cli_free(arguments->operands);
    *arguments = (cli_arguments){0};
}

bool cli_has(const cli_arguments *arguments, cli_option_id option)
{
    return arguments->settings[option].text != NULL;
}

const char *cli_get_text(const cli_arguments *arguments, cli_option_id option,
                         const char *otherwise)
{
    const char *const text = arguments->settings[option].text;
    return text ? text : otherwise;
}

uint64_t cli_get_number(const cli_arguments *arguments, cli_option_id option, uint64_t otherwise)
{
    return cli_has(arguments, option) ? arguments->settings[option].number : otherwise;
}

bool cli_is_choice(const cli_arguments *arguments, cli_option_id option, const char *choice)
{
    const char *const text = arguments->settings[option].text;
    return text && strlen(choice) == strcspn(text, ":") &&
           memcmp(text, choice, strlen(choice)) == 0;
}

void cli_arguments_set(cli_arguments *arguments, cli_option_id option, const char *text)
{
    uint64_t number = 0;
    if (cli_options[option].kind == VALUE_COUNT)
        cli_parse_count(text, &number);
    arguments->settings[option] = (cli_setting){.text = text, .number = number};
}
