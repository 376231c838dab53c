/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/tables.h - the tables that are measured, in memory
 */
#ifndef BENCH_TABLES_H
#define BENCH_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "sluice/arrow_abi.h"

enum { BENCH_BATCH_ROWS = 8192 };

/* Batches of BENCH_BATCH_ROWS distinct rows.  Batches are lent out: their release does nothing. */
typedef struct bench_table {
    const char *name;
    const char *key; /* The column that is hashed. */
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    size_t batch_count;
    uint64_t payload_bytes; /* Values, offsets and validity, counted once. */
} bench_table;

/*
 * Make "8xint64", "1xint64", "mixed" (4 int64, 2 utf8 of 8 to 24 bytes, a double of which a tenth
 * is null) or "lineitem" (TPC-H's 16 columns by their types and lengths), of at least bytes bytes.
 * Ends the program when there is no such table or no memory.
 */
void bench_table_make(const char *name, uint64_t bytes, bench_table *out);

void bench_table_free(bench_table *table);

/* Another reader's copy of a batch, to be pushed. */
void bench_table_lend(const bench_table *table, size_t batch, struct ArrowArray *out);

#endif /* BENCH_TABLES_H */
