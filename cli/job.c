/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/job.c - running a repartition, see cli/job.h; cli/job_prepare.c makes it ready
 */
#include "job.h"

#include <stdio.h>
#include <string.h>

#include "manifest.h"
#include "memory.h"
#include "message.h"
#include "schema.h"

void cli_job_stop(cli_job *job)
{
    atomic_store(&job->is_stopping, true);
    if (job->exchange)
        sluice_exchange_cancel(job->exchange);
    pthread_mutex_lock(&job->lock);
    pthread_cond_broadcast(&job->turn_came);
    pthread_mutex_unlock(&job->lock);
}

void cli_job_fail(cli_job *job, const sluice_error *error)
{
    pthread_mutex_lock(&job->lock);
    const bool is_first = !job->has_failed;
    if (is_first)
        job->failure = *error;
    job->has_failed = true;
    atomic_store(&job->is_stopping, true);
    pthread_cond_broadcast(&job->turn_came);
    pthread_mutex_unlock(&job->lock);
    if (is_first)
        sluice_exchange_fail(job->exchange, error->status, error->message);
}

static void start_workers(cli_job *job, cli_worker *workers, uint32_t count, void *(*run)(void *))
{
    for (uint32_t i = 0; i < count; i++) {
        workers[i] = (cli_worker){.job = job, .index = i};
        workers[i].is_started = pthread_create(&workers[i].thread, NULL, run, &workers[i]) == 0;
        if (workers[i].is_started)
            continue;
        sluice_error error = {.status = SLUICE_IO_ERROR};
        snprintf(error.message, sizeof error.message,
                 "thread %u of %u: the system cannot start another; fewer threads: -j", i + 1,
                 count);
        cli_job_fail(job, &error);
    }
}

static void join_workers(cli_worker *workers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (workers[i].is_started)
            pthread_join(workers[i].thread, NULL);
}

bool cli_job_run(cli_job *job, const char *directory)
{
    const uint32_t count = job->thread_count;
    cli_worker *const readers = cli_allocate_zeroed(count, sizeof *readers);
    cli_worker *const writers = cli_allocate_zeroed(count, sizeof *writers);
    job->directory = directory;
    start_workers(job, writers, count, cli_run_writer);
    start_workers(job, readers, count, cli_run_reader);
    join_workers(readers, count);
    sluice_error error;
    if (cli_job_is_ordered(job) && !job->has_failed &&
        sluice_exchange_finish(job->exchange, 0, &error) != SLUICE_OK)
        cli_job_fail(job, &error);
    join_workers(writers, count);
    cli_free(writers);
    cli_free(readers);
    return !job->has_failed;
}

int cli_job_check(const cli_job *job)
{
    sluice_checksum sum = {0, 0};
    uint64_t rows = 0;
    for (uint32_t i = 0; i < job->routing.count; i++) {
        if (!job->outputs[i].is_finished)
            return cli_error(CLI_FAILED, "partition %u was not finished", i);
        rows += job->outputs[i].rows;
        sluice_checksum_add(&sum, &job->outputs[i].checksum);
    }
    if (rows != job->rows)
        return cli_error(CLI_FAILED, "%llu rows were read and %llu written; nothing was kept",
                         (unsigned long long)job->rows, (unsigned long long)rows);
    if (sum.low == job->checksum.low && sum.high == job->checksum.high)
        return CLI_DONE;
    char read[CLI_CHECKSUM_BYTES];
    char written[CLI_CHECKSUM_BYTES];
    cli_checksum_to_text(&job->checksum, read);
    cli_checksum_to_text(&sum, written);
    return cli_error(CLI_FAILED,
                     "the %llu rows written are not those that were read: checksum %s, not %s; "
                     "nothing was kept",
                     (unsigned long long)rows, written, read);
}

/*
 * The smallest open batches, and for each reader a batch on its way, held four times as
 * cli/job_prepare.c reckons; the exchange gets half of what the readers leave.
 */
uint64_t cli_job_memory_needed(const cli_job *job)
{
    const uint64_t mebibyte = 1 << 20;
    const uint64_t rows = (uint64_t)job->routing.count * CLI_BATCH_ROWS_MIN +
                          (uint64_t)job->thread_count * CLI_READ_ROWS;
    const uint64_t readers = job->thread_count * CLI_READER_BYTES;
    uint64_t needed = 2 * 4 * rows * job->row_bytes + readers;
    /* It was not enough, so the guess about the width of a row may be wrong. */
    if (needed < job->budget.total + job->budget.total / 2)
        needed = job->budget.total + job->budget.total / 2;
    return (needed + mebibyte - 1) / mebibyte * mebibyte;
}

void cli_job_close_sinks(cli_job *job)
{
    for (uint32_t i = 0; job->outputs && i < job->routing.count; i++) {
        sluice_sink_free(job->outputs[i].sink);
        job->outputs[i].sink = NULL;
    }
}

void cli_job_deinit(cli_job *job)
{
    cli_job_close_sinks(job);
    for (uint32_t i = 0; job->outputs && i < job->routing.count; i++)
        cli_free(job->outputs[i].name);
    cli_free(job->outputs);
    sluice_exchange_free(job->exchange);
    cli_free(job->pieces);
    cli_free(job->file_children);
    cli_free(job->batch_children);
    cli_schema_release(&job->exchange_schema);
    cli_schema_release(&job->read_schema);
    sluice_dictionaries_free(job->dictionaries);
    cli_free(job->write_columns);
    cli_free(job->read_columns);
    cli_routing_deinit(&job->routing);
    cli_sources_deinit(&job->sources);
    pthread_cond_destroy(&job->turn_came);
    pthread_mutex_destroy(&job->lock);
}
