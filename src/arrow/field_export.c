/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/field_export.c - a field as an ArrowSchema again
 *
 * Each node of the tree that leaves owns one block with all it points at, the structures of its
 * children included.  A consumer may thus move a child out and release the rest, or the other way
 * round.  The blocks come from the default allocator: a field does not know the one of its schema.
 */
#include "arrow/field.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

/* The head of a node's block. */
typedef struct schema_node {
    size_t block_bytes;
    char *texts_end; /* Where the next text goes. */
    struct ArrowSchema dictionary;
    struct ArrowSchema children[]; /* Then the pointers to them, then the texts. */
} schema_node;

static void release_schema_node(struct ArrowSchema *schema)
{
    schema_node *node = schema->private_data;

    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
    }
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    schema->release = NULL;
    sluice_free(NULL, node, node->block_bytes);
}

static const char *store_bytes(schema_node *node, const char *text, size_t bytes)
{
    char *stored = node->texts_end;

    memcpy(stored, text, bytes);
    node->texts_end += bytes;
    return stored;
}

/* Make the node itself; children and dictionary stay released. */
static sluice_status make_schema_node(const sluice_field *field, struct ArrowSchema *out,
                                      sluice_error *error)
{
    const size_t name_bytes = strlen(field->name) + 1;
    const size_t format_bytes = strlen(field->format) + 1;
    const size_t head_bytes =
        sizeof(schema_node) +
        field->child_count * (sizeof(struct ArrowSchema) + sizeof(struct ArrowSchema *));
    const size_t block_bytes = head_bytes + name_bytes + format_bytes + field->metadata_bytes;
    schema_node *node = sluice_allocate_zeroed(NULL, 1, block_bytes);

    if (node == NULL)
        return sluice_fail_allocation(error, block_bytes, "a schema");
    node->block_bytes = block_bytes;
    node->texts_end = (char *)node + head_bytes;
    struct ArrowSchema **children = (struct ArrowSchema **)&node->children[field->child_count];

    for (size_t i = 0; i < field->child_count; i++)
        children[i] = &node->children[i];
    memset(out, 0, sizeof(*out));
    out->format = store_bytes(node, field->format, format_bytes);
    out->name = store_bytes(node, field->name, name_bytes);
    if (field->metadata != NULL)
        out->metadata = store_bytes(node, field->metadata, field->metadata_bytes);
    out->flags = field->flags;
    out->n_children = (int64_t)field->child_count;
    out->children = field->child_count == 0 ? NULL : children;
    out->dictionary = field->dictionary == NULL ? NULL : &node->dictionary;
    out->private_data = node;
    out->release = release_schema_node;
    return SLUICE_OK;
}

sluice_status sluice_field_export(const sluice_field *field, struct ArrowSchema *out,
                                  sluice_error *error)
{
    struct ArrowSchema schema;
    sluice_status status;

    memset(out, 0, sizeof(*out));
    SLUICE_TRY(make_schema_node(field, &schema, error));
    status = SLUICE_OK;
    for (size_t i = 0; i < field->child_count && status == SLUICE_OK; i++)
        status = sluice_field_export(&field->children[i], schema.children[i], error);
    if (field->dictionary != NULL && status == SLUICE_OK)
        status = sluice_field_export(field->dictionary, schema.dictionary, error);
    if (status != SLUICE_OK) {
        schema.release(&schema);
        return status;
    }
    *out = schema;
    return SLUICE_OK;
}
