/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/exchange.h - send every row of N streams of Arrow batches to its partition, M streams
 *
 * An exchange has inputs and outputs.  A row pushed into any input is pulled from exactly one
 * output: the one the partitioning names.  Rows that share an input and an output keep their order.
 *
 *     sluice_exchange_new()
 *         each input:   sluice_exchange_push() ...  sluice_exchange_finish()
 *         each output:  sluice_exchange_pull() ...  until the batch comes back released
 *     sluice_exchange_free()
 *
 * Inputs and outputs may be driven from different threads.  One input, or one output, is driven by
 * one thread at a time.  One thread can drive everything with the try_ calls.  Batches that were
 * pulled stay valid after sluice_exchange_free().
 *
 * Producers wait while every output that is still open has batches_hungry_below batches or more in
 * its queue; while one of them has fewer, all pass.  So no set of consumers that are either pulled
 * or closed can stop the exchange; a consumer that is neither makes its queue grow, up to
 * memory_bytes_max.
 *
 * After an error every call returns that first error; so does every output, once.
 */
#ifndef SLUICE_EXCHANGE_H
#define SLUICE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/allocator.h"
#include "sluice/arrow_abi.h"
#include "sluice/memory.h"
#include "sluice/partitioning.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_exchange sluice_exchange;

/*
 * Set size to sizeof(sluice_exchange_options), zero the rest, then set what differs from a
 * default.
 */
typedef struct sluice_exchange_options {
    size_t size;                   /* Lets a later version append fields. */
    uint32_t input_count;          /* 0 means 1. */
    uint32_t batches_hungry_below; /* An output with fewer queued batches is hungry.  0 means 2. */
    int64_t batch_rows_target;     /* Rows in a full output batch, at most 2^30.  0 means 8192. */
    int64_t batch_bytes_max;       /* Bytes of values in one variable-length column of a batch;
                                      at most 2^31 - 1, which 0 means. */
    int64_t memory_bytes_max;      /* Bytes the exchange may hold, batches not yet released by
                                      their consumer included.  0 means no limit. */
    bool flush_each_batch;         /* Rows go on at once, in small batches: for endless inputs. */
    bool validate_values;          /* Check offsets, UTF-8 and dictionary indices of inputs too. */
    const sluice_allocator *allocator; /* NULL: the operating system's pages and malloc(). */
    sluice_memory *memory; /* Shared.  NULL: one of its own, with memory_bytes_max. */
} sluice_exchange_options;

typedef struct sluice_input_metrics {
    uint64_t rows;
    uint64_t batches;
    uint64_t bytes_copied;       /* Values written to output batches. */
    uint64_t batches_passed;     /* Went on by reference. */
    uint64_t rows_dropped;       /* Their output was closed. */
    uint64_t route_nanoseconds;  /* Keys to partition ids and ranks. */
    uint64_t place_nanoseconds;  /* Copying. */
    uint64_t wait_nanoseconds;   /* In push, for a hungry output. */
} sluice_input_metrics;

typedef struct sluice_output_metrics {
    uint64_t rows;               /* Pulled. */
    uint64_t batches;            /* Pulled. */
    uint64_t batches_queued;     /* In the queue now. */
    uint64_t batches_queued_max; /* High-water mark. */
    uint64_t wait_nanoseconds;   /* In pull, for a batch. */
} sluice_output_metrics;

/*
 * Create an exchange for batches of this schema, which must be a struct.  The schema, the
 * partitioning and the options are read during the call and not kept.  options may be NULL.  On
 * failure *out is NULL.
 */
SLUICE_API sluice_status sluice_exchange_new(const struct ArrowSchema *schema,
                                             const sluice_partitioning *partitioning,
                                             const sluice_exchange_options *options,
                                             sluice_exchange **out, sluice_error *error);

/*
 * The schema of the batches that are pulled.  It is the input's, but for dictionary columns whose
 * indices have fewer than 32 bits: all dictionaries of a column become one, so its indices are
 * int32 (round robin by batches changes nothing).  The caller releases it.
 */
SLUICE_API sluice_status sluice_exchange_get_schema(const sluice_exchange *exchange,
                                                    struct ArrowSchema *out, sluice_error *error);

/* Inputs, as the options said. */
SLUICE_API uint32_t sluice_exchange_get_input_count(const sluice_exchange *exchange);

/* Outputs: the partitions of the partitioning. */
SLUICE_API uint32_t sluice_exchange_get_output_count(const sluice_exchange *exchange);

/*
 * Push a batch: a struct array of the exchange's schema whose top level has no nulls.  Waits while
 * no output is hungry.  On SLUICE_OK the exchange has taken the batch and batch->release is NULL;
 * on any other status the caller releases it unless batch->release is NULL.  SLUICE_CLOSED says
 * that no output wants more rows.
 */
