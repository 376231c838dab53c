/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/schema.c - an ArrowSchema compiled into a tree of fields
 *
 * sluice_schema_import() walks the ArrowSchema and trusts nothing in it but its pointers: the
 * depth and the number of fields are bounded, so that a schema which contains itself ends in an
 * error too.  A field is zeroed before it is filled, so that a half-made tree can be taken down by
 * the same field_deinit() as a whole one.
 */
#include "arrow/field.h"

#include <stdatomic.h>
#include <string.h>

#include "arrow/format.h"
#include "arrow/path.h"
#include "base/alloc.h"
#include "base/math.h"

enum { SCHEMA_FIELDS_MAX = 1 << 20 };

struct sluice_schema {
    sluice_allocator allocator;
    _Atomic size_t owners;
    sluice_field root;
};

/* What a recursion over an ArrowSchema carries along. */
typedef struct schema_importer {
    const sluice_allocator *allocator;
    size_t field_count;
    sluice_error *error;
} schema_importer;

static void field_deinit(sluice_field *field, const sluice_allocator *allocator)
{
    if (field->dictionary != NULL)
        field_deinit(field->dictionary, allocator);
    sluice_free(allocator, field->dictionary, sizeof(*field->dictionary));
    for (size_t i = 0; field->children != NULL && i < field->child_count; i++)
        field_deinit(&field->children[i], allocator);
    sluice_free(allocator, field->children, field->child_count * sizeof(*field->children));
    sluice_free(allocator, (void *)(uintptr_t)field->metadata, field->metadata_bytes);
    sluice_free_string(allocator, (char *)(uintptr_t)field->format);
    sluice_free_string(allocator, (char *)(uintptr_t)field->name);
}

/*
 * The length of Arrow's binary form: the number of pairs, then for each the length and the bytes
 * of key and value, all numbers int32 in any alignment.  False when a number is negative.
 */
static bool measure_metadata(const char *metadata, size_t *out)
{
    int32_t pair_count;
    size_t bytes = sizeof(pair_count);

    memcpy(&pair_count, metadata, sizeof(pair_count));
    if (pair_count < 0)
        return false;
    for (int64_t i = 0; i < 2 * (int64_t)pair_count; i++) {
        int32_t length;

        memcpy(&length, metadata + bytes, sizeof(length));
        if (length < 0 || !sluice_add_size(bytes, sizeof(length) + (size_t)length, &bytes))
            return false;
    }
    *out = bytes;
    return true;
}

static sluice_status copy_texts(sluice_field *field, const char *name, const char *format,
                                const char *metadata, const sluice_allocator *allocator,
                                sluice_error *error)
{
    field->name = sluice_copy_string(allocator, name);
    if (field->name == NULL)
        return sluice_fail_allocation(error, strlen(name) + 1, "the name of a column");
    field->format = sluice_copy_string(allocator, format);
    if (field->format == NULL)
        return sluice_fail_allocation(error, strlen(format) + 1, "the format of a column");
    if (metadata == NULL)
        return SLUICE_OK;
    char *copy = sluice_allocate(allocator, field->metadata_bytes);
    if (copy == NULL)
        return sluice_fail_allocation(error, field->metadata_bytes, "the metadata of a column");
    memcpy(copy, metadata, field->metadata_bytes);
    field->metadata = copy;
    return SLUICE_OK;
}

/* Make room for what is below a field; zeroed, so that it can be freed at any time. */
static sluice_status allocate_below(sluice_field *field, size_t child_count, bool has_dictionary,
                                    const sluice_allocator *allocator, sluice_error *error)
{
    if (child_count > 0) {
        field->children = sluice_allocate_zeroed(allocator, child_count, sizeof(sluice_field));
        if (field->children == NULL)
            return sluice_fail_allocation(error, child_count * sizeof(sluice_field), "fields");
    }
    field->child_count = child_count;
    if (has_dictionary) {
        field->dictionary = sluice_allocate_zeroed(allocator, 1, sizeof(sluice_field));
        if (field->dictionary == NULL)
            return sluice_fail_allocation(error, sizeof(sluice_field), "fields");
    }
    return SLUICE_OK;
}

