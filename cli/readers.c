/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/readers.c - the threads that read files and push their rows into the exchange
 *
 * Each takes the next pieces off the list.  When the order of the whole input matters there is one
 * input of the exchange, and a reader pushes when all pieces before its own have been pushed; until
 * then it decodes a few batches ahead.
 */
#include "job.h"

#include <string.h>
#include <time.h>

#include "memory.h"
#include "progress.h"
#include "schema.h"

enum { BATCHES_AHEAD_MAX = 4 };

typedef struct row_reader {
    cli_job *job;
    uint32_t input;
    const cli_piece *piece;
    size_t piece_index;
    sluice_checksummer *checksummer;
    struct ArrowArray **children; /* Room for a view of the columns written. */
    sluice_checksum sum;
    uint64_t rows;
    struct ArrowArray ahead[BATCHES_AHEAD_MAX];
    size_t ahead_count;
} row_reader;

static void count_progress(const row_reader *reader, int64_t rows)
{
    const cli_piece *const piece = reader->piece;
    uint64_t bytes = 0;
    if (piece->rows > 0 && piece->bytes > 0)
        bytes = (uint64_t)((double)piece->bytes * (double)rows / (double)piece->rows);
    cli_progress_add((uint64_t)rows, bytes);
}

/* After the last batch, batch->release is NULL. */
static sluice_status next_batch(row_reader *reader, struct ArrowArrayStream *stream,
                                struct ArrowArray *batch, sluice_error *error)
{
    memset(batch, 0, sizeof *batch);
    const int result = stream->get_next(stream, batch);
    if (result != 0)
        return sluice_stream_get_status(stream, result, error);
    if (!batch->release)
        return SLUICE_OK;
    const cli_job *const job = reader->job;
    const struct ArrowArray view =
        cli_batch_view(batch, job->write_columns, job->write_count, reader->children);
    const sluice_status status =
        sluice_checksummer_add(reader->checksummer, &view, &reader->sum, error);
    if (status != SLUICE_OK) {
        cli_array_release(batch);
        return status;
    }
    reader->rows += (uint64_t)batch->length;
    return SLUICE_OK;
}

/*
 * The exchange makes readers wait only when no output is hungry, and among many outputs one nearly
 * always is.  So that batches do not pile up in it, readers also wait while it holds many rows and
 * the writers have something to do; when all of them wait for a batch, it is a reader's turn.
 */
static void wait_for_writers(const cli_job *job)
{
    const struct timespec pause = {0, 200000};
    while (atomic_load(&job->rows_waiting) > job->rows_waiting_max &&
           atomic_load(&job->writers_waiting) < job->thread_count &&
           !atomic_load(&job->is_stopping))
        nanosleep(&pause, NULL);
}

static sluice_status push_batch(row_reader *reader, struct ArrowArray *batch, sluice_error *error)
{
    const int64_t rows = batch->length;
    wait_for_writers(reader->job);
    const sluice_status status =
        sluice_exchange_push(reader->job->exchange, reader->input, batch, error);
    cli_array_release(batch);
    if (status == SLUICE_OK) {
        atomic_fetch_add(&reader->job->rows_waiting, rows);
        count_progress(reader, rows);
    }
    return status;
}

static bool is_my_turn(row_reader *reader)
{
    cli_job *const job = reader->job;
    if (!cli_job_is_ordered(job))
        return true;
    pthread_mutex_lock(&job->lock);
    const bool is_mine = job->turn == reader->piece_index;
    pthread_mutex_unlock(&job->lock);
    return is_mine;
}

static void wait_for_turn(row_reader *reader)
{
    cli_job *const job = reader->job;
    if (!cli_job_is_ordered(job))
        return;
    pthread_mutex_lock(&job->lock);
    while (job->turn != reader->piece_index && !atomic_load(&job->is_stopping))
        pthread_cond_wait(&job->turn_came, &job->lock);
    pthread_mutex_unlock(&job->lock);
}

static void end_turn(row_reader *reader)
{
    cli_job *const job = reader->job;
    pthread_mutex_lock(&job->lock);
    if (job->turn == reader->piece_index)
        job->turn++;
    pthread_cond_broadcast(&job->turn_came);
    pthread_mutex_unlock(&job->lock);
}

