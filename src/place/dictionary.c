/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/dictionary.c - one growing dictionary for each dictionary column
 *
 * A hash table finds values by their bytes (place/value_bytes.h).  New values of an input batch
 * are copied, by the same code that copies rows, into a chunk; chunks are immutable batches.  A
 * snapshot needs one array, so chunks are joined when one is asked for that needs the newest
 * values, and not before: a dictionary that has stopped growing costs nothing more.
 */
#include "place/dictionary.h"

#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "place/block.h"
#include "place/value_bytes.h"

enum {
    SLOTS_MIN = 64,
    HELD_VALUES_MIN = 64, /* Smaller dictionaries are looked up again rather than held. */
    CHUNKS_JOINED_AT = SLUICE_BLOCK_PIECES_MAX,
    SLOT_FREE = -1
};

/* Where the bytes of a value are, and what they hash to. */
typedef struct known_value {
    uint64_t hash;
    size_t first;
    size_t byte_count;
} known_value;

/* Copies rows of the values column from chunks or arrays of one schema. */
typedef struct value_copier {
    sluice_place_plan *plan;
    sluice_shelf *shelf;
    sluice_dictionaries *dictionaries; /* Of dictionaries among the values. */
    sluice_block *block;
} value_copier;

typedef struct one_dictionary {
    sluice_mutex mutex; /* For all below. */
    sluice_buffer known;   /* known_value, in the order of the new indices. */
    uint64_t known_count;
    sluice_buffer bytes;   /* The bytes of all known values. */
    size_t byte_count;
    sluice_buffer slots;   /* int64_t: hash table of new indices. */
    uint64_t slot_count;
    sluice_schema *value_schema; /* One column: the values as they go out. */
    value_copier additions;      /* From input batches. */
    value_copier joins;          /* From chunks. */
    sluice_batch *chunks[CHUNKS_JOINED_AT];
    uint32_t chunk_count;
    uint64_t first_chunk_values; /* Values in chunks[0]. */
} one_dictionary;

struct sluice_dictionaries {
    sluice_place_plan *plan;
    sluice_pool *pool;
    sluice_allocator allocator;
    one_dictionary *all; /* One per dictionary of the plan. */
};

