/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exchange_threads.c - an exchange driven from many threads at once
 *
 * Every input pushes rows (id, input, sequence) on a thread of its own, every consumer takes
 * whichever batch comes next.  Afterwards each row must have arrived once, at the output that its
 * id names, and rows of one input must have kept their order within an output.  Meant for
 * ThreadSanitizer; it runs without it too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "sluice/exchange.h"
#include "support/arrays.h"

enum { INPUTS_MAX = 16, OUTPUTS_MAX = 512, BATCH_ROWS = 500, BATCHES = 24 };

typedef struct stress {
    sluice_exchange *exchange;
    struct ArrowSchema schema;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t closed_output; /* Closed by its consumer on the way; OUTPUTS_MAX: none. */
    /* Per output and input: the next sequence number must be above this. */
    int64_t last[OUTPUTS_MAX][INPUTS_MAX];
    int64_t rows[OUTPUTS_MAX];
} stress;

typedef struct input_thread {
    stress *stress;
    uint32_t input;
} input_thread;

static void must(sluice_status status, const sluice_error *error)
{
    if (status != SLUICE_OK) {
        fprintf(stderr, "%s\n", error->message);
        abort();
    }
}

/* A batch of rows whose ids are drawn at random, with a string so that batches grow. */
static void make_batch(const stress *self, uint32_t input, int64_t first, uint64_t *random,
                       struct ArrowArray *out)
{
    char *json = malloc(BATCH_ROWS * 64 + 16);
    size_t length = 0;

    json[length++] = '[';
    for (int64_t row = 0; row < BATCH_ROWS; row++) {
        const uint32_t id = (uint32_t)(test_random_next(random) % self->output_count);

        length += (size_t)snprintf(json + length, 64, "%s[%u,%u,%lld,%s]", row == 0 ? "" : ",", id,
                                   input, (long long)(first + row),
                                   row % 5 == 0 ? "null" : "\"some text of a row\"");
    }
    json[length++] = ']';
    json[length] = '\0';
    test_batch(&self->schema, json, out);
    free(json);
}

static void push_rows(void *argument)
{
    const input_thread *self = argument;
    uint64_t random = self->input + 1;
    sluice_error error = {0};

    for (int64_t batch = 0; batch < BATCHES; batch++) {
        struct ArrowArray array;

        make_batch(self->stress, self->input, batch * BATCH_ROWS, &random, &array);
        must(sluice_exchange_push(self->stress->exchange, self->input, &array, &error), &error);
    }
    must(sluice_exchange_finish(self->stress->exchange, self->input, &error), &error);
}

static void check_batch(stress *self, uint32_t output, const struct ArrowArray *batch)
{
    const int32_t *ids =
        (const int32_t *)batch->children[0]->buffers[1] + batch->children[0]->offset;
    const int32_t *inputs =
        (const int32_t *)batch->children[1]->buffers[1] + batch->children[1]->offset;
    const int64_t *sequences =
        (const int64_t *)batch->children[2]->buffers[1] + batch->children[2]->offset;

    test_require(batch->length > 0, "a batch without rows came out");
    for (int64_t row = 0; row < batch->length; row++) {
        int64_t *last = &self->last[output][inputs[row]];

        test_require(ids[row] == (int32_t)output, "a row came out of another output");
        test_require(sequences[row] > *last, "rows of one input changed their order");
        *last = sequences[row];
    }
    self->rows[output] += batch->length;
}

static void pull_rows(void *argument)
{
    stress *self = argument;
    uint32_t output = SLUICE_NO_OUTPUT;
    sluice_error error = {0};

    for (;;) {
        struct ArrowArray batch;

        must(sluice_exchange_pull_any(self->exchange, &output, &batch, &error), &error);
        if (output == SLUICE_NO_OUTPUT)
            return;
        if (batch.release == NULL)
            continue;
        check_batch(self, output, &batch);
        batch.release(&batch);
        if (output == self->closed_output && self->rows[output] > 100)
            sluice_exchange_close_output(self->exchange, output);
    }
}

static void run(uint32_t input_count, uint32_t output_count, uint32_t consumer_count,
                uint32_t closed_output)
{
    stress *self = calloc(1, sizeof(*self));
    sluice_thread producers[INPUTS_MAX], consumers[8];
    input_thread arguments[INPUTS_MAX];
    sluice_partitioning *partitioning;
    sluice_error error = {0};
    const sluice_exchange_options options = {
        .size = sizeof(options), .input_count = input_count, .batch_rows_target = 256};

    test_schema("id=i; input=i; sequence=l; text=u", &self->schema);
    self->input_count = input_count;
    self->output_count = output_count;
    self->closed_output = closed_output;
    memset(self->last, 0xff, sizeof(self->last));
    must(sluice_partitioning_new_ids("id", output_count, &partitioning, &error), &error);
    must(sluice_exchange_new(&self->schema, partitioning, &options, &self->exchange, &error),
         &error);
    for (uint32_t input = 0; input < input_count; input++) {
        arguments[input] = (input_thread){.stress = self, .input = input};
        assert_true(sluice_thread_start(&producers[input], push_rows, &arguments[input]));
    }
    for (uint32_t consumer = 0; consumer < consumer_count; consumer++)
        assert_true(sluice_thread_start(&consumers[consumer], pull_rows, self));
    for (uint32_t input = 0; input < input_count; input++)
        sluice_thread_join(&producers[input]);
    for (uint32_t consumer = 0; consumer < consumer_count; consumer++)
        sluice_thread_join(&consumers[consumer]);

    int64_t rows = 0;
    uint64_t dropped = 0;

    for (uint32_t output = 0; output < output_count; output++)
        rows += self->rows[output];
    for (uint32_t input = 0; input < input_count; input++) {
        sluice_input_metrics metrics;

        sluice_exchange_get_input_metrics(self->exchange, input, &metrics);
        dropped += metrics.rows_dropped;
    }
    if (closed_output == OUTPUTS_MAX)
        assert_int_equal(dropped, 0);
    if (closed_output == OUTPUTS_MAX)
        assert_int_equal(rows, (int64_t)input_count * BATCHES * BATCH_ROWS);
    else
        assert_true(rows <= (int64_t)input_count * BATCHES * BATCH_ROWS);
    sluice_exchange_free(self->exchange);
    sluice_partitioning_free(partitioning);
    self->schema.release(&self->schema);
    free(self);
}

static void one_input_one_output(void **state)
{
    (void)state;
    run(1, 1, 1, OUTPUTS_MAX);
}

static void few_inputs_many_outputs(void **state)
{
    (void)state;
    run(2, OUTPUTS_MAX, 2, OUTPUTS_MAX);
}

static void many_inputs_few_outputs(void **state)
{
    (void)state;
    run(INPUTS_MAX, 3, 4, OUTPUTS_MAX);
}

static void many_of_both(void **state)
{
    (void)state;
    run(INPUTS_MAX, 64, 8, OUTPUTS_MAX);
}

static void an_output_closes_on_the_way(void **state)
{
    (void)state;
    run(4, 5, 3, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_input_one_output),
        cmocka_unit_test(few_inputs_many_outputs),
        cmocka_unit_test(many_inputs_few_outputs),
        cmocka_unit_test(many_of_both),
        cmocka_unit_test(an_output_closes_on_the_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
