/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/gate.c - who waits for whom
 *
 * Producers pass while some open output is hungry: has fewer batches queued than
 * batches_hungry_below.  A producer that waits means that every consumer has a batch to take, so
 * nobody waits in a circle.  The count of hungry outputs changes under an output's lock; a
 * producer looks at it under the gate's lock, and whoever makes it 1 takes that lock before waking,
 * so no wake-up is lost.
 *
 * The list of ready outputs serves callers that take whichever batch comes first.
 */
#include "exchange/exchange.h"

static bool may_pass(const sluice_exchange *exchange)
{
    return atomic_load_explicit(&exchange->hungry_count, memory_order_acquire) > 0 ||
           atomic_load_explicit(&exchange->outputs_open, memory_order_acquire) == 0 ||
           atomic_load_explicit(&exchange->failure_status, memory_order_acquire) != SLUICE_OK;
}

sluice_status sluice_gate_pass(sluice_exchange *exchange, exchange_input *input, bool may_wait)
{
    if (may_pass(exchange))
        return SLUICE_OK;
    if (!may_wait)
        return SLUICE_WOULD_BLOCK;

    const uint64_t start = sluice_now_nanoseconds();

    sluice_mutex_lock(&exchange->gate_mutex);
    exchange->producers_waiting++;
    while (!may_pass(exchange))
        sluice_condition_wait(&exchange->gate_opened, &exchange->gate_mutex);
    exchange->producers_waiting--;
    sluice_mutex_unlock(&exchange->gate_mutex);
    atomic_fetch_add_explicit(&input->wait_nanoseconds, sluice_now_nanoseconds() - start,
                              memory_order_relaxed);
    return SLUICE_OK;
}

void sluice_gate_wake_producers(sluice_exchange *exchange)
{
    sluice_mutex_lock(&exchange->gate_mutex);
    if (exchange->producers_waiting > 0)
        sluice_condition_wake_all(&exchange->gate_opened);
    sluice_mutex_unlock(&exchange->gate_mutex);
}

void sluice_gate_update(sluice_exchange *exchange, exchange_output *output)
{
    const bool is_hungry =
        !output->is_closed && output->queue.count < exchange->options.batches_hungry_below;

    if (output->queue.count > output->metrics.batches_queued_max)
        output->metrics.batches_queued_max = output->queue.count;
    if (is_hungry == output->is_hungry)
        return;
    output->is_hungry = is_hungry;
    if (!is_hungry) {
        atomic_fetch_sub_explicit(&exchange->hungry_count, 1, memory_order_acq_rel);
        return;
    }
    if (atomic_fetch_add_explicit(&exchange->hungry_count, 1, memory_order_acq_rel) == 0)
        sluice_gate_wake_producers(exchange);
}

void sluice_gate_list_ready(sluice_exchange *exchange, exchange_output *output)
{
    if (output->waiting > 0)
        sluice_condition_wake_all(&output->is_ready);
    sluice_mutex_lock(&exchange->gate_mutex);
    if (!output->is_listed && !output->is_taken && !output->was_reported) {
        output->is_listed = true;
        output->next_ready = NULL;
        if (exchange->last_ready == NULL)
            exchange->first_ready = output;
        else
            exchange->last_ready->next_ready = output;
        exchange->last_ready = output;
        if (exchange->any_waiting > 0)
            sluice_condition_wake_one(&exchange->any_ready);
    }
    sluice_mutex_unlock(&exchange->gate_mutex);
}

void sluice_gate_wake_all(sluice_exchange *exchange)
{
    for (uint32_t output = 0; output < exchange->output_count; output++) {
        sluice_mutex_lock(&exchange->outputs[output].mutex);
        sluice_condition_wake_all(&exchange->outputs[output].is_ready);
        sluice_mutex_unlock(&exchange->outputs[output].mutex);
    }
    sluice_mutex_lock(&exchange->gate_mutex);
    sluice_condition_wake_all(&exchange->gate_opened);
    sluice_condition_wake_all(&exchange->any_ready);
    sluice_mutex_unlock(&exchange->gate_mutex);
}
