/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/demo_table.c - see cli/demo_table.h
 */
#include "demo_table.h"

#include <string.h>

#include "memory.h"
#include "progress.h"
#include "schema.h"

enum { BATCH_ROWS = 65536, COLUMN_COUNT = 5, CUSTOMER_COUNT = 150000 };

static const char *const column_names[COLUMN_COUNT] = {"order_id", "customer", "day", "status",
                                                       "amount"};
static const char *const column_formats[COLUMN_COUNT] = {"l", "l", "tdD", "u", "g"};
static const char *const status_names[] = {"open", "paid", "shipped", "returned"};

/* One batch: everything in one piece of memory per column. */
typedef struct demo_batch {
    struct ArrowArray columns[COLUMN_COUNT];
    struct ArrowArray *children[COLUMN_COUNT];
    const void *buffers[COLUMN_COUNT][3];
    const void *no_buffers[1];
    int64_t order_ids[BATCH_ROWS];
    int64_t customers[BATCH_ROWS];
    int32_t days[BATCH_ROWS];
    int32_t status_offsets[BATCH_ROWS + 1];
    double amounts[BATCH_ROWS];
    char status_bytes[BATCH_ROWS * 8];
} demo_batch;

/* Columns live in the batch and are released with it. */
static void release_column(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
    cli_free(array->private_data);
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

/* SplitMix64: the same numbers for the same row everywhere. */
static uint64_t random_of(uint64_t row)
{
    uint64_t z = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* One order in 30 is of one of three customers; the others are spread evenly. */
static int64_t customer_of(uint64_t random)
{
    return (int64_t)(random >> 32) % (random % 30 == 0 ? 3 : CUSTOMER_COUNT);
}

static void fill_rows(demo_batch *batch, uint64_t first, size_t count)
{
    int32_t end = 0;
    batch->status_offsets[0] = 0;
    for (size_t row = 0; row < count; row++) {
        const uint64_t random = random_of(first + row);
        const char *const status = status_names[(random >> 8) % 4];
        const size_t bytes = strlen(status);
        batch->order_ids[row] = (int64_t)(first + row);
        batch->customers[row] = customer_of(random);
        batch->days[row] = 20000 + (int32_t)((first + row) / 4096 % 730);
        batch->amounts[row] = (double)((random >> 16) % 1000000) / 100;
        memcpy(batch->status_bytes + end, status, bytes);
        end += (int32_t)bytes;
        batch->status_offsets[row + 1] = end;
    }
}

static struct ArrowArray make_batch(uint64_t first, size_t count)
{
    demo_batch *const batch = cli_allocate(sizeof *batch);
    fill_rows(batch, first, count);
    const void *const values[COLUMN_COUNT] = {batch->order_ids, batch->customers, batch->days,
                                              batch->status_offsets, batch->amounts};
    for (size_t column = 0; column < COLUMN_COUNT; column++) {
        batch->buffers[column][0] = NULL;
        batch->buffers[column][1] = values[column];
        batch->buffers[column][2] = batch->status_bytes;
        batch->columns[column] = (struct ArrowArray){
            .length = (int64_t)count,
            .n_buffers = column_formats[column][0] == 'u' ? 3 : 2,
            .buffers = batch->buffers[column],
            .release = release_column,
        };
        batch->children[column] = &batch->columns[column];
    }
    batch->no_buffers[0] = NULL;
    return (struct ArrowArray){
        .length = (int64_t)count,
        .n_buffers = 1,
        .buffers = batch->no_buffers,
        .n_children = COLUMN_COUNT,
        .children = batch->children,
        .release = release_batch,
        .private_data = batch,
    };
}

sluice_status cli_demo_write(const char *path, uint64_t rows, sluice_error *error)
{
    struct ArrowSchema columns[COLUMN_COUNT];
    struct ArrowSchema *children[COLUMN_COUNT];
    struct ArrowSchema schema = {.format = "+s", .name = "", .n_children = COLUMN_COUNT,
                                 .children = children, .release = release_schema};
    for (size_t column = 0; column < COLUMN_COUNT; column++) {
        columns[column] = (struct ArrowSchema){.format = column_formats[column],
                                               .name = column_names[column],
                                               .release = release_schema};
        children[column] = &columns[column];
    }
    const char *const keys[] = {CLI_DEMO_KEY};
    const char *const values[] = {"1"};
    const sluice_sink_options options = {.size = sizeof options,
                                         .format = SLUICE_FORMAT_PARQUET,
                                         .row_group_rows = 8 * BATCH_ROWS,
                                         .metadata_keys = keys,
                                         .metadata_values = values,
                                         .metadata_count = 1};
    sluice_sink *sink = NULL;
    sluice_status status = sluice_sink_new(path, &schema, &options, &sink, error);
    for (uint64_t row = 0; row < rows && status == SLUICE_OK; row += BATCH_ROWS) {
        const uint64_t left = rows - row;
        struct ArrowArray batch = make_batch(row, left < BATCH_ROWS ? (size_t)left : BATCH_ROWS);
        cli_progress_add((uint64_t)batch.length, (uint64_t)batch.length);
        status = sluice_sink_write(sink, &batch, error);
    }
    if (status == SLUICE_OK)
        status = sluice_sink_finish(sink, NULL, error);
    sluice_sink_free(sink);
    return status;
}
