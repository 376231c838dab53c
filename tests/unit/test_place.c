/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_place.c - blocks of rows of every type, gathered by partition
 *
 * The oracle: the texts of the rows, in the order of partition, piece and row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrow/validate.h"
#include "place/block.h"
#include "support/arrays.h"
#include "support/failing_allocator.h"

enum { PIECES_MAX = 5, PARTITIONS_MAX = 40 };

/* Everything a block needs. */
typedef struct bench_stand {
    sluice_schema *source_schema;
    sluice_schema *schema;
    sluice_pool *pool;
    sluice_place_plan *plan;
    sluice_shelf *shelf;
    sluice_dictionaries *dictionaries;
    sluice_block *block;
} bench_stand;

static sluice_status set_up(bench_stand *stand, const struct ArrowSchema *schema,
                            uint32_t partition_count, const sluice_allocator *allocator,
                            sluice_error *error)
{
    const sluice_place_limits limits = {.rows_max = 1 << 20, .bytes_max = INT32_MAX};

    memset(stand, 0, sizeof(*stand));
    SLUICE_TRY(sluice_schema_import(schema, allocator, &stand->source_schema, error));
    SLUICE_TRY(sluice_schema_widen_dictionaries(stand->source_schema, &stand->schema, error));
    SLUICE_TRY(sluice_place_plan_new(stand->source_schema, stand->schema, &limits, allocator,
                                     &stand->plan, error));
    stand->pool = sluice_pool_new(0, allocator);
    if (stand->pool == NULL)
        return SLUICE_OUT_OF_MEMORY;
    sluice_slab *slab = sluice_slab_new(stand->pool, allocator, allocator == NULL, false);
    stand->shelf = slab == NULL ? NULL : sluice_shelf_new(stand->plan, slab, allocator);
    sluice_slab_unref(slab);
    if (stand->shelf == NULL)
        return SLUICE_OUT_OF_MEMORY;
    SLUICE_TRY(sluice_dictionaries_new(stand->plan, stand->pool, allocator, &stand->dictionaries,
                                       error));
    const sluice_block_options options = {
        .plan = stand->plan,
        .kernels = &sluice_kernels_portable,
        .dictionaries = stand->dictionaries,
        .pool = stand->pool,
        .partition_count = partition_count,
        .allocator = allocator,
    };
    return sluice_block_new(&options, &stand->block, error);
}

static void tear_down(bench_stand *stand)
{
    sluice_block_free(stand->block);
    sluice_dictionaries_free(stand->dictionaries);
    sluice_shelf_unref(stand->shelf);
    sluice_place_plan_unref(stand->plan);
    sluice_schema_unref(stand->schema);
    sluice_schema_unref(stand->source_schema);
    sluice_pool_unref(stand->pool);
}

/* The rows of one piece that go to one partition. */
static void append_expected(test_rows *expected, const test_rows *piece, const uint32_t *ids,
                            uint32_t partition)
{
    for (size_t row = 0; row < piece->count; row++) {
        if (ids[row] != partition)
            continue;
        expected->texts = realloc(expected->texts, (expected->count + 1) * sizeof(char *));
        expected->texts[expected->count++] = strdup(piece->texts[row]);
        expected->capacity = expected->count;
    }
}

/* The rows of the block, gathered, are the expected ones in that order. */
static void check_gathered(bench_stand *stand, const test_rows *expected)
{
    test_rows got = {0};
    sluice_error error = {0};
    sluice_open_batch *gathered;
    struct ArrowArray out;
    struct ArrowSchema out_schema;

    assert_int_equal(sluice_block_arrange(stand->block, &error), SLUICE_OK);
    assert_int_equal(sluice_block_measure(stand->block, &error), SLUICE_OK);
    assert_int_equal(sluice_block_gather(stand->block, 0, stand->block->row_count, stand->shelf,
                                         &gathered, &error),
                     SLUICE_OK);
    assert_int_equal(sluice_dictionaries_export(stand->dictionaries, gathered, &out, &error),
                     SLUICE_OK);
    assert_int_equal(
        sluice_field_export(sluice_schema_root(stand->schema), &out_schema, &error), SLUICE_OK);
    if (sluice_validate_array(sluice_schema_root(stand->schema), &out, true, NULL, &error) !=
        SLUICE_OK)
        fail_msg("%s", error.message);
    test_rows_append(&got, &out_schema, &out);
    assert_int_equal(got.count, expected->count);
    for (size_t row = 0; row < got.count; row++)
        assert_string_equal(got.texts[row], expected->texts[row]);

    out.release(&out);
    out_schema.release(&out_schema);
    test_rows_free(&got);
}

