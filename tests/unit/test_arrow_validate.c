/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_validate.c - arrays that are wrong in every way that can be seen
 *
 * Each case takes a good array, breaks one thing, asks for the message, and mends it again, so that
 * the array can be released.  Good arrays are checked by nanoarrow as well.
 */
#include "arrow/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nanoarrow/nanoarrow.h"

#include "support/arrays.h"

/* A column, as a schema of its own and as a batch with one column. */
typedef struct case_array {
    struct ArrowSchema source;
    sluice_schema *schema;
    struct ArrowArray batch;
    struct ArrowArray *column;
} case_array;

static case_array make_case(const char *type, const char *json)
{
    case_array made;
    char text[256];

    snprintf(text, sizeof(text), "a=%s", type);
    test_schema(text, &made.source);
    assert_int_equal(sluice_schema_import(&made.source, NULL, &made.schema, NULL), SLUICE_OK);
    test_array_new(0, 1, (const size_t[]){0}, 1, false, &made.batch);
    test_array(made.source.children[0], json, made.batch.children[0]);
    made.column = made.batch.children[0];
    made.batch.length = made.column->length;
    return made;
}

static void free_case(case_array *made)
{
    made->batch.release(&made->batch);
    sluice_schema_unref(made->schema);
    made->source.release(&made->source);
}

static void expect_status(const case_array *made, bool validate_values, sluice_status status,
                          const char *message)
{
    sluice_error error = {0};

    assert_int_equal(sluice_validate_array(sluice_schema_root(made->schema), &made->batch,
                                           validate_values, NULL, &error),
                     status);
    assert_string_equal(error.message, message);
}

/* Wrong already by its structure. */
static void expect_bad(const case_array *made, const char *message)
{
    expect_status(made, false, SLUICE_BAD_DATA, message);
    expect_status(made, true, SLUICE_BAD_DATA, message);
}

/* Wrong only in its values. */
static void expect_bad_value(const case_array *made, const char *message)
{
    expect_status(made, false, SLUICE_OK, "");
    expect_status(made, true, SLUICE_BAD_DATA, message);
}

static void expect_good(const case_array *made)
{
    expect_status(made, true, SLUICE_OK, "");
}

/* Set a place to a value, expect, and set it back. */
#define WITH(place, value, expectation)                                                            \
    do {                                                                                           \
        const __typeof__(place) with_saved = (place);                                              \
        (place) = (value);                                                                         \
        expectation;                                                                               \
        (place) = with_saved;                                                                      \
    } while (0)

static void test_released(void **state)
{
    case_array made = make_case("i", "[1]");
    sluice_error error;

    (void)state;
    assert_int_equal(
        sluice_validate_array(sluice_schema_root(made.schema), NULL, false, NULL, &error),
        SLUICE_INVALID);
    assert_string_equal(error.message, "the batch is NULL");
    WITH(made.batch.release, NULL, expect_status(&made, false, SLUICE_INVALID,
                                                 "the batch is released"));
    WITH(made.column->release, NULL, expect_bad(&made, "batch: child 0 of 1 is released"));
    WITH(made.batch.children[0], NULL, expect_bad(&made, "batch: child 0 of 1 is NULL"));
    WITH(made.batch.children, NULL, expect_bad(&made, "batch: its 1 children are NULL"));
    expect_good(&made);
    free_case(&made);
}

