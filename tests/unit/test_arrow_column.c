/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_column.c - rows read through views are the rows that the arrays hold
 *
 * test_arrow_reader.h reads rows over views; its text is compared with that of tests/support, which
 * knows nothing of src/.
 */
#include "arrow/column.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrow/validate.h"
#include "support/arrays.h"
#include "support/failing_allocator.h"
#include "test_arrow_reader.h"

/* The rows of a view are the rows of the array from row first on. */
static void compare_rows(const sluice_column *column, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, int64_t first)
{
    for (int64_t row = 0; row < column->row_count; row++) {
        char *expected = test_row_text(schema, array, first + row);
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);

        write_value(out, column, row);
        fclose(out);
        assert_string_equal(text, expected);
        free(text);
        free(expected);
    }
}

/* Null counts of all columns against bits counted one by one, and ends of runs. */
static void compare_counts(const sluice_column *column)
{
    int64_t null_count = 0;

    for (int64_t row = 0; row < column->row_count; row++)
        null_count += sluice_column_is_null(column, row);
    assert_int_equal(sluice_column_count_nulls(column), null_count);
    for (size_t i = 0; i < column->field->child_count; i++)
        compare_counts(&column->children[i]);
    if (column->dictionary != NULL)
        compare_counts(column->dictionary);
    for (int64_t row = 0; column->field->layout == SLUICE_LAYOUT_RUN_END && row < column->row_count;
         row++) {
        const int64_t run = sluice_column_run(column, row);

        assert_true(sluice_column_run_end(column, run) > row);
        assert_true(run == 0 || sluice_column_run_end(column, run - 1) <= row);
    }
}

static void check_array_of(const struct ArrowSchema *schema, int64_t row_count, uint64_t seed)
{
    const test_random_options options = {
        .seed = seed, .null_percent = (int)(seed % 3) * 20, .is_sliced = seed % 2 == 1};
    struct ArrowArray array;
    sluice_schema *imported;
    sluice_column *column;
    sluice_error error;
    uint64_t random = seed;

    test_random_batch(schema, row_count, &options, &array);
    assert_int_equal(sluice_schema_import(schema, NULL, &imported, NULL), SLUICE_OK);
    if (sluice_validate_array(sluice_schema_root(imported), &array, true, NULL, &error) !=
        SLUICE_OK)
        fail_msg("seed %" PRIu64 ": %s", seed, error.message);
    assert_int_equal(sluice_column_new(sluice_schema_root(imported), NULL, &column, NULL),
                     SLUICE_OK);
    sluice_column_set(column, &array);
    assert_int_equal(column->row_count, row_count);
    compare_rows(column, schema, &array, 0);
    compare_counts(column);
    /* Two cuts, so that the second is of a view that is cut already. */
    int64_t first = 0;

    for (int cut = 0; cut < 2; cut++) {
        const int64_t rows = column->row_count;
        const int64_t cut_first = (int64_t)(test_random_next(&random) % (uint64_t)(rows + 1));
        const int64_t cut_rows =
            (int64_t)(test_random_next(&random) % (uint64_t)(rows - cut_first + 1));

        sluice_column_slice(column, cut_first, cut_rows);
        first += cut_first;
        compare_rows(column, schema, &array, first);
        compare_counts(column);
    }
    sluice_column_free(column, NULL);
    sluice_schema_unref(imported);
    array.release(&array);
}

static void test_every_type_reads(void **state)
{
    struct ArrowSchema schema;

    (void)state;
    test_schema(test_every_type, &schema);
    for (uint64_t seed = 0; seed < 30; seed++)
        check_array_of(&schema, (int64_t)(seed * 3 % 50), seed);
    schema.release(&schema);
}

static void test_random_types_read(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct ArrowSchema schema;

        test_random_schema(seed, seed % 5, 4, &schema);
        check_array_of(&schema, (int64_t)(seed % 37), seed);
        schema.release(&schema);
    }
}

