/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_partitioning.c - partitionings as values: what can be made, what is equal, what is refused
 */
#include "test_route.h"

static const sluice_sort_key key_k = {"k", false, true};
static const sluice_sort_key keys_ab[] = {{"a", false, true}, {"b", true, false}};

static void test_getters(void **state)
{
    sluice_partitioning *hash = new_hash(64, "a", "b", NULL);
    sluice_partitioning *range = new_range(keys_ab, 2, "a=l; b=u", "[[1,\"x\"],[1,null]]");

    (void)state;
    assert_int_equal(sluice_partitioning_get_kind(hash), SLUICE_PARTITIONING_HASH);
    assert_int_equal(sluice_partitioning_get_count(hash), 64);
    assert_int_equal(sluice_partitioning_get_key_count(hash), 2);
    assert_string_equal(sluice_partitioning_get_key_name(hash, 1), "b");
    assert_null(sluice_partitioning_get_key_name(hash, 2));
    /* F30: one partition more than split points. */
    assert_int_equal(sluice_partitioning_get_kind(range), SLUICE_PARTITIONING_RANGE);
    assert_int_equal(sluice_partitioning_get_count(range), 3);
    assert_string_equal(sluice_partitioning_get_key_name(range, 0), "a");
    sluice_partitioning_free(hash);
    sluice_partitioning_free(range);
    sluice_partitioning_free(NULL);
}

static void check_refused(sluice_status status, sluice_status expected,
                          sluice_partitioning *const *made, const sluice_error *error,
                          const char *words)
{
    assert_int_equal(status, expected);
    assert_null(*made);
    assert_int_equal(error->status, expected);
    if (strstr(error->message, words) == NULL)
        fail_msg("\"%s\" does not have \"%s\"", error->message, words);
}

static void test_counts_that_cannot_be(void **state)
{
    static const uint32_t counts[] = {0, SLUICE_PARTITIONS_MAX + 1, UINT32_MAX};
    const char *name = "k";
    sluice_partitioning *made;
    sluice_error error;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        check_refused(sluice_partitioning_new_hash(&name, 1, counts[i], SLUICE_HASH_SLUICE1, &made,
                                                   &error),
                      SLUICE_INVALID, &made, &error, "between 1 and 16777216");
        check_refused(sluice_partitioning_new_value(&name, 1, counts[i], &made, &error),
                      SLUICE_INVALID, &made, &error, "value partitioning");
        check_refused(sluice_partitioning_new_ids(name, counts[i], &made, &error), SLUICE_INVALID,
                      &made, &error, "ids partitioning");
        check_refused(sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_ROUND_ROBIN_ROWS,
                                                          counts[i], &made, &error),
                      SLUICE_INVALID, &made, &error, "round-robin partitioning");
    }
    assert_int_equal(sluice_partitioning_new_ids(name, SLUICE_PARTITIONS_MAX, &made, NULL),
                     SLUICE_OK);
    sluice_partitioning_free(made);
}

static void test_keys_that_cannot_be(void **state)
{
    const char *names[] = {"a", "b", "a"};
    const char *unnamed[] = {"a", NULL};
    sluice_partitioning *made;
    sluice_error error;

    (void)state;
    check_refused(
        sluice_partitioning_new_hash(names, 0, 4, SLUICE_HASH_SLUICE1, &made, &error),
        SLUICE_INVALID, &made, &error, "there is no key");
    check_refused(
        sluice_partitioning_new_hash(names, 3, 4, SLUICE_HASH_SLUICE1, &made, &error),
        SLUICE_INVALID, &made, &error, "key a is there twice");
    check_refused(sluice_partitioning_new_value(unnamed, 2, 4, &made, &error), SLUICE_INVALID,
                  &made, &error, "key 1 has no name");
    check_refused(sluice_partitioning_new_hash(names, 1, 4, (sluice_hash_scheme)7, &made, &error),
                  SLUICE_UNSUPPORTED, &made, &error, "scheme 7");
    check_refused(
        sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_HASH, 4, &made, &error),
        SLUICE_INVALID, &made, &error, "neither batches nor rows");
}

