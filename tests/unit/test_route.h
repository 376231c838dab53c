/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_route.h - routing a batch in one call, for the tests of src/route
 */
#ifndef TEST_ROUTE_H
#define TEST_ROUTE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "arrow/validate.h"
#include "route/router.h"
#include "sluice/partitioning.h"

/* A batch, its schema, and what it was routed to. */
typedef struct routed_batch {
    struct ArrowSchema schema;
    struct ArrowArray batch;
    uint32_t *ids;    /* One per row. */
    uint64_t *hashes; /* The same, for hash partitionings. */
    struct ArrowSchema values_schema;
    struct ArrowArray values; /* The distinct keys, for value partitionings. */
    sluice_error error;
} routed_batch;

static inline void make_routed(routed_batch *routed, const char *schema, const char *rows)
{
    memset(routed, 0, sizeof(*routed));
    test_schema(schema, &routed->schema);
    test_batch(&routed->schema, rows, &routed->batch);
}

static inline void free_routed(routed_batch *routed)
{
    free(routed->ids);
    free(routed->hashes);
    if (routed->values.release != NULL) {
        routed->values.release(&routed->values);
        routed->values_schema.release(&routed->values_schema);
    }
    if (routed->batch.release != NULL)
        routed->batch.release(&routed->batch);
    routed->schema.release(&routed->schema);
}

/* Route the batch in slices of slice_rows rows, with one router. */
static inline sluice_status route_slices(routed_batch *routed, sluice_router *router,
                                         sluice_column *view, int64_t slice_rows, bool wants_hash)
{
    for (int64_t first = 0; first < routed->batch.length; first += slice_rows) {
        const int64_t left = routed->batch.length - first;

        sluice_column_set(view, &routed->batch);
        sluice_column_slice(view, first, left < slice_rows ? left : slice_rows);
        SLUICE_TRY(sluice_router_route(router, view, routed->ids + first, &routed->error));
        if (wants_hash)
            SLUICE_TRY(sluice_router_hash(router, view, routed->hashes + first, &routed->error));
    }
    return SLUICE_OK;
}

/* Route a batch that make_routed() made, or one like it. */
static inline sluice_status route_with(routed_batch *routed,
                                       const sluice_partitioning *partitioning,
                                       int64_t slice_rows, const sluice_allocator *allocator)
{
    const sluice_partitioning_kind kind = sluice_partitioning_get_kind(partitioning);
    const size_t row_count = (size_t)routed->batch.length + 1;
    sluice_router_options options = {
        .input_count = 1, .kernels = sluice_kernels_choose(), .allocator = allocator};
    sluice_value_table *values = NULL;
    sluice_schema *schema = NULL;
    sluice_router *router = NULL;
    sluice_column *view = NULL;
    sluice_status status;

    free(routed->ids);
    free(routed->hashes);
    routed->ids = calloc(row_count, sizeof(*routed->ids));
    routed->hashes = calloc(row_count, sizeof(*routed->hashes));
    status = sluice_schema_import(&routed->schema, allocator, &schema, &routed->error);
    if (status == SLUICE_OK) {
        status = sluice_validate_array(sluice_schema_root(schema), &routed->batch, true, allocator,
                                       &routed->error);
    }
    if (status == SLUICE_OK && kind == SLUICE_PARTITIONING_VALUE)
        status = sluice_value_table_new(schema, partitioning, allocator, &values, &routed->error);
    options.values = values;
    if (status == SLUICE_OK)
        status = sluice_router_new(schema, partitioning, &options, &router, &routed->error);
    if (status == SLUICE_OK)
        status = sluice_column_new(sluice_schema_root(schema), allocator, &view, &routed->error);
    if (status == SLUICE_OK) {
        status = route_slices(routed, router, view, slice_rows, kind == SLUICE_PARTITIONING_HASH);
    }
    if (status == SLUICE_OK && values != NULL) {
        status = sluice_value_table_export(values, &routed->values_schema, &routed->values,
                                           &routed->error);
    }
    sluice_column_free(view, allocator);
    sluice_router_free(router);
    sluice_value_table_free(values);
    sluice_schema_unref(schema);
    return status;
}

static inline void assert_ids(const routed_batch *routed, const uint32_t *expected, size_t count)
{
    assert_int_equal(routed->batch.length, count);
    for (size_t row = 0; row < count; row++)
        assert_int_equal(routed->ids[row], expected[row]);
}

/* Route rows of a schema and compare with the ids that follow. */
#define assert_routes(partitioning, schema, rows, ...)                                             \
    do {                                                                                           \
        const uint32_t expected_ids[] = {__VA_ARGS__};                                             \
        routed_batch routed_rows;                                                                  \
                                                                                                   \
        make_routed(&routed_rows, schema, rows);                                                   \
        if (route_with(&routed_rows, partitioning, 3, NULL) != SLUICE_OK)                          \
            fail_msg("%s", routed_rows.error.message);                                             \
        assert_ids(&routed_rows, expected_ids, sizeof(expected_ids) / sizeof(expected_ids[0]));    \
        free_routed(&routed_rows);                                                                 \
    } while (0)

/* A hash partitioning of the columns named, up to the first NULL. */
static inline sluice_partitioning *new_hash(uint32_t count, const char *first, const char *second,
                                            const char *third)
{
    const char *names[] = {first, second, third};
    const size_t name_count = second == NULL ? 1 : third == NULL ? 2 : 3;
    sluice_partitioning *partitioning = NULL;
    sluice_error error;

    if (sluice_partitioning_new_hash(names, name_count, count, SLUICE_HASH_SLUICE1, &partitioning,
                                     &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    return partitioning;
}

/* A range whose split points are rows of a schema. */
static inline sluice_status make_range(const sluice_sort_key *keys, size_t key_count,
                                       const char *schema_text, const char *rows,
                                       bool is_total_order, sluice_partitioning **out,
                                       sluice_error *error)
{
    struct ArrowSchema schema;
    struct ArrowArray splits;

    test_schema(schema_text, &schema);
    test_batch(&schema, rows, &splits);
    const sluice_status status = sluice_partitioning_new_range(
        keys, key_count, &schema, &splits, is_total_order, out, error);

    splits.release(&splits);
    schema.release(&schema);
    return status;
}

static inline sluice_partitioning *new_range(const sluice_sort_key *keys, size_t key_count,
                                             const char *schema, const char *rows)
{
    sluice_partitioning *partitioning = NULL;
    sluice_error error;

    if (make_range(keys, key_count, schema, rows, false, &partitioning, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    return partitioning;
}

#endif /* TEST_ROUTE_H */
