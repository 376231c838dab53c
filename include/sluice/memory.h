/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/memory.h - a memory budget that several exchanges share
 *
 * An exchange makes a memory of its own unless it is given one.  A host that runs one exchange
 * after the other, or several at once, keeps a memory: blocks that one exchange has done with
 * serve the next one, without asking the system again, and all of them together keep one limit.
 *
 * A memory is counted: exchanges and batches keep it alive.  Any thread may use it.
 */
#ifndef SLUICE_MEMORY_H
#define SLUICE_MEMORY_H

#include <stdint.h>

#include "sluice/allocator.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_memory sluice_memory;

typedef struct sluice_memory_metrics {
    uint64_t bytes;     /* Held now, kept for later use included. */
    uint64_t bytes_max; /* High-water mark. */
    uint64_t limit;     /* 0: none. */
} sluice_memory_metrics;

/* bytes_max 0: no limit.  allocator NULL: the operating system's pages and malloc(). */
SLUICE_API sluice_status sluice_memory_new(uint64_t bytes_max, const sluice_allocator *allocator,
                                           sluice_memory **out, sluice_error *error);

/* A snapshot. */
SLUICE_API void sluice_memory_get_metrics(const sluice_memory *memory, sluice_memory_metrics *out);

/* Give up the caller's share.  NULL is allowed. */
SLUICE_API void sluice_memory_free(sluice_memory *memory);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_MEMORY_H */
