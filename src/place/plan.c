/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/plan.c - a schema laid out for placing
 *
 * Two walks over the fields: one counts, one fills.
 */
#include "place/plan.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/math.h"

/* A plan with what only this file knows. */
typedef struct owned_plan {
    sluice_place_plan plan;
    _Atomic uint32_t owners;
    sluice_allocator allocator;
    int64_t bytes_max;
    uint32_t node_capacity; /* Enough for nodes, children, columns, dictionaries ... */
    uint32_t buffer_capacity; /* ... three for each node ... */
    uint32_t extent_capacity; /* ... and one for each node, union child and the rows. */
} owned_plan;

static uint32_t count_nodes(const sluice_field *field)
{
    uint32_t count = 1;

    for (size_t child = 0; child < field->child_count; child++)
        count += count_nodes(&field->children[child]);
    return count;
}

static uint32_t add_buffer(owned_plan *owned, uint32_t extent, uint32_t unit_bits,
                           sluice_place_role role)
{
    sluice_place_plan *plan = &owned->plan;

    SLUICE_ASSERT(plan->buffer_count < owned->buffer_capacity);
    plan->buffers[plan->buffer_count] =
        (sluice_place_buffer){.extent = extent, .unit_bits = unit_bits, .role = role};
    return plan->buffer_count++;
}

static uint32_t add_extent(owned_plan *owned, uint32_t parent, uint32_t node, int64_t units_max)
{
    sluice_place_plan *plan = &owned->plan;

    SLUICE_ASSERT(plan->extent_count < owned->extent_capacity);
    plan->extents[plan->extent_count] = (sluice_place_extent){
        .parent = parent, .node = node, .units_max = units_max};
    return plan->extent_count++;
}

static void limit_extent(owned_plan *owned, uint32_t extent, int64_t units_max)
{
    sluice_place_extent *limited = &owned->plan.extents[extent];

    limited->units_max = sluice_min_int64(limited->units_max, units_max);
}

/* Offsets (and sizes) of unit_bits, and the extent that they count. */
static void lay_out_varying(owned_plan *owned, uint32_t node_index, uint32_t unit_bits)
{
    sluice_place_node *node = &owned->plan.nodes[node_index];
    const sluice_layout layout = node->field->layout;
    const bool has_sizes =
        layout == SLUICE_LAYOUT_LIST_VIEW32 || layout == SLUICE_LAYOUT_LIST_VIEW64;

    node->values = add_buffer(owned, node->rows_extent, unit_bits,
                              has_sizes ? SLUICE_ROLE_VALUES : SLUICE_ROLE_OFFSETS);
    if (has_sizes)
        node->data = add_buffer(owned, node->rows_extent, unit_bits, SLUICE_ROLE_SIZES);
    node->value_extent = add_extent(owned, node->rows_extent, node_index,
                                    unit_bits == 32 ? owned->bytes_max : INT64_MAX / 16);
}

static void lay_out_bytes(owned_plan *owned, uint32_t node_index, uint32_t unit_bits)
{
    sluice_place_node *node = &owned->plan.nodes[node_index];

    lay_out_varying(owned, node_index, unit_bits);
    node->data = add_buffer(owned, node->value_extent, 8, SLUICE_ROLE_BYTES);
}

static void lay_out_view(owned_plan *owned, uint32_t node_index)
{
    sluice_place_node *node = &owned->plan.nodes[node_index];

    node->values = add_buffer(owned, node->rows_extent, 128, SLUICE_ROLE_VALUES);
    node->value_extent = add_extent(owned, node->rows_extent, node_index, owned->bytes_max);
    node->data = add_buffer(owned, node->value_extent, 8, SLUICE_ROLE_BYTES);
}

static void lay_out_union(owned_plan *owned, uint32_t node_index)
{
    sluice_place_node *node = &owned->plan.nodes[node_index];

    node->values = add_buffer(owned, node->rows_extent, 8, SLUICE_ROLE_VALUES);
    if (node->field->layout == SLUICE_LAYOUT_SPARSE_UNION)
        return;
    node->data = add_buffer(owned, node->rows_extent, 32, SLUICE_ROLE_VALUES);
    node->value_extent = owned->plan.extent_count;
    for (size_t child = 0; child < node->field->child_count; child++)
        add_extent(owned, node->rows_extent, node_index, owned->bytes_max);
}

