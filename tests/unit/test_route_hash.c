/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_route_hash.c - sluice1 against its golden vectors, and one hash for every physical form
 */
#include "test_route.h"

#include <jansson.h>

#include "failing_allocator.h"
#include "kernel/mix.h"

static const char vectors_path[] = "tests/vectors/sluice1.json";

/* Rows of a vector are in the words of test_batch(), columns are all keys. */
static void check_vector(const json_t *vector, int64_t slice_rows)
{
    const char *schema = json_string_value(json_object_get(vector, "schema"));
    const json_t *hashes = json_object_get(vector, "hashes");
    char *rows = json_dumps(json_object_get(vector, "rows"), JSON_COMPACT);
    const char *count_text;
    json_t *ids;
    routed_batch routed;

    make_routed(&routed, schema, rows);
    json_object_foreach(json_object_get(vector, "partitions"), count_text, ids) {
        const bool has_one_key = routed.schema.n_children == 1;
        sluice_partitioning *partitioning = new_hash(
            (uint32_t)strtoul(count_text, NULL, 10), routed.schema.children[0]->name,
            has_one_key ? NULL : routed.schema.children[1]->name,
            routed.schema.n_children < 3 ? NULL : routed.schema.children[2]->name);

        assert_int_equal(route_with(&routed, partitioning, slice_rows, NULL), SLUICE_OK);
        assert_int_equal(routed.batch.length, json_array_size(hashes));
        for (size_t row = 0; row < json_array_size(hashes); row++) {
            const char *text = json_string_value(json_array_get(hashes, row));

            if (routed.hashes[row] != strtoull(text, NULL, 16))
                fail_msg("%s: row %zu has hash %016llx, not %s", schema, row,
                         (unsigned long long)routed.hashes[row], text);
            assert_int_equal(routed.ids[row], json_integer_value(json_array_get(ids, row)));
        }
        sluice_partitioning_free(partitioning);
    }
    free_routed(&routed);
    free(rows);
}

static void test_golden_vectors(void **state)
{
    json_t *vectors = json_load_file(vectors_path, JSON_ALLOW_NUL, NULL);
    const json_t *vector;
    size_t index;

    (void)state;
    assert_non_null(vectors);
    assert_true(json_array_size(vectors) > 20);
    json_array_foreach(vectors, index, vector) {
        check_vector(vector, 1);
        check_vector(vector, 3);
        check_vector(vector, 1000);
    }
    json_decref(vectors);
}

/* Vigna's splitmix64.c prints these from seed 1234567. */
static void test_published_splitmix64(void **state)
{
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};
    sluice_partitioning *partitioning = new_hash(4, "k", NULL, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
        char rows[64];
        routed_batch routed;

        snprintf(rows, sizeof(rows), "[[\"0x%016llx\"]]",
                 (unsigned long long)(1234567 + i * SLUICE_MIX_GOLDEN));
        make_routed(&routed, "k=L", rows);
        assert_int_equal(route_with(&routed, partitioning, 1, NULL), SLUICE_OK);
        assert_true(routed.hashes[0] == published[i]);
        free_routed(&routed);
    }
    sluice_partitioning_free(partitioning);
}

/* Hashes of the same rows under several schemas are the same. */
static void check_forms(const char *const *schemas, size_t count, const char *rows)
{
    sluice_partitioning *partitioning = new_hash(7, "k", NULL, NULL);
    routed_batch first;

    make_routed(&first, schemas[0], rows);
    assert_int_equal(route_with(&first, partitioning, 4, NULL), SLUICE_OK);
    for (size_t i = 1; i < count; i++) {
        routed_batch other;

        make_routed(&other, schemas[i], rows);
        if (route_with(&other, partitioning, 5, NULL) != SLUICE_OK)
            fail_msg("%s: %s", schemas[i], other.error.message);
        assert_int_equal(first.batch.length, other.batch.length);
        for (int64_t row = 0; row < first.batch.length; row++) {
            if (first.hashes[row] != other.hashes[row])
                fail_msg("row %d of %s", (int)row, schemas[i]);
        }
        free_routed(&other);
    }
    free_routed(&first);
    sluice_partitioning_free(partitioning);
}

