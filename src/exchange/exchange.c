/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange/exchange.c - made, freed, failed, asked
 */
#include "exchange/exchange.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "sluice/sluice.h"

enum {
    INPUTS_MAX = 65536,
    BATCH_ROWS_DEFAULT = 8192,
    BATCH_ROWS_MAX = 1 << 30,
    BATCH_ROWS_LEAST = 64, /* Under a memory limit no target is made smaller than this. */
    HUNGRY_BELOW_DEFAULT = 2,
};

/* Open batches together of at least this are written past the cache. */
#define STREAM_BYTES_MIN (UINT64_C(4) << 20)

/* Open batches together beyond this do without huge pages, which are filled whole. */
#define HUGE_BYTES_MAX (UINT64_C(1) << 30)

const char *sluice_version(void)
{
    return SLUICE_VERSION_STRING;
}

sluice_status sluice_exchange_check(sluice_exchange *exchange, sluice_error *error)
{
    const int status = atomic_load_explicit(&exchange->failure_status, memory_order_acquire);

    if (status == SLUICE_OK)
        return SLUICE_OK;
    if (error != NULL)
        *error = exchange->failure; /* Not written any more. */
    return (sluice_status)status;
}

sluice_status sluice_exchange_poison(sluice_exchange *exchange, sluice_status status,
                                     const sluice_error *failure, sluice_error *error)
{
    bool is_first;

    sluice_mutex_lock(&exchange->failure_mutex);
    is_first = atomic_load_explicit(&exchange->failure_status, memory_order_relaxed) == SLUICE_OK;
    if (is_first) {
        exchange->failure = *failure;
        exchange->failure.status = status;
        atomic_store_explicit(&exchange->failure_status, (int)status, memory_order_release);
    }
    sluice_mutex_unlock(&exchange->failure_mutex);
    if (is_first)
        sluice_gate_wake_all(exchange);
    return sluice_exchange_check(exchange, error);
}

void sluice_exchange_fail(sluice_exchange *exchange, sluice_status status, const char *message)
{
    sluice_error failure = {0};
    const bool is_failure =
        status != SLUICE_OK && status != SLUICE_WOULD_BLOCK && status != SLUICE_CLOSED;

    const sluice_status kept = sluice_fail(&failure, is_failure ? status : SLUICE_INVALID, "%s",
                                           message == NULL ? "" : message);
    (void)sluice_exchange_poison(exchange, kept, &failure, NULL);
}

void sluice_exchange_cancel(sluice_exchange *exchange)
{
    sluice_exchange_fail(exchange, SLUICE_CANCELLED, "the exchange was cancelled");
}

/* The options, with defaults for what is 0 or was not known to the caller's version. */
static sluice_status fill_options(const sluice_exchange_options *given,
                                  sluice_exchange_options *options, sluice_error *error)
{
    *options = (sluice_exchange_options){0};
    if (given != NULL && given->size < sizeof(given->size) + sizeof(uint32_t))
        return sluice_fail(error, SLUICE_INVALID, "exchange options: size is %zu, at least %zu is "
                           "expected", given->size, sizeof(*options));
    if (given != NULL)
        memcpy(options, given, sluice_min_size(given->size, sizeof(*options)));
    options->size = sizeof(*options);
    if (options->input_count == 0)
        options->input_count = 1;
    if (options->batches_hungry_below == 0)
        options->batches_hungry_below = HUNGRY_BELOW_DEFAULT;
    if (options->batch_rows_target == 0)
        options->batch_rows_target = BATCH_ROWS_DEFAULT;
    if (options->batch_bytes_max == 0)
        options->batch_bytes_max = INT32_MAX;
    if (options->input_count > INPUTS_MAX)
        return sluice_fail(error, SLUICE_INVALID, "%u inputs: at most %d are possible",
                           options->input_count, INPUTS_MAX);
    if (options->batch_rows_target < 0 || options->batch_rows_target > BATCH_ROWS_MAX)
        return sluice_fail(error, SLUICE_INVALID, "batch_rows_target %lld: 1 to %d is possible",
                           (long long)options->batch_rows_target, BATCH_ROWS_MAX);
    if (options->batch_bytes_max < 0 || options->batch_bytes_max > INT32_MAX)
        return sluice_fail(error, SLUICE_INVALID, "batch_bytes_max %lld: 1 to %d is possible",
                           (long long)options->batch_bytes_max, INT32_MAX);
    if (options->memory != NULL && options->memory_bytes_max != 0)
        return sluice_fail(error, SLUICE_INVALID,
                           "memory_bytes_max goes with a memory of the exchange's own");
    if (options->memory_bytes_max < 0)
        return sluice_fail(error, SLUICE_INVALID, "memory_bytes_max %lld is negative",
                           (long long)options->memory_bytes_max);
    return SLUICE_OK;
}