SLUICE_API sluice_status sluice_exchange_push(sluice_exchange *exchange, uint32_t input,
                                              struct ArrowArray *batch, sluice_error *error);

/* The same without waiting: SLUICE_WOULD_BLOCK leaves the batch with the caller. */
SLUICE_API sluice_status sluice_exchange_try_push(sluice_exchange *exchange, uint32_t input,
                                                  struct ArrowArray *batch, sluice_error *error);

/*
 * Say that the input has no more batches.  Never waits.  Outputs end when every input has
 * finished.
 */
SLUICE_API sluice_status sluice_exchange_finish(sluice_exchange *exchange, uint32_t input,
                                                sluice_error *error);

/*
 * End the exchange with an error of the caller's, for example of the source that feeds an input.
 * Every output gets it.  The first failure wins; later ones are ignored.
 */
SLUICE_API void sluice_exchange_fail(sluice_exchange *exchange, sluice_status status,
                                     const char *message);

/*
 * Pull the next batch, which the caller releases.  Waits for it.  After the last one the status is
 * SLUICE_OK and batch->release is NULL.
 */
SLUICE_API sluice_status sluice_exchange_pull(sluice_exchange *exchange, uint32_t output,
                                              struct ArrowArray *batch, sluice_error *error);

/* The same without waiting. */
SLUICE_API sluice_status sluice_exchange_try_pull(sluice_exchange *exchange, uint32_t output,
                                                  struct ArrowArray *batch, sluice_error *error);

/* No output: what *output holds before the first sluice_exchange_pull_any(). */
#define SLUICE_NO_OUTPUT UINT32_MAX

/*
 * Pull the next batch of whichever output has one, waiting for it; several threads may call this
 * at once.  *output is the output that this caller was given before, and now gives back, or
 * SLUICE_NO_OUTPUT; then it is the output of the new batch, which no other caller of this function
 * gets until it is given back.  So the batches of an output are handled one after the other, in
 * order.  When all outputs have ended, the status is SLUICE_OK, batch->release is NULL and *output
 * is SLUICE_NO_OUTPUT; each output is reported once as ended before, with a released batch and its
 * number.
 */
SLUICE_API sluice_status sluice_exchange_pull_any(sluice_exchange *exchange, uint32_t *output,
                                                  struct ArrowArray *batch, sluice_error *error);

/* The same without waiting.  On SLUICE_WOULD_BLOCK *output is SLUICE_NO_OUTPUT. */
SLUICE_API sluice_status sluice_exchange_try_pull_any(sluice_exchange *exchange, uint32_t *output,
                                                      struct ArrowArray *batch,
                                                      sluice_error *error);

/*
 * Say that the output wants no more rows.  Its queued batches are released, and rows that would
 * go there are dropped where they arise.  When every output is closed, push returns SLUICE_CLOSED.
 */
SLUICE_API void sluice_exchange_close_output(sluice_exchange *exchange, uint32_t output);

/* Stop everything: every waiting and later call returns SLUICE_CANCELLED.  From any thread. */
SLUICE_API void sluice_exchange_cancel(sluice_exchange *exchange);

/*
 * Make a stream of one output.  The stream keeps the exchange alive, and releasing it closes the
 * output.  get_next waits.
 */
SLUICE_API sluice_status sluice_exchange_export_stream(sluice_exchange *exchange, uint32_t output,
                                                       struct ArrowArrayStream *out,
                                                       sluice_error *error);

/*
 * Push everything that input_count streams give, one thread for each, finish the inputs, and
 * return when all have ended.  The streams are taken and released.  Others must pull meanwhile.
 */
SLUICE_API sluice_status sluice_exchange_run(sluice_exchange *exchange,
                                             struct ArrowArrayStream *streams,
                                             uint32_t stream_count, sluice_error *error);

/* Snapshots; from any thread. */
SLUICE_API void sluice_exchange_get_input_metrics(const sluice_exchange *exchange, uint32_t input,
                                                  sluice_input_metrics *out);
SLUICE_API void sluice_exchange_get_output_metrics(const sluice_exchange *exchange,
                                                   uint32_t output, sluice_output_metrics *out);
SLUICE_API void sluice_exchange_get_memory_metrics(const sluice_exchange *exchange,
                                                   sluice_memory_metrics *out);

/*
 * Release the caller's hold and everything that is not held by a stream or a pulled batch.  No
 * other call on the exchange may be running.  NULL is allowed.
 */
SLUICE_API void sluice_exchange_free(sluice_exchange *exchange);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_EXCHANGE_H */
