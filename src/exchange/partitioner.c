/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/partitioner.c - the routing and the copy of an exchange, without its channels
 */
#include "sluice/partitioner.h"

#include <string.h>

#include "arrow/validate.h"
#include "base/alloc.h"
#include "base/math.h"
#include "place/block.h"
#include "route/router.h"

struct sluice_partitioner {
    sluice_allocator allocator;
    bool validate_values;
    sluice_partitioning_kind kind;
    uint32_t partition_count; /* At most. */
    sluice_schema *source_schema;
    sluice_schema *schema;
    sluice_pool *pool;
    sluice_place_plan *plan;
    sluice_shelf *shelf;
    sluice_dictionaries *dictionaries;
    sluice_value_table *values; /* Value scheme only. */
    sluice_router *router;
    sluice_block *block;
    sluice_column *root; /* Points at the batch of the call. */
    sluice_buffer ids;   /* uint32_t per row of the batch of the call. */
    sluice_buffer starts;
};

static sluice_status make_place(sluice_partitioner *partitioner, sluice_error *error)
{
    const sluice_place_limits limits = {.rows_max = UINT32_MAX, .bytes_max = INT32_MAX};
    const sluice_allocator *allocator = &partitioner->allocator;

    SLUICE_TRY(sluice_place_plan_new(partitioner->source_schema, partitioner->schema, &limits,
                                     allocator, &partitioner->plan, error));
    sluice_slab *slab = sluice_slab_new(partitioner->pool, allocator, false, false);
    partitioner->shelf =
        slab == NULL ? NULL : sluice_shelf_new(partitioner->plan, slab, allocator);
    sluice_slab_unref(slab);
    if (partitioner->shelf == NULL)
        return sluice_fail_allocation(error, sizeof(*partitioner), "a partitioner");
    SLUICE_TRY(sluice_dictionaries_new(partitioner->plan, partitioner->pool, allocator,
                                       &partitioner->dictionaries, error));
    const sluice_block_options options = {
        .plan = partitioner->plan,
        .kernels = sluice_kernels_choose(),
        .dictionaries = partitioner->dictionaries,
        .pool = partitioner->pool,
        .partition_count = partitioner->partition_count,
        .allocator = allocator,
    };
    return sluice_block_new(&options, &partitioner->block, error);
}

static sluice_status make_router(sluice_partitioner *partitioner,
                                 const sluice_partitioning *partitioning,
                                 const sluice_partitioner_options *options, sluice_error *error)
{
    if (partitioner->kind == SLUICE_PARTITIONING_VALUE)
        SLUICE_TRY(sluice_value_table_new(partitioner->source_schema, partitioning,
                                          &partitioner->allocator, &partitioner->values, error));
    const sluice_router_options router_options = {
        .input_index = options->input_index,
        .input_count = options->input_count == 0 ? 1 : options->input_count,
        .kernels = sluice_kernels_choose(),
        .values = partitioner->values,
        .allocator = &partitioner->allocator,
    };
    if (router_options.input_index >= router_options.input_count)
        return sluice_fail(error, SLUICE_INVALID, "input %u: there are only %u",
                           router_options.input_index, router_options.input_count);
    return sluice_router_new(partitioner->source_schema, partitioning, &router_options,
                             &partitioner->router, error);
}

static sluice_status make_schemas(sluice_partitioner *partitioner,
                                  const struct ArrowSchema *schema, sluice_error *error)
{
    SLUICE_TRY(sluice_schema_import(schema, &partitioner->allocator, &partitioner->source_schema,
                                    error));
    SLUICE_TRY(sluice_schema_widen_dictionaries(partitioner->source_schema, &partitioner->schema,
                                                error));
    return sluice_column_new(sluice_schema_root(partitioner->source_schema),
                             &partitioner->allocator, &partitioner->root, error);
}