/* F31 and E10: strictly increasing under the declared order. */
static void test_split_points_must_increase(void **state)
{
    static const struct {
        sluice_sort_key key;
        const char *schema, *rows, *words;
    } cases[] = {
        {{"k", false, true}, "k=l", "[[10],[10]]", "split 0 is [10] and split 1 is [10], which is"},
        {{"k", false, true}, "k=l", "[[1],[10],[9]]", "split 1 is [10] and split 2 is [9]"},
        {{"k", true, true}, "k=l", "[[9],[10]]", "split 0 is [9] and split 1 is [10]"},
        {{"k", false, true}, "k=u", "[[\"b\"],[\"ab\"]]",
         "split 0 is [\"b\"] and split 1 is [\"ab\"]"},
        {{"k", false, true}, "k=l", "[[1],[null]]", "split 1 is [null]"},
        {{"k", false, false}, "k=l", "[[null],[1]]", "split 0 is [null]"},
        {{"k", true, false}, "k=l", "[[null],[1]]", "split 0 is [null]"},
        {{"k", false, true}, "k=l", "[[null],[null]]", "equal"},
        {{"k", false, true}, "k=g", "[[\"0x8000000000000000\"],[0.0]]", "equal"},
        {{"k", false, true}, "k=g", "[[\"nan\"],[\"inf\"]]", "split 0 is [\"NaN\"]"},
        {{"k", false, true}, "k=g", "[[\"nan\"],[\"0xfff8000000000001\"]]", "equal"},
        {{"k", false, true}, "k=+l<item=l>", "[[[1,2]],[[1]]]", "split 0 is [[1,2]]"},
    };
    sluice_partitioning *made;
    sluice_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_refused(make_range(&cases[i].key, 1, cases[i].schema, cases[i].rows, false, &made,
                                 &error),
                      SLUICE_INVALID, &made, &error, cases[i].words);
    }
    check_refused(make_range(keys_ab, 2, "a=l; b=l", "[[1,5],[1,7]]", false, &made, &error),
                  SLUICE_INVALID, &made, &error, "split 0 is [1,5] and split 1 is [1,7]");
    assert_int_equal(make_range(keys_ab, 2, "a=l; b=l", "[[1,7],[1,5],[1,null]]", false, &made,
                                &error),
                     SLUICE_OK);
    sluice_partitioning_free(made);
}

/* F27. */
static void test_width_of_split_points(void **state)
{
    sluice_partitioning *made;
    sluice_error error;

    (void)state;
    check_refused(make_range(keys_ab, 2, "a=l", "[[1]]", false, &made, &error), SLUICE_INVALID,
                  &made, &error, "width 1, but the order has width 2");
    check_refused(make_range(&key_k, 1, "a=l; b=l", "[]", false, &made, &error), SLUICE_INVALID,
                  &made, &error, "width 2, but the order has width 1");
}

static void test_split_points_that_are_broken(void **state)
{
    struct ArrowSchema schema;
    struct ArrowArray splits;
    sluice_partitioning *made;
    sluice_error error;

    (void)state;
    test_schema("k=u", &schema);
    test_batch(&schema, "[[\"a\"],[\"b\"]]", &splits);
    ((int32_t *)test_array_buffer(splits.children[0], 1))[1] = 1000000;
    check_refused(sluice_partitioning_new_range(&key_k, 1, &schema, &splits, false, &made, &error),
                  SLUICE_BAD_DATA, &made, &error, "k");
    splits.release(&splits);
    schema.release(&schema);
}

