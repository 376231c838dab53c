/* SPDX-License-Identifier: Apache-2.0 */
/*
 * examples/repartition.c - a stream of batches in, four streams of equal keys out
 *
 * A table of sales (customer: int64, amount: float64) arrives as an ArrowArrayStream.  Rows of one
 * customer shall meet, so that four workers could each add up their own customers without talking
 * to each other.  One thread drives the input, this one pulls whatever output has a batch.
 *
 *     cc repartition.c $(pkg-config --cflags --libs sluice) -lpthread
 */
#include <sluice/sluice.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUTS = 4, BATCHES = 50, BATCH_ROWS = 20000, CUSTOMERS = 1000 };

/* ---- The table: any producer of the Arrow C Stream interface would do as well. ---- */

/* A batch and everything it points to, in one allocation that its release frees. */
typedef struct sales_batch {
    struct ArrowArray columns[2];
    struct ArrowArray *children[2];
    const void *batch_buffers[1];
    const void *customer_buffers[2];
    const void *amount_buffers[2];
    int64_t customers[BATCH_ROWS];
    double amounts[BATCH_ROWS];
} sales_batch;

static void release_column(struct ArrowArray *column)
{
    column->release = NULL;
}

static void release_batch(struct ArrowArray *batch)
{
    for (int64_t i = 0; i < batch->n_children; i++) {
        if (batch->children[i]->release != NULL)
            batch->children[i]->release(batch->children[i]);
    }
    free(batch->private_data);
    batch->release = NULL;
}

static struct ArrowArray make_column(const void **buffers, const void *values)
{
    buffers[0] = NULL; /* No validity bitmap: nothing is null. */
    buffers[1] = values;
    return (struct ArrowArray){.length = BATCH_ROWS,
                               .n_buffers = 2,
                               .buffers = buffers,
                               .release = release_column};
}

static int make_batch(int64_t batch_index, struct ArrowArray *out)
{
    sales_batch *sales = malloc(sizeof(*sales));

    if (sales == NULL)
        return ENOMEM;
    for (int64_t row = 0; row < BATCH_ROWS; row++) {
        sales->customers[row] = (batch_index * BATCH_ROWS + row) * 7919 % CUSTOMERS;
        sales->amounts[row] = 1.0;
    }
    sales->columns[0] = make_column(sales->customer_buffers, sales->customers);
    sales->columns[1] = make_column(sales->amount_buffers, sales->amounts);
    sales->children[0] = &sales->columns[0];
    sales->children[1] = &sales->columns[1];
    sales->batch_buffers[0] = NULL;
    *out = (struct ArrowArray){.length = BATCH_ROWS,
                               .n_buffers = 1,
                               .n_children = 2,
                               .buffers = sales->batch_buffers,
                               .children = sales->children,
                               .release = release_batch,
                               .private_data = sales};
    return 0;
}

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    static struct ArrowSchema columns[2];
    static struct ArrowSchema *children[2] = {&columns[0], &columns[1]};

    (void)stream;
    columns[0] =
        (struct ArrowSchema){.format = "l", .name = "customer", .release = release_schema};
    columns[1] = (struct ArrowSchema){.format = "g", .name = "amount", .release = release_schema};
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 2, .children = children, .release = release_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    int64_t *batches_made = stream->private_data;

    memset(out, 0, sizeof(*out));
    if (*batches_made == BATCHES)
        return 0; /* A released batch says that there are no more. */
    return make_batch((*batches_made)++, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "no memory for a batch";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

/* ---- The exchange. ---- */

typedef struct producer {
    sluice_exchange *exchange;
    struct ArrowArrayStream stream;
    sluice_status status;
    sluice_error error;
} producer;

/* Push all of the stream.  A failure reaches every output too, so pulling ends in any case. */
static void *produce(void *opaque)
{
    producer *self = opaque;

    self->status = sluice_exchange_run(self->exchange, &self->stream, 1, &self->error);
    return NULL;
}

static sluice_status make_exchange(sluice_exchange **out, sluice_error *error)
{
    const char *keys[] = {"customer"};
    sluice_partitioning *partitioning = NULL;
    struct ArrowSchema schema;
    sluice_status status = sluice_partitioning_new_hash(keys, 1, OUTPUTS, SLUICE_HASH_SLUICE1,
                                                        &partitioning, error);

    if (status != SLUICE_OK)
        return status;
    get_schema(NULL, &schema);
    status = sluice_exchange_new(&schema, partitioning, NULL, out, error);
    schema.release(&schema);
    sluice_partitioning_free(partitioning);
    return status;
}

/* Pull until all outputs have ended, and count what each one gets. */
static sluice_status consume(sluice_exchange *exchange, int64_t *rows, double *sums,
                             sluice_error *error)
{
    uint32_t output = SLUICE_NO_OUTPUT;

    for (;;) {
        struct ArrowArray batch;
        sluice_status status = sluice_exchange_pull_any(exchange, &output, &batch, error);

        if (status != SLUICE_OK)
            return status;
        if (output == SLUICE_NO_OUTPUT)
            return SLUICE_OK;
        if (batch.release == NULL)
            continue; /* This output has ended, others may go on. */

        const struct ArrowArray *column = batch.children[1];
        const double *amounts = (const double *)column->buffers[1] + column->offset;

        for (int64_t row = 0; row < batch.length; row++)
            sums[output] += amounts[row];
        rows[output] += batch.length;
        batch.release(&batch);
    }
}

int main(void)
{
    int64_t batches_made = 0;
    int64_t rows[OUTPUTS] = {0};
    int64_t rows_all = 0;
    double sums[OUTPUTS] = {0};
    sluice_error error;
    pthread_t thread;
    producer self = {.stream = {.get_schema = get_schema,
                                .get_next = get_next,
                                .get_last_error = get_last_error,
                                .release = release_stream,
                                .private_data = &batches_made}};
    sluice_status status = make_exchange(&self.exchange, &error);

    if (status != SLUICE_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    if (pthread_create(&thread, NULL, produce, &self) != 0) {
        fprintf(stderr, "cannot start a thread\n");
        sluice_exchange_free(self.exchange);
        return 1;
    }
    status = consume(self.exchange, rows, sums, &error);
    pthread_join(thread, NULL);
    sluice_exchange_free(self.exchange);
    if (status != SLUICE_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int output = 0; output < OUTPUTS; output++) {
        printf("output %d: %lld rows, sum %.0f\n", output, (long long)rows[output], sums[output]);
        rows_all += rows[output];
    }
    printf("all: %lld rows\n", (long long)rows_all);
    return rows_all == (int64_t)BATCHES * BATCH_ROWS ? 0 : 1;
}
