/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/open_batch.h - an output batch while it is filled, and as the Arrow array it becomes
 *
 *     sluice_open_batch_new()      empty, with room for its rows
 *     used[] += ...                a run of rows is reserved, under the lock of the output
 *     sluice_open_batch_grow()     more room for a varying part, while nobody is copying
 *     pending                      counts the runs that are being copied
 *     sluice_open_batch_export()   when all is filled; the memory comes back on release
 *
 * Runs of different inputs lie side by side, so two inputs may share a byte of a bitmap: bitmaps
 * start as ones, and bits at the ends of a run are cleared atomically.
 *
 * A shelf keeps the batches of one plan that consumers have released, to be used again.
 */
#ifndef SLUICE_PLACE_OPEN_BATCH_H
#define SLUICE_PLACE_OPEN_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "memory/slab.h"
#include "place/plan.h"
#include "sluice/arrow_abi.h"

typedef struct sluice_shelf sluice_shelf;

/*
 * pending is a count of holders and a flag.  One holder is the output, which has the batch open or
 * queued; the others are runs being copied.  Whoever takes the count to 0 frees the batch: that is
 * only a copier when the output has given it up.  A batch is ready for its consumer when it is
 * sealed and the output is its only holder.
 */
#define SLUICE_PENDING_SEALED (UINT32_C(1) << 31)
#define SLUICE_PENDING_READY (SLUICE_PENDING_SEALED + 1)

/* What one buffer lies in. */
typedef struct sluice_open_buffer {
    void *bytes;      /* NULL: there is no room yet. */
    size_t capacity;  /* Of its own block; 0 when it lies in the body. */
} sluice_open_buffer;

typedef struct sluice_open_batch {
    /* Set when the batch is opened. */
    sluice_shelf *shelf;
    const sluice_place_plan *plan;
    int64_t rows_max;
    uint32_t output; /* For whoever opened it. */

    /* Under the lock of its output. */
    struct sluice_open_batch *next; /* In a queue, or on the shelf. */
    int64_t *used;                  /* Units reserved of each extent. */
    int64_t *room;                  /* Units each extent has memory for. */
    uint64_t *dictionary_values;    /* Of each dictionary: how many its indices need. */
    sluice_open_buffer *buffers;
    void *body;                     /* The buffers that grow with rows. */
    size_t body_capacity;

    /* Any thread. */
    _Atomic uint32_t pending;
    _Atomic int64_t *null_counts; /* Per node. */

    /* Once exported. */
    _Atomic uint32_t owners;
    struct ArrowArray *arrays;         /* Per node. */
    struct ArrowArray **children;      /* As in the plan, then the columns. */
    const void **array_buffers;        /* ARRAY_BUFFERS_MAX per node, one for the root. */
    int64_t *view_bytes;               /* Per node: the size of its one variadic buffer. */
    struct ArrowArray *dictionaries;   /* Per dictionary of the plan. */
} sluice_open_batch;

/* The plan and the slab are shared.  NULL when there is no memory. */
sluice_shelf *sluice_shelf_new(sluice_place_plan *plan, sluice_slab *slab,
                               const sluice_allocator *allocator);

/* NULL is allowed. */
void sluice_shelf_unref(sluice_shelf *shelf);

/*
 * An empty batch with room for rows_max rows and, as yet, nothing that varies.  pending is 1: the
 * caller.
 */
sluice_status sluice_open_batch_new(sluice_shelf *shelf, int64_t rows_max, sluice_open_batch **out,
                                    sluice_error *error);

/* Have room for at least units of an extent that is not the rows.  Only when nobody is
 * copying. */
sluice_status sluice_open_batch_grow(sluice_open_batch *batch, uint32_t extent, int64_t units,
                                     sluice_error *error);

/* Give the batch back to its shelf without exporting it.  NULL is allowed. */
void sluice_open_batch_free(sluice_open_batch *batch);

/*
 * Turn the filled batch into a struct array that owns it.  batch->dictionaries has an array for
 * each dictionary of the plan; all of them are released when *out is.
 */
void sluice_open_batch_export(sluice_open_batch *batch, struct ArrowArray *out);

/* Bytes of values that the used units of one extent take in all its buffers, for each unit. */
uint64_t sluice_place_unit_bits(const sluice_place_plan *plan, uint32_t extent);

#endif /* SLUICE_PLACE_OPEN_BATCH_H */
