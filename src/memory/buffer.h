/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory/buffer.h - growable scratch memory, counted by a pool
 *
 * A buffer belongs to one thread.  It never shrinks before it is freed, so that the work on the
 * second block of rows allocates nothing.
 */
#ifndef SLUICE_MEMORY_BUFFER_H
#define SLUICE_MEMORY_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "memory/pool.h"

typedef struct sluice_buffer {
    void *bytes; /* 64-byte aligned; NULL while capacity is 0. */
    size_t capacity;
    sluice_pool *pool; /* Borrowed. */
    const sluice_allocator *allocator; /* Borrowed. */
} sluice_buffer;

void sluice_buffer_init(sluice_buffer *buffer, sluice_pool *pool,
                        const sluice_allocator *allocator);

/*
 * Have room for count units of unit_bytes; what was there before is lost when the buffer grows.
 * what names the use in the message.
 */
sluice_status sluice_buffer_reserve(sluice_buffer *buffer, size_t count, size_t unit_bytes,
                                    const char *what, sluice_error *error);

/* The same, keeping the first kept_bytes bytes. */
sluice_status sluice_buffer_grow(sluice_buffer *buffer, size_t bytes, size_t kept_bytes,
                                 const char *what, sluice_error *error);

void sluice_buffer_deinit(sluice_buffer *buffer);

#endif /* SLUICE_MEMORY_BUFFER_H */
