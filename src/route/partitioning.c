/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/partitioning.c - where each row goes, as a value
 *
 * See partitioning_range.c for split points.
 */
#include "route/partitioning.h"

#include "base/alloc.h"
#include "base/math.h"
#include "route/partitioning_new.h"

static sluice_status check_partition_count(uint32_t partition_count, const char *kind,
                                           sluice_error *error)
{
    if (partition_count >= 1 && partition_count <= SLUICE_PARTITIONS_MAX)
        return SLUICE_OK;
    return sluice_fail(error, SLUICE_INVALID,
                       "%s partitioning: %u partitions, the count must be between 1 and %d", kind,
                       (unsigned)partition_count, SLUICE_PARTITIONS_MAX);
}

static sluice_status check_key_names(const char *const *names, size_t key_count, const char *kind,
                                     sluice_error *error)
{
    if (key_count == 0)
        return sluice_fail(error, SLUICE_INVALID, "%s partitioning: there is no key", kind);
    if (key_count > SLUICE_PARTITIONING_KEYS_MAX) {
        return sluice_fail(error, SLUICE_INVALID, "%s partitioning: %zu keys, at most %d can be",
                           kind, key_count, SLUICE_PARTITIONING_KEYS_MAX);
    }
    for (size_t key = 0; key < key_count; key++) {
        if (names[key] == NULL) {
            return sluice_fail(error, SLUICE_INVALID, "%s partitioning: key %zu has no name", kind,
                               key);
        }
        for (size_t before = 0; before < key; before++) {
            if (strcmp(names[before], names[key]) == 0) {
                return sluice_fail(error, SLUICE_INVALID,
                                   "%s partitioning: key %s is there twice", kind, names[key]);
            }
        }
    }
    return SLUICE_OK;
}

static sluice_status copy_key_names(sluice_partitioning *partitioning, const char *const *names,
                                    sluice_error *error)
{
    for (size_t key = 0; key < partitioning->key_count; key++) {
        partitioning->keys[key].name = sluice_copy_string(NULL, names[key]);
        if (partitioning->keys[key].name == NULL)
            return sluice_fail_allocation(error, strlen(names[key]) + 1, "the name of a key");
    }
    return SLUICE_OK;
}

sluice_status sluice_partitioning_new_keyed(sluice_partitioning_kind kind,
                                            const char *const *names, size_t key_count,
                                            uint32_t partition_count, sluice_partitioning **out,
                                            sluice_error *error)
{
    const char *kind_name = sluice_partitioning_kind_name(kind);

    *out = NULL;
    SLUICE_TRY(check_partition_count(partition_count, kind_name, error));
    if (kind != SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES &&
        kind != SLUICE_PARTITIONING_ROUND_ROBIN_ROWS)
        SLUICE_TRY(check_key_names(names, key_count, kind_name, error));

    sluice_partitioning *partitioning = sluice_allocate_zeroed(NULL, 1, sizeof(*partitioning));
    sluice_status status;

    if (partitioning == NULL)
        return sluice_fail_allocation(error, sizeof(*partitioning), "a partitioning");
    partitioning->kind = kind;
    partitioning->partition_count = partition_count;
    partitioning->key_count = key_count;
    partitioning->keys = sluice_allocate_zeroed(NULL, key_count, sizeof(*partitioning->keys));
    if (partitioning->keys == NULL && key_count > 0)
        status = sluice_fail_allocation(error, key_count * sizeof(*partitioning->keys), "keys");
    else
        status = copy_key_names(partitioning, names, error);
    if (status != SLUICE_OK) {
        sluice_partitioning_free(partitioning);
        return status;
    }
    *out = partitioning;
    return SLUICE_OK;
}

const char *sluice_partitioning_kind_name(sluice_partitioning_kind kind)
{
    switch (kind) {
    case SLUICE_PARTITIONING_HASH:
        return "hash";
    case SLUICE_PARTITIONING_RANGE:
        return "range";
    case SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES:
    case SLUICE_PARTITIONING_ROUND_ROBIN_ROWS:
        return "round-robin";
    case SLUICE_PARTITIONING_VALUE:
        return "value";
    case SLUICE_PARTITIONING_IDS:
        return "ids";
    }
    return "unknown";
}

sluice_status sluice_partitioning_new_hash(const char *const *key_names, size_t key_count,
                                           uint32_t partition_count, sluice_hash_scheme scheme,
                                           sluice_partitioning **out, sluice_error *error)
{
    *out = NULL;
    if (scheme != SLUICE_HASH_SLUICE1) {
        return sluice_fail(error, SLUICE_UNSUPPORTED, "hash partitioning: there is no scheme %d",
                           (int)scheme);
    }
    SLUICE_TRY(sluice_partitioning_new_keyed(SLUICE_PARTITIONING_HASH, key_names, key_count,
                                             partition_count, out, error));
    (*out)->scheme = scheme;
    return SLUICE_OK;
}

