/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/key_bytes.c - keys of any type as bytes that memcmp() puts in order
 */
#include "route/key_bytes.h"

#include "base/compiler.h"
#include "base/math.h"
#include "route/float_bits.h"
#include "route/leaf.h"

enum {
    KEY_NULL_FIRST = 0,
    KEY_VALID = 1,
    KEY_NULL_LAST = 2,
    KEY_LEAF_BYTES_MAX = 33, /* The null byte and a decimal. */
};

/* Where bytes go, and how values are written. */
typedef struct key_writer {
    sluice_bytes *out;
    const sluice_allocator *allocator;
    bool nulls_first;
    bool is_total_order;
    sluice_error *error;
} key_writer;

/* There is room already for what put_ functions write. */
static void put_byte(key_writer *writer, uint8_t byte)
{
    writer->out->bytes[writer->out->byte_count++] = byte;
}

static void put_word(key_writer *writer, uint64_t word)
{
    const uint64_t big_endian = __builtin_bswap64(word);

    memcpy(writer->out->bytes + writer->out->byte_count, &big_endian, sizeof(big_endian));
    writer->out->byte_count += sizeof(big_endian);
}

static void put_signed32(key_writer *writer, int32_t number)
{
    const uint32_t big_endian = __builtin_bswap32((uint32_t)number ^ (UINT32_C(1) << 31));

    memcpy(writer->out->bytes + writer->out->byte_count, &big_endian, sizeof(big_endian));
    writer->out->byte_count += sizeof(big_endian);
}

static void put_float(key_writer *writer, const sluice_column *column, int64_t row)
{
    const uint64_t bits = sluice_leaf_float(column, row);

    put_word(writer,
             sluice_float_order(writer->is_total_order ? bits : sluice_float_canonical(bits)));
}

static void put_decimal(key_writer *writer, const sluice_column *column, int64_t row)
{
    uint64_t words[4];

    sluice_leaf_decimal(column, row, words);
    put_word(writer, words[3] ^ SLUICE_FLOAT_SIGN);
    put_word(writer, words[2]);
    put_word(writer, words[1]);
    put_word(writer, words[0]);
}

static void put_interval(key_writer *writer, const sluice_column *column, int64_t row)
{
    const sluice_bytes_view view = sluice_column_bytes(column, row);
    int32_t halves[2];
    int64_t nanoseconds;

    memcpy(halves, view.bytes, sizeof(halves));
    put_signed32(writer, halves[0]);
    put_signed32(writer, halves[1]);
    if (column->field->type == SLUICE_TYPE_INTERVAL_DAY_TIME)
        return;
    memcpy(&nanoseconds, view.bytes + sizeof(halves), sizeof(nanoseconds));
    put_word(writer, (uint64_t)nanoseconds ^ SLUICE_FLOAT_SIGN);
}

/* Zeros are rare: what lies between them is copied as one piece. */
static sluice_status write_bytes(key_writer *writer, const sluice_column *column, int64_t row)
{
    static const uint8_t zero[2] = {0, 255};
    static const uint8_t end[2] = {0, 0};
    sluice_bytes_view view = sluice_column_bytes(column, row);

    while (view.byte_count > 0) {
        const uint8_t *found = memchr(view.bytes, 0, (size_t)view.byte_count);
        const int64_t piece = found == NULL ? view.byte_count : found - view.bytes;

        SLUICE_TRY(sluice_bytes_append(writer->out, writer->allocator, view.bytes, (size_t)piece,
                                       writer->error));
        if (found == NULL)
            break;
        SLUICE_TRY(sluice_bytes_append(writer->out, writer->allocator, zero, sizeof(zero),
                                       writer->error));
        view.bytes += piece + 1;
        view.byte_count -= piece + 1;
    }
    return sluice_bytes_append(writer->out, writer->allocator, end, sizeof(end), writer->error);
}

/* Numbers and what else has a fixed width; room for it is there. */
static void put_leaf(key_writer *writer, const sluice_column *column, int64_t row)
{
    switch (sluice_leaf_family(column->field->type)) {
    case SLUICE_LEAF_BOOL:
        put_byte(writer, (uint8_t)sluice_leaf_integer(column, row));
        return;
    case SLUICE_LEAF_SIGNED: {
        const int64_t number = sluice_leaf_integer(column, row);

        put_byte(writer, number >= 0);
        put_word(writer, (uint64_t)number);
        return;
    }
    case SLUICE_LEAF_UNSIGNED:
        put_byte(writer, 1);
        put_word(writer, (uint64_t)sluice_leaf_integer(column, row));
        return;
    case SLUICE_LEAF_TIME:
        put_word(writer, (uint64_t)sluice_leaf_integer(column, row) ^ SLUICE_FLOAT_SIGN);
        return;
    case SLUICE_LEAF_FLOAT:
        put_float(writer, column, row);
        return;
    case SLUICE_LEAF_DECIMAL:
        put_decimal(writer, column, row);
        return;
    case SLUICE_LEAF_INTERVAL:
        put_interval(writer, column, row);
        return;
    case SLUICE_LEAF_NONE:
        break;
    }
    SLUICE_ASSERT(false);
}