static sluice_status push_ahead(row_reader *reader, sluice_error *error)
{
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < reader->ahead_count; i++) {
        if (status == SLUICE_OK)
            status = push_batch(reader, &reader->ahead[i], error);
        cli_array_release(&reader->ahead[i]);
    }
    reader->ahead_count = 0;
    return status;
}

static sluice_status read_stream(row_reader *reader, struct ArrowArrayStream *stream,
                                 sluice_error *error)
{
    cli_job *const job = reader->job;
    bool is_at_end = false;
    sluice_status status = SLUICE_OK;
    while (!is_at_end && reader->ahead_count < BATCHES_AHEAD_MAX && !is_my_turn(reader) &&
           status == SLUICE_OK) {
        struct ArrowArray *const batch = &reader->ahead[reader->ahead_count];
        status = next_batch(reader, stream, batch, error);
        is_at_end = !batch->release;
        reader->ahead_count += !is_at_end;
    }
    if (status == SLUICE_OK)
        wait_for_turn(reader);
    if (status == SLUICE_OK)
        status = push_ahead(reader, error);
    while (!is_at_end && status == SLUICE_OK && !atomic_load(&job->is_stopping)) {
        struct ArrowArray batch;
        status = next_batch(reader, stream, &batch, error);
        is_at_end = !batch.release;
        if (status == SLUICE_OK && !is_at_end)
            status = push_batch(reader, &batch, error);
    }
    for (size_t i = 0; i < reader->ahead_count; i++)
        cli_array_release(&reader->ahead[i]);
    reader->ahead_count = 0;
    return status;
}

static sluice_status read_piece(row_reader *reader, sluice_error *error)
{
    const cli_job *const job = reader->job;
    struct ArrowArrayStream stream = {0};
    const sluice_read_options options = {
        .size = sizeof options,
        .columns = job->read_columns,
        .column_count = job->read_count,
        .batch_rows = CLI_READ_ROWS,
        .dictionaries = job->dictionaries,
    };
    sluice_status status = sluice_source_open_piece(reader->piece->source, reader->piece->first,
                                                    reader->piece->count, &options, &stream, error);
    if (status == SLUICE_OK)
        status = read_stream(reader, &stream, error);
    cli_stream_release(&stream);
    return status;
}

static sluice_status read_pieces(row_reader *reader, sluice_error *error)
{
    cli_job *const job = reader->job;
    for (;;) {
        const size_t next = atomic_fetch_add(&job->piece_next, 1);
        if (next >= job->piece_count || atomic_load(&job->is_stopping))
            return SLUICE_OK;
        reader->piece = &job->pieces[next];
        reader->piece_index = next;
        const sluice_status status = read_piece(reader, error);
        if (status != SLUICE_OK)
            return status;
        end_turn(reader);
    }
}

void *cli_run_reader(void *argument)
{
    const cli_worker *const worker = argument;
    cli_job *const job = worker->job;
    sluice_error error = {0};
    row_reader reader = {.job = job, .input = cli_job_is_ordered(job) ? 0 : worker->index};
    reader.children = cli_allocate_zeroed(job->write_count, sizeof *reader.children);

    struct ArrowSchema **const names = cli_allocate_zeroed(job->write_count, sizeof *names);
    const struct ArrowSchema view =
        cli_schema_view(&job->read_schema, job->write_columns, job->write_count, names);
    sluice_status status = sluice_checksummer_new(&view, &reader.checksummer, &error);
    if (status == SLUICE_OK)
        status = read_pieces(&reader, &error);
    if (status == SLUICE_OK && !cli_job_is_ordered(job))
        status = sluice_exchange_finish(job->exchange, reader.input, &error);
    if (status != SLUICE_OK && status != SLUICE_CLOSED)
        cli_job_fail(job, &error);

    pthread_mutex_lock(&job->lock);
    sluice_checksum_add(&job->checksum, &reader.sum);
    job->rows += reader.rows;
    pthread_mutex_unlock(&job->lock);
    sluice_checksummer_free(reader.checksummer);
    cli_free(names);
    cli_free(reader.children);
    return NULL;
}
