/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_route_range.c - ranges: the vectors of the reference system, and every type against a search
 * that is as slow as it is plain
 */
#include "test_route.h"

#include "failing_allocator.h"
#include "route/rows.h"

static const sluice_sort_key ascending = {"k", false, true};
static const sluice_sort_key ascending_nulls_last = {"k", false, false};
static const sluice_sort_key descending = {"k", true, true};
static const sluice_sort_key descending_nulls_last = {"k", true, false};

#define CHECK_RANGE(key, split_schema, splits, schema, rows, ...)                                  \
    do {                                                                                           \
        sluice_partitioning *made = new_range(&(key), 1, split_schema, splits);                    \
                                                                                                   \
        assert_routes(made, schema, rows, __VA_ARGS__);                                            \
        sluice_partitioning_free(made);                                                            \
    } while (0)

/* T4 of the reference's tests, the partition of each row in order. */
static void test_vectors_of_the_reference(void **state)
{
    (void)state;
    CHECK_RANGE(ascending, "k=l", "[[10],[20]]", "k=l", "[[5],[10],[15],[25]]", 0, 1, 1, 2);
    CHECK_RANGE(descending, "k=l", "[[20],[10]]", "k=l", "[[25],[15],[20],[5],[10]]", 0, 1, 1, 2,
                2);
    CHECK_RANGE(ascending_nulls_last, "k=l", "[[10]]", "k=l", "[[5],[null],[10],[15]]", 0, 1, 1,
                1);
    CHECK_RANGE(ascending, "k=l", "[[10]]", "k=l", "[[null],[5],[10],[15]]", 0, 0, 1, 1);
    CHECK_RANGE(ascending, "k=u", "[[\"foo\"]]", "k=u", "[[\"bar\"],[\"baz\"],[\"foo\"],[\"qux\"]]",
                0, 0, 1, 1);
    CHECK_RANGE(ascending, "k=l", "[[10],[20],[30]]", "k=l",
                "[[5],[10],[15],[20],[25],[30],[35],[null]]", 0, 1, 1, 2, 2, 3, 3, 0);
    CHECK_RANGE(descending_nulls_last, "k=l", "[[30],[20],[10]]", "k=l",
                "[[35],[30],[25],[20],[15],[10],[5],[null]]", 0, 1, 1, 2, 2, 3, 3, 3);
    CHECK_RANGE(ascending_nulls_last, "k=g", "[[0],[100]]", "k=g",
                "[[-10],[0],[50],[100],[200],[null]]", 0, 1, 1, 2, 2, 2);
    CHECK_RANGE(ascending, "k=u", "[[\"d\"],[\"m\"],[\"s\"]]", "k=u",
                "[[\"a\"],[\"d\"],[\"e\"],[\"m\"],[\"n\"],[\"s\"],[\"z\"],[null]]", 0, 1, 1, 2, 2,
                3, 3, 0);
    CHECK_RANGE(ascending, "k=l", "[]", "k=l", "[[5],[null],[7]]", 0, 0, 0);
}

static void test_compound_keys(void **state)
{
    static const sluice_sort_key keys[] = {{"a", false, true}, {"b", false, true}};
    sluice_partitioning *made = new_range(keys, 2, "a=l; b=l", "[[10,1],[10,5]]");

    (void)state;
    assert_routes(made, "b=l; a=l", "[[1,5],[1,10],[3,10],[5,10],[7,10],[0,15]]", 0, 1, 1, 2, 2,
                  2);
    sluice_partitioning_free(made);
    made = new_range(keys, 2, "a=l; b=u", "[[1,\"b\"],[1,\"d\"],[2,\"a\"]]");
    assert_routes(made, "a=i; b=vu",
                  "[[1,\"a\"],[1,\"b\"],[1,\"c\"],[1,\"d\"],[2,\"a\"],[2,\"b\"],[3,\"a\"]]", 0, 1,
                  1, 2, 3, 3, 3);
    sluice_partitioning_free(made);
}

static void test_directions_of_compound_keys(void **state)
{
    static const sluice_sort_key keys[] = {{"a", true, false}, {"b", false, true}};
    sluice_partitioning *made = new_range(keys, 2, "a=l; b=u", "[[5,\"m\"],[3,null],[null,\"x\"]]");

    (void)state;
    assert_routes(made, "a=l; b=u",
                  "[[9,\"a\"],[5,null],[5,\"m\"],[4,\"z\"],[3,null],[1,\"a\"],[null,null],"
                  "[null,\"x\"]]",
                  0, 0, 1, 1, 2, 2, 2, 3);
    sluice_partitioning_free(made);
}

