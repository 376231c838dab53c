/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/canonical_nested.h - canonical values of nested and encoded columns
 *
 * Private to canonical.c, which calls these for the layouts that have other columns below them,
 * and to canonical_nested.c.  Row counts are at most SLUICE_CANONICAL_BLOCK_ROWS.
 */
#ifndef SLUICE_ROUTE_CANONICAL_NESTED_H
#define SLUICE_ROUTE_CANONICAL_NESTED_H

#include <stdbool.h>

#include "route/canonical.h"

enum { SLUICE_CANONICAL_BLOCK_BYTES = SLUICE_CANONICAL_BLOCK_ROWS * 8 };

/* A column below, and a window of its canonical values that moves along as elements are asked
 * for. */
typedef struct canonical_part {
    sluice_canonical *canonical;
    uint64_t *cache; /* SLUICE_CANONICAL_BLOCK_ROWS values. */
    int64_t cached_first;
    int64_t cached_count;
    int64_t step; /* Values to fetch at the next miss. */
} canonical_part;

struct sluice_canonical {
    const sluice_kernels *kernels;
    const sluice_allocator *allocator;
    size_t part_count;
    canonical_part *parts;       /* The children, then the dictionary. */
    uint64_t *block;             /* SLUICE_CANONICAL_BLOCK_ROWS values; NULL without parts. */
    uint64_t *dictionary_values; /* Of the whole dictionary while is_dictionary_ready. */
    size_t dictionary_capacity;
    bool is_dictionary_ready;
};

void sluice_canonical_fill_lists(sluice_canonical *canonical, const sluice_column *column,
                                 int64_t first, size_t row_count, uint64_t *restrict values);
void sluice_canonical_fill_structs(sluice_canonical *canonical, const sluice_column *column,
                                   int64_t first, size_t row_count, uint64_t *restrict values);
void sluice_canonical_fill_unions(sluice_canonical *canonical, const sluice_column *column,
                                  int64_t first, size_t row_count, uint64_t *restrict values);
void sluice_canonical_fill_dictionary(sluice_canonical *canonical, const sluice_column *column,
                                      int64_t first, size_t row_count, uint64_t *restrict values);
void sluice_canonical_fill_runs(sluice_canonical *canonical, const sluice_column *column,
                                int64_t first, size_t row_count, uint64_t *restrict values);

#endif /* SLUICE_ROUTE_CANONICAL_NESTED_H */
