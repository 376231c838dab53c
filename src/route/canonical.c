/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/canonical.c - canonical values of flat columns, and the tree they are made with
 *
 * The type is looked at once for each block; the loops below it are as plain as they can be, so
 * that the compiler makes vectors of them.  Nulls are put in afterwards.
 */
#include "route/canonical.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/math.h"
#include "kernel/mix.h"
#include "route/canonical_nested.h"
#include "route/float_bits.h"

/* Widen row_count numbers of a type to 64 bits, signs included. */
#define WIDEN(type)                                                                                \
    static void widen_##type(const uint8_t *source, size_t row_count, uint64_t *restrict values)  \
    {                                                                                              \
        for (size_t row = 0; row < row_count; row++) {                                             \
            type##_t value;                                                                        \
                                                                                                   \
            memcpy(&value, source + row * sizeof(value), sizeof(value));                           \
            values[row] = (uint64_t)value;                                                         \
        }                                                                                          \
    }

WIDEN(int8)
WIDEN(int16)
WIDEN(int32)
WIDEN(uint8)
WIDEN(uint16)
WIDEN(uint32)
#undef WIDEN

static void canonicalize_float16(const uint8_t *source, size_t row_count,
                                 uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++) {
        uint16_t bits;

        memcpy(&bits, source + row * sizeof(bits), sizeof(bits));
        values[row] = sluice_float_canonical(sluice_float16_widen(bits));
    }
}

/* The processor's conversion will do: what it changes in a NaN is not looked at. */
static void canonicalize_float32(const uint8_t *source, size_t row_count,
                                 uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++) {
        float narrow;
        uint64_t bits;

        memcpy(&narrow, source + row * sizeof(narrow), sizeof(narrow));
        const double wide = narrow;

        memcpy(&bits, &wide, sizeof(bits));
        values[row] = sluice_float_canonical(bits);
    }
}

static void canonicalize_float64(const uint8_t *source, size_t row_count,
                                 uint64_t *restrict values)
{
    memcpy(values, source, row_count * sizeof(*values));
    for (size_t row = 0; row < row_count; row++)
        values[row] = sluice_float_canonical(values[row]);
}

/* A decimal of word_count words: the number itself when one word holds it. */
static void canonicalize_wide_decimal(const uint8_t *source, size_t word_count, size_t row_count,
                                      uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++) {
        const uint8_t *number = source + row * word_count * 8;
        uint64_t words[4];
        size_t used = word_count;

        memcpy(words, number, word_count * 8);
        while (used > 1 && words[used - 1] == (uint64_t)((int64_t)words[used - 2] >> 63))
            used--;
        values[row] = used == 1 ? words[0] : XXH3_64bits(number, used * 8);
    }
}

/* Arrow has the days in the lower half of the word, the canonical value in the upper. */
static void canonicalize_day_time(const uint8_t *source, size_t row_count,
                                  uint64_t *restrict values)
{
    memcpy(values, source, row_count * sizeof(*values));
    for (size_t row = 0; row < row_count; row++)
        values[row] = values[row] << 32 | values[row] >> 32;
}

static void canonicalize_blobs(const uint8_t *source, size_t byte_width, size_t row_count,
                               uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++)
        values[row] = XXH3_64bits(source + row * byte_width, byte_width);
}