#define CHECK_FORMS(rows, ...)                                                                     \
    do {                                                                                           \
        static const char *const forms[] = {__VA_ARGS__};                                          \
                                                                                                   \
        check_forms(forms, sizeof(forms) / sizeof(forms[0]), rows);                                \
    } while (0)

static void test_every_form_hashes_alike(void **state)
{
    (void)state;
    CHECK_FORMS("[[\"a\"],[\"b\"],[null],[\"c\"],[\"a\"],[\"\"],[\"longer than twelve bytes\"]]",
                "k=u", "k=U", "k=vu", "k=z", "k=Z", "k=vz", "k=c{u}", "k=L{vu}", "k=i{U}",
                "k=+r<run_ends=i; values=u>", "k=+r<run_ends=s; values=vu>",
                "k=+r<run_ends=l; values=s{u}>");
    CHECK_FORMS("[[\"abc\"],[null],[\"xyz\"],[\"abc\"]]", "k=w:3", "k=z", "k=vz",
                "k=c{w:3}");
    CHECK_FORMS("[[0],[1],[127],[null],[5],[5]]", "k=c", "k=s", "k=i", "k=l", "k=C", "k=S", "k=I",
                "k=L", "k=c{l}", "k=+r<run_ends=i; values=s>", "k=tdD", "k=tsu:UTC", "k=tDn",
                "k=d:9,2,32", "k=d:18,2,64", "k=d:38,2", "k=d:76,2,256");
    CHECK_FORMS("[[-1],[-128],[127],[null]]", "k=l", "k=i", "k=s", "k=c", "k=d:5,1",
                "k=d:5,1,256");
    CHECK_FORMS("[[0.0],[1.5],[-2.25],[null],[\"inf\"],[\"nan\"],[\"-inf\"]]", "k=g", "k=f",
                "k=c{f}");
    CHECK_FORMS("[[[1,2]],[[]],[null],[[null]],[[2,1]],[[1,2]]]", "k=+l<item=i>", "k=+L<item=l>",
                "k=+vl<item=c>", "k=+vL<item=s>", "k=+l<item=c{i}>", "k=i{+l<item=i>}");
    CHECK_FORMS("[[[1,2]],[null],[[null,7]]]", "k=+l<item=i>", "k=+w:2<item=i>",
                "k=+vl<item=+r<run_ends=s; values=l>>");
    CHECK_FORMS("[[[1,\"a\"]],[null],[[null,null]],[[7,\"\"]]]", "k=+s<a=i; b=u>",
                "k=+s<x=l; y=vu>", "k=+s<a=c{c}; b=+r<run_ends=i; values=U>>");
}

static uint64_t hash_one(const char *schema, const char *rows)
{
    sluice_partitioning *partitioning = new_hash(1, "k", NULL, NULL);
    routed_batch routed;

    make_routed(&routed, schema, rows);
    assert_int_equal(route_with(&routed, partitioning, 1, NULL), SLUICE_OK);
    const uint64_t hash = routed.hashes[0];

    free_routed(&routed);
    sluice_partitioning_free(partitioning);
    return hash;
}

/* What D5 says of zeros, NaNs and nulls, and what F183 and F185 confuse and we do not. */
static void test_values_that_are_one_and_values_that_are_not(void **state)
{
    (void)state;
    assert_true(hash_one("k=g", "[[\"0x8000000000000000\"]]") == hash_one("k=g", "[[0.0]]"));
    assert_true(hash_one("k=f", "[[\"0xffc00001\"]]") == hash_one("k=f", "[[\"nan\"]]"));
    assert_true(hash_one("k=e", "[[\"0x7c01\"]]") == hash_one("k=g", "[[\"nan\"]]"));
    assert_true(hash_one("k=i", "[[null]]") == hash_one("k=u", "[[null]]"));
    assert_true(hash_one("k=i", "[[null]]") == hash_one("k=n", "[[null]]"));
    assert_true(hash_one("k=i", "[[null]]") != hash_one("k=i", "[[0]]"));
    assert_true(hash_one("k=u", "[[null]]") != hash_one("k=u", "[[\"\"]]"));
    assert_true(hash_one("k=+l<item=i>", "[[null]]") != hash_one("k=+l<item=i>", "[[[]]]"));
    assert_true(hash_one("k=+l<item=i>", "[[[]]]") != hash_one("k=+l<item=i>", "[[[null]]]"));
    assert_true(hash_one("k=+s<a=i>", "[[null]]") != hash_one("k=+s<a=i>", "[[[null]]]"));
    assert_true(hash_one("k=+ud:0,1<a=i; b=i>", "[[[0,null]]]") !=
                hash_one("k=+ud:0,1<a=i; b=i>", "[[[1,null]]]"));
    assert_true(hash_one("k=+ud:5,9<a=i; b=u>", "[[[9,\"a\"]]]") ==
                hash_one("k=+us:5,9<a=i; b=u>", "[[[9,\"a\"]]]"));
}

