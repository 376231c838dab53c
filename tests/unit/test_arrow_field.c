/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_field.c - schemas: compiled, exported, widened, searched, and refused
 *
 * What formats mean is taken from the C Data interface and, for widths, from nanoarrow.
 */
#include "arrow/field.h"

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
#include "support/failing_allocator.h"

/* One pair, "ARROW:extension:name" and "uuid", in Arrow's binary form, little-endian. */
static const char extension_metadata[] = "\x01\x00\x00\x00"
                                         "\x14\x00\x00\x00"
                                         "ARROW:extension:name"
                                         "\x04\x00\x00\x00"
                                         "uuid";

static sluice_schema *import_text(const char *text)
{
    struct ArrowSchema source;
    sluice_schema *schema;
    sluice_error error;

    test_schema(text, &source);
    if (sluice_schema_import(&source, NULL, &schema, &error) != SLUICE_OK)
        fail_msg("%s: %s", text, error.message);
    source.release(&source);
    return schema;
}

static void expect_import(const struct ArrowSchema *source, sluice_status status,
                          const char *message)
{
    sluice_schema *schema;
    sluice_error error = {0};

    assert_int_equal(sluice_schema_import(source, NULL, &schema, &error), status);
    assert_null(schema);
    assert_string_equal(error.message, message);
    assert_int_equal(error.status, status);
}

static void expect_text(const char *text, sluice_status status, const char *message)
{
    struct ArrowSchema source;

    test_schema(text, &source);
    expect_import(&source, status, message);
    source.release(&source);
}

static void test_types(void **state)
{
    static const struct {
        const char *type, *description;
        sluice_layout layout;
        int byte_width;
    } cases[] = {
        {"n", "null", SLUICE_LAYOUT_NULL, 0},
        {"b", "bool", SLUICE_LAYOUT_BITS, 0},
        {"c", "int8", SLUICE_LAYOUT_FIXED, 1},
        {"L", "uint64", SLUICE_LAYOUT_FIXED, 8},
        {"e", "float16", SLUICE_LAYOUT_FIXED, 2},
        {"d:9,2,32", "decimal32(9,2)", SLUICE_LAYOUT_FIXED, 4},
        {"d:18,-2,64", "decimal64(18,-2)", SLUICE_LAYOUT_FIXED, 8},
        {"d:15,2", "decimal128(15,2)", SLUICE_LAYOUT_FIXED, 16},
        {"d:15,2,128", "decimal128(15,2)", SLUICE_LAYOUT_FIXED, 16},
        {"d:76,0,256", "decimal256(76,0)", SLUICE_LAYOUT_FIXED, 32},
        {"tdD", "date32", SLUICE_LAYOUT_FIXED, 4},
        {"tdm", "date64", SLUICE_LAYOUT_FIXED, 8},
        {"ttm", "time32[ms]", SLUICE_LAYOUT_FIXED, 4},
        {"ttn", "time64[ns]", SLUICE_LAYOUT_FIXED, 8},
        {"tss:", "timestamp[s]", SLUICE_LAYOUT_FIXED, 8},
        {"tsu:UTC", "timestamp[us, UTC]", SLUICE_LAYOUT_FIXED, 8},
        {"tDn", "duration[ns]", SLUICE_LAYOUT_FIXED, 8},
        {"tiM", "interval[months]", SLUICE_LAYOUT_FIXED, 4},
        {"tiD", "interval[day_time]", SLUICE_LAYOUT_FIXED, 8},
        {"tin", "interval[month_day_nano]", SLUICE_LAYOUT_FIXED, 16},
        {"w:0", "fixed_size_binary(0)", SLUICE_LAYOUT_FIXED, 0},
        {"w:2147483647", "fixed_size_binary(2147483647)", SLUICE_LAYOUT_FIXED, 2147483647},
        {"z", "binary", SLUICE_LAYOUT_BYTES32, 0},
        {"U", "large_utf8", SLUICE_LAYOUT_BYTES64, 0},
        {"vu", "utf8_view", SLUICE_LAYOUT_BYTES_VIEW, 0},
        {"+l<item=u>", "list<item: utf8>", SLUICE_LAYOUT_LIST32, 0},
        {"+L<x=+l<y=b>>", "large_list<x: list<y: bool>>", SLUICE_LAYOUT_LIST64, 0},
        {"+vl<item=u>", "list_view<item: utf8>", SLUICE_LAYOUT_LIST_VIEW32, 0},
        {"+vL<item=u>", "large_list_view<item: utf8>", SLUICE_LAYOUT_LIST_VIEW64, 0},
        {"+w:3<item=f>", "fixed_size_list<item: float32>[3]", SLUICE_LAYOUT_FIXED_SIZE_LIST, 0},
        {"+s<a=i; b=+s>", "struct<a: int32, b: struct<>>", SLUICE_LAYOUT_STRUCT, 0},
        {"+m<entries=+s<key=u!; value=g>!>", "map<utf8, float64>", SLUICE_LAYOUT_LIST32, 0},
        {"+us:9,4<a=i; b=u>", "sparse_union<4=b: utf8, 9=a: int32>", SLUICE_LAYOUT_SPARSE_UNION, 0},
        {"+ud:0<a=i>", "dense_union<0=a: int32>", SLUICE_LAYOUT_DENSE_UNION, 0},
        {"+ud:", "dense_union<>", SLUICE_LAYOUT_DENSE_UNION, 0},
        {"C{+l<item=u>}", "dictionary<values=list<item: utf8>, indices=uint8>",
         SLUICE_LAYOUT_DICTIONARY, 1},
        {"+r<run_ends=s; values=vz>", "run_end_encoded<run_ends: int16, values: binary_view>",
         SLUICE_LAYOUT_RUN_END, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256] = "column=";
        char described[256];

        strncat(text, cases[i].type, sizeof(text) - 8);
        sluice_schema *schema = import_text(text);
        const sluice_field *field = &sluice_schema_root(schema)->children[0];

        sluice_field_describe(field, described, sizeof(described));
        assert_string_equal(described, cases[i].description);
        assert_int_equal(field->layout, cases[i].layout);
        assert_int_equal(field->byte_width, cases[i].byte_width);
        sluice_schema_unref(schema);
    }
}

