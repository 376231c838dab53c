/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/canonical_nested.c - canonical values of nested and encoded columns
 *
 * Elements of lists, members of unions and values of runs are asked for one by one, mostly in
 * ascending order.  get_element() serves them from a window over the column below; the window is
 * filled by one call for many elements, and doubles as long as the order holds, so that sequential
 * reading costs what a block costs and jumping about wastes little.
 */
#include "route/canonical_nested.h"

#include "base/alloc.h"
#include "base/math.h"
#include "kernel/mix.h"

enum { ELEMENT_STEP_MIN = 8 };

static void fetch_elements(canonical_part *part, const sluice_column *column, int64_t element)
{
    const int64_t end = part->cached_first + part->cached_count;
    const bool is_ahead =
        part->cached_count > 0 && element >= end && element - end < part->cached_count;

    part->step = is_ahead
                     ? sluice_min_int64(part->step * 2, SLUICE_CANONICAL_BLOCK_ROWS)
                     : ELEMENT_STEP_MIN;
    part->cached_first = element;
    part->cached_count = sluice_min_int64(part->step, column->row_count - element);
    sluice_canonical_fill(part->canonical, column, element, (size_t)part->cached_count,
                          part->cache);
}

static uint64_t get_element(canonical_part *part, const sluice_column *column, int64_t element)
{
    /* Unsigned, so that an element before the window is far behind it. */
    if ((uint64_t)(element - part->cached_first) >= (uint64_t)part->cached_count)
        fetch_elements(part, column, element);
    return part->cache[element - part->cached_first];
}

void sluice_canonical_fill_lists(sluice_canonical *canonical, const sluice_column *column,
                                 int64_t first, size_t row_count, uint64_t *restrict values)
{
    const sluice_column *elements = &column->children[0];

    for (size_t row = 0; row < row_count; row++) {
        if (sluice_column_is_null(column, first + (int64_t)row))
            continue;
        const sluice_list_range range = sluice_column_list(column, first + (int64_t)row);
        uint64_t value = sluice_mix(SLUICE_CANONICAL_LIST + (uint64_t)range.count);

        for (int64_t i = 0; i < range.count; i++) {
            value = sluice_mix_fold(value, get_element(&canonical->parts[0], elements,
                                                       range.first + i));
        }
        values[row] = value;
    }
}

void sluice_canonical_fill_structs(sluice_canonical *canonical, const sluice_column *column,
                                   int64_t first, size_t row_count, uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++)
        values[row] = SLUICE_CANONICAL_STRUCT;
    for (size_t i = 0; i < canonical->part_count; i++) {
        sluice_canonical_fill(canonical->parts[i].canonical, &column->children[i], first,
                              row_count, canonical->block);
        canonical->kernels->hash_fold(canonical->block, row_count, values);
    }
}

void sluice_canonical_fill_unions(sluice_canonical *canonical, const sluice_column *column,
                                  int64_t first, size_t row_count, uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++) {
        const sluice_union_value value = sluice_column_union(column, first + (int64_t)row);
        const uint64_t start = sluice_mix(SLUICE_CANONICAL_UNION + value.type_id);

        values[row] = sluice_mix_fold(start, get_element(&canonical->parts[value.child],
                                                         &column->children[value.child],
                                                         value.row));
    }
}

/*
 * Compute the values of the whole dictionary, when it is no longer than the column, so that this
 * pays.  False when it does not or when there is no memory for it: then each row looks up its own.
 */
static bool prepare_dictionary(sluice_canonical *canonical, const sluice_column *column)
{
    const sluice_column *dictionary = column->dictionary;
    const size_t value_count = (size_t)dictionary->row_count;

    if (canonical->is_dictionary_ready)
        return true;
    if (dictionary->row_count > column->row_count)
        return false;
    if (value_count > canonical->dictionary_capacity) {
        sluice_free(canonical->allocator, canonical->dictionary_values,
                    canonical->dictionary_capacity * sizeof(*canonical->dictionary_values));
        canonical->dictionary_capacity = 0;
        canonical->dictionary_values = sluice_allocate_zeroed(
            canonical->allocator, value_count, sizeof(*canonical->dictionary_values));
        if (canonical->dictionary_values == NULL)
            return false;
        canonical->dictionary_capacity = value_count;
    }
    for (size_t value = 0; value < value_count; value += SLUICE_CANONICAL_BLOCK_ROWS) {
        sluice_canonical_fill(canonical->parts[0].canonical, dictionary, (int64_t)value,
                              sluice_min_size(value_count - value, SLUICE_CANONICAL_BLOCK_ROWS),
                              canonical->dictionary_values + value);
    }
    canonical->is_dictionary_ready = true;
    return true;
}

/* Null rows are left out: their index may be anything. */
void sluice_canonical_fill_dictionary(sluice_canonical *canonical, const sluice_column *column,
                                      int64_t first, size_t row_count, uint64_t *restrict values)
{
    const bool is_ready = prepare_dictionary(canonical, column);

    for (size_t row = 0; row < row_count; row++) {
        if (sluice_column_is_null(column, first + (int64_t)row))
            continue;
        const int64_t index = sluice_column_dictionary_index(column, first + (int64_t)row);

        SLUICE_ASSERT(index >= 0 && index < column->dictionary->row_count);
        values[row] = is_ready ? canonical->dictionary_values[index]
                               : get_element(&canonical->parts[0], column->dictionary, index);
    }
}

void sluice_canonical_fill_runs(sluice_canonical *canonical, const sluice_column *column,
                                int64_t first, size_t row_count, uint64_t *restrict values)
{
    const int64_t last_run = column->children[0].row_count - 1;
    const int64_t row_end = (int64_t)row_count;
    int64_t row = 0;

    for (int64_t run = sluice_column_run(column, first); row < row_end; run++) {
        /* The last run has all that is left, so that this ends whatever the run ends are. */
        const int64_t end = run >= last_run ? row_end : sluice_column_run_end(column, run) - first;
        const uint64_t value = get_element(&canonical->parts[1], &column->children[1], run);

        for (; row < end && row < row_end; row++)
            values[row] = value;
    }
}