/* The output has the input's schema, with wide dictionary indices where rows are copied. */
static sluice_status make_schemas(sluice_exchange *exchange, const struct ArrowSchema *schema,
                                  sluice_error *error)
{
    SLUICE_TRY(sluice_schema_import(schema, &exchange->allocator, &exchange->source_schema, error));
    if (exchange->kind == SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES) {
        exchange->schema = sluice_schema_ref(exchange->source_schema);
        return SLUICE_OK;
    }
    return sluice_schema_widen_dictionaries(exchange->source_schema, &exchange->schema, error);
}

/* Bytes that the rows of all open batches take, without what varies. */
static uint64_t open_bytes(const sluice_exchange *exchange)
{
    const uint64_t row_bytes = sluice_place_unit_bits(exchange->plan, 0) / 8 + 1;

    return row_bytes * (uint64_t)exchange->options.batch_rows_target * exchange->output_count;
}

static sluice_status make_memory(sluice_exchange *exchange, sluice_error *error)
{
    sluice_memory *shared = exchange->options.memory;
    const uint64_t limit = shared != NULL ? sluice_pool_limit(sluice_memory_pool(shared))
                                          : (uint64_t)exchange->options.memory_bytes_max;

    while (limit != 0 && open_bytes(exchange) > limit / 2 &&
           exchange->options.batch_rows_target / 2 >= BATCH_ROWS_LEAST)
        exchange->options.batch_rows_target /= 2;
    if (shared != NULL)
        exchange->memory = sluice_memory_ref(shared);
    else
        SLUICE_TRY(sluice_memory_make(limit, exchange->options.allocator,
                                      open_bytes(exchange) <= HUGE_BYTES_MAX, &exchange->memory,
                                      error));
    exchange->pool = sluice_memory_pool(exchange->memory);
    exchange->shelf = sluice_shelf_new(exchange->plan, sluice_memory_slab(exchange->memory),
                                       &exchange->allocator);
    if (exchange->shelf == NULL)
        return sluice_fail_allocation(error, sizeof(*exchange), "an exchange");
    return sluice_dictionaries_new(exchange->plan, exchange->pool, &exchange->allocator,
                                   &exchange->dictionaries, error);
}

static sluice_status make_plan(sluice_exchange *exchange, sluice_error *error)
{
    const sluice_place_limits limits = {
        .rows_max = exchange->options.batch_rows_target,
        .bytes_max = exchange->options.batch_bytes_max,
    };

    SLUICE_TRY(sluice_place_plan_new(exchange->source_schema, exchange->schema, &limits,
                                     &exchange->allocator, &exchange->plan, error));
    const size_t extents = exchange->plan->extent_count;

    exchange->unit_bits =
        sluice_allocate_zeroed(&exchange->allocator, extents, sizeof(*exchange->unit_bits));
    exchange->room_hints =
        sluice_allocate_zeroed(&exchange->allocator, extents, sizeof(*exchange->room_hints));
    if (exchange->unit_bits == NULL || exchange->room_hints == NULL)
        return sluice_fail_allocation(error, extents * sizeof(uint64_t), "an exchange");
    for (uint32_t extent = 0; extent < extents; extent++)
        exchange->unit_bits[extent] = sluice_place_unit_bits(exchange->plan, extent);
    return SLUICE_OK;
}

static sluice_status make_outputs(sluice_exchange *exchange, sluice_error *error)
{
    const size_t count = exchange->output_count;

    exchange->outputs =
        sluice_allocate_zeroed(&exchange->allocator, count, sizeof(*exchange->outputs));
    if (exchange->outputs == NULL)
        return sluice_fail_allocation(error, count * sizeof(*exchange->outputs), "outputs");
    for (size_t output = 0; output < count; output++) {
        exchange_output *made = &exchange->outputs[output];

        sluice_mutex_init(&made->mutex);
        sluice_condition_init(&made->is_ready);
        sluice_queue_init(&made->queue, &exchange->allocator);
        made->is_hungry = true;
    }
    atomic_init(&exchange->outputs_open, exchange->output_count);
    atomic_init(&exchange->hungry_count, exchange->output_count);
    return SLUICE_OK;
}

