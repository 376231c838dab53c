/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/export.c - a filled batch as an Arrow array
 *
 * The arrays of all nodes lie in the batch itself.  Each of them, and the root, owns a share of
 * the batch, because a consumer may move a child out and release the rest.
 */
#include <string.h>

#include "base/compiler.h"
#include "place/open_batch.h"
#include "place/shelf.h"

/* What empty buffers point at: enough for the one offset of an empty list. */
static const uint64_t no_values[8];

static void drop_share(sluice_open_batch *batch)
{
    if (atomic_fetch_sub_explicit(&batch->owners, 1, memory_order_acq_rel) == 1)
        sluice_open_batch_free(batch);
}

static void release_array(struct ArrowArray *array)
{
    sluice_open_batch *batch = array->private_data;

    for (int64_t child = 0; child < array->n_children; child++) {
        if (array->children[child]->release != NULL)
            array->children[child]->release(array->children[child]);
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    array->release = NULL;
    drop_share(batch);
}

static const void *buffer_or_empty(const sluice_open_batch *batch, uint32_t buffer)
{
    const void *bytes = batch->buffers[buffer].bytes;

    return bytes == NULL ? no_values : bytes;
}

/* The buffers of a node in the order of its layout; returns how many. */
static int64_t list_buffers(sluice_open_batch *batch, uint32_t node_index, const void **buffers)
{
    const sluice_place_node *node = &batch->plan->nodes[node_index];
    int64_t count = 0;

    if (node->validity != SLUICE_PLACE_NONE) {
        const int64_t nulls = atomic_load_explicit(&batch->null_counts[node_index],
                                                   memory_order_relaxed);
        buffers[count++] = nulls == 0 ? NULL : buffer_or_empty(batch, node->validity);
    }
    if (node->values != SLUICE_PLACE_NONE)
        buffers[count++] = buffer_or_empty(batch, node->values);
    if (node->field->layout == SLUICE_LAYOUT_BYTES_VIEW) {
        const int64_t bytes = batch->used[node->value_extent];

        batch->view_bytes[node_index] = bytes;
        if (bytes > 0)
            buffers[count++] = buffer_or_empty(batch, node->data);
        buffers[count++] = &batch->view_bytes[node_index];
    } else if (node->data != SLUICE_PLACE_NONE) {
        buffers[count++] = buffer_or_empty(batch, node->data);
    }
    SLUICE_ASSERT(count <= SLUICE_ARRAY_BUFFERS_MAX);
    return count;
}

static void export_node(sluice_open_batch *batch, uint32_t node_index)
{
    const sluice_place_plan *plan = batch->plan;
    const sluice_place_node *node = &plan->nodes[node_index];
    const void **buffers = &batch->array_buffers[(size_t)node_index * SLUICE_ARRAY_BUFFERS_MAX];
    const int64_t rows = batch->used[node->rows_extent];
    const bool is_null_type = node->field->layout == SLUICE_LAYOUT_NULL;

    for (uint32_t child = 0; child < node->child_count; child++)
        batch->children[node->first_child + child] =
            &batch->arrays[plan->children[node->first_child + child]];
    batch->arrays[node_index] = (struct ArrowArray){
        .length = rows,
        .null_count = is_null_type ? rows
                                   : atomic_load_explicit(&batch->null_counts[node_index],
                                                          memory_order_relaxed),
        .n_buffers = list_buffers(batch, node_index, buffers),
        .n_children = node->child_count,
        .buffers = buffers,
        .children = node->child_count == 0 ? NULL : &batch->children[node->first_child],
        .dictionary = node->dictionary == SLUICE_PLACE_NONE
                          ? NULL
                          : &batch->dictionaries[node->dictionary],
        .release = release_array,
        .private_data = batch,
    };
}

void sluice_open_batch_export(sluice_open_batch *batch, struct ArrowArray *out)
{
    const sluice_place_plan *plan = batch->plan;
    struct ArrowArray **columns = &batch->children[plan->child_count];
    const void **root_buffers =
        &batch->array_buffers[(size_t)plan->node_count * SLUICE_ARRAY_BUFFERS_MAX];

    SLUICE_ASSERT((atomic_load(&batch->pending) & ~SLUICE_PENDING_SEALED) == 1);
    for (uint32_t node = 0; node < plan->node_count; node++)
        export_node(batch, node);
    for (uint32_t column = 0; column < plan->column_count; column++)
        columns[column] = &batch->arrays[plan->columns[column]];
    root_buffers[0] = NULL;
    atomic_store_explicit(&batch->owners, plan->node_count + 1, memory_order_relaxed);
    *out = (struct ArrowArray){
        .length = batch->used[0],
        .n_buffers = 1,
        .n_children = plan->column_count,
        .buffers = root_buffers,
        .children = columns,
        .release = release_array,
        .private_data = batch,
    };
}