static void test_numbers(void **state)
{
    case_array made = make_case("i", "[1, null, 3]");
    struct ArrowArray *column = made.column;

    (void)state;
    WITH(column->length, -1, expect_bad(&made, "column a: its length is -1"));
    WITH(column->length, INT64_MAX,
         expect_bad(&made, "column a: its length is 9223372036854775807"));
    WITH(column->offset, -1, expect_bad(&made, "column a: its offset is -1, its length 3"));
    WITH(column->offset, INT64_MAX,
         expect_bad(&made, "column a: its offset is 9223372036854775807, its length 3"));
    WITH(column->null_count, -2, expect_bad(&made, "column a: its null count is -2 of 3 rows"));
    WITH(column->null_count, 4, expect_bad(&made, "column a: its null count is 4 of 3 rows"));
    WITH(column->null_count, -1, expect_good(&made));
    WITH(column->null_count, 2,
         expect_bad_value(&made,
                          "column a: its null count is 2, but 1 of its 3 rows are null"));
    WITH(column->length, 2, expect_bad(&made, "batch: child 0 has 2 rows, 3 are needed"));
    WITH(made.batch.offset, 1, expect_bad(&made, "batch: child 0 has 3 rows, 4 are needed"));
    WITH(made.batch.n_children, 0, expect_bad(&made, "batch: it has 0 children, the schema has 1"));
    WITH(made.batch.n_children, -1,
         expect_bad(&made, "batch: it has -1 children, the schema has 1"));
    WITH(column->n_children, 2, expect_bad(&made, "column a: it has 2 children, the schema has 0"));
    WITH(column->dictionary, &made.batch,
         expect_bad(&made, "column a: a dictionary is there, the schema has none"));
    free_case(&made);
}

static void test_buffers(void **state)
{
    case_array made = make_case("i", "[1, null, 3]");
    struct ArrowArray *column = made.column;

    (void)state;
    WITH(column->n_buffers, 1, expect_bad(&made, "column a: it has 1 buffers, 2 are needed"));
    WITH(column->n_buffers, 3, expect_bad(&made, "column a: it has 3 buffers, 2 are needed"));
    WITH(column->n_buffers, -1, expect_bad(&made, "column a: it has -1 buffers, 2 are needed"));
    WITH(column->buffers, NULL, expect_bad(&made, "column a: its 2 buffers are NULL"));
    WITH(column->buffers[0], NULL,
         expect_bad(&made, "column a: 1 rows are null, but there is no validity bitmap"));
    WITH(column->buffers[1], NULL,
         expect_bad(&made, "column a: buffer 1 is NULL, with 3 rows"));
    WITH(column->buffers[1], (const char *)column->buffers[1] + 2,
         expect_status(&made, false, SLUICE_UNSUPPORTED,
                       "column a: buffer 1 is not aligned to 4 bytes"));
    free_case(&made);
}

static void test_wide_values(void **state)
{
    case_array made = make_case("w:2147483647", "[null]");
    const int64_t row_count = INT64_C(1) << 40;

    (void)state;
    made.batch.length = row_count;
    made.column->offset = 0;
    WITH(made.column->length, row_count,
         expect_bad(&made, "column a: 1099511627776 values of 2147483647 bytes from 0 on do not "
                           "fit in memory"));
    free_case(&made);
}

static void test_bytes(void **state)
{
    case_array made = make_case("u", "[\"ab\", \"c\", null]");
    int32_t *offsets = test_array_buffer(made.column, 1);
    uint8_t *data = test_array_buffer(made.column, 2);

    (void)state;
    WITH(made.column->buffers[1], NULL,
         expect_bad(&made, "column a: buffer 1 is NULL, with 3 rows"));
    WITH(made.column->buffers[2], NULL,
         expect_bad(&made, "column a: its data buffer is NULL, with 3 bytes in use"));
    WITH(offsets[0], -1, expect_bad(&made, "column a: its offsets go from -1 to 3"));
    WITH(offsets[3], -1, expect_bad(&made, "column a: its offsets go from 0 to -1"));
    WITH(offsets[0], 4, expect_bad(&made, "column a: its offsets go from 4 to 3"));
    WITH(offsets[1], 4,
         expect_bad_value(&made, "column a: row 1: its offset 4 is greater than the next one, 3"));
    WITH(offsets[1], -1,
         expect_bad_value(&made, "column a: row 0: its offset 0 is greater than the next one, -1"));
    WITH(data[0], 0xFF, expect_bad_value(&made, "column a: row 0: not UTF-8"));
    WITH(data[2], 0xC3, expect_bad_value(&made, "column a: row 1: not UTF-8"));
    /* A character across the border of two rows, which is fine for the buffer as a whole. */
    data[1] = 0xC3;
    data[2] = 0xA9;
    expect_bad_value(&made, "column a: row 0: not UTF-8");
    free_case(&made);

    made = make_case("Z", "[\"ab\", \"c\"]");
    ((uint8_t *)test_array_buffer(made.column, 2))[0] = 0xFF;
    expect_good(&made);
    ((int64_t *)test_array_buffer(made.column, 1))[1] = 9;
    expect_bad_value(&made, "column a: row 1: its offset 9 is greater than the next one, 3");
    free_case(&made);
}

