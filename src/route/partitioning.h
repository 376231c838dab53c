/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/partitioning.h - what a partitioning is made of
 *
 * Immutable once made.  Split points are kept twice: as an array, for JSON and for typed routing,
 * and as key bytes (route/key_bytes.h), for comparing and for routing by bytes.
 *
 *     partitioning.c        making, copying, comparing
 *     partitioning_json.c   to JSON and from it
 *     *_router.c            read it when they meet a schema
 */
#ifndef SLUICE_ROUTE_PARTITIONING_H
#define SLUICE_ROUTE_PARTITIONING_H

#include "arrow/column.h"
#include "route/bytes.h"
#include "route/key_bytes.h"
#include "route/rows.h"
#include "sluice/partitioning.h"

typedef struct sluice_partition_key {
    char *name;
    bool descending;  /* Range only, as the next one. */
    bool nulls_first;
} sluice_partition_key;

struct sluice_partitioning {
    sluice_partitioning_kind kind;
    sluice_hash_scheme scheme; /* Hash only. */
    uint32_t partition_count;
    size_t key_count;
    sluice_partition_key *keys;

    /* Range only. */
    bool is_total_order;
    uint32_t split_count;
    sluice_schema *splits_schema;
    struct ArrowArray splits_array;
    sluice_column *splits;    /* The view of splits_array: a struct with a column for each key. */
    sluice_bytes split_bytes; /* Key bytes of all split points one after the other ... */
    size_t *split_ends;       /* ... and where each of them ends. */
};

/* The order of one key of a range. */
static inline sluice_key_order
sluice_partitioning_key_order(const sluice_partitioning *partitioning, size_t key)
{
    return (sluice_key_order){.descending = partitioning->keys[key].descending,
                              .nulls_first = partitioning->keys[key].nulls_first,
                              .is_total_order = partitioning->is_total_order};
}

/*
 * A range whose split points are the rows of a table with a column for each key.  The table stays
 * the caller's.
 */
sluice_status sluice_partitioning_new_range_from_rows(const sluice_sort_key *keys,
                                                      size_t key_count, const sluice_rows *splits,
                                                      bool is_total_order,
                                                      sluice_partitioning **out,
                                                      sluice_error *error);

#endif /* SLUICE_ROUTE_PARTITIONING_H */
