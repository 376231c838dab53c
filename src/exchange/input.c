/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/input.c - push and finish: the way of a batch
 *
 *     push       waits at the gate, imports the batch
 *     add_rows   routes its rows, piece by piece, into the input's block
 *     place      when the block is full: ranks, measures, reserves, copies, commits
 *     finish     places what is left; the last input seals every open batch
 */
#include "base/compiler.h"
#include "base/math.h"
#include "exchange/exchange.h"

static void add_nanoseconds(_Atomic uint64_t *counter, uint64_t start)
{
    atomic_fetch_add_explicit(counter, sluice_now_nanoseconds() - start, memory_order_relaxed);
}

static void add_count(_Atomic uint64_t *counter, uint64_t count)
{
    atomic_fetch_add_explicit(counter, count, memory_order_relaxed);
}

static void count_passed(exchange_input *input, uint64_t rows, bool dropped)
{
    if (dropped)
        add_count(&input->rows_dropped, rows);
    else
        add_count(&input->batches_passed, 1);
}

/* Reserve places for the rows of every partition. */
static sluice_status reserve_all(sluice_exchange *exchange, exchange_input *input,
                                 sluice_error *error)
{
    sluice_block *block = input->block;

    for (uint32_t partition = 0; partition < exchange->output_count; partition++) {
        const uint32_t rows =
            sluice_block_start(block, partition + 1) - sluice_block_start(block, partition);
        bool dropped;

        if (rows == 0)
            continue;
        SLUICE_TRY(sluice_output_reserve(exchange, block, partition, &dropped, error));
        if (dropped)
            add_count(&input->rows_dropped, rows);
    }
    return SLUICE_OK;
}

static uint64_t count_bytes(const sluice_exchange *exchange, const sluice_block *block)
{
    uint64_t bits = 0;

    for (uint32_t index = 0; index < block->run_count; index++) {
        const sluice_run run = sluice_block_get_run(block, index);

        for (uint32_t extent = 0; extent < exchange->plan->extent_count; extent++)
            bits += (uint64_t)run.ranges[extent].count * exchange->unit_bits[extent];
    }
    return bits / 8;
}

/* Runs that were reserved are let go even when they could not be copied: then the exchange has
 * failed and nobody takes their batches. */
static void commit_all(sluice_exchange *exchange, const sluice_block *block)
{
    for (uint32_t index = 0; index < block->run_count; index++)
        sluice_output_commit(exchange, sluice_block_get_run(block, index).batch);
}

static sluice_status place_ranked(sluice_exchange *exchange, exchange_input *input,
                                  sluice_error *error)
{
    sluice_error failure = {0};
    sluice_status status = sluice_block_measure(input->block, &failure);

    if (status == SLUICE_OK)
        status = reserve_all(exchange, input, &failure);
    if (status == SLUICE_OK)
        status = sluice_block_copy(input->block, &failure);
    if (status != SLUICE_OK)
        status = sluice_exchange_poison(exchange, status, &failure, error);
    else
        add_count(&input->bytes_copied, count_bytes(exchange, input->block));
    commit_all(exchange, input->block);
    return status;
}

/* A block that is one whole batch of one partition goes on by reference. */
static sluice_status try_pass(sluice_exchange *exchange, exchange_input *input, bool *passed,
                              sluice_error *error)
{
    sluice_block *block = input->block;
    sluice_batch *batch = block->pieces[0].batch;
    const uint32_t partition = ((const uint32_t *)block->ids.bytes)[0];
    bool dropped;

    *passed = false;
    if (block->piece_count != 1 || sluice_batch_rows(batch) != block->row_count ||
        exchange->plan->dictionary_count > 0 || !sluice_block_is_single(block))
        return SLUICE_OK;
    const sluice_status status =
        sluice_output_pass(exchange, partition, sluice_batch_ref(batch), false, passed, &dropped,
                           error);
    if (!*passed)
        sluice_batch_unref(batch);
    else
        count_passed(input, block->row_count, dropped);
    return status;
}

static sluice_status place_block(sluice_exchange *exchange, exchange_input *input,
                                 sluice_error *error)
{
    const uint64_t start = sluice_now_nanoseconds();
    bool passed = false;
    sluice_error failure = {0};

    if (input->block->row_count == 0)
        return SLUICE_OK;
    sluice_status status = try_pass(exchange, input, &passed, &failure);
    if (status == SLUICE_OK && !passed)
        status = sluice_block_arrange(input->block, &failure);
    if (status != SLUICE_OK)
        status = sluice_exchange_poison(exchange, status, &failure, error);
    else if (!passed)
        status = place_ranked(exchange, input, error);
    sluice_block_clear(input->block);
    add_nanoseconds(&input->place_nanoseconds, start);
    return status;
}

/* The ids of a piece.  The value scheme's keys are shared by all inputs. */
static sluice_status route_piece(sluice_exchange *exchange, exchange_input *input,
                                 const sluice_piece *piece, sluice_error *error)
{
    const uint64_t start = sluice_now_nanoseconds();
    uint32_t *ids = sluice_block_ids(input->block, piece);
    const bool is_shared = exchange->kind == SLUICE_PARTITIONING_VALUE;

    if (is_shared)
        sluice_mutex_lock(&exchange->route_mutex);
    const sluice_status status = sluice_router_route(input->router, piece->root, ids, error);
    if (is_shared)
        sluice_mutex_unlock(&exchange->route_mutex);
    add_nanoseconds(&input->route_nanoseconds, start);
    return status;
}

