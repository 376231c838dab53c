/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/batch.h - a batch: one moved-in ArrowArray with counted owners
 *
 *     sluice_batch_import()   moves the array in and checks its structure
 *     sluice_batch_export()   makes an ArrowArray that owns a share of the batch, whole or sliced
 *     sluice_batch_unref()    releases the array when the last owner is gone
 *
 * Owners are counted atomically; everything else in a batch is immutable once it is made.
 */
#ifndef SLUICE_ARROW_BATCH_H
#define SLUICE_ARROW_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/field.h"

typedef struct sluice_batch sluice_batch;

/*
 * Take an array of the schema: on SLUICE_OK array->release is NULL, else it is still the caller's.
 * The structure is always checked (arrow/validate.h), values only when validate_values is set.
 * Nulls at the top level are SLUICE_BAD_DATA.
 */
sluice_status sluice_batch_import(sluice_schema *schema, struct ArrowArray *array,
                                  bool validate_values, const sluice_allocator *allocator,
                                  sluice_batch **out, sluice_error *error);

sluice_batch *sluice_batch_ref(sluice_batch *batch);

/* NULL is allowed. */
void sluice_batch_unref(sluice_batch *batch);

/* The array, owned by the batch.  Its struct offset is part of it. */
const struct ArrowArray *sluice_batch_array(const sluice_batch *batch);

int64_t sluice_batch_rows(const sluice_batch *batch);

/*
 * Make an ArrowArray of row_count rows from row first on, which shares the batch.  The batch may
 * be gone before it.
 */
sluice_status sluice_batch_export(sluice_batch *batch, int64_t first, int64_t row_count,
                                  struct ArrowArray *out, sluice_error *error);

#endif /* SLUICE_ARROW_BATCH_H */
