/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/schemas.c - schemas from texts
 *
 * A reader by recursive descent.  Each ArrowSchema owns its strings, its lists and the structures
 * in them.
 */
#include "arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN_MAX = 256 };

const char *const test_every_type =
    "null=n; bool=b; int8=c; int16=s; int32=i; int64=l; uint8=C; uint16=S; uint32=I; uint64=L;"
    "float16=e; float32=f; float64=g; decimal32=d:9,2,32; decimal64=d:18,2,64;"
    "decimal128=d:38,10; decimal256=d:76,10,256; date32=tdD; date64=tdm; time32s=tts; time32m=ttm;"
    "time64u=ttu; time64n=ttn; timestamp_s=tss:; timestamp_m=tsm:UTC; timestamp_u=tsu:Europe/Rome;"
    "timestamp_n=tsn:+01:00; duration_s=tDs; duration_m=tDm; duration_u=tDu; duration_n=tDn;"
    "months=tiM; day_time=tiD; month_day_nano=tin; fixed=w:5; fixed0=w:0; fixed16=w:16;"
    "binary=z; large_binary=Z; binary_view=vz; utf8=u; large_utf8=U; utf8_view=vu;"
    "list=+l<item=i>; large_list=+L<item=u>; list_view=+vl<item=s>; large_list_view=+vL<item=u>;"
    "bools=+l<item=b>; fixed_list=+w:3<item=l>; fixed_list0=+w:0<item=i>; fixed_bools=+w:5<item=b>;"
    "struct=+s<a=i; b=u; c=+s<d=b>>; empty_struct=+s; lists=+l<item=+l<item=vu>>;"
    "structs=+l<item=+s<a=l; b=+l<item=u>>>; fixed_structs=+w:2<item=+s<a=u; b=f>>;"
    "map=+m<entries=+s<key=u!; value=+l<item=i>>!>;"
    "sparse=+us:0,1<a=i; b=u>; sparse_ids=+us:5,127,3<a=g; b=+s<x=i; y=u>; c=n>;"
    "dense=+ud:0,1<a=l; b=u>; dense_ids=+ud:7,2<a=+l<item=i>; b=b>; empty_dense=+ud:9<a=u>;"
    "dictionary8=c{u}; dictionary_u8=C{u}; dictionary16=s{U}; dictionary_u16=S{vu};"
    "dictionary32=i{u}; dictionary_u32=I{l}; dictionary64=l{z}; dictionary_u64=L{g};"
    "dictionary_list=i{+l<item=u>}; dictionary_struct=c{+s<a=i; b=c{u}>};"
    "list_dictionary=+l<item=c{u}>; runs16=+r<run_ends=s!; values=u>;"
    "runs32=+r<run_ends=i!; values=b>; runs64=+r<run_ends=l!; values=+l<item=i>>;"
    "runs_dictionary=+r<run_ends=i!; values=s{u}>; list_runs=+l<item=+r<run_ends=i!; values=u>>;"
    "struct_runs=+s<a=+r<run_ends=i!; values=l>; b=+ud:0,1<x=i; y=u>>;"
    "fixed_sparse=+w:2<item=+us:1,0<a=i; b=u>>; views=+vl<item=+s<a=vu; b=i>>";

void test_require(bool condition, const char *sentence)
{
    if (condition)
        return;
    fprintf(stderr, "test support: %s\n", sentence);
    abort();
}

static char *copy_bytes(const char *bytes, size_t count)
{
    char *copy = malloc(count + 1);

    test_require(copy != NULL, "out of memory");
    if (count > 0)
        memcpy(copy, bytes, count);
    copy[count] = '\0';
    return copy;
}

static void release_test_schema(struct ArrowSchema *schema)
{
    struct ArrowSchema *children = schema->private_data;

    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
    }
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free(schema->children);
    free(children);
    free((void *)(uintptr_t)schema->format);
    free((void *)(uintptr_t)schema->name);
    free((void *)(uintptr_t)schema->metadata);
    schema->release = NULL;
}

/* Make one schema whose children are zeroed. */
static void make_schema(const char *format, size_t format_bytes, const char *name,
                        size_t name_bytes, size_t child_count, struct ArrowSchema *out)
{
    struct ArrowSchema *children = calloc(child_count + 1, sizeof(*children));

    memset(out, 0, sizeof(*out));
    out->children = calloc(child_count + 1, sizeof(*out->children));
    test_require(children != NULL && out->children != NULL, "out of memory");
    for (size_t i = 0; i < child_count; i++)
        out->children[i] = &children[i];
    out->format = copy_bytes(format, format_bytes);
    out->name = copy_bytes(name, name_bytes);
    out->flags = ARROW_FLAG_NULLABLE;
    out->n_children = (int64_t)child_count;
    out->private_data = children;
    out->release = release_test_schema;
}