static sluice_status make_inputs(sluice_exchange *exchange,
                                 const sluice_partitioning *partitioning, sluice_error *error)
{
    const uint32_t count = exchange->options.input_count;
    sluice_block_options block_options = {
        .plan = exchange->plan,
        .kernels = sluice_kernels_choose(),
        .dictionaries = exchange->dictionaries,
        .pool = exchange->pool,
        .partition_count = exchange->output_count,
        .streams = open_bytes(exchange) >= STREAM_BYTES_MIN,
        .allocator = &exchange->allocator,
    };
    sluice_router_options router_options = {
        .input_count = count,
        .kernels = sluice_kernels_choose(),
        .allocator = &exchange->allocator,
    };

    exchange->inputs =
        sluice_allocate_zeroed(&exchange->allocator, count, sizeof(*exchange->inputs));
    if (exchange->inputs == NULL)
        return sluice_fail_allocation(error, count * sizeof(*exchange->inputs), "inputs");
    if (exchange->kind == SLUICE_PARTITIONING_VALUE)
        SLUICE_TRY(sluice_value_table_new(exchange->source_schema, partitioning,
                                          &exchange->allocator, &exchange->values, error));
    router_options.values = exchange->values;
    for (uint32_t input = 0; input < count; input++) {
        router_options.input_index = input;
        SLUICE_TRY(sluice_router_new(exchange->source_schema, partitioning, &router_options,
                                     &exchange->inputs[input].router, error));
        SLUICE_TRY(sluice_block_new(&block_options, &exchange->inputs[input].block, error));
    }
    atomic_init(&exchange->inputs_active, count);
    return SLUICE_OK;
}

sluice_status sluice_exchange_new(const struct ArrowSchema *schema,
                                  const sluice_partitioning *partitioning,
                                  const sluice_exchange_options *options, sluice_exchange **out,
                                  sluice_error *error)
{
    sluice_exchange_options filled;

    *out = NULL;
    if (schema == NULL || schema->release == NULL || partitioning == NULL)
        return sluice_fail(error, SLUICE_INVALID, "an exchange needs a schema and a partitioning");
    SLUICE_TRY(fill_options(options, &filled, error));
    sluice_exchange *exchange = sluice_allocate_zeroed(filled.allocator, 1, sizeof(*exchange));
    if (exchange == NULL)
        return sluice_fail_allocation(error, sizeof(*exchange), "an exchange");
    exchange->allocator = sluice_allocator_or_default(filled.allocator);
    exchange->options = filled;
    exchange->kind = sluice_partitioning_get_kind(partitioning);
    exchange->output_count = sluice_partitioning_get_count(partitioning);
    atomic_init(&exchange->owners, 1);
    sluice_mutex_init(&exchange->route_mutex);
    sluice_mutex_init(&exchange->failure_mutex);
    sluice_mutex_init(&exchange->gate_mutex);
    sluice_condition_init(&exchange->gate_opened);
    sluice_condition_init(&exchange->any_ready);

    sluice_status status = make_schemas(exchange, schema, error);
    if (status == SLUICE_OK)
        status = make_plan(exchange, error);
    if (status == SLUICE_OK)
        status = make_memory(exchange, error);
    if (status == SLUICE_OK)
        status = make_outputs(exchange, error);
    if (status == SLUICE_OK)
        status = make_inputs(exchange, partitioning, error);
    if (status != SLUICE_OK) {
        sluice_exchange_unref(exchange);
        return status;
    }
    exchange->options.allocator = NULL; /* The caller's pointers are not kept. */
    exchange->options.memory = NULL;
    *out = exchange;
    return SLUICE_OK;
}

static void free_inputs(sluice_exchange *exchange)
{
    const uint32_t count = exchange->options.input_count;

    if (exchange->inputs == NULL)
        return;
    for (uint32_t input = 0; input < count; input++) {
        sluice_router_free(exchange->inputs[input].router);
        sluice_block_free(exchange->inputs[input].block);
    }
    sluice_free(&exchange->allocator, exchange->inputs, count * sizeof(*exchange->inputs));
}

