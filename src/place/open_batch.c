/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/open_batch.c - memory of an output batch
 *
 * Buffers that grow with rows lie together in one block, the body, bitmaps first.  Every other
 * buffer is a block of its own and doubles when it must.  The structures themselves are one
 * allocation, made once and kept on the shelf.
 */
#include "place/open_batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/thread.h"
#include "place/shelf.h"

static size_t align_part(size_t bytes)
{
    return sluice_round_up(bytes, SLUICE_CACHE_LINE_BYTES);
}

/* Take the next part of a block that is being divided; with a NULL block only the size counts. */
static void *take_part(uint8_t *block, size_t *taken, size_t count, size_t unit_bytes)
{
    void *part = block == NULL ? NULL : block + *taken;

    *taken += align_part(count * unit_bytes);
    return part;
}

/* Divide a block among the arrays of a batch; returns the bytes they take together. */
static size_t divide(sluice_open_batch *batch, uint8_t *block, const sluice_place_plan *plan)
{
    size_t taken = 0;
    sluice_open_batch counted;
    sluice_open_batch *parts = batch == NULL ? &counted : batch;

    take_part(block, &taken, 1, sizeof(*batch));
    parts->used = take_part(block, &taken, plan->extent_count, sizeof(*parts->used));
    parts->room = take_part(block, &taken, plan->extent_count, sizeof(*parts->room));
    parts->dictionary_values =
        take_part(block, &taken, plan->dictionary_count, sizeof(*parts->dictionary_values));
    parts->buffers = take_part(block, &taken, plan->buffer_count, sizeof(*parts->buffers));
    parts->null_counts = take_part(block, &taken, plan->node_count, sizeof(*parts->null_counts));
    parts->arrays = take_part(block, &taken, plan->node_count, sizeof(*parts->arrays));
    parts->children = take_part(block, &taken, plan->child_count + plan->column_count,
                                sizeof(*parts->children));
    parts->array_buffers =
        take_part(block, &taken, (size_t)plan->node_count * SLUICE_ARRAY_BUFFERS_MAX + 1,
                  sizeof(*parts->array_buffers));
    parts->view_bytes = take_part(block, &taken, plan->node_count, sizeof(*parts->view_bytes));
    parts->dictionaries =
        take_part(block, &taken, plan->dictionary_count, sizeof(*parts->dictionaries));
    return taken;
}

sluice_shelf *sluice_shelf_new(sluice_place_plan *plan, sluice_slab *slab,
                               const sluice_allocator *allocator)
{
    sluice_shelf *shelf = sluice_allocate_zeroed(allocator, 1, sizeof(*shelf));

    if (shelf == NULL)
        return NULL;
    shelf->plan = sluice_place_plan_ref(plan);
    shelf->slab = sluice_slab_ref(slab);
    shelf->allocator = sluice_allocator_or_default(allocator);
    shelf->batch_bytes = divide(NULL, NULL, plan);
    atomic_init(&shelf->owners, 1);
    sluice_mutex_init(&shelf->mutex);
    return shelf;
}

void sluice_shelf_unref(sluice_shelf *shelf)
{
    if (shelf == NULL ||
        atomic_fetch_sub_explicit(&shelf->owners, 1, memory_order_acq_rel) != 1)
        return;
    const sluice_allocator allocator = shelf->allocator;

    while (shelf->free_batches != NULL) {
        sluice_open_batch *batch = shelf->free_batches;

        shelf->free_batches = batch->next;
        sluice_free(&allocator, batch, shelf->batch_bytes);
    }
    sluice_slab_unref(shelf->slab);
    sluice_place_plan_unref(shelf->plan);
    sluice_mutex_deinit(&shelf->mutex);
    sluice_free(&allocator, shelf, sizeof(*shelf));
}

/* A batch without buffers, from the shelf or new. */
static sluice_status take_empty(sluice_shelf *shelf, sluice_open_batch **out, sluice_error *error)
{
    sluice_mutex_lock(&shelf->mutex);
    sluice_open_batch *batch = shelf->free_batches;
    if (batch != NULL)
        shelf->free_batches = batch->next;
    sluice_mutex_unlock(&shelf->mutex);

    if (batch == NULL) {
        batch = sluice_allocate(&shelf->allocator, shelf->batch_bytes);
        if (batch == NULL)
            return sluice_fail_allocation(error, shelf->batch_bytes, "an output batch");
    }
    memset(batch, 0, shelf->batch_bytes);
    divide(batch, (uint8_t *)batch, shelf->plan);
    batch->shelf = shelf;
    batch->plan = shelf->plan;
    atomic_init(&batch->pending, 1);
    atomic_fetch_add_explicit(&shelf->owners, 1, memory_order_relaxed);
    *out = batch;
    return SLUICE_OK;
}

static void fill_empty(const sluice_place_buffer *layout, void *bytes, size_t first, size_t end)
{
    if (layout->unit_bits == 1)
        memset((uint8_t *)bytes + first, 0xff, end - first);
    else if (layout->role == SLUICE_ROLE_OFFSETS && first == 0)
        memset(bytes, 0, layout->unit_bits / 8);
}

