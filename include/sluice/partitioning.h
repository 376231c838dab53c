/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/partitioning.h - where each row goes, as a value
 *
 * A partitioning names the scheme, the key columns and the number of partitions.  It is immutable
 * once made, holds no data but its split points, may be used from any thread, and is compared,
 * copied and written to JSON like any other value.  It knows columns by name and meets a schema
 * only when an exchange or a partitioner is made with it.
 *
 *     scheme            partition of a row
 *     hash              a function of its key: equal keys meet
 *     range             the number of split points that are not greater than its key
 *     round robin       its turn: row r of an input, or batch b of an input
 *     value             one partition per distinct key, numbered as they appear
 *     ids               the number in an integer column
 */
#ifndef SLUICE_PARTITIONING_H
#define SLUICE_PARTITIONING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/arrow_abi.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_partitioning sluice_partitioning;

typedef enum sluice_partitioning_kind {
    SLUICE_PARTITIONING_HASH = 1,
    SLUICE_PARTITIONING_RANGE = 2,
    SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES = 3,
    SLUICE_PARTITIONING_ROUND_ROBIN_ROWS = 4,
    SLUICE_PARTITIONING_VALUE = 5,
    SLUICE_PARTITIONING_IDS = 6
} sluice_partitioning_kind;

/* Hash functions with a stable definition.  docs/sluice1.md defines the native one. */
typedef enum sluice_hash_scheme {
    SLUICE_HASH_SLUICE1 = 1
} sluice_hash_scheme;

/* One column of a range key.  Null placement does not depend on the direction. */
typedef struct sluice_sort_key {
    const char *name;
    bool descending;
    bool nulls_first;
} sluice_sort_key;

/* Partition counts are between 1 and this. */
enum { SLUICE_PARTITIONS_MAX = 16777216 };

/*
 * Rows with equal keys go to the same one of partition_count partitions.  At least one key; no
 * name twice.  Names are copied.
 */
SLUICE_API sluice_status sluice_partitioning_new_hash(const char *const *key_names,
                                                      size_t key_count, uint32_t partition_count,
                                                      sluice_hash_scheme scheme,
                                                      sluice_partitioning **out,
                                                      sluice_error *error);

/*
 * Rows go to the partition whose bounds hold their key.  The split points are the rows of a struct
 * array with one column per key, in the order of the keys: s of them make s + 1 partitions.  They
 * must increase strictly in the declared order.  A row equal to split i goes to partition i + 1.
 * Both structures stay the caller's; their contents are copied.
 *
 * NaN is greater than every number and -0.0 equals 0.0; with is_total_order floats follow IEEE 754
 * totalOrder instead.  Strings and binary are compared byte by byte, lists and structs element by
 * element (a shorter list first), intervals component by component: days before milliseconds,
 * months before days before nanoseconds.  nulls_first holds inside of lists and structs too.  Maps
 * and unions have no order: SLUICE_UNSUPPORTED.
 *
 * A key column may have another form or width than its split points: dictionaries, run-ends, views;
 * integers of any width and sign; floats of any width; decimals of the same scale; binary and
 * fixed-size binary; timestamps of the same unit in any time zone.  Anything else is SLUICE_INVALID
 * when the partitioning meets the schema.
 */
SLUICE_API sluice_status sluice_partitioning_new_range(const sluice_sort_key *keys,
                                                       size_t key_count,
                                                       const struct ArrowSchema *splits_schema,
                                                       const struct ArrowArray *splits,
                                                       bool is_total_order,
                                                       sluice_partitioning **out,
                                                       sluice_error *error);

/*
 * The same for one key, with split points as text, for example from a command line.  The type is
 * that of the key's column in schema.  Texts are what JSON values are (see sluice-format(5)), with
 * binary as it is; NULL is a null, and so is an empty text where it is no value.  Everything is
 * the caller's and not kept.
 */
SLUICE_API sluice_status sluice_partitioning_new_range_from_text(
    const sluice_sort_key *key, const char *const *values, size_t value_count,
    const struct ArrowSchema *schema, bool is_total_order, sluice_partitioning **out,
    sluice_error *error);

/*
 * Batches (whole, by reference) or single rows go to the partitions in turn.  Input i of k starts
 * at partition floor(i * partition_count / k) with batches, at partition 0 with rows.
 */
SLUICE_API sluice_status sluice_partitioning_new_round_robin(sluice_partitioning_kind kind,
                                                             uint32_t partition_count,
                                                             sluice_partitioning **out,
                                                             sluice_error *error);

/*
 * Each distinct key gets a partition of its own, numbered in the order of first appearance.  More
 * than partition_count_max distinct keys are an error when they appear.
 */
SLUICE_API sluice_status sluice_partitioning_new_value(const char *const *key_names,
                                                       size_t key_count,
                                                       uint32_t partition_count_max,
                                                       sluice_partitioning **out,
                                                       sluice_error *error);

/*
 * The partition of a row is the value of an integer column (any width, signed or not).  A null, a
 * negative value or one that is not below partition_count is an error when it appears.
 */
SLUICE_API sluice_status sluice_partitioning_new_ids(const char *column_name,
                                                     uint32_t partition_count,
                                                     sluice_partitioning **out,
                                                     sluice_error *error);

/* What it was made as. */
SLUICE_API sluice_partitioning_kind
sluice_partitioning_get_kind(const sluice_partitioning *partitioning);

/* The number of partitions; for the value scheme, the most there may be. */
SLUICE_API uint32_t sluice_partitioning_get_count(const sluice_partitioning *partitioning);

/* The key columns; 0 for round robin, 1 for ids. */
SLUICE_API size_t sluice_partitioning_get_key_count(const sluice_partitioning *partitioning);

/* The name of key key_index, owned by the partitioning; NULL when there is no such key. */
SLUICE_API const char *sluice_partitioning_get_key_name(const sluice_partitioning *partitioning,
                                                        size_t key_index);

/* Kind, scheme, keys, order, count and split points are the same. */
SLUICE_API bool sluice_partitioning_equal(const sluice_partitioning *left,
                                          const sluice_partitioning *right);

/*
 * A copy, with its own memory.  Free it with sluice_partitioning_free().
 */
SLUICE_API sluice_status sluice_partitioning_copy(const sluice_partitioning *partitioning,
                                                  sluice_partitioning **out, sluice_error *error);

/*
 * Write the declaration as JSON, the object P of sluice-format(5) without "index".  The key types
 * come from schema, which may be NULL: then "type" is left out of hash keys.  *out is released
 * with sluice_string_free().
 */
SLUICE_API sluice_status sluice_partitioning_to_json(const sluice_partitioning *partitioning,
                                                     const struct ArrowSchema *schema, char **out,
                                                     sluice_error *error);

/* Read such an object.  Unknown members are ignored; an unknown kind or scheme is
 * SLUICE_UNSUPPORTED. */
SLUICE_API sluice_status sluice_partitioning_from_json(const char *json, sluice_partitioning **out,
                                                       sluice_error *error);

/* Free a string that a call returned.  NULL is allowed. */
SLUICE_API void sluice_string_free(char *string);

/* NULL is allowed. */
SLUICE_API void sluice_partitioning_free(sluice_partitioning *partitioning);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_PARTITIONING_H */
