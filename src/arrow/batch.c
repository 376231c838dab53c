/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/batch.c - owners of batches
 *
 * What leaves through sluice_batch_export() is a tree of ArrowArrays in one block, an export.  A
 * consumer may move any node out of it and keep it longer than the rest, so the block counts its
 * nodes: the last one to be released frees the block and gives the share of the batch back.  The
 * lists of buffers are those of the batch itself.
 */
#include "arrow/batch.h"

#include <stdatomic.h>
#include <string.h>

#include "arrow/validate.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/math.h"

struct sluice_batch {
    sluice_allocator allocator;
    _Atomic size_t owners;
    sluice_schema *schema;
    size_t node_count; /* Arrays in the tree. */
    struct ArrowArray array;
};

/* The head of an export's block. */
typedef struct batch_export {
    sluice_batch *batch;
    _Atomic size_t node_count; /* Those that are not released yet. */
    size_t block_bytes;
    const void *no_validity[1]; /* The buffers of the struct at the top. */
    struct ArrowArray **next_pointer;
    struct ArrowArray *next_node;
    struct ArrowArray nodes[]; /* All but the top, then as many pointers to them. */
} batch_export;

static size_t count_arrays(const struct ArrowArray *array)
{
    size_t count = 1;

    for (int64_t i = 0; i < array->n_children; i++)
        count += count_arrays(array->children[i]);
    if (array->dictionary != NULL)
        count += count_arrays(array->dictionary);
    return count;
}

static sluice_status check_no_nulls(const struct ArrowArray *array, sluice_error *error)
{
    int64_t null_count = array->null_count;

    if (null_count < 0 && array->buffers[0] != NULL) {
        null_count =
            array->length - sluice_bits_count(array->buffers[0], array->offset, array->length);
    }
    if (null_count <= 0)
        return SLUICE_OK;
    return sluice_fail(error, SLUICE_BAD_DATA, "batch: %lld of its %lld rows are null as a whole",
                       (long long)null_count, (long long)array->length);
}

sluice_status sluice_batch_import(sluice_schema *schema, struct ArrowArray *array,
                                  bool validate_values, const sluice_allocator *allocator,
                                  sluice_batch **out, sluice_error *error)
{
    const sluice_allocator chosen = sluice_allocator_or_default(allocator);
    sluice_batch *batch;

    *out = NULL;
    SLUICE_TRY(sluice_validate_array(sluice_schema_root(schema), array, validate_values, &chosen,
                                     error));
    SLUICE_TRY(check_no_nulls(array, error));
    batch = sluice_allocate_zeroed(&chosen, 1, sizeof(*batch));
    if (batch == NULL)
        return sluice_fail_allocation(error, sizeof(*batch), "a batch");
    batch->allocator = chosen;
    atomic_init(&batch->owners, 1);
    batch->schema = sluice_schema_ref(schema);
    batch->node_count = count_arrays(array);
    batch->array = *array;
    array->release = NULL;
    *out = batch;
    return SLUICE_OK;
}

sluice_batch *sluice_batch_ref(sluice_batch *batch)
{
    /* The caller is an owner, so the count cannot fall to 0 meanwhile. */
    const size_t owners = atomic_fetch_add_explicit(&batch->owners, 1, memory_order_relaxed);

    SLUICE_ASSERT(owners > 0);
    (void)owners;
    return batch;
}

void sluice_batch_unref(sluice_batch *batch)
{
    if (batch == NULL)
        return;
    if (atomic_fetch_sub_explicit(&batch->owners, 1, memory_order_acq_rel) > 1)
        return;
    const sluice_allocator allocator = batch->allocator;

    batch->array.release(&batch->array);
    sluice_schema_unref(batch->schema);
    sluice_free(&allocator, batch, sizeof(*batch));
}

const struct ArrowArray *sluice_batch_array(const sluice_batch *batch)
{
    return &batch->array;
}

int64_t sluice_batch_rows(const sluice_batch *batch)
{
    return batch->array.length;
}

