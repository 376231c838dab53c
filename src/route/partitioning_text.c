/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/partitioning_text.c - split points from texts
 */
#include "base/alloc.h"
#include "route/partitioning_new.h"
#include "route/text_value.h"

/* Whether the empty text is a value of the type. */
static bool can_be_empty(const sluice_field *field)
{
    return field->type == SLUICE_TYPE_UTF8 || field->type == SLUICE_TYPE_BINARY;
}

static sluice_status append_texts(sluice_rows *rows, const char *const *values,
                                  size_t value_count, sluice_error *error)
{
    sluice_rows *column = &rows->children[0];

    for (size_t split = 0; split < value_count; split++) {
        const char *text = values[split];

        if (text == NULL || (*text == '\0' && !can_be_empty(&column->field)))
            SLUICE_TRY(sluice_rows_append_null(column, error));
        else
            SLUICE_TRY(sluice_text_value_append(column, text, strlen(text), (int64_t)split,
                                                error));
        SLUICE_TRY(sluice_rows_end_struct(rows, error));
    }
    return SLUICE_OK;
}

sluice_status sluice_partitioning_new_range_from_text(const sluice_sort_key *key,
                                                      const char *const *values,
                                                      size_t value_count,
                                                      const struct ArrowSchema *schema,
                                                      bool is_total_order,
                                                      sluice_partitioning **out,
                                                      sluice_error *error)
{
    sluice_schema *imported = NULL;
    sluice_rows *rows = NULL;
    size_t column = 0;
    sluice_status status;

    *out = NULL;
    SLUICE_TRY(sluice_schema_import(schema, NULL, &imported, error));
    status = sluice_schema_resolve(imported, key->name, &column, error);
    if (status == SLUICE_OK) {
        const sluice_field *field = &sluice_schema_root(imported)->children[column];

        status = sluice_rows_new(&field, 1, NULL, &rows, error);
    }
    if (status == SLUICE_OK)
        status = append_texts(rows, values, value_count, error);
    if (status == SLUICE_OK) {
        status = sluice_partitioning_new_range_from_rows(key, 1, rows, is_total_order, out,
                                                         error);
    }
    sluice_rows_free(rows);
    sluice_schema_unref(imported);
    return status;
}
