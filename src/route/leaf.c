/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/leaf.c - single values of columns
 */
#include "route/leaf.h"

#include <string.h>

#include "base/compiler.h"
#include "route/float_bits.h"

sluice_leaf_kind sluice_leaf_family(sluice_type type)
{
    switch (type) {
    case SLUICE_TYPE_BOOL:
        return SLUICE_LEAF_BOOL;
    case SLUICE_TYPE_INT8:
    case SLUICE_TYPE_INT16:
    case SLUICE_TYPE_INT32:
    case SLUICE_TYPE_INT64:
        return SLUICE_LEAF_SIGNED;
    case SLUICE_TYPE_UINT8:
    case SLUICE_TYPE_UINT16:
    case SLUICE_TYPE_UINT32:
    case SLUICE_TYPE_UINT64:
        return SLUICE_LEAF_UNSIGNED;
    case SLUICE_TYPE_FLOAT16:
    case SLUICE_TYPE_FLOAT32:
    case SLUICE_TYPE_FLOAT64:
        return SLUICE_LEAF_FLOAT;
    case SLUICE_TYPE_DECIMAL32:
    case SLUICE_TYPE_DECIMAL64:
    case SLUICE_TYPE_DECIMAL128:
    case SLUICE_TYPE_DECIMAL256:
        return SLUICE_LEAF_DECIMAL;
    case SLUICE_TYPE_DATE32:
    case SLUICE_TYPE_DATE64:
    case SLUICE_TYPE_TIME32:
    case SLUICE_TYPE_TIME64:
    case SLUICE_TYPE_TIMESTAMP:
    case SLUICE_TYPE_DURATION:
    case SLUICE_TYPE_INTERVAL_MONTHS:
        return SLUICE_LEAF_TIME;
    case SLUICE_TYPE_INTERVAL_DAY_TIME:
    case SLUICE_TYPE_INTERVAL_MONTH_DAY_NANO:
        return SLUICE_LEAF_INTERVAL;
    case SLUICE_TYPE_NULL:
    case SLUICE_TYPE_FIXED_SIZE_BINARY:
    case SLUICE_TYPE_BINARY:
    case SLUICE_TYPE_UTF8:
    case SLUICE_TYPE_LIST:
    case SLUICE_TYPE_MAP:
    case SLUICE_TYPE_STRUCT:
    case SLUICE_TYPE_UNION:
        return SLUICE_LEAF_NONE;
    }
    return SLUICE_LEAF_NONE;
}

const sluice_field *sluice_leaf_field(const sluice_field *field)
{
    while (field->layout == SLUICE_LAYOUT_DICTIONARY || field->layout == SLUICE_LAYOUT_RUN_END) {
        field = field->layout == SLUICE_LAYOUT_DICTIONARY ? field->dictionary
                                                          : &field->children[1];
    }
    return field;
}

bool sluice_leaf_resolve(const sluice_column **column, int64_t *row)
{
    const sluice_column *at = *column;

    while (!sluice_column_is_null(at, *row)) {
        if (at->field->layout == SLUICE_LAYOUT_DICTIONARY) {
            *row = sluice_column_dictionary_index(at, *row);
            at = at->dictionary;
        } else if (at->field->layout == SLUICE_LAYOUT_RUN_END) {
            *row = sluice_column_run(at, *row);
            at = &at->children[1];
        } else {
            *column = at;
            return true;
        }
    }
    return false;
}

int64_t sluice_leaf_integer(const sluice_column *column, int64_t row)
{
    if (column->field->layout == SLUICE_LAYOUT_BITS)
        return sluice_bit_get(column->values, column->offset + row);

    const sluice_bytes_view view = sluice_column_bytes(column, row);
    const bool is_unsigned = sluice_leaf_family(column->field->type) == SLUICE_LEAF_UNSIGNED;
    uint64_t bits = 0;

    SLUICE_ASSERT(view.byte_count <= 8);
    memcpy(&bits, view.bytes, (size_t)view.byte_count);
    if (is_unsigned)
        return (int64_t)bits;
    const int unused_bits = 64 - 8 * (int)view.byte_count;

    return (int64_t)(bits << unused_bits) >> unused_bits;
}

uint64_t sluice_leaf_float(const sluice_column *column, int64_t row)
{
    const sluice_bytes_view view = sluice_column_bytes(column, row);
    uint64_t bits = 0;

    memcpy(&bits, view.bytes, (size_t)view.byte_count);
    if (column->field->type == SLUICE_TYPE_FLOAT16)
        return sluice_float16_widen((uint16_t)bits);
    if (column->field->type == SLUICE_TYPE_FLOAT32)
        return sluice_float32_widen((uint32_t)bits);
    return bits;
}

void sluice_leaf_decimal(const sluice_column *column, int64_t row, uint64_t words[4])
{
    size_t word_count = 1;

    if (column->field->byte_width > 8) {
        const sluice_bytes_view view = sluice_column_bytes(column, row);

        memcpy(words, view.bytes, (size_t)view.byte_count);
        word_count = (size_t)view.byte_count / 8;
    } else {
        words[0] = (uint64_t)sluice_leaf_integer(column, row);
    }
    for (; word_count < 4; word_count++)
        words[word_count] = (uint64_t)((int64_t)words[word_count - 1] >> 63);
}
