/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/bytes.h - bytes that grow
 *
 * A zeroed sluice_bytes is empty.  The allocator is the owner's and given to each call.
 */
#ifndef SLUICE_ROUTE_BYTES_H
#define SLUICE_ROUTE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "sluice/allocator.h"

typedef struct sluice_bytes {
    uint8_t *bytes; /* NULL while capacity is 0. */
    size_t byte_count;
    size_t capacity;
} sluice_bytes;

/* Have room for extra bytes behind those that are there. */
sluice_status sluice_bytes_grow(sluice_bytes *bytes, const sluice_allocator *allocator,
                                size_t extra, sluice_error *error);

/* Append byte_count bytes; source may be NULL when there are none. */
sluice_status sluice_bytes_append(sluice_bytes *bytes, const sluice_allocator *allocator,
                                  const void *source, size_t byte_count, sluice_error *error);

/* Append byte_count zeros. */
sluice_status sluice_bytes_append_zeros(sluice_bytes *bytes, const sluice_allocator *allocator,
                                        size_t byte_count, sluice_error *error);

void sluice_bytes_deinit(sluice_bytes *bytes, const sluice_allocator *allocator);

static inline sluice_status sluice_bytes_reserve(sluice_bytes *bytes,
                                                 const sluice_allocator *allocator, size_t extra,
                                                 sluice_error *error)
{
    if (bytes->capacity - bytes->byte_count >= extra)
        return SLUICE_OK;
    return sluice_bytes_grow(bytes, allocator, extra, error);
}

#endif /* SLUICE_ROUTE_BYTES_H */