static sluice_status write_key(key_writer *writer, const sluice_column *column, int64_t row);

static sluice_status write_list(key_writer *writer, const sluice_column *column, int64_t row)
{
    static const uint8_t more = 1;
    const sluice_list_range range = sluice_column_list(column, row);

    for (int64_t i = 0; i < range.count; i++) {
        SLUICE_TRY(sluice_bytes_append(writer->out, writer->allocator, &more, 1, writer->error));
        SLUICE_TRY(write_key(writer, &column->children[0], range.first + i));
    }
    return sluice_bytes_append_zeros(writer->out, writer->allocator, 1, writer->error);
}

static sluice_status write_struct(key_writer *writer, const sluice_column *column, int64_t row)
{
    for (size_t i = 0; i < column->field->child_count; i++)
        SLUICE_TRY(write_key(writer, &column->children[i], row));
    return SLUICE_OK;
}

static sluice_status write_union(key_writer *writer, const sluice_column *column, int64_t row)
{
    const sluice_union_value value = sluice_column_union(column, row);

    SLUICE_TRY(
        sluice_bytes_append(writer->out, writer->allocator, &value.type_id, 1, writer->error));
    return write_key(writer, &column->children[value.child], value.row);
}

/* The value of a row that is not null itself. */
static sluice_status write_value(key_writer *writer, const sluice_column *column, int64_t row)
{
    switch (column->field->layout) {
    case SLUICE_LAYOUT_NULL:
    case SLUICE_LAYOUT_DICTIONARY:
    case SLUICE_LAYOUT_RUN_END:
        SLUICE_ASSERT(false);
        return SLUICE_OK;
    case SLUICE_LAYOUT_BITS:
        put_leaf(writer, column, row);
        return SLUICE_OK;
    case SLUICE_LAYOUT_FIXED:
        if (column->field->type == SLUICE_TYPE_FIXED_SIZE_BINARY)
            return write_bytes(writer, column, row);
        put_leaf(writer, column, row);
        return SLUICE_OK;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW:
        return write_bytes(writer, column, row);
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        return write_list(writer, column, row);
    case SLUICE_LAYOUT_STRUCT:
        return write_struct(writer, column, row);
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        return write_union(writer, column, row);
    }
    return SLUICE_OK;
}

/* No deeper than SLUICE_NESTING_MAX, as the field is. */
static sluice_status write_key(key_writer *writer, const sluice_column *column, int64_t row)
{
    const bool is_valid = sluice_leaf_resolve(&column, &row);

    SLUICE_TRY(sluice_bytes_reserve(writer->out, writer->allocator, KEY_LEAF_BYTES_MAX,
                                    writer->error));
    if (!is_valid) {
        put_byte(writer, writer->nulls_first ? KEY_NULL_FIRST : KEY_NULL_LAST);
        return SLUICE_OK;
    }
    put_byte(writer, KEY_VALID);
    return write_value(writer, column, row);
}

sluice_status sluice_key_bytes_append(sluice_bytes *out, const sluice_allocator *allocator,
                                      const sluice_column *column, int64_t row,
                                      sluice_key_order order, sluice_error *error)
{
    /* All is complemented at the end, so nulls are written where that does not leave them. */
    key_writer writer = {.out = out,
                         .allocator = allocator,
                         .nulls_first = order.nulls_first != order.descending,
                         .is_total_order = order.is_total_order,
                         .error = error};
    const size_t start = out->byte_count;

    SLUICE_TRY(write_key(&writer, column, row));
    for (size_t i = start; order.descending && i < out->byte_count; i++)
        out->bytes[i] = (uint8_t)~out->bytes[i];
    return SLUICE_OK;
}

int sluice_key_bytes_compare(const uint8_t *left, size_t left_count, const uint8_t *right,
                             size_t right_count)
{
    const size_t shared = sluice_min_size(left_count, right_count);
    const int order = shared == 0 ? 0 : memcmp(left, right, shared);

    if (order != 0)
        return order;
    return (left_count > right_count) - (left_count < right_count);
}
