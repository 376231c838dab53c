/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/row_hash.h - the sluice1 hash of some columns of a batch, row by row
 *
 * A row hasher is made for a schema and a list of its columns, and then used on one batch after
 * the other, by one thread.  The canonical values of a column do not depend on the seed: they are
 * computed once and can be folded into two hashes with different seeds.
 *
 *     sluice_row_hasher_begin()   for each batch or slice
 *     sluice_row_hasher_block()   for each block of it
 */
#ifndef SLUICE_ROUTE_ROW_HASH_H
#define SLUICE_ROUTE_ROW_HASH_H

#include "route/canonical.h"

enum { SLUICE_ROW_HASH_SEEDS_MAX = 2 };

typedef struct sluice_row_hasher sluice_row_hasher;

/*
 * Hash the columns of schema's root whose indices are given, in that order; NULL for all.  The
 * schema is borrowed, the indices are copied.
 */
sluice_status sluice_row_hasher_new(const sluice_schema *schema, const size_t *columns,
                                    size_t column_count, const sluice_kernels *kernels,
                                    const sluice_allocator *allocator, sluice_row_hasher **out,
                                    sluice_error *error);

/* The next blocks come from other data. */
void sluice_row_hasher_begin(sluice_row_hasher *hasher);

/*
 * Fold row_count rows, at most SLUICE_CANONICAL_BLOCK_ROWS, from row first of root on into
 * hashes[0] and, when hash_count is 2, into hashes[1].  They begin as the seeds.
 */
void sluice_row_hasher_block(sluice_row_hasher *hasher, const sluice_column *root, int64_t first,
                             size_t row_count, size_t hash_count,
                             uint64_t *const hashes[SLUICE_ROW_HASH_SEEDS_MAX]);

/* NULL is allowed. */
void sluice_row_hasher_free(sluice_row_hasher *hasher);

#endif /* SLUICE_ROUTE_ROW_HASH_H */