/* A schema that lies on the stack owns nothing. */
static void release_nothing(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

/* A schema whose only column is the field. */
static sluice_status wrap_field(const sluice_field *field, const sluice_allocator *allocator,
                                sluice_schema **out, sluice_error *error)
{
    struct ArrowSchema column;
    struct ArrowSchema *columns[] = {&column};
    struct ArrowSchema table = {.format = "+s",
                                .name = "",
                                .n_children = 1,
                                .children = columns,
                                .release = release_nothing};

    SLUICE_TRY(sluice_field_export(field, &column, error));
    const sluice_status status = sluice_schema_import(&table, allocator, out, error);
    column.release(&column);
    return status;
}

static void deinit_copier(value_copier *copier)
{
    sluice_block_free(copier->block);
    sluice_dictionaries_free(copier->dictionaries);
    sluice_shelf_unref(copier->shelf);
    sluice_place_plan_unref(copier->plan);
}

/* A copier of rows of source into schema.  What was made is the caller's to deinit also on
 * failure. */
static sluice_status init_copier(value_copier *copier, const sluice_dictionaries *owner,
                                 sluice_schema *source, sluice_schema *schema, sluice_error *error)
{
    const sluice_place_limits limits = {.rows_max = INT64_MAX / 64, .bytes_max = INT32_MAX};
    sluice_pool *pool = owner->pool;

    SLUICE_TRY(sluice_place_plan_new(source, schema, &limits, &owner->allocator, &copier->plan,
                                     error));
    sluice_slab *slab = sluice_slab_new(pool, &owner->allocator, false, false);
    copier->shelf =
        slab == NULL ? NULL : sluice_shelf_new(copier->plan, slab, &owner->allocator);
    sluice_slab_unref(slab);
    if (copier->shelf == NULL)
        return sluice_fail_allocation(error, sizeof(*copier), "a dictionary");
    SLUICE_TRY(sluice_dictionaries_new(copier->plan, pool, &owner->allocator,
                                       &copier->dictionaries, error));
    const sluice_block_options options = {
        .plan = copier->plan,
        .kernels = &sluice_kernels_portable,
        .dictionaries = copier->dictionaries,
        .pool = pool,
        .partition_count = 2,
        .allocator = &owner->allocator,
    };
    return sluice_block_new(&options, &copier->block, error);
}

static sluice_status init_dictionary(sluice_dictionaries *owner, uint32_t index,
                                     sluice_error *error)
{
    one_dictionary *dictionary = &owner->all[index];
    const sluice_place_node *node = &owner->plan->nodes[owner->plan->dictionary_nodes[index]];
    sluice_schema *source = NULL;

    SLUICE_TRY(wrap_field(node->source->dictionary, &owner->allocator, &source, error));
    sluice_status status =
        wrap_field(node->field->dictionary, &owner->allocator, &dictionary->value_schema, error);
    if (status == SLUICE_OK)
        status = init_copier(&dictionary->additions, owner, source, dictionary->value_schema,
                             error);
    if (status == SLUICE_OK)
        status = init_copier(&dictionary->joins, owner, dictionary->value_schema,
                             dictionary->value_schema, error);
    sluice_schema_unref(source);
    return status;
}

sluice_status sluice_dictionaries_new(sluice_place_plan *plan, sluice_pool *pool,
                                      const sluice_allocator *allocator,
                                      sluice_dictionaries **out, sluice_error *error)
{
    sluice_dictionaries *made = sluice_allocate_zeroed(allocator, 1, sizeof(*made));

    *out = NULL;
    if (made == NULL)
        return sluice_fail_allocation(error, sizeof(*made), "dictionaries");
    made->allocator = sluice_allocator_or_default(allocator);
    made->plan = sluice_place_plan_ref(plan);
    made->pool = sluice_pool_ref(pool);
    made->all =
        sluice_allocate_zeroed(allocator, (size_t)plan->dictionary_count + 1, sizeof(*made->all));
    sluice_status status = made->all == NULL
                               ? sluice_fail_allocation(error, sizeof(*made->all), "dictionaries")
                               : SLUICE_OK;
    for (uint32_t index = 0; status == SLUICE_OK && index < plan->dictionary_count; index++) {
        one_dictionary *dictionary = &made->all[index];

        sluice_mutex_init(&dictionary->mutex);
        sluice_buffer_init(&dictionary->known, pool, &made->allocator);
        sluice_buffer_init(&dictionary->bytes, pool, &made->allocator);
        sluice_buffer_init(&dictionary->slots, pool, &made->allocator);
    }
    for (uint32_t index = 0; status == SLUICE_OK && index < plan->dictionary_count; index++)
        status = init_dictionary(made, index, error);
    if (status != SLUICE_OK) {
        sluice_dictionaries_free(made);
        return status;
    }
    *out = made;
    return SLUICE_OK;
}

static void deinit_dictionary(one_dictionary *dictionary)
{
    for (uint32_t chunk = 0; chunk < dictionary->chunk_count; chunk++)
        sluice_batch_unref(dictionary->chunks[chunk]);
    deinit_copier(&dictionary->joins);
    deinit_copier(&dictionary->additions);
    sluice_schema_unref(dictionary->value_schema);
    sluice_buffer_deinit(&dictionary->slots);
    sluice_buffer_deinit(&dictionary->bytes);
    sluice_buffer_deinit(&dictionary->known);
    sluice_mutex_deinit(&dictionary->mutex);
}

void sluice_dictionaries_free(sluice_dictionaries *dictionaries)
{
    if (dictionaries == NULL)
        return;
    const sluice_allocator allocator = dictionaries->allocator;
    const size_t count = dictionaries->plan->dictionary_count;

    if (dictionaries->all != NULL) {
        for (size_t index = 0; index < count; index++)
            deinit_dictionary(&dictionaries->all[index]);
        sluice_free(&allocator, dictionaries->all, (count + 1) * sizeof(*dictionaries->all));
    }
    sluice_place_plan_unref(dictionaries->plan);
    sluice_pool_unref(dictionaries->pool);
    sluice_free(&allocator, dictionaries, sizeof(*dictionaries));
}

void sluice_dictionary_remap_init(sluice_dictionary_remap *remap, sluice_pool *pool,
                                  const sluice_allocator *allocator)
{
    *remap = (sluice_dictionary_remap){0};
    sluice_buffer_init(&remap->indices, pool, allocator);
}

void sluice_dictionary_remap_deinit(sluice_dictionary_remap *remap)
{
    sluice_batch_unref(remap->held);
    remap->held = NULL;
    sluice_buffer_deinit(&remap->indices);
}

bool sluice_dictionary_remap_is_of(const sluice_dictionary_remap *remap,
                                   const sluice_column *values)
{
    return remap->held != NULL && remap->values[0] == values->validity &&
           remap->values[1] == values->values && remap->values[2] == values->data &&
           remap->row_first == values->offset && remap->row_count == values->row_count;
}

/* Remember what the remap is of, where holding the batch is worth more than looking up again. */
static void hold(sluice_dictionary_remap *remap, sluice_batch *batch, const sluice_column *values)
{
    sluice_batch_unref(remap->held);
    remap->held = NULL;
    if (values->row_count < HELD_VALUES_MIN || values->field->child_count > 0 ||
        values->dictionary != NULL)
        return;
    remap->held = sluice_batch_ref(batch);
    remap->values[0] = values->validity;
    remap->values[1] = values->values;
    remap->values[2] = values->data;
    remap->row_first = values->offset;
    remap->row_count = values->row_count;
}

/* Put a known value into the first free slot behind its hash. */
static void occupy_slot(int64_t *slots, uint64_t slot_count, uint64_t hash, int64_t index)
{
    uint64_t slot = hash & (slot_count - 1);

    while (slots[slot] != SLOT_FREE)
        slot = (slot + 1) & (slot_count - 1);
    slots[slot] = index;
}

/* Keep at least half of the slots free. */
static sluice_status have_slots(one_dictionary *dictionary, uint64_t value_count,
                                sluice_error *error)
{
    uint64_t slot_count = dictionary->slot_count == 0 ? SLOTS_MIN : dictionary->slot_count;

    while (slot_count < value_count * 2)
        slot_count *= 2;
    if (slot_count == dictionary->slot_count)
        return SLUICE_OK;
    SLUICE_TRY(sluice_buffer_reserve(&dictionary->slots, slot_count, sizeof(int64_t),
                                     "a dictionary", error));
    int64_t *slots = dictionary->slots.bytes;
    const known_value *known = dictionary->known.bytes;

    for (uint64_t slot = 0; slot < slot_count; slot++)
        slots[slot] = SLOT_FREE;
    dictionary->slot_count = slot_count;
    for (uint64_t index = 0; index < dictionary->known_count; index++)
        occupy_slot(slots, slot_count, known[index].hash, (int64_t)index);
    return SLUICE_OK;
}

/* The index of a value whose bytes follow the known ones; SLOT_FREE when it is new. */
static int64_t find_value(const one_dictionary *dictionary, uint64_t hash, size_t byte_count)
{
    const int64_t *slots = dictionary->slots.bytes;
    const known_value *known = dictionary->known.bytes;
    const uint8_t *bytes = dictionary->bytes.bytes;
    const uint64_t mask = dictionary->slot_count - 1;

    for (uint64_t slot = hash & mask; slots[slot] != SLOT_FREE; slot = (slot + 1) & mask) {
        const known_value *candidate = &known[slots[slot]];

        if (candidate->hash == hash && candidate->byte_count == byte_count &&
            memcmp(bytes + candidate->first, bytes + dictionary->byte_count, byte_count) == 0)
            return slots[slot];
    }
    return SLOT_FREE;
}

/* The index of one value, which is added when it is new. */
static sluice_status find_or_add(one_dictionary *dictionary, const sluice_column *values,
                                 int64_t row, int64_t *index, sluice_error *error)
{
    size_t end = dictionary->byte_count;

    SLUICE_TRY(have_slots(dictionary, dictionary->known_count + 1, error));
    SLUICE_TRY(sluice_value_bytes_append(values, row, &dictionary->bytes, &end, error));
    const size_t byte_count = end - dictionary->byte_count;
    const uint64_t hash =
        XXH3_64bits((const uint8_t *)dictionary->bytes.bytes + dictionary->byte_count, byte_count);

    *index = find_value(dictionary, hash, byte_count);
    if (*index != SLOT_FREE)
        return SLUICE_OK;
    SLUICE_TRY(sluice_buffer_grow(&dictionary->known,
                                  (dictionary->known_count + 1) * sizeof(known_value),
                                  dictionary->known_count * sizeof(known_value), "a dictionary",
                                  error));
    *index = (int64_t)dictionary->known_count;
    ((known_value *)dictionary->known.bytes)[dictionary->known_count++] = (known_value){
        .hash = hash, .first = dictionary->byte_count, .byte_count = byte_count};
    dictionary->byte_count = end;
    occupy_slot(dictionary->slots.bytes, dictionary->slot_count, hash, *index);
    return SLUICE_OK;
}

/* Copy the first rows of the block's destination order into a batch of their own. */
static sluice_status copy_values(value_copier *copier, const sluice_dictionaries *owner,
                                 sluice_schema *schema, sluice_batch **out, sluice_error *error)
{
    struct ArrowArray array;
    sluice_open_batch *batch;

    SLUICE_TRY(sluice_block_arrange(copier->block, error));
    SLUICE_TRY(sluice_block_measure(copier->block, error));
    SLUICE_TRY(sluice_block_gather(copier->block, 0, sluice_block_start(copier->block, 1),
                                   copier->shelf, &batch, error));
    SLUICE_TRY(sluice_dictionaries_export(copier->dictionaries, batch, &array, error));
    const sluice_status status =
        sluice_batch_import(schema, &array, false, &owner->allocator, out, error);
    if (status != SLUICE_OK)
        array.release(&array);
    return status;
}

/* All chunks become one. */
static sluice_status join_chunks(const sluice_dictionaries *owner, one_dictionary *dictionary,
                                 sluice_error *error)
{
    value_copier *copier = &dictionary->joins;
    sluice_batch *joined = NULL;
    sluice_status status = SLUICE_OK;

    for (uint32_t chunk = 0; status == SLUICE_OK && chunk < dictionary->chunk_count; chunk++) {
        sluice_batch *batch = dictionary->chunks[chunk];
        const int64_t rows = sluice_batch_rows(batch);
        sluice_piece *piece;

        status = sluice_block_add(copier->block, batch, 0, rows, &piece, error);
        if (status == SLUICE_OK && rows > 0)
            memset(sluice_block_ids(copier->block, piece), 0, (size_t)rows * sizeof(uint32_t));
    }
    if (status == SLUICE_OK)
        status = copy_values(copier, owner, dictionary->value_schema, &joined, error);
    sluice_block_clear(copier->block);
    if (status != SLUICE_OK)
        return status;
    for (uint32_t chunk = 0; chunk < dictionary->chunk_count; chunk++)
        sluice_batch_unref(dictionary->chunks[chunk]);
    dictionary->chunks[0] = joined;
    dictionary->chunk_count = 1;
    dictionary->first_chunk_values = (uint64_t)sluice_batch_rows(joined);
    return SLUICE_OK;
}

/* The rows with id 0, values that were not known before, become a chunk. */
static sluice_status add_chunk(const sluice_dictionaries *owner, one_dictionary *dictionary,
                               sluice_error *error)
{
    sluice_batch *chunk;

    if (dictionary->chunk_count == CHUNKS_JOINED_AT)
        SLUICE_TRY(join_chunks(owner, dictionary, error));
    SLUICE_TRY(copy_values(&dictionary->additions, owner, dictionary->value_schema, &chunk, error));
    dictionary->chunks[dictionary->chunk_count++] = chunk;
    if (dictionary->chunk_count == 1)
        dictionary->first_chunk_values = (uint64_t)sluice_batch_rows(chunk);
    return SLUICE_OK;
}

static sluice_status unify_values(const sluice_dictionaries *owner, one_dictionary *dictionary,
                                  sluice_batch *batch, const sluice_column *values,
                                  sluice_dictionary_remap *remap, sluice_error *error)
{
    sluice_block *block = dictionary->additions.block;
    const uint64_t known_before = dictionary->known_count;
    int64_t *indices = remap->indices.bytes;
    sluice_piece *piece;

    if (values->row_count > SLUICE_BLOCK_ROWS_MAX - (int64_t)known_before)
        return sluice_fail(error, SLUICE_UNSUPPORTED,
                           "a dictionary of %lld more values than the %llu there are; at most %d "
                           "are possible",
                           (long long)values->row_count, (unsigned long long)known_before,
                           SLUICE_BLOCK_ROWS_MAX);
    SLUICE_TRY(sluice_block_add_values(block, batch, values, &piece, error));
    uint32_t *ids = sluice_block_ids(block, piece);

    for (int64_t row = 0; row < values->row_count; row++) {
        const uint64_t known = dictionary->known_count;

        SLUICE_TRY(find_or_add(dictionary, values, row, &indices[row], error));
        ids[row] = dictionary->known_count > known ? 0 : 1;
    }
    remap->value_count = dictionary->known_count;
    return dictionary->known_count > known_before ? add_chunk(owner, dictionary, error) : SLUICE_OK;
}

sluice_status sluice_dictionary_unify(sluice_dictionaries *dictionaries, uint32_t dictionary,
                                      sluice_batch *batch, const sluice_column *values,
                                      sluice_dictionary_remap *remap, sluice_error *error)
{
    one_dictionary *chosen = &dictionaries->all[dictionary];

    sluice_batch_unref(remap->held);
    remap->held = NULL;
    SLUICE_TRY(sluice_buffer_reserve(&remap->indices, (size_t)values->row_count, sizeof(int64_t),
                                     "dictionary indices", error));
    sluice_mutex_lock(&chosen->mutex);
    const sluice_status status = unify_values(dictionaries, chosen, batch, values, remap, error);
    sluice_block_clear(chosen->additions.block);
    sluice_mutex_unlock(&chosen->mutex);
    if (status == SLUICE_OK)
        hold(remap, batch, values);
    return status;
}

/* One array of at least value_count values. */
static sluice_status snapshot(const sluice_dictionaries *owner, one_dictionary *dictionary,
                              uint64_t value_count, struct ArrowArray *out, sluice_error *error)
{
    struct ArrowArray table;

    if (dictionary->chunk_count == 0)
        SLUICE_TRY(add_chunk(owner, dictionary, error));
    if (dictionary->first_chunk_values < value_count)
        SLUICE_TRY(join_chunks(owner, dictionary, error));
    sluice_batch *values = dictionary->chunks[0];

    SLUICE_TRY(sluice_batch_export(values, 0, sluice_batch_rows(values), &table, error));
    *out = *table.children[0];
    table.children[0]->release = NULL;
    table.release(&table);
    return SLUICE_OK;
}

/* An array of every dictionary into the batch.  On failure none is left. */
static sluice_status take_snapshots(sluice_dictionaries *dictionaries, sluice_open_batch *batch,
                                    sluice_error *error)
{
    struct ArrowArray *taken = batch->dictionaries;

    for (uint32_t index = 0; index < dictionaries->plan->dictionary_count; index++) {
        one_dictionary *dictionary = &dictionaries->all[index];

        sluice_mutex_lock(&dictionary->mutex);
        const sluice_status status = snapshot(
            dictionaries, dictionary, batch->dictionary_values[index], &taken[index], error);
        sluice_mutex_unlock(&dictionary->mutex);
        if (status == SLUICE_OK)
            continue;
        while (index-- > 0)
            taken[index].release(&taken[index]);
        return status;
    }
    return SLUICE_OK;
}

sluice_status sluice_dictionaries_export(sluice_dictionaries *dictionaries,
                                         sluice_open_batch *batch, struct ArrowArray *out,
                                         sluice_error *error)
{
    const sluice_status status = take_snapshots(dictionaries, batch, error);

    if (status == SLUICE_OK)
        sluice_open_batch_export(batch, out);
    else
        sluice_open_batch_free(batch);
    return status;
}
