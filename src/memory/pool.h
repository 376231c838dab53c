/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/pool.h - one byte budget
 *
 * A pool counts bytes and says no when they would pass its limit.  It never waits, never frees and
 * owns no memory.  It is counted, because batches outlive the exchange that made them.
 */
#ifndef SLUICE_MEMORY_POOL_H
#define SLUICE_MEMORY_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "sluice/allocator.h"

typedef struct sluice_pool sluice_pool;

/* bytes_max 0: no limit.  NULL when there is no memory for the pool itself. */
sluice_pool *sluice_pool_new(uint64_t bytes_max, const sluice_allocator *allocator);

sluice_pool *sluice_pool_ref(sluice_pool *pool);

/* NULL is allowed. */
void sluice_pool_unref(sluice_pool *pool);

/* Count bytes; false, and nothing counted, when they do not fit.  From any thread. */
bool sluice_pool_reserve(sluice_pool *pool, uint64_t bytes);

void sluice_pool_release(sluice_pool *pool, uint64_t bytes);

/*
 * Who can give back bytes that are counted but not in use, and how.  Set once, before the pool is
 * shared.  The callee must live as long as anybody calls sluice_pool_reclaim().
 */
void sluice_pool_set_reclaim(sluice_pool *pool, void (*reclaim)(void *opaque), void *opaque);

/* Have such bytes given back, before a refusal is passed on. */
void sluice_pool_reclaim(sluice_pool *pool);

uint64_t sluice_pool_bytes(const sluice_pool *pool);
uint64_t sluice_pool_bytes_max_seen(const sluice_pool *pool);
uint64_t sluice_pool_limit(const sluice_pool *pool);

#endif /* SLUICE_MEMORY_POOL_H */
