/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/slab.c - size classes, regions, lists of free blocks
 *
 * Sizes are rounded up to one of four steps per doubling, so at most a fifth of a block is unused.
 * A free block holds the link to the next one of its class.  A region is cut from front to back
 * and goes back to the system when the slab ends.
 */
#include "memory/slab.h"

#include <stdatomic.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/pages.h"
#include "base/thread.h"

enum {
    BLOCK_BYTES_MIN = 512, /* Class 0. */
    CLASS_COUNT = 4 * 40,  /* Four steps for each doubling, up to 2^49 bytes. */
    BLOCK_BITS_MAX = 48,   /* More than this is no sensible batch. */
    REGION_BLOCKS = 4,     /* Large blocks that share a region. */
};

typedef struct free_block {
    struct free_block *next;
} free_block;

typedef struct slab_region {
    struct slab_region *next;
    void *pages;
    size_t bytes;
} slab_region;

struct sluice_slab {
    /* Set once. */
    sluice_pool *pool;
    sluice_allocator allocator;
    bool uses_regions;
    bool wants_huge;

    _Atomic uint64_t owners; /* Those who hold it, and every block in use. */

    sluice_mutex mutex; /* For all below. */
    free_block *free_blocks[CLASS_COUNT];
    slab_region *regions;
    uint8_t *cut; /* The next block of the newest region ... */
    size_t uncut_bytes; /* ... and what is left of it. */
};

/* The class of a size, and the size of that class. */
static uint32_t class_of(size_t bytes, size_t *capacity)
{
    size_t step_base = BLOCK_BYTES_MIN;
    uint32_t doubling = 0;

    while (bytes > step_base * 2) {
        step_base *= 2;
        doubling++;
    }
    if (bytes <= step_base) {
        *capacity = step_base;
        return doubling * 4;
    }
    const size_t step = step_base / 4;
    const size_t steps = (bytes - step_base + step - 1) / step;

    *capacity = step_base + steps * step;
    return doubling * 4 + (uint32_t)steps;
}

sluice_slab *sluice_slab_new(sluice_pool *pool, const sluice_allocator *allocator,
                             bool uses_regions, bool wants_huge)
{
    sluice_slab *slab = sluice_allocate_zeroed(allocator, 1, sizeof(*slab));

    if (slab == NULL)
        return NULL;
    slab->pool = sluice_pool_ref(pool);
    slab->allocator = sluice_allocator_or_default(allocator);
    slab->uses_regions = uses_regions;
    slab->wants_huge = wants_huge;
    atomic_init(&slab->owners, 1);
    sluice_mutex_init(&slab->mutex);
    return slab;
}

/* Give the unused blocks back, when each is an allocation of its own.  Under the lock. */
static void trim(sluice_slab *slab)
{
    if (slab->uses_regions)
        return;
    for (uint32_t class_index = 0; class_index < CLASS_COUNT; class_index++) {
        /* The size of a class is the largest size that falls into it. */
        const size_t base = (size_t)BLOCK_BYTES_MIN << (class_index / 4);
        const size_t capacity = base + base / 4 * (class_index % 4);

        while (slab->free_blocks[class_index] != NULL) {
            free_block *block = slab->free_blocks[class_index];

            slab->free_blocks[class_index] = block->next;
            sluice_free(&slab->allocator, block, capacity);
            sluice_pool_release(slab->pool, capacity);
        }
    }
}

static void free_regions(sluice_slab *slab)
{
    while (slab->regions != NULL) {
        slab_region *region = slab->regions;

        slab->regions = region->next;
        sluice_pages_unmap(region->pages, region->bytes);
        sluice_pool_release(slab->pool, region->bytes);
        sluice_free(&slab->allocator, region, sizeof(*region));
    }
}

static void unref_many(sluice_slab *slab, uint64_t count)
{
    if (atomic_fetch_sub_explicit(&slab->owners, count, memory_order_acq_rel) != count)
        return;
    trim(slab);
    free_regions(slab);
    sluice_mutex_deinit(&slab->mutex);
    sluice_pool_unref(slab->pool);
    const sluice_allocator allocator = slab->allocator;
    sluice_free(&allocator, slab, sizeof(*slab));
}

sluice_slab *sluice_slab_ref(sluice_slab *slab)
{
    atomic_fetch_add_explicit(&slab->owners, 1, memory_order_relaxed);
    return slab;
}

void sluice_slab_unref(sluice_slab *slab)
{
    if (slab != NULL)
        unref_many(slab, 1);
}