/* All rows of a batch into blocks.  The batch is borrowed. */
static sluice_status add_rows(sluice_exchange *exchange, exchange_input *input,
                              sluice_batch *batch, sluice_error *error)
{
    const int64_t row_count = sluice_batch_rows(batch);
    sluice_block *block = input->block;

    for (int64_t first = 0; first < row_count;) {
        const int64_t free_rows = (int64_t)block->rows_target - block->row_count;
        const int64_t count = sluice_min_int64(row_count - first, free_rows);
        sluice_piece *piece;
        sluice_error failure = {0};

        sluice_status status = sluice_block_add(block, batch, first, count, &piece, &failure);
        if (status == SLUICE_OK)
            status = route_piece(exchange, input, piece, &failure);
        if (status != SLUICE_OK)
            return sluice_exchange_poison(exchange, status, &failure, error);
        if (sluice_block_is_full(block) || exchange->options.flush_each_batch)
            SLUICE_TRY(place_block(exchange, input, error));
        first += count;
    }
    return SLUICE_OK;
}

/* Round robin by batches.  The batch is borrowed. */
static sluice_status pass_batch(sluice_exchange *exchange, exchange_input *input,
                                sluice_batch *batch, sluice_error *error)
{
    const uint32_t partition = sluice_router_next_batch(input->router);
    sluice_error failure = {0};
    const uint64_t rows = (uint64_t)sluice_batch_rows(batch);
    bool passed;
    bool dropped;

    const sluice_status status = sluice_output_pass(exchange, partition, sluice_batch_ref(batch),
                                                    true, &passed, &dropped, &failure);
    if (status != SLUICE_OK)
        return sluice_exchange_poison(exchange, status, &failure, error);
    count_passed(input, rows, dropped);
    return SLUICE_OK;
}

static sluice_status take_batch(sluice_exchange *exchange, exchange_input *input,
                                struct ArrowArray *array, sluice_error *error)
{
    sluice_batch *batch;
    sluice_error failure = {0};

    sluice_status status =
        sluice_batch_import(exchange->source_schema, array, exchange->options.validate_values,
                            &exchange->allocator, &batch, &failure);
    if (status != SLUICE_OK)
        return sluice_exchange_poison(exchange, status, &failure, error);
    add_count(&input->rows, (uint64_t)sluice_batch_rows(batch));
    add_count(&input->batches, 1);
    if (sluice_batch_rows(batch) == 0)
        status = SLUICE_OK;
    else if (sluice_router_takes_batches(input->router))
        status = pass_batch(exchange, input, batch, error);
    else
        status = add_rows(exchange, input, batch, error);
    sluice_batch_unref(batch);
    return status;
}

static sluice_status check_input(const sluice_exchange *exchange, uint32_t input,
                                 sluice_error *error)
{
    if (input >= exchange->options.input_count)
        return sluice_fail(error, SLUICE_INVALID, "input %u: there are only %u", input,
                           exchange->options.input_count);
    if (exchange->inputs[input].is_finished)
        return sluice_fail(error, SLUICE_INVALID, "input %u: already finished", input);
    return SLUICE_OK;
}

static sluice_status push(sluice_exchange *exchange, uint32_t input, struct ArrowArray *batch,
                          bool may_wait, sluice_error *error)
{
    SLUICE_TRY(check_input(exchange, input, error));
    if (batch == NULL || batch->release == NULL)
        return sluice_fail(error, SLUICE_INVALID, "input %u: the batch is released", input);
    SLUICE_TRY(sluice_exchange_check(exchange, error));
    SLUICE_TRY(sluice_gate_pass(exchange, &exchange->inputs[input], may_wait));
    SLUICE_TRY(sluice_exchange_check(exchange, error));
    if (atomic_load_explicit(&exchange->outputs_open, memory_order_acquire) == 0)
        return SLUICE_CLOSED;
    return take_batch(exchange, &exchange->inputs[input], batch, error);
}

sluice_status sluice_exchange_push(sluice_exchange *exchange, uint32_t input,
                                   struct ArrowArray *batch, sluice_error *error)
{
    return push(exchange, input, batch, true, error);
}

sluice_status sluice_exchange_try_push(sluice_exchange *exchange, uint32_t input,
                                       struct ArrowArray *batch, sluice_error *error)
{
    return push(exchange, input, batch, false, error);
}

/* Outputs are finished with the lock of one of them at a time; room in their queues is had before,
 * with their open batches. */
static void finish_outputs(sluice_exchange *exchange)
{
    for (uint32_t output = 0; output < exchange->output_count; output++)
        sluice_output_finish(exchange, &exchange->outputs[output]);
}

sluice_status sluice_exchange_finish(sluice_exchange *exchange, uint32_t input,
                                     sluice_error *error)
{
    SLUICE_TRY(check_input(exchange, input, error));
    exchange_input *finished = &exchange->inputs[input];

    finished->is_finished = true;
    sluice_status status = sluice_exchange_check(exchange, error);
    if (status == SLUICE_OK)
        status = place_block(exchange, finished, error);
    if (status != SLUICE_OK)
        return status;
    if (atomic_fetch_sub_explicit(&exchange->inputs_active, 1, memory_order_acq_rel) == 1)
        finish_outputs(exchange);
    return SLUICE_OK;
}
