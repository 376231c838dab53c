/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/tables.c - the tables that are measured, in memory
 *
 * Keys come from a splitmix64 sequence, so they are distinct and look random; other values are
 * derived from them.  Every buffer is a mapping of huge pages that has been written, so no page is
 * touched for the first time while the clock runs.
 */
#include "tables.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COLUMNS_MAX = 16, BUFFERS_MAX = 3, HUGE_PAGE_BYTES = 2 << 20 };

typedef struct column_kind {
    const char *name;
    const char *format;
    int width;               /* Bytes of a value; 0: a string of ... */
    int bytes_min, bytes_max; /* ... so many bytes. */
    int null_percent;
} column_kind;

typedef struct table_kind {
    const char *name;
    const char *key;
    int column_count;
    column_kind columns[COLUMNS_MAX];
} table_kind;

static const table_kind kinds[] = {
    {"8xint64", "c0", 8,
     {{"c0", "l", 8, 0, 0, 0}, {"c1", "l", 8, 0, 0, 0}, {"c2", "l", 8, 0, 0, 0},
      {"c3", "l", 8, 0, 0, 0}, {"c4", "l", 8, 0, 0, 0}, {"c5", "l", 8, 0, 0, 0},
      {"c6", "l", 8, 0, 0, 0}, {"c7", "l", 8, 0, 0, 0}}},
    {"1xint64", "c0", 1, {{"c0", "l", 8, 0, 0, 0}}},
    {"mixed", "c0", 7,
     {{"c0", "l", 8, 0, 0, 0}, {"c1", "l", 8, 0, 0, 0}, {"c2", "l", 8, 0, 0, 0},
      {"c3", "l", 8, 0, 0, 0}, {"s0", "u", 0, 8, 24, 0}, {"s1", "u", 0, 8, 24, 0},
      {"d0", "g", 8, 0, 0, 10}}},
    {"lineitem", "l_orderkey", 16,
     {{"l_orderkey", "l", 8, 0, 0, 0}, {"l_partkey", "l", 8, 0, 0, 0},
      {"l_suppkey", "l", 8, 0, 0, 0}, {"l_linenumber", "i", 4, 0, 0, 0},
      {"l_quantity", "d:15,2", 16, 0, 0, 0}, {"l_extendedprice", "d:15,2", 16, 0, 0, 0},
      {"l_discount", "d:15,2", 16, 0, 0, 0}, {"l_tax", "d:15,2", 16, 0, 0, 0},
      {"l_returnflag", "u", 0, 1, 1, 0}, {"l_linestatus", "u", 0, 1, 1, 0},
      {"l_shipdate", "tdD", 4, 0, 0, 0}, {"l_commitdate", "tdD", 4, 0, 0, 0},
      {"l_receiptdate", "tdD", 4, 0, 0, 0}, {"l_shipinstruct", "u", 0, 4, 17, 0},
      {"l_shipmode", "u", 0, 3, 7, 0}, {"l_comment", "u", 0, 10, 43, 0}}},
};

/* Buffers are cut from mappings like this one. */
typedef struct arena {
    uint8_t *next;
    size_t left;
} arena;

static arena memory;