/* What is under a null does not have to be UTF-8. */
static void test_bytes_under_nulls(void **state)
{
    case_array made = make_case("U", "[\"ab\", \"xy\", \"cd\"]");
    static const uint8_t valid_bits[1] = {5};

    (void)state;
    memset((char *)test_array_buffer(made.column, 2) + 2, 0xFF, 2);
    expect_bad_value(&made, "column a: row 1: not UTF-8");
    made.column->null_count = 1;
    WITH(made.column->buffers[0], valid_bits, expect_good(&made));
    free_case(&made);
}

static void test_views(void **state)
{
    case_array made =
        make_case("vu", "[\"a text of some length\", \"short\", \"another long text\"]");
    uint8_t *views = test_array_buffer(made.column, 1);
    int32_t *numbers = test_array_buffer(made.column, 1);
    uint8_t *data = test_array_buffer(made.column, 2);
    int64_t *sizes = test_array_buffer(made.column, 3);

    (void)state;
    expect_good(&made);
    WITH(made.column->n_buffers, 2,
         expect_bad(&made, "column a: it has 2 buffers, at least 3 are needed"));
    WITH(sizes[0], -1, expect_bad(&made, "column a: view buffer 0 of -1 bytes"));
    WITH(made.column->buffers[2], NULL,
         expect_bad(&made, "column a: view buffer 0 of 43 bytes is NULL"));
    WITH(made.column->buffers[3], NULL,
         expect_bad(&made, "column a: the sizes of its 1 buffers are NULL"));
    WITH(numbers[0], -1, expect_bad_value(&made, "column a: row 0: its view has -1 bytes"));
    WITH(numbers[2], 1, expect_bad_value(&made, "column a: row 0: its view names buffer 1 of 1"));
    WITH(numbers[2], -1, expect_bad_value(&made, "column a: row 0: its view names buffer -1 of 1"));
    WITH(numbers[3], -1,
         expect_bad_value(&made, "column a: row 0: its view names 21 bytes from -1 on, buffer 0 "
                                 "has 43"));
    WITH(numbers[0], 44,
         expect_bad_value(&made, "column a: row 0: its view names 44 bytes from 0 on, buffer 0 "
                                 "has 43"));
    WITH(sizes[0], 37,
         expect_bad_value(&made, "column a: row 2: its view names 17 bytes from 21 on, buffer 0 "
                                 "has 37"));
    WITH(views[4], 'b', expect_bad_value(&made, "column a: row 0: the prefix in its view is not "
                                                "that of its bytes"));
    WITH(views[16 + 12], 'b', expect_bad_value(&made, "column a: row 1: the view of 5 bytes is not "
                                                      "padded with zeros"));
    WITH(views[16 + 5], 0x80, expect_bad_value(&made, "column a: row 1: not UTF-8"));
    WITH(data[10], 0x80, expect_bad_value(&made, "column a: row 0: not UTF-8"));
    free_case(&made);
}