sluice_status sluice_partitioner_new(const struct ArrowSchema *schema,
                                     const sluice_partitioning *partitioning,
                                     const sluice_partitioner_options *options,
                                     sluice_partitioner **out, sluice_error *error)
{
    sluice_partitioner_options filled = {0};

    *out = NULL;
    if (schema == NULL || schema->release == NULL || partitioning == NULL)
        return sluice_fail(error, SLUICE_INVALID,
                           "a partitioner needs a schema and a partitioning");
    if (options != NULL)
        memcpy(&filled, options, sluice_min_size(options->size, sizeof(filled)));
    sluice_partitioner *partitioner =
        sluice_allocate_zeroed(filled.allocator, 1, sizeof(*partitioner));
    if (partitioner == NULL)
        return sluice_fail_allocation(error, sizeof(*partitioner), "a partitioner");
    partitioner->allocator = sluice_allocator_or_default(filled.allocator);
    partitioner->validate_values = filled.validate_values;
    partitioner->kind = sluice_partitioning_get_kind(partitioning);
    partitioner->partition_count = sluice_partitioning_get_count(partitioning);
    partitioner->pool = sluice_pool_new(0, &partitioner->allocator);

    sluice_status status =
        partitioner->pool == NULL
            ? sluice_fail_allocation(error, sizeof(*partitioner), "a partitioner")
            : SLUICE_OK;
    sluice_buffer_init(&partitioner->ids, partitioner->pool, &partitioner->allocator);
    sluice_buffer_init(&partitioner->starts, partitioner->pool, &partitioner->allocator);
    if (status == SLUICE_OK)
        status = make_schemas(partitioner, schema, error);
    if (status == SLUICE_OK)
        status = make_place(partitioner, error);
    if (status == SLUICE_OK)
        status = make_router(partitioner, partitioning, &filled, error);
    if (status != SLUICE_OK) {
        sluice_partitioner_free(partitioner);
        return status;
    }
    *out = partitioner;
    return SLUICE_OK;
}

void sluice_partitioner_free(sluice_partitioner *partitioner)
{
    if (partitioner == NULL)
        return;
    const sluice_allocator allocator = partitioner->allocator;

    sluice_buffer_deinit(&partitioner->starts);
    sluice_buffer_deinit(&partitioner->ids);
    sluice_router_free(partitioner->router);
    sluice_value_table_free(partitioner->values);
    sluice_block_free(partitioner->block);
    sluice_dictionaries_free(partitioner->dictionaries);
    sluice_shelf_unref(partitioner->shelf);
    sluice_place_plan_unref(partitioner->plan);
    sluice_pool_unref(partitioner->pool);
    sluice_column_free(partitioner->root, &allocator);
    sluice_schema_unref(partitioner->schema);
    sluice_schema_unref(partitioner->source_schema);
    sluice_free(&allocator, partitioner, sizeof(*partitioner));
}

sluice_status sluice_partitioner_get_schema(const sluice_partitioner *partitioner,
                                            struct ArrowSchema *out, sluice_error *error)
{
    return sluice_field_export(sluice_schema_root(partitioner->schema), out, error);
}

uint32_t sluice_partitioner_get_count(const sluice_partitioner *partitioner)
{
    return partitioner->values != NULL ? sluice_value_table_count(partitioner->values)
                                       : partitioner->partition_count;
}

/* Point the views at a batch that is only borrowed. */
static sluice_status look_at(sluice_partitioner *partitioner, const struct ArrowArray *batch,
                             sluice_error *error)
{
    if (batch == NULL || batch->release == NULL)
        return sluice_fail(error, SLUICE_INVALID, "the batch is released");
    SLUICE_TRY(sluice_validate_array(sluice_schema_root(partitioner->source_schema), batch,
                                     partitioner->validate_values, &partitioner->allocator,
                                     error));
    sluice_column_set(partitioner->root, batch);
    return SLUICE_OK;
}

