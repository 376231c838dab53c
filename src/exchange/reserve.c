/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/reserve.c - rows of a block to places in the open batch of one output; sealing
 *
 * A place is a run: rows that lie together in one batch.  Under the output's lock a run is only
 * counted; its values are copied later, without any lock.  A batch is sealed when its rows are
 * reserved and goes on when they have been copied, in the order of sealing.
 */
#include "base/compiler.h"
#include "base/math.h"
#include "exchange/exchange.h"

/* Remember how much of each extent full batches have, so that the next one has room at once. */
static void note_room(sluice_exchange *exchange, const sluice_open_batch *batch)
{
    for (uint32_t extent = 1; extent < exchange->plan->extent_count; extent++) {
        const int64_t wanted = batch->used[extent] + batch->used[extent] / 8;

        if (wanted > atomic_load_explicit(&exchange->room_hints[extent], memory_order_relaxed))
            atomic_store_explicit(&exchange->room_hints[extent], wanted, memory_order_relaxed);
    }
}

static void send_packet(sluice_exchange *exchange, exchange_output *output, sluice_packet packet)
{
    sluice_queue_send(&output->queue, packet);
    sluice_gate_update(exchange, output);
    if (sluice_queue_is_ready(&output->queue))
        sluice_gate_list_ready(exchange, output);
}

/* The open batch gets no more rows.  The queue has room for it. */
static void seal(sluice_exchange *exchange, exchange_output *output)
{
    sluice_open_batch *batch = output->open;

    SLUICE_ASSERT(batch->used[0] > 0);
    note_room(exchange, batch);
    output->open = NULL;
    atomic_fetch_or_explicit(&batch->pending, SLUICE_PENDING_SEALED, memory_order_acq_rel);
    send_packet(exchange, output, (sluice_packet){.filled = batch});
}

/* Have an open batch; it may have no row left. */
static sluice_status have_open(sluice_exchange *exchange, exchange_output *output,
                               uint32_t output_index, int64_t row_count, sluice_error *error)
{
    int64_t rows_max = exchange->options.batch_rows_target;

    if (output->open != NULL)
        return SLUICE_OK;
    SLUICE_TRY(sluice_queue_reserve(&output->queue, error));
    if (exchange->options.flush_each_batch)
        rows_max = sluice_min_int64(rows_max, row_count);
    SLUICE_TRY(sluice_pressure_open_batch(exchange, rows_max, &output->open, error));
    output->open->output = output_index;
    return SLUICE_OK;
}

static bool ranges_fit(const sluice_open_batch *batch, const sluice_range *ranges)
{
    for (uint32_t extent = 0; extent < batch->plan->extent_count; extent++) {
        if (ranges[extent].count > batch->plan->extents[extent].units_max - batch->used[extent])
            return false;
    }
    return true;
}

/*
 * How many of the rows fit into the batch, at most what its columns may hold; ranges are theirs.
 * All extents grow with the rows, so the most that fits is found by bisection.
 */
static int64_t fit_rows(const sluice_block *block, const sluice_open_batch *batch, int64_t first,
                        int64_t row_count, sluice_range *ranges)
{
    const int64_t wanted = sluice_min_int64(row_count, batch->rows_max - batch->used[0]);
    int64_t fitting = 0;
    int64_t too_many = wanted;

    sluice_block_ranges(block, first, wanted, ranges);
    if (ranges_fit(batch, ranges))
        return wanted;
    while (too_many - fitting > 1) {
        const int64_t middle = fitting + (too_many - fitting) / 2;

        sluice_block_ranges(block, first, middle, ranges);
        if (ranges_fit(batch, ranges))
            fitting = middle;
        else
            too_many = middle;
    }
    sluice_block_ranges(block, first, fitting, ranges);
    return fitting;
}

/* Units to make room for, so that the batch need not grow again soon. */
static int64_t choose_room(const sluice_exchange *exchange, const sluice_open_batch *batch,
                           uint32_t extent, int64_t needed)
{
    const int64_t units_max = batch->plan->extents[extent].units_max;
    const int64_t hint =
        atomic_load_explicit(&exchange->room_hints[extent], memory_order_relaxed);
    const int64_t doubled = sluice_min_int64(batch->room[extent], units_max / 2) * 2;

    return sluice_min_int64(units_max,
                            sluice_max_int64(needed, sluice_max_int64(hint, doubled)));
}

/* Have memory for the ranges.  *fits is false when the batch must grow and somebody is copying. */
static sluice_status have_room(const sluice_exchange *exchange, sluice_open_batch *batch,
                               const sluice_range *ranges, bool *fits, sluice_error *error)
{
    *fits = true;
    for (uint32_t extent = 1; extent < batch->plan->extent_count; extent++) {
        const int64_t needed = batch->used[extent] + ranges[extent].count;

        if (needed <= batch->room[extent])
            continue;
        if (atomic_load_explicit(&batch->pending, memory_order_acquire) > 1) {
            *fits = false;
            return SLUICE_OK;
        }
        SLUICE_TRY(sluice_open_batch_grow(
            batch, extent, choose_room(exchange, batch, extent, needed), error));
    }
    return SLUICE_OK;
}

