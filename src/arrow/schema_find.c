/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/schema_find.c - columns by name
 */
#include "arrow/field.h"

#include <string.h>

#include "base/math.h"

/* Longer names are compared by their beginnings. */
enum { SUGGESTION_BYTES_MAX = 63 };

/*
 * How many bytes to insert, delete or replace to turn one name into the other; the rows of the
 * usual table are kept one at a time.
 */
static size_t measure_edits(const char *left, const char *right)
{
    const size_t left_bytes = sluice_min_size(strlen(left), SUGGESTION_BYTES_MAX);
    const size_t right_bytes = sluice_min_size(strlen(right), SUGGESTION_BYTES_MAX);
    size_t edits[SUGGESTION_BYTES_MAX + 1];

    for (size_t at = 0; at <= right_bytes; at++)
        edits[at] = at;
    for (size_t row = 0; row < left_bytes; row++) {
        size_t diagonal = edits[0];

        edits[0] = row + 1;
        for (size_t at = 0; at < right_bytes; at++) {
            const size_t replaced = diagonal + (left[row] != right[at]);
            const size_t shifted = sluice_min_size(edits[at], edits[at + 1]) + 1;

            diagonal = edits[at + 1];
            edits[at + 1] = sluice_min_size(replaced, shifted);
        }
    }
    return edits[right_bytes];
}

/* The column whose name is nearest; NULL when none shares at least about half of it. */
static const char *find_nearest_name(const sluice_field *root, const char *name)
{
    const char *nearest = NULL;
    size_t edits_min = strlen(name) / 2 + 1;

    for (size_t i = 0; i < root->child_count; i++) {
        const size_t edits = measure_edits(name, root->children[i].name);

        if (edits < edits_min) {
            edits_min = edits;
            nearest = root->children[i].name;
        }
    }
    return nearest;
}

int64_t sluice_schema_find(const sluice_schema *schema, const char *name)
{
    const sluice_field *root = sluice_schema_root(schema);
    int64_t found = -1;

    for (size_t i = 0; i < root->child_count; i++) {
        if (strcmp(root->children[i].name, name) != 0)
            continue;
        if (found != -1)
            return -2;
        found = (int64_t)i;
    }
    return found;
}

sluice_status sluice_schema_resolve(const sluice_schema *schema, const char *name, size_t *index,
                                    sluice_error *error)
{
    const sluice_field *root = sluice_schema_root(schema);
    const int64_t found = sluice_schema_find(schema, name);

    *index = 0;
    if (found >= 0) {
        *index = (size_t)found;
        return SLUICE_OK;
    }
    if (found == -2) {
        return sluice_fail(error, SLUICE_INVALID,
                           "column %s: several of the %zu columns have this name", name,
                           root->child_count);
    }
    const char *nearest = find_nearest_name(root, name);

    if (nearest == NULL) {
        return sluice_fail(error, SLUICE_INVALID, "column %s: not there; there are %zu others",
                           name, root->child_count);
    }
    return sluice_fail(error, SLUICE_INVALID, "column %s: not there; did you mean %s?", name,
                       nearest);
}
