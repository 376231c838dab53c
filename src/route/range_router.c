/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/range_router.c - the partition of a row is the number of split points not greater than it
 *
 * Keys go one of two ways:
 *
 *     one number of up to 64 bits     as uint64_t (route/order_key.h) through kernel search
 *     everything else                 as bytes (route/key_bytes.h) through a binary search
 *
 * One key that is a dictionary or run-end encoded has its values routed, not its rows.
 */
#include "base/alloc.h"
#include "base/math.h"
#include "route/canonical.h"
#include "route/key_types.h"
#include "route/leaf.h"
#include "route/order_key.h"
#include "route/router_types.h"

enum { RANGE_TYPE_BYTES = 128 };

typedef struct range_key {
    size_t column;
    sluice_key_order order;
} range_key;

typedef struct range_router {
    const sluice_allocator *allocator;
    const sluice_kernels *kernels;
    size_t key_count;
    range_key *keys;
    uint32_t split_count;

    /* Numbers only: split points as keys, without those that no value can be on both sides of. */
    bool is_numeric;
    uint32_t id_base;     /* Split points before all values. */
    uint32_t bound_count;
    uint64_t *bounds;     /* split_count allocated. */
    uint32_t null_id;     /* Where null rows go. */
    uint64_t *block;      /* SLUICE_CANONICAL_BLOCK_ROWS keys. */

    /* Bytes only. */
    sluice_bytes split_bytes;
    size_t *split_ends;
    sluice_bytes row_bytes; /* The key of the row at hand. */

    uint32_t *value_ids; /* Of a dictionary's values. */
    size_t value_ids_capacity;
} range_router;

enum { RANGE_BLOCK_BYTES = SLUICE_CANONICAL_BLOCK_ROWS * 8 };

static void free_range_router(void *state)
{
    range_router *router = state;

    if (router == NULL)
        return;
    sluice_free(router->allocator, router->value_ids,
                router->value_ids_capacity * sizeof(*router->value_ids));
    sluice_bytes_deinit(&router->row_bytes, router->allocator);
    sluice_free(router->allocator, router->split_ends,
                router->split_count * sizeof(*router->split_ends));
    sluice_bytes_deinit(&router->split_bytes, router->allocator);
    sluice_free(router->allocator, router->block, RANGE_BLOCK_BYTES);
    sluice_free(router->allocator, router->bounds, router->split_count * sizeof(*router->bounds));
    sluice_free(router->allocator, router->keys, router->key_count * sizeof(*router->keys));
    sluice_free(router->allocator, router, sizeof(*router));
}

/* A key column must be of the kind of its split points, and have an order. */
static sluice_status check_key(const sluice_field *field, const sluice_field *split,
                               const char *name, sluice_error *error)
{
    char type[RANGE_TYPE_BYTES], split_type[RANGE_TYPE_BYTES];

    sluice_field_describe(field, type, sizeof(type));
    if (!sluice_key_type_is_ordered(field)) {
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "range key %s: there is no order for type %s", name, type);
    }
    if (sluice_key_types_match(field, split))
        return SLUICE_OK;
    sluice_field_describe(split, split_type, sizeof(split_type));
    return sluice_fail(error, SLUICE_INVALID,
                       "range key %s: the column is %s, but its split points are %s", name, type,
                       split_type);
}

static sluice_status set_range_keys(range_router *router, const sluice_router_setup *setup,
                                    sluice_error *error)
{
    const sluice_partitioning *partitioning = setup->partitioning;
    const sluice_field *root = sluice_schema_root(setup->schema);

    router->key_count = partitioning->key_count;
    router->keys =
        sluice_allocate_zeroed(setup->allocator, router->key_count, sizeof(*router->keys));
    if (router->keys == NULL)
        return sluice_fail_allocation(error, router->key_count * sizeof(*router->keys), "keys");
    for (size_t key = 0; key < router->key_count; key++) {
        router->keys[key].column = setup->key_columns[key];
        router->keys[key].order = sluice_partitioning_key_order(partitioning, key);
        SLUICE_TRY(check_key(&root->children[setup->key_columns[key]],
                             &partitioning->splits->field->children[key],
                             partitioning->keys[key].name, error));
    }
    return SLUICE_OK;
}

