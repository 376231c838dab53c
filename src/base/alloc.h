/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/alloc.h - the only way to memory
 *
 * Every object holds a sluice_allocator by value.  All sizes are checked, all frees name the size.
 * An allocator that is all zero stands for the default one: aligned_alloc() and free().
 */
#ifndef SLUICE_BASE_ALLOC_H
#define SLUICE_BASE_ALLOC_H

#include <stddef.h>

#include "sluice/allocator.h"

/* The allocator a call was given, or the default one for NULL. */
sluice_allocator sluice_allocator_or_default(const sluice_allocator *allocator);

/* bytes uninitialised bytes, aligned to 64; NULL when there are none or bytes is 0. */
void *sluice_allocate(const sluice_allocator *allocator, size_t bytes);

/* count * bytes zeroed bytes; NULL also when the product does not fit. */
void *sluice_allocate_zeroed(const sluice_allocator *allocator, size_t count, size_t bytes);

/* NULL is allowed. */
void sluice_free(const sluice_allocator *allocator, void *pointer, size_t bytes);

/* A copy of a string, to be freed with sluice_free_string().  NULL when there is no memory. */
char *sluice_copy_string(const sluice_allocator *allocator, const char *string);

void sluice_free_string(const sluice_allocator *allocator, char *string);

#endif /* SLUICE_BASE_ALLOC_H */