static void skip_spaces(const char **text)
{
    while (**text == ' ' || **text == '\n')
        (*text)++;
}

static bool skip_sign(const char **text, char sign)
{
    skip_spaces(text);
    if (**text != sign)
        return false;
    (*text)++;
    return true;
}

static size_t read_fields(const char **text, struct ArrowSchema *fields);

/* Read a type, and make the schema with the name that was read before it. */
static void read_type(const char **text, const char *name, size_t name_bytes,
                      struct ArrowSchema *out)
{
    struct ArrowSchema children[CHILDREN_MAX];
    size_t child_count = 0;

    skip_spaces(text);
    const char *format = *text;
    const size_t format_bytes = strcspn(format, ";<>{}! ");

    *text += format_bytes;
    if (skip_sign(text, '<')) {
        child_count = read_fields(text, children);
        test_require(skip_sign(text, '>'), "a schema lacks a >");
    }
    make_schema(format, format_bytes, name, name_bytes, child_count, out);
    for (size_t i = 0; i < child_count; i++)
        *out->children[i] = children[i];
    if (skip_sign(text, '{')) {
        out->dictionary = calloc(1, sizeof(*out->dictionary));
        test_require(out->dictionary != NULL, "out of memory");
        read_type(text, "", 0, out->dictionary);
        test_require(skip_sign(text, '}'), "a schema lacks a }");
    }
    if (skip_sign(text, '!'))
        out->flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
}

static size_t read_fields(const char **text, struct ArrowSchema *fields)
{
    size_t count = 0;

    skip_spaces(text);
    if (**text == '\0' || **text == '>')
        return 0;
    do {
        test_require(count < CHILDREN_MAX, "a schema has too many columns");
        skip_spaces(text);
        const char *name = *text;
        const size_t name_bytes = strcspn(name, "=");

        test_require(name[name_bytes] == '=', "a column in a schema lacks a =");
        *text += name_bytes + 1;
        read_type(text, name, name_bytes, &fields[count++]);
    } while (skip_sign(text, ';'));
    return count;
}

void test_schema(const char *text, struct ArrowSchema *out)
{
    struct ArrowSchema columns[CHILDREN_MAX];
    const size_t column_count = read_fields(&text, columns);

    skip_spaces(&text);
    test_require(*text == '\0', "a schema does not end where it should");
    make_schema("+s", 2, "", 0, column_count, out);
    for (size_t i = 0; i < column_count; i++)
        *out->children[i] = columns[i];
}

/* The length of Arrow's binary form of metadata. */
static size_t measure_metadata_text(const char *metadata)
{
    int32_t number;
    size_t bytes = sizeof(number);

    memcpy(&number, metadata, sizeof(number));
    for (int32_t left = 2 * number; left > 0; left--) {
        memcpy(&number, metadata + bytes, sizeof(number));
        bytes += sizeof(number) + (size_t)number;
    }
    return bytes;
}

void test_schema_copy(const struct ArrowSchema *schema, struct ArrowSchema *out)
{
    const char *name = schema->name == NULL ? "" : schema->name;

    make_schema(schema->format, strlen(schema->format), name, strlen(name),
                (size_t)schema->n_children, out);
    out->flags = schema->flags;
    if (schema->metadata != NULL)
        out->metadata = copy_bytes(schema->metadata, measure_metadata_text(schema->metadata));
    for (int64_t i = 0; i < schema->n_children; i++)
        test_schema_copy(schema->children[i], out->children[i]);
    if (schema->dictionary != NULL) {
        out->dictionary = calloc(1, sizeof(*out->dictionary));
        test_require(out->dictionary != NULL, "out of memory");
        test_schema_copy(schema->dictionary, out->dictionary);
    }
}

static bool are_metadata_equal(const char *left, const char *right)
{
    if (left == NULL || right == NULL)
        return left == right;
    const size_t bytes = measure_metadata_text(left);

    return bytes == measure_metadata_text(right) && memcmp(left, right, bytes) == 0;
}

bool test_schemas_equal(const struct ArrowSchema *left, const struct ArrowSchema *right)
{
    const char *left_name = left->name == NULL ? "" : left->name;
    const char *right_name = right->name == NULL ? "" : right->name;

    if (strcmp(left->format, right->format) != 0 || strcmp(left_name, right_name) != 0 ||
        left->flags != right->flags || left->n_children != right->n_children ||
        (left->dictionary == NULL) != (right->dictionary == NULL) ||
        !are_metadata_equal(left->metadata, right->metadata))
        return false;
    for (int64_t i = 0; i < left->n_children; i++) {
        if (!test_schemas_equal(left->children[i], right->children[i]))
            return false;
    }
    return left->dictionary == NULL || test_schemas_equal(left->dictionary, right->dictionary);
}