static sluice_status set_bounds(range_router *router, const sluice_field *field,
                                const sluice_partitioning *partitioning, sluice_error *error)
{
    const sluice_column *splits = &partitioning->splits->children[0];
    const sluice_key_order order = router->keys[0].order;
    const size_t bounds_bytes = router->split_count * sizeof(*router->bounds);
    bool has_null = false;

    router->bounds = sluice_allocate(router->allocator, bounds_bytes);
    router->block = sluice_allocate(router->allocator, RANGE_BLOCK_BYTES);
    if (router->block == NULL || (router->bounds == NULL && bounds_bytes > 0))
        return sluice_fail_allocation(error, bounds_bytes + RANGE_BLOCK_BYTES, "split points");
    for (uint32_t split = 0; split < router->split_count; split++) {
        uint64_t key;

        if (sluice_column_is_null(splits, split)) {
            has_null = true;
            router->id_base += order.nulls_first;
            continue;
        }
        const int place = sluice_order_key_of_split(field, splits, split, order, &key);

        if (place < 0)
            router->id_base++;
        else if (place == 0)
            router->bounds[router->bound_count++] = key;
    }
    router->null_id = order.nulls_first ? has_null : router->split_count;
    return SLUICE_OK;
}

static sluice_status copy_split_bytes(range_router *router,
                                      const sluice_partitioning *partitioning,
                                      sluice_error *error)
{
    const size_t ends_bytes = router->split_count * sizeof(*router->split_ends);

    if (router->split_count == 0)
        return SLUICE_OK;
    router->split_ends = sluice_allocate(router->allocator, ends_bytes);
    if (router->split_ends == NULL)
        return sluice_fail_allocation(error, ends_bytes, "split points");
    memcpy(router->split_ends, partitioning->split_ends, ends_bytes);
    return sluice_bytes_append(&router->split_bytes, router->allocator,
                               partitioning->split_bytes.bytes,
                               partitioning->split_bytes.byte_count, error);
}

static sluice_status set_range(range_router *router, const sluice_router_setup *setup,
                               sluice_error *error)
{
    const sluice_field *root = sluice_schema_root(setup->schema);

    SLUICE_TRY(set_range_keys(router, setup, error));
    const sluice_field *field = sluice_leaf_field(&root->children[router->keys[0].column]);

    router->is_numeric = router->key_count == 1 && sluice_order_key_is_defined(field);
    if (router->is_numeric)
        return set_bounds(router, field, setup->partitioning, error);
    return copy_split_bytes(router, setup->partitioning, error);
}

static sluice_status make_range_router(const sluice_router_setup *setup, void **state,
                                       sluice_error *error)
{
    range_router *router = sluice_allocate_zeroed(setup->allocator, 1, sizeof(*router));

    *state = NULL;
    if (router == NULL)
        return sluice_fail_allocation(error, sizeof(*router), "a router");
    router->allocator = setup->allocator;
    router->kernels = setup->options->kernels;
    router->split_count = setup->partitioning->split_count;
    const sluice_status status = set_range(router, setup, error);

    if (status != SLUICE_OK) {
        free_range_router(router);
        return status;
    }
    *state = router;
    return SLUICE_OK;
}

