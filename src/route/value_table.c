/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/value_table.c - numbers for distinct keys, in the order of first appearance
 *
 * An open-addressing hash table with linear probing, at most half full.  A slot holds the number of
 * a key plus one, 0 when it is free; keys lie one after the other in one block of bytes, and their
 * values, bit for bit as they came first, in a sluice_rows.  Whoever shares a table has a lock
 * around it.
 */
#include "route/value_table.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/math.h"
#include "route/partitioning.h"
#include "route/rows.h"

enum { SLOT_COUNT_MIN = 64 };

typedef struct table_key {
    uint64_t hash;
    size_t bytes_end; /* In bytes; the key begins where the one before it ends. */
} table_key;

struct sluice_value_table {
    sluice_allocator allocator;
    sluice_schema *schema;
    size_t column_count;
    size_t *columns;     /* Of the schema, one per key column. */
    uint32_t count_max;
    uint32_t key_count;
    sluice_bytes bytes;  /* Key bytes of all keys. */
    sluice_bytes keys;   /* table_key for each key. */
    size_t slot_count;   /* A power of two; 0 before the first key. */
    uint32_t *slots;
    sluice_rows *rows;   /* The first row of each key. */
};

static const table_key *get_key(const sluice_value_table *table, uint32_t id)
{
    return (const table_key *)(const void *)table->keys.bytes + id;
}

static bool key_is(const sluice_value_table *table, uint32_t id, uint64_t hash,
                   const uint8_t *bytes, size_t byte_count)
{
    const size_t start = id == 0 ? 0 : get_key(table, id - 1)->bytes_end;
    const table_key *key = get_key(table, id);

    return key->hash == hash && key->bytes_end - start == byte_count &&
           memcmp(table->bytes.bytes + start, bytes, byte_count) == 0;
}

static sluice_status grow_slots(sluice_value_table *table, sluice_error *error)
{
    const size_t slot_count = table->slot_count == 0 ? SLOT_COUNT_MIN : table->slot_count * 2;
    uint32_t *slots = sluice_allocate_zeroed(&table->allocator, slot_count, sizeof(*slots));

    if (slots == NULL)
        return sluice_fail_allocation(error, slot_count * sizeof(*slots), "distinct keys");
    for (uint32_t id = 0; id < table->key_count; id++) {
        size_t slot = get_key(table, id)->hash & (slot_count - 1);

        while (slots[slot] != 0)
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = id + 1;
    }
    sluice_free(&table->allocator, table->slots, table->slot_count * sizeof(*table->slots));
    table->slots = slots;
    table->slot_count = slot_count;
    return SLUICE_OK;
}

/* Keep the values of a new key. */
static sluice_status append_values(sluice_value_table *table, const sluice_column *root,
                                   int64_t row, sluice_error *error)
{
    for (size_t i = 0; i < table->column_count; i++) {
        SLUICE_TRY(sluice_rows_append(&table->rows->children[i],
                                      &root->children[table->columns[i]], row, error));
    }
    return sluice_rows_end_struct(table->rows, error);
}

/* The key is counted last: after an error the table has the keys that it had. */
static sluice_status add_key(sluice_value_table *table, uint64_t hash, const uint8_t *bytes,
                             size_t byte_count, size_t slot, sluice_error *error)
{
    SLUICE_TRY(sluice_bytes_append(&table->bytes, &table->allocator, bytes, byte_count, error));
    const table_key key = {.hash = hash, .bytes_end = table->bytes.byte_count};

    SLUICE_TRY(sluice_bytes_append(&table->keys, &table->allocator, &key, sizeof(key), error));
    table->slots[slot] = ++table->key_count;
    return SLUICE_OK;
}