/* D6: NaN is greater than every number, and zeros are equal.  T15 of users.md. */
static void test_floats(void **state)
{
    static const char rows[] =
        "[[\"nan\"],[\"-inf\"],[\"0x8000000000000000\"],[0.0],[\"inf\"],[null],[1e300]]";

    (void)state;
    CHECK_RANGE(ascending, "k=g", "[[0.0]]", "k=g", rows, 1, 0, 1, 1, 1, 0, 1);
    CHECK_RANGE(ascending, "k=g", "[[0.0],[\"nan\"]]", "k=g", rows, 2, 0, 1, 1, 1, 0, 1);
    CHECK_RANGE(descending_nulls_last, "k=g", "[[\"inf\"],[0.0]]", "k=g", rows, 0, 2, 2, 2, 1, 2,
                1);
    CHECK_RANGE(ascending, "k=g", "[[\"inf\"],[\"0xfff8000000000001\"]]", "k=f",
                "[[\"nan\"],[\"-inf\"],[\"inf\"],[\"0xffc00000\"]]", 2, 0, 1, 2);
    CHECK_RANGE(ascending, "k=g", "[[0.5]]", "k=e", "[[\"0x3800\"],[\"0x37ff\"],[\"0x7e00\"]]", 1,
                0, 1);
}

/* F22: IEEE totalOrder, for hosts that want it. */
static void test_total_order(void **state)
{
    sluice_partitioning *made = NULL;
    sluice_error error;

    (void)state;
    assert_int_equal(make_range(&ascending, 1, "k=g",
                                "[[\"0xfff8000000000000\"],[\"-inf\"],[\"0x8000000000000000\"],"
                                "[0.0],[\"inf\"],[\"0x7ff0000000000001\"]]",
                                true, &made, &error),
                     SLUICE_OK);
    assert_routes(made, "k=g",
                  "[[\"0xffffffffffffffff\"],[\"0xfff8000000000000\"],[\"0xfff0000000000001\"],"
                  "[\"-inf\"],[-1],[\"0x8000000000000000\"],[0.0],[\"inf\"],"
                  "[\"0x7ff0000000000001\"],[\"0x7ff8000000000000\"]]",
                  0, 1, 1, 2, 2, 3, 4, 5, 6, 6);
    assert_routes(made, "k=f", "[[\"0xffffffff\"],[\"0xff800001\"],[\"0x80000000\"],[0.0],"
                               "[\"0x7f800000\"],[\"0x7f800001\"]]",
                  0, 1, 3, 4, 5, 6);
    sluice_partitioning_free(made);
}

/* E8 and E9. */
static void test_null_split_points(void **state)
{
    (void)state;
    CHECK_RANGE(ascending, "k=l", "[[null],[5]]", "k=l", "[[null],[1],[5]]", 1, 1, 2);
    CHECK_RANGE(ascending_nulls_last, "k=l", "[[5],[null]]", "k=l", "[[null],[1],[5]]", 2, 0, 1);
    CHECK_RANGE(descending, "k=u", "[[null],[\"b\"]]", "k=u", "[[null],[\"c\"],[\"b\"],[\"a\"]]", 1,
                1, 2, 2);
    CHECK_RANGE(ascending, "k=n", "[[null]]", "k=n", "[[null],[null]]", 1, 1);
}

