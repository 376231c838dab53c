/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/bytes.c - bytes that grow
 */
#include "route/bytes.h"

#include "base/alloc.h"
#include "base/math.h"

enum { BYTES_CAPACITY_MIN = 64 };

sluice_status sluice_bytes_grow(sluice_bytes *bytes, const sluice_allocator *allocator,
                                size_t extra, sluice_error *error)
{
    size_t needed;

    if (!sluice_add_size(bytes->byte_count, extra, &needed) || needed > SIZE_MAX / 4)
        return sluice_fail_allocation(error, SIZE_MAX, "keys");
    const size_t capacity = sluice_max_size(needed + needed / 2, BYTES_CAPACITY_MIN);
    uint8_t *grown = sluice_allocate(allocator, capacity);

    if (grown == NULL)
        return sluice_fail_allocation(error, capacity, "keys");
    if (bytes->byte_count > 0)
        memcpy(grown, bytes->bytes, bytes->byte_count);
    sluice_free(allocator, bytes->bytes, bytes->capacity);
    bytes->bytes = grown;
    bytes->capacity = capacity;
    return SLUICE_OK;
}

sluice_status sluice_bytes_append(sluice_bytes *bytes, const sluice_allocator *allocator,
                                  const void *source, size_t byte_count, sluice_error *error)
{
    if (byte_count == 0)
        return SLUICE_OK;
    SLUICE_TRY(sluice_bytes_reserve(bytes, allocator, byte_count, error));
    memcpy(bytes->bytes + bytes->byte_count, source, byte_count);
    bytes->byte_count += byte_count;
    return SLUICE_OK;
}

sluice_status sluice_bytes_append_zeros(sluice_bytes *bytes, const sluice_allocator *allocator,
                                        size_t byte_count, sluice_error *error)
{
    if (byte_count == 0)
        return SLUICE_OK;
    SLUICE_TRY(sluice_bytes_reserve(bytes, allocator, byte_count, error));
    memset(bytes->bytes + bytes->byte_count, 0, byte_count);
    bytes->byte_count += byte_count;
    return SLUICE_OK;
}

void sluice_bytes_deinit(sluice_bytes *bytes, const sluice_allocator *allocator)
{
    sluice_free(allocator, bytes->bytes, bytes->capacity);
    *bytes = (sluice_bytes){0};
}
