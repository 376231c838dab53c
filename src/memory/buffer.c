/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/buffer.c - growable scratch memory, counted by a pool
 */
#include "memory/buffer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

enum { BUFFER_BYTES_MIN = 4096 };

void sluice_buffer_init(sluice_buffer *buffer, sluice_pool *pool, const sluice_allocator *allocator)
{
    *buffer = (sluice_buffer){.pool = pool, .allocator = allocator};
}

/* Blocks that are kept for later batches must not be the reason for a refusal. */
static bool reserve_or_reclaim(sluice_pool *pool, size_t bytes)
{
    if (sluice_pool_reserve(pool, bytes))
        return true;
    sluice_pool_reclaim(pool);
    return sluice_pool_reserve(pool, bytes);
}

sluice_status sluice_buffer_grow(sluice_buffer *buffer, size_t bytes, size_t kept_bytes,
                                 const char *what, sluice_error *error)
{
    if (bytes <= buffer->capacity)
        return SLUICE_OK;
    if (bytes > SIZE_MAX / 2)
        return sluice_fail_allocation(error, bytes, what);

    /* A quarter more than is needed, so that slowly growing needs do not allocate each time. */
    const size_t capacity =
        sluice_round_up(sluice_max_size(bytes + bytes / 4, BUFFER_BYTES_MIN), BUFFER_BYTES_MIN);

    if (!reserve_or_reclaim(buffer->pool, capacity)) {
        return sluice_fail(error, SLUICE_OUT_OF_MEMORY,
                           "memory limit: %zu bytes for %s refused, %llu of %llu in use", capacity,
                           what, (unsigned long long)sluice_pool_bytes(buffer->pool),
                           (unsigned long long)sluice_pool_limit(buffer->pool));
    }
    void *grown = sluice_allocate(buffer->allocator, capacity);
    if (grown == NULL) {
        sluice_pool_release(buffer->pool, capacity);
        return sluice_fail_allocation(error, capacity, what);
    }
    if (kept_bytes > 0)
        memcpy(grown, buffer->bytes, kept_bytes);
    sluice_buffer_deinit(buffer);
    buffer->bytes = grown;
    buffer->capacity = capacity;
    return SLUICE_OK;
}

sluice_status sluice_buffer_reserve(sluice_buffer *buffer, size_t count, size_t unit_bytes,
                                    const char *what, sluice_error *error)
{
    size_t bytes;

    if (!sluice_mul_size(count, unit_bytes, &bytes))
        return sluice_fail_allocation(error, SIZE_MAX, what);
    return sluice_buffer_grow(buffer, bytes, 0, what, error);
}

void sluice_buffer_deinit(sluice_buffer *buffer)
{
    if (buffer->bytes == NULL)
        return;
    sluice_free(buffer->allocator, buffer->bytes, buffer->capacity);
    sluice_pool_release(buffer->pool, buffer->capacity);
    buffer->bytes = NULL;
    buffer->capacity = 0;
}
