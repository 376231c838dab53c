/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/partitioning_range.c - split points
 *
 * However split points come, they go through sluice_rows, which gives them one plain form, and are
 * checked here: types that have an order, and values that increase strictly in the declared order.
 */
#include "arrow/validate.h"
#include "base/alloc.h"
#include "base/math.h"
#include "route/key_types.h"
#include "route/partitioning_new.h"

enum { SPLIT_TEXT_BYTES = 96, TYPE_TEXT_BYTES = 128 };

static sluice_status check_split_types(const sluice_field *root, const sluice_sort_key *keys,
                                       sluice_error *error)
{
    for (size_t key = 0; key < root->child_count; key++) {
        if (sluice_key_type_is_ordered(&root->children[key]))
            continue;
        char type[TYPE_TEXT_BYTES];

        sluice_field_describe(&root->children[key], type, sizeof(type));
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "range key %s: there is no order for type %s", keys[key].name, type);
    }
    return SLUICE_OK;
}

/* Take the split points from the table and make the view of them. */
static sluice_status set_splits(sluice_partitioning *partitioning, const sluice_rows *splits,
                                sluice_error *error)
{
    struct ArrowSchema schema = {0};
    sluice_status status;

    SLUICE_TRY(sluice_rows_export(splits, &schema, &partitioning->splits_array, error));
    status = sluice_schema_import(&schema, NULL, &partitioning->splits_schema, error);
    schema.release(&schema);
    SLUICE_TRY(status);
    SLUICE_TRY(sluice_column_new(sluice_schema_root(partitioning->splits_schema), NULL,
                                 &partitioning->splits, error));
    sluice_column_set(partitioning->splits, &partitioning->splits_array);
    return SLUICE_OK;
}

static sluice_status write_split_bytes(sluice_partitioning *partitioning, sluice_error *error)
{
    const size_t ends_bytes = partitioning->split_count * sizeof(*partitioning->split_ends);

    if (partitioning->split_count == 0)
        return SLUICE_OK;
    partitioning->split_ends = sluice_allocate(NULL, ends_bytes);
    if (partitioning->split_ends == NULL)
        return sluice_fail_allocation(error, ends_bytes, "split points");
    for (uint32_t split = 0; split < partitioning->split_count; split++) {
        for (size_t key = 0; key < partitioning->key_count; key++) {
            SLUICE_TRY(sluice_key_bytes_append(&partitioning->split_bytes, NULL,
                                               &partitioning->splits->children[key], split,
                                               sluice_partitioning_key_order(partitioning, key),
                                               error));
        }
        partitioning->split_ends[split] = partitioning->split_bytes.byte_count;
    }
    return SLUICE_OK;
}

static sluice_status check_split_order(const sluice_partitioning *partitioning,
                                       sluice_error *error)
{
    const uint8_t *bytes = partitioning->split_bytes.bytes;
    const size_t *ends = partitioning->split_ends;

    for (uint32_t split = 1; split < partitioning->split_count; split++) {
        const size_t start = split == 1 ? 0 : ends[split - 2];
        const int order =
            sluice_key_bytes_compare(bytes + start, ends[split - 1] - start,
                                     bytes + ends[split - 1], ends[split] - ends[split - 1]);

        if (order < 0)
            continue;
        char left[SPLIT_TEXT_BYTES], right[SPLIT_TEXT_BYTES];

        sluice_partitioning_describe_split(partitioning->splits, split - 1, left, sizeof(left));
        sluice_partitioning_describe_split(partitioning->splits, split, right, sizeof(right));
        return sluice_fail(error, SLUICE_INVALID,
                           "range partitioning: split points must increase strictly in the order "
                           "of the keys, but split %u is %s and split %u is %s%s",
                           (unsigned)split - 1, left, (unsigned)split, right,
                           order == 0 ? ", which is equal" : "");
    }
    return SLUICE_OK;
}

