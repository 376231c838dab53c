/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/memory.h - a pool and a slab that belong together
 */
#ifndef SLUICE_MEMORY_MEMORY_H
#define SLUICE_MEMORY_MEMORY_H

#include <stdbool.h>

#include "memory/pool.h"
#include "memory/slab.h"
#include "sluice/memory.h"

/* wants_huge as for sluice_slab_new(). */
sluice_status sluice_memory_make(uint64_t bytes_max, const sluice_allocator *allocator,
                                 bool wants_huge, sluice_memory **out, sluice_error *error);

/* Borrowed from the memory. */
sluice_pool *sluice_memory_pool(const sluice_memory *memory);
sluice_slab *sluice_memory_slab(const sluice_memory *memory);

sluice_memory *sluice_memory_ref(sluice_memory *memory);

#endif /* SLUICE_MEMORY_MEMORY_H */
