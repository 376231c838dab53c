/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_route_turns.c - round robin, distinct values and given ids
 */
#include "test_route.h"

#include "failing_allocator.h"

static sluice_router *router_for_turns(const sluice_partitioning *partitioning,
                                       uint32_t input_index, uint32_t input_count)
{
    const sluice_router_options options = {.input_index = input_index,
                                           .input_count = input_count,
                                           .kernels = sluice_kernels_choose()};
    struct ArrowSchema text;
    sluice_schema *schema = NULL;
    sluice_router *router = NULL;

    test_schema("k=l", &text);
    assert_int_equal(sluice_schema_import(&text, NULL, &schema, NULL), SLUICE_OK);
    assert_int_equal(sluice_router_new(schema, partitioning, &options, &router, NULL), SLUICE_OK);
    sluice_schema_unref(schema);
    text.release(&text);
    return router;
}

/* F1 and F2: in turn, from floor(index * count / inputs) on. */
static void test_batches_in_turn(void **state)
{
    static const struct {
        uint32_t count, input_index, input_count, first;
    } cases[] = {{4, 0, 1, 0}, {2, 0, 2, 0},  {2, 1, 2, 1},   {5, 1, 3, 1},
                 {5, 2, 3, 3}, {3, 4, 9, 1},  {1, 7, 9, 0},   {16777216, 3, 4, 12582912},
                 {3, 0, 0, 0}, {64, 5, 10, 32}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sluice_partitioning *partitioning = NULL;

        assert_int_equal(sluice_partitioning_new_round_robin(
                             SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES, cases[i].count,
                             &partitioning, NULL),
                         SLUICE_OK);
        sluice_router *router =
            router_for_turns(partitioning, cases[i].input_index, cases[i].input_count);

        assert_true(sluice_router_takes_batches(router));
        for (uint32_t batch = 0; batch < 20; batch++) {
            assert_int_equal(sluice_router_next_batch(router),
                             (cases[i].first + batch) % cases[i].count);
        }
        sluice_router_free(router);
        sluice_partitioning_free(partitioning);
    }
}

/* T11 of users.md: row r of the input, over all its batches, goes to r mod count. */
static void test_rows_in_turn(void **state)
{
    sluice_partitioning *partitioning = NULL;

    (void)state;
    assert_int_equal(sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_ROUND_ROBIN_ROWS, 4,
                                                         &partitioning, NULL),
                     SLUICE_OK);
    assert_routes(partitioning, "k=l", "[[1],[1],[1],[1],[1],[1],[1],[1],[1]]", 0, 1, 2, 3, 0, 1, 2,
                  3, 0);
    sluice_router *router = router_for_turns(partitioning, 3, 4);

    assert_false(sluice_router_takes_batches(router));
    sluice_router_free(router);
    sluice_partitioning_free(partitioning);
}

static sluice_partitioning *new_value(const char *first, const char *second, uint32_t count_max)
{
    const char *names[] = {first, second};
    sluice_partitioning *partitioning = NULL;

    assert_int_equal(sluice_partitioning_new_value(names, second == NULL ? 1 : 2, count_max,
                                                   &partitioning, NULL),
                     SLUICE_OK);
    return partitioning;
}

static void test_values_are_numbered_as_they_appear(void **state)
{
    sluice_partitioning *one = new_value("k", NULL, 100);
    sluice_partitioning *two = new_value("a", "b", 100);

    (void)state;
    assert_routes(one, "k=l", "[[7],[7],[null],[-7],[7],[null],[0]]", 0, 0, 1, 2, 0, 1, 3);
    assert_routes(one, "k=u", "[[\"NULL\"],[null],[\"\"],[\"a\"],[\"A\"],[\"\"]]", 0, 1, 2, 3, 4,
                  2);
    assert_routes(one, "k=c{u}", "[[\"b\"],[null],[\"a\"],[\"b\"],[\"a\"],[null]]", 0, 1, 2, 0, 2,
                  1);
    assert_routes(one, "k=+r<run_ends=i; values=u>", "[[\"b\"],[\"b\"],[null],[\"b\"]]", 0, 0, 1,
                  0);
    assert_routes(one, "k=+l<item=i>", "[[[1,2]],[[]],[null],[[1,2]],[[1]],[[null]]]", 0, 1, 2, 0,
                  3, 4);
    assert_routes(one, "k=+ud:0,1<a=i; b=i>", "[[[0,1]],[[1,1]],[[0,null]],[[1,1]]]", 0, 1, 2, 1);
    assert_routes(one, "k=b", "[[true],[false],[true]]", 0, 1, 0);
    assert_routes(two, "a=l; b=u", "[[1,\"a\"],[1,\"b\"],[2,\"a\"],[1,\"a\"],[null,\"a\"]]", 0, 1,
                  2, 0, 3);
    assert_routes(two, "a=u; b=u",
                  "[[\"ab\",\"c\"],[\"a\",\"bc\"],[\"ab\",\"c\"],[\"abc\",\"\"]]", 0, 1, 0, 2);
    sluice_partitioning_free(one);
    sluice_partitioning_free(two);
}

