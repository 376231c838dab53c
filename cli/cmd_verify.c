/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_verify.c - sluice verify: is every row where its declaration says, is every row there?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "budget.h"
#include "commands.h"
#include "inputs.h"
#include "json.h"
#include "manifest.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "text.h"
#include "verify.h"
#include "watch.h"

/* Lines on a screen; --json and -v have all. */
enum { PROBLEMS_SHOWN_MAX = 20 };

/* One PATH of the command line, and its files among the checks. */
typedef struct verified_set {
    const char *path;
    bool is_directory;
    cli_manifest manifest;
    sluice_partitioning *partitioning;
    size_t check_first;
} verified_set;

static cli_check *add_check(cli_verification *verification, char *path)
{
    verification->checks = cli_make_room(verification->checks, verification->check_count,
                                         sizeof *verification->checks);
    cli_check *const check = &verification->checks[verification->check_count++];
    *check = (cli_check){.path = path, .index = -1};
    return check;
}

/* An unknown kind or version is no claim; one that cannot be read at all is a problem. */
static void read_claim(cli_verification *verification, const char *where, const char *claim,
                       sluice_partitioning **out)
{
    sluice_error error;
    const sluice_status status = sluice_partitioning_from_json(claim, out, &error);
    if (status == SLUICE_UNSUPPORTED)
        cli_note("%s: %s; rows are not placed anew", where, error.message);
    else if (status != SLUICE_OK)
        cli_add_problem(verification, PROBLEM_CLAIM, where, -1, "%s", error.message);
}

static bool is_computed(const sluice_partitioning *partitioning)
{
    const sluice_partitioning_kind kind =
        partitioning ? sluice_partitioning_get_kind(partitioning) : SLUICE_PARTITIONING_VALUE;
    return kind == SLUICE_PARTITIONING_HASH || kind == SLUICE_PARTITIONING_RANGE ||
           kind == SLUICE_PARTITIONING_IDS;
}

