/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_checksum.c - the sum over rows: golden vectors, any order, any form
 */
#include "test_route.h"

#include <jansson.h>

#include "sluice/checksum.h"

static sluice_checksum sum_of(const struct ArrowSchema *schema, const struct ArrowArray *batch)
{
    sluice_checksummer *checksummer = NULL;
    sluice_checksum sum = {0, 0};
    sluice_error error;

    assert_int_equal(sluice_checksummer_new(schema, &checksummer, &error), SLUICE_OK);
    if (sluice_checksummer_add(checksummer, batch, &sum, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    sluice_checksummer_free(checksummer);
    return sum;
}

static sluice_checksum sum_of_rows(const char *schema, const char *rows)
{
    routed_batch made;

    make_routed(&made, schema, rows);
    const sluice_checksum sum = sum_of(&made.schema, &made.batch);

    free_routed(&made);
    return sum;
}

static bool sums_are_equal(sluice_checksum left, sluice_checksum right)
{
    return left.low == right.low && left.high == right.high;
}

static void test_golden_vectors(void **state)
{
    json_t *vectors = json_load_file("tests/vectors/sluice1.json", JSON_ALLOW_NUL, NULL);
    const json_t *vector;
    size_t index;

    (void)state;
    assert_non_null(vectors);
    json_array_foreach(vectors, index, vector) {
        char *rows = json_dumps(json_object_get(vector, "rows"), JSON_COMPACT);
        char text[40];
        const sluice_checksum sum =
            sum_of_rows(json_string_value(json_object_get(vector, "schema")), rows);

        snprintf(text, sizeof(text), "%016llx%016llx", (unsigned long long)sum.high,
                 (unsigned long long)sum.low);
        assert_string_equal(text, json_string_value(json_object_get(vector, "checksum")));
        free(rows);
    }
    json_decref(vectors);
}

static void test_addition_carries(void **state)
{
    sluice_checksum sum = {UINT64_MAX, 1};
    const sluice_checksum one = {1, 0};
    const sluice_checksum big = {UINT64_MAX, UINT64_MAX};

    (void)state;
    sluice_checksum_add(&sum, &one);
    assert_true(sum.low == 0 && sum.high == 2);
    sluice_checksum_add(&sum, &big);
    assert_true(sum.low == UINT64_MAX && sum.high == 1);
    sluice_checksum_add(&sum, &sum);
    assert_true(sum.low == UINT64_MAX - 1 && sum.high == 3);
}

static void test_order_does_not_matter_and_values_do(void **state)
{
    const sluice_checksum sum = sum_of_rows("a=l; b=u", "[[1,\"x\"],[2,null],[null,\"y\"]]");

    (void)state;
    assert_true(sums_are_equal(sum, sum_of_rows("b=l; a=u", "[[null,\"y\"],[1,\"x\"],[2,null]]")));
    assert_true(sums_are_equal(sum, sum_of_rows("a=i; b=c{vu}",
                                                "[[null,\"y\"],[1,\"x\"],[2,null]]")));
    assert_false(sums_are_equal(sum, sum_of_rows("a=l; b=u", "[[1,\"x\"],[2,null]]")));
    assert_false(sums_are_equal(sum, sum_of_rows("a=l; b=u",
                                                 "[[1,\"x\"],[2,null],[null,\"y\"],[2,null]]")));
    assert_false(
        sums_are_equal(sum, sum_of_rows("a=l; b=u", "[[1,\"x\"],[2,null],[null,\"z\"]]")));
    assert_false(
        sums_are_equal(sum, sum_of_rows("a=u; b=l", "[[\"x\",1],[null,2],[\"y\",null]]")));
    /* Values that change places between rows. */
    assert_false(sums_are_equal(sum_of_rows("a=l; b=l", "[[1,2],[3,4]]"),
                                sum_of_rows("a=l; b=l", "[[1,4],[3,2]]")));
    assert_false(sums_are_equal(sum_of_rows("a=l; b=l", "[[1,2]]"),
                                sum_of_rows("a=l; b=l", "[[2,1]]")));
}

/* Rows and batches without columns, and without rows. */
static void test_empty(void **state)
{
    (void)state;
    assert_true(sums_are_equal(sum_of_rows("a=l", "[]"), (sluice_checksum){0, 0}));
    assert_false(sums_are_equal(sum_of_rows("", "[[]]"), (sluice_checksum){0, 0}));
    assert_false(sums_are_equal(sum_of_rows("", "[[],[]]"), sum_of_rows("", "[[]]")));
}

/* The sum of a batch is the sum of its rows, whatever the type, the offsets and the rubbish. */
static void test_random_batches_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const test_random_options options = {
            .seed = seed, .null_percent = 20, .size_max = 6, .is_sliced = true};
        struct ArrowSchema schema;
        struct ArrowArray batch, row;
        sluice_checksum total = {0, 0};

        test_random_schema(seed, 3, 3, &schema);
        test_random_batch(&schema, 40, &options, &batch);
        row = batch;
        row.length = 1;
        for (int64_t i = 0; i < batch.length; i++) {
            const sluice_checksum sum = sum_of(&schema, &row);

            sluice_checksum_add(&total, &sum);
            row.offset++;
        }
        assert_true(sums_are_equal(total, sum_of(&schema, &batch)));
        batch.release(&batch);
        schema.release(&schema);
    }
}

static void test_broken_batches_are_refused(void **state)
{
    sluice_checksummer *checksummer = NULL;
    sluice_checksum sum = {5, 6};
    sluice_error error;
    routed_batch made;

    (void)state;
    make_routed(&made, "a=l", "[[1],[2]]");
    assert_int_equal(sluice_checksummer_new(&made.schema, &checksummer, &error), SLUICE_OK);
    made.batch.children[0]->length = 1;
    assert_int_equal(sluice_checksummer_add(checksummer, &made.batch, &sum, &error),
                     SLUICE_BAD_DATA);
    assert_true(sum.low == 5 && sum.high == 6);
    made.batch.children[0]->length = 2;
    sluice_checksummer_free(checksummer);
    sluice_checksummer_free(NULL);
    free_routed(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_vectors),
        cmocka_unit_test(test_addition_carries),
        cmocka_unit_test(test_order_does_not_matter_and_values_do),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_random_batches_add_up),
        cmocka_unit_test(test_broken_batches_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
