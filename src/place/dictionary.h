/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/dictionary.h - one growing dictionary for each dictionary column
 *
 * Every input batch brings a dictionary of its own.  Its values are looked up in, or added to, the
 * column's one dictionary, and its indices are rewritten while they are copied.  Values are never
 * removed and never move, so an index written once stays right in every later snapshot, and all
 * inputs can share the dictionary.
 *
 *     sluice_dictionary_unify()      for each piece: old index -> new index
 *     sluice_dictionaries_export()   for each batch pulled, with at least the values it needs
 *
 * All calls may come from any thread; one lock protects each dictionary.
 */
#ifndef SLUICE_PLACE_DICTIONARY_H
#define SLUICE_PLACE_DICTIONARY_H

#include <stdint.h>

#include "arrow/batch.h"
#include "arrow/column.h"
#include "memory/buffer.h"
#include "place/open_batch.h"
#include "place/plan.h"

typedef struct sluice_dictionaries sluice_dictionaries;

/* New indices of the old ones.  One thread's. */
typedef struct sluice_dictionary_remap {
    sluice_buffer indices;  /* int64_t for each old index. */
    uint64_t value_count;   /* Values the dictionary had afterwards. */
    sluice_batch *held;     /* Keeps the values below where they are, so that another batch with
                               the same ones is recognised; NULL: not worth it. */
    const void *values[3];  /* Buffers of the old dictionary ... */
    int64_t row_first;      /* ... its offset ... */
    int64_t row_count;      /* ... and its length. */
} sluice_dictionary_remap;

/*
 * One empty dictionary for each of the plan's, which is shared, as is the pool.
 */
sluice_status sluice_dictionaries_new(sluice_place_plan *plan, sluice_pool *pool,
                                      const sluice_allocator *allocator,
                                      sluice_dictionaries **out, sluice_error *error);

/* NULL is allowed. */
void sluice_dictionaries_free(sluice_dictionaries *dictionaries);

void sluice_dictionary_remap_init(sluice_dictionary_remap *remap, sluice_pool *pool,
                                  const sluice_allocator *allocator);
void sluice_dictionary_remap_deinit(sluice_dictionary_remap *remap);

/* True when the remap was made from this very dictionary. */
bool sluice_dictionary_remap_is_of(const sluice_dictionary_remap *remap,
                                   const sluice_column *values);

/*
 * Find or add every value of a dictionary that a column of batch came with, and write the new
 * index of each to remap->indices.
 */
sluice_status sluice_dictionary_unify(sluice_dictionaries *dictionaries, uint32_t dictionary,
                                      sluice_batch *batch, const sluice_column *values,
                                      sluice_dictionary_remap *remap, sluice_error *error);

/*
 * Make an Arrow array of a filled batch, which is taken whatever the status is.  Its dictionary
 * columns show snapshots of the dictionaries, with at least the values that the batch needs.
 */
sluice_status sluice_dictionaries_export(sluice_dictionaries *dictionaries,
                                         sluice_open_batch *batch, struct ArrowArray *out,
                                         sluice_error *error);

#endif /* SLUICE_PLACE_DICTIONARY_H */
