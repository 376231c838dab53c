/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/rows.h - a small table that grows row by row: split points, and keys of the value scheme
 *
 * Rows come from views of columns or from parsed text.  Values are kept as they are, bit for bit,
 * but in one plain form each: dictionaries and run-ends are looked through, views become large,
 * list views become lists, and sparse unions dense ones.  A union has no nulls of its own: where a
 * dictionary or a run-end around it is null, its first child is.
 *
 *     sluice_rows_new()
 *         sluice_rows_append()            or, for parsed values, the append and end calls below
 *     sluice_rows_export()
 */
#ifndef SLUICE_ROUTE_ROWS_H
#define SLUICE_ROUTE_ROWS_H

#include "arrow/column.h"
#include "route/bytes.h"

typedef struct sluice_rows {
    sluice_field field; /* In its plain form; names and texts are borrowed, but see format. */
    char *format;       /* field.format when it is our own; NULL when it is borrowed. */
    sluice_allocator allocator;
    int64_t row_count;
    int64_t null_count;
    sluice_bytes validity; /* One byte per row, 0 for null. */
    sluice_bytes values;   /* BITS: one byte per row.  FIXED: the values.  Bytes and lists: the
                              int64 end of each row.  Unions: type ids. */
    sluice_bytes data;     /* Bytes.  Unions: int32 places. */
    struct sluice_rows *children; /* field.child_count of them. */
} sluice_rows;

/*
 * Make an empty table with a column for each field.  The fields, with all they point at, must
 * outlive it.
 */
sluice_status sluice_rows_new(const sluice_field *const *fields, size_t field_count,
                              const sluice_allocator *allocator, sluice_rows **out,
                              sluice_error *error);

/*
 * Append a row of a column to rows, a table or one of its columns, which was made for a field of
 * the same type.  After an error rows is good for nothing but sluice_rows_free().
 */
sluice_status sluice_rows_append(sluice_rows *rows, const sluice_column *column, int64_t row,
                                 sluice_error *error);

sluice_status sluice_rows_append_null(sluice_rows *rows, sluice_error *error);

/* The bytes of a value: of BITS, one byte 0 or 1; of FIXED, byte_width bytes. */
sluice_status sluice_rows_append_bytes(sluice_rows *rows, const void *bytes, size_t byte_count,
                                       sluice_error *error);

/* The elements appended to children[0] since the last row are a list. */
sluice_status sluice_rows_end_list(sluice_rows *rows, sluice_error *error);

/* The values appended to the children since the last row, one each, are a row. */
sluice_status sluice_rows_end_struct(sluice_rows *rows, sluice_error *error);

/* A copy of the table as a struct array.  Both structures own what they hold. */
sluice_status sluice_rows_export(const sluice_rows *rows, struct ArrowSchema *schema_out,
                                 struct ArrowArray *out, sluice_error *error);

/* NULL is allowed. */
void sluice_rows_free(sluice_rows *rows);

#endif /* SLUICE_ROUTE_ROWS_H */