static void test_lists(void **state)
{
    case_array made = make_case("+l<item=i>", "[[1, 2], [], [3]]");
    int32_t *offsets = test_array_buffer(made.column, 1);

    (void)state;
    WITH(made.column->children[0]->length, 2,
         expect_bad(&made, "column a: its offsets go to 3, the child has 2 rows"));
    WITH(made.column->children[0]->length, -2,
         expect_bad(&made, "column a.item: its length is -2"));
    WITH(offsets[3], 4, expect_bad(&made, "column a: its offsets go to 4, the child has 3 rows"));
    WITH(offsets[1], 3,
         expect_bad_value(&made, "column a: row 1: its offset 3 is greater than the next one, 2"));
    free_case(&made);

    made = make_case("+vL<item=i>", "[[1, 2], [], [3]]");
    int64_t *starts = test_array_buffer(made.column, 1);
    int64_t *sizes = test_array_buffer(made.column, 2);

    WITH(made.column->buffers[2], NULL,
         expect_bad(&made, "column a: buffer 2 is NULL, with 3 rows"));
    WITH(starts[0], -1, expect_bad_value(&made, "column a: row 0: 2 elements from -1 on, the child "
                                                "has 3"));
    WITH(starts[1], 4, expect_bad_value(&made, "column a: row 1: 0 elements from 4 on, the child "
                                               "has 3"));
    WITH(starts[2], INT64_MAX, expect_bad_value(&made, "column a: row 2: 1 elements from "
                                                       "9223372036854775807 on, the child has 3"));
    WITH(sizes[0], 4, expect_bad_value(&made, "column a: row 0: 4 elements from 0 on, the child "
                                              "has 3"));
    WITH(sizes[0], -1, expect_bad_value(&made, "column a: row 0: -1 elements from 0 on, the child "
                                               "has 3"));
    free_case(&made);

    made = make_case("+w:2<item=i>", "[[1, 2], [3, 4]]");
    WITH(made.column->children[0]->length, 3,
         expect_bad(&made, "column a: child 0 has 3 rows, 4 are needed"));
    made.batch.length = 1;
    made.column->length = 1;
    made.column->offset = 1;
    WITH(made.column->children[0]->length, 3,
         expect_bad(&made, "column a: child 0 has 3 rows, 4 are needed"));
    expect_good(&made);
    free_case(&made);

    /* The rows of the child that would be needed do not fit an int64. */
    made = make_case("+w:2147483647<item=n>", "[]");
    made.batch.length = made.column->length = INT64_C(1) << 40;
    expect_bad(&made, "column a: child 0 has 0 rows, 9223372036854775807 are needed");
    free_case(&made);
}

static void test_unions(void **state)
{
    case_array made = make_case("+ud:5,7<x=i; y=u>", "[[5, 1], [7, \"a\"], [5, 2]]");
    int8_t *ids = test_array_buffer(made.column, 0);
    int32_t *offsets = test_array_buffer(made.column, 1);

    (void)state;
    WITH(ids[1], 6, expect_bad_value(&made, "column a: row 1: there is no type id 6"));
    WITH(ids[1], -1, expect_bad_value(&made, "column a: row 1: there is no type id -1"));
    WITH(offsets[2], 2,
         expect_bad_value(&made, "column a: row 2: its offset is 2, child 0 has 2 rows"));
    WITH(offsets[1], -1,
         expect_bad_value(&made, "column a: row 1: its offset is -1, child 1 has 1 rows"));
    WITH(made.column->buffers[0], NULL,
         expect_bad(&made, "column a: buffer 0 is NULL, with 3 rows"));
    WITH(made.column->n_buffers, 3, expect_bad(&made, "column a: it has 3 buffers, 2 are needed"));
    free_case(&made);

    made = make_case("+us:0,1<x=i; y=u>", "[[0, 1], [1, \"a\"], [0, 2]]");
    WITH(made.column->children[1]->length, 2,
         expect_status(&made, false, SLUICE_BAD_DATA,
                       "column a: child 1 has 2 rows, 3 are needed"));
    ids = test_array_buffer(made.column, 0);
    WITH(ids[2], 2, expect_bad_value(&made, "column a: row 2: there is no type id 2"));
    free_case(&made);
}

static void test_dictionaries(void **state)
{
    case_array made = make_case("c{u}", "[\"x\", null, \"y\"]");
    int8_t *indices = test_array_buffer(made.column, 1);

    (void)state;
    WITH(made.column->dictionary->release, NULL,
         expect_bad(&made, "column a: its dictionary is released"));
    WITH(made.column->dictionary, NULL, expect_bad(&made, "column a: a dictionary is missing"));
    WITH(made.column->dictionary->length, -1,
         expect_bad(&made, "column a.dictionary: its length is -1"));
    WITH(indices[0], 2,
         expect_bad_value(&made, "column a: row 0: its index is 2, the dictionary has 2 rows"));
    WITH(indices[2], -1,
         expect_bad_value(&made, "column a: row 2: its index is -1, the dictionary has 2 rows"));
    WITH(indices[1], 99, expect_good(&made));
    free_case(&made);

    made = make_case("L{u}", "[\"x\"]");
    memset(test_array_buffer(made.column, 1), 0xFF, 8);
    expect_bad_value(&made, "column a: row 0: its index is 18446744073709551615, the dictionary "
                            "has 1 rows");
    free_case(&made);
}