/* Widths and forms do not matter: the value does. */
static void test_other_widths_and_forms(void **state)
{
    (void)state;
    CHECK_RANGE(ascending, "k=L", "[[5],[\"18446744073709551615\"]]", "k=l", "[[-1],[4],[5],[6]]",
                0, 0, 1, 1);
    CHECK_RANGE(ascending, "k=l", "[[-7],[-1],[3]]", "k=C", "[[0],[3],[255],[null]]", 2, 3, 3, 0);
    CHECK_RANGE(descending, "k=l", "[[1000],[3],[-1]]", "k=C", "[[0],[3],[255],[null]]", 2, 2, 1,
                0);
    CHECK_RANGE(ascending, "k=l", "[[300]]", "k=c{i}", "[[300],[null],[299],[301]]", 1, 0, 0, 1);
    CHECK_RANGE(ascending, "k=l", "[[300]]", "k=+r<run_ends=i; values=i>",
                "[[300],[null],[299],[299],[301],[301],[301]]", 1, 0, 0, 0, 1, 1, 1);
    CHECK_RANGE(ascending, "k=u", "[[\"b\"]]", "k=c{vu}", "[[\"b\"],[\"a\"],[null],[\"c\"]]", 1, 0,
                0, 1);
    CHECK_RANGE(ascending, "k=c{u}", "[[\"b\"]]", "k=U", "[[\"b\"],[\"a\"],[null],[\"c\"]]", 1, 0,
                0, 1);
    CHECK_RANGE(ascending, "k=z", "[[\"b\"]]", "k=w:1", "[[\"b\"],[\"a\"],[null],[\"c\"]]", 1, 0, 0,
                1);
    CHECK_RANGE(ascending, "k=d:10,2", "[[100]]", "k=d:9,2,32", "[[99],[100],[null]]", 0, 1, 0);
    CHECK_RANGE(ascending, "k=d:10,2", "[[100]]", "k=d:20,2", "[[99],[100],[null]]", 0, 1, 0);
    CHECK_RANGE(ascending, "k=tsu:", "[[100]]", "k=tsu:UTC", "[[99],[100],[null]]", 0, 1, 0);
}

/* Split points that no 32-bit decimal reaches are never passed, or always. */
static void test_split_points_beyond_the_column(void **state)
{
    static const char *const values[] = {"-99999999999999999999999999.00", "1.00",
                                         "99999999999999999999999999.00"};
    static const char *const reversed[] = {"99999999999999999999999999.00", "1.00",
                                           "-99999999999999999999999999.00"};
    sluice_partitioning *made = NULL;
    struct ArrowSchema schema;
    sluice_error error;

    (void)state;
    test_schema("k=d:38,2", &schema);
    assert_int_equal(sluice_partitioning_new_range_from_text(&ascending, values, 3, &schema, false,
                                                             &made, &error),
                     SLUICE_OK);
    assert_routes(made, "k=d:9,2,32", "[[99],[100],[null],[101]]", 1, 2, 0, 2);
    assert_routes(made, "k=c{d:18,2,64}", "[[99],[100],[null],[101]]", 1, 2, 0, 2);
    sluice_partitioning_free(made);
    assert_int_equal(sluice_partitioning_new_range_from_text(&descending_nulls_last, reversed, 3,
                                                             &schema, false, &made, &error),
                     SLUICE_OK);
    assert_routes(made, "k=d:9,2,32", "[[99],[100],[null],[101]]", 2, 2, 3, 1);
    sluice_partitioning_free(made);
    schema.release(&schema);
}

static void test_types_that_differ_are_named(void **state)
{
    sluice_partitioning *made = new_range(&ascending, 1, "k=l", "[[10]]");
    static const char *const others[] = {"k=u", "k=g", "k=b", "k=tdD", "k=d:9,0,32",
                                         "k=+l<item=l>"};

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        routed_batch routed;

        make_routed(&routed, others[i], "[]");
        assert_int_equal(route_with(&routed, made, 1, NULL), SLUICE_INVALID);
        assert_non_null(strstr(routed.error.message, "range key k"));
        assert_non_null(strstr(routed.error.message, "int64"));
        free_routed(&routed);
    }
    sluice_partitioning_free(made);
    made = new_range(&ascending, 1, "k=d:10,2", "[[10]]");
    routed_batch routed;

    make_routed(&routed, "k=d:10,3", "[]");
    assert_int_equal(route_with(&routed, made, 1, NULL), SLUICE_INVALID);
    assert_non_null(strstr(routed.error.message, "decimal128(10,3)"));
    assert_non_null(strstr(routed.error.message, "decimal128(10,2)"));
    free_routed(&routed);
    sluice_partitioning_free(made);
}

static void test_types_without_an_order_are_unsupported(void **state)
{
    static const char *const types[] = {"k=+ud:0<a=i>", "k=+m<entries=+s<key=u!; value=i>!>",
                                        "k=+l<item=+us:0<a=i>>", "k=+s<a=+ud:0<a=i>>"};
    sluice_partitioning *made = new_range(&ascending, 1, "k=l", "[[10]]");

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        sluice_partitioning *none;
        sluice_error error;
        routed_batch routed;

        assert_int_equal(make_range(&ascending, 1, types[i], "[]", false, &none, &error),
                         SLUICE_UNSUPPORTED);
        assert_null(none);
        assert_non_null(strstr(error.message, "range key k"));
        make_routed(&routed, types[i], "[]");
        assert_int_equal(route_with(&routed, made, 1, NULL), SLUICE_UNSUPPORTED);
        free_routed(&routed);
    }
    sluice_partitioning_free(made);
}

