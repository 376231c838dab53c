/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/allocator.h - where memory comes from
 *
 * An allocator is copied when it is given to a call; its functions must be safe to call from any
 * thread until the last object and the last batch made with it are gone.
 */
#ifndef SLUICE_ALLOCATOR_H
#define SLUICE_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_allocator {
    /* Return at least bytes bytes aligned to 64, or NULL.  bytes is never 0. */
    void *(*allocate)(void *opaque, size_t bytes);
    /* Take back what allocate returned, with the same size. */
    void (*free)(void *opaque, void *pointer, size_t bytes);
    void *opaque;
} sluice_allocator;

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_ALLOCATOR_H */