/* D5, and the export has what came first, bit for bit, without dictionaries. */
static void test_keys_are_exported_as_they_came_first(void **state)
{
    sluice_partitioning *partitioning = new_value("k", "d", 100);
    routed_batch routed;
    struct ArrowSchema expected_schema;
    struct ArrowArray expected;

    (void)state;
    make_routed(&routed, "x=l; k=g; d=c{vu}",
                "[[0,\"0x8000000000000000\",\"a\"],[1,0.0,\"a\"],[2,\"0xfff8000000000001\",null],"
                "[3,\"nan\",null],[4,null,\"b\"]]");
    assert_int_equal(route_with(&routed, partitioning, 2, NULL), SLUICE_OK);
    assert_ids(&routed, (const uint32_t[]){0, 0, 1, 1, 2}, 5);
    test_schema("k=g; d=U", &expected_schema);
    test_batch(&expected_schema,
               "[[\"0x8000000000000000\",\"a\"],[\"0xfff8000000000001\",null],[null,\"b\"]]",
               &expected);
    assert_string_equal(routed.values_schema.children[0]->name, "k");
    assert_string_equal(routed.values_schema.children[1]->format, "U");
    assert_true(test_arrays_equal(&expected_schema, &expected, &routed.values_schema,
                                  &routed.values));
    expected.release(&expected);
    expected_schema.release(&expected_schema);
    free_routed(&routed);
    sluice_partitioning_free(partitioning);
}

/* A dictionary of unions can have null rows; exported, they are a null of the first member. */
static bool has_union(const struct ArrowSchema *field)
{
    bool found = strncmp(field->format, "+u", 2) == 0;

    for (int64_t i = 0; i < field->n_children; i++)
        found = found || has_union(field->children[i]);
    return found || (field->dictionary != NULL && has_union(field->dictionary));
}

/* Any type: equal numbers mean equal values, and the export is what came first. */
static void test_random_values(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        const test_random_options options = {.seed = seed,
                                             .null_percent = 20,
                                             .size_max = 3,
                                             .value_count = seed % 2 == 0 ? 20 : 0,
                                             .is_sliced = true};
        routed_batch routed = {0};

        test_random_schema(seed, 1, 3, &routed.schema);
        test_random_batch(&routed.schema, 200, &options, &routed.batch);
        sluice_partitioning *partitioning =
            new_value(routed.schema.children[0]->name, NULL, 200);

        if (route_with(&routed, partitioning, 64, NULL) != SLUICE_OK)
            fail_msg("seed %d: %s", (int)seed, routed.error.message);
        int64_t next = 0;

        for (int64_t row = 0; row < 200; row++) {
            assert_true(routed.ids[row] <= next);
            if (routed.ids[row] < next)
                continue;
            char *came = test_row_text(&routed.schema, &routed.batch, row);
            char *kept = test_row_text(&routed.values_schema, &routed.values, next);

            if (!has_union(&routed.schema))
                assert_string_equal(came, kept);
            free(came);
            free(kept);
            next++;
        }
        assert_int_equal(routed.values.length, next);
        free_routed(&routed);
        sluice_partitioning_free(partitioning);
    }
}

static void test_too_many_values(void **state)
{
    sluice_partitioning *partitioning = new_value("k", NULL, 2);
    routed_batch routed;

    (void)state;
    make_routed(&routed, "k=l", "[[1],[2],[1],[3]]");
    assert_int_equal(route_with(&routed, partitioning, 10, NULL), SLUICE_INVALID);
    assert_non_null(strstr(routed.error.message, "more than 2 distinct keys"));
    free_routed(&routed);
    make_routed(&routed, "k=l", "[[1],[2],[1],[2]]");
    assert_int_equal(route_with(&routed, partitioning, 10, NULL), SLUICE_OK);
    free_routed(&routed);
    sluice_partitioning_free(partitioning);
}

