/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/options.h - every command and every flag, as data
 *
 * This is the one place where they are defined.  Parsing, help, suggestions for mistyped names and
 * environment variables are made from these tables, and so can man pages and completions be.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cli_command_id {
    COMMAND_REPARTITION,
    COMMAND_PLAN,
    COMMAND_BOUNDS,
    COMMAND_INSPECT,
    COMMAND_VERIFY,
    COMMAND_MERGE,
    COMMAND_REPORT,
    COMMAND_EXPLAIN,
    COMMAND_MAP,
    COMMAND_REDUCE,
    COMMAND_COMMIT,
    COMMAND_DEMO,
    COMMAND_COUNT
} cli_command_id;

typedef struct cli_command {
    const char *name;
    const char *usage;           /* What follows the name. */
    const char *summary;         /* One line. */
    const char *description;     /* A paragraph or two, for --help. */
    const char *const *examples; /* Pairs of what it does and the line; ends with NULL. */
    const char *exit_codes;      /* Lines, for --help. */
    bool works;                  /* In this version. */
} cli_command;

typedef enum cli_option_id {
    OPTION_HASH,
    OPTION_HASH_SCHEME,
    OPTION_RANGE,
    OPTION_SPLITS,
    OPTION_ROUND_ROBIN,
    OPTION_BY,
    OPTION_PARTITIONS,
    OPTION_SPLIT_HEAVY,
    OPTION_SEED,
    OPTION_SAMPLE_ROWS,
    OPTION_FILES_FROM,
    OPTION_INPUT_FORMAT,
    OPTION_SCHEMA,
    OPTION_ON_BAD_FILE,
    OPTION_OUTPUT,
    OPTION_ONLY,
    OPTION_FORMAT,
    OPTION_COMPRESSION,
    OPTION_ROW_GROUP_ROWS,
    OPTION_TARGET_FILE_SIZE,
    OPTION_MAX_FILE_ROWS,
    OPTION_NAME,
    OPTION_IF_EXISTS,
    OPTION_CLEAN,
    OPTION_COLUMNS,
    OPTION_KEEP_KEYS,
    OPTION_DROP_KEYS,
    OPTION_SORT,
    OPTION_PRESERVE_ORDER,
    OPTION_THREADS,
    OPTION_MEMORY,
    OPTION_SPILL_DIR,
    OPTION_MAX_SPILL,
    OPTION_MAX_OPEN_FILES,
    OPTION_MAX_PARTITIONS,
    OPTION_DRY_RUN,
    OPTION_TASKS,
    OPTION_TASK,
    OPTION_PART,
    OPTION_WORK,
    OPTION_CO_PARTITIONED,
    OPTION_QUICK,
    OPTION_HTML,
    OPTION_ROWS,
    OPTION_JSON,
    OPTION_PROGRESS,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_COUNT
} cli_option_id;

typedef enum cli_value_kind {
    VALUE_NONE,          /* A switch. */
    VALUE_TEXT,
    VALUE_TEXT_OPTIONAL, /* Only as --flag=value. */
    VALUE_COUNT,         /* An integer between count_min and count_max. */
    VALUE_SIZE,          /* 64M, 1GiB, 10k */
    VALUE_CHOICE         /* One of choices, maybe with ":..." behind it. */
} cli_value_kind;

typedef enum cli_option_group {
    GROUP_ROUTING,
    GROUP_INPUT,
    GROUP_OUTPUT,
    GROUP_RUNNING,
    GROUP_MESSAGES,
    GROUP_COUNT
} cli_option_group;

typedef struct cli_option {
    cli_option_id id;
    const char *name;          /* Without dashes. */
    char letter;               /* 0: none. */
    cli_option_group group;
    cli_value_kind kind;
    const char *value;         /* What help calls the value. */
    const char *summary;       /* Half a line. */
    const char *detail;        /* More, for --help; may be NULL. */
    const char *choices;       /* "a|b|c": those that work. */
    const char *choices_later; /* Those of the contract that do not work yet, or NULL. */
    uint64_t count_min;
    uint64_t count_max;
    uint32_t commands;         /* Bit 1 << cli_command_id for each that knows it. */
    uint32_t works_in;         /* The same for those in which it works in this version. */
} cli_option;

extern const cli_command cli_commands[COMMAND_COUNT];
extern const cli_option cli_options[OPTION_COUNT];
extern const char *const cli_group_titles[GROUP_COUNT];

/* The command of that name, or NULL. */
const cli_command *cli_command_find(const char *name);

/* The command's number. */
cli_command_id cli_command_index(const cli_command *command);

/* The option of that name or letter, of any command, or NULL. */
const cli_option *cli_option_find(const char *name, size_t name_bytes);
const cli_option *cli_option_find_letter(char letter);

bool cli_option_belongs(const cli_option *option, const cli_command *command);

bool cli_option_works(const cli_option *option, const cli_command *command);

/* The name of its environment variable: SLUICE_ROW_GROUP_ROWS. */
enum { CLI_VARIABLE_BYTES = 48 };
void cli_option_variable(const cli_option *option, char name[CLI_VARIABLE_BYTES]);

#endif /* CLI_OPTIONS_H */
