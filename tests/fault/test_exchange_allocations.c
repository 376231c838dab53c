/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_exchange_allocations.c - each allocation of a whole exchange fails once
 *
 * The same rows go through an exchange again and again, and the n-th allocation is refused, for
 * n = 0, 1, 2 ... until nothing was refused.  Each run ends in success or in SLUICE_OUT_OF_MEMORY,
 * and everything that was allocated has been freed.  Then the same with small memory limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "sluice/exchange.h"
#include "support/arrays.h"
#include "support/failing_allocator.h"

enum { OUTPUT_COUNT = 3, INPUT_COUNT = 2, BATCH_COUNT = 3 };

static const char schema_text[] =
    "k=l; s=u; v=vu; l=+l<item=u>; d=c{u}; r=+r<run_ends=i; values=u>; b=b";

/* Pull until nothing is ready; counts rows. */
static sluice_status drain(sluice_exchange *exchange, int64_t *rows, sluice_error *error)
{
    for (uint32_t output = 0; output < OUTPUT_COUNT; output++) {
        for (;;) {
            struct ArrowArray batch;
            const sluice_status status =
                sluice_exchange_try_pull(exchange, output, &batch, error);

            if (status == SLUICE_WOULD_BLOCK)
                break;
            SLUICE_TRY(status);
            if (batch.release == NULL)
                break;
            *rows += batch.length;
            batch.release(&batch);
        }
    }
    return SLUICE_OK;
}

static sluice_status push_all(sluice_exchange *exchange, const struct ArrowSchema *schema,
                              int64_t *rows_in, int64_t *rows_out, sluice_error *error)
{
    for (uint32_t input = 0; input < INPUT_COUNT; input++) {
        for (uint64_t index = 0; index < BATCH_COUNT; index++) {
            const test_random_options options = {
                .seed = input * 10 + index, .null_percent = 20, .value_count = 50};
            struct ArrowArray batch;

            test_random_batch(schema, 40, &options, &batch);
            const sluice_status status = sluice_exchange_push(exchange, input, &batch, error);
            if (batch.release != NULL)
                batch.release(&batch);
            SLUICE_TRY(status);
            *rows_in += 40;
            SLUICE_TRY(drain(exchange, rows_out, error));
        }
        SLUICE_TRY(sluice_exchange_finish(exchange, input, error));
    }
    return drain(exchange, rows_out, error);
}

static sluice_status run(const struct ArrowSchema *schema, const sluice_partitioning *partitioning,
                         const sluice_exchange_options *options, sluice_error *error)
{
    sluice_exchange *exchange;
    int64_t rows_in = 0;
    int64_t rows_out = 0;

    SLUICE_TRY(sluice_exchange_new(schema, partitioning, options, &exchange, error));
    const sluice_status status = push_all(exchange, schema, &rows_in, &rows_out, error);
    if (status == SLUICE_OK)
        assert_int_equal(rows_out, rows_in);
    sluice_exchange_free(exchange);
    return status;
}

static void sweep(const sluice_partitioning *partitioning)
{
    struct ArrowSchema schema;

    test_schema(schema_text, &schema);
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        const sluice_exchange_options options = {.size = sizeof(options),
                                                 .input_count = INPUT_COUNT,
                                                 .batch_rows_target = 64,
                                                 .validate_values = true,
                                                 .allocator = &allocator};
        sluice_error error = {0};
        const sluice_status status = run(&schema, partitioning, &options, &error);

        if (status != SLUICE_OK && status != SLUICE_OUT_OF_MEMORY)
            fail_msg("allocation %lld: %s", (long long)refused, error.message);
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused) {
            assert_int_equal(status, SLUICE_OK);
            break;
        }
    }
    schema.release(&schema);
}

static void a_hash_exchange_survives_every_failed_allocation(void **state)
{
    const char *keys[] = {"s"};
    sluice_partitioning *partitioning;

    (void)state;
    assert_int_equal(sluice_partitioning_new_hash(keys, 1, OUTPUT_COUNT, SLUICE_HASH_SLUICE1,
                                                  &partitioning, NULL),
                     SLUICE_OK);
    sweep(partitioning);
    sluice_partitioning_free(partitioning);
}

static void a_round_robin_exchange_survives_every_failed_allocation(void **state)
{
    sluice_partitioning *partitioning;

    (void)state;
    assert_int_equal(sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES,
                                                         OUTPUT_COUNT, &partitioning, NULL),
                     SLUICE_OK);
    sweep(partitioning);
    sluice_partitioning_free(partitioning);
}

/* Every limit is either enough, or ends in OUT_OF_MEMORY with the numbers; it is never passed. */
static void a_memory_limit_is_never_passed(void **state)
{
    const char *keys[] = {"k"};
    sluice_partitioning *partitioning;
    struct ArrowSchema schema;
    bool was_enough = false;

    (void)state;
    test_schema(schema_text, &schema);
    assert_int_equal(sluice_partitioning_new_hash(keys, 1, OUTPUT_COUNT, SLUICE_HASH_SLUICE1,
                                                  &partitioning, NULL),
                     SLUICE_OK);
    for (int64_t limit = 1; limit < 16 << 20; limit = limit * 3 / 2 + 1) {
        const sluice_exchange_options options = {.size = sizeof(options),
                                                 .input_count = INPUT_COUNT,
                                                 .batch_rows_target = 64,
                                                 .memory_bytes_max = limit};
        sluice_error error = {0};
        const sluice_status status = run(&schema, partitioning, &options, &error);

        assert_true(status == SLUICE_OK || status == SLUICE_OUT_OF_MEMORY);
        if (status == SLUICE_OUT_OF_MEMORY) {
            char number[32];

            assert_false(was_enough);
            snprintf(number, sizeof(number), "of %lld", (long long)limit);
            assert_non_null(strstr(error.message, number));
        }
        was_enough = was_enough || status == SLUICE_OK;
    }
    assert_true(was_enough);
    sluice_partitioning_free(partitioning);
    schema.release(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hash_exchange_survives_every_failed_allocation),
        cmocka_unit_test(a_round_robin_exchange_survives_every_failed_allocation),
        cmocka_unit_test(a_memory_limit_is_never_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
