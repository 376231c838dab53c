/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/field.h - what a column is: an ArrowSchema compiled into a tree that is easy to switch on
 *
 * type is what the values mean, layout is how they lie in memory.  Code that moves rows looks at
 * the layout only; code that compares or hashes values looks at the type.  A schema is immutable
 * and counted, so that every exchange, router and batch can hold it.
 */
#ifndef SLUICE_ARROW_FIELD_H
#define SLUICE_ARROW_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sluice/allocator.h"
#include "sluice/arrow_abi.h"

/* Nesting deeper than this is refused, so that recursion over a field is bounded. */
enum { SLUICE_NESTING_MAX = 64 };

typedef enum sluice_type {
    SLUICE_TYPE_NULL,
    SLUICE_TYPE_BOOL,
    SLUICE_TYPE_INT8,
    SLUICE_TYPE_INT16,
    SLUICE_TYPE_INT32,
    SLUICE_TYPE_INT64,
    SLUICE_TYPE_UINT8,
    SLUICE_TYPE_UINT16,
    SLUICE_TYPE_UINT32,
    SLUICE_TYPE_UINT64,
    SLUICE_TYPE_FLOAT16,
    SLUICE_TYPE_FLOAT32,
    SLUICE_TYPE_FLOAT64,
    SLUICE_TYPE_DECIMAL32,
    SLUICE_TYPE_DECIMAL64,
    SLUICE_TYPE_DECIMAL128,
    SLUICE_TYPE_DECIMAL256,
    SLUICE_TYPE_DATE32,
    SLUICE_TYPE_DATE64,
    SLUICE_TYPE_TIME32,
    SLUICE_TYPE_TIME64,
    SLUICE_TYPE_TIMESTAMP,
    SLUICE_TYPE_DURATION,
    SLUICE_TYPE_INTERVAL_MONTHS,
    SLUICE_TYPE_INTERVAL_DAY_TIME,
    SLUICE_TYPE_INTERVAL_MONTH_DAY_NANO,
    SLUICE_TYPE_FIXED_SIZE_BINARY,
    SLUICE_TYPE_BINARY, /* Also large and view; the layout says which. */
    SLUICE_TYPE_UTF8,   /* Also large and view. */
    SLUICE_TYPE_LIST,   /* Also large, views and fixed size. */
    SLUICE_TYPE_MAP,
    SLUICE_TYPE_STRUCT,
    SLUICE_TYPE_UNION
} sluice_type;

typedef enum sluice_layout {
    SLUICE_LAYOUT_NULL,            /* No buffers. */
    SLUICE_LAYOUT_BITS,            /* validity, bits */
    SLUICE_LAYOUT_FIXED,           /* validity, values of byte_width bytes */
    SLUICE_LAYOUT_BYTES32,         /* validity, int32 offsets, bytes */
    SLUICE_LAYOUT_BYTES64,         /* validity, int64 offsets, bytes */
    SLUICE_LAYOUT_BYTES_VIEW,      /* validity, 16-byte views, variadic buffers, their sizes */
    SLUICE_LAYOUT_LIST32,          /* validity, int32 offsets; child.  Maps too. */
    SLUICE_LAYOUT_LIST64,          /* validity, int64 offsets; child */
    SLUICE_LAYOUT_LIST_VIEW32,     /* validity, int32 offsets, int32 sizes; child */
    SLUICE_LAYOUT_LIST_VIEW64,     /* validity, int64 offsets, int64 sizes; child */
    SLUICE_LAYOUT_FIXED_SIZE_LIST, /* validity; child of list_size elements a row */
    SLUICE_LAYOUT_STRUCT,          /* validity; children */
    SLUICE_LAYOUT_SPARSE_UNION,    /* int8 type ids; children as long as the union */
    SLUICE_LAYOUT_DENSE_UNION,     /* int8 type ids, int32 offsets; children */
    SLUICE_LAYOUT_DICTIONARY,      /* validity, indices of byte_width bytes; dictionary */
    SLUICE_LAYOUT_RUN_END          /* children run_ends (int16, 32 or 64; no nulls), values */
} sluice_layout;

