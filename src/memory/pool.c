/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/pool.c - an atomic counter with a limit and a high-water mark
 */
#include "memory/pool.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/compiler.h"

struct sluice_pool {
    /* Set once. */
    uint64_t bytes_max;
    sluice_allocator allocator;
    void (*reclaim)(void *opaque); /* NULL: nobody keeps anything. */
    void *reclaim_opaque;

    /* Any thread. */
    _Atomic uint32_t owners;
    _Atomic uint64_t bytes;
    _Atomic uint64_t bytes_max_seen;
};

sluice_pool *sluice_pool_new(uint64_t bytes_max, const sluice_allocator *allocator)
{
    sluice_pool *pool = sluice_allocate_zeroed(allocator, 1, sizeof(*pool));

    if (pool == NULL)
        return NULL;
    pool->bytes_max = bytes_max;
    pool->allocator = sluice_allocator_or_default(allocator);
    atomic_init(&pool->owners, 1);
    return pool;
}

sluice_pool *sluice_pool_ref(sluice_pool *pool)
{
    atomic_fetch_add_explicit(&pool->owners, 1, memory_order_relaxed);
    return pool;
}

void sluice_pool_unref(sluice_pool *pool)
{
    if (pool == NULL)
        return;
    if (atomic_fetch_sub_explicit(&pool->owners, 1, memory_order_acq_rel) != 1)
        return;
    SLUICE_ASSERT(atomic_load(&pool->bytes) == 0);
    const sluice_allocator allocator = pool->allocator;
    sluice_free(&allocator, pool, sizeof(*pool));
}

/* Raise the high-water mark to at least bytes. */
static void note_high_water(sluice_pool *pool, uint64_t bytes)
{
    uint64_t seen = atomic_load_explicit(&pool->bytes_max_seen, memory_order_relaxed);

    while (bytes > seen &&
           !atomic_compare_exchange_weak_explicit(&pool->bytes_max_seen, &seen, bytes,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

bool sluice_pool_reserve(sluice_pool *pool, uint64_t bytes)
{
    uint64_t held = atomic_load_explicit(&pool->bytes, memory_order_relaxed);

    do {
        if (bytes > UINT64_MAX - held)
            return false;
        if (pool->bytes_max != 0 && held + bytes > pool->bytes_max)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&pool->bytes, &held, held + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    note_high_water(pool, held + bytes);
    return true;
}

void sluice_pool_release(sluice_pool *pool, uint64_t bytes)
{
    const uint64_t held = atomic_fetch_sub_explicit(&pool->bytes, bytes, memory_order_relaxed);

    SLUICE_ASSERT(held >= bytes);
    (void)held;
}

void sluice_pool_set_reclaim(sluice_pool *pool, void (*reclaim)(void *opaque), void *opaque)
{
    pool->reclaim = reclaim;
    pool->reclaim_opaque = opaque;
}

void sluice_pool_reclaim(sluice_pool *pool)
{
    if (pool->reclaim != NULL)
        pool->reclaim(pool->reclaim_opaque);
}

uint64_t sluice_pool_bytes(const sluice_pool *pool)
{
    return atomic_load_explicit(&pool->bytes, memory_order_relaxed);
}

uint64_t sluice_pool_bytes_max_seen(const sluice_pool *pool)
{
    return atomic_load_explicit(&pool->bytes_max_seen, memory_order_relaxed);
}

uint64_t sluice_pool_limit(const sluice_pool *pool)
{
    return pool->bytes_max;
}