static void test_runs(void **state)
{
    case_array made = make_case("+r<run_ends=s!; values=u>", "[\"x\", \"x\", \"y\", \"z\"]");
    struct ArrowArray *ends = made.column->children[0];
    int16_t *numbers = test_array_buffer(ends, 1);
    static const uint8_t two_valid[1] = {3};

    (void)state;
    expect_good(&made);
    WITH(numbers[2], 3,
         expect_bad(&made, "column a: its 3 runs end at 3, 4 rows are needed"));
    WITH(made.column->offset, 1,
         expect_bad(&made, "column a: its 3 runs end at 4, 5 rows are needed"));
    WITH(ends->length, 0, expect_bad(&made, "column a: its 0 runs end at 0, 4 rows are needed"));
    WITH(made.column->children[1]->length, 2,
         expect_bad(&made, "column a: 3 runs have 2 values"));
    ends->buffers[0] = two_valid;
    WITH(ends->null_count, 1, expect_bad(&made, "column a: a run end is null"));
    WITH(ends->null_count, -1, expect_bad(&made, "column a: a run end is null"));
    ends->buffers[0] = NULL;
    WITH(numbers[1], 2,
         expect_bad_value(&made, "column a: run 1 ends at 2, the one before it at 2"));
    WITH(numbers[0], 0,
         expect_bad_value(&made, "column a: run 0 ends at 0, the one before it at 0"));
    WITH(numbers[0], -5,
         expect_bad_value(&made, "column a: run 0 ends at -5, the one before it at 0"));
    free_case(&made);
}

static void test_deep_paths(void **state)
{
    case_array made = make_case("+s<b=+l<item=+m<entries=+s<key=u!; value=c{i}>!>>>",
                                "[[[[[\"k\", 1], [\"k\", 2]]]]]");
    struct ArrowArray *value = made.column->children[0]->children[0]->children[0]->children[1];

    (void)state;
    expect_good(&made);
    WITH(value->dictionary->n_buffers, 0,
         expect_bad(&made, "column a.b.item.entries.value.dictionary: it has 0 buffers, 2 are "
                           "needed"));
    free_case(&made);
}

/* What others accept must pass here: nanoarrow's full validation is asked. */
static void check_with_nanoarrow(const struct ArrowSchema *source, const struct ArrowArray *array)
{
    struct ArrowArrayView view;
    struct ArrowError error = {0};

    assert_int_equal(ArrowArrayViewInitFromSchema(&view, source, &error), NANOARROW_OK);
    if (ArrowArrayViewSetArray(&view, array, &error) != NANOARROW_OK ||
        ArrowArrayViewValidate(&view, NANOARROW_VALIDATION_LEVEL_FULL, &error) != NANOARROW_OK)
        fail_msg("nanoarrow, format %s: %s", source->format, error.message);
    ArrowArrayViewReset(&view);
}

static void test_good_arrays(void **state)
{
    struct ArrowSchema source;
    sluice_schema *schema;

    (void)state;
    test_schema(test_every_type, &source);
    assert_int_equal(sluice_schema_import(&source, NULL, &schema, NULL), SLUICE_OK);
    for (uint64_t seed = 0; seed < 40; seed++) {
        const test_random_options options = {
            .seed = seed, .null_percent = seed % 2 == 0 ? 0 : 30, .is_sliced = seed % 4 < 2};
        struct ArrowArray array;
        sluice_error error;

        test_random_batch(&source, (int64_t)seed % 13, &options, &array);
        if (sluice_validate_array(sluice_schema_root(schema), &array, true, NULL, &error) !=
            SLUICE_OK)
            fail_msg("seed %d: %s", (int)seed, error.message);
        for (int64_t i = 0; i < source.n_children; i++) {
            if (strcmp(source.children[i]->format, "w:0") != 0)
                check_with_nanoarrow(source.children[i], array.children[i]);
        }
        array.release(&array);
    }
    sluice_schema_unref(schema);
    source.release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_wide_values),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bytes_under_nulls),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_unions),
        cmocka_unit_test(test_dictionaries),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_deep_paths),
        cmocka_unit_test(test_good_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
