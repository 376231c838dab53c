/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/column.h - a borrowed view of one column of a batch
 *
 * A view has offsets of its parents already added, so that value r of a column is at physical
 * place offset + r of its own buffers, at every depth:
 *
 *     children of structs and sparse unions     are cut to the rows of their parent: child row r
 *                                                belongs to parent row r
 *     the child of a fixed-size list             is cut too: parent row r has child rows
 *                                                r * list_size and on
 *     children of lists, list views, dense       are whole: the numbers in the parent's offsets
 *     unions and run-ends, and dictionaries      count from the child's row 0
 *     run ends                                   count from the physical start of the parent, so
 *                                                row r is in the run that holds offset + r
 *
 * Buffers that Arrow lets be NULL because they hold nothing point at some zeros instead, so that
 * adding 0 to them or copying 0 bytes from them is defined; only validity can be NULL then.
 *
 * A view never owns anything and never outlives its batch.  Trees of views are made once for each
 * reader, from a schema, and pointed at one batch after the other.
 */
#ifndef SLUICE_ARROW_COLUMN_H
#define SLUICE_ARROW_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrow/field.h"
#include "base/bits.h"
#include "base/compiler.h"

typedef struct sluice_column {
    const sluice_field *field;
    int64_t offset;          /* Physical place of row 0 in the buffers below. */
    int64_t row_count;
    const uint8_t *validity; /* NULL: no row is null.  Never set for unions, run-ends and null. */
    const void *values;      /* FIXED, BITS, DICTIONARY: values.  BYTES*, LIST*: offsets.
                                BYTES_VIEW: views.  Unions: type ids.  Else NULL. */
    const void *data;        /* BYTES*: bytes.  LIST_VIEW*: sizes.  DENSE_UNION: offsets.
                                Else NULL. */
    const void *const *view_buffers; /* BYTES_VIEW: the variadic buffers ... */
    const int64_t *view_buffer_bytes; /* ... their sizes ... */
    int64_t view_buffer_count;        /* ... and how many there are. */
    struct sluice_column *children;   /* field->child_count of them. */
    struct sluice_column *dictionary; /* DICTIONARY: the values. */
} sluice_column;

/*
 * Make a tree of views for a field, pointing at nothing.  *out is freed with sluice_column_free().
 */
sluice_status sluice_column_new(const sluice_field *field, const sluice_allocator *allocator,
                                sluice_column **out, sluice_error *error);

/* Point the tree at an array of that field, whose structure has been validated. */
void sluice_column_set(sluice_column *column, const struct ArrowArray *array);

/* Cut the view to row_count rows from row first on.  Both lie within the view. */
void sluice_column_slice(sluice_column *column, int64_t first, int64_t row_count);

/* NULL is allowed. */
void sluice_column_free(sluice_column *column, const sluice_allocator *allocator);

/*
 * Physical nullness of a row: its validity bit, or true for the null type.  A null inside a
 * dictionary's values, a run's value or a union's child is not seen here.
 */
static inline bool sluice_column_is_null(const sluice_column *column, int64_t row)
{
    if (column->validity != NULL)
        return !sluice_bit_get(column->validity, column->offset + row);
    return column->field->layout == SLUICE_LAYOUT_NULL;
}

/* What a row of a union holds: a row of one of its children. */
typedef struct sluice_union_value {
    uint8_t type_id;
    uint32_t child; /* Index in the field's children. */
    int64_t row;    /* Of the child's view. */
} sluice_union_value;

static inline sluice_union_value sluice_column_union(const sluice_column *column, int64_t row)
{
    const uint8_t type_id = ((const uint8_t *)column->values)[column->offset + row] & 127;
    const int16_t child = column->field->child_of_id[type_id];
    const bool is_dense = column->field->layout == SLUICE_LAYOUT_DENSE_UNION;

    SLUICE_ASSERT(child >= 0);
    return (sluice_union_value){
        .type_id = type_id,
        .child = (uint32_t)child,
        .row = is_dense ? ((const int32_t *)column->data)[column->offset + row] : row,
    };
}

/* Nulls in that sense among all rows of the view; counts bits. */
int64_t sluice_column_count_nulls(const sluice_column *column);

/* The index that row has in the dictionary, any width; undefined for a null row. */
int64_t sluice_column_dictionary_index(const sluice_column *column, int64_t row);

/* The row of the values child that holds a row of a run-end encoded column; binary search. */
int64_t sluice_column_run(const sluice_column *column, int64_t row);

/* The end of a run, counted in rows of the view (may lie beyond its end). */
int64_t sluice_column_run_end(const sluice_column *column, int64_t run);

/* The bytes of a BYTES32, BYTES64, BYTES_VIEW or FIXED row; undefined for a null row. */
typedef struct sluice_bytes_view {
    const uint8_t *bytes;
    int64_t byte_count;
} sluice_bytes_view;

sluice_bytes_view sluice_column_bytes(const sluice_column *column, int64_t row);

/* The elements of a row of any LIST layout, as a range of rows of children[0]. */
typedef struct sluice_list_range {
    int64_t first;
    int64_t count;
} sluice_list_range;

sluice_list_range sluice_column_list(const sluice_column *column, int64_t row);

#endif /* SLUICE_ARROW_COLUMN_H */
