/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/shelf.h - the inside of a shelf, for the two files that make and export batches
 */
#ifndef SLUICE_PLACE_SHELF_H
#define SLUICE_PLACE_SHELF_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/thread.h"
#include "place/open_batch.h"

/* Validity, views, one variadic buffer and the sizes of the variadic ones. */
enum { SLUICE_ARRAY_BUFFERS_MAX = 4 };

struct sluice_shelf {
    /* Set once. */
    sluice_place_plan *plan;
    sluice_slab *slab;
    sluice_allocator allocator;
    size_t batch_bytes; /* Of a batch and its arrays, one allocation. */

    _Atomic uint64_t owners; /* The creator and every batch that is not on the shelf. */

    sluice_mutex mutex; /* For the list. */
    sluice_open_batch *free_batches;
};

#endif /* SLUICE_PLACE_SHELF_H */