sluice_status sluice_partitioning_new_round_robin(sluice_partitioning_kind kind,
                                                  uint32_t partition_count,
                                                  sluice_partitioning **out, sluice_error *error)
{
    *out = NULL;
    if (kind != SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES &&
        kind != SLUICE_PARTITIONING_ROUND_ROBIN_ROWS) {
        return sluice_fail(error, SLUICE_INVALID,
                           "round-robin partitioning: kind %d is neither batches nor rows",
                           (int)kind);
    }
    return sluice_partitioning_new_keyed(kind, NULL, 0, partition_count, out, error);
}

sluice_status sluice_partitioning_new_value(const char *const *key_names, size_t key_count,
                                            uint32_t partition_count_max,
                                            sluice_partitioning **out, sluice_error *error)
{
    return sluice_partitioning_new_keyed(SLUICE_PARTITIONING_VALUE, key_names, key_count,
                                         partition_count_max, out, error);
}

sluice_status sluice_partitioning_new_ids(const char *column_name, uint32_t partition_count,
                                          sluice_partitioning **out, sluice_error *error)
{
    return sluice_partitioning_new_keyed(SLUICE_PARTITIONING_IDS, &column_name, 1,
                                         partition_count, out, error);
}

sluice_partitioning_kind sluice_partitioning_get_kind(const sluice_partitioning *partitioning)
{
    return partitioning->kind;
}

uint32_t sluice_partitioning_get_count(const sluice_partitioning *partitioning)
{
    return partitioning->partition_count;
}

size_t sluice_partitioning_get_key_count(const sluice_partitioning *partitioning)
{
    return partitioning->key_count;
}

const char *sluice_partitioning_get_key_name(const sluice_partitioning *partitioning,
                                             size_t key_index)
{
    return key_index < partitioning->key_count ? partitioning->keys[key_index].name : NULL;
}

static bool keys_are_equal(const sluice_partitioning *left, const sluice_partitioning *right)
{
    if (left->key_count != right->key_count)
        return false;
    for (size_t key = 0; key < left->key_count; key++) {
        if (strcmp(left->keys[key].name, right->keys[key].name) != 0 ||
            left->keys[key].descending != right->keys[key].descending ||
            left->keys[key].nulls_first != right->keys[key].nulls_first)
            return false;
    }
    return true;
}

bool sluice_partitioning_equal(const sluice_partitioning *left, const sluice_partitioning *right)
{
    if (left->kind != right->kind || left->scheme != right->scheme ||
        left->partition_count != right->partition_count || !keys_are_equal(left, right))
        return false;
    return left->kind != SLUICE_PARTITIONING_RANGE ||
           sluice_partitioning_splits_are_equal(left, right);
}

static sluice_status copy_range(const sluice_partitioning *partitioning,
                                sluice_partitioning **out, sluice_error *error)
{
    const size_t key_count = partitioning->key_count;
    sluice_sort_key *keys = sluice_allocate_zeroed(NULL, key_count, sizeof(*keys));
    struct ArrowSchema schema = {0};
    sluice_status status;

    if (keys == NULL)
        return sluice_fail_allocation(error, key_count * sizeof(*keys), "keys");
    for (size_t key = 0; key < key_count; key++) {
        keys[key] = (sluice_sort_key){.name = partitioning->keys[key].name,
                                      .descending = partitioning->keys[key].descending,
                                      .nulls_first = partitioning->keys[key].nulls_first};
    }
    status = sluice_field_export(sluice_schema_root(partitioning->splits_schema), &schema, error);
    if (status == SLUICE_OK) {
        status = sluice_partitioning_new_range(keys, key_count, &schema,
                                               &partitioning->splits_array,
                                               partitioning->is_total_order, out, error);
        schema.release(&schema);
    }
    sluice_free(NULL, keys, key_count * sizeof(*keys));
    return status;
}

sluice_status sluice_partitioning_copy(const sluice_partitioning *partitioning,
                                       sluice_partitioning **out, sluice_error *error)
{
    const char *names[SLUICE_PARTITIONING_KEYS_MAX];

    *out = NULL;
    if (partitioning->kind == SLUICE_PARTITIONING_RANGE)
        return copy_range(partitioning, out, error);
    for (size_t key = 0; key < partitioning->key_count; key++)
        names[key] = partitioning->keys[key].name;
    SLUICE_TRY(sluice_partitioning_new_keyed(partitioning->kind, names, partitioning->key_count,
                                             partitioning->partition_count, out, error));
    (*out)->scheme = partitioning->scheme;
    return SLUICE_OK;
}

void sluice_partitioning_free(sluice_partitioning *partitioning)
{
    if (partitioning == NULL)
        return;
    for (size_t key = 0; partitioning->keys != NULL && key < partitioning->key_count; key++)
        sluice_free_string(NULL, partitioning->keys[key].name);
    sluice_free(NULL, partitioning->keys,
                partitioning->key_count * sizeof(*partitioning->keys));
    sluice_free(NULL, partitioning->split_ends,
                partitioning->split_count * sizeof(*partitioning->split_ends));
    sluice_bytes_deinit(&partitioning->split_bytes, NULL);
    sluice_column_free(partitioning->splits, NULL);
    if (partitioning->splits_array.release != NULL)
        partitioning->splits_array.release(&partitioning->splits_array);
    sluice_schema_unref(partitioning->splits_schema);
    sluice_free(NULL, partitioning, sizeof(*partitioning));
}
