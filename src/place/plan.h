/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/plan.h - a schema laid out for placing: nodes, extents, buffers
 *
 * The tree of fields becomes an array of nodes, parents before children, without the struct at the
 * top.  What an output batch holds is counted in extents:
 *
 *     extent 0          rows
 *     further extents   what rows have in varying number: bytes of strings, elements of lists,
 *                       runs, values of one child of a dense union
 *
 * Every node's rows are counted by one extent (rows_extent), and a node whose values vary in
 * number is the measure of another (value_extent).  Each buffer of the output batch grows with one
 * extent.  So a run of rows is reserved by adding one number per extent, and after that every
 * buffer's place for it is known.
 *
 *     list<utf8> a        node a          rows_extent 0   value_extent 1 (elements)
 *                         node a.item     rows_extent 1   value_extent 2 (bytes)
 *     buffers             a.validity (0)  a.offsets (0)   item.validity (1)  item.offsets (1)
 *                         item.bytes (2)
 *
 * A plan is immutable and counted.
 */
#ifndef SLUICE_PLACE_PLAN_H
#define SLUICE_PLACE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "arrow/field.h"

#define SLUICE_PLACE_NONE UINT32_MAX

typedef struct sluice_place_extent {
    uint32_t parent;   /* The extent whose units have a varying number of these; NONE for rows. */
    uint32_t node;     /* The node that measures it; NONE for rows. */
    int64_t units_max; /* What 32-bit offsets, run ends and options allow in one batch. */
} sluice_place_extent;

typedef enum sluice_place_role {
    SLUICE_ROLE_VALIDITY, /* One bit per row. */
    SLUICE_ROLE_VALUES,   /* Fixed values, bits, views, type ids, run ends. */
    SLUICE_ROLE_OFFSETS,  /* Of strings and lists: one more than rows; the first is 0. */
    SLUICE_ROLE_SIZES,    /* Of list views. */
    SLUICE_ROLE_BYTES     /* Of strings and long views. */
} sluice_place_role;

typedef struct sluice_place_buffer {
    uint32_t extent;
    uint32_t unit_bits;    /* 1, or 8 times the bytes of a unit. */
    sluice_place_role role;
} sluice_place_buffer;

typedef struct sluice_place_node {
    const sluice_field *field;  /* Of the output schema. */
    const sluice_field *source; /* Of the input schema. */
    uint32_t rows_extent;
    uint32_t value_extent;     /* NONE when values do not vary in number.  A dense union has one
                                  for each child: this is the first, the others follow it. */
    uint32_t validity;         /* Buffer, or NONE. */
    uint32_t values;           /* Buffer, or NONE: values, offsets, views, type ids. */
    uint32_t data;             /* Buffer, or NONE: bytes, sizes; a dense union's offsets. */
    uint32_t first_child;      /* In plan->children. */
    uint32_t child_count;
    uint32_t dictionary;       /* Which dictionary of the plan, or NONE. */
} sluice_place_node;

typedef struct sluice_place_plan {
    sluice_schema *schema;        /* Of the output. */
    sluice_schema *source_schema; /* Of the input. */
    sluice_place_node *nodes;
    uint32_t node_count;
    uint32_t *children;    /* Node numbers, in runs of one parent's children. */
    uint32_t child_count;
    uint32_t *columns;     /* Node numbers of the columns. */
    uint32_t column_count;
    sluice_place_extent *extents;
    uint32_t extent_count;
    sluice_place_buffer *buffers;
    uint32_t buffer_count;
    uint32_t *dictionary_nodes; /* The node of each dictionary. */
    uint32_t dictionary_count;
} sluice_place_plan;

typedef struct sluice_place_limits {
    int64_t rows_max;  /* Rows in one batch. */
    int64_t bytes_max; /* Bytes or elements that 32-bit offsets of one batch may count. */
} sluice_place_limits;

/*
 * Lay out a schema and what becomes of it when its dictionaries are widened.  Both are shared.
 */
sluice_status sluice_place_plan_new(sluice_schema *source_schema, sluice_schema *schema,
                                    const sluice_place_limits *limits,
                                    const sluice_allocator *allocator, sluice_place_plan **out,
                                    sluice_error *error);

sluice_place_plan *sluice_place_plan_ref(sluice_place_plan *plan);

/* NULL is allowed. */
void sluice_place_plan_unref(sluice_place_plan *plan);

/* Bytes of a buffer with room for a number of units, rounded up to whole cache lines. */
size_t sluice_place_buffer_bytes(const sluice_place_buffer *buffer, int64_t units);

#endif /* SLUICE_PLACE_PLAN_H */
