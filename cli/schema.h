/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/schema.h - looking at Arrow schemas: types as text, comparison, choosing columns
 */
#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/arrow_abi.h"
#include "text.h"

/* Append "int64", "decimal128(15,2)", "timestamp[us, UTC]", "list<item: utf8>", Arrow's names. */
void cli_type_append(cli_text *text, const struct ArrowSchema *field);

/* The same as a new string, with " not null" where the field says so. */
char *cli_type_text(const struct ArrowSchema *field);

/* [{"name":..,"type":..,"nullable":..}, ...] of a struct's fields. */
json_t *cli_schema_to_json(const struct ArrowSchema *schema);

/* Same names, types and nullability, at every depth; metadata may differ. */
bool cli_field_equal(const struct ArrowSchema *left, const struct ArrowSchema *right);

/* The field, or the one below it, that Parquet stores as another type; NULL when there is none. */
const struct ArrowSchema *cli_field_changed_by_parquet(const struct ArrowSchema *field);

/* Bytes of a value in memory, about: exact for fixed widths, a guess for the rest. */
uint64_t cli_field_bytes(const struct ArrowSchema *field);

/* The first column of that name; -1 when there is none. */
int64_t cli_schema_find(const struct ArrowSchema *schema, const char *name);

/* The name in the schema that looks most like one that is not there, or NULL. */
const char *cli_schema_nearest(const struct ArrowSchema *schema, const char *name);

/*
 * A schema or a batch with some of its columns, in the order of indexes.  It borrows everything
 * and must not be released; children has room for count pointers.
 */
struct ArrowSchema cli_schema_view(const struct ArrowSchema *schema, const uint32_t *indexes,
                                   size_t count, struct ArrowSchema **children);
struct ArrowArray cli_batch_view(const struct ArrowArray *batch, const uint32_t *indexes,
                                 size_t count, struct ArrowArray **children);

/* Make the batch own only some of its columns: takes *batch and writes the new one there.  No index
 * twice. */
void cli_batch_project(struct ArrowArray *batch, const uint32_t *indexes, size_t count);

/* Release what is not released; both may be zeroed. */
void cli_schema_release(struct ArrowSchema *schema);
void cli_array_release(struct ArrowArray *array);
void cli_stream_release(struct ArrowArrayStream *stream);

#endif /* CLI_SCHEMA_H */