/* ------------------------------------------------------------------- every type, slowly */

static int compare_bytes(const sluice_column *left, int64_t left_row, const sluice_column *right,
                         int64_t right_row)
{
    const sluice_bytes_view a = sluice_column_bytes(left, left_row);
    const sluice_bytes_view b = sluice_column_bytes(right, right_row);

    for (int64_t i = 0; i < a.byte_count && i < b.byte_count; i++) {
        if (a.bytes[i] != b.bytes[i])
            return a.bytes[i] < b.bytes[i] ? -1 : 1;
    }
    return (a.byte_count > b.byte_count) - (a.byte_count < b.byte_count);
}

/* Two's complement numbers of any width, from their last byte on. */
static int compare_integers(const sluice_column *left, int64_t left_row,
                            const sluice_column *right, int64_t right_row, bool is_signed)
{
    const sluice_bytes_view a = sluice_column_bytes(left, left_row);
    const sluice_bytes_view b = sluice_column_bytes(right, right_row);

    for (int64_t i = a.byte_count - 1; i >= 0; i--) {
        const uint8_t flip = is_signed && i == a.byte_count - 1 ? 0x80 : 0;
        const int x = a.bytes[i] ^ flip, y = b.bytes[i] ^ flip;

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static double read_float(const sluice_column *column, int64_t row)
{
    const sluice_bytes_view view = sluice_column_bytes(column, row);
    double number;
    float single;

    if (view.byte_count == sizeof(number)) {
        memcpy(&number, view.bytes, sizeof(number));
        return number;
    }
    assert_int_equal(view.byte_count, sizeof(single));
    memcpy(&single, view.bytes, sizeof(single));
    return single;
}

static int compare_floats(double left, double right)
{
    if (left != left || right != right)
        return (left != left) - (right != right);
    return (left > right) - (left < right);
}

static int compare_rows(const sluice_column *left, int64_t left_row, const sluice_column *right,
                        int64_t right_row, bool nulls_first, bool is_descending);

static int compare_lists(const sluice_column *left, int64_t left_row, const sluice_column *right,
                         int64_t right_row, bool nulls_first, bool is_descending)
{
    const sluice_list_range a = sluice_column_list(left, left_row);
    const sluice_list_range b = sluice_column_list(right, right_row);

    for (int64_t i = 0; i < a.count && i < b.count; i++) {
        const int order = compare_rows(&left->children[0], a.first + i, &right->children[0],
                                       b.first + i, nulls_first, is_descending);

        if (order != 0)
            return order;
    }
    const int order = (a.count > b.count) - (a.count < b.count);

    return is_descending ? -order : order;
}

/* Without what is nested, and ascending. */
static int compare_leaves(const sluice_column *left, int64_t left_row, const sluice_column *right,
                          int64_t right_row)
{
    switch (left->field->type) {
    case SLUICE_TYPE_BOOL:
        return (int)sluice_bit_get(left->values, left->offset + left_row) -
               (int)sluice_bit_get(right->values, right->offset + right_row);
    case SLUICE_TYPE_FLOAT32:
    case SLUICE_TYPE_FLOAT64:
        return compare_floats(read_float(left, left_row), read_float(right, right_row));
    case SLUICE_TYPE_UINT8:
    case SLUICE_TYPE_UINT16:
    case SLUICE_TYPE_UINT32:
    case SLUICE_TYPE_UINT64:
        return compare_integers(left, left_row, right, right_row, false);
    case SLUICE_TYPE_BINARY:
    case SLUICE_TYPE_UTF8:
    case SLUICE_TYPE_FIXED_SIZE_BINARY:
        return compare_bytes(left, left_row, right, right_row);
    default:
        return compare_integers(left, left_row, right, right_row, true);
    }
}

static int compare_rows(const sluice_column *left, int64_t left_row, const sluice_column *right,
                        int64_t right_row, bool nulls_first, bool is_descending)
{
    const bool is_left_null = sluice_column_is_null(left, left_row);
    const bool is_right_null = sluice_column_is_null(right, right_row);

    if (is_left_null || is_right_null) {
        const int order = (int)is_right_null - (int)is_left_null;

        return nulls_first ? order : -order;
    }
    if (left->field->type == SLUICE_TYPE_LIST) {
        return compare_lists(left, left_row, right, right_row, nulls_first, is_descending);
    }
    if (left->field->type == SLUICE_TYPE_STRUCT) {
        for (size_t i = 0; i < left->field->child_count; i++) {
            const int order = compare_rows(&left->children[i], left_row, &right->children[i],
                                           right_row, nulls_first, is_descending);

            if (order != 0)
                return order;
        }
        return 0;
    }
    const int order = compare_leaves(left, left_row, right, right_row);

    return is_descending ? -order : order;
}

static sluice_column *view_of(const struct ArrowSchema *schema, const struct ArrowArray *batch,
                              sluice_schema **imported)
{
    sluice_column *view = NULL;

    assert_int_equal(sluice_schema_import(schema, NULL, imported, NULL), SLUICE_OK);
    assert_int_equal(sluice_column_new(sluice_schema_root(*imported), NULL, &view, NULL),
                     SLUICE_OK);
    sluice_column_set(view, batch);
    return view;
}

/* Insert a row into a sorted list of rows, unless it is there. */
static size_t insert_row(int64_t *rows, size_t count, const sluice_column *column, int64_t row,
                         const sluice_sort_key *key)
{
    size_t place = 0;

    for (; place < count; place++) {
        const int order = compare_rows(column, rows[place], column, row, key->nulls_first,
                                       key->descending);

        if (order == 0)
            return count;
        if (order > 0)
            break;
    }
    memmove(rows + place + 1, rows + place, (count - place) * sizeof(*rows));
    rows[place] = row;
    return count + 1;
}

static sluice_partitioning *range_of_rows(const sluice_column *column, const int64_t *rows,
                                          size_t count, const sluice_sort_key *key)
{
    const sluice_field *field = column->field;
    sluice_partitioning *made = NULL;
    struct ArrowSchema schema;
    struct ArrowArray splits;
    sluice_rows *table = NULL;
    sluice_error error;

    assert_int_equal(sluice_rows_new(&field, 1, NULL, &table, NULL), SLUICE_OK);
    for (size_t split = 0; split < count; split++) {
        assert_int_equal(sluice_rows_append(&table->children[0], column, rows[split], NULL),
                         SLUICE_OK);
        assert_int_equal(sluice_rows_end_struct(table, NULL), SLUICE_OK);
    }
    assert_int_equal(sluice_rows_export(table, &schema, &splits, NULL), SLUICE_OK);
    if (sluice_partitioning_new_range(key, 1, &schema, &splits, false, &made, &error) != SLUICE_OK)
        fail_msg("%s", error.message);
    splits.release(&splits);
    schema.release(&schema);
    sluice_rows_free(table);
    return made;
}

enum { SLOW_ROWS = 80, SLOW_SPLITS_MAX = 40 };

static void check_slowly(const char *schema_text, uint64_t seed)
{
    const sluice_sort_key key = {"k", seed % 2 == 1, seed / 2 % 2 == 1};
    const test_random_options options = {.seed = seed,
                                         .null_percent = 15,
                                         .size_max = 4,
                                         .value_count = seed % 3 == 0 ? 30 : 0,
                                         .is_sliced = true};
    int64_t rows[SLOW_SPLITS_MAX + 1];
    size_t count = 0;
    sluice_schema *schema = NULL, *split_schema = NULL;
    struct ArrowArray split_batch;
    test_random_options split_options = options;
    routed_batch routed = {0};

    split_options.seed = seed + 1000;
    test_schema(schema_text, &routed.schema);
    test_random_batch(&routed.schema, SLOW_ROWS, &options, &routed.batch);
    test_random_batch(&routed.schema, SLOW_SPLITS_MAX, &split_options, &split_batch);
    sluice_column *view = view_of(&routed.schema, &routed.batch, &schema);
    sluice_column *split_view = view_of(&routed.schema, &split_batch, &split_schema);
    const sluice_column *splits = &split_view->children[0];

    for (int64_t row = 0; row < split_batch.length; row++)
        count = insert_row(rows, count, splits, row, &key);
    sluice_partitioning *made = range_of_rows(splits, rows, count, &key);

    if (route_with(&routed, made, 50, NULL) != SLUICE_OK)
        fail_msg("%s: %s", schema_text, routed.error.message);
    for (int64_t row = 0; row < SLOW_ROWS; row++) {
        uint32_t expected = 0;

        for (size_t split = 0; split < count; split++) {
            expected += compare_rows(splits, rows[split], &view->children[0], row,
                                     key.nulls_first, key.descending) <= 0;
        }
        if (routed.ids[row] != expected)
            fail_msg("%s, seed %d: row %d is in %u, not in %u", schema_text, (int)seed, (int)row,
                     routed.ids[row], expected);
    }
    sluice_partitioning_free(made);
    sluice_column_free(view, NULL);
    sluice_column_free(split_view, NULL);
    sluice_schema_unref(schema);
    sluice_schema_unref(split_schema);
    split_batch.release(&split_batch);
    free_routed(&routed);
}

static void test_every_type_against_a_slow_search(void **state)
{
    static const char *const schemas[] = {
        "k=b", "k=c", "k=s", "k=i", "k=l", "k=C", "k=S", "k=I", "k=L", "k=f", "k=g", "k=tdD",
        "k=tdm", "k=tts", "k=ttn", "k=tsu:UTC", "k=tDm", "k=tiM", "k=d:9,2,32", "k=d:18,2,64",
        "k=d:38,4", "k=d:76,0,256", "k=w:3", "k=z", "k=u", "k=U", "k=vu", "k=vz",
        "k=+l<item=i>", "k=+L<item=u>", "k=+vl<item=z>", "k=+w:2<item=g>", "k=+s<a=i; b=u>",
        "k=+l<item=+s<a=+l<item=c>; b=z>>"};

    (void)state;
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        for (uint64_t seed = 0; seed < 12; seed++)
            check_slowly(schemas[i], seed);
    }
}

/* Intervals are compared by component: days before time, months before days. */
static void test_intervals(void **state)
{
    (void)state;
    CHECK_RANGE(ascending, "k=tiD", "[[[0,5]],[[1,-3]]]", "k=tiD",
                "[[[-1,99]],[[0,5]],[[1,-4]],[[1,-3]],[[2,-9]]]", 0, 1, 1, 2, 2);
    CHECK_RANGE(descending, "k=tin", "[[[1,0,0]],[[0,9,-1]]]", "k=tin",
                "[[[1,0,1]],[[1,0,0]],[[0,10,-5]],[[0,9,-1]],[[-1,99,99]]]", 0, 1, 1, 2, 2);
}

static void test_kernel_search(void **state)
{
    uint64_t bounds[70], keys[141];
    uint32_t ids[141];

    (void)state;
    for (uint64_t i = 0; i < 70; i++)
        bounds[i] = 2 * i + 1;
    for (uint64_t i = 0; i < 141; i++)
        keys[i] = i;
    keys[140] = UINT64_MAX;
    for (uint32_t count = 0; count <= 70; count++) {
        for (size_t row_count = 0; row_count <= 141; row_count += row_count < 9 ? 1 : 33) {
            sluice_kernels_portable.search(keys, row_count, bounds, count, ids);
            for (size_t row = 0; row < row_count; row++) {
                const uint64_t expected = keys[row] == UINT64_MAX ? count : (keys[row] + 1) / 2;

                assert_int_equal(ids[row], expected < count ? expected : count);
            }
        }
    }
}

static void test_every_allocation_may_fail(void **state)
{
    static const sluice_sort_key keys[] = {{"a", false, true}, {"b", true, true}};
    sluice_partitioning *composite = new_range(keys, 2, "a=l; b=u", "[[1,\"b\"],[1,\"a\"]]");
    sluice_partitioning *single = new_range(keys, 1, "a=l", "[[1],[2]]");

    (void)state;
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        routed_batch routed;

        make_routed(&routed, "a=c{l}; b=u", "[[1,\"b\"],[1,\"a\"],[2,null]]");
        sluice_status status = route_with(&routed, composite, 2, &allocator);

        assert_true(status == SLUICE_OK || status == SLUICE_OUT_OF_MEMORY);
        status = route_with(&routed, single, 3, &allocator);
        assert_true(status == SLUICE_OK || status == SLUICE_OUT_OF_MEMORY);
        free_routed(&routed);
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused)
            break;
    }
    sluice_partitioning_free(composite);
    sluice_partitioning_free(single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_of_the_reference),
        cmocka_unit_test(test_compound_keys),
        cmocka_unit_test(test_directions_of_compound_keys),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_total_order),
        cmocka_unit_test(test_null_split_points),
        cmocka_unit_test(test_other_widths_and_forms),
        cmocka_unit_test(test_split_points_beyond_the_column),
        cmocka_unit_test(test_types_that_differ_are_named),
        cmocka_unit_test(test_types_without_an_order_are_unsupported),
        cmocka_unit_test(test_every_type_against_a_slow_search),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_kernel_search),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