/* All that can be said about one ArrowSchema without looking into its children. */
static sluice_status check_source(const schema_importer *importer,
                                  const struct ArrowSchema *source, const sluice_path *path)
{
    sluice_error *error = importer->error;

    if (source->format == NULL)
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its format is NULL");
    if (source->n_children < 0 || source->n_children > SCHEMA_FIELDS_MAX) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                              "%lld children are not between 0 and %d",
                              (long long)source->n_children, SCHEMA_FIELDS_MAX);
    }
    if (source->n_children > 0 && source->children == NULL) {
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its %lld children are NULL",
                              (long long)source->n_children);
    }
    for (int64_t i = 0; i < source->n_children; i++) {
        if (source->children[i] == NULL || source->children[i]->release == NULL) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path, "child %lld of %lld is %s",
                                  (long long)i, (long long)source->n_children,
                                  source->children[i] == NULL ? "NULL" : "released");
        }
    }
    if (source->dictionary != NULL && source->dictionary->release == NULL)
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "its dictionary is released");
    return SLUICE_OK;
}

/* What a type asks of its children and its dictionary, which are there now. */
static sluice_status check_nesting(sluice_field *field, const sluice_path *path,
                                   sluice_error *error)
{
    if (field->dictionary != NULL) {
        if (field->type < SLUICE_TYPE_INT8 || field->type > SLUICE_TYPE_UINT64) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                                  "a dictionary cannot have indices of format \"%s\"",
                                  field->format);
        }
        field->layout = SLUICE_LAYOUT_DICTIONARY;
    }
    if (field->type == SLUICE_TYPE_MAP) {
        const sluice_field *entries = &field->children[0];

        if (entries->layout != SLUICE_LAYOUT_STRUCT || entries->child_count != 2) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                                  "the entries of a map have format \"%s\" and %zu children, a "
                                  "struct of 2 is needed",
                                  entries->format, entries->child_count);
        }
    }
    if (field->layout == SLUICE_LAYOUT_RUN_END) {
        const sluice_field *ends = &field->children[0];

        if (ends->layout != SLUICE_LAYOUT_FIXED || ends->type < SLUICE_TYPE_INT16 ||
            ends->type > SLUICE_TYPE_INT64) {
            return sluice_fail_at(error, SLUICE_BAD_DATA, path,
                                  "run ends have format \"%s\", int16, int32 or int64 is needed",
                                  ends->format);
        }
        field->type = field->children[1].type;
    }
    return SLUICE_OK;
}

static sluice_status import_field(schema_importer *importer, const struct ArrowSchema *source,
                                  const sluice_path *path, size_t depth, sluice_field *out)
{
    const sluice_allocator *allocator = importer->allocator;
    sluice_error *error = importer->error;

    if (depth > SLUICE_NESTING_MAX) {
        return sluice_fail_at(error, SLUICE_UNSUPPORTED, path, "nested deeper than %d",
                              SLUICE_NESTING_MAX);
    }
    if (importer->field_count++ >= SCHEMA_FIELDS_MAX) {
        return sluice_fail_at(error, SLUICE_UNSUPPORTED, path, "more than %d fields",
                              SCHEMA_FIELDS_MAX);
    }
    SLUICE_TRY(check_source(importer, source, path));
    if (source->metadata != NULL && !measure_metadata(source->metadata, &out->metadata_bytes))
        return sluice_fail_at(error, SLUICE_BAD_DATA, path, "a length in its metadata is negative");
    out->flags = source->flags;
    SLUICE_TRY(copy_texts(out, source->name == NULL ? "" : source->name, source->format,
                          source->metadata, allocator, error));
    SLUICE_TRY(allocate_below(out, (size_t)source->n_children, source->dictionary != NULL,
                              allocator, error));
    SLUICE_TRY(sluice_format_parse(out, path, error));
    for (size_t i = 0; i < out->child_count; i++) {
        const struct ArrowSchema *child = source->children[i];
        const sluice_path child_path = {path, child->name == NULL ? "" : child->name};

        SLUICE_TRY(import_field(importer, child, &child_path, depth + 1, &out->children[i]));
    }
    if (source->dictionary != NULL) {
        const sluice_path values_path = {path, "dictionary"};

        SLUICE_TRY(import_field(importer, source->dictionary, &values_path, depth + 1,
                                out->dictionary));
    }
    return check_nesting(out, path, error);
}

static sluice_status schema_new(const sluice_allocator *allocator, sluice_schema **out,
                                sluice_error *error)
{
    const sluice_allocator chosen = sluice_allocator_or_default(allocator);
    sluice_schema *schema = sluice_allocate_zeroed(&chosen, 1, sizeof(*schema));

    *out = NULL;
    if (schema == NULL)
        return sluice_fail_allocation(error, sizeof(*schema), "a schema");
    schema->allocator = chosen;
    atomic_init(&schema->owners, 1);
    *out = schema;
    return SLUICE_OK;
}