static void test_details(void **state)
{
    sluice_schema *schema = import_text("t=tsm:Asia/Tokyo; u=+us:5,127,3<a=i; b=u; c=b>; i=i;"
                                        "r=+r<run_ends=l; values=u>; z=tss:; d=s{g}");
    const sluice_field *columns = sluice_schema_root(schema)->children;

    (void)state;
    assert_int_equal(columns[0].unit, SLUICE_TIME_MILLI);
    assert_string_equal(columns[0].timezone, "Asia/Tokyo");
    for (int id = 0; id < 128; id++) {
        const int child = id == 5 ? 0 : id == 127 ? 1 : id == 3 ? 2 : -1;

        assert_int_equal(columns[1].child_of_id[id], child);
        assert_int_equal(columns[2].child_of_id[id], -1);
    }
    assert_null(columns[2].timezone);
    assert_int_equal(columns[3].type, SLUICE_TYPE_UTF8);
    assert_int_equal(columns[3].children[0].byte_width, 8);
    assert_string_equal(columns[4].timezone, "");
    assert_int_equal(columns[5].type, SLUICE_TYPE_INT16);
    assert_int_equal(columns[5].dictionary->type, SLUICE_TYPE_FLOAT64);
    sluice_schema_unref(schema);
}

/* Descriptions that are cut off, at every length. */
static void test_short_descriptions(void **state)
{
    sluice_schema *schema = import_text("s=+s<a=i; b=+l<item=u>>");
    const sluice_field *field = &sluice_schema_root(schema)->children[0];
    static const char whole[] = "struct<a: int32, b: list<item: utf8>>";

    (void)state;
    for (size_t bytes = 1; bytes < sizeof(whole) + 2; bytes++) {
        char *text = malloc(bytes);

        sluice_field_describe(field, text, bytes);
        assert_int_equal(strlen(text), bytes <= sizeof(whole) ? bytes - 1 : sizeof(whole) - 1);
        assert_memory_equal(text, whole, strlen(text));
        free(text);
    }
    sluice_field_describe(field, NULL, 0);
    sluice_schema_unref(schema);
}

