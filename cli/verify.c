/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/verify.c - checking one file, see cli/verify.h
 *
 * A file that cannot be read is a problem of the data set, not of the run: the others are still
 * checked.
 */
#include "verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "schema.h"

/* Of each kind and file; the rest is counted. */
enum { MISPLACED_ROWS_MAX = 10 };

const char *cli_problem_name(cli_problem_kind kind)
{
    static const char *const names[] = {
        [PROBLEM_MISPLACED] = "misplaced", [PROBLEM_CHANGED] = "changed",
        [PROBLEM_MISSING] = "missing",     [PROBLEM_EXTRA] = "extra",
        [PROBLEM_UNREADABLE] = "unreadable", [PROBLEM_CLAIM] = "claim",
    };
    return names[kind];
}

void cli_add_problem(cli_verification *verification, cli_problem_kind kind, const char *file,
                     int64_t row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *const detail = cli_format_list(format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&verification->lock);
    verification->problems = cli_make_room(verification->problems, verification->problem_count,
                                           sizeof *verification->problems);
    verification->problems[verification->problem_count++] =
        (cli_problem){kind, cli_copy_string(file), row, detail};
    pthread_mutex_unlock(&verification->lock);
}

/* A thread that checks files, and what it needs for the current one. */
typedef struct file_checker {
    cli_verification *verification;
    cli_check *check;
    sluice_source *source;
    sluice_partitioner *partitioner; /* NULL: nothing to compute. */
    sluice_checksummer *checksummer;
    uint32_t *ids;
    size_t id_count;
    uint64_t misplaced_count;
} file_checker;

static void check_rows(file_checker *checker)
{
    const cli_check *const check = checker->check;
    if (!check->entry || check->rows == check->entry->rows)
        return;
    const bool is_less = check->rows < check->entry->rows;
    cli_add_problem(checker->verification, is_less ? PROBLEM_MISSING : PROBLEM_EXTRA, check->path,
                    -1, "%" PRIu64 " rows, %" PRIu64 " in the manifest", check->rows,
                    check->entry->rows);
}

/* The file's own declaration against that of the manifest. */
static void check_claim(file_checker *checker)
{
    const cli_check *const check = checker->check;
    if (!check->entry)
        return;
    const char *const own = sluice_source_get_metadata(checker->source, "sluice.partitioning");
    json_t *const have = own ? json_loads(own, 0, NULL) : NULL;
    json_t *const want = check->claim ? json_loads(check->claim, 0, NULL) : NULL;
    if (want)
        json_object_set_new(want, "index", json_integer(check->index));
    if (own && !have)
        cli_add_problem(checker->verification, PROBLEM_CLAIM, check->path, -1,
                        "its declaration is no valid JSON");
    else if (!have != !want)
        cli_add_problem(checker->verification, PROBLEM_CLAIM, check->path, -1,
                        have ? "declares a partitioning, the manifest does not"
                             : "declares no partitioning, the manifest does");
    else if (have && !json_equal(have, want))
        cli_add_problem(checker->verification, PROBLEM_CLAIM, check->path, -1,
                        "declares another partitioning than the manifest: %s", own);
    json_decref(have);
    json_decref(want);
}

static void check_schema(file_checker *checker, const struct ArrowSchema *schema)
{
    const cli_check *const check = checker->check;
    if (!check->schema)
        return;
    json_t *const own = cli_schema_to_json(schema);
    for (size_t i = 0; i < json_array_size(check->schema) || i < json_array_size(own); i++) {
        const json_t *const have = json_array_get(own, i);
        const json_t *const want = json_array_get(check->schema, i);
        if (json_equal(have, want))
            continue;
        const json_t *const shown = want ? want : have;
        const char *const name = json_string_value(json_object_get(shown, "name"));
        const char *const type = json_string_value(json_object_get(have, "type"));
        const char *const declared = json_string_value(json_object_get(want, "type"));
        cli_add_problem(checker->verification, PROBLEM_CHANGED, check->path, -1,
                        "column %zu, %s: %s, in the manifest %s", i + 1, name ? name : "",
                        type ? type : "not there", declared ? declared : "not there");
        break;
    }
    json_decref(own);
}

static void note_row(file_checker *checker, uint64_t row, uint32_t id)
{
    if (++checker->misplaced_count <= MISPLACED_ROWS_MAX)
        cli_add_problem(checker->verification, PROBLEM_MISPLACED, checker->check->path,
                        (int64_t)row, "belongs to partition %" PRIu32 ", lies in %" PRId64, id,
                        checker->check->index);
}

static sluice_status check_batch(file_checker *checker, const struct ArrowArray *batch,
                                 sluice_error *error)
{
    cli_check *const check = checker->check;
    const size_t count = (size_t)batch->length;
    sluice_status status =
        sluice_checksummer_add(checker->checksummer, batch, &check->checksum, error);
    if (status == SLUICE_OK && checker->partitioner && count > 0) {
        if (count > checker->id_count) {
            cli_free(checker->ids);
            checker->ids = cli_allocate(count * sizeof *checker->ids);
            checker->id_count = count;
        }
        status = sluice_partitioner_ids(checker->partitioner, batch, checker->ids, error);
        for (size_t row = 0; status == SLUICE_OK && row < count; row++)
            if ((int64_t)checker->ids[row] != check->index)
                note_row(checker, check->rows + row, checker->ids[row]);
    }
    check->rows += count;
    return status;
}