sluice_status sluice_value_table_find(sluice_value_table *table, const uint8_t *bytes,
                                      size_t byte_count, const sluice_column *root, int64_t row,
                                      uint32_t *id, sluice_error *error)
{
    const uint64_t hash = XXH3_64bits(bytes, byte_count);

    if (((size_t)table->key_count + 1) * 2 > table->slot_count)
        SLUICE_TRY(grow_slots(table, error));
    size_t slot = hash & (table->slot_count - 1);

    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        if (key_is(table, table->slots[slot] - 1, hash, bytes, byte_count)) {
            *id = table->slots[slot] - 1;
            return SLUICE_OK;
        }
    }
    if (table->key_count == table->count_max) {
        return sluice_fail(error, SLUICE_INVALID,
                           "value partitioning: there are more than %u distinct keys, and %u "
                           "partitions at most",
                           (unsigned)table->count_max, (unsigned)table->count_max);
    }
    SLUICE_TRY(append_values(table, root, row, error));
    *id = table->key_count;
    return add_key(table, hash, bytes, byte_count, slot, error);
}

static sluice_status prepare_table(sluice_value_table *table,
                                   const sluice_partitioning *partitioning, sluice_error *error)
{
    const sluice_field *root = sluice_schema_root(table->schema);
    const size_t count = partitioning->key_count;
    const sluice_field **fields;
    sluice_status status = SLUICE_OK;

    table->column_count = count;
    table->columns = sluice_allocate_zeroed(&table->allocator, count, sizeof(*table->columns));
    if (table->columns == NULL)
        return sluice_fail_allocation(error, count * sizeof(*table->columns), "keys");
    fields = sluice_allocate_zeroed(&table->allocator, count, sizeof(*fields));
    if (fields == NULL)
        return sluice_fail_allocation(error, count * sizeof(*fields), "keys");
    for (size_t key = 0; key < count && status == SLUICE_OK; key++) {
        status = sluice_schema_resolve(table->schema, partitioning->keys[key].name,
                                       &table->columns[key], error);
        fields[key] = &root->children[table->columns[key]];
    }
    if (status == SLUICE_OK)
        status = sluice_rows_new(fields, count, &table->allocator, &table->rows, error);
    sluice_free(&table->allocator, fields, count * sizeof(*fields));
    return status;
}

sluice_status sluice_value_table_new(sluice_schema *schema,
                                     const sluice_partitioning *partitioning,
                                     const sluice_allocator *allocator, sluice_value_table **out,
                                     sluice_error *error)
{
    *out = NULL;
    if (partitioning->kind != SLUICE_PARTITIONING_VALUE) {
        return sluice_fail(error, SLUICE_INVALID,
                           "only value partitionings have a table of distinct keys");
    }
    sluice_value_table *table = sluice_allocate_zeroed(allocator, 1, sizeof(*table));

    if (table == NULL)
        return sluice_fail_allocation(error, sizeof(*table), "distinct keys");
    table->allocator = sluice_allocator_or_default(allocator);
    table->schema = sluice_schema_ref(schema);
    table->count_max = partitioning->partition_count;
    const sluice_status status = prepare_table(table, partitioning, error);

    if (status != SLUICE_OK) {
        sluice_value_table_free(table);
        return status;
    }
    *out = table;
    return SLUICE_OK;
}

uint32_t sluice_value_table_count(const sluice_value_table *table)
{
    return table->key_count;
}

sluice_status sluice_value_table_export(const sluice_value_table *table,
                                        struct ArrowSchema *schema_out, struct ArrowArray *out,
                                        sluice_error *error)
{
    return sluice_rows_export(table->rows, schema_out, out, error);
}

void sluice_value_table_free(sluice_value_table *table)
{
    if (table == NULL)
        return;
    const sluice_allocator allocator = table->allocator;

    sluice_rows_free(table->rows);
    sluice_free(&allocator, table->slots, table->slot_count * sizeof(*table->slots));
    sluice_bytes_deinit(&table->keys, &allocator);
    sluice_bytes_deinit(&table->bytes, &allocator);
    sluice_free(&allocator, table->columns, table->column_count * sizeof(*table->columns));
    sluice_schema_unref(table->schema);
    sluice_free(&allocator, table, sizeof(*table));
}
