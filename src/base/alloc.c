/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/alloc.c - the only caller of the C library's allocator
 */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/math.h"

static void *default_allocate(void *opaque, size_t bytes)
{
    (void)opaque;
    if (bytes > SIZE_MAX - SLUICE_CACHE_LINE_BYTES)
        return NULL;
    return aligned_alloc(SLUICE_CACHE_LINE_BYTES, sluice_round_up(bytes, SLUICE_CACHE_LINE_BYTES));
}

static void default_free(void *opaque, void *pointer, size_t bytes)
{
    (void)opaque;
    (void)bytes;
    free(pointer);
}

sluice_allocator sluice_allocator_or_default(const sluice_allocator *allocator)
{
    static const sluice_allocator standard = {.allocate = default_allocate, .free = default_free};

    return allocator != NULL && allocator->allocate != NULL ? *allocator : standard;
}

void *sluice_allocate(const sluice_allocator *allocator, size_t bytes)
{
    const sluice_allocator chosen = sluice_allocator_or_default(allocator);

    return bytes == 0 ? NULL : chosen.allocate(chosen.opaque, bytes);
}

void *sluice_allocate_zeroed(const sluice_allocator *allocator, size_t count, size_t bytes)
{
    size_t total;

    if (!sluice_mul_size(count, bytes, &total))
        return NULL;
    void *pointer = sluice_allocate(allocator, total);
    if (pointer != NULL)
        memset(pointer, 0, total);
    return pointer;
}

void sluice_free(const sluice_allocator *allocator, void *pointer, size_t bytes)
{
    const sluice_allocator chosen = sluice_allocator_or_default(allocator);

    if (pointer != NULL)
        chosen.free(chosen.opaque, pointer, bytes);
}

char *sluice_copy_string(const sluice_allocator *allocator, const char *string)
{
    const size_t bytes = strlen(string) + 1;
    char *copy = sluice_allocate(allocator, bytes);

    if (copy != NULL)
        memcpy(copy, string, bytes);
    return copy;
}

void sluice_free_string(const sluice_allocator *allocator, char *string)
{
    if (string != NULL)
        sluice_free(allocator, string, strlen(string) + 1);
}
