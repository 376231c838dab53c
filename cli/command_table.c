/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/command_table.c - the commands, see cli/options.h
 */
#include "options.h"

#include <string.h>

static const char *const repartition_examples[] = {
    "equal l_orderkey together, 64 partitions",
    "sluice repartition lineitem.parquet --hash l_orderkey -n 64 -o out",
    "all files below two folders, two keys, four threads",
    "sluice repartition y2025 'y2026/**/*.parquet' --hash user,day -n 32 -j 4 -o out",
    "by ranges of a date, latest first",
    "sluice repartition in.parquet --range day:desc --splits 2026-07-01,2026-01-01 -o out",
    "deal rows out evenly, from a stream",
    "producer | sluice repartition - --round-robin -n 8 --format parquet -o out",
    NULL,
};

static const char *const inspect_examples[] = {
    "columns, rows, files and partitioning of a data set",
    "sluice inspect out",
    "can they be joined partition by partition?",
    "sluice inspect --co-partitioned orders lineitem",
    NULL,
};

static const char *const verify_examples[] = {
    "recompute everything",
    "sluice verify out",
    "one file that has left its data set",
    "sluice verify part-00003-000.parquet",
    "footers only, for a script",
    "sluice verify --quick --json out | jq .problems",
    NULL,
};

static const char *const report_examples[] = {
    "bars of the largest partitions, and how uneven they are",
    "sluice report out",
    "the same numbers for a program",
    "sluice report --json out | jq .skew.max_over_mean",
    NULL,
};

static const char *const demo_examples[] = {
    "in a folder of its own below the current one",
    "sluice demo",
    "larger, there",
    "sluice demo --rows 20000000 /tmp/demo",
    NULL,
};

static const char *const no_examples[] = {NULL};

static const char write_codes[] =
    "  0    done\n"
    "  1    the data or the system failed; OUT is as it was before\n"
    "  2    the command cannot be carried out as written; nothing was read or written\n"
    "  4    done, but an input was skipped (--on-bad-file skip)\n"
    "  5    the memory limit cannot be kept; the message says which would do\n"
    "  130, 143  interrupted, terminated; OUT is as it was before\n";

static const char answer_codes[] = "  0    yes, or nothing was asked\n"
                                   "  1    the data or the system failed\n"
                                   "  2    the command cannot be carried out as written\n"
                                   "  3    the answer is no\n";

static const char read_codes[] = "  0    done\n"
                                 "  1    the data or the system failed\n"
                                 "  2    the command cannot be carried out as written\n";

const cli_command cli_commands[COMMAND_COUNT] = {
    [COMMAND_REPARTITION] =
        {.name = "repartition",
         .usage = "[OPTIONS] INPUT... -o OUT",
         .summary = "split every row of the inputs into the partitions of OUT",
         .description =
             "INPUT is a file, a directory (its files in the order of their names, those that\n"
             "begin with _ or . left out), a glob (** too) or - for standard input. Formats are\n"
             "Parquet and Arrow IPC, file and stream, told by content.\n"
             "\n"
             "Every row lands in exactly one partition, or the run fails. OUT appears in one\n"
             "step, with a manifest _sluice.json; a run that fails leaves OUT as it was.",
         .examples = repartition_examples,
         .exit_codes = write_codes,
         .works = true},
    [COMMAND_PLAN] = {.name = "plan",
                      .usage = "[OPTIONS] INPUT...",
                      .summary = "what repartition would do; writes no data",
                      .examples = no_examples},
    [COMMAND_BOUNDS] = {.name = "bounds",
                        .usage = "[OPTIONS] INPUT...",
                        .summary = "split points from a sample, as JSON",
                        .examples = no_examples},
    [COMMAND_INSPECT] =
        {.name = "inspect",
         .usage = "[OPTIONS] PATH...",
         .summary = "what a file or data set declares",
         .description =
             "Shows the columns, the rows, the files and the partitioning that a data set or a\n"
             "single file declares. With --co-partitioned and two paths: whether a join on the\n"
             "keys can match partition i of one with partition i of the other, and why not.",
         .examples = inspect_examples,
         .exit_codes = answer_codes,
         .works = true},
    [COMMAND_VERIFY] =
        {.name = "verify",
         .usage = "[OPTIONS] PATH...",
         .summary = "recompute: is every row where its declaration says, is every row there?",
         .description =
             "Reads every row of a data set, computes its partition anew, and compares rows,\n"
             "files and checksums with the manifest. A single file is checked against what it\n"
             "declares itself. Each problem is one line with the file and the row.",
         .examples = verify_examples,
         .exit_codes = answer_codes,
         .works = true},
    [COMMAND_MERGE] = {.name = "merge",
                       .usage = "PATH... -o OUT",
                       .summary = "sorted partitions back into one sorted stream or file",
                       .examples = no_examples},
    [COMMAND_REPORT] =
        {.name = "report",
         .usage = "[OPTIONS] PATH",
         .summary = "sizes and skew of the partitions, as bars",
         .description =
             "Shows the rows and bytes of the largest partitions as bars, all of them as a line,\n"
             "and how uneven they are. Reads the manifest only. Plain characters are used where\n"
             "the locale is not UTF-8 or TERM is dumb.",
         .examples = report_examples,
         .exit_codes = read_codes,
         .works = true},
    [COMMAND_EXPLAIN] = {.name = "explain",
                         .usage = "PLAN.json",
                         .summary = "a plan of operators before and after exchanges are placed",
                         .examples = no_examples},
    [COMMAND_MAP] = {.name = "map",
                     .usage = "PLAN.json --task I --work DIR",
                     .summary = "one task of a repartition that many machines share",
                     .examples = no_examples},
    [COMMAND_REDUCE] = {.name = "reduce",
                        .usage = "PLAN.json --part I --work DIR -o OUT",
                        .summary = "one partition of it",
                        .examples = no_examples},
    [COMMAND_COMMIT] = {.name = "commit",
                        .usage = "PLAN.json --work DIR -o OUT",
                        .summary = "its manifest, last",
                        .examples = no_examples},
    [COMMAND_DEMO] =
        {.name = "demo",
         .usage = "[--rows N] [DIR]",
         .summary = "make a data set, repartition it, verify it, show the report",
         .description =
             "Writes DIR/orders.parquet (made up, always the same), repartitions it by hash of\n"
             "customer into DIR/out, verifies the result and shows the report. DIR is\n"
             "sluice-demo unless given. What an earlier demo left there is replaced.",
         .examples = demo_examples,
         .exit_codes = read_codes,
         .works = true},
};

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(cli_commands[i].name, name) == 0)
            return &cli_commands[i];
    return NULL;
}

cli_command_id cli_command_index(const cli_command *command)
{
    return (cli_command_id)(command - cli_commands);
}