typedef enum sluice_time_unit {
    SLUICE_TIME_SECOND,
    SLUICE_TIME_MILLI,
    SLUICE_TIME_MICRO,
    SLUICE_TIME_NANO
} sluice_time_unit;

typedef struct sluice_field {
    const char *name;      /* Never NULL; "" when there is none. */
    const char *format;    /* As given, for export. */
    const char *metadata;  /* Arrow's binary form, or NULL.  Extension types stand here. */
    size_t metadata_bytes; /* Length of that, 0 for NULL. */
    int64_t flags;         /* ARROW_FLAG_* as given. */

    /* With SLUICE_LAYOUT_DICTIONARY, type and byte_width describe the index; dictionary describes
     * the values.  With SLUICE_LAYOUT_RUN_END, type is the type of the values child. */
    sluice_type type;
    sluice_layout layout;
    int32_t byte_width;         /* FIXED and DICTIONARY: bytes of a value (0 is a legal
                                   fixed-size binary), else 0. */
    int32_t list_size;          /* FIXED_SIZE_LIST: elements per row. */
    int32_t precision, scale;   /* Decimals. */
    sluice_time_unit unit;      /* Time, timestamp, duration. */
    const char *timezone;       /* Timestamp: "" for none.  NULL for other types. */
    int16_t child_of_id[128];   /* Unions: which child a type id names; -1: none. */

    size_t child_count;
    struct sluice_field *children;   /* child_count of them. */
    struct sluice_field *dictionary; /* The values of a dictionary, or NULL. */
} sluice_field;

typedef struct sluice_schema sluice_schema;

/*
 * Compile a schema whose top level is a struct ("+s").  The ArrowSchema stays the caller's.  A
 * format string that does not exist is SLUICE_UNSUPPORTED and named with its column; a structure
 * that breaks the C Data interface (missing children, a dictionary whose index is no integer, NULL
 * format ...) is SLUICE_BAD_DATA.
 */
sluice_status sluice_schema_import(const struct ArrowSchema *source,
                                   const sluice_allocator *allocator, sluice_schema **out,
                                   sluice_error *error);

sluice_schema *sluice_schema_ref(sluice_schema *schema);

/* NULL is allowed. */
void sluice_schema_unref(sluice_schema *schema);

/* The struct at the top.  Its children are the columns. */
const sluice_field *sluice_schema_root(const sluice_schema *schema);

/* Make an ArrowSchema of any field, with names, metadata and flags as they came. */
sluice_status sluice_field_export(const sluice_field *field, struct ArrowSchema *out,
                                  sluice_error *error);

/*
 * The same schema, in which dictionary indices of fewer than 32 bits are int32, at every depth.
 * Unchanged schemas are counted, not copied.
 */
sluice_status sluice_schema_widen_dictionaries(sluice_schema *schema, sluice_schema **out,
                                               sluice_error *error);

/* True when the field or anything below it is a dictionary. */
bool sluice_field_has_dictionary(const sluice_field *field);

/* The index of a column by name; -1 when there is none, -2 when there are several. */
int64_t sluice_schema_find(const sluice_schema *schema, const char *name);

/*
 * Resolve a key column by name.  An unknown name is SLUICE_INVALID with the nearest name in the
 * message ("column l_orderky: not there; did you mean l_orderkey?"), a name that stands for
 * several columns too.
 */
sluice_status sluice_schema_resolve(const sluice_schema *schema, const char *name, size_t *index,
                                    sluice_error *error);

/* "int64", "decimal128(15,2)", "timestamp[us, UTC]", "list<item: utf8>": Arrow's names. */
void sluice_field_describe(const sluice_field *field, char *text, size_t text_bytes);

#endif /* SLUICE_ARROW_FIELD_H */
