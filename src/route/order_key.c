/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/order_key.c - numbers as unsigned 64-bit keys in the same order
 *
 * Canonical values (route/canonical.h) of flat columns are the numbers already; what is left is to
 * turn signed order into unsigned order.
 */
#include "route/order_key.h"

#include "base/compiler.h"
#include "route/canonical.h"
#include "route/float_bits.h"
#include "route/leaf.h"

bool sluice_order_key_is_defined(const sluice_field *field)
{
    if (field->layout != SLUICE_LAYOUT_FIXED && field->layout != SLUICE_LAYOUT_BITS)
        return false;
    switch (sluice_leaf_family(field->type)) {
    case SLUICE_LEAF_BOOL:
    case SLUICE_LEAF_SIGNED:
    case SLUICE_LEAF_UNSIGNED:
    case SLUICE_LEAF_TIME:
    case SLUICE_LEAF_FLOAT:
        return true;
    case SLUICE_LEAF_DECIMAL:
        return field->byte_width <= 8;
    case SLUICE_LEAF_INTERVAL:
    case SLUICE_LEAF_NONE:
        return false;
    }
    return false;
}

/* What is added to a number, by exclusive or, to order it without its sign. */
static uint64_t get_sign_flip(const sluice_field *field)
{
    const sluice_leaf_kind kind = sluice_leaf_family(field->type);

    return kind == SLUICE_LEAF_SIGNED || kind == SLUICE_LEAF_TIME || kind == SLUICE_LEAF_DECIMAL
               ? SLUICE_FLOAT_SIGN
               : 0;
}

static void fill_floats(const sluice_column *column, int64_t first, size_t row_count,
                        sluice_key_order order, uint64_t *restrict keys)
{
    if (order.is_total_order) {
        for (size_t row = 0; row < row_count; row++)
            keys[row] = sluice_leaf_float(column, first + (int64_t)row);
    } else {
        sluice_canonical_fill(NULL, column, first, row_count, keys);
    }
    for (size_t row = 0; row < row_count; row++)
        keys[row] = sluice_float_order(keys[row]);
}

void sluice_order_key_fill(const sluice_column *column, int64_t first, size_t row_count,
                           sluice_key_order order, uint64_t *restrict keys)
{
    const uint64_t complement = order.descending ? UINT64_MAX : 0;
    uint64_t flip = complement;

    SLUICE_ASSERT(sluice_order_key_is_defined(column->field));
    if (sluice_leaf_family(column->field->type) == SLUICE_LEAF_FLOAT) {
        fill_floats(column, first, row_count, order, keys);
    } else {
        sluice_canonical_fill(NULL, column, first, row_count, keys);
        flip ^= get_sign_flip(column->field);
    }
    for (size_t row = 0; row < row_count; row++)
        keys[row] ^= flip;
}

/*
 * A split point that is an integer: where it lies among 64-bit numbers with or without a sign.
 * words is its value in 256 bits.
 */
static int place_integer(const uint64_t words[4], bool is_signed)
{
    const uint64_t sign = (uint64_t)((int64_t)words[3] >> 63);
    const bool fits_words = words[1] == sign && words[2] == sign && words[3] == sign;
    const bool fits = fits_words && (is_signed ? (words[0] >> 63) == (sign & 1) : sign == 0);

    if (fits)
        return 0;
    return sign != 0 ? -1 : 1;
}

static void read_split_integer(const sluice_column *split, int64_t row, uint64_t words[4])
{
    const sluice_leaf_kind kind = sluice_leaf_family(split->field->type);

    if (kind == SLUICE_LEAF_DECIMAL) {
        sluice_leaf_decimal(split, row, words);
        return;
    }
    words[0] = (uint64_t)sluice_leaf_integer(split, row);
    words[1] = words[2] = words[3] =
        kind == SLUICE_LEAF_UNSIGNED ? 0 : (uint64_t)((int64_t)words[0] >> 63);
}

int sluice_order_key_of_split(const sluice_field *field, const sluice_column *split, int64_t row,
                              sluice_key_order order, uint64_t *key)
{
    const uint64_t complement = order.descending ? UINT64_MAX : 0;
    uint64_t words[4];

    if (sluice_leaf_family(field->type) == SLUICE_LEAF_FLOAT) {
        const uint64_t bits = sluice_leaf_float(split, row);

        *key = complement ^
               sluice_float_order(order.is_total_order ? bits : sluice_float_canonical(bits));
        return 0;
    }
    const uint64_t flip = get_sign_flip(field);

    read_split_integer(split, row, words);
    const int place = place_integer(words, flip != 0);

    *key = words[0] ^ flip ^ complement;
    return order.descending ? -place : place;
}
