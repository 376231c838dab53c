/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/memory.c - a pool and a slab that belong together
 */
#include "memory/memory.h"

#include <stdatomic.h>

#include "base/alloc.h"

/* Under a limit below this every block of memory is an allocation of its own, to be exact. */
#define REGIONS_LIMIT_MIN (UINT64_C(256) << 20)

struct sluice_memory {
    sluice_allocator allocator;
    sluice_pool *pool;
    sluice_slab *slab;
    _Atomic uint32_t owners;
};

static void trim_slab(void *slab)
{
    sluice_slab_trim(slab);
}

sluice_status sluice_memory_make(uint64_t bytes_max, const sluice_allocator *allocator,
                                 bool wants_huge, sluice_memory **out, sluice_error *error)
{
    const bool uses_regions =
        allocator == NULL && (bytes_max == 0 || bytes_max >= REGIONS_LIMIT_MIN);
    sluice_memory *memory = sluice_allocate_zeroed(allocator, 1, sizeof(*memory));

    *out = NULL;
    if (memory == NULL)
        return sluice_fail_allocation(error, sizeof(*memory), "a memory");
    memory->allocator = sluice_allocator_or_default(allocator);
    atomic_init(&memory->owners, 1);
    memory->pool = sluice_pool_new(bytes_max, allocator);
    if (memory->pool != NULL)
        memory->slab = sluice_slab_new(memory->pool, allocator, uses_regions, wants_huge);
    if (memory->slab == NULL) {
        sluice_memory_free(memory);
        return sluice_fail_allocation(error, sizeof(*memory), "a memory");
    }
    sluice_pool_set_reclaim(memory->pool, trim_slab, memory->slab);
    *out = memory;
    return SLUICE_OK;
}

sluice_status sluice_memory_new(uint64_t bytes_max, const sluice_allocator *allocator,
                                sluice_memory **out, sluice_error *error)
{
    return sluice_memory_make(bytes_max, allocator, true, out, error);
}

sluice_pool *sluice_memory_pool(const sluice_memory *memory)
{
    return memory->pool;
}

sluice_slab *sluice_memory_slab(const sluice_memory *memory)
{
    return memory->slab;
}

sluice_memory *sluice_memory_ref(sluice_memory *memory)
{
    atomic_fetch_add_explicit(&memory->owners, 1, memory_order_relaxed);
    return memory;
}

void sluice_memory_get_metrics(const sluice_memory *memory, sluice_memory_metrics *out)
{
    *out = (sluice_memory_metrics){
        .bytes = sluice_pool_bytes(memory->pool),
        .bytes_max = sluice_pool_bytes_max_seen(memory->pool),
        .limit = sluice_pool_limit(memory->pool),
    };
}

void sluice_memory_free(sluice_memory *memory)
{
    if (memory == NULL ||
        atomic_fetch_sub_explicit(&memory->owners, 1, memory_order_acq_rel) != 1)
        return;
    const sluice_allocator allocator = memory->allocator;

    sluice_slab_unref(memory->slab);
    sluice_pool_unref(memory->pool);
    sluice_free(&allocator, memory, sizeof(*memory));
}