static void compare_with_nanoarrow(const sluice_field *field, const struct ArrowSchema *source)
{
    struct ArrowSchemaView view;

    /* nanoarrow does not know that a fixed-size binary may have no bytes. */
    if (strcmp(source->format, "w:0") != 0 &&
        (source->dictionary == NULL || strcmp(source->dictionary->format, "w:0") != 0)) {
        assert_int_equal(ArrowSchemaViewInit(&view, source, NULL), NANOARROW_OK);
        if (field->layout == SLUICE_LAYOUT_FIXED || field->layout == SLUICE_LAYOUT_DICTIONARY)
            assert_int_equal(field->byte_width * 8, view.layout.element_size_bits[1]);
        if (field->layout == SLUICE_LAYOUT_FIXED_SIZE_LIST)
            assert_int_equal(field->list_size, view.layout.child_size_elements);
    }
    for (size_t i = 0; i < field->child_count; i++)
        compare_with_nanoarrow(&field->children[i], source->children[i]);
    if (field->dictionary != NULL)
        compare_with_nanoarrow(field->dictionary, source->dictionary);
}

static void check_round_trip(const struct ArrowSchema *source)
{
    struct ArrowSchema exported;
    sluice_schema *schema;

    assert_int_equal(sluice_schema_import(source, NULL, &schema, NULL), SLUICE_OK);
    compare_with_nanoarrow(sluice_schema_root(schema), source);
    assert_int_equal(sluice_field_export(sluice_schema_root(schema), &exported, NULL), SLUICE_OK);
    sluice_schema_unref(schema);
    assert_true(test_schemas_equal(source, &exported));
    exported.release(&exported);
    assert_null(exported.release);
}

static void test_round_trips(void **state)
{
    struct ArrowSchema source;

    (void)state;
    test_schema(test_every_type, &source);
    check_round_trip(&source);
    source.release(&source);
    test_schema("", &source);
    check_round_trip(&source);
    source.release(&source);
    for (uint64_t seed = 0; seed < 200; seed++) {
        test_random_schema(seed, seed % 9, 4, &source);
        check_round_trip(&source);
        source.release(&source);
    }
}

static void test_metadata_and_flags(void **state)
{
    struct ArrowSchema source, plain;

    (void)state;
    test_schema("id=w:16!; d=c{u}; m=+m<entries=+s<key=u!; value=i>!>", &plain);
    test_schema_copy(&plain, &source);
    plain.release(&plain);
    char *metadata = malloc(sizeof(extension_metadata));

    memcpy(metadata, extension_metadata, sizeof(extension_metadata));
    source.children[0]->metadata = metadata;
    source.children[1]->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    source.children[2]->flags |= ARROW_FLAG_MAP_KEYS_SORTED;
    check_round_trip(&source);
    metadata[4] = (char)0xFF;
    metadata[7] = (char)0xFF;
    expect_import(&source, SLUICE_BAD_DATA, "column id: a length in its metadata is negative");
    metadata[3] = (char)0x80;
    expect_import(&source, SLUICE_BAD_DATA, "column id: a length in its metadata is negative");
    source.release(&source);
}

/* A child that was moved out stays whole when the rest is released, and the other way round. */
static void test_moved_children(void **state)
{
    struct ArrowSchema exported, moved;
    sluice_schema *schema = import_text("a=+l<item=u>; b=c{u}");

    (void)state;
    assert_int_equal(sluice_field_export(sluice_schema_root(schema), &exported, NULL), SLUICE_OK);
    sluice_schema_unref(schema);
    moved = *exported.children[0];
    exported.children[0]->release = NULL;
    exported.release(&exported);
    assert_string_equal(moved.format, "+l");
    assert_string_equal(moved.children[0]->name, "item");
    moved.release(&moved);
}

static void test_hostile_formats(void **state)
{
    static const char *const unknown[] = {
        "x",        "ii",        "",           "t",        "td",        "tdX",      "tsu",
        "tsx:",     "w",         "w:",         "w:x",      "w:3x",      "w:4294967299", "+",
        "+x",       "+ll",       "+w:",        "+w:1,2",   "+u",        "+us",      "+ux:0",
        "d",        "d:",        "d:3",        "d:3,",     "d:3,1,",    "d:3,1,99", "d:3,1,32x",
        "d:4294967297,0", "d:99999999999999999999,0", "+us:a", "+us:0,", "+us:0;1", "+v", "+vx",
        "v",        "vx",        "nn",         "tin ",     "+rs"};

    (void)state;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        struct ArrowSchema source;
        char message[256];

        test_schema("good=i; bad=i", &source);
        free((void *)(uintptr_t)source.children[1]->format);
        source.children[1]->format = strdup(unknown[i]);
        snprintf(message, sizeof(message), "column bad: there is no Arrow format \"%s\"",
                 unknown[i]);
        expect_import(&source, SLUICE_UNSUPPORTED, message);
        source.release(&source);
    }
}