static sluice_status read_rows(file_checker *checker, sluice_error *error)
{
    struct ArrowArrayStream stream = {0};
    const sluice_read_options options = {.size = sizeof options, .validate_values = true};
    const uint32_t pieces = sluice_source_get_piece_count(checker->source);
    const int64_t bytes = sluice_source_get_bytes(checker->source);
    const int64_t rows = sluice_source_get_row_count(checker->source);
    if (pieces == 0)
        return SLUICE_OK;
    sluice_status status =
        sluice_source_open_piece(checker->source, 0, pieces, &options, &stream, error);
    while (status == SLUICE_OK) {
        struct ArrowArray batch = {0};
        status = sluice_stream_get_status(&stream, stream.get_next(&stream, &batch), error);
        if (status != SLUICE_OK || !batch.release)
            break;
        const double share = rows > 0 ? (double)batch.length / (double)rows : 0;
        cli_progress_add((uint64_t)batch.length, (uint64_t)(share * (double)bytes));
        status = check_batch(checker, &batch, error);
        cli_array_release(&batch);
    }
    cli_stream_release(&stream);
    return status;
}

/* Computing fails when a key is not there or has a type that the scheme does not know. */
static sluice_status start_computing(file_checker *checker, const struct ArrowSchema *schema,
                                     sluice_error *error)
{
    const cli_check *const check = checker->check;
    if (check->partitioning && check->index >= 0 &&
        sluice_partitioner_new(schema, check->partitioning, NULL, &checker->partitioner, error) !=
            SLUICE_OK) {
        if (error->status == SLUICE_OUT_OF_MEMORY)
            return error->status;
        cli_add_problem(checker->verification, PROBLEM_CLAIM, check->path, -1, "%s",
                        error->message);
    }
    return sluice_checksummer_new(schema, &checker->checksummer, error);
}

static sluice_status check_content(file_checker *checker, sluice_error *error)
{
    cli_check *const check = checker->check;
    struct ArrowSchema schema = {0};
    sluice_status status = sluice_source_get_schema(checker->source, &schema, error);
    if (status != SLUICE_OK)
        return status;
    check_claim(checker);
    check_schema(checker, &schema);
    if (checker->verification->is_quick) {
        const int64_t rows = sluice_source_get_row_count(checker->source);
        const int64_t bytes = sluice_source_get_bytes(checker->source);
        check->rows = rows > 0 ? (uint64_t)rows : 0;
        if (check->entry && bytes >= 0 && (uint64_t)bytes != check->entry->bytes)
            cli_add_problem(checker->verification, PROBLEM_CHANGED, check->path, -1,
                            "%" PRId64 " bytes, %" PRIu64 " in the manifest", bytes,
                            check->entry->bytes);
    } else {
        status = start_computing(checker, &schema, error);
        if (status == SLUICE_OK)
            status = read_rows(checker, error);
        check->is_read = status == SLUICE_OK;
    }
    if (status == SLUICE_OK)
        check_rows(checker);
    if (checker->misplaced_count > MISPLACED_ROWS_MAX)
        cli_add_problem(checker->verification, PROBLEM_MISPLACED, check->path, -1,
                        "%" PRIu64 " rows more do not belong to partition %" PRId64,
                        checker->misplaced_count - MISPLACED_ROWS_MAX, check->index);
    cli_schema_release(&schema);
    return status;
}

static void check_file(file_checker *checker)
{
    cli_verification *const verification = checker->verification;
    cli_check *const check = checker->check;
    struct stat file;
    sluice_error error;
    if (stat(check->path, &file) != 0 && errno == ENOENT) {
        cli_add_problem(verification, PROBLEM_MISSING, check->path, -1, "the file is not there");
        return;
    }
    sluice_status status =
        sluice_source_open(check->path, SLUICE_FORMAT_DETECT, &checker->source, &error);
    if (status == SLUICE_OK)
        status = check_content(checker, &error);
    if (status == SLUICE_OUT_OF_MEMORY) {
        pthread_mutex_lock(&verification->lock);
        if (verification->code == CLI_DONE)
            verification->code = cli_error_of("", &error);
        pthread_mutex_unlock(&verification->lock);
    } else if (status != SLUICE_OK) {
        cli_add_problem(verification, PROBLEM_UNREADABLE, check->path, -1, "%s", error.message);
    }
    sluice_checksummer_free(checker->checksummer);
    sluice_partitioner_free(checker->partitioner);
    sluice_source_free(checker->source);
    checker->checksummer = NULL;
    checker->partitioner = NULL;
    checker->source = NULL;
    checker->misplaced_count = 0;
}

static void *run_checker(void *argument)
{
    file_checker checker = {.verification = argument};
    for (;;) {
        const size_t next = atomic_fetch_add(&checker.verification->check_next, 1);
        if (next >= checker.verification->check_count)
            break;
        checker.check = &checker.verification->checks[next];
        check_file(&checker);
    }
    cli_free(checker.ids);
    return NULL;
}

void cli_run_checks(cli_verification *verification, uint32_t thread_count)
{
    pthread_t *const threads = cli_allocate_zeroed(thread_count, sizeof *threads);
    uint32_t started = 0;
    /* This thread works too, so a thread that cannot be started only makes it slower. */
    while (started + 1 < thread_count && started + 1 < verification->check_count &&
           pthread_create(&threads[started], NULL, run_checker, verification) == 0)
        started++;
    run_checker(verification);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    cli_free(threads);
}