/* F36: kind, scheme, keys, order, count and split points. */
static void test_equality(void **state)
{
    static const sluice_sort_key others[] = {
        {"k", true, true}, {"k", false, false}, {"j", false, true}};
    sluice_partitioning *base = new_range(&key_k, 1, "k=l", "[[1],[5]]");
    sluice_partitioning *same = new_range(&key_k, 1, "k=c", "[[1],[5]]");
    sluice_partitioning *total = NULL;

    (void)state;
    assert_true(sluice_partitioning_equal(base, base));
    assert_true(sluice_partitioning_equal(base, same));
    assert_int_equal(make_range(&key_k, 1, "k=l", "[[1],[5]]", true, &total, NULL), SLUICE_OK);
    assert_false(sluice_partitioning_equal(base, total));
    for (size_t i = 0; i < 3; i++) {
        sluice_partitioning *other =
            new_range(&others[i], 1, "k=l", i == 0 ? "[[5],[1]]" : "[[1],[5]]");

        assert_false(sluice_partitioning_equal(base, other));
        sluice_partitioning_free(other);
    }
    static const char *const splits[][2] = {{"k=l", "[[1],[6]]"},
                                            {"k=l", "[[1]]"},
                                            {"k=d:9,0", "[[1],[5]]"},
                                            {"k=tsu:", "[[1],[5]]"},
                                            {"k=l", "[[1],[5],[6]]"}};

    for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
        sluice_partitioning *other = new_range(&key_k, 1, splits[i][0], splits[i][1]);

        assert_false(sluice_partitioning_equal(base, other));
        sluice_partitioning_free(other);
    }
    sluice_partitioning_free(base);
    sluice_partitioning_free(same);
    sluice_partitioning_free(total);
}

static void test_equality_of_other_kinds(void **state)
{
    sluice_partitioning *all[8] = {new_hash(4, "a", "b", NULL), new_hash(4, "b", "a", NULL),
                                   new_hash(5, "a", "b", NULL), new_hash(4, "a", NULL, NULL)};
    const char *name = "a";

    (void)state;
    assert_int_equal(sluice_partitioning_new_value(&name, 1, 4, &all[4], NULL), SLUICE_OK);
    assert_int_equal(sluice_partitioning_new_ids(name, 4, &all[5], NULL), SLUICE_OK);
    assert_int_equal(sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_ROUND_ROBIN_ROWS, 4,
                                                         &all[6], NULL),
                     SLUICE_OK);
    assert_int_equal(sluice_partitioning_new_round_robin(SLUICE_PARTITIONING_ROUND_ROBIN_BATCHES,
                                                         4, &all[7], NULL),
                     SLUICE_OK);
    for (size_t i = 0; i < 8; i++) {
        sluice_partitioning *copy = NULL;

        assert_int_equal(sluice_partitioning_copy(all[i], &copy, NULL), SLUICE_OK);
        for (size_t j = 0; j < 8; j++)
            assert_int_equal(sluice_partitioning_equal(copy, all[j]), i == j);
        sluice_partitioning_free(copy);
    }
    for (size_t i = 0; i < 8; i++)
        sluice_partitioning_free(all[i]);
}

/* A copy has its own memory, and routes alike. */
static void test_copies_of_ranges(void **state)
{
    sluice_partitioning *range =
        new_range(keys_ab, 2, "a=c{u}; b=vu", "[[\"x\",\"a string of some length\"],[\"x\",null]]");
    sluice_partitioning *copy = NULL;

    (void)state;
    assert_int_equal(sluice_partitioning_copy(range, &copy, NULL), SLUICE_OK);
    assert_true(sluice_partitioning_equal(range, copy));
    sluice_partitioning_free(range);
    assert_routes(copy, "a=u; b=u",
                  "[[null,null],[\"x\",\"z\"],[\"x\",\"a\"],[\"x\",null],[\"y\",\"\"]]", 0, 0, 1, 2,
                  2);
    sluice_partitioning_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_getters),
        cmocka_unit_test(test_counts_that_cannot_be),
        cmocka_unit_test(test_keys_that_cannot_be),
        cmocka_unit_test(test_split_points_must_increase),
        cmocka_unit_test(test_width_of_split_points),
        cmocka_unit_test(test_split_points_that_are_broken),
        cmocka_unit_test(test_equality),
        cmocka_unit_test(test_equality_of_other_kinds),
        cmocka_unit_test(test_copies_of_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