static void test_hostile_types(void **state)
{
    (void)state;
    expect_text("a=w:-1", SLUICE_BAD_DATA, "column a: size -1 in format \"w:-1\" is negative");
    expect_text("a=+w:-3<item=i>", SLUICE_BAD_DATA,
                "column a: size -3 in format \"+w:-3\" is negative");
    expect_text("a=d:39,0", SLUICE_BAD_DATA,
                "column a: precision 39 of a decimal128 is not between 1 and 38");
    expect_text("a=d:0,0,32", SLUICE_BAD_DATA,
                "column a: precision 0 of a decimal32 is not between 1 and 9");
    expect_text("a=+us:0,0<a=i; b=i>", SLUICE_BAD_DATA, "column a: union type id 0 is there twice");
    expect_text("a=+us:128<a=i>", SLUICE_BAD_DATA,
                "column a: union type id 128 is not between 0 and 127");
    expect_text("a=+us:-1<a=i>", SLUICE_BAD_DATA,
                "column a: union type id -1 is not between 0 and 127");
    expect_text("a=+ud:0,1<a=i>", SLUICE_BAD_DATA,
                "column a: format \"+ud:0,1\" needs 2 children, 1 are there");
    expect_text("a=+l", SLUICE_BAD_DATA, "column a: format \"+l\" needs 1 children, 0 are there");
    expect_text("a=+s<b=+w:2<x=i; y=i>>", SLUICE_BAD_DATA,
                "column a.b: format \"+w:2\" needs 1 children, 2 are there");
    expect_text("a=i<b=i>", SLUICE_BAD_DATA,
                "column a: format \"i\" needs 0 children, 1 are there");
    expect_text("a=g{u}", SLUICE_BAD_DATA,
                "column a: a dictionary cannot have indices of format \"g\"");
    expect_text("a=tdD{u}", SLUICE_BAD_DATA,
                "column a: a dictionary cannot have indices of format \"tdD\"");
    expect_text("a=+l<item=i>{u}", SLUICE_BAD_DATA,
                "column a: a dictionary cannot have indices of format \"+l\"");
    expect_text("a=+m<entries=i>", SLUICE_BAD_DATA,
                "column a: the entries of a map have format \"i\" and 0 children, a struct of 2 is "
                "needed");
    expect_text("a=+r<run_ends=c; values=u>", SLUICE_BAD_DATA,
                "column a: run ends have format \"c\", int16, int32 or int64 is needed");
    expect_text("a=+r<run_ends=i{u}; values=u>", SLUICE_BAD_DATA,
                "column a: run ends have format \"i\", int16, int32 or int64 is needed");
    expect_text("a=c{+l<item=q>}", SLUICE_UNSUPPORTED,
                "column a.dictionary.item: there is no Arrow format \"q\"");
    expect_text("=q", SLUICE_UNSUPPORTED, "column (no name): there is no Arrow format \"q\"");
}

static void test_hostile_structures(void **state)
{
    struct ArrowSchema source;
    sluice_schema *schema;

    (void)state;
    assert_int_equal(sluice_schema_import(NULL, NULL, &schema, NULL), SLUICE_INVALID);
    test_schema("a=i; l=+l<item=u>; d=c{u}", &source);
    const struct ArrowSchema whole = source;

    source.release = NULL;
    expect_import(&source, SLUICE_INVALID, "the schema is released");
    source = whole;
    source.format = NULL;
    expect_import(&source, SLUICE_BAD_DATA, "batch: its format is NULL");
    source = whole;
    source.n_children = -1;
    expect_import(&source, SLUICE_BAD_DATA, "batch: -1 children are not between 0 and 1048576");
    source.n_children = INT64_MAX;
    expect_import(&source, SLUICE_BAD_DATA,
                  "batch: 9223372036854775807 children are not between 0 and 1048576");
    source = whole;
    source.children = NULL;
    expect_import(&source, SLUICE_BAD_DATA, "batch: its 3 children are NULL");
    source = whole;

    struct ArrowSchema *child = source.children[1];
    void (*release)(struct ArrowSchema *) = child->release;

    source.children[1] = NULL;
    expect_import(&source, SLUICE_BAD_DATA, "batch: child 1 of 3 is NULL");
    source.children[1] = child;
    child->release = NULL;
    expect_import(&source, SLUICE_BAD_DATA, "batch: child 1 of 3 is released");
    child->release = release;
    source.children[2]->dictionary->release = NULL;
    expect_import(&source, SLUICE_BAD_DATA, "column d: its dictionary is released");
    source.children[2]->dictionary->release = release;
    expect_import(child, SLUICE_BAD_DATA,
                  "the schema has format \"+l\" at the top, a struct is needed");
    source.release(&source);
}