sluice_status sluice_partitioning_new_range_from_rows(const sluice_sort_key *keys,
                                                      size_t key_count, const sluice_rows *splits,
                                                      bool is_total_order,
                                                      sluice_partitioning **out,
                                                      sluice_error *error)
{
    const char *names[SLUICE_PARTITIONING_KEYS_MAX] = {NULL};
    sluice_partitioning *made;
    sluice_status status;

    *out = NULL;
    SLUICE_ASSERT(splits->field.child_count == key_count);
    if (splits->row_count >= SLUICE_PARTITIONS_MAX) {
        return sluice_fail(error, SLUICE_INVALID,
                           "range partitioning: %lld split points, at most %d can be",
                           (long long)splits->row_count, SLUICE_PARTITIONS_MAX - 1);
    }
    for (size_t key = 0; key < key_count && key < SLUICE_PARTITIONING_KEYS_MAX; key++)
        names[key] = keys[key].name;
    SLUICE_TRY(sluice_partitioning_new_keyed(SLUICE_PARTITIONING_RANGE, names, key_count,
                                             (uint32_t)splits->row_count + 1, &made, error));
    for (size_t key = 0; key < key_count; key++) {
        made->keys[key].descending = keys[key].descending;
        made->keys[key].nulls_first = keys[key].nulls_first;
    }
    made->is_total_order = is_total_order;
    made->split_count = (uint32_t)splits->row_count;
    status = check_split_types(&splits->field, keys, error);
    if (status == SLUICE_OK)
        status = set_splits(made, splits, error);
    if (status == SLUICE_OK)
        status = write_split_bytes(made, error);
    if (status == SLUICE_OK)
        status = check_split_order(made, error);
    if (status != SLUICE_OK) {
        sluice_partitioning_free(made);
        return status;
    }
    *out = made;
    return SLUICE_OK;
}

/* Copy an array of split points, which comes from outside, into a table. */
static sluice_status copy_splits(sluice_schema *schema, const struct ArrowArray *splits,
                                 sluice_rows **out, sluice_error *error)
{
    const sluice_field *root = sluice_schema_root(schema);
    const sluice_field *fields[SLUICE_PARTITIONING_KEYS_MAX];
    sluice_column *view = NULL;
    sluice_rows *rows = NULL;
    sluice_status status;

    *out = NULL;
    for (size_t key = 0; key < root->child_count; key++)
        fields[key] = &root->children[key];
    SLUICE_TRY(sluice_validate_array(root, splits, true, NULL, error));
    SLUICE_TRY(sluice_column_new(root, NULL, &view, error));
    sluice_column_set(view, splits);
    status = sluice_rows_new(fields, root->child_count, NULL, &rows, error);
    for (int64_t row = 0; row < view->row_count && status == SLUICE_OK; row++) {
        if (sluice_column_is_null(view, row)) {
            status = sluice_fail(error, SLUICE_INVALID,
                                 "range partitioning: split %lld is null as a whole",
                                 (long long)row);
        } else {
            status = sluice_rows_append(rows, view, row, error);
        }
    }
    sluice_column_free(view, NULL);
    if (status != SLUICE_OK) {
        sluice_rows_free(rows);
        return status;
    }
    *out = rows;
    return SLUICE_OK;
}

sluice_status sluice_partitioning_new_range(const sluice_sort_key *keys, size_t key_count,
                                            const struct ArrowSchema *splits_schema,
                                            const struct ArrowArray *splits, bool is_total_order,
                                            sluice_partitioning **out, sluice_error *error)
{
    sluice_schema *schema = NULL;
    sluice_rows *rows = NULL;
    sluice_status status;

    *out = NULL;
    if (key_count > SLUICE_PARTITIONING_KEYS_MAX) {
        return sluice_fail(error, SLUICE_INVALID, "range partitioning: %zu keys, at most %d can be",
                           key_count, SLUICE_PARTITIONING_KEYS_MAX);
    }
    SLUICE_TRY(sluice_schema_import(splits_schema, NULL, &schema, error));
    const size_t width = sluice_schema_root(schema)->child_count;

    if (width != key_count) {
        status = sluice_fail(error, SLUICE_INVALID,
                             "range partitioning: split points have width %zu, but the order has "
                             "width %zu",
                             width, key_count);
    } else {
        status = copy_splits(schema, splits, &rows, error);
    }
    if (status == SLUICE_OK) {
        status = sluice_partitioning_new_range_from_rows(keys, key_count, rows, is_total_order,
                                                         out, error);
    }
    sluice_rows_free(rows);
    sluice_schema_unref(schema);
    return status;
}

bool sluice_partitioning_splits_are_equal(const sluice_partitioning *left,
                                          const sluice_partitioning *right)
{
    if (left->is_total_order != right->is_total_order ||
        left->split_count != right->split_count ||
        left->split_bytes.byte_count != right->split_bytes.byte_count)
        return false;
    if (!sluice_key_types_match(left->splits->field, right->splits->field))
        return false;
    if (left->split_count == 0)
        return true;
    return memcmp(left->split_ends, right->split_ends,
                  left->split_count * sizeof(*left->split_ends)) == 0 &&
           memcmp(left->split_bytes.bytes, right->split_bytes.bytes,
                  left->split_bytes.byte_count) == 0;
}