/* A released child may lie in the block, so it is marked before the block can go. */
static void release_export_node(struct ArrowArray *array)
{
    batch_export *export = array->private_data;

    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    array->release = NULL;
    if (atomic_fetch_sub_explicit(&export->node_count, 1, memory_order_acq_rel) > 1)
        return;
    sluice_batch *batch = export->batch;
    const sluice_allocator allocator = batch->allocator;

    sluice_free(&allocator, export, export->block_bytes);
    sluice_batch_unref(batch);
}

/* Copy an array of the batch and all below it into nodes of the export. */
static void export_array(batch_export *export, const struct ArrowArray *source,
                         struct ArrowArray *out)
{
    *out = *source;
    out->children = source->n_children == 0 ? NULL : export->next_pointer;
    export->next_pointer += source->n_children;
    for (int64_t i = 0; i < source->n_children; i++) {
        out->children[i] = export->next_node++;
        export_array(export, source->children[i], out->children[i]);
    }
    if (source->dictionary != NULL) {
        out->dictionary = export->next_node++;
        export_array(export, source->dictionary, out->dictionary);
    }
    out->private_data = export;
    out->release = release_export_node;
}

/* The null count of a cut column, where it can be known without counting; else -1. */
static int64_t get_sliced_null_count(const struct ArrowArray *column, const sluice_field *field,
                                     int64_t row_count)
{
    switch (field->layout) {
    case SLUICE_LAYOUT_NULL:
        return row_count;
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
    case SLUICE_LAYOUT_RUN_END:
        return 0;
    default:
        break;
    }
    if (column->buffers[0] == NULL || column->null_count == 0 || row_count == 0)
        return 0;
    return row_count == column->length ? column->null_count : -1;
}

static void slice_column(struct ArrowArray *column, const sluice_field *field, int64_t first,
                         int64_t row_count)
{
    column->null_count = get_sliced_null_count(column, field, row_count);
    /* pyarrow 26 takes a view without rows for too short when it has an offset. */
    column->offset = row_count == 0 ? 0 : column->offset + first;
    column->length = row_count;
}

static sluice_status batch_export_new(sluice_batch *batch, batch_export **out, sluice_error *error)
{
    const size_t below = batch->node_count - 1;
    const size_t block_bytes = sizeof(batch_export) +
                               below * (sizeof(struct ArrowArray) + sizeof(struct ArrowArray *));
    batch_export *export = sluice_allocate(&batch->allocator, block_bytes);

    *out = NULL;
    if (export == NULL)
        return sluice_fail_allocation(error, block_bytes, "a batch to hand out");
    export->batch = sluice_batch_ref(batch);
    atomic_init(&export->node_count, batch->node_count);
    export->block_bytes = block_bytes;
    export->no_validity[0] = NULL;
    export->next_node = export->nodes;
    export->next_pointer = (struct ArrowArray **)&export->nodes[below];
    *out = export;
    return SLUICE_OK;
}

/*
 * The struct at the top leaves with offset 0 and its columns cut one by one, because many
 * consumers are not ready for an offset there.
 */
sluice_status sluice_batch_export(sluice_batch *batch, int64_t first, int64_t row_count,
                                  struct ArrowArray *out, sluice_error *error)
{
    const sluice_field *root = sluice_schema_root(batch->schema);
    const struct ArrowArray *source = &batch->array;
    batch_export *export;

    memset(out, 0, sizeof(*out));
    if (first < 0 || row_count < 0 || first > source->length - row_count) {
        return sluice_fail(error, SLUICE_INVALID, "%lld rows from row %lld on of a batch of %lld",
                           (long long)row_count, (long long)first, (long long)source->length);
    }
    SLUICE_TRY(batch_export_new(batch, &export, error));
    export_array(export, source, out);
    out->offset = 0;
    out->length = row_count;
    out->null_count = 0;
    out->buffers = export->no_validity;
    for (size_t i = 0; i < root->child_count; i++)
        slice_column(out->children[i], &root->children[i], source->offset + first, row_count);
    return SLUICE_OK;
}
