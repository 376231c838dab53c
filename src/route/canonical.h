/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/canonical.h - one 64-bit number for each value of a column, the same for every form of it
 *
 * The canonical values that docs/sluice1.md defines: what the row hash folds.  A canonical is a
 * tree of scratch memory for one field, made once and then used on one view of that field after
 * the other; it belongs to one thread.
 *
 *     sluice_canonical_reset()   whenever the view points at other data
 *     sluice_canonical_fill()    block by block
 */
#ifndef SLUICE_ROUTE_CANONICAL_H
#define SLUICE_ROUTE_CANONICAL_H

#include <stddef.h>
#include <stdint.h>

#include "arrow/column.h"
#include "kernel/kernels.h"

/* Rows in a block: small enough for its numbers to stay in the first-level cache. */
enum { SLUICE_CANONICAL_BLOCK_ROWS = 1024 };

/* XXH3_64bits() of "sluice1 null", "sluice1 list" and so on. */
#define SLUICE_CANONICAL_NULL UINT64_C(0xc1e0fc496f010114)
#define SLUICE_CANONICAL_LIST UINT64_C(0x25d14d4453b246fc)
#define SLUICE_CANONICAL_STRUCT UINT64_C(0x4cbb59cb432a8a73)
#define SLUICE_CANONICAL_UNION UINT64_C(0xd9b53fe559baaf38)
#define SLUICE_CANONICAL_NAN UINT64_C(0x7ff8000000000000)

typedef struct sluice_canonical sluice_canonical;

/* The field and the kernels are borrowed.  Every type has canonical values. */
sluice_status sluice_canonical_new(const sluice_field *field, const sluice_kernels *kernels,
                                   const sluice_allocator *allocator, sluice_canonical **out,
                                   sluice_error *error);

/* Forget what was remembered of the view's data: elements and dictionaries. */
void sluice_canonical_reset(sluice_canonical *canonical);

/*
 * Write the canonical values of row_count rows, at most SLUICE_CANONICAL_BLOCK_ROWS, from row
 * first on.
 */
void sluice_canonical_fill(sluice_canonical *canonical, const sluice_column *column, int64_t first,
                           size_t row_count, uint64_t *restrict values);

/*
 * The canonical values of all rows where they lie in the column's own buffer; NULL when they do
 * not lie there.
 */
const uint64_t *sluice_canonical_direct(const sluice_column *column);

/* NULL is allowed. */
void sluice_canonical_free(sluice_canonical *canonical, const sluice_allocator *allocator);

#endif /* SLUICE_ROUTE_CANONICAL_H */