static sluice_status refuse(const sluice_slab *slab, size_t bytes, sluice_error *error)
{
    return sluice_fail(error, SLUICE_OUT_OF_MEMORY,
                       "memory limit: %zu bytes for an output batch refused, %llu of %llu in use",
                       bytes, (unsigned long long)sluice_pool_bytes(slab->pool),
                       (unsigned long long)sluice_pool_limit(slab->pool));
}

/* Start a new region that holds at least one block; what is left of the old one is lost. */
static sluice_status add_region(sluice_slab *slab, size_t capacity, sluice_error *error)
{
    const size_t wanted = capacity <= SLUICE_HUGE_PAGE_BYTES / 8 ? SLUICE_HUGE_PAGE_BYTES
                          : capacity <= SLUICE_HUGE_PAGE_BYTES * 4 ? capacity * REGION_BLOCKS
                                                                   : capacity;
    const size_t bytes = sluice_round_up(wanted, SLUICE_HUGE_PAGE_BYTES);

    if (!sluice_pool_reserve(slab->pool, bytes))
        return refuse(slab, bytes, error);
    slab_region *region = sluice_allocate(&slab->allocator, sizeof(*region));
    void *pages = region == NULL ? NULL : sluice_pages_map(bytes, slab->wants_huge);
    if (pages == NULL) {
        sluice_free(&slab->allocator, region, sizeof(*region));
        sluice_pool_release(slab->pool, bytes);
        return sluice_fail_allocation(error, bytes, "output batches");
    }
    *region = (slab_region){.next = slab->regions, .pages = pages, .bytes = bytes};
    slab->regions = region;
    slab->cut = pages;
    slab->uncut_bytes = bytes;
    return SLUICE_OK;
}

static sluice_status cut_block(sluice_slab *slab, size_t capacity, void **block,
                               sluice_error *error)
{
    if (slab->uncut_bytes < capacity)
        SLUICE_TRY(add_region(slab, capacity, error));
    *block = slab->cut;
    slab->cut += capacity;
    slab->uncut_bytes -= capacity;
    return SLUICE_OK;
}

static sluice_status allocate_block(sluice_slab *slab, size_t capacity, void **block,
                                    sluice_error *error)
{
    if (!sluice_pool_reserve(slab->pool, capacity)) {
        trim(slab);
        if (!sluice_pool_reserve(slab->pool, capacity))
            return refuse(slab, capacity, error);
    }
    *block = sluice_allocate(&slab->allocator, capacity);
    if (*block != NULL)
        return SLUICE_OK;
    sluice_pool_release(slab->pool, capacity);
    return sluice_fail_allocation(error, capacity, "an output batch");
}

sluice_status sluice_slab_allocate(sluice_slab *slab, size_t bytes, void **block, size_t *capacity,
                                   sluice_error *error)
{
    sluice_status status = SLUICE_OK;

    *block = NULL;
    if (bytes > (size_t)1 << BLOCK_BITS_MAX)
        return sluice_fail_allocation(error, bytes, "an output batch");
    const uint32_t class_index = class_of(bytes, capacity);
    SLUICE_ASSERT(class_index < CLASS_COUNT);

    sluice_mutex_lock(&slab->mutex);
    if (slab->free_blocks[class_index] != NULL) {
        *block = slab->free_blocks[class_index];
        slab->free_blocks[class_index] = slab->free_blocks[class_index]->next;
    } else if (slab->uses_regions) {
        status = cut_block(slab, *capacity, block, error);
    } else {
        status = allocate_block(slab, *capacity, block, error);
    }
    sluice_mutex_unlock(&slab->mutex);
    if (status == SLUICE_OK)
        atomic_fetch_add_explicit(&slab->owners, 1, memory_order_relaxed);
    return status;
}

void sluice_slab_trim(sluice_slab *slab)
{
    sluice_mutex_lock(&slab->mutex);
    trim(slab);
    sluice_mutex_unlock(&slab->mutex);
}

void sluice_slab_free(sluice_slab *slab, void *block, size_t capacity)
{
    size_t class_capacity;
    const uint32_t class_index = class_of(capacity, &class_capacity);
    free_block *freed = block;

    SLUICE_ASSERT(class_capacity == capacity);
    sluice_mutex_lock(&slab->mutex);
    freed->next = slab->free_blocks[class_index];
    slab->free_blocks[class_index] = freed;
    sluice_mutex_unlock(&slab->mutex);
    unref_many(slab, 1);
}