/* A name of NULL is legal and stands for none. */
static void test_missing_name(void **state)
{
    struct ArrowSchema source;
    sluice_schema *schema;

    (void)state;
    test_schema("a=i", &source);
    free((void *)(uintptr_t)source.children[0]->name);
    source.children[0]->name = NULL;
    assert_int_equal(sluice_schema_import(&source, NULL, &schema, NULL), SLUICE_OK);
    assert_string_equal(sluice_schema_root(schema)->children[0].name, "");
    sluice_schema_unref(schema);
    source.release(&source);
}

static void release_nothing(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

/* Lists around an int: as deep as may be, and one deeper. */
static void test_depth(void **state)
{
    enum { LEVELS = SLUICE_NESTING_MAX + 2 };
    struct ArrowSchema levels[LEVELS];
    struct ArrowSchema *pointers[LEVELS];
    sluice_schema *schema;
    sluice_error error;

    (void)state;
    for (int level = 0; level < LEVELS; level++) {
        levels[level] = (struct ArrowSchema){.format = level == 0 ? "+s" : "+l",
                                             .name = "x",
                                             .n_children = 1,
                                             .children = &pointers[level],
                                             .release = release_nothing};
        pointers[level] = level + 1 < LEVELS ? &levels[level + 1] : NULL;
    }
    levels[LEVELS - 1].format = "i";
    levels[LEVELS - 1].n_children = 0;
    assert_int_equal(sluice_schema_import(levels, NULL, &schema, &error), SLUICE_UNSUPPORTED);
    assert_non_null(strstr(error.message, ": nested deeper than 64"));
    levels[LEVELS - 2].format = "i";
    levels[LEVELS - 2].n_children = 0;
    assert_int_equal(sluice_schema_import(levels, NULL, &schema, &error), SLUICE_OK);
    sluice_schema_unref(schema);
}

/* A schema that contains itself, twice: its tree would never end. */
static void test_cycle(void **state)
{
    struct ArrowSchema source = {.format = "+s", .name = "", .release = release_nothing};
    struct ArrowSchema *children[] = {&source, &source};
    sluice_schema *schema;

    (void)state;
    source.children = children;
    source.n_children = 2;
    assert_int_equal(sluice_schema_import(&source, NULL, &schema, NULL), SLUICE_UNSUPPORTED);
    assert_null(schema);
}

static void test_widening(void **state)
{
    static const char narrow[] =
        "a=c{u}; b=+l<item=S{g}>; c=i{C{u}}; d=L{u}; e=+r<run_ends=i; values=s{u}>; t=tsu:UTC;"
        "r=+r<run_ends=s!; values=c{i}>!";
    static const char wide[] =
        "a=i{u}; b=+l<item=i{g}>; c=i{i{u}}; d=L{u}; e=+r<run_ends=i; values=i{u}>; t=tsu:UTC;"
        "r=+r<run_ends=s!; values=i{i}>!";
    sluice_schema *schema = import_text(narrow);
    sluice_schema *widened, *again;
    struct ArrowSchema exported, expected;

    (void)state;
    assert_true(sluice_field_has_dictionary(sluice_schema_root(schema)));
    assert_int_equal(sluice_schema_widen_dictionaries(schema, &widened, NULL), SLUICE_OK);
    sluice_schema_unref(schema);
    assert_int_equal(sluice_field_export(sluice_schema_root(widened), &exported, NULL), SLUICE_OK);
    test_schema(wide, &expected);
    assert_true(test_schemas_equal(&exported, &expected));
    const sluice_field *columns = sluice_schema_root(widened)->children;

    assert_int_equal(columns[0].type, SLUICE_TYPE_INT32);
    assert_int_equal(columns[0].byte_width, 4);
    assert_int_equal(columns[0].layout, SLUICE_LAYOUT_DICTIONARY);
    assert_int_equal(columns[4].type, SLUICE_TYPE_INT32);
    assert_string_equal(columns[5].timezone, "UTC");
    assert_int_equal(sluice_schema_widen_dictionaries(widened, &again, NULL), SLUICE_OK);
    assert_ptr_equal(again, widened);
    sluice_schema_unref(again);
    sluice_schema_unref(widened);
    expected.release(&expected);
    exported.release(&exported);

    schema = import_text("a=i; b=+s<c=u>");
    assert_false(sluice_field_has_dictionary(sluice_schema_root(schema)));
    sluice_schema_unref(schema);
}

static void test_finding(void **state)
{
    sluice_schema *schema = import_text("l_orderkey=l; l_partkey=l; twice=i; twice=u; =b");
    sluice_error error = {0};
    size_t index = 99;

    (void)state;
    assert_int_equal(sluice_schema_find(schema, "l_partkey"), 1);
    assert_int_equal(sluice_schema_find(schema, ""), 4);
    assert_int_equal(sluice_schema_find(schema, "twice"), -2);
    assert_int_equal(sluice_schema_find(schema, "L_PARTKEY"), -1);
    assert_int_equal(sluice_schema_resolve(schema, "l_partkey", &index, &error), SLUICE_OK);
    assert_int_equal(index, 1);
    assert_int_equal(sluice_schema_resolve(schema, "l_orderky", &index, &error), SLUICE_INVALID);
    assert_string_equal(error.message,
                        "column l_orderky: not there; did you mean l_orderkey?");
    assert_int_equal(sluice_schema_resolve(schema, "xyzzy", &index, &error), SLUICE_INVALID);
    assert_string_equal(error.message, "column xyzzy: not there; there are 5 others");
    assert_int_equal(sluice_schema_resolve(schema, "twice", &index, &error), SLUICE_INVALID);
    assert_string_equal(error.message,
                        "column twice: several of the 5 columns have this name");
    sluice_schema_unref(schema);
}

static void test_owners(void **state)
{
    sluice_schema *schema = import_text("a=i");

    (void)state;
    assert_ptr_equal(sluice_schema_ref(schema), schema);
    sluice_schema_unref(schema);
    assert_int_equal(sluice_schema_root(schema)->child_count, 1);
    sluice_schema_unref(schema);
    sluice_schema_unref(NULL);
}

static void test_allocations_fail(void **state)
{
    struct ArrowSchema source;

    (void)state;
    test_schema("a=c{u}; b=+l<item=+s<x=i; y=S{u}>>; t=tsu:UTC", &source);
    source.children[0]->metadata = memcpy(malloc(sizeof(extension_metadata)), extension_metadata,
                                          sizeof(extension_metadata));
    for (int64_t refused = 0;; refused++) {
        test_failing_allocator failing;
        const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
        sluice_schema *schema = NULL;
        sluice_schema *widened = NULL;
        sluice_error error = {0};
        sluice_status status = sluice_schema_import(&source, &allocator, &schema, &error);

        if (status == SLUICE_OK)
            status = sluice_schema_widen_dictionaries(schema, &widened, &error);
        sluice_schema_unref(widened);
        sluice_schema_unref(schema);
        assert_int_equal(failing.bytes_in_use, 0);
        if (failing.allocation_count <= refused) {
            assert_int_equal(status, SLUICE_OK);
            break;
        }
        assert_int_equal(status, SLUICE_OUT_OF_MEMORY);
        assert_int_equal(error.status, SLUICE_OUT_OF_MEMORY);
    }
    source.release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_short_descriptions),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_metadata_and_flags),
        cmocka_unit_test(test_moved_children),
        cmocka_unit_test(test_hostile_formats),
        cmocka_unit_test(test_hostile_types),
        cmocka_unit_test(test_hostile_structures),
        cmocka_unit_test(test_missing_name),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_owners),
        cmocka_unit_test(test_allocations_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