static int compare_strings(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Files that lie there and that the manifest does not name. */
static int find_extra_files(cli_verification *verification, const verified_set *set)
{
    cli_input_list present = {0};
    cli_input_list named = {0};
    int code = cli_inputs_list_directory(set->path, &present);
    for (size_t i = set->check_first; i < verification->check_count; i++) {
        named.paths = cli_make_room(named.paths, named.count, sizeof *named.paths);
        named.paths[named.count++] = cli_copy_string(verification->checks[i].path);
    }
    if (named.count > 1)
        qsort(named.paths, named.count, sizeof *named.paths, compare_strings);
    for (size_t i = 0; i < present.count && code == CLI_DONE; i++)
        if (named.count == 0 || !bsearch(&present.paths[i], named.paths, named.count,
                                         sizeof *named.paths, compare_strings))
            cli_add_problem(verification, PROBLEM_EXTRA, present.paths[i], -1,
                            "the manifest does not name this file");
    cli_inputs_deinit(&present);
    cli_inputs_deinit(&named);
    return code;
}

static int add_data_set(cli_verification *verification, verified_set *set)
{
    int code = cli_manifest_read(set->path, &set->manifest);
    if (code != CLI_DONE)
        return code;
    const cli_manifest *const manifest = &set->manifest;
    if (manifest->partitioning)
        read_claim(verification, set->path, manifest->partitioning, &set->partitioning);
    const bool has_slash = set->path[strlen(set->path) - 1] == '/';
    for (size_t i = 0; i < manifest->partition_count; i++)
        for (size_t j = 0; j < manifest->partitions[i].file_count; j++) {
            const cli_file_entry *const entry = &manifest->partitions[i].files[j];
            cli_check *const check = add_check(
                verification,
                cli_format(has_slash ? "%s%s" : "%s/%s", set->path, entry->path));
            check->claim = manifest->partitioning;
            check->partitioning = is_computed(set->partitioning) ? set->partitioning : NULL;
            check->index = manifest->partitions[i].index;
            check->entry = entry;
            check->schema = manifest->schema;
        }
    return find_extra_files(verification, set);
}

static int add_file(cli_verification *verification, verified_set *set)
{
    sluice_error error;
    sluice_source *source = NULL;
    cli_check *const check = add_check(verification, cli_copy_string(set->path));
    const sluice_status status =
        sluice_source_open(set->path, SLUICE_FORMAT_DETECT, &source, &error);
    if (status == SLUICE_IO_ERROR || status == SLUICE_OUT_OF_MEMORY)
        return cli_error_of("", &error);
    /* What is wrong with the bytes is found again, and noted, by the check. */
    const char *const claim =
        status == SLUICE_OK ? sluice_source_get_metadata(source, "sluice.partitioning") : NULL;
    uint64_t index;
    json_t *const object = claim ? json_loads(claim, 0, NULL) : NULL;
    if (status == SLUICE_OK && !claim)
        cli_add_problem(verification, PROBLEM_CLAIM, set->path, -1, "declares no partitioning");
    else if (claim && !cli_json_read_count(json_object_get(object, "index"), &index))
        cli_add_problem(verification, PROBLEM_CLAIM, set->path, -1,
                        "declares a partitioning, but not which partition it is");
    else if (claim)
        check->index = (int64_t)index;
    if (claim)
        read_claim(verification, set->path, claim, &set->partitioning);
    check->partitioning = is_computed(set->partitioning) ? set->partitioning : NULL;
    json_decref(object);
    sluice_source_free(source);
    return CLI_DONE;
}

/* Of all rows r, those with r mod count == index. */
static uint64_t round_robin_rows(uint64_t total, uint32_t count, uint32_t index)
{
    return total / count + (index < total % count);
}

static void check_partition(cli_verification *verification, const verified_set *set,
                            const cli_partition_entry *partition, const cli_check *checks)
{
    const cli_manifest *const manifest = &set->manifest;
    sluice_checksum sum = {0, 0};
    uint64_t rows = 0;
    uint64_t listed = 0;
    bool is_read = true;
    for (size_t i = 0; i < partition->file_count; i++) {
        sluice_checksum_add(&sum, &checks[i].checksum);
        rows += checks[i].rows;
        listed += partition->files[i].rows;
        is_read = is_read && checks[i].is_read;
    }
    if (listed != partition->rows)
        cli_add_problem(verification, PROBLEM_CLAIM, set->path, -1,
                        "partition %" PRIu32 ": the manifest says %" PRIu64
                        " rows, its files have %" PRIu64,
                        partition->index, partition->rows, listed);
    const bool is_dealt =
        set->partitioning &&
        sluice_partitioning_get_kind(set->partitioning) == SLUICE_PARTITIONING_ROUND_ROBIN_ROWS;
    const uint32_t count = is_dealt ? sluice_partitioning_get_count(set->partitioning) : 1;
    if (is_dealt && partition->rows != round_robin_rows(manifest->rows, count, partition->index))
        cli_add_problem(verification, PROBLEM_MISPLACED, set->path, -1,
                        "partition %" PRIu32 ": %" PRIu64 " rows; %" PRIu64 " of %" PRIu64
                        " dealt out in turn",
                        partition->index, partition->rows,
                        round_robin_rows(manifest->rows, count, partition->index),
                        manifest->rows);
    if (!is_read || verification->is_quick || !partition->has_checksum || rows != partition->rows)
        return;
    if (sum.low == partition->checksum.low && sum.high == partition->checksum.high)
        return;
    char have[CLI_CHECKSUM_BYTES];
    char want[CLI_CHECKSUM_BYTES];
    cli_checksum_to_text(&sum, have);
    cli_checksum_to_text(&partition->checksum, want);
    cli_add_problem(verification, PROBLEM_CHANGED,
                    partition->file_count == 1 ? checks[0].path : set->path, -1,
                    "partition %" PRIu32 ": the %" PRIu64
                    " rows are not those that were written: checksum %s, %s in the manifest",
                    partition->index, rows, have, want);
}

/* The manifest against itself, and the partitions against the manifest. */
static void check_data_set(cli_verification *verification, const verified_set *set)
{
    const cli_manifest *const manifest = &set->manifest;
    sluice_checksum sum = {0, 0};
    uint64_t rows = 0;
    const cli_check *checks = verification->checks + set->check_first;
    for (size_t i = 0; i < manifest->partition_count; i++) {
        const cli_partition_entry *const partition = &manifest->partitions[i];
        check_partition(verification, set, partition, checks);
        checks += partition->file_count;
        sluice_checksum_add(&sum, &partition->checksum);
        rows += partition->rows;
    }
    if (rows != manifest->rows)
        cli_add_problem(verification, PROBLEM_CLAIM, set->path, -1,
                        "the manifest says %" PRIu64 " rows, its partitions have %" PRIu64,
                        manifest->rows, rows);
    if (manifest->has_checksum &&
        (sum.low != manifest->checksum.low || sum.high != manifest->checksum.high))
        cli_add_problem(verification, PROBLEM_CLAIM, set->path, -1,
                        "the checksums of the partitions do not add up to that of the manifest");
    const uint32_t count = set->partitioning ? sluice_partitioning_get_count(set->partitioning) : 0;
    if (set->partitioning && is_computed(set->partitioning) && manifest->partition_count != count)
        cli_add_problem(verification, PROBLEM_CLAIM, set->path, -1,
                        "%zu partitions, %" PRIu32 " declared", manifest->partition_count, count);
}

static uint64_t count_rows(const cli_verification *verification)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < verification->check_count; i++)
        rows += verification->checks[i].rows;
    return rows;
}

