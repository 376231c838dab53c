/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/output.c - pull and close
 */
#include "exchange/exchange.h"

/* What a packet holds as an array of the consumer's.  Takes the packet. */
static sluice_status export_packet(sluice_exchange *exchange, sluice_packet packet,
                                   struct ArrowArray *batch, sluice_error *error)
{
    if (packet.filled != NULL)
        return sluice_dictionaries_export(exchange->dictionaries, packet.filled, batch, error);

    const sluice_status status =
        sluice_batch_export(packet.passed, 0, sluice_batch_rows(packet.passed), batch, error);
    sluice_batch_unref(packet.passed);
    return status;
}

static void count_pulled(exchange_output *output, const sluice_packet *packet)
{
    output->metrics.batches++;
    output->metrics.rows += packet->passed != NULL
                                ? (uint64_t)sluice_batch_rows(packet->passed)
                                : (uint64_t)packet->filled->used[0];
}

static bool has_ended(const exchange_output *output)
{
    return output->is_closed || (output->is_finished && output->queue.count == 0);
}

/* Wait until the output has a batch or has ended, or the exchange has failed.  Under its lock. */
static sluice_status wait_ready(sluice_exchange *exchange, exchange_output *output, bool may_wait)
{
    uint64_t start = 0;

    while (!sluice_queue_is_ready(&output->queue) && !has_ended(output) &&
           atomic_load_explicit(&exchange->failure_status, memory_order_acquire) == SLUICE_OK) {
        if (!may_wait)
            return SLUICE_WOULD_BLOCK;
        if (start == 0)
            start = sluice_now_nanoseconds();
        output->waiting++;
        sluice_condition_wait(&output->is_ready, &output->mutex);
        output->waiting--;
    }
    if (start != 0)
        output->metrics.wait_nanoseconds += sluice_now_nanoseconds() - start;
    return SLUICE_OK;
}

/*
 * Take the head of the queue.  Both packet members are NULL at the end.  A failure is looked for
 * after the head was seen ready, because a run that could not be copied is let go too.
 */
static sluice_status take_head(sluice_exchange *exchange, exchange_output *output, bool may_wait,
                               sluice_packet *packet, sluice_error *error)
{
    *packet = (sluice_packet){0};
    sluice_mutex_lock(&output->mutex);
    sluice_status status = wait_ready(exchange, output, may_wait);
    if (status == SLUICE_OK && !has_ended(output)) {
        status = sluice_exchange_check(exchange, error);
        if (status == SLUICE_OK) {
            *packet = sluice_queue_receive(&output->queue);
            count_pulled(output, packet);
            sluice_gate_update(exchange, output);
        }
    }
    sluice_mutex_unlock(&output->mutex);
    return status;
}

static sluice_status pull(sluice_exchange *exchange, exchange_output *output, bool may_wait,
                          struct ArrowArray *batch, sluice_error *error)
{
    sluice_packet packet;
    sluice_error failure = {0};

    batch->release = NULL;
    SLUICE_TRY(sluice_exchange_check(exchange, error));
    SLUICE_TRY(take_head(exchange, output, may_wait, &packet, error));
    if (packet.filled == NULL && packet.passed == NULL)
        return sluice_exchange_check(exchange, error);
    const sluice_status status = export_packet(exchange, packet, batch, &failure);
    if (status == SLUICE_OK)
        return SLUICE_OK;
    batch->release = NULL;
    return sluice_exchange_poison(exchange, status, &failure, error);
}

static sluice_status check_output(const sluice_exchange *exchange, uint32_t output,
                                  struct ArrowArray *batch, sluice_error *error)
{
    if (batch == NULL)
        return sluice_fail(error, SLUICE_INVALID, "output %u: nowhere to put the batch", output);
    batch->release = NULL;
    if (output < exchange->output_count)
        return SLUICE_OK;
    return sluice_fail(error, SLUICE_INVALID, "output %u: there are only %u", output,
                       exchange->output_count);
}

sluice_status sluice_exchange_pull(sluice_exchange *exchange, uint32_t output,
                                   struct ArrowArray *batch, sluice_error *error)
{
    SLUICE_TRY(check_output(exchange, output, batch, error));
    return pull(exchange, &exchange->outputs[output], true, batch, error);
}

sluice_status sluice_exchange_try_pull(sluice_exchange *exchange, uint32_t output,
                                       struct ArrowArray *batch, sluice_error *error)
{
    SLUICE_TRY(check_output(exchange, output, batch, error));
    return pull(exchange, &exchange->outputs[output], false, batch, error);
}