/* Count the ranges as the batch's and as being copied. */
static void take_places(const sluice_block *block, sluice_open_batch *batch, sluice_range *ranges)
{
    for (uint32_t extent = 0; extent < batch->plan->extent_count; extent++) {
        ranges[extent].target = batch->used[extent];
        batch->used[extent] += ranges[extent].count;
    }
    for (uint32_t dictionary = 0; dictionary < batch->plan->dictionary_count; dictionary++) {
        const uint64_t values = block->dictionary_values[dictionary];

        if (values > batch->dictionary_values[dictionary])
            batch->dictionary_values[dictionary] = values;
    }
    atomic_fetch_add_explicit(&batch->pending, 1, memory_order_relaxed);
}

/* Places for the first of some rows; *taken of them. */
static sluice_status reserve_some(sluice_exchange *exchange, exchange_output *output,
                                  sluice_block *block, uint32_t partition, sluice_range *rows,
                                  sluice_error *error)
{
    sluice_run *run;
    bool fits;

    SLUICE_TRY(have_open(exchange, output, partition, rows->count, error));
    sluice_open_batch *batch = output->open;

    SLUICE_TRY(sluice_block_add_run(block, batch, partition, &run, error));
    sluice_range *ranges = sluice_block_get_run(block, block->run_count - 1).ranges;
    const int64_t row_count = fit_rows(block, batch, rows->first, rows->count, ranges);
    if (row_count == 0 && batch->used[0] == 0) {
        block->run_count--;
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "output %u: one row has more than the %lld bytes or elements that a "
                           "column of a batch may have",
                           partition, (long long)exchange->options.batch_bytes_max);
    }
    sluice_status status = have_room(exchange, batch, ranges, &fits, error);
    if (status != SLUICE_OK || row_count == 0 || !fits) {
        block->run_count--;
        if (status == SLUICE_OK)
            seal(exchange, output);
        return status;
    }
    take_places(block, batch, ranges);
    rows->first += row_count;
    rows->count -= row_count;
    if (batch->used[0] == batch->rows_max || exchange->options.flush_each_batch)
        seal(exchange, output);
    return SLUICE_OK;
}

sluice_status sluice_output_reserve(sluice_exchange *exchange, sluice_block *block,
                                    uint32_t partition, bool *dropped, sluice_error *error)
{
    exchange_output *output = &exchange->outputs[partition];
    const int64_t first = sluice_block_start(block, partition);
    sluice_range rows = {.first = first,
                         .count = sluice_block_start(block, partition + 1) - first};
    sluice_status status = SLUICE_OK;

    sluice_mutex_lock(&output->mutex);
    *dropped = output->is_closed;
    while (status == SLUICE_OK && rows.count > 0 && !*dropped)
        status = reserve_some(exchange, output, block, partition, &rows, error);
    sluice_mutex_unlock(&output->mutex);
    return status;
}

void sluice_output_commit(sluice_exchange *exchange, sluice_open_batch *batch)
{
    exchange_output *output = &exchange->outputs[batch->output];
    const uint32_t pending =
        atomic_fetch_sub_explicit(&batch->pending, 1, memory_order_acq_rel);

    if ((pending & ~SLUICE_PENDING_SEALED) == 1) {
        sluice_open_batch_free(batch);
        return;
    }
    if (pending != SLUICE_PENDING_READY + 1)
        return;
    sluice_mutex_lock(&output->mutex);
    if (sluice_queue_is_ready(&output->queue))
        sluice_gate_list_ready(exchange, output);
    sluice_mutex_unlock(&output->mutex);
}

/* A batch of more than half the target is passed on, unless that would leave a small one before
 * it. */
static bool should_pass(const sluice_exchange *exchange, const exchange_output *output,
                        const sluice_batch *batch)
{
    const int64_t half = exchange->options.batch_rows_target / 2;

    if (sluice_batch_rows(batch) <= half)
        return false;
    return output->open == NULL || output->open->used[0] > half;
}

sluice_status sluice_output_pass(sluice_exchange *exchange, uint32_t partition, sluice_batch *batch,
                                 bool always, bool *passed, bool *dropped, sluice_error *error)
{
    exchange_output *output = &exchange->outputs[partition];
    sluice_status status = SLUICE_OK;

    sluice_mutex_lock(&output->mutex);
    *dropped = output->is_closed;
    *passed = always || output->is_closed || should_pass(exchange, output, batch);
    if (*passed && output->is_closed) {
        sluice_batch_unref(batch);
    } else if (*passed) {
        if (output->open != NULL)
            seal(exchange, output);
        status = sluice_queue_reserve(&output->queue, error);
        if (status == SLUICE_OK)
            send_packet(exchange, output, (sluice_packet){.passed = batch});
        else
            sluice_batch_unref(batch);
    }
    sluice_mutex_unlock(&output->mutex);
    return status;
}

void sluice_output_finish(sluice_exchange *exchange, exchange_output *output)
{
    sluice_mutex_lock(&output->mutex);
    if (output->open != NULL)
        seal(exchange, output);
    output->is_finished = true;
    sluice_gate_list_ready(exchange, output);
    sluice_mutex_unlock(&output->mutex);
}
