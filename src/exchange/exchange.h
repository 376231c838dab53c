/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/exchange.h - the inside of an exchange
 *
 *     exchange.c   made, freed, failed, asked
 *     input.c      push and finish: a batch to its block, a block to the open batches
 *     reserve.c    rows of a block to places in the open batch of one output; sealing
 *     output.c     pull and close
 *     gate.c       who waits for whom
 *     pressure.c   what happens when the pool says no
 *     stream.c     outputs as ArrowArrayStreams; inputs from them
 *
 * Locks, in the order in which they may be held together: an output's, then the gate's.  The value
 * scheme's lock is held alone.
 */
#ifndef SLUICE_EXCHANGE_EXCHANGE_H
#define SLUICE_EXCHANGE_EXCHANGE_H

#include <stdatomic.h>

#include "base/thread.h"
#include "channel/queue.h"
#include "memory/memory.h"
#include "place/block.h"
#include "place/dictionary.h"
#include "route/router.h"
#include "sluice/exchange.h"

/* Driven by one thread at a time; counters are read by others. */
typedef struct exchange_input {
    sluice_router *router;
    sluice_block *block;
    bool is_finished;

    _Atomic uint64_t rows;
    _Atomic uint64_t batches;
    _Atomic uint64_t bytes_copied;
    _Atomic uint64_t batches_passed;
    _Atomic uint64_t rows_dropped;
    _Atomic uint64_t route_nanoseconds;
    _Atomic uint64_t place_nanoseconds;
    _Atomic uint64_t wait_nanoseconds;
} exchange_input;

typedef struct exchange_output {
    sluice_mutex mutex; /* For all below but the gate's. */
    sluice_condition is_ready;
    sluice_open_batch *open; /* Rows go here; NULL: none yet. */
    sluice_queue queue;
    bool is_closed;   /* Its consumer wants no more. */
    bool is_finished; /* Nothing will be added. */
    bool is_hungry;   /* Counted by the gate. */
    uint32_t waiting; /* Pulls that wait. */
    sluice_output_metrics metrics;

    /* Under the gate's lock: pull_any. */
    struct exchange_output *next_ready;
    bool is_listed;    /* In the list of ready outputs. */
    bool is_taken;     /* Given to a caller of pull_any. */
    bool was_reported; /* Its end has been told. */
} exchange_output;

struct sluice_exchange {
    /* Set once. */
    sluice_allocator allocator;
    sluice_exchange_options options; /* With the defaults filled in. */
    sluice_partitioning_kind kind;
    sluice_schema *source_schema;
    sluice_schema *schema; /* Of the output. */
    sluice_memory *memory;
    sluice_pool *pool; /* The memory's. */
    sluice_place_plan *plan;
    sluice_shelf *shelf;
    sluice_dictionaries *dictionaries;
    sluice_value_table *values; /* Value scheme only, under route_mutex. */
    uint64_t *unit_bits; /* Per extent: bits that one unit takes in all its buffers. */
    exchange_input *inputs;
    exchange_output *outputs;
    uint32_t output_count;

    sluice_mutex route_mutex;

    _Atomic uint32_t owners; /* The caller, and every stream. */
    _Atomic uint32_t inputs_active;
    _Atomic uint32_t outputs_open;
    _Atomic int64_t *room_hints; /* Per extent: units that full batches have had. */

    /* The first failure.  failure_status is set last and read without the lock. */
    sluice_mutex failure_mutex;
    sluice_error failure;
    _Atomic int failure_status;

    /* The gate. */
    sluice_mutex gate_mutex;
    sluice_condition gate_opened; /* Some output is hungry, or the exchange has failed. */
    sluice_condition any_ready;   /* The list of ready outputs is not empty. */
    _Atomic uint32_t hungry_count;
    uint32_t producers_waiting;
    uint32_t any_waiting;
    exchange_output *first_ready;
    exchange_output *last_ready;
    uint32_t reported_count; /* Outputs whose end pull_any has told. */
};

/* exchange.c: SLUICE_OK, or the first failure, whose message is copied. */
sluice_status sluice_exchange_check(sluice_exchange *exchange, sluice_error *error);

/* exchange.c: make this failure the first one unless there is one, and return it. */
sluice_status sluice_exchange_poison(sluice_exchange *exchange, sluice_status status,
                                     const sluice_error *failure, sluice_error *error);

void sluice_exchange_unref(sluice_exchange *exchange);

/* gate.c: wait until some output is hungry or all has ended; without waiting, WOULD_BLOCK. */
sluice_status sluice_gate_pass(sluice_exchange *exchange, exchange_input *input, bool may_wait);

/* gate.c: after any change of an output's queue, under the output's lock. */
void sluice_gate_update(sluice_exchange *exchange, exchange_output *output);

/* gate.c: the output has a batch to pull or has ended, under its lock. */
void sluice_gate_list_ready(sluice_exchange *exchange, exchange_output *output);

/* gate.c: wake the producers, when what they wait for may have come. */
void sluice_gate_wake_producers(sluice_exchange *exchange);

/* gate.c: wake everybody, after a failure. */
void sluice_gate_wake_all(sluice_exchange *exchange);

/*
 * reserve.c: give the rows of one partition of a block places, sealing batches as they fill.
 * Takes the output's lock.  *dropped says that nobody wants them.
 */
sluice_status sluice_output_reserve(sluice_exchange *exchange, sluice_block *block,
                                    uint32_t partition, bool *dropped, sluice_error *error);

/* reserve.c: a run has been copied. */
void sluice_output_commit(sluice_exchange *exchange, sluice_open_batch *batch);

/*
 * reserve.c: pass a batch on by reference, behind what is open.  *passed is false, and nothing was
 * done, when its rows should rather be copied.  Takes the batch when *passed.  *dropped says that
 * nobody wants it.
 */
sluice_status sluice_output_pass(sluice_exchange *exchange, uint32_t partition, sluice_batch *batch,
                                 bool always, bool *passed, bool *dropped,
                                 sluice_error *error);

/* reserve.c: the last input has finished: what is open goes on. */
void sluice_output_finish(sluice_exchange *exchange, exchange_output *output);

/* pressure.c: an open batch for at most rows_max rows. */
sluice_status sluice_pressure_open_batch(sluice_exchange *exchange, int64_t rows_max,
                                         sluice_open_batch **out, sluice_error *error);

#endif /* SLUICE_EXCHANGE_EXCHANGE_H */