/* Run ends are numbers of rows, so their width limits the rows. */
static void lay_out_run_ends(owned_plan *owned, uint32_t node_index)
{
    sluice_place_node *node = &owned->plan.nodes[node_index];
    const int32_t width = node->field->children[0].byte_width;

    if (width == 2)
        limit_extent(owned, node->rows_extent, INT16_MAX);
    if (width == 4)
        limit_extent(owned, node->rows_extent, INT32_MAX);
    node->value_extent = add_extent(owned, node->rows_extent, node_index, INT64_MAX / 16);
}

static void lay_out(owned_plan *owned, uint32_t node_index)
{
    sluice_place_node *node = &owned->plan.nodes[node_index];
    const sluice_field *field = node->field;
    const bool has_validity =
        field->layout != SLUICE_LAYOUT_NULL && field->layout != SLUICE_LAYOUT_SPARSE_UNION &&
        field->layout != SLUICE_LAYOUT_DENSE_UNION && field->layout != SLUICE_LAYOUT_RUN_END;

    if (has_validity)
        node->validity = add_buffer(owned, node->rows_extent, 1, SLUICE_ROLE_VALIDITY);
    switch (field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_STRUCT:
        break;
    case SLUICE_LAYOUT_BITS:
        node->values = add_buffer(owned, node->rows_extent, 1, SLUICE_ROLE_VALUES);
        break;
    case SLUICE_LAYOUT_FIXED:
    case SLUICE_LAYOUT_DICTIONARY:
        node->values = add_buffer(owned, node->rows_extent, (uint32_t)field->byte_width * 8,
                                  SLUICE_ROLE_VALUES);
        break;
    case SLUICE_LAYOUT_BYTES32:
        lay_out_bytes(owned, node_index, 32);
        break;
    case SLUICE_LAYOUT_BYTES64:
        lay_out_bytes(owned, node_index, 64);
        break;
    case SLUICE_LAYOUT_BYTES_VIEW:
        lay_out_view(owned, node_index);
        break;
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST_VIEW32:
        lay_out_varying(owned, node_index, 32);
        break;
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW64:
        lay_out_varying(owned, node_index, 64);
        break;
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        node->value_extent = add_extent(owned, node->rows_extent, node_index, INT64_MAX / 16);
        break;
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        lay_out_union(owned, node_index);
        break;
    case SLUICE_LAYOUT_RUN_END:
        lay_out_run_ends(owned, node_index);
        break;
    }
}

/* The extent that counts the rows of a child. */
static uint32_t extent_of_child(const sluice_place_node *node, uint32_t child)
{
    switch (node->field->layout) {
    case SLUICE_LAYOUT_STRUCT:
    case SLUICE_LAYOUT_SPARSE_UNION:
        return node->rows_extent;
    case SLUICE_LAYOUT_DENSE_UNION:
        return node->value_extent + child;
    default:
        return node->value_extent;
    }
}

static uint32_t add_node(owned_plan *owned, const sluice_field *source, const sluice_field *field,
                         uint32_t rows_extent)
{
    sluice_place_plan *plan = &owned->plan;
    const uint32_t index = plan->node_count++;
    sluice_place_node *node = &plan->nodes[index];

    *node = (sluice_place_node){
        .field = field,
        .source = source,
        .rows_extent = rows_extent,
        .value_extent = SLUICE_PLACE_NONE,
        .validity = SLUICE_PLACE_NONE,
        .values = SLUICE_PLACE_NONE,
        .data = SLUICE_PLACE_NONE,
        .dictionary = SLUICE_PLACE_NONE,
        .first_child = plan->child_count,
        .child_count = (uint32_t)field->child_count,
    };
    lay_out(owned, index);
    if (field->layout == SLUICE_LAYOUT_DICTIONARY) {
        node->dictionary = plan->dictionary_count;
        plan->dictionary_nodes[plan->dictionary_count++] = index;
    }
    plan->child_count += node->child_count;
    for (uint32_t child = 0; child < node->child_count; child++) {
        plan->children[node->first_child + child] =
            add_node(owned, &source->children[child], &field->children[child],
                     extent_of_child(node, child));
    }
    return index;
}