static void *take(size_t bytes)
{
    const size_t rounded = (bytes + 63) & ~(size_t)63;

    if (memory.left < rounded) {
        const size_t wanted = rounded > (64u << 20) ? rounded : 64u << 20;
        uint8_t *mapped = mmap(NULL, wanted + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (mapped == MAP_FAILED) {
            fprintf(stderr, "no memory for the table\n");
            exit(EXIT_FAILURE);
        }
        memory.next = (uint8_t *)(((uintptr_t)mapped + HUGE_PAGE_BYTES - 1) &
                                  ~(uintptr_t)(HUGE_PAGE_BYTES - 1));
        memory.left = wanted;
        madvise(memory.next, wanted, MADV_HUGEPAGE);
    }
    void *taken = memory.next;

    memory.next += rounded;
    memory.left -= rounded;
    return taken;
}

static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static void release_nothing(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_no_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static uint64_t fill_fixed(const column_kind *kind, uint64_t first_row, uint64_t salt,
                           const void **buffers)
{
    const size_t bytes = (size_t)kind->width * BENCH_BATCH_ROWS;
    uint8_t *values = take(bytes);

    for (uint64_t row = 0; row < BENCH_BATCH_ROWS; row++) {
        /* Decimals are small positive numbers: only their low half is drawn. */
        const uint64_t value = mix(first_row + row + (salt << 40));
        const uint64_t wide[2] = {kind->width == 16 ? value >> 40 : value, 0};

        memcpy(values + row * (size_t)kind->width, wide, (size_t)kind->width);
    }
    buffers[1] = values;
    return bytes;
}

static uint64_t fill_string(const column_kind *kind, uint64_t first_row, uint64_t salt,
                            const void **buffers)
{
    int32_t *offsets = take((BENCH_BATCH_ROWS + 1) * sizeof(int32_t));
    uint8_t *bytes = take((size_t)kind->bytes_max * BENCH_BATCH_ROWS + 64);
    int32_t end = 0;

    offsets[0] = 0;
    for (uint64_t row = 0; row < BENCH_BATCH_ROWS; row++) {
        uint64_t drawn = mix(first_row + row + (salt << 40));
        const int span = kind->bytes_max - kind->bytes_min + 1;
        const int length = kind->bytes_min + (int)(drawn % (uint64_t)span);

        for (int byte = 0; byte < length; byte++) {
            bytes[end++] = (uint8_t)('a' + drawn % 23);
            drawn = (drawn >> 5) | (drawn << 59);
        }
        offsets[row + 1] = end;
    }
    buffers[1] = offsets;
    buffers[2] = bytes;
    return (uint64_t)end + BENCH_BATCH_ROWS * sizeof(int32_t);
}

static int64_t fill_validity(const column_kind *kind, uint64_t first_row, const void **buffers)
{
    uint8_t *bits = take(BENCH_BATCH_ROWS / 8);
    int64_t nulls = 0;

    memset(bits, 0xff, BENCH_BATCH_ROWS / 8);
    for (uint64_t row = 0; row < BENCH_BATCH_ROWS; row++) {
        if (mix(first_row + row) % 100 >= (uint64_t)kind->null_percent)
            continue;
        bits[row / 8] = (uint8_t)(bits[row / 8] & ~(1u << (row % 8)));
        nulls++;
    }
    buffers[0] = bits;
    return nulls;
}

static uint64_t make_column(const column_kind *kind, uint64_t first_row, uint64_t salt,
                            struct ArrowArray *out)
{
    const void **buffers = take(BUFFERS_MAX * sizeof(*buffers));
    uint64_t bytes;

    memset(buffers, 0, BUFFERS_MAX * sizeof(*buffers));
    if (kind->width > 0)
        bytes = fill_fixed(kind, first_row, salt, buffers);
    else
        bytes = fill_string(kind, first_row, salt, buffers);
    *out = (struct ArrowArray){
        .length = BENCH_BATCH_ROWS,
        .n_buffers = kind->width > 0 ? 2 : 3,
        .buffers = buffers,
        .release = release_nothing,
    };
    if (kind->null_percent > 0) {
        out->null_count = fill_validity(kind, first_row, buffers);
        bytes += BENCH_BATCH_ROWS / 8;
    }
    return bytes;
}

static uint64_t make_batch(const table_kind *kind, uint64_t first_row, struct ArrowArray *out)
{
    const void **buffers = take(sizeof(*buffers));
    struct ArrowArray **children = take((size_t)kind->column_count * sizeof(*children));
    uint64_t bytes = 0;

    buffers[0] = NULL;
    for (int column = 0; column < kind->column_count; column++) {
        children[column] = take(sizeof(**children));
        bytes += make_column(&kind->columns[column], first_row, (uint64_t)column,
                             children[column]);
    }
    *out = (struct ArrowArray){
        .length = BENCH_BATCH_ROWS,
        .n_buffers = 1,
        .n_children = kind->column_count,
        .buffers = buffers,
        .children = children,
        .release = release_nothing,
    };
    return bytes;
}

static void make_schema(const table_kind *kind, struct ArrowSchema *out)
{
    struct ArrowSchema **children = take((size_t)kind->column_count * sizeof(*children));

    for (int column = 0; column < kind->column_count; column++) {
        children[column] = take(sizeof(**children));
        *children[column] = (struct ArrowSchema){
            .format = kind->columns[column].format,
            .name = kind->columns[column].name,
            .flags = kind->columns[column].null_percent > 0 ? ARROW_FLAG_NULLABLE : 0,
            .release = release_no_schema,
        };
    }
    *out = (struct ArrowSchema){
        .format = "+s",
        .name = "",
        .n_children = kind->column_count,
        .children = children,
        .release = release_no_schema,
    };
}

void bench_table_make(const char *name, uint64_t bytes, bench_table *out)
{
    const table_kind *kind = NULL;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            kind = &kinds[i];
    }
    if (kind == NULL) {
        fprintf(stderr, "no table %s\n", name);
        exit(2);
    }
    *out = (bench_table){.name = kind->name, .key = kind->key};
    make_schema(kind, &out->schema);
    size_t capacity = 0;

    while (out->payload_bytes < bytes) {
        if (out->batch_count == capacity) {
            capacity = capacity == 0 ? 256 : capacity * 2;
            out->batches = realloc(out->batches, capacity * sizeof(*out->batches));
            if (out->batches == NULL)
                exit(EXIT_FAILURE);
        }
        out->payload_bytes += make_batch(kind, (uint64_t)out->batch_count * BENCH_BATCH_ROWS,
                                         &out->batches[out->batch_count]);
        out->batch_count++;
    }
}

void bench_table_free(bench_table *table)
{
    /* The mappings end with the program. */
    free(table->batches);
    table->batches = NULL;
}

void bench_table_lend(const bench_table *table, size_t batch, struct ArrowArray *out)
{
    *out = table->batches[batch];
    out->release = release_nothing;
    for (int64_t column = 0; column < out->n_children; column++)
        out->children[column]->release = release_nothing;
}
