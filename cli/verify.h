/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/verify.h - checking what data sets and files declare against what they hold
 */
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "manifest.h"
#include "sluice/io.h"
#include "sluice/sluice.h"

typedef enum cli_problem_kind {
    PROBLEM_MISPLACED,
    PROBLEM_CHANGED,
    PROBLEM_MISSING,
    PROBLEM_EXTRA,
    PROBLEM_UNREADABLE,
    PROBLEM_CLAIM
} cli_problem_kind;

typedef struct cli_problem {
    cli_problem_kind kind;
    char *file;
    int64_t row; /* -1: not about a row. */
    char *detail;
} cli_problem;

/* One file to check.  What was found is written by the one thread that has it. */
typedef struct cli_check {
    char *path;
    const char *claim;               /* P without index, or NULL; borrowed. */
    const sluice_partitioning *partitioning; /* Of the claim; NULL: nothing to compute. */
    int64_t index;                   /* The partition it belongs to; -1: not known. */
    const cli_file_entry *entry;     /* The manifest's, or NULL for a file alone. */
    const json_t *schema;            /* The manifest's, or NULL. */
    bool is_read;                    /* To the end. */
    uint64_t rows;
    sluice_checksum checksum;
} cli_check;

typedef struct cli_verification {
    bool is_quick;
    cli_check *checks;
    size_t check_count;
    atomic_size_t check_next;
    pthread_mutex_t lock; /* For the problems. */
    cli_problem *problems;
    size_t problem_count;
    int code;             /* Of the first failure that is no problem of the data; 0: none. */
} cli_verification;

const char *cli_problem_name(cli_problem_kind kind);

/* Note a problem; the detail is formatted.  From any thread. */
void cli_add_problem(cli_verification *verification, cli_problem_kind kind, const char *file,
                     int64_t row, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Run all checks on threads, until there are none left. */
void cli_run_checks(cli_verification *verification, uint32_t thread_count);

#endif /* CLI_VERIFY_H */
