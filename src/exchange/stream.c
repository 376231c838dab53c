/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/stream.c - outputs as ArrowArrayStreams; inputs from them
 */
#include "arrow/stream.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "exchange/exchange.h"

/* One output as a stream.  Owns a share of the exchange. */
typedef struct output_stream {
    sluice_exchange *exchange;
    uint32_t output;
    sluice_error last_error;
} output_stream;

/* The errno that stands for a status in the stream interface. */
static int errno_of(sluice_status status)
{
    switch (status) {
    case SLUICE_OK:
        return 0;
    case SLUICE_WOULD_BLOCK:
        return EAGAIN;
    case SLUICE_CLOSED:
        return EPIPE;
    case SLUICE_INVALID:
    case SLUICE_BAD_DATA:
        return EINVAL;
    case SLUICE_UNSUPPORTED:
        return ENOTSUP;
    case SLUICE_OUT_OF_MEMORY:
        return ENOMEM;
    case SLUICE_IO_ERROR:
        return EIO;
    case SLUICE_CANCELLED:
        return ECANCELED;
    }
    return EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    output_stream *self = stream->private_data;

    return errno_of(sluice_exchange_get_schema(self->exchange, out, &self->last_error));
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    output_stream *self = stream->private_data;

    return errno_of(sluice_exchange_pull(self->exchange, self->output, out, &self->last_error));
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const output_stream *self = stream->private_data;

    return self->last_error.message[0] == '\0' ? NULL : self->last_error.message;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    output_stream *self = stream->private_data;
    sluice_exchange *exchange = self->exchange;
    const sluice_allocator allocator = exchange->allocator;

    sluice_exchange_close_output(exchange, self->output);
    sluice_free(&allocator, self, sizeof(*self));
    stream->release = NULL;
    sluice_exchange_unref(exchange);
}

sluice_status sluice_exchange_export_stream(sluice_exchange *exchange, uint32_t output,
                                            struct ArrowArrayStream *out, sluice_error *error)
{
    out->release = NULL;
    if (output >= exchange->output_count)
        return sluice_fail(error, SLUICE_INVALID, "output %u: there are only %u", output,
                           exchange->output_count);
    output_stream *stream = sluice_allocate_zeroed(&exchange->allocator, 1, sizeof(*stream));
    if (stream == NULL)
        return sluice_fail_allocation(error, sizeof(*stream), "a stream");
    stream->exchange = exchange;
    stream->output = output;
    atomic_fetch_add_explicit(&exchange->owners, 1, memory_order_relaxed);
    *out = (struct ArrowArrayStream){
        .get_schema = get_schema,
        .get_next = get_next,
        .get_last_error = get_last_error,
        .release = release_stream,
        .private_data = stream,
    };
    return SLUICE_OK;
}

/* One thread of sluice_exchange_run(). */
typedef struct input_run {
    sluice_exchange *exchange;
    struct ArrowArrayStream *stream;
    uint32_t input;
    bool has_thread;
    sluice_thread thread;
} input_run;

/* The same types at every depth; names and metadata may differ. */
static bool fields_match(const sluice_field *left, const sluice_field *right)
{
    if (strcmp(left->format, right->format) != 0 || left->child_count != right->child_count ||
        (left->dictionary == NULL) != (right->dictionary == NULL))
        return false;
    for (size_t child = 0; child < left->child_count; child++) {
        if (!fields_match(&left->children[child], &right->children[child]))
            return false;
    }
    return left->dictionary == NULL || fields_match(left->dictionary, right->dictionary);
}

/* What a stream will give must be what the exchange was made for. */
static sluice_status check_stream(const input_run *run, sluice_error *error)
{
    const sluice_exchange *exchange = run->exchange;
    struct ArrowSchema given;
    sluice_schema *schema;

    SLUICE_TRY(sluice_stream_get_schema(run->stream, &given, error));
    sluice_status status = sluice_schema_import(&given, &exchange->allocator, &schema, error);
    given.release(&given);
    SLUICE_TRY(status);
    if (!fields_match(sluice_schema_root(schema), sluice_schema_root(exchange->source_schema)))
        status = sluice_fail(error, SLUICE_INVALID,
                             "input %u: the stream has another schema than the exchange",
                             run->input);
    sluice_schema_unref(schema);
    return status;
}

/* Push everything a stream gives.  CLOSED when no output wants more. */
static sluice_status push_stream(const input_run *run, sluice_error *error)
{
    SLUICE_TRY(check_stream(run, error));
    for (;;) {
        struct ArrowArray batch;

        SLUICE_TRY(sluice_stream_next(run->stream, &batch, error));
        if (batch.release == NULL)
            return SLUICE_OK;
        const sluice_status status =
            sluice_exchange_push(run->exchange, run->input, &batch, error);
        if (batch.release != NULL)
            batch.release(&batch);
        SLUICE_TRY(status);
    }
}

static void run_input(void *argument)
{
    const input_run *run = argument;
    sluice_error failure = {0};
    sluice_status status = push_stream(run, &failure);

    if (status == SLUICE_OK || status == SLUICE_CLOSED)
        status = sluice_exchange_finish(run->exchange, run->input, &failure);
    if (status != SLUICE_OK)
        (void)sluice_exchange_poison(run->exchange, status, &failure, NULL);
    run->stream->release(run->stream);
}

static void run_all(sluice_exchange *exchange, input_run *runs, struct ArrowArrayStream *streams,
                    uint32_t stream_count)
{
    for (uint32_t input = 0; input < stream_count; input++) {
        runs[input] =
            (input_run){.exchange = exchange, .stream = &streams[input], .input = input};
        /* The last input is pushed by the calling thread. */
        if (input + 1 == stream_count) {
            run_input(&runs[input]);
            break;
        }
        runs[input].has_thread = sluice_thread_start(&runs[input].thread, run_input, &runs[input]);
        if (!runs[input].has_thread) {
            sluice_exchange_fail(exchange, SLUICE_OUT_OF_MEMORY,
                                 "the system cannot start another thread");
            streams[input].release(&streams[input]);
        }
    }
    for (uint32_t input = 0; input < stream_count; input++) {
        if (runs[input].has_thread)
            sluice_thread_join(&runs[input].thread);
    }
}

static void release_streams(struct ArrowArrayStream *streams, uint32_t stream_count)
{
    for (uint32_t stream = 0; stream < stream_count; stream++) {
        if (streams[stream].release != NULL)
            streams[stream].release(&streams[stream]);
    }
}

sluice_status sluice_exchange_run(sluice_exchange *exchange, struct ArrowArrayStream *streams,
                                  uint32_t stream_count, sluice_error *error)
{
    if (stream_count != exchange->options.input_count) {
        release_streams(streams, stream_count);
        return sluice_fail(error, SLUICE_INVALID, "%u streams for %u inputs", stream_count,
                           exchange->options.input_count);
    }
    input_run *runs = sluice_allocate_zeroed(&exchange->allocator, stream_count, sizeof(*runs));
    if (runs == NULL) {
        release_streams(streams, stream_count);
        return sluice_fail_allocation(error, stream_count * sizeof(*runs), "threads");
    }
    run_all(exchange, runs, streams, stream_count);
    sluice_free(&exchange->allocator, runs, stream_count * sizeof(*runs));
    return sluice_exchange_check(exchange, error);
}