static sluice_status route(sluice_partitioner *partitioner, uint32_t *ids, sluice_error *error)
{
    const int64_t rows = partitioner->root->row_count;

    if (!sluice_router_takes_batches(partitioner->router))
        return rows == 0 ? SLUICE_OK
                         : sluice_router_route(partitioner->router, partitioner->root, ids, error);
    const uint32_t partition = rows == 0 ? 0 : sluice_router_next_batch(partitioner->router);

    for (int64_t row = 0; row < rows; row++)
        ids[row] = partition;
    return SLUICE_OK;
}

sluice_status sluice_partitioner_ids(sluice_partitioner *partitioner,
                                     const struct ArrowArray *batch, uint32_t *ids,
                                     sluice_error *error)
{
    SLUICE_TRY(look_at(partitioner, batch, error));
    return route(partitioner, ids, error);
}

sluice_status sluice_partitioner_hashes(sluice_partitioner *partitioner,
                                        const struct ArrowArray *batch, uint64_t *hashes,
                                        sluice_error *error)
{
    SLUICE_TRY(look_at(partitioner, batch, error));
    return sluice_router_hash(partitioner->router, partitioner->root, hashes, error);
}

sluice_status sluice_partitioner_permutation(sluice_partitioner *partitioner,
                                             const struct ArrowArray *batch, uint32_t *rows,
                                             uint64_t *offsets, sluice_error *error)
{
    const size_t partitions = partitioner->partition_count;

    SLUICE_TRY(look_at(partitioner, batch, error));
    const int64_t row_count = partitioner->root->row_count;
    if (row_count > UINT32_MAX)
        return sluice_fail(error, SLUICE_INVALID, "%lld rows in a batch: at most %u are possible",
                           (long long)row_count, UINT32_MAX);
    SLUICE_TRY(sluice_buffer_reserve(&partitioner->ids, (size_t)row_count, sizeof(uint32_t),
                                     "partition ids", error));
    SLUICE_TRY(sluice_buffer_reserve(&partitioner->starts, partitions, sizeof(uint64_t),
                                     "partition starts", error));
    uint32_t *ids = partitioner->ids.bytes;
    uint64_t *cursors = partitioner->starts.bytes;

    SLUICE_TRY(route(partitioner, ids, error));
    memset(cursors, 0, partitions * sizeof(*cursors));
    for (int64_t row = 0; row < row_count; row++)
        cursors[ids[row]]++;
    offsets[0] = 0;
    for (size_t partition = 0; partition < partitions; partition++) {
        offsets[partition + 1] = offsets[partition] + cursors[partition];
        cursors[partition] = offsets[partition];
    }
    for (int64_t row = 0; row < row_count; row++)
        rows[cursors[ids[row]]++] = (uint32_t)row;
    return SLUICE_OK;
}

/* Slices of one array that is grouped by partition.  On failure none is left. */
static sluice_status slice_groups(sluice_partitioner *partitioner, sluice_batch *grouped,
                                  struct ArrowArray *slices, sluice_error *error)
{
    for (uint32_t partition = 0; partition < partitioner->partition_count; partition++) {
        const int64_t first = sluice_block_start(partitioner->block, partition);
        const int64_t rows = sluice_block_start(partitioner->block, partition + 1) - first;
        sluice_status status = SLUICE_OK;

        slices[partition].release = NULL;
        if (rows > 0)
            status = sluice_batch_export(grouped, first, rows, &slices[partition], error);
        if (status == SLUICE_OK)
            continue;
        slices[partition].release = NULL;
        while (partition-- > 0) {
            if (slices[partition].release != NULL)
                slices[partition].release(&slices[partition]);
        }
        return status;
    }
    return SLUICE_OK;
}