/* Rows as people write them, so that both readers cannot be wrong in the same way. */
static void test_literals(void **state)
{
    static const struct {
        const char *type, *json, *rows[3];
    } cases[] = {
        {"i", "[1, null, -3]", {"1", "null", "-3"}},
        {"L", "[\"18446744073709551615\", 0, 1]", {"18446744073709551615", "0", "1"}},
        {"b", "[true, false, null]", {"true", "false", "null"}},
        {"g", "[1.5, -0.0, \"nan\"]",
         {"0x3ff8000000000000", "0x8000000000000000", "0x7ff8000000000000"}},
        {"e", "[\"0x3c00\", null, \"0xfc00\"]", {"0x3c00", "null", "0xfc00"}},
        {"d:9,2,32", "[123, -1, null]", {"123", "-1", "null"}},
        {"d:20,2", "[-1, 256, null]",
         {"0xffffffffffffffffffffffffffffffff", "0x00000000000000000000000000000100", "null"}},
        {"u", "[\"a\", \"\", null]", {"\"a\"", "\"\"", "null"}},
        {"vu", "[\"short\", \"a text that is long\", null]",
         {"\"short\"", "\"a text that is long\"", "null"}},
        {"w:2", "[\"ab\", null, \"cd\"]", {"\"ab\"", "null", "\"cd\""}},
        {"tiD", "[[1, 2], null, [-1, 0]]",
         {"0x0000000200000001", "null", "0x00000000ffffffff"}},
        {"+l<item=i>", "[[1, 2], [], null]", {"[1,2]", "[]", "null"}},
        {"+vL<item=u>", "[[\"x\"], null, [\"y\", null]]", {"[\"x\"]", "null", "[\"y\",null]"}},
        {"+w:2<item=i>", "[[1, 2], null, [null, 4]]", {"[1,2]", "null", "[null,4]"}},
        {"+s<a=i; b=u>", "[[1, \"x\"], {\"b\": \"y\"}, null]",
         {"{a:1,b:\"x\"}", "{a:null,b:\"y\"}", "null"}},
        {"+m<entries=+s<key=u!; value=i>!>", "[[[\"k\", 1]], [], null]",
         {"[{key:\"k\",value:1}]", "[]", "null"}},
        {"+us:5,7<a=i; b=u>", "[[5, 1], [7, \"x\"], [7, null]]",
         {"(5:1)", "(7:\"x\")", "(7:null)"}},
        {"+ud:5,7<a=i; b=u>", "[[7, \"x\"], [5, 1], [7, null]]",
         {"(7:\"x\")", "(5:1)", "(7:null)"}},
        {"c{u}", "[\"x\", null, \"x\"]", {"\"x\"", "null", "\"x\""}},
        {"+r<run_ends=s!; values=u>", "[\"x\", \"x\", null]", {"\"x\"", "\"x\"", "null"}},
        {"n", "[null, null, null]", {"null", "null", "null"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ArrowSchema schema;
        struct ArrowArray array;
        char text[256];

        snprintf(text, sizeof(text), "column=%s", cases[i].type);
        test_schema(text, &schema);
        test_array(schema.children[0], cases[i].json, &array);
        assert_int_equal(array.length, 3);
        for (int64_t row = 0; row < 3; row++) {
            char *row_text = test_row_text(schema.children[0], &array, row);

            assert_string_equal(row_text, cases[i].rows[row]);
            free(row_text);
        }
        sluice_schema *imported;
        sluice_column *column;

        assert_int_equal(sluice_schema_import(&schema, NULL, &imported, NULL), SLUICE_OK);
        const sluice_field *field = &sluice_schema_root(imported)->children[0];

        assert_int_equal(sluice_validate_array(field, &array, true, NULL, NULL), SLUICE_OK);
        assert_int_equal(sluice_column_new(field, NULL, &column, NULL), SLUICE_OK);
        sluice_column_set(column, &array);
        compare_rows(column, schema.children[0], &array, 0);
        sluice_column_free(column, NULL);
        sluice_schema_unref(imported);
        array.release(&array);
        schema.release(&schema);
    }
}

/* Dictionary indices of every width, unsigned ones above the signed range too. */
static void test_dictionary_indices(void **state)
{
    static const char formats[] = "cCsSiIlL";

    (void)state;
    for (size_t i = 0; formats[i] != '\0'; i++) {
        char text[] = "d=?{i}";
        struct ArrowSchema schema;
        sluice_schema *imported;
        const size_t width = (size_t)1 << (i / 2);
        const size_t bytes[] = {0, width};
        struct ArrowArray array;
        sluice_column *column;

        text[2] = formats[i];
        test_schema(text, &schema);
        assert_int_equal(sluice_schema_import(&schema, NULL, &imported, NULL), SLUICE_OK);
        test_array_new(1, 2, bytes, 0, true, &array);
        test_array(schema.children[0]->dictionary, "[1]", array.dictionary);
        memset(test_array_buffer(&array, 1), 0xFF, width);
        assert_int_equal(sluice_column_new(&sluice_schema_root(imported)->children[0], NULL,
                                           &column, NULL),
                         SLUICE_OK);
        sluice_column_set(column, &array);
        const int64_t greatest = width == 8 ? -1 : ((int64_t)1 << (8 * width)) - 1;

        assert_int_equal(sluice_column_dictionary_index(column, 0), i % 2 == 0 ? -1 : greatest);
        sluice_column_free(column, NULL);
        array.release(&array);
        sluice_schema_unref(imported);
        schema.release(&schema);
    }
}

/* Where Arrow allows buffers to be NULL, views have something to point at. */
static void test_missing_buffers(void **state)
{
    static const size_t no_buffers[4] = {0};
    struct ArrowSchema schema;
    struct ArrowArray array;
    sluice_schema *imported;
    sluice_column *column;

    (void)state;
    test_schema("u=u; f=i; v=vu; l=+vl<item=i>", &schema);
    assert_int_equal(sluice_schema_import(&schema, NULL, &imported, NULL), SLUICE_OK);
    test_array_new(0, 1, no_buffers, 4, false, &array);
    test_array_new(0, 3, no_buffers, 0, false, array.children[0]);
    test_array_new(0, 2, no_buffers, 0, false, array.children[1]);
    test_array_new(0, 3, no_buffers, 0, false, array.children[2]);
    test_array_new(0, 3, no_buffers, 1, false, array.children[3]);
    test_array_new(0, 2, no_buffers, 0, false, array.children[3]->children[0]);
    assert_int_equal(sluice_validate_array(sluice_schema_root(imported), &array, true, NULL, NULL),
                     SLUICE_OK);
    assert_int_equal(sluice_column_new(sluice_schema_root(imported), NULL, &column, NULL),
                     SLUICE_OK);
    sluice_column_set(column, &array);
    assert_null(column->validity);
    assert_null(column->values);
    assert_non_null(column->children[0].values);
    assert_non_null(column->children[0].data);
    assert_non_null(column->children[1].values);
    assert_null(column->children[1].data);
    assert_int_equal(column->children[2].view_buffer_count, 0);
    assert_non_null(column->children[3].data);
    sluice_column_free(column, NULL);
    array.release(&array);
    sluice_schema_unref(imported);
    schema.release(&schema);
}

static void test_allocations_fail(void **state)
{
    struct ArrowSchema schema;
    sluice_schema *imported;

    (void)state;
    test_schema("a=+l<item=c{u}>; b=+s<x=i; y=u>", &schema);
    assert_int_equal(sluice_schema_import(&schema, NULL, &imported, NULL), SLUICE_OK);
    for (int64_t refused = 0; refused < 2; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        sluice_column *column;

        assert_int_equal(
            sluice_column_new(sluice_schema_root(imported), &allocator, &column, NULL),
            refused == 0 ? SLUICE_OUT_OF_MEMORY : SLUICE_OK);
        sluice_column_free(column, &allocator);
        assert_int_equal(failing.bytes_in_use, 0);
    }
    sluice_schema_unref(imported);
    schema.release(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_every_type_reads),
        cmocka_unit_test(test_random_types_read),
        cmocka_unit_test(test_dictionary_indices),
        cmocka_unit_test(test_missing_buffers),
        cmocka_unit_test(test_allocations_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
