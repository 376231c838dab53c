/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_damage.c - arrays that were broken at random
 *
 * An array is either refused, or every row of it can be read; a sanitizer says whether that is so.
 */
#include "arrow/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arrow/column.h"
#include "support/arrays.h"
#include "test_arrow_reader.h"

/* An array somewhere in the tree, and its field. */
static struct ArrowArray *pick_array(const sluice_field **field, struct ArrowArray *array,
                                     uint64_t *random)
{
    for (;;) {
        const uint64_t child_count = (*field)->child_count;
        const uint64_t below = child_count + ((*field)->dictionary != NULL);
        const uint64_t choice = test_random_next(random) % (below + 1);

        if (choice == below)
            return array;
        array = choice == child_count ? array->dictionary : array->children[choice];
        *field = choice == child_count ? (*field)->dictionary : &(*field)->children[choice];
    }
}

/*
 * Break one number of an array, without lying about how long its buffers are, which nobody could
 * see through the interface: rows only become fewer.
 */
static void break_numbers(struct ArrowArray *array, uint64_t *random)
{
    const int64_t rows = array->length;
    const int64_t fewer = rows == 0 ? 0 : (int64_t)(test_random_next(random) % (uint64_t)rows);

    switch (test_random_next(random) % 7) {
    case 0:
        array->length = fewer;
        return;
    case 1:
        array->offset += rows - fewer;
        array->length = fewer;
        return;
    case 2:
        array->length = (int64_t)test_random_next(random) | INT64_MIN;
        return;
    case 3:
        array->offset = -1 - fewer;
        return;
    case 4:
        array->null_count = (int64_t)(test_random_next(random) % 40) - 3;
        return;
    case 5:
        array->n_buffers = (int64_t)(test_random_next(random) % (uint64_t)(array->n_buffers + 1));
        return;
    default:
        array->n_children = (int64_t)(test_random_next(random) % (uint64_t)(array->n_children + 1));
        return;
    }
}

/* Bytes of an item in a buffer whose numbers lead somewhere; 0: there is none. */
static int64_t get_item_bytes(const sluice_field *field, int64_t buffer)
{
    switch (field->layout) {
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_LIST32:
        return buffer == 1 ? 4 : 0;
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_LIST64:
        return buffer == 1 ? 8 : 0;
    case SLUICE_LAYOUT_LIST_VIEW32:
        return buffer > 0 ? 4 : 0;
    case SLUICE_LAYOUT_LIST_VIEW64:
        return buffer > 0 ? 8 : 0;
    case SLUICE_LAYOUT_BYTES_VIEW:
        return buffer == 1 ? 16 : 0;
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        return buffer == 0 ? 1 : 4;
    default:
        return buffer == 1 ? field->byte_width : 0;
    }
}

/*
 * Break a byte of a row in a buffer.  The last offset of bytes belongs to no row and stays whole:
 * how much data there is nobody says.
 */
static void break_bytes(const sluice_field *field, const struct ArrowArray *array,
                        uint64_t *random)
{
    const int64_t buffer = (int64_t)(test_random_next(random) % 3);
    const int64_t item_bytes = get_item_bytes(field, buffer);
    const uint64_t row_bytes = (uint64_t)(array->length * item_bytes);

    if (row_bytes == 0 || buffer >= array->n_buffers || array->buffers[buffer] == NULL)
        return;
    uint8_t *bytes = (uint8_t *)test_array_buffer(array, buffer) + array->offset * item_bytes;

    bytes[test_random_next(random) % row_bytes] = (uint8_t)test_random_next(random);
}

static void read_all(const sluice_field *field, const struct ArrowArray *array)
{
    sluice_column *column;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    assert_int_equal(sluice_column_new(field, NULL, &column, NULL), SLUICE_OK);
    sluice_column_set(column, array);
    for (int64_t row = 0; row < column->row_count; row++)
        write_value(out, column, row);
    sluice_column_free(column, NULL);
    fclose(out);
    free(text);
}

/* Copies of the structures of a tree, so that they can be put back before it is released. */
static void save_tree(struct ArrowArray *array, struct ArrowArray *saved, size_t *count)
{
    saved[(*count)++] = *array;
    for (int64_t i = 0; i < array->n_children; i++)
        save_tree(array->children[i], saved, count);
    if (array->dictionary != NULL)
        save_tree(array->dictionary, saved, count);
}

static void restore_tree(struct ArrowArray *array, const struct ArrowArray *saved, size_t *count)
{
    *array = saved[(*count)++];
    for (int64_t i = 0; i < array->n_children; i++)
        restore_tree(array->children[i], saved, count);
    if (array->dictionary != NULL)
        restore_tree(array->dictionary, saved, count);
}

static void test_random_damage(void **state)
{
    enum { NODES_MAX = 4096 };
    static struct ArrowArray saved[NODES_MAX];
    int passed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        const test_random_options options = {
            .seed = seed, .null_percent = 20, .is_sliced = seed % 2 == 0};
        uint64_t random = seed;
        struct ArrowSchema source;
        struct ArrowArray array;
        sluice_schema *schema;
        size_t count = 0;

        test_random_schema(seed, 1 + seed % 3, 3, &source);
        test_random_batch(&source, 1 + (int64_t)(seed % 20), &options, &array);
        assert_int_equal(sluice_schema_import(&source, NULL, &schema, NULL), SLUICE_OK);
        save_tree(&array, saved, &count);
        assert_true(count < NODES_MAX);
        const sluice_field *field = sluice_schema_root(schema);
        struct ArrowArray *broken = pick_array(&field, &array, &random);

        if (seed % 3 == 0)
            break_numbers(broken, &random);
        else
            break_bytes(field, broken, &random);
        if (sluice_validate_array(sluice_schema_root(schema), &array, true, NULL, NULL) ==
            SLUICE_OK) {
            read_all(sluice_schema_root(schema), &array);
            passed++;
        }
        count = 0;
        restore_tree(&array, saved, &count);
        array.release(&array);
        sluice_schema_unref(schema);
        source.release(&source);
    }
    /* Most damage to plain values is no damage; the point is that some of each is there. */
    assert_in_range(passed, 100, 2900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