static void fill_fixed(const sluice_column *column, int64_t first, size_t row_count,
                       uint64_t *restrict values)
{
    const size_t byte_width = (size_t)column->field->byte_width;
    const uint8_t *source =
        (const uint8_t *)column->values + (size_t)(column->offset + first) * byte_width;

    switch (column->field->type) {
    case SLUICE_TYPE_INT8:
        widen_int8(source, row_count, values);
        return;
    case SLUICE_TYPE_INT16:
        widen_int16(source, row_count, values);
        return;
    case SLUICE_TYPE_INT32:
    case SLUICE_TYPE_DECIMAL32:
    case SLUICE_TYPE_DATE32:
    case SLUICE_TYPE_TIME32:
    case SLUICE_TYPE_INTERVAL_MONTHS:
        widen_int32(source, row_count, values);
        return;
    case SLUICE_TYPE_UINT8:
        widen_uint8(source, row_count, values);
        return;
    case SLUICE_TYPE_UINT16:
        widen_uint16(source, row_count, values);
        return;
    case SLUICE_TYPE_UINT32:
        widen_uint32(source, row_count, values);
        return;
    case SLUICE_TYPE_INT64:
    case SLUICE_TYPE_UINT64:
    case SLUICE_TYPE_DECIMAL64:
    case SLUICE_TYPE_DATE64:
    case SLUICE_TYPE_TIME64:
    case SLUICE_TYPE_TIMESTAMP:
    case SLUICE_TYPE_DURATION:
        memcpy(values, source, row_count * sizeof(*values));
        return;
    case SLUICE_TYPE_FLOAT16:
        canonicalize_float16(source, row_count, values);
        return;
    case SLUICE_TYPE_FLOAT32:
        canonicalize_float32(source, row_count, values);
        return;
    case SLUICE_TYPE_FLOAT64:
        canonicalize_float64(source, row_count, values);
        return;
    case SLUICE_TYPE_DECIMAL128:
    case SLUICE_TYPE_DECIMAL256:
        canonicalize_wide_decimal(source, byte_width / 8, row_count, values);
        return;
    case SLUICE_TYPE_INTERVAL_DAY_TIME:
        canonicalize_day_time(source, row_count, values);
        return;
    case SLUICE_TYPE_INTERVAL_MONTH_DAY_NANO:
    case SLUICE_TYPE_FIXED_SIZE_BINARY:
        canonicalize_blobs(source, byte_width, row_count, values);
        return;
    case SLUICE_TYPE_NULL: /* These have other layouts. */
    case SLUICE_TYPE_BOOL:
    case SLUICE_TYPE_BINARY:
    case SLUICE_TYPE_UTF8:
    case SLUICE_TYPE_LIST:
    case SLUICE_TYPE_MAP:
    case SLUICE_TYPE_STRUCT:
    case SLUICE_TYPE_UNION:
        SLUICE_ASSERT(false);
    }
}

static void fill_bits(const sluice_column *column, int64_t first, size_t row_count,
                      uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++)
        values[row] = sluice_bit_get(column->values, column->offset + first + (int64_t)row);
}

/* Null rows are left out: a view may hold anything there. */
static void fill_bytes(const sluice_column *column, int64_t first, size_t row_count,
                       uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++) {
        if (sluice_column_is_null(column, first + (int64_t)row))
            continue;
        const sluice_bytes_view view = sluice_column_bytes(column, first + (int64_t)row);

        values[row] = XXH3_64bits(view.bytes, (size_t)view.byte_count);
    }
}

static void fill_constant(uint64_t constant, size_t row_count, uint64_t *restrict values)
{
    for (size_t row = 0; row < row_count; row++)
        values[row] = constant;
}

/* Put the null constant where a row is null.  Eight rows without nulls cost one comparison. */
static void fill_nulls(const sluice_column *column, int64_t first, size_t row_count,
                       uint64_t *restrict values)
{
    const int64_t start = column->offset + first;
    size_t row = 0;

    if (column->validity == NULL)
        return;
    while (row < row_count) {
        const int64_t bit = start + (int64_t)row;

        if ((bit & 7) == 0 && row_count - row >= 8 && column->validity[bit >> 3] == 0xff) {
            row += 8;
            continue;
        }
        if (!sluice_bit_get(column->validity, bit))
            values[row] = SLUICE_CANONICAL_NULL;
        row++;
    }
}

void sluice_canonical_fill(sluice_canonical *canonical, const sluice_column *column, int64_t first,
                           size_t row_count, uint64_t *restrict values)
{
    SLUICE_ASSERT(row_count <= SLUICE_CANONICAL_BLOCK_ROWS);
    SLUICE_ASSERT(first >= 0);
    SLUICE_ASSERT(first + (int64_t)row_count <= column->row_count);
    if (row_count == 0)
        return;
    switch (column->field->layout) {
    case SLUICE_LAYOUT_NULL:
        fill_constant(SLUICE_CANONICAL_NULL, row_count, values);
        return;
    case SLUICE_LAYOUT_BITS:
        fill_bits(column, first, row_count, values);
        break;
    case SLUICE_LAYOUT_FIXED:
        fill_fixed(column, first, row_count, values);
        break;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW:
        fill_bytes(column, first, row_count, values);
        break;
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        sluice_canonical_fill_lists(canonical, column, first, row_count, values);
        break;
    case SLUICE_LAYOUT_STRUCT:
        sluice_canonical_fill_structs(canonical, column, first, row_count, values);
        break;
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        sluice_canonical_fill_unions(canonical, column, first, row_count, values);
        return;
    case SLUICE_LAYOUT_DICTIONARY:
        sluice_canonical_fill_dictionary(canonical, column, first, row_count, values);
        break;
    case SLUICE_LAYOUT_RUN_END:
        sluice_canonical_fill_runs(canonical, column, first, row_count, values);
        return;
    }
    fill_nulls(column, first, row_count, values);
}

