/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/ids_router.c - the partition of a row is the number in an integer column
 */
#include "base/alloc.h"
#include "base/math.h"
#include "route/canonical.h"
#include "route/leaf.h"
#include "route/router_types.h"

enum { IDS_TYPE_BYTES = 128 };

typedef struct ids_router {
    const sluice_allocator *allocator;
    const sluice_field *field;
    size_t column;
    uint32_t partition_count;
    int64_t rows_before; /* Rows of this input routed so far, for messages. */
    uint64_t values[SLUICE_CANONICAL_BLOCK_ROWS];
} ids_router;

static void free_ids_router(void *state)
{
    ids_router *router = state;

    if (router != NULL)
        sluice_free(router->allocator, router, sizeof(*router));
}

static sluice_status make_ids_router(const sluice_router_setup *setup, void **state,
                                     sluice_error *error)
{
    const size_t column = setup->key_columns[0];
    const sluice_field *field = &sluice_schema_root(setup->schema)->children[column];
    const sluice_leaf_kind kind = sluice_leaf_family(field->type);

    *state = NULL;
    if (field->layout != SLUICE_LAYOUT_FIXED ||
        (kind != SLUICE_LEAF_SIGNED && kind != SLUICE_LEAF_UNSIGNED)) {
        char type[IDS_TYPE_BYTES];

        sluice_field_describe(field, type, sizeof(type));
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "column %s: partition ids are integers, not %s", field->name, type);
    }
    ids_router *router = sluice_allocate_zeroed(setup->allocator, 1, sizeof(*router));

    if (router == NULL)
        return sluice_fail_allocation(error, sizeof(*router), "a router");
    router->allocator = setup->allocator;
    router->field = field;
    router->column = column;
    router->partition_count = setup->partitioning->partition_count;
    *state = router;
    return SLUICE_OK;
}

static sluice_status fail_id(const ids_router *router, const sluice_column *column, int64_t row,
                             sluice_error *error)
{
    const long long input_row = (long long)(router->rows_before + row);

    if (sluice_column_is_null(column, row)) {
        return sluice_fail(error, SLUICE_BAD_DATA, "column %s: row %lld has no partition id: null",
                           router->field->name, input_row);
    }
    const int64_t id = sluice_leaf_integer(column, row);
    const bool is_unsigned = sluice_leaf_family(router->field->type) == SLUICE_LEAF_UNSIGNED;

    if (is_unsigned) {
        return sluice_fail(error, SLUICE_BAD_DATA,
                           "column %s: row %lld has partition id %llu, but there are %u partitions",
                           router->field->name, input_row, (unsigned long long)id,
                           (unsigned)router->partition_count);
    }
    return sluice_fail(error, SLUICE_BAD_DATA,
                       "column %s: row %lld has partition id %lld, but there are %u partitions",
                       router->field->name, input_row, (long long)id,
                       (unsigned)router->partition_count);
}

/* Canonical values of integers are the numbers; negative ones are beyond every count. */
static sluice_status route_block(ids_router *router, const sluice_column *column, int64_t first,
                                 size_t row_count, uint32_t *ids, sluice_error *error)
{
    bool is_good = true;

    sluice_canonical_fill(NULL, column, first, row_count, router->values);
    for (size_t row = 0; row < row_count; row++) {
        is_good &= router->values[row] < router->partition_count;
        ids[row] = (uint32_t)router->values[row];
    }
    if (SLUICE_LIKELY(is_good))
        return SLUICE_OK;
    for (size_t row = 0; row < row_count; row++) {
        if (router->values[row] >= router->partition_count)
            return fail_id(router, column, first + (int64_t)row, error);
    }
    return SLUICE_OK;
}

static sluice_status route_ids(void *state, const sluice_column *root, uint32_t *ids,
                               sluice_error *error)
{
    ids_router *router = state;
    const sluice_column *column = &root->children[router->column];

    for (int64_t first = 0; first < root->row_count; first += SLUICE_CANONICAL_BLOCK_ROWS) {
        const size_t row_count =
            (size_t)sluice_min_int64(root->row_count - first, SLUICE_CANONICAL_BLOCK_ROWS);

        SLUICE_TRY(route_block(router, column, first, row_count, ids + first, error));
    }
    router->rows_before += root->row_count;
    return SLUICE_OK;
}

const sluice_router_scheme sluice_ids_router = {
    .make = make_ids_router, .route = route_ids, .free = free_ids_router};
