/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/writers.c - the threads that take batches out of the exchange and write the files
 *
 * A thread takes a batch of whichever output has one; the exchange lets only one thread at a time
 * have an output, so a partition needs no lock.  Every partition gets a file, those without rows
 * too.
 */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "schema.h"

typedef struct row_writer {
    cli_job *job;
    sluice_checksummer *checksummer;
} row_writer;

/* The declaration with the number of the partition; without a claim an input's claim is removed. */
static sluice_status open_sink(row_writer *writer, uint32_t index, sluice_error *error)
{
    cli_job *const job = writer->job;
    cli_output *const output = &job->outputs[index];
    char *declaration = NULL;
    if (job->has_claim) {
        declaration = cli_routing_declare(job->routing.partitioning, &job->sources.schema, index);
        if (!declaration) {
            *error = (sluice_error){.status = SLUICE_INVALID};
            snprintf(error->message, sizeof error->message,
                     "partition %" PRIu32 ": its declaration cannot be written", index);
            return SLUICE_INVALID;
        }
    }
    const char *const keys[] = {"sluice.partitioning"};
    const char *const values[] = {declaration};
    const sluice_sink_options options = {
        .size = sizeof options,
        .format = job->format,
        .compression = cli_get_text(job->arguments, OPTION_COMPRESSION, NULL),
        .row_group_rows = (int64_t)cli_get_number(job->arguments, OPTION_ROW_GROUP_ROWS, 0),
        .logical_schema = &job->file_schema,
        .metadata_keys = keys,
        .metadata_values = values,
        .metadata_count = 1,
    };
    output->name = cli_format("part-%05" PRIu32 "-000.%s", index,
                              sluice_file_format_extension(job->format));
    char *const path = cli_format("%s/%s", job->directory, output->name);
    const sluice_status status =
        sluice_sink_new(path, &job->batch_schema, &options, &output->sink, error);
    cli_free(path);
    cli_free(declaration);
    return status;
}

/*
 * Pages of open row groups pile up with the number of partitions.  When all together hold more than
 * they may, a sink that has more than its share writes its row group out.
 */
static sluice_status flush_if_heavy(const cli_job *job, cli_output *output, sluice_error *error)
{
    sluice_memory_metrics memory;
    sluice_exchange_get_memory_metrics(job->exchange, &memory);
    const uint64_t io_bytes = sluice_io_get_memory_bytes();
    if (io_bytes + memory.bytes < job->budget.total / 10 * 9)
        return SLUICE_OK;
    if (sluice_sink_get_buffered_bytes(output->sink) < io_bytes / job->routing.count / 2)
        return SLUICE_OK;
    return sluice_sink_flush(output->sink, error);
}

/* Takes the batch. */
static sluice_status write_batch(row_writer *writer, uint32_t index, struct ArrowArray *batch,
                                 sluice_error *error)
{
    cli_job *const job = writer->job;
    cli_output *const output = &job->outputs[index];
    sluice_status status = SLUICE_OK;
    if (!output->sink)
        status = open_sink(writer, index, error);
    if (status == SLUICE_OK && job->is_projecting)
        cli_batch_project(batch, job->write_columns, job->write_count);
    if (status == SLUICE_OK)
        status = sluice_checksummer_add(writer->checksummer, batch, &output->checksum, error);
    if (status == SLUICE_OK) {
        output->rows += (uint64_t)batch->length;
        status = sluice_sink_write(output->sink, batch, error);
    }
    cli_array_release(batch);
    return status == SLUICE_OK ? flush_if_heavy(job, output, error) : status;
}

static sluice_status finish_output(row_writer *writer, uint32_t index, sluice_error *error)
{
    cli_output *const output = &writer->job->outputs[index];
    sluice_sink_statistics statistics = {0};
    sluice_status status = SLUICE_OK;
    if (!output->sink)
        status = open_sink(writer, index, error);
    if (status == SLUICE_OK)
        status = sluice_sink_finish(output->sink, &statistics, error);
    sluice_sink_free(output->sink);
    output->sink = NULL;
    output->bytes = statistics.bytes;
    output->is_finished = status == SLUICE_OK;
    return status;
}

static sluice_status write_outputs(row_writer *writer, sluice_error *error)
{
    cli_job *const job = writer->job;
    uint32_t output = SLUICE_NO_OUTPUT;
    for (;;) {
        struct ArrowArray batch = {0};
        atomic_fetch_add(&job->writers_waiting, 1);
        sluice_status status = sluice_exchange_pull_any(job->exchange, &output, &batch, error);
        atomic_fetch_sub(&job->writers_waiting, 1);
        if (status != SLUICE_OK)
            return status;
        if (batch.release)
            atomic_fetch_sub(&job->rows_waiting, batch.length);
        if (batch.release)
            status = write_batch(writer, output, &batch, error);
        else if (output == SLUICE_NO_OUTPUT)
            return SLUICE_OK;
        else
            status = finish_output(writer, output, error);
        if (status != SLUICE_OK)
            return status;
    }
}

void *cli_run_writer(void *argument)
{
    const cli_worker *const worker = argument;
    sluice_error error = {0};
    row_writer writer = {.job = worker->job};
    sluice_status status =
        sluice_checksummer_new(&worker->job->batch_schema, &writer.checksummer, &error);
    if (status == SLUICE_OK)
        status = write_outputs(&writer, &error);
    if (status != SLUICE_OK)
        cli_job_fail(worker->job, &error);
    sluice_checksummer_free(writer.checksummer);
    return NULL;
}