/* One block of random pieces, gathered and compared. */
static void check_block(bench_stand *stand, const struct ArrowSchema *schema, uint64_t *random,
                        uint32_t partition_count)
{
    static uint32_t ids[PIECES_MAX][2048];
    struct ArrowArray arrays[PIECES_MAX];
    sluice_batch *batches[PIECES_MAX];
    const uint32_t piece_count = 1 + (uint32_t)(test_random_next(random) % PIECES_MAX);
    test_rows texts[PIECES_MAX] = {0};
    test_rows expected = {0};
    sluice_error error = {0};

    for (uint32_t index = 0; index < piece_count; index++) {
        const int64_t rows = (int64_t)(test_random_next(random) % 70);
        const test_random_options options = {
            .seed = test_random_next(random),
            .null_percent = (int)(test_random_next(random) % 3) * 30,
            .size_max = 1 + (int)(test_random_next(random) % 24),
            .value_count = test_random_next(random) % 2 == 0 ? 0 : 5,
            .is_sliced = test_random_next(random) % 2 == 0,
        };
        sluice_piece *piece;

        test_random_batch(schema, rows, &options, &arrays[index]);
        const sluice_status status = sluice_batch_import(stand->source_schema, &arrays[index], true,
                                                         NULL, &batches[index], &error);
        if (status != SLUICE_OK)
            fail_msg("%s", error.message);
        assert_int_equal(
            sluice_block_add(stand->block, batches[index], 0, rows, &piece, &error), SLUICE_OK);
        for (int64_t row = 0; row < rows; row++)
            ids[index][row] = (uint32_t)(test_random_next(random) % partition_count);
        if (rows > 0)
            memcpy(sluice_block_ids(stand->block, piece), ids[index],
                   (size_t)rows * sizeof(uint32_t));
    }
    for (uint32_t index = 0; index < piece_count; index++)
        test_rows_append(&texts[index], schema, sluice_batch_array(batches[index]));
    for (uint32_t partition = 0; partition < partition_count; partition++) {
        for (uint32_t index = 0; index < piece_count; index++)
            append_expected(&expected, &texts[index], ids[index], partition);
    }

    check_gathered(stand, &expected);
    sluice_block_clear(stand->block);
    for (uint32_t index = 0; index < piece_count; index++) {
        sluice_batch_unref(batches[index]);
        test_rows_free(&texts[index]);
    }
    test_rows_free(&expected);
}

static void check_schema(const struct ArrowSchema *schema, uint64_t seed)
{
    uint64_t random = seed;
    const uint32_t partition_count = 1 + (uint32_t)(test_random_next(&random) % PARTITIONS_MAX);
    bench_stand stand;
    sluice_error error = {0};

    print_message("seed %llu\n", (unsigned long long)seed);
    if (set_up(&stand, schema, partition_count, NULL, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    for (int block = 0; block < 4; block++)
        check_block(&stand, schema, &random, partition_count);
    tear_down(&stand);
}

static void rows_of_every_type_are_grouped(void **state)
{
    struct ArrowSchema schema;

    (void)state;
    test_schema(test_every_type, &schema);
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_schema(&schema, seed);
    schema.release(&schema);
}

static void rows_of_random_schemas_are_grouped(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 160; seed++) {
        struct ArrowSchema schema;

        test_random_schema(seed, seed % 7, 3, &schema);
        check_schema(&schema, seed);
        schema.release(&schema);
    }
}

/* Each allocation of making the parts fails once; nothing leaks. */
static void making_survives_every_failed_allocation(void **state)
{
    struct ArrowSchema schema;

    (void)state;
    test_schema("a=l; s=u; l=+l<item=u>; d=c{u}; r=+r<run_ends=i; values=u>", &schema);
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        bench_stand stand;
        sluice_error error = {0};
        const sluice_status status = set_up(&stand, &schema, 7, &allocator, &error);

        assert_true(status == SLUICE_OK || status == SLUICE_OUT_OF_MEMORY);
        tear_down(&stand);
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused)
            break;
    }
    schema.release(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_type_are_grouped),
        cmocka_unit_test(rows_of_random_schemas_are_grouped),
        cmocka_unit_test(making_survives_every_failed_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
