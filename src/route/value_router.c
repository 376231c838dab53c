/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/value_router.c - one partition for each distinct key
 *
 * Rows are looked up in the value table, which the inputs share, by their key bytes.  A row with
 * the key of the row before it is not looked up again, and neither are the values of a dictionary
 * that is the only key and no longer than its column.
 */
#include "base/alloc.h"
#include "base/math.h"
#include "route/router_types.h"
#include "route/value_table.h"

/* No key has this number: there are at most SLUICE_PARTITIONS_MAX. */
#define UNKNOWN_ID UINT32_MAX

typedef struct value_router {
    const sluice_allocator *allocator;
    sluice_value_table *table; /* Shared. */
    size_t key_count;
    size_t *columns;
    sluice_bytes row_bytes[2]; /* Of the row at hand and of the one before it. */
    uint32_t *value_ids;       /* Of a dictionary's values, as far as they are known. */
    size_t value_ids_capacity;
} value_router;

static void free_value_router(void *state)
{
    value_router *router = state;

    if (router == NULL)
        return;
    sluice_free(router->allocator, router->value_ids,
                router->value_ids_capacity * sizeof(*router->value_ids));
    sluice_bytes_deinit(&router->row_bytes[1], router->allocator);
    sluice_bytes_deinit(&router->row_bytes[0], router->allocator);
    sluice_free(router->allocator, router->columns,
                router->key_count * sizeof(*router->columns));
    sluice_free(router->allocator, router, sizeof(*router));
}

static sluice_status make_value_router(const sluice_router_setup *setup, void **state,
                                       sluice_error *error)
{
    const size_t key_count = setup->partitioning->key_count;

    *state = NULL;
    if (setup->options->values == NULL)
        return sluice_fail(error, SLUICE_INVALID, "a value router needs a table of keys");
    value_router *router = sluice_allocate_zeroed(setup->allocator, 1, sizeof(*router));

    if (router == NULL)
        return sluice_fail_allocation(error, sizeof(*router), "a router");
    router->allocator = setup->allocator;
    router->table = setup->options->values;
    router->key_count = key_count;
    router->columns = sluice_allocate(setup->allocator, key_count * sizeof(*router->columns));
    if (router->columns == NULL) {
        free_value_router(router);
        return sluice_fail_allocation(error, key_count * sizeof(*router->columns), "keys");
    }
    memcpy(router->columns, setup->key_columns, key_count * sizeof(*router->columns));
    *state = router;
    return SLUICE_OK;
}

/* Write the key of a row. */
static sluice_status write_row(value_router *router, const sluice_column *root, int64_t row,
                               sluice_bytes *out, sluice_error *error)
{
    const sluice_key_order order = {.nulls_first = true};

    out->byte_count = 0;
    for (size_t key = 0; key < router->key_count; key++) {
        SLUICE_TRY(sluice_key_bytes_append(out, router->allocator,
                                           &root->children[router->columns[key]], row, order,
                                           error));
    }
    return SLUICE_OK;
}

static sluice_status route_row(value_router *router, const sluice_column *root, int64_t row,
                               uint32_t *id, sluice_error *error)
{
    sluice_bytes *key = &router->row_bytes[0];

    SLUICE_TRY(write_row(router, root, row, key, error));
    return sluice_value_table_find(router->table, key->bytes, key->byte_count, root, row, id,
                                   error);
}

static bool bytes_are_equal(const sluice_bytes *left, const sluice_bytes *right)
{
    return left->byte_count == right->byte_count &&
           memcmp(left->bytes, right->bytes, left->byte_count) == 0;
}

static sluice_status route_rows(value_router *router, const sluice_column *root, uint32_t *ids,
                                sluice_error *error)
{
    for (int64_t row = 0; row < root->row_count; row++) {
        sluice_bytes *key = &router->row_bytes[row & 1];

        SLUICE_TRY(write_row(router, root, row, key, error));
        if (row > 0 && bytes_are_equal(key, &router->row_bytes[(row & 1) ^ 1])) {
            ids[row] = ids[row - 1];
            continue;
        }
        SLUICE_TRY(sluice_value_table_find(router->table, key->bytes, key->byte_count, root, row,
                                           &ids[row], error));
    }
    return SLUICE_OK;
}

/* Forget the numbers of a dictionary's values; false when there is no memory to know them. */
static bool prepare_value_ids(value_router *router, size_t count)
{
    if (count > router->value_ids_capacity) {
        sluice_free(router->allocator, router->value_ids,
                    router->value_ids_capacity * sizeof(*router->value_ids));
        router->value_ids_capacity = 0;
        router->value_ids = sluice_allocate(router->allocator, count * sizeof(*router->value_ids));
        if (router->value_ids == NULL)
            return false;
        router->value_ids_capacity = count;
    }
    for (size_t value = 0; value < count; value++)
        router->value_ids[value] = UNKNOWN_ID;
    return true;
}

/* Only values that rows have are looked up: the others are no keys. */
static sluice_status route_dictionary_rows(value_router *router, const sluice_column *root,
                                           uint32_t *ids, sluice_error *error)
{
    const sluice_column *column = &root->children[router->columns[0]];

    for (int64_t row = 0; row < root->row_count; row++) {
        if (sluice_column_is_null(column, row)) {
            SLUICE_TRY(route_row(router, root, row, &ids[row], error));
            continue;
        }
        uint32_t *id = &router->value_ids[sluice_column_dictionary_index(column, row)];

        if (*id == UNKNOWN_ID)
            SLUICE_TRY(route_row(router, root, row, id, error));
        ids[row] = *id;
    }
    return SLUICE_OK;
}

static sluice_status route_values(void *state, const sluice_column *root, uint32_t *ids,
                                  sluice_error *error)
{
    value_router *router = state;
    const sluice_column *column = &root->children[router->columns[0]];

    if (router->key_count == 1 && column->field->layout == SLUICE_LAYOUT_DICTIONARY &&
        column->dictionary->row_count <= column->row_count &&
        prepare_value_ids(router, (size_t)column->dictionary->row_count))
        return route_dictionary_rows(router, root, ids, error);
    return route_rows(router, root, ids, error);
}

const sluice_router_scheme sluice_value_router = {
    .make = make_value_router, .route = route_values, .free = free_value_router};