/* All rows of the arranged block in one batch, in destination order. */
static sluice_status group_rows(sluice_partitioner *partitioner, sluice_batch **out,
                                sluice_error *error)
{
    sluice_open_batch *batch;
    struct ArrowArray array;

    SLUICE_TRY(sluice_block_measure(partitioner->block, error));
    SLUICE_TRY(sluice_block_gather(partitioner->block, 0, partitioner->block->row_count,
                                   partitioner->shelf, &batch, error));
    SLUICE_TRY(sluice_dictionaries_export(partitioner->dictionaries, batch, &array, error));
    const sluice_status status = sluice_batch_import(partitioner->schema, &array, false,
                                                     &partitioner->allocator, out, error);
    if (status != SLUICE_OK)
        array.release(&array);
    return status;
}

static sluice_status split_batch(sluice_partitioner *partitioner, sluice_batch *batch,
                                 struct ArrowArray *slices, sluice_error *error)
{
    sluice_block *block = partitioner->block;
    const int64_t rows = sluice_batch_rows(batch);
    sluice_batch *grouped = NULL;
    sluice_piece *piece;

    if (rows > SLUICE_BLOCK_ROWS_MAX)
        return sluice_fail(error, SLUICE_INVALID, "%lld rows in a batch: at most %d are possible",
                           (long long)rows, SLUICE_BLOCK_ROWS_MAX);
    SLUICE_TRY(sluice_block_add(block, batch, 0, rows, &piece, error));
    SLUICE_TRY(route(partitioner, sluice_block_ids(block, piece), error));
    SLUICE_TRY(sluice_block_arrange(block, error));
    if (rows > 0 && partitioner->plan->dictionary_count == 0 && sluice_block_is_single(block))
        grouped = sluice_batch_ref(batch);
    else
        SLUICE_TRY(group_rows(partitioner, &grouped, error));
    const sluice_status status = slice_groups(partitioner, grouped, slices, error);
    sluice_batch_unref(grouped);
    return status;
}

sluice_status sluice_partitioner_split(sluice_partitioner *partitioner, struct ArrowArray *batch,
                                       struct ArrowArray *slices, sluice_error *error)
{
    sluice_batch *imported;

    if (batch == NULL || batch->release == NULL)
        return sluice_fail(error, SLUICE_INVALID, "the batch is released");
    SLUICE_TRY(sluice_batch_import(partitioner->source_schema, batch, partitioner->validate_values,
                                   &partitioner->allocator, &imported, error));
    sluice_column_set(partitioner->root, sluice_batch_array(imported));
    const sluice_status status = split_batch(partitioner, imported, slices, error);
    sluice_block_clear(partitioner->block);
    sluice_batch_unref(imported);
    return status;
}

sluice_status sluice_partitioner_for_each(sluice_partitioner *partitioner,
                                          struct ArrowArray *batch,
                                          sluice_partition_callback callback, void *opaque,
                                          sluice_error *error)
{
    const size_t count = partitioner->partition_count;
    struct ArrowArray *slices =
        sluice_allocate_zeroed(&partitioner->allocator, count, sizeof(*slices));

    if (slices == NULL)
        return sluice_fail_allocation(error, count * sizeof(*slices), "slices of a batch");
    sluice_status status = sluice_partitioner_split(partitioner, batch, slices, error);
    for (uint32_t partition = 0; status == SLUICE_OK && partition < count; partition++) {
        if (slices[partition].release != NULL)
            status = callback(opaque, partition, &slices[partition]);
    }
    for (size_t partition = 0; partition < count; partition++) {
        if (slices[partition].release != NULL)
            slices[partition].release(&slices[partition]);
    }
    sluice_free(&partitioner->allocator, slices, count * sizeof(*slices));
    return status;
}

sluice_status sluice_partitioner_get_values(const sluice_partitioner *partitioner,
                                            struct ArrowSchema *schema_out, struct ArrowArray *out,
                                            sluice_error *error)
{
    if (partitioner->values == NULL)
        return sluice_fail(error, SLUICE_INVALID, "only the value scheme has keys to show");
    return sluice_value_table_export(partitioner->values, schema_out, out, error);
}
