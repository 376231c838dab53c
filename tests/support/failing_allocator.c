/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/failing_allocator.c - see failing_allocator.h
 *
 * Each block has its size in front, in a piece of its own cache line so that it stays aligned.
 */
#include "failing_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 64 };

static void *allocate_or_refuse(void *opaque, size_t bytes)
{
    test_failing_allocator *failing = opaque;
    unsigned char *block;

    if (atomic_fetch_add(&failing->allocation_count, 1) == failing->refused)
        return NULL;
    block = aligned_alloc(HEAD_BYTES,
                          HEAD_BYTES + (bytes + HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES);
    if (block == NULL)
        return NULL;
    memcpy(block, &bytes, sizeof(bytes));
    /* Whoever forgets to initialise something should notice. */
    memset(block + HEAD_BYTES, 0xA5, bytes);
    atomic_fetch_add(&failing->bytes_in_use, (int64_t)bytes);
    return block + HEAD_BYTES;
}

static void free_checked(void *opaque, void *pointer, size_t bytes)
{
    test_failing_allocator *failing = opaque;
    unsigned char *block = (unsigned char *)pointer - HEAD_BYTES;
    size_t bytes_asked_for;

    memcpy(&bytes_asked_for, block, sizeof(bytes_asked_for));
    if (bytes_asked_for != bytes) {
        fprintf(stderr, "a block of %zu bytes was freed with %zu\n", bytes_asked_for, bytes);
        abort();
    }
    atomic_fetch_sub(&failing->bytes_in_use, (int64_t)bytes);
    free(block);
}

sluice_allocator test_failing_allocator_init(test_failing_allocator *failing, int64_t refused)
{
    failing->refused = refused;
    atomic_init(&failing->allocation_count, 0);
    atomic_init(&failing->bytes_in_use, 0);
    return (sluice_allocator){
        .allocate = allocate_or_refuse, .free = free_checked, .opaque = failing};
}
