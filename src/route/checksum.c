/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/checksum.c - a sum over rows that does not depend on their order
 *
 * The 128-bit hash of a row is its sluice1 hash over all columns with one seed and with another.
 * Both fold the same canonical values, so that the second costs little.
 */
#include "sluice/checksum.h"

#include "arrow/validate.h"
#include "base/alloc.h"
#include "base/math.h"
#include "route/row_hash.h"

/* XXH3_64bits() of "sluice1 checksum low" and "sluice1 checksum high". */
#define CHECKSUM_SEED_LOW UINT64_C(0xd6eefa30ccf879f2)
#define CHECKSUM_SEED_HIGH UINT64_C(0x3a9dd5e3b7d1da35)

struct sluice_checksummer {
    sluice_schema *schema;
    sluice_column *root;
    sluice_row_hasher *hasher;
    uint64_t low[SLUICE_CANONICAL_BLOCK_ROWS];
    uint64_t high[SLUICE_CANONICAL_BLOCK_ROWS];
};

sluice_status sluice_checksummer_new(const struct ArrowSchema *schema, sluice_checksummer **out,
                                     sluice_error *error)
{
    sluice_checksummer *checksummer = sluice_allocate_zeroed(NULL, 1, sizeof(*checksummer));
    sluice_status status;

    *out = NULL;
    if (checksummer == NULL)
        return sluice_fail_allocation(error, sizeof(*checksummer), "a checksummer");
    status = sluice_schema_import(schema, NULL, &checksummer->schema, error);
    if (status == SLUICE_OK) {
        status = sluice_column_new(sluice_schema_root(checksummer->schema), NULL,
                                   &checksummer->root, error);
    }
    if (status == SLUICE_OK) {
        status = sluice_row_hasher_new(checksummer->schema, NULL, 0, sluice_kernels_choose(), NULL,
                                       &checksummer->hasher, error);
    }
    if (status != SLUICE_OK) {
        sluice_checksummer_free(checksummer);
        return status;
    }
    *out = checksummer;
    return SLUICE_OK;
}

void sluice_checksum_add(sluice_checksum *sum, const sluice_checksum *other)
{
    const sluice_checksum added = *other; /* A sum can be added to itself. */

    sum->low += added.low;
    sum->high += added.high + (sum->low < added.low);
}

static void add_block(sluice_checksummer *checksummer, int64_t first, size_t row_count,
                      sluice_checksum *sum)
{
    uint64_t *const hashes[SLUICE_ROW_HASH_SEEDS_MAX] = {checksummer->low, checksummer->high};

    for (size_t row = 0; row < row_count; row++) {
        checksummer->low[row] = CHECKSUM_SEED_LOW;
        checksummer->high[row] = CHECKSUM_SEED_HIGH;
    }
    sluice_row_hasher_block(checksummer->hasher, checksummer->root, first, row_count, 2, hashes);
    for (size_t row = 0; row < row_count; row++) {
        const sluice_checksum hash = {checksummer->low[row], checksummer->high[row]};

        sluice_checksum_add(sum, &hash);
    }
}

sluice_status sluice_checksummer_add(sluice_checksummer *checksummer,
                                     const struct ArrowArray *batch, sluice_checksum *sum,
                                     sluice_error *error)
{
    SLUICE_TRY(sluice_validate_array(sluice_schema_root(checksummer->schema), batch, false, NULL,
                                     error));
    sluice_column_set(checksummer->root, batch);
    if (sluice_column_count_nulls(checksummer->root) > 0)
        return sluice_fail(error, SLUICE_BAD_DATA, "batch: rows are null as a whole");
    sluice_row_hasher_begin(checksummer->hasher);
    for (int64_t first = 0; first < batch->length; first += SLUICE_CANONICAL_BLOCK_ROWS) {
        add_block(checksummer, first,
                  (size_t)sluice_min_int64(batch->length - first, SLUICE_CANONICAL_BLOCK_ROWS),
                  sum);
    }
    return SLUICE_OK;
}

void sluice_checksummer_free(sluice_checksummer *checksummer)
{
    if (checksummer == NULL)
        return;
    sluice_row_hasher_free(checksummer->hasher);
    sluice_column_free(checksummer->root, NULL);
    sluice_schema_unref(checksummer->schema);
    sluice_free(NULL, checksummer, sizeof(*checksummer));
}