static void free_outputs(sluice_exchange *exchange)
{
    if (exchange->outputs == NULL)
        return;
    for (uint32_t index = 0; index < exchange->output_count; index++) {
        exchange_output *output = &exchange->outputs[index];

        if (output->open != NULL)
            sluice_packet_drop((sluice_packet){.filled = output->open});
        while (output->queue.count > 0)
            sluice_packet_drop(sluice_queue_receive(&output->queue));
        sluice_queue_deinit(&output->queue);
        sluice_condition_deinit(&output->is_ready);
        sluice_mutex_deinit(&output->mutex);
    }
    sluice_free(&exchange->allocator, exchange->outputs,
                exchange->output_count * sizeof(*exchange->outputs));
}

static void free_plan(sluice_exchange *exchange)
{
    if (exchange->plan == NULL)
        return;
    const size_t extents = exchange->plan->extent_count;

    sluice_free(&exchange->allocator, exchange->room_hints,
                extents * sizeof(*exchange->room_hints));
    sluice_free(&exchange->allocator, exchange->unit_bits, extents * sizeof(*exchange->unit_bits));
    sluice_place_plan_unref(exchange->plan);
}

void sluice_exchange_unref(sluice_exchange *exchange)
{
    if (atomic_fetch_sub_explicit(&exchange->owners, 1, memory_order_acq_rel) != 1)
        return;
    free_inputs(exchange);
    sluice_value_table_free(exchange->values);
    free_outputs(exchange);
    sluice_dictionaries_free(exchange->dictionaries);
    sluice_shelf_unref(exchange->shelf);
    free_plan(exchange);
    sluice_memory_free(exchange->memory);
    sluice_schema_unref(exchange->schema);
    sluice_schema_unref(exchange->source_schema);
    sluice_condition_deinit(&exchange->any_ready);
    sluice_condition_deinit(&exchange->gate_opened);
    sluice_mutex_deinit(&exchange->gate_mutex);
    sluice_mutex_deinit(&exchange->failure_mutex);
    sluice_mutex_deinit(&exchange->route_mutex);
    const sluice_allocator allocator = exchange->allocator;
    sluice_free(&allocator, exchange, sizeof(*exchange));
}

void sluice_exchange_free(sluice_exchange *exchange)
{
    if (exchange != NULL)
        sluice_exchange_unref(exchange);
}

sluice_status sluice_exchange_get_schema(const sluice_exchange *exchange, struct ArrowSchema *out,
                                         sluice_error *error)
{
    return sluice_field_export(sluice_schema_root(exchange->schema), out, error);
}

uint32_t sluice_exchange_get_input_count(const sluice_exchange *exchange)
{
    return exchange->options.input_count;
}

uint32_t sluice_exchange_get_output_count(const sluice_exchange *exchange)
{
    return exchange->output_count;
}

static uint64_t read_counter(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void sluice_exchange_get_input_metrics(const sluice_exchange *exchange, uint32_t input,
                                       sluice_input_metrics *out)
{
    *out = (sluice_input_metrics){0};
    if (input >= exchange->options.input_count)
        return;
    const exchange_input *read = &exchange->inputs[input];

    *out = (sluice_input_metrics){
        .rows = read_counter(&read->rows),
        .batches = read_counter(&read->batches),
        .bytes_copied = read_counter(&read->bytes_copied),
        .batches_passed = read_counter(&read->batches_passed),
        .rows_dropped = read_counter(&read->rows_dropped),
        .route_nanoseconds = read_counter(&read->route_nanoseconds),
        .place_nanoseconds = read_counter(&read->place_nanoseconds),
        .wait_nanoseconds = read_counter(&read->wait_nanoseconds),
    };
}

void sluice_exchange_get_output_metrics(const sluice_exchange *exchange, uint32_t output,
                                        sluice_output_metrics *out)
{
    *out = (sluice_output_metrics){0};
    if (output >= exchange->output_count)
        return;
    exchange_output *read = &exchange->outputs[output];

    sluice_mutex_lock(&read->mutex);
    *out = read->metrics;
    out->batches_queued = read->queue.count;
    sluice_mutex_unlock(&read->mutex);
}

void sluice_exchange_get_memory_metrics(const sluice_exchange *exchange,
                                        sluice_memory_metrics *out)
{
    sluice_memory_get_metrics(exchange->memory, out);
}