const uint64_t *sluice_canonical_direct(const sluice_column *column)
{
    const sluice_type type = column->field->type;
    const bool is_plain = type == SLUICE_TYPE_INT64 || type == SLUICE_TYPE_UINT64 ||
                          type == SLUICE_TYPE_DECIMAL64 || type == SLUICE_TYPE_DATE64 ||
                          type == SLUICE_TYPE_TIME64 || type == SLUICE_TYPE_TIMESTAMP ||
                          type == SLUICE_TYPE_DURATION;

    if (column->field->layout != SLUICE_LAYOUT_FIXED || !is_plain || column->validity != NULL)
        return NULL;
    if ((uintptr_t)column->values % sizeof(uint64_t) != 0)
        return NULL;
    return (const uint64_t *)column->values + column->offset;
}

/* The children of a field and its dictionary, as one list. */
static const sluice_field *get_part(const sluice_field *field, size_t index)
{
    return index < field->child_count ? &field->children[index] : field->dictionary;
}

static size_t count_parts(const sluice_field *field)
{
    return field->child_count + (field->dictionary != NULL);
}

sluice_status sluice_canonical_new(const sluice_field *field, const sluice_kernels *kernels,
                                   const sluice_allocator *allocator, sluice_canonical **out,
                                   sluice_error *error)
{
    const size_t part_count = count_parts(field);
    sluice_canonical *canonical = sluice_allocate_zeroed(allocator, 1, sizeof(*canonical));
    sluice_status status = SLUICE_OK;

    *out = NULL;
    if (canonical == NULL)
        return sluice_fail_allocation(error, sizeof(*canonical), "key hashing");
    canonical->kernels = kernels;
    canonical->allocator = allocator;
    canonical->part_count = part_count;
    if (part_count > 0) {
        const size_t parts_bytes = part_count * sizeof(*canonical->parts);

        canonical->parts = sluice_allocate_zeroed(allocator, 1, parts_bytes);
        canonical->block = sluice_allocate(allocator, SLUICE_CANONICAL_BLOCK_BYTES);
        if (canonical->parts == NULL || canonical->block == NULL) {
            status = sluice_fail_allocation(error, SLUICE_CANONICAL_BLOCK_BYTES + parts_bytes,
                                            "key hashing");
        }
    }
    for (size_t i = 0; i < part_count && status == SLUICE_OK; i++) {
        canonical_part *part = &canonical->parts[i];

        part->cache = sluice_allocate(allocator, SLUICE_CANONICAL_BLOCK_BYTES);
        if (part->cache == NULL)
            status = sluice_fail_allocation(error, SLUICE_CANONICAL_BLOCK_BYTES, "key hashing");
        else
            status = sluice_canonical_new(get_part(field, i), kernels, allocator,
                                          &part->canonical, error);
    }
    if (status != SLUICE_OK) {
        sluice_canonical_free(canonical, allocator);
        return status;
    }
    *out = canonical;
    return SLUICE_OK;
}

void sluice_canonical_reset(sluice_canonical *canonical)
{
    canonical->is_dictionary_ready = false;
    for (size_t i = 0; i < canonical->part_count; i++) {
        canonical->parts[i].cached_count = 0;
        canonical->parts[i].step = 0;
        sluice_canonical_reset(canonical->parts[i].canonical);
    }
}

void sluice_canonical_free(sluice_canonical *canonical, const sluice_allocator *allocator)
{
    if (canonical == NULL)
        return;
    for (size_t i = 0; canonical->parts != NULL && i < canonical->part_count; i++) {
        sluice_canonical_free(canonical->parts[i].canonical, allocator);
        sluice_free(allocator, canonical->parts[i].cache, SLUICE_CANONICAL_BLOCK_BYTES);
    }
    sluice_free(allocator, canonical->parts, canonical->part_count * sizeof(*canonical->parts));
    sluice_free(allocator, canonical->block, SLUICE_CANONICAL_BLOCK_BYTES);
    sluice_free(allocator, canonical->dictionary_values,
                canonical->dictionary_capacity * sizeof(*canonical->dictionary_values));
    sluice_free(allocator, canonical, sizeof(*canonical));
}