/* The caller of pull_any has done with its output: others may have it. */
static void give_back(sluice_exchange *exchange, exchange_output *output)
{
    sluice_mutex_lock(&output->mutex);
    sluice_mutex_lock(&exchange->gate_mutex);
    output->is_taken = false;
    sluice_mutex_unlock(&exchange->gate_mutex);
    if (sluice_queue_is_ready(&output->queue) || has_ended(output))
        sluice_gate_list_ready(exchange, output);
    sluice_mutex_unlock(&output->mutex);
}

/* Nobody is ready, and somebody may still be. */
static bool must_wait_any(const sluice_exchange *exchange)
{
    return exchange->first_ready == NULL && exchange->reported_count < exchange->output_count &&
           atomic_load_explicit(&exchange->failure_status, memory_order_acquire) == SLUICE_OK;
}

/* Wait for an output in the list of ready ones and take it; NULL when all have been reported. */
static sluice_status take_listed(sluice_exchange *exchange, bool may_wait, exchange_output **out,
                                 sluice_error *error)
{
    sluice_status status = SLUICE_OK;

    *out = NULL;
    sluice_mutex_lock(&exchange->gate_mutex);
    if (!may_wait && must_wait_any(exchange))
        status = SLUICE_WOULD_BLOCK;
    while (may_wait && must_wait_any(exchange)) {
        exchange->any_waiting++;
        sluice_condition_wait(&exchange->any_ready, &exchange->gate_mutex);
        exchange->any_waiting--;
    }
    exchange_output *output = exchange->first_ready;
    if (output != NULL) {
        exchange->first_ready = output->next_ready;
        if (exchange->first_ready == NULL)
            exchange->last_ready = NULL;
        output->is_listed = false;
        output->is_taken = true;
        *out = output;
    }
    sluice_mutex_unlock(&exchange->gate_mutex);
    SLUICE_TRY(status);
    return sluice_exchange_check(exchange, error);
}

/* The end of a taken output is told once; after the last one nobody waits any more. */
static void report_end(sluice_exchange *exchange, exchange_output *output)
{
    sluice_mutex_lock(&exchange->gate_mutex);
    output->was_reported = true;
    exchange->reported_count++;
    if (exchange->reported_count == exchange->output_count)
        sluice_condition_wake_all(&exchange->any_ready);
    sluice_mutex_unlock(&exchange->gate_mutex);
}

static sluice_status pull_any(sluice_exchange *exchange, bool may_wait, uint32_t *output,
                              struct ArrowArray *batch, sluice_error *error)
{
    const uint32_t given_back = *output;
    exchange_output *taken;

    *output = SLUICE_NO_OUTPUT;
    if (given_back != SLUICE_NO_OUTPUT) {
        SLUICE_TRY(check_output(exchange, given_back, batch, error));
        give_back(exchange, &exchange->outputs[given_back]);
    }
    batch->release = NULL;
    for (;;) {
        SLUICE_TRY(take_listed(exchange, may_wait, &taken, error));
        if (taken == NULL)
            return SLUICE_OK;
        const sluice_status status = pull(exchange, taken, false, batch, error);
        if (status != SLUICE_WOULD_BLOCK) {
            SLUICE_TRY(status);
            break;
        }
        give_back(exchange, taken);
    }
    *output = (uint32_t)(taken - exchange->outputs);
    if (batch->release == NULL)
        report_end(exchange, taken);
    return SLUICE_OK;
}

sluice_status sluice_exchange_pull_any(sluice_exchange *exchange, uint32_t *output,
                                       struct ArrowArray *batch, sluice_error *error)
{
    return pull_any(exchange, true, output, batch, error);
}

sluice_status sluice_exchange_try_pull_any(sluice_exchange *exchange, uint32_t *output,
                                           struct ArrowArray *batch, sluice_error *error)
{
    return pull_any(exchange, false, output, batch, error);
}

void sluice_exchange_close_output(sluice_exchange *exchange, uint32_t output)
{
    if (output >= exchange->output_count)
        return;
    exchange_output *closed = &exchange->outputs[output];

    sluice_mutex_lock(&closed->mutex);
    if (!closed->is_closed) {
        closed->is_closed = true;
        if (closed->open != NULL)
            sluice_packet_drop((sluice_packet){.filled = closed->open});
        closed->open = NULL;
        while (closed->queue.count > 0)
            sluice_packet_drop(sluice_queue_receive(&closed->queue));
        sluice_gate_update(exchange, closed);
        sluice_gate_list_ready(exchange, closed);
        if (atomic_fetch_sub_explicit(&exchange->outputs_open, 1, memory_order_acq_rel) == 1)
            sluice_gate_wake_producers(exchange);
    }
    sluice_mutex_unlock(&closed->mutex);
}