/* The split points that are not greater than the key in row_bytes. */
static uint32_t search_bytes(const range_router *router)
{
    uint32_t first = 0;
    uint32_t last = router->split_count;

    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        const size_t start = middle == 0 ? 0 : router->split_ends[middle - 1];
        const int order = sluice_key_bytes_compare(
            router->split_bytes.bytes + start, router->split_ends[middle] - start,
            router->row_bytes.bytes, router->row_bytes.byte_count);

        if (order <= 0)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Route one row of the only key by its bytes. */
static sluice_status route_single_bytes(range_router *router, const sluice_column *column,
                                        int64_t row, uint32_t *id, sluice_error *error)
{
    router->row_bytes.byte_count = 0;
    SLUICE_TRY(sluice_key_bytes_append(&router->row_bytes, router->allocator, column, row,
                                       router->keys[0].order, error));
    *id = search_bytes(router);
    return SLUICE_OK;
}

static void route_numbers(range_router *router, const sluice_column *column, int64_t first,
                          size_t row_count, uint32_t *ids)
{
    sluice_order_key_fill(column, first, row_count, router->keys[0].order, router->block);
    router->kernels->search(router->block, row_count, router->bounds, router->bound_count, ids);
    for (size_t row = 0; row < row_count && router->id_base > 0; row++)
        ids[row] += router->id_base;
    for (size_t row = 0; row < row_count && column->validity != NULL; row++) {
        if (sluice_column_is_null(column, first + (int64_t)row))
            ids[row] = router->null_id;
    }
}

/* Route rows of the only key, whose column is neither a dictionary nor run-end encoded. */
static sluice_status route_plain(range_router *router, const sluice_column *column, uint32_t *ids,
                                 sluice_error *error)
{
    if (!router->is_numeric) {
        for (int64_t row = 0; row < column->row_count; row++)
            SLUICE_TRY(route_single_bytes(router, column, row, &ids[row], error));
        return SLUICE_OK;
    }
    for (int64_t first = 0; first < column->row_count; first += SLUICE_CANONICAL_BLOCK_ROWS) {
        route_numbers(router, column, first,
                      (size_t)sluice_min_int64(column->row_count - first,
                                               SLUICE_CANONICAL_BLOCK_ROWS),
                      ids + first);
    }
    return SLUICE_OK;
}

/* Route one row of the only key, whatever its form. */
static sluice_status route_value(range_router *router, const sluice_column *column, int64_t row,
                                 uint32_t *id, sluice_error *error)
{
    if (!router->is_numeric)
        return route_single_bytes(router, column, row, id, error);
    if (sluice_leaf_resolve(&column, &row))
        route_numbers(router, column, row, 1, id);
    else
        *id = router->null_id;
    return SLUICE_OK;
}

static sluice_status reserve_value_ids(range_router *router, size_t count, sluice_error *error)
{
    if (count <= router->value_ids_capacity)
        return SLUICE_OK;
    sluice_free(router->allocator, router->value_ids,
                router->value_ids_capacity * sizeof(*router->value_ids));
    router->value_ids_capacity = 0;
    router->value_ids =
        sluice_allocate_zeroed(router->allocator, count, sizeof(*router->value_ids));
    if (router->value_ids == NULL)
        return sluice_fail_allocation(error, count * sizeof(*router->value_ids), "a dictionary");
    router->value_ids_capacity = count;
    return SLUICE_OK;
}

/* Each value once, when there are no more of them than rows. */
static sluice_status route_dictionary(range_router *router, const sluice_column *column,
                                      uint32_t *ids, sluice_error *error)
{
    const sluice_column *dictionary = column->dictionary;
    const bool is_short = dictionary->row_count <= column->row_count;

    if (is_short) {
        SLUICE_TRY(reserve_value_ids(router, (size_t)dictionary->row_count, error));
        for (int64_t value = 0; value < dictionary->row_count; value++) {
            SLUICE_TRY(
                route_value(router, dictionary, value, &router->value_ids[value], error));
        }
    }
    for (int64_t row = 0; row < column->row_count; row++) {
        if (is_short && !sluice_column_is_null(column, row))
            ids[row] = router->value_ids[sluice_column_dictionary_index(column, row)];
        else
            SLUICE_TRY(route_value(router, column, row, &ids[row], error));
    }
    return SLUICE_OK;
}

static sluice_status route_runs(range_router *router, const sluice_column *column, uint32_t *ids,
                                sluice_error *error)
{
    const int64_t last_run = column->children[0].row_count - 1;
    int64_t row = 0;

    if (column->row_count == 0)
        return SLUICE_OK;
    for (int64_t run = sluice_column_run(column, 0); row < column->row_count; run++) {
        /* The last run has all that is left, so that this ends whatever the run ends are. */
        const int64_t end =
            run >= last_run ? column->row_count : sluice_column_run_end(column, run);
        uint32_t id;

        SLUICE_TRY(route_value(router, &column->children[1], run, &id, error));
        for (; row < end && row < column->row_count; row++)
            ids[row] = id;
    }
    return SLUICE_OK;
}

/* Several keys: the bytes of all of them, row by row. */
static sluice_status route_composite(range_router *router, const sluice_column *root,
                                     uint32_t *ids, sluice_error *error)
{
    for (int64_t row = 0; row < root->row_count; row++) {
        router->row_bytes.byte_count = 0;
        for (size_t key = 0; key < router->key_count; key++) {
            SLUICE_TRY(sluice_key_bytes_append(&router->row_bytes, router->allocator,
                                               &root->children[router->keys[key].column], row,
                                               router->keys[key].order, error));
        }
        ids[row] = search_bytes(router);
    }
    return SLUICE_OK;
}

static sluice_status route_range(void *state, const sluice_column *root, uint32_t *ids,
                                 sluice_error *error)
{
    range_router *router = state;
    const sluice_column *column = &root->children[router->keys[0].column];

    if (router->split_count == 0) {
        memset(ids, 0, (size_t)root->row_count * sizeof(*ids));
        return SLUICE_OK;
    }
    if (router->key_count > 1)
        return route_composite(router, root, ids, error);
    if (column->field->layout == SLUICE_LAYOUT_DICTIONARY)
        return route_dictionary(router, column, ids, error);
    if (column->field->layout == SLUICE_LAYOUT_RUN_END)
        return route_runs(router, column, ids, error);
    return route_plain(router, column, ids, error);
}

const sluice_router_scheme sluice_range_router = {
    .make = make_range_router, .route = route_range, .free = free_range_router};
