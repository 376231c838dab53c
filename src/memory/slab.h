/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/slab.h - memory for output batches, recycled
 *
 * Blocks of a few sizes are cut from regions of huge pages and, when a consumer releases a batch,
 * go back to a list instead of to the system: a fault costs more than the copy it serves, and so
 * does giving memory back.  What the slab holds from the system is counted by its pool, in use or
 * not.
 *
 * Under a small memory limit, or with an allocator of the host's, every block is an allocation of
 * its own; then unused blocks are given back before the pool's no is passed on.
 *
 * A slab is counted: every block in use keeps it alive.  All calls may come from any thread.
 */
#ifndef SLUICE_MEMORY_SLAB_H
#define SLUICE_MEMORY_SLAB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "memory/pool.h"

typedef struct sluice_slab sluice_slab;

/*
 * uses_regions: blocks are cut from pages of the system, huge ones when wants_huge is set;
 * otherwise each comes from the allocator.  The pool is shared.  NULL when there is no memory.
 */
sluice_slab *sluice_slab_new(sluice_pool *pool, const sluice_allocator *allocator,
                             bool uses_regions, bool wants_huge);

sluice_slab *sluice_slab_ref(sluice_slab *slab);

/* Give up a share.  NULL is allowed. */
void sluice_slab_unref(sluice_slab *slab);

/*
 * A block of at least bytes bytes, aligned to 64 and not cleared; *capacity says how large it is,
 * and takes it back.
 */
sluice_status sluice_slab_allocate(sluice_slab *slab, size_t bytes, void **block, size_t *capacity,
                                   sluice_error *error);

/* Give unused blocks back to the allocator, where each is an allocation of its own. */
void sluice_slab_trim(sluice_slab *slab);

void sluice_slab_free(sluice_slab *slab, void *block, size_t capacity);

#endif /* SLUICE_MEMORY_SLAB_H */
