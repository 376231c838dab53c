/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel/queue.h - the batches of one output, in the order of sealing
 *
 * A queue is plain data under the lock of its output.  It holds batches that may still be filled;
 * only its head is ever taken, and only when it is ready, so the order is kept.
 */
#ifndef SLUICE_CHANNEL_QUEUE_H
#define SLUICE_CHANNEL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/batch.h"
#include "place/open_batch.h"

/* One of the two: a batch that was filled here, or one that is passed on by reference. */
typedef struct sluice_packet {
    sluice_open_batch *filled;
    sluice_batch *passed;
} sluice_packet;

typedef struct sluice_queue {
    sluice_packet *ring;
    uint32_t capacity; /* 0 or a power of two. */
    uint32_t head;
    uint32_t count;
    const sluice_allocator *allocator; /* Borrowed. */
} sluice_queue;

void sluice_queue_init(sluice_queue *queue, const sluice_allocator *allocator);

/* The queue must be empty. */
void sluice_queue_deinit(sluice_queue *queue);

/* Have room for one more packet, so that sluice_queue_send() cannot fail. */
sluice_status sluice_queue_reserve(sluice_queue *queue, sluice_error *error);

/* Add a packet at the tail, taking what it holds. */
void sluice_queue_send(sluice_queue *queue, sluice_packet packet);

/* There is a head and all its rows are there. */
bool sluice_queue_is_ready(const sluice_queue *queue);

/* Take the head, ready or not; the queue must not be empty. */
sluice_packet sluice_queue_receive(sluice_queue *queue);

/* Let go of a packet; a batch that is still being filled is freed by who fills it. */
void sluice_packet_drop(sluice_packet packet);

#endif /* SLUICE_CHANNEL_QUEUE_H */