/* Lay the row buffers into one block, bitmaps first. */
static sluice_status open_body(sluice_open_batch *batch, int64_t rows_max, sluice_error *error)
{
    const sluice_place_plan *plan = batch->plan;
    size_t body_bytes = 0;

    for (uint32_t buffer = 0; buffer < plan->buffer_count; buffer++) {
        if (plan->buffers[buffer].extent == 0)
            body_bytes += sluice_place_buffer_bytes(&plan->buffers[buffer], rows_max);
    }
    batch->rows_max = rows_max;
    batch->room[0] = rows_max;
    if (body_bytes == 0)
        return SLUICE_OK;
    SLUICE_TRY(sluice_slab_allocate(batch->shelf->slab, body_bytes, &batch->body,
                                    &batch->body_capacity, error));
    size_t taken = 0;
    for (int bitmaps_first = 1; bitmaps_first >= 0; bitmaps_first--) {
        for (uint32_t buffer = 0; buffer < plan->buffer_count; buffer++) {
            const sluice_place_buffer *layout = &plan->buffers[buffer];
            const size_t bytes = sluice_place_buffer_bytes(layout, rows_max);

            if (layout->extent != 0 || (layout->unit_bits == 1) != bitmaps_first)
                continue;
            batch->buffers[buffer].bytes = (uint8_t *)batch->body + taken;
            fill_empty(layout, batch->buffers[buffer].bytes, 0, bytes);
            taken += bytes;
        }
    }
    return SLUICE_OK;
}

static sluice_status grow_buffer(sluice_open_batch *batch, uint32_t buffer, int64_t units,
                                 sluice_error *error)
{
    const sluice_place_buffer *layout = &batch->plan->buffers[buffer];
    sluice_open_buffer *old = &batch->buffers[buffer];
    const size_t wanted = sluice_place_buffer_bytes(layout, units);
    sluice_open_buffer grown = {0};

    if (wanted <= old->capacity || wanted == 0)
        return SLUICE_OK;
    SLUICE_TRY(sluice_slab_allocate(batch->shelf->slab, wanted, &grown.bytes, &grown.capacity,
                                    error));
    const size_t kept = old->bytes == NULL
                            ? 0
                            : sluice_place_buffer_bytes(layout, batch->used[layout->extent]);
    const size_t kept_bytes = sluice_min_size(kept, old->capacity);

    if (old->bytes != NULL) {
        memcpy(grown.bytes, old->bytes, kept_bytes);
        sluice_slab_free(batch->shelf->slab, old->bytes, old->capacity);
    }
    fill_empty(layout, grown.bytes, kept_bytes, grown.capacity);
    *old = grown;
    return SLUICE_OK;
}

sluice_status sluice_open_batch_grow(sluice_open_batch *batch, uint32_t extent, int64_t units,
                                     sluice_error *error)
{
    SLUICE_ASSERT(extent > 0);
    if (units <= batch->room[extent])
        return SLUICE_OK;
    for (uint32_t buffer = 0; buffer < batch->plan->buffer_count; buffer++) {
        if (batch->plan->buffers[buffer].extent == extent)
            SLUICE_TRY(grow_buffer(batch, buffer, units, error));
    }
    batch->room[extent] = units;
    return SLUICE_OK;
}

sluice_status sluice_open_batch_new(sluice_shelf *shelf, int64_t rows_max, sluice_open_batch **out,
                                    sluice_error *error)
{
    sluice_open_batch *batch = NULL;

    *out = NULL;
    SLUICE_TRY(take_empty(shelf, &batch, error));
    const sluice_status status = open_body(batch, rows_max, error);
    if (status != SLUICE_OK) {
        sluice_open_batch_free(batch);
        return status;
    }
    *out = batch;
    return SLUICE_OK;
}

void sluice_open_batch_free(sluice_open_batch *batch)
{
    if (batch == NULL)
        return;
    sluice_shelf *shelf = batch->shelf;

    for (uint32_t buffer = 0; buffer < batch->plan->buffer_count; buffer++) {
        if (batch->buffers[buffer].capacity > 0)
            sluice_slab_free(shelf->slab, batch->buffers[buffer].bytes,
                             batch->buffers[buffer].capacity);
    }
    if (batch->body != NULL)
        sluice_slab_free(shelf->slab, batch->body, batch->body_capacity);
    sluice_mutex_lock(&shelf->mutex);
    batch->next = shelf->free_batches;
    shelf->free_batches = batch;
    sluice_mutex_unlock(&shelf->mutex);
    sluice_shelf_unref(shelf);
}

uint64_t sluice_place_unit_bits(const sluice_place_plan *plan, uint32_t extent)
{
    uint64_t bits = 0;

    for (uint32_t buffer = 0; buffer < plan->buffer_count; buffer++) {
        if (plan->buffers[buffer].extent == extent &&
            plan->buffers[buffer].role != SLUICE_ROLE_VALIDITY)
            bits += plan->buffers[buffer].unit_bits;
    }
    return bits;
}