static sluice_status allocate_parts(owned_plan *owned, sluice_error *error)
{
    sluice_place_plan *plan = &owned->plan;
    const sluice_allocator *allocator = &owned->allocator;
    const uint32_t nodes = owned->node_capacity;

    plan->nodes = sluice_allocate_zeroed(allocator, nodes, sizeof(*plan->nodes));
    plan->children = sluice_allocate_zeroed(allocator, nodes, sizeof(*plan->children));
    plan->columns = sluice_allocate_zeroed(allocator, nodes, sizeof(*plan->columns));
    plan->dictionary_nodes =
        sluice_allocate_zeroed(allocator, nodes, sizeof(*plan->dictionary_nodes));
    plan->buffers =
        sluice_allocate_zeroed(allocator, owned->buffer_capacity, sizeof(*plan->buffers));
    plan->extents =
        sluice_allocate_zeroed(allocator, owned->extent_capacity, sizeof(*plan->extents));
    if (plan->nodes == NULL || plan->children == NULL || plan->columns == NULL ||
        plan->dictionary_nodes == NULL || plan->buffers == NULL || plan->extents == NULL)
        return sluice_fail_allocation(error, nodes * sizeof(*plan->nodes), "the plan of a schema");
    return SLUICE_OK;
}

sluice_status sluice_place_plan_new(sluice_schema *source_schema, sluice_schema *schema,
                                    const sluice_place_limits *limits,
                                    const sluice_allocator *allocator, sluice_place_plan **out,
                                    sluice_error *error)
{
    const sluice_field *source_root = sluice_schema_root(source_schema);
    const sluice_field *root = sluice_schema_root(schema);
    owned_plan *owned = sluice_allocate_zeroed(allocator, 1, sizeof(*owned));

    *out = NULL;
    if (owned == NULL)
        return sluice_fail_allocation(error, sizeof(*owned), "the plan of a schema");
    owned->allocator = sluice_allocator_or_default(allocator);
    owned->plan.schema = sluice_schema_ref(schema);
    owned->plan.source_schema = sluice_schema_ref(source_schema);
    owned->bytes_max = limits->bytes_max;
    owned->node_capacity = count_nodes(root);
    owned->buffer_capacity = owned->node_capacity * 3;
    owned->extent_capacity = owned->node_capacity * 2 + 1;
    atomic_init(&owned->owners, 1);

    const sluice_status status = allocate_parts(owned, error);
    if (status != SLUICE_OK) {
        sluice_place_plan_unref(&owned->plan);
        return status;
    }
    add_extent(owned, SLUICE_PLACE_NONE, SLUICE_PLACE_NONE, limits->rows_max);
    owned->plan.column_count = (uint32_t)root->child_count;
    for (uint32_t column = 0; column < owned->plan.column_count; column++)
        owned->plan.columns[column] =
            add_node(owned, &source_root->children[column], &root->children[column], 0);
    *out = &owned->plan;
    return SLUICE_OK;
}

sluice_place_plan *sluice_place_plan_ref(sluice_place_plan *plan)
{
    owned_plan *owned = (owned_plan *)plan;

    atomic_fetch_add_explicit(&owned->owners, 1, memory_order_relaxed);
    return plan;
}

void sluice_place_plan_unref(sluice_place_plan *plan)
{
    owned_plan *owned = (owned_plan *)plan;

    if (plan == NULL ||
        atomic_fetch_sub_explicit(&owned->owners, 1, memory_order_acq_rel) != 1)
        return;
    const sluice_allocator allocator = owned->allocator;
    const uint32_t nodes = owned->node_capacity;

    sluice_free(&allocator, plan->extents, owned->extent_capacity * sizeof(*plan->extents));
    sluice_free(&allocator, plan->buffers, owned->buffer_capacity * sizeof(*plan->buffers));
    sluice_free(&allocator, plan->dictionary_nodes, nodes * sizeof(*plan->dictionary_nodes));
    sluice_free(&allocator, plan->columns, nodes * sizeof(*plan->columns));
    sluice_free(&allocator, plan->children, nodes * sizeof(*plan->children));
    sluice_free(&allocator, plan->nodes, nodes * sizeof(*plan->nodes));
    sluice_schema_unref(plan->source_schema);
    sluice_schema_unref(plan->schema);
    sluice_free(&allocator, owned, sizeof(*owned));
}

size_t sluice_place_buffer_bytes(const sluice_place_buffer *buffer, int64_t units)
{
    const size_t counted = (size_t)units + (buffer->role == SLUICE_ROLE_OFFSETS ? 1 : 0);
    const size_t bytes =
        buffer->unit_bits == 1 ? (counted + 7) / 8 : counted * buffer->unit_bits / 8;

    return sluice_round_up(bytes, SLUICE_CACHE_LINE_BYTES);
}
