/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_batch.c - batches: taken, shared, handed out whole and in slices, given back
 */
#include "arrow/batch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nanoarrow/nanoarrow.h"

#include "arrow/validate.h"
#include "support/arrays.h"
#include "support/failing_allocator.h"

static sluice_schema *import_schema(const struct ArrowSchema *source)
{
    sluice_schema *schema;
    sluice_error error;

    if (sluice_schema_import(source, NULL, &schema, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    return schema;
}

static sluice_batch *import_batch(sluice_schema *schema, struct ArrowArray *array)
{
    sluice_batch *batch;
    sluice_error error;

    if (sluice_batch_import(schema, array, true, NULL, &batch, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    assert_null(array->release);
    return batch;
}

/* Rows of an exported array are those of the batch from row first on. */
static void compare_export(const struct ArrowSchema *source, const struct ArrowArray *whole,
                           int64_t first, const struct ArrowArray *exported)
{
    for (int64_t row = 0; row < exported->length; row++) {
        char *expected = test_row_text(source, whole, first + row);
        char *text = test_row_text(source, exported, row);

        assert_string_equal(text, expected);
        free(text);
        free(expected);
    }
}

/* What Arrow asks of an export, and what many consumers ask of a struct at the top. */
static void check_export(sluice_schema *schema, const struct ArrowSchema *source,
                         struct ArrowArray *exported)
{
    sluice_error error;

    assert_int_equal(exported->offset, 0);
    assert_int_equal(exported->null_count, 0);
    assert_int_equal(exported->n_buffers, 1);
    assert_null(exported->buffers[0]);
    for (int64_t i = 0; i < exported->n_children; i++)
        assert_int_equal(exported->children[i]->length, exported->length);
    if (sluice_validate_array(sluice_schema_root(schema), exported, true, NULL, &error) !=
        SLUICE_OK)
        fail_msg("%s", error.message);
    for (int64_t i = 0; i < source->n_children; i++) {
        struct ArrowArrayView view;

        if (strcmp(source->children[i]->format, "w:0") == 0)
            continue;
        assert_int_equal(ArrowArrayViewInitFromSchema(&view, source->children[i], NULL),
                         NANOARROW_OK);
        assert_int_equal(ArrowArrayViewSetArray(&view, exported->children[i], NULL), NANOARROW_OK);
        assert_int_equal(ArrowArrayViewValidate(&view, NANOARROW_VALIDATION_LEVEL_FULL, NULL),
                         NANOARROW_OK);
        ArrowArrayViewReset(&view);
    }
}

static void test_every_type_travels(void **state)
{
    struct ArrowSchema source;

    (void)state;
    test_schema(test_every_type, &source);
    sluice_schema *schema = import_schema(&source);

    for (uint64_t seed = 0; seed < 24; seed++) {
        const int64_t rows = (int64_t)(seed * 5 % 41);
        const test_random_options options = {
            .seed = seed, .null_percent = (int)(seed % 3) * 25, .is_sliced = seed % 2 == 1};
        struct ArrowArray array;
        uint64_t random = seed;

        test_random_batch(&source, rows, &options, &array);
        sluice_batch *batch = import_batch(schema, &array);

        assert_int_equal(sluice_batch_rows(batch), rows);
        for (int slice = 0; slice < 5; slice++) {
            const int64_t first =
                slice == 0 ? 0 : (int64_t)(test_random_next(&random) % (uint64_t)(rows + 1));
            const int64_t row_count =
                slice == 0 ? rows
                           : (int64_t)(test_random_next(&random) % (uint64_t)(rows - first + 1));
            struct ArrowArray exported;

            assert_int_equal(sluice_batch_export(batch, first, row_count, &exported, NULL),
                             SLUICE_OK);
            assert_int_equal(exported.length, row_count);
            check_export(schema, &source, &exported);
            compare_export(&source, sluice_batch_array(batch), first, &exported);
            exported.release(&exported);
            assert_null(exported.release);
        }
        sluice_batch_unref(batch);
    }
    sluice_schema_unref(schema);
    source.release(&source);
}

/* Exports outlive the batch, its schema and each other, in any order. */
static void test_shares_outlive(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array, left, right, again;

    (void)state;
    test_schema("a=u; b=+l<item=c{u}>", &source);
    test_batch(&source, "[[\"x\", [\"p\"]], [\"y\", []], [\"z\", [\"q\", \"p\"]]]", &array);
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);

    assert_ptr_equal(sluice_batch_ref(batch), batch);
    assert_int_equal(sluice_batch_export(batch, 0, 1, &left, NULL), SLUICE_OK);
    assert_int_equal(sluice_batch_export(batch, 1, 2, &right, NULL), SLUICE_OK);
    sluice_batch_unref(batch);
    sluice_batch_unref(batch);

    /* An export is an array like any other: take it, and hand it out again. */
    sluice_batch *second = import_batch(schema, &right);

    sluice_schema_unref(schema);
    assert_int_equal(sluice_batch_export(second, 1, 1, &again, NULL), SLUICE_OK);
    sluice_batch_unref(second);
    left.release(&left);
    char *text = test_row_text(&source, &again, 0);

    assert_string_equal(text, "{a:\"z\",b:[\"q\",\"p\"]}");
    free(text);
    again.release(&again);
    source.release(&source);
    sluice_batch_unref(NULL);
}

/* Any node may be moved out and live on after its parent was released. */
static void test_moved_children(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array, exported, column, values, item;

    (void)state;
    test_schema("a=u; b=+l<item=c{u}>; c=i", &source);
    test_batch(&source, "[[\"x\", [\"p\"], 1], [\"y\", [\"q\", \"p\"], 2]]", &array);
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);

    assert_int_equal(sluice_batch_export(batch, 0, 2, &exported, NULL), SLUICE_OK);
    sluice_batch_unref(batch);
    sluice_schema_unref(schema);
    column = *exported.children[1];
    exported.children[1]->release = NULL;
    exported.release(&exported);
    assert_null(exported.release);
    char *text = test_row_text(source.children[1], &column, 1);

    assert_string_equal(text, "[\"q\",\"p\"]");
    free(text);
    item = *column.children[0];
    column.children[0]->release = NULL;
    column.release(&column);
    values = *item.dictionary;
    item.dictionary->release = NULL;
    item.release(&item);
    text = test_row_text(source.children[1]->children[0]->dictionary, &values, 1);
    assert_string_equal(text, "\"q\"");
    free(text);
    values.release(&values);
    source.release(&source);
}

/* A consumer may also release a child early, before its parent. */
static void test_children_released_first(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array, exported;

    (void)state;
    test_schema("a=u; b=+s<x=i; y=u>", &source);
    test_batch(&source, "[[\"x\", [1, \"y\"]]]", &array);
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);

    assert_int_equal(sluice_batch_export(batch, 0, 1, &exported, NULL), SLUICE_OK);
    sluice_batch_unref(batch);
    for (int64_t i = 0; i < exported.n_children; i++) {
        exported.children[i]->release(exported.children[i]);
        assert_null(exported.children[i]->release);
    }
    exported.release(&exported);
    sluice_schema_unref(schema);
    source.release(&source);
}

static int release_count;
static void (*release_inner)(struct ArrowArray *array);

static void release_counted(struct ArrowArray *array)
{
    release_count++;
    array->release = release_inner;
    array->release(array);
}

/* The producer's release is called once, when the last share is gone, and not before. */
static void test_release_is_called_once(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array, exported;

    (void)state;
    test_schema("a=i", &source);
    test_batch(&source, "[[1], [2]]", &array);
    release_count = 0;
    release_inner = array.release;
    array.release = release_counted;
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);

    assert_int_equal(sluice_batch_export(batch, 0, 2, &exported, NULL), SLUICE_OK);
    sluice_batch_unref(batch);
    assert_int_equal(release_count, 0);
    exported.release(&exported);
    assert_int_equal(release_count, 1);
    sluice_schema_unref(schema);
    source.release(&source);
}

