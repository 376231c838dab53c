/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel/queue.c - a ring of packets that doubles when it must
 */
#include "channel/queue.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"

enum { QUEUE_CAPACITY_MIN = 4 };

void sluice_queue_init(sluice_queue *queue, const sluice_allocator *allocator)
{
    *queue = (sluice_queue){.allocator = allocator};
}

void sluice_queue_deinit(sluice_queue *queue)
{
    SLUICE_ASSERT(queue->count == 0);
    sluice_free(queue->allocator, queue->ring, queue->capacity * sizeof(*queue->ring));
    queue->ring = NULL;
    queue->capacity = 0;
}

static uint32_t place_of(const sluice_queue *queue, uint32_t index)
{
    return (queue->head + index) & (queue->capacity - 1);
}

sluice_status sluice_queue_reserve(sluice_queue *queue, sluice_error *error)
{
    if (queue->count < queue->capacity)
        return SLUICE_OK;

    const uint32_t capacity = queue->capacity == 0 ? QUEUE_CAPACITY_MIN : queue->capacity * 2;
    sluice_packet *ring = sluice_allocate(queue->allocator, capacity * sizeof(*ring));
    if (ring == NULL)
        return sluice_fail_allocation(error, capacity * sizeof(*ring), "a queue of batches");
    for (uint32_t index = 0; index < queue->count; index++)
        ring[index] = queue->ring[place_of(queue, index)];
    sluice_free(queue->allocator, queue->ring, queue->capacity * sizeof(*queue->ring));
    queue->ring = ring;
    queue->capacity = capacity;
    queue->head = 0;
    return SLUICE_OK;
}

void sluice_queue_send(sluice_queue *queue, sluice_packet packet)
{
    SLUICE_ASSERT(queue->count < queue->capacity);
    SLUICE_ASSERT((packet.filled == NULL) != (packet.passed == NULL));
    queue->ring[place_of(queue, queue->count)] = packet;
    queue->count++;
}

bool sluice_queue_is_ready(const sluice_queue *queue)
{
    if (queue->count == 0)
        return false;
    const sluice_open_batch *filled = queue->ring[queue->head].filled;

    return filled == NULL ||
           atomic_load_explicit(&filled->pending, memory_order_acquire) == SLUICE_PENDING_READY;
}

sluice_packet sluice_queue_receive(sluice_queue *queue)
{
    SLUICE_ASSERT(queue->count > 0);
    const sluice_packet packet = queue->ring[queue->head];

    queue->head = place_of(queue, 1);
    queue->count--;
    return packet;
}

void sluice_packet_drop(sluice_packet packet)
{
    if (packet.passed != NULL) {
        sluice_batch_unref(packet.passed);
        return;
    }
    const uint32_t pending =
        atomic_fetch_sub_explicit(&packet.filled->pending, 1, memory_order_acq_rel);
    if ((pending & ~SLUICE_PENDING_SEALED) == 1)
        sluice_open_batch_free(packet.filled);
}
