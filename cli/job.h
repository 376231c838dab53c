/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/job.h - one repartition: what is read, where it goes, what came of it
 *
 *     cli_job_prepare()     everything that can be checked before anything is written
 *     cli_job_run()         readers push, writers pull, until all files are finished
 *     cli_job_check()       what came out is what went in
 *     cli_job_deinit()
 *
 * Reader threads are the inputs of an exchange and writer threads take batches from whichever
 * output has one.  The first failure wins: it is noted here and ends the exchange, and so everybody
 * else.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arguments.h"
#include "budget.h"
#include "routing.h"
#include "sluice/io.h"
#include "sluice/sluice.h"
#include "sources.h"

/* Rows in the smallest batches the exchange makes, rows in a batch a reader pushes, and what a
 * reader holds beside the pages of its piece. */
enum { CLI_BATCH_ROWS_MIN = 256, CLI_READ_ROWS = 32768, CLI_READER_BYTES = 16 << 20 };

/* Pieces of a source that one reader takes at a time, in the order of the input. */
typedef struct cli_piece {
    const sluice_source *source;
    uint32_t first;
    uint32_t count;
    int64_t rows;   /* -1: not known. */
    uint64_t bytes; /* 0: not known. */
} cli_piece;

/* One partition.  Used by one writer at a time: the exchange sees to that. */
typedef struct cli_output {
    sluice_sink *sink; /* Made with the first batch, or at the end. */
    char *name;        /* Relative to the directory. */
    sluice_checksum checksum;
    uint64_t rows;
    uint64_t bytes;
    bool is_finished;
} cli_output;

typedef struct cli_job {
    const cli_arguments *arguments; /* Borrowed. */
    cli_source_list sources;
    cli_routing routing;
    uint32_t thread_count;
    cli_budget budget;
    uint64_t row_bytes;         /* In memory, about: from the types. */
    int64_t batch_rows;         /* In the batches that the exchange makes. */
    int64_t rows_waiting_max;   /* In the exchange, while writers have something to do. */
    sluice_file_format format; /* Written. */

    /* Columns: read_columns are indexes into the source's, write_columns into those read. */
    uint32_t *read_columns;
    uint32_t *write_columns;
    size_t read_count;
    size_t write_count;
    bool is_projecting; /* Some columns are read and not written. */
    bool has_claim;     /* The keys are written, so the files may declare the partitioning. */

    sluice_dictionaries *dictionaries;
    struct ArrowSchema read_schema;     /* Of the batches that are pushed. */
    struct ArrowSchema exchange_schema; /* Of those that are pulled. */
    struct ArrowSchema **batch_children;
    struct ArrowSchema **file_children;
    struct ArrowSchema batch_schema; /* View: what is written. */
    struct ArrowSchema file_schema;  /* View: what a reader of the files shall see. */

    cli_piece *pieces;
    size_t piece_count;
    sluice_exchange *exchange;
    const char *directory; /* Where files are made.  Borrowed. */
    cli_output *outputs;   /* routing.count of them. */

    /* Shared by the threads. */
    atomic_size_t piece_next;
    atomic_bool is_stopping;
    atomic_int_fast64_t rows_waiting; /* Pushed and not yet pulled. */
    atomic_uint writers_waiting; /* In the exchange, for a batch. */
    pthread_mutex_t lock;     /* For the rest. */
    pthread_cond_t turn_came;
    size_t turn;              /* Ordered reading: the piece whose reader may push. */
    bool has_failed;
    sluice_error failure;     /* The first one. */
    sluice_checksum checksum; /* Of the rows read. */
    uint64_t rows;            /* Read. */
} cli_job;

/* Parse, open, compare, choose; writes nothing.  0, or the exit code after a message. */
int cli_job_prepare(cli_job *job, const cli_arguments *arguments);

/* Write every partition into the directory.  Messages are the caller's: see failure. */
bool cli_job_run(cli_job *job, const char *directory);

/* Rows and checksums of the outputs against those of the inputs.  0 or an exit code. */
int cli_job_check(const cli_job *job);

/* Stop as soon as possible; from any thread. */
void cli_job_stop(cli_job *job);

/* Note a failure, unless there was one, and end the exchange. */
void cli_job_fail(cli_job *job, const sluice_error *error);

/* What would have been enough, as far as the run got to know it. */
uint64_t cli_job_memory_needed(const cli_job *job);

/* Free the sinks that are left after a failure; their files go with them. */
void cli_job_close_sinks(cli_job *job);

void cli_job_deinit(cli_job *job);

/* The threads' functions; the argument is the job and a number. */
typedef struct cli_worker {
    cli_job *job;
    uint32_t index;
    pthread_t thread;
    bool is_started;
} cli_worker;

void *cli_run_reader(void *worker);
void *cli_run_writer(void *worker);

/* Round robin by rows: the place of a row in the whole input decides, so pieces go in order. */
static inline bool cli_job_is_ordered(const cli_job *job)
{
    return job->routing.kind == SLUICE_PARTITIONING_ROUND_ROBIN_ROWS;
}

#endif /* CLI_JOB_H */