/* What is refused stays the caller's. */
static void test_refused(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array;
    static uint8_t bits[1] = {0x05};
    sluice_batch *batch;
    sluice_error error;

    (void)state;
    test_schema("a=c{u}", &source);
    test_batch(&source, "[[\"x\"], [\"y\"], [\"z\"]]", &array);
    sluice_schema *schema = import_schema(&source);

    array.buffers[0] = bits;
    array.null_count = 1;
    assert_int_equal(sluice_batch_import(schema, &array, false, NULL, &batch, &error),
                     SLUICE_BAD_DATA);
    assert_string_equal(error.message, "batch: 1 of its 3 rows are null as a whole");
    assert_null(batch);
    assert_non_null(array.release);
    array.null_count = -1;
    assert_int_equal(sluice_batch_import(schema, &array, false, NULL, &batch, &error),
                     SLUICE_BAD_DATA);
    /* Bits that stand for rows before and behind are nobody's business. */
    array.offset = 2;
    array.length = 1;
    assert_int_equal(sluice_batch_import(schema, &array, false, NULL, &batch, &error), SLUICE_OK);
    struct ArrowArray exported;

    assert_int_equal(sluice_batch_export(batch, 0, 1, &exported, NULL), SLUICE_OK);
    char *text = test_row_text(&source, &exported, 0);

    assert_string_equal(text, "{a:\"z\"}");
    free(text);
    exported.release(&exported);
    /* The bitmap is not the array's own. */
    ((struct ArrowArray *)(uintptr_t)sluice_batch_array(batch))->buffers[0] = NULL;
    sluice_batch_unref(batch);

    test_batch(&source, "[[\"x\"]]", &array);
    ((int8_t *)test_array_buffer(array.children[0], 1))[0] = 5;
    assert_int_equal(sluice_batch_import(schema, &array, true, NULL, &batch, &error),
                     SLUICE_BAD_DATA);
    assert_string_equal(error.message,
                        "column a: row 0: its index is 5, the dictionary has 1 rows");
    assert_non_null(array.release);
    array.release(&array);
    assert_int_equal(sluice_batch_import(schema, &array, true, NULL, &batch, &error),
                     SLUICE_INVALID);
    sluice_schema_unref(schema);
    source.release(&source);
}