static int compare_problems(const void *left, const void *right)
{
    const cli_problem *const a = left;
    const cli_problem *const b = right;
    const int names = strcmp(a->file, b->file);
    if (names != 0)
        return names;
    return (a->row > b->row) - (a->row < b->row);
}

static void print_json(const cli_verification *verification)
{
    json_t *const problems = json_array();
    for (size_t i = 0; i < verification->problem_count; i++) {
        const cli_problem *const problem = &verification->problems[i];
        json_array_append_new(
            problems, json_pack("{s:s, s:o, s:o, s:o}", "kind", cli_problem_name(problem->kind),
                                "file", cli_json_text(problem->file), "row",
                                problem->row < 0 ? json_null()
                                                 : cli_json_count((uint64_t)problem->row),
                                "detail", cli_json_text(problem->detail)));
    }
    json_t *const root =
        json_pack("{s:b, s:o, s:o}", "ok", verification->problem_count == 0, "rows",
                  cli_json_count(count_rows(verification)), "problems", problems);
    cli_json_print(root);
    json_decref(root);
}

static void print_problems(const cli_verification *verification, bool is_verbose)
{
    const size_t count = verification->problem_count;
    const size_t shown = is_verbose || count <= PROBLEMS_SHOWN_MAX ? count : PROBLEMS_SHOWN_MAX;
    for (size_t i = 0; i < shown; i++) {
        const cli_problem *const problem = &verification->problems[i];
        printf("%s: ", problem->file);
        if (problem->row >= 0)
            printf("row %" PRId64 ": ", problem->row);
        printf("%s: %s\n", cli_problem_name(problem->kind), problem->detail);
    }
    if (shown < count)
        printf("and %zu problems more; -v shows all\n", count - shown);
}

