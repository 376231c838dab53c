/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/row_hash.c - the sluice1 hash of some columns of a batch, row by row
 */
#include "route/row_hash.h"

#include "base/alloc.h"
#include "base/math.h"

typedef struct hashed_column {
    size_t column;
    sluice_canonical *canonical;
} hashed_column;

struct sluice_row_hasher {
    sluice_allocator allocator;
    const sluice_kernels *kernels;
    uint64_t *values; /* SLUICE_CANONICAL_BLOCK_ROWS of them. */
    size_t column_count;
    hashed_column *columns;
};

enum { ROW_HASH_VALUES_BYTES = SLUICE_CANONICAL_BLOCK_ROWS * 8 };

static sluice_status prepare_columns(sluice_row_hasher *hasher, const sluice_schema *schema,
                                     const size_t *columns, sluice_error *error)
{
    const sluice_field *root = sluice_schema_root(schema);

    for (size_t i = 0; i < hasher->column_count; i++) {
        hashed_column *hashed = &hasher->columns[i];

        hashed->column = columns == NULL ? i : columns[i];
        SLUICE_TRY(sluice_canonical_new(&root->children[hashed->column], hasher->kernels,
                                        &hasher->allocator, &hashed->canonical, error));
    }
    return SLUICE_OK;
}

sluice_status sluice_row_hasher_new(const sluice_schema *schema, const size_t *columns,
                                    size_t column_count, const sluice_kernels *kernels,
                                    const sluice_allocator *allocator, sluice_row_hasher **out,
                                    sluice_error *error)
{
    sluice_row_hasher *hasher = sluice_allocate_zeroed(allocator, 1, sizeof(*hasher));
    sluice_status status;

    *out = NULL;
    if (hasher == NULL)
        return sluice_fail_allocation(error, sizeof(*hasher), "row hashing");
    hasher->allocator = sluice_allocator_or_default(allocator);
    hasher->kernels = kernels;
    hasher->column_count =
        columns == NULL ? sluice_schema_root(schema)->child_count : column_count;
    hasher->values = sluice_allocate(allocator, ROW_HASH_VALUES_BYTES);
    hasher->columns =
        sluice_allocate_zeroed(allocator, hasher->column_count, sizeof(*hasher->columns));
    if (hasher->values == NULL || (hasher->columns == NULL && hasher->column_count > 0)) {
        status = sluice_fail_allocation(
            error, ROW_HASH_VALUES_BYTES + hasher->column_count * sizeof(*hasher->columns),
            "row hashing");
    } else {
        status = prepare_columns(hasher, schema, columns, error);
    }
    if (status != SLUICE_OK) {
        sluice_row_hasher_free(hasher);
        return status;
    }
    *out = hasher;
    return SLUICE_OK;
}

void sluice_row_hasher_begin(sluice_row_hasher *hasher)
{
    for (size_t i = 0; i < hasher->column_count; i++)
        sluice_canonical_reset(hasher->columns[i].canonical);
}

void sluice_row_hasher_block(sluice_row_hasher *hasher, const sluice_column *root, int64_t first,
                             size_t row_count, size_t hash_count,
                             uint64_t *const hashes[SLUICE_ROW_HASH_SEEDS_MAX])
{
    SLUICE_ASSERT(hash_count <= SLUICE_ROW_HASH_SEEDS_MAX);
    for (size_t i = 0; i < hasher->column_count; i++) {
        const sluice_column *column = &root->children[hasher->columns[i].column];
        const uint64_t *values = sluice_canonical_direct(column);

        if (values != NULL) {
            values += first;
        } else {
            sluice_canonical_fill(hasher->columns[i].canonical, column, first, row_count,
                                  hasher->values);
            values = hasher->values;
        }
        for (size_t hash = 0; hash < hash_count; hash++)
            hasher->kernels->hash_fold(values, row_count, hashes[hash]);
    }
}

void sluice_row_hasher_free(sluice_row_hasher *hasher)
{
    if (hasher == NULL)
        return;
    const sluice_allocator allocator = hasher->allocator;

    for (size_t i = 0; hasher->columns != NULL && i < hasher->column_count; i++)
        sluice_canonical_free(hasher->columns[i].canonical, &allocator);
    sluice_free(&allocator, hasher->columns, hasher->column_count * sizeof(*hasher->columns));
    sluice_free(&allocator, hasher->values, ROW_HASH_VALUES_BYTES);
    sluice_free(&allocator, hasher, sizeof(*hasher));
}