sluice_status sluice_schema_import(const struct ArrowSchema *source,
                                   const sluice_allocator *allocator, sluice_schema **out,
                                   sluice_error *error)
{
    const sluice_path top = {NULL, ""};
    sluice_schema *schema;
    sluice_status status;

    *out = NULL;
    if (source == NULL || source->release == NULL) {
        return sluice_fail(error, SLUICE_INVALID, "the schema is %s",
                           source == NULL ? "NULL" : "released");
    }
    SLUICE_TRY(schema_new(allocator, &schema, error));
    schema_importer importer = {.allocator = &schema->allocator, .error = error};
    status = import_field(&importer, source, &top, 0, &schema->root);
    if (status == SLUICE_OK && schema->root.layout != SLUICE_LAYOUT_STRUCT) {
        status = sluice_fail(error, SLUICE_BAD_DATA,
                             "the schema has format \"%s\" at the top, a struct is needed",
                             schema->root.format);
    }
    if (status != SLUICE_OK) {
        sluice_schema_unref(schema);
        return status;
    }
    *out = schema;
    return SLUICE_OK;
}

sluice_schema *sluice_schema_ref(sluice_schema *schema)
{
    /* The caller is an owner, so the count cannot fall to 0 meanwhile. */
    const size_t owners = atomic_fetch_add_explicit(&schema->owners, 1, memory_order_relaxed);

    SLUICE_ASSERT(owners > 0);
    (void)owners;
    return schema;
}

void sluice_schema_unref(sluice_schema *schema)
{
    if (schema == NULL)
        return;
    if (atomic_fetch_sub_explicit(&schema->owners, 1, memory_order_acq_rel) > 1)
        return;
    const sluice_allocator allocator = schema->allocator;

    field_deinit(&schema->root, &allocator);
    sluice_free(&allocator, schema, sizeof(*schema));
}

const sluice_field *sluice_schema_root(const sluice_schema *schema)
{
    return &schema->root;
}

bool sluice_field_has_dictionary(const sluice_field *field)
{
    if (field->dictionary != NULL)
        return true;
    for (size_t i = 0; i < field->child_count; i++) {
        if (sluice_field_has_dictionary(&field->children[i]))
            return true;
    }
    return false;
}

static bool is_narrow_dictionary(const sluice_field *field)
{
    return field->layout == SLUICE_LAYOUT_DICTIONARY && field->byte_width < 4;
}

static bool has_narrow_dictionary(const sluice_field *field)
{
    if (is_narrow_dictionary(field))
        return true;
    if (field->dictionary != NULL && has_narrow_dictionary(field->dictionary))
        return true;
    for (size_t i = 0; i < field->child_count; i++) {
        if (has_narrow_dictionary(&field->children[i]))
            return true;
    }
    return false;
}

/* Copy a field and all below it, with int32 in place of narrower dictionary indices. */
static sluice_status copy_widened(const sluice_field *source, const sluice_allocator *allocator,
                                  sluice_field *out, sluice_error *error)
{
    const bool is_widened = is_narrow_dictionary(source);

    *out = *source;
    out->name = out->format = out->metadata = NULL;
    out->children = out->dictionary = NULL;
    out->child_count = 0;
    SLUICE_TRY(copy_texts(out, source->name, is_widened ? "i" : source->format, source->metadata,
                          allocator, error));
    /* The timezone stands in the format, so the copy's does too. */
    if (source->timezone != NULL)
        out->timezone = out->format + (source->timezone - source->format);
    if (is_widened) {
        out->type = SLUICE_TYPE_INT32;
        out->byte_width = 4;
    }
    SLUICE_TRY(allocate_below(out, source->child_count, source->dictionary != NULL, allocator,
                              error));
    for (size_t i = 0; i < source->child_count; i++) {
        SLUICE_TRY(copy_widened(&source->children[i], allocator, &out->children[i], error));
        if (i == 1 && source->layout == SLUICE_LAYOUT_RUN_END)
            out->type = out->children[1].type;
    }
    if (source->dictionary != NULL)
        SLUICE_TRY(copy_widened(source->dictionary, allocator, out->dictionary, error));
    return SLUICE_OK;
}

sluice_status sluice_schema_widen_dictionaries(sluice_schema *schema, sluice_schema **out,
                                               sluice_error *error)
{
    sluice_schema *widened;
    sluice_status status;

    *out = NULL;
    if (!has_narrow_dictionary(&schema->root)) {
        *out = sluice_schema_ref(schema);
        return SLUICE_OK;
    }
    SLUICE_TRY(schema_new(&schema->allocator, &widened, error));
    status = copy_widened(&schema->root, &widened->allocator, &widened->root, error);
    if (status != SLUICE_OK) {
        sluice_schema_unref(widened);
        return status;
    }
    *out = widened;
    return SLUICE_OK;
}