static void print_answer(const cli_arguments *arguments, const cli_verification *verification,
                         double seconds)
{
    char rows[CLI_NUMBER_BYTES];
    char time[CLI_NUMBER_BYTES];
    if (cli_has(arguments, OPTION_JSON)) {
        print_json(verification);
        return;
    }
    print_problems(verification, cli_has(arguments, OPTION_VERBOSE));
    if (cli_has(arguments, OPTION_QUIET))
        return;
    const char *const what = verification->is_quick ? "by the footers" : "every row read";
    const size_t count = verification->problem_count;
    if (count == 0)
        printf("ok: ");
    else
        printf("%zu problem%s: ", count, count == 1 ? "" : "s");
    printf("%s rows in %zu file%s, %s, %s\n", cli_count_text(count_rows(verification), rows),
           verification->check_count, verification->check_count == 1 ? "" : "s", what,
           cli_seconds_text(seconds, time));
}

static uint64_t file_bytes(const cli_verification *verification)
{
    uint64_t bytes = 0;
    struct stat file;
    for (size_t i = 0; i < verification->check_count; i++)
        if (stat(verification->checks[i].path, &file) == 0)
            bytes += (uint64_t)file.st_size;
    return bytes;
}

static void verification_deinit(cli_verification *verification, verified_set *sets, size_t count)
{
    for (size_t i = 0; i < verification->check_count; i++)
        cli_free(verification->checks[i].path);
    for (size_t i = 0; i < verification->problem_count; i++) {
        cli_free(verification->problems[i].file);
        cli_free(verification->problems[i].detail);
    }
    cli_free(verification->checks);
    cli_free(verification->problems);
    for (size_t i = 0; i < count; i++) {
        cli_manifest_deinit(&sets[i].manifest);
        sluice_partitioning_free(sets[i].partitioning);
    }
    cli_free(sets);
    pthread_mutex_destroy(&verification->lock);
}

/* Collect what is to be checked of one operand. */
static int add_set(cli_verification *verification, verified_set *set, const char *path)
{
    struct stat file;
    *set = (verified_set){.path = path, .check_first = verification->check_count};
    set->is_directory = stat(path, &file) == 0 && S_ISDIR(file.st_mode);
    return set->is_directory ? add_data_set(verification, set) : add_file(verification, set);
}

int cli_verify(const cli_arguments *arguments)
{
    const double started_at = cli_now_seconds();
    const size_t count = arguments->operand_count;
    cli_verification verification = {.is_quick = cli_has(arguments, OPTION_QUICK)};
    cli_watch watch = {0};
    if (count == 0)
        return cli_error(CLI_USAGE, "which data set? give the path of a directory or a file");
    pthread_mutex_init(&verification.lock, NULL);
    verified_set *const sets = cli_allocate_zeroed(count, sizeof *sets);
    int code = CLI_DONE;
    for (size_t i = 0; i < count && code == CLI_DONE; i++)
        code = add_set(&verification, &sets[i], arguments->operands[i]);
    if (code != CLI_DONE)
        goto done;

    cli_progress_start(arguments, "verify", file_bytes(&verification));
    cli_watch_block_signals();
    watch.stop = cli_watch_exit;
    watch.opaque = &watch;
    if (!cli_watch_start(&watch)) {
        code = cli_error(CLI_FAILED, "the system cannot start a thread");
        goto done;
    }
    const uint64_t threads = cli_get_number(arguments, OPTION_THREADS, cli_core_count());
    cli_run_checks(&verification, (uint32_t)threads);
    cli_progress_stop();
    cli_watch_stop(&watch);
    for (size_t i = 0; i < count; i++)
        if (sets[i].is_directory)
            check_data_set(&verification, &sets[i]);
    code = verification.code;
    if (code != CLI_DONE)
        goto done;
    if (verification.problem_count > 1)
        qsort(verification.problems, verification.problem_count, sizeof *verification.problems,
              compare_problems);
    print_answer(arguments, &verification, cli_now_seconds() - started_at);
    code = verification.problem_count > 0 ? CLI_NO : CLI_DONE;

done:
    verification_deinit(&verification, sets, count);
    return code;
}