static void test_bad_slices(void **state)
{
    static const int64_t slices[][2] = {{-1, 1}, {0, 4}, {3, 1}, {4, 0}, {0, -1}, {INT64_MAX, 1},
                                        {1, INT64_MAX}, {INT64_MIN, 0}, {0, INT64_MIN}};
    struct ArrowSchema source;
    struct ArrowArray array, exported;

    (void)state;
    test_schema("a=i", &source);
    test_batch(&source, "[[1], [2], [3]]", &array);
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);

    for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
        assert_int_equal(
            sluice_batch_export(batch, slices[i][0], slices[i][1], &exported, NULL),
            SLUICE_INVALID);
        assert_null(exported.release);
    }
    assert_int_equal(sluice_batch_export(batch, 3, 0, &exported, NULL), SLUICE_OK);
    assert_int_equal(exported.length, 0);
    assert_int_equal(exported.children[0]->offset, 0);
    exported.release(&exported);
    sluice_batch_unref(batch);
    sluice_schema_unref(schema);
    source.release(&source);
}

static void test_no_columns(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array, exported;

    (void)state;
    test_schema("", &source);
    test_batch(&source, "[[], [], []]", &array);
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);

    assert_int_equal(sluice_batch_rows(batch), 3);
    assert_int_equal(sluice_batch_export(batch, 1, 2, &exported, NULL), SLUICE_OK);
    assert_int_equal(exported.length, 2);
    assert_int_equal(exported.n_children, 0);
    exported.release(&exported);
    sluice_batch_unref(batch);
    sluice_schema_unref(schema);
    source.release(&source);
}

static void test_null_counts(void **state)
{
    struct ArrowSchema source;
    struct ArrowArray array, exported;

    (void)state;
    test_schema("some=i; none=i; null=n; union=+us:0<x=i>; runs=+r<run_ends=i!; values=u>",
                &source);
    test_batch(&source,
               "[[1, 1, null, [0, 1], \"x\"], [null, 2, null, [0, null], null],"
               " [3, 3, null, [0, 2], \"y\"]]",
               &array);
    sluice_schema *schema = import_schema(&source);
    sluice_batch *batch = import_batch(schema, &array);
    static const int64_t whole[] = {1, 0, 3, 0, 0};
    static const int64_t part[] = {-1, 0, 2, 0, 0};
    static const int64_t empty[] = {0, 0, 0, 0, 0};
    static const int64_t *const expected[] = {empty, empty, part, whole};

    for (int64_t rows = 3; rows >= 0; rows--) {
        if (rows == 1)
            continue;
        assert_int_equal(sluice_batch_export(batch, 0, rows, &exported, NULL), SLUICE_OK);
        for (int64_t i = 0; i < exported.n_children; i++)
            assert_int_equal(exported.children[i]->null_count, expected[rows][i]);
        exported.release(&exported);
    }
    sluice_batch_unref(batch);
    sluice_schema_unref(schema);
    source.release(&source);
}

static void test_allocations_fail(void **state)
{
    struct ArrowSchema source;

    (void)state;
    test_schema("a=c{u}; b=+l<item=i>", &source);
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        sluice_schema *schema = import_schema(&source);
        sluice_batch *batch;
        struct ArrowArray array, exported;
        sluice_error error = {0};

        test_batch(&source, "[[\"x\", [1]], [\"y\", []]]", &array);
        sluice_status status =
            sluice_batch_import(schema, &array, true, &allocator, &batch, &error);

        if (status != SLUICE_OK) {
            assert_non_null(array.release);
            array.release(&array);
        } else {
            status = sluice_batch_export(batch, 0, 1, &exported, &error);
            assert_int_equal(exported.release == NULL, status != SLUICE_OK);
        }
        if (status == SLUICE_OK)
            exported.release(&exported);
        sluice_batch_unref(batch);
        sluice_schema_unref(schema);
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused) {
            assert_int_equal(status, SLUICE_OK);
            break;
        }
        assert_int_equal(status, SLUICE_OUT_OF_MEMORY);
    }
    source.release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_travels),
        cmocka_unit_test(test_shares_outlive),
        cmocka_unit_test(test_moved_children),
        cmocka_unit_test(test_children_released_first),
        cmocka_unit_test(test_release_is_called_once),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bad_slices),
        cmocka_unit_test(test_no_columns),
        cmocka_unit_test(test_null_counts),
        cmocka_unit_test(test_allocations_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
