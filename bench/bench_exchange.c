/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_exchange.c - a whole exchange beside memcpy, as JSON lines
 *
 *     bench_exchange [--table NAME] [--outputs M] [--inputs N] [--runs R] [--mib SIZE]
 *
 * Each input is a thread that pushes its share of the table and then takes whatever batches are
 * ready and releases them.  memcpy moves the same bytes in pieces of 64 KiB with the same number
 * of threads.  The two take turns; medians and the median of the ratios run by run are printed.
 * Source pages are touched before, and a first run that does not count touches those of the
 * output batches, which later exchanges get again.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sluice/sluice.h"
#include "tables.h"

enum { THREADS_MAX = 16, RUNS_MAX = 101, PIECE_BYTES = 64 << 10 };

typedef struct bench_case {
    const bench_table *table;
    const char *scheme; /* hash or round-robin */
    uint32_t outputs;
    uint32_t inputs;
} bench_case;

typedef struct worker {
    const bench_case *measured;
    sluice_exchange *exchange;
    uint32_t index;
    uint8_t *target; /* memcpy only. */
    const uint8_t *source;
    size_t bytes;
    uint64_t rows_pulled;
} worker;

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void must(sluice_status status, const sluice_error *error)
{
    if (status == SLUICE_OK)
        return;
    fprintf(stderr, "bench_exchange: %s\n", error->message);
    exit(EXIT_FAILURE);
}

/* Take and release what is ready; false when everything has ended. */
static bool drain(worker *self, bool may_wait)
{
    uint32_t output = SLUICE_NO_OUTPUT;
    sluice_error error;

    for (;;) {
        struct ArrowArray batch;
        const sluice_status status =
            may_wait ? sluice_exchange_pull_any(self->exchange, &output, &batch, &error)
                     : sluice_exchange_try_pull_any(self->exchange, &output, &batch, &error);

        if (status == SLUICE_WOULD_BLOCK)
            return true;
        must(status, &error);
        if (output == SLUICE_NO_OUTPUT)
            return false;
        if (batch.release == NULL)
            continue;
        self->rows_pulled += (uint64_t)batch.length;
        batch.release(&batch);
    }
}

static void *exchange_rows(void *argument)
{
    worker *self = argument;
    const bench_table *table = self->measured->table;
    sluice_error error;

    for (size_t index = self->index; index < table->batch_count; index += self->measured->inputs) {
        struct ArrowArray batch;

        bench_table_lend(table, index, &batch);
        for (;;) {
            const sluice_status status =
                sluice_exchange_try_push(self->exchange, self->index, &batch, &error);

            if (status != SLUICE_WOULD_BLOCK) {
                must(status, &error);
                break;
            }
            drain(self, false);
        }
        drain(self, false);
    }
    must(sluice_exchange_finish(self->exchange, self->index, &error), &error);
    drain(self, true);
    return NULL;
}

static void *copy_bytes(void *argument)
{
    worker *self = argument;

    for (size_t first = 0; first < self->bytes; first += PIECE_BYTES) {
        const size_t left = self->bytes - first;

        memcpy(self->target + first, self->source + first,
               left < PIECE_BYTES ? left : PIECE_BYTES);
    }
    return NULL;
}

static double run_threads(worker *workers, uint32_t count, void *(*work)(void *))
{
    pthread_t threads[THREADS_MAX];
    const double start = now_seconds();

    if (count == 1) {
        work(&workers[0]);
        return now_seconds() - start;
    }
    for (uint32_t index = 0; index < count; index++) {
        if (pthread_create(&threads[index], NULL, work, &workers[index]) != 0)
            exit(EXIT_FAILURE);
    }
    for (uint32_t index = 0; index < count; index++)
        pthread_join(threads[index], NULL);
    return now_seconds() - start;
}

static sluice_partitioning *make_partitioning(const bench_case *measured)
{
    sluice_partitioning *partitioning;
    sluice_error error;
    const char *keys[] = {measured->table->key};

    if (strcmp(measured->scheme, "hash") == 0)
        must(sluice_partitioning_new_hash(keys, 1, measured->outputs, SLUICE_HASH_SLUICE1,
                                          &partitioning, &error),
             &error);
    else
        must(sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES,
                                                 measured->outputs, &partitioning, &error),
             &error);
    return partitioning;
}

/* What all exchanges of a table use, so that output pages are touched once. */
static sluice_memory *memory;

static double run_exchange(const bench_case *measured)
{
    worker workers[THREADS_MAX] = {0};
    sluice_partitioning *partitioning = make_partitioning(measured);
    const sluice_exchange_options options = {.size = sizeof(options),
                                             .input_count = measured->inputs,
                                             .memory = memory};
    sluice_exchange *exchange;
    sluice_error error;
    uint64_t rows = 0;

    must(sluice_exchange_new(&measured->table->schema, partitioning, &options, &exchange, &error),
         &error);
    for (uint32_t index = 0; index < measured->inputs; index++)
        workers[index] = (worker){.measured = measured, .exchange = exchange, .index = index};
    const double seconds = run_threads(workers, measured->inputs, exchange_rows);

    for (uint32_t index = 0; index < measured->inputs; index++)
        rows += workers[index].rows_pulled;
    if (rows != (uint64_t)measured->table->batch_count * BENCH_BATCH_ROWS) {
        fprintf(stderr, "bench_exchange: rows were lost\n");
        exit(EXIT_FAILURE);
    }
    sluice_exchange_free(exchange);
    sluice_partitioning_free(partitioning);
    return seconds;
}