static void test_many_values(void **state)
{
    enum { MANY = 20000 };
    sluice_partitioning *partitioning = new_value("k", NULL, MANY);
    const size_t text_bytes = MANY * 24;
    char *rows = malloc(text_bytes);
    size_t end = 0;
    routed_batch routed;

    (void)state;
    for (int row = 0; row < MANY; row++) {
        end += (size_t)snprintf(rows + end, text_bytes - end, "%s[\"key %d\"]",
                                row == 0 ? "[" : ",", row % (MANY / 2));
    }
    snprintf(rows + end, text_bytes - end, "]");
    make_routed(&routed, "k=u", rows);
    assert_int_equal(route_with(&routed, partitioning, 777, NULL), SLUICE_OK);
    for (uint32_t row = 0; row < MANY; row++)
        assert_int_equal(routed.ids[row], row % (MANY / 2));
    assert_int_equal(routed.values.length, MANY / 2);
    free_routed(&routed);
    free(rows);
    sluice_partitioning_free(partitioning);
}

static sluice_partitioning *new_ids(uint32_t count)
{
    sluice_partitioning *partitioning = NULL;

    assert_int_equal(sluice_partitioning_new_ids("k", count, &partitioning, NULL), SLUICE_OK);
    return partitioning;
}

static void test_given_ids(void **state)
{
    static const char *const types[] = {"k=c", "k=s", "k=i", "k=l", "k=C", "k=S", "k=I", "k=L"};
    sluice_partitioning *partitioning = new_ids(100);

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        assert_routes(partitioning, types[i], "[[0],[99],[5],[0],[42]]", 0, 99, 5, 0, 42);
    sluice_partitioning_free(partitioning);
}

static void test_ids_that_are_none_are_named(void **state)
{
    static const struct {
        const char *schema, *rows, *row, *value;
    } cases[] = {{"k=l", "[[0],[1],[2],[3],[7]]", "row 4", "id 7"},
                 {"k=c", "[[0],[-1]]", "row 1", "id -1"},
                 {"k=i", "[[null]]", "row 0", "null"},
                 {"k=L", "[[1],[\"18446744073709551615\"]]", "row 1", "18446744073709551615"},
                 {"k=l", "[[1],[\"0x100000001\"]]", "row 1", "4294967297"},
                 {"k=l", "[[1],[\"0x8000000000000000\"]]", "row 1", "-9223372036854775808"}};
    sluice_partitioning *partitioning = new_ids(7);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        routed_batch routed;

        make_routed(&routed, cases[i].schema, cases[i].rows);
        assert_int_equal(route_with(&routed, partitioning, 2, NULL), SLUICE_BAD_DATA);
        assert_non_null(strstr(routed.error.message, "column k"));
        assert_non_null(strstr(routed.error.message, cases[i].row));
        assert_non_null(strstr(routed.error.message, cases[i].value));
        free_routed(&routed);
    }
    sluice_partitioning_free(partitioning);
}

static void test_ids_of_other_types(void **state)
{
    static const char *const types[] = {"k=g", "k=u", "k=b", "k=c{l}", "k=tdD",
                                        "k=+r<run_ends=i; values=i>"};
    sluice_partitioning *partitioning = new_ids(7);

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        routed_batch routed;

        make_routed(&routed, types[i], "[]");
        assert_int_equal(route_with(&routed, partitioning, 2, NULL), SLUICE_UNSUPPORTED);
        free_routed(&routed);
    }
    sluice_partitioning_free(partitioning);
}

static void test_every_allocation_may_fail(void **state)
{
    sluice_partitioning *partitioning = new_value("a", "b", 100);
    sluice_partitioning *single = new_value("a", NULL, 100);
    sluice_partitioning *ids = NULL;

    (void)state;
    assert_int_equal(sluice_partitioning_new_ids("c", 9, &ids, NULL), SLUICE_OK);
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        const sluice_partitioning *const all[] = {partitioning, single, ids};

        for (size_t i = 0; i < 3; i++) {
            routed_batch routed;

            make_routed(&routed, "a=c{u}; b=+s<x=+l<item=i>; y=+us:0<z=vu>>; c=i",
                        "[[\"a\",[[1],[0,\"z\"]],1],[null,[null,[0,null]],2],"
                        "[\"a\",[[1],[0,\"z\"]],3]]");
            const sluice_status status = route_with(&routed, all[i], 2, &allocator);

            assert_true(status == SLUICE_OK || status == SLUICE_OUT_OF_MEMORY);
            free_routed(&routed);
        }
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused)
            break;
    }
    sluice_partitioning_free(partitioning);
    sluice_partitioning_free(single);
    sluice_partitioning_free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_in_turn),
        cmocka_unit_test(test_rows_in_turn),
        cmocka_unit_test(test_values_are_numbered_as_they_appear),
        cmocka_unit_test(test_keys_are_exported_as_they_came_first),
        cmocka_unit_test(test_random_values),
        cmocka_unit_test(test_too_many_values),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_given_ids),
        cmocka_unit_test(test_ids_that_are_none_are_named),
        cmocka_unit_test(test_ids_of_other_types),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