/* Slices, offsets and rubbish under nulls do not show: every row alone hashes as in its batch. */
static void test_random_batches_hash_row_by_row(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        const test_random_options options = {
            .seed = seed, .null_percent = 25, .is_sliced = seed % 3 != 0};
        routed_batch routed = {0};

        test_random_schema(seed, 1, 3, &routed.schema);
        test_random_batch(&routed.schema, 100, &options, &routed.batch);
        sluice_partitioning *partitioning =
            new_hash(1000, routed.schema.children[0]->name, NULL, NULL);

        if (route_with(&routed, partitioning, 100, NULL) != SLUICE_OK)
            fail_msg("seed %d: %s", (int)seed, routed.error.message);
        uint64_t *hashes = routed.hashes;

        routed.hashes = NULL;
        assert_int_equal(route_with(&routed, partitioning, 1, NULL), SLUICE_OK);
        assert_memory_equal(hashes, routed.hashes, 100 * sizeof(*hashes));
        free(hashes);
        free_routed(&routed);
        sluice_partitioning_free(partitioning);
    }
}

static void test_many_rows_in_many_blocks(void **state)
{
    sluice_partitioning *partitioning = new_hash(64, "k", "s", NULL);
    routed_batch routed = {0};
    const test_random_options options = {.seed = 5, .null_percent = 10};

    (void)state;
    test_schema("k=l; s=c{u}", &routed.schema);
    test_random_batch(&routed.schema, 5000, &options, &routed.batch);
    assert_int_equal(route_with(&routed, partitioning, 5000, NULL), SLUICE_OK);
    uint64_t *hashes = routed.hashes;

    routed.hashes = NULL;
    assert_int_equal(route_with(&routed, partitioning, 617, NULL), SLUICE_OK);
    assert_memory_equal(hashes, routed.hashes, 5000 * sizeof(*hashes));
    free(hashes);
    free_routed(&routed);
    sluice_partitioning_free(partitioning);
}

static void test_unknown_keys_are_named(void **state)
{
    sluice_partitioning *partitioning = new_hash(4, "l_orderky", NULL, NULL);
    routed_batch routed;

    (void)state;
    make_routed(&routed, "l_orderkey=l", "[[1]]");
    assert_int_equal(route_with(&routed, partitioning, 1, NULL), SLUICE_INVALID);
    assert_non_null(strstr(routed.error.message, "l_orderkey"));
    free_routed(&routed);
    sluice_partitioning_free(partitioning);
}

static void test_every_allocation_may_fail(void **state)
{
    sluice_partitioning *partitioning = new_hash(8, "k", "s", NULL);

    (void)state;
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        routed_batch routed;

        make_routed(&routed, "k=+l<item=c{u}>; s=+s<a=+r<run_ends=i; values=l>>",
                    "[[[\"a\",null],[1]],[null,[1]],[[],null],[[\"b\"],[2]]]");
        const sluice_status status = route_with(&routed, partitioning, 2, &allocator);

        assert_true(status == SLUICE_OK || status == SLUICE_OUT_OF_MEMORY);
        free_routed(&routed);
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused)
            break;
    }
    sluice_partitioning_free(partitioning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_vectors),
        cmocka_unit_test(test_published_splitmix64),
        cmocka_unit_test(test_every_form_hashes_alike),
        cmocka_unit_test(test_values_that_are_one_and_values_that_are_not),
        cmocka_unit_test(test_random_batches_hash_row_by_row),
        cmocka_unit_test(test_many_rows_in_many_blocks),
        cmocka_unit_test(test_unknown_keys_are_named),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