/* Two areas as large as the table, touched. */
static uint8_t *areas[2];

static double run_copy(const bench_case *measured)
{
    worker workers[THREADS_MAX] = {0};
    const size_t share = (size_t)measured->table->payload_bytes / measured->inputs;

    for (uint32_t index = 0; index < measured->inputs; index++)
        workers[index] = (worker){.target = areas[0] + share * index,
                                  .source = areas[1] + share * index,
                                  .bytes = share};
    return run_threads(workers, measured->inputs, copy_bytes);
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

static void measure(const bench_case *measured, int runs)
{
    double exchange_seconds[RUNS_MAX], copy_seconds[RUNS_MAX], ratios[RUNS_MAX];
    const double gigabytes = (double)measured->table->payload_bytes * 1e-9;
    const double rows = (double)measured->table->batch_count * BENCH_BATCH_ROWS;

    run_exchange(measured);
    for (int run = 0; run < runs; run++) {
        copy_seconds[run] = run_copy(measured);
        exchange_seconds[run] = run_exchange(measured);
        ratios[run] = copy_seconds[run] / exchange_seconds[run];
    }
    const double seconds = median(exchange_seconds, runs);

    printf("{\"bench\":\"exchange\",\"table\":\"%s\",\"scheme\":\"%s\",\"outputs\":%u,"
           "\"inputs\":%u,\"threads\":%u,\"gbps\":%.3f,\"ns_per_row\":%.3f,"
           "\"memcpy_gbps\":%.3f,\"ratio\":%.3f,\"runs\":%d}\n",
           measured->table->name, measured->scheme, measured->outputs, measured->inputs,
           measured->inputs, gigabytes / seconds, seconds / rows * 1e9,
           gigabytes / median(copy_seconds, runs), median(ratios, runs), runs);
    fflush(stdout);
}

typedef struct arguments {
    const char *table;
    uint32_t outputs; /* 0: all that are measured. */
    uint32_t inputs;
    int runs;
    uint64_t bytes;
} arguments;

static arguments read_arguments(int argc, char **argv)
{
    arguments read = {.runs = 7, .bytes = UINT64_C(512) << 20};

    for (int i = 1; i + 1 < argc; i += 2) {
        const long number = strtol(argv[i + 1], NULL, 10);

        if (strcmp(argv[i], "--table") == 0)
            read.table = argv[i + 1];
        else if (strcmp(argv[i], "--outputs") == 0)
            read.outputs = (uint32_t)number;
        else if (strcmp(argv[i], "--inputs") == 0)
            read.inputs = (uint32_t)number;
        else if (strcmp(argv[i], "--runs") == 0)
            read.runs = number > 0 && number < RUNS_MAX ? (int)number : 7;
        else if (strcmp(argv[i], "--mib") == 0)
            read.bytes = (uint64_t)number << 20;
        else
            exit(2);
    }
    if (read.inputs > THREADS_MAX)
        exit(2);
    return read;
}

static void measure_table(const char *name, const arguments *given)
{
    static const uint32_t outputs[] = {1, 16, 64, 256, 1024, 4096};
    bench_table table;

    sluice_error error;

    must(sluice_memory_new(0, NULL, &memory, &error), &error);
    bench_table_make(name, given->bytes, &table);
    for (int area = 0; area < 2; area++) {
        areas[area] = aligned_alloc(2 << 20, ((size_t)table.payload_bytes | ((2 << 20) - 1)) + 1);
        if (areas[area] == NULL)
            exit(EXIT_FAILURE);
        memset(areas[area], area + 1, (size_t)table.payload_bytes);
    }
    for (uint32_t inputs = 1; inputs <= 2; inputs++) {
        for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
            const bench_case measured = {
                .table = &table, .scheme = "hash", .outputs = outputs[i], .inputs = inputs};

            if ((given->outputs == 0 || given->outputs == outputs[i]) &&
                (given->inputs == 0 || given->inputs == inputs))
                measure(&measured, given->runs);
        }
    }
    sluice_memory_free(memory);
    free(areas[0]);
    free(areas[1]);
    bench_table_free(&table);
}

int main(int argc, char **argv)
{
    static const char *const tables[] = {"8xint64", "1xint64", "mixed", "lineitem"};
    const arguments given = read_arguments(argc, argv);

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        if (given.table == NULL || strcmp(given.table, tables[i]) == 0)
            measure_table(tables[i], &given);
    }
    return EXIT_SUCCESS;
}
