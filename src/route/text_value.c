/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/text_value.c - values from text and as text
 */
#include "route/text_value.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <strings.h>

#include "arrow/utf8.h"
#include "base/compiler.h"
#include "route/decimal_text.h"
#include "route/float_bits.h"
#include "route/iso_time.h"
#include "route/leaf.h"

enum { MILLISECONDS_PER_DAY = 86400000, TEXT_TYPE_BYTES = 128 };

_Static_assert((int)SLUICE_TEXT_VALUE_BYTES >= (int)SLUICE_DECIMAL_TEXT_BYTES, "room for decimals");
_Static_assert((int)SLUICE_TEXT_VALUE_BYTES >= (int)SLUICE_ISO_TEXT_BYTES, "room for times");

sluice_status sluice_text_value_fail(const sluice_rows *rows, const char *text, int64_t split,
                                     sluice_error *error)
{
    char type[TEXT_TYPE_BYTES];

    sluice_field_describe(&rows->field, type, sizeof(type));
    return sluice_fail(error, SLUICE_INVALID, "split %lld of key %s: \"%.100s\" is no %s",
                       (long long)split, rows->field.name, text, type);
}

/* Read an integer of up to 64 bits and its sign; *bits is its two's complement. */
static bool parse_integer(const char *text, bool *is_negative, uint64_t *bits)
{
    uint64_t magnitude = 0;

    *is_negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' ||
            __builtin_mul_overflow(magnitude, 10, &magnitude) ||
            __builtin_add_overflow(magnitude, (uint64_t)(*text - '0'), &magnitude))
            return false;
    }
    if (*is_negative && magnitude > UINT64_C(1) << 63)
        return false;
    *is_negative = *is_negative && magnitude != 0;
    *bits = *is_negative ? 0 - magnitude : magnitude;
    return true;
}

/* Whether a number fits a signed or unsigned one of byte_width bytes. */
static bool integer_fits(bool is_negative, uint64_t bits, bool is_unsigned, int32_t byte_width)
{
    const int value_bits = 8 * byte_width - !is_unsigned;
    const uint64_t magnitude = is_negative ? ~bits : bits;

    if (is_negative && is_unsigned)
        return false;
    return value_bits == 64 || magnitude >> value_bits == 0;
}

static sluice_status append_bits(sluice_rows *rows, bool is_negative, uint64_t bits,
                                 const char *text, int64_t split, sluice_error *error)
{
    const bool is_unsigned = sluice_leaf_family(rows->field.type) == SLUICE_LEAF_UNSIGNED;

    if (!integer_fits(is_negative, bits, is_unsigned, rows->field.byte_width))
        return sluice_text_value_fail(rows, text, split, error);
    return sluice_rows_append_bytes(rows, &bits, (size_t)rows->field.byte_width, error);
}

sluice_status sluice_text_value_append_integer(sluice_rows *rows, int64_t number, int64_t split,
                                               sluice_error *error)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)number);
    return append_bits(rows, number < 0, (uint64_t)number, text, split, error);
}

/*
 * Round a double to a half float, ties to even: scaling by a power of two brings the last bit that
 * stays to the place of ones, where rint() rounds.
 */
static uint16_t narrow_to_float16(double number)
{
    const uint16_t sign = signbit(number) ? 0x8000 : 0;
    const double magnitude = fabs(number);
    int exponent;

    if (isnan(number))
        return sign | 0x7e00;
    if (magnitude >= 65520.0)
        return sign | 0x7c00;
    if (magnitude < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)rint(ldexp(magnitude, 24)));
    frexp(magnitude, &exponent);
    const unsigned rounded = (unsigned)rint(ldexp(magnitude, 11 - exponent));

    /* 1024 to 2048; the leading one, and a carry out of the mantissa, go into the exponent. */
    return (uint16_t)(sign | (((unsigned)(exponent + 13) << 10) + rounded));
}

sluice_status sluice_text_value_append_double(sluice_rows *rows, double number, int64_t split,
                                              sluice_error *error)
{
    if (rows->field.type == SLUICE_TYPE_FLOAT64)
        return sluice_rows_append_bytes(rows, &number, sizeof(number), error);
    const float single = (float)number;
    const uint16_t half = narrow_to_float16(number);
    const bool is_half = rows->field.type == SLUICE_TYPE_FLOAT16;
    const bool is_infinite = is_half ? (half & 0x7fff) == 0x7c00 : isinf(single) != 0;

    if (is_infinite && !isinf(number)) {
        char text[40];

        snprintf(text, sizeof(text), "%.17g", number);
        return sluice_text_value_fail(rows, text, split, error);
    }
    return is_half ? sluice_rows_append_bytes(rows, &half, sizeof(half), error)
                   : sluice_rows_append_bytes(rows, &single, sizeof(single), error);
}

/* JSON's numbers, whatever the locale, and the names of what JSON has no number for. */
static bool parse_double(const char *text, size_t text_bytes, double *out)
{
    const bool is_negative = *text == '-';
    const char *name = text + (*text == '-' || *text == '+');

    if (strcasecmp(name, "nan") == 0)
        *out = is_negative ? -(double)NAN : (double)NAN;
    else if (strcasecmp(name, "inf") == 0 || strcasecmp(name, "infinity") == 0)
        *out = is_negative ? -(double)INFINITY : (double)INFINITY;
    else if (*name < '0' || *name > '9')
        return false;
    else {
        const size_t skipped = *text == '+';
        json_t *number = json_loadb(text + skipped, text_bytes - skipped,
                                    JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
        const bool is_number = json_is_real(number);

        *out = json_real_value(number);
        json_decref(number);
        return is_number;
    }
    return true;
}

static sluice_status append_bool_text(sluice_rows *rows, const char *text, int64_t split,
                                      sluice_error *error)
{
    const bool is_true = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    const bool is_false = strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0;
    const uint8_t bit = is_true;

    if (!is_true && !is_false)
        return sluice_text_value_fail(rows, text, split, error);
    return sluice_rows_append_bytes(rows, &bit, 1, error);
}

static bool parse_int64(const char *text, int64_t *number)
{
    bool is_negative;
    uint64_t bits;

    if (!parse_integer(text, &is_negative, &bits) ||
        !integer_fits(is_negative, bits, false, sizeof(bits)))
        return false;
    *number = (int64_t)bits;
    return true;
}

/* Read a date, time or timestamp in the unit of the column. */
static bool parse_time(const sluice_field *field, const char *text, int64_t *number)
{
    switch (field->type) {
    case SLUICE_TYPE_DATE32:
        return sluice_iso_parse_date(text, number);
    case SLUICE_TYPE_DATE64:
        return sluice_iso_parse_timestamp(text, SLUICE_TIME_MILLI, false, number);
    case SLUICE_TYPE_TIME32:
    case SLUICE_TYPE_TIME64:
        /* Times that are not within a day are written as their numbers. */
        return sluice_iso_parse_time(text, field->unit, number) || parse_int64(text, number);
    case SLUICE_TYPE_TIMESTAMP:
        return sluice_iso_parse_timestamp(text, field->unit, field->timezone[0] != '\0', number);
    default:
        return parse_int64(text, number);
    }
}

static sluice_status append_number_text(sluice_rows *rows, const char *text, size_t text_bytes,
                                        int64_t split, sluice_error *error)
{
    const sluice_field *field = &rows->field;
    uint64_t words[4];
    double real;
    int64_t number;
    bool is_negative;

    switch (sluice_leaf_family(field->type)) {
    case SLUICE_LEAF_BOOL:
        return append_bool_text(rows, text, split, error);
    case SLUICE_LEAF_SIGNED:
    case SLUICE_LEAF_UNSIGNED:
        if (!parse_integer(text, &is_negative, words))
            break;
        return append_bits(rows, is_negative, words[0], text, split, error);
    case SLUICE_LEAF_TIME:
        if (!parse_time(field, text, &number))
            break;
        return append_bits(rows, number < 0, (uint64_t)number, text, split, error);
    case SLUICE_LEAF_FLOAT:
        if (!parse_double(text, text_bytes, &real))
            break;
        return sluice_text_value_append_double(rows, real, split, error);
    case SLUICE_LEAF_DECIMAL:
        if (!sluice_decimal_parse(text, field->scale, field->byte_width * 8, words))
            break;
        return sluice_rows_append_bytes(rows, words, (size_t)field->byte_width, error);
    case SLUICE_LEAF_INTERVAL:
    case SLUICE_LEAF_NONE:
        break;
    }
    return sluice_text_value_fail(rows, text, split, error);
}

sluice_status sluice_text_value_append(sluice_rows *rows, const char *text, size_t text_bytes,
                                       int64_t split, sluice_error *error)
{
    const sluice_field *field = &rows->field;

    if (field->type == SLUICE_TYPE_UTF8) {
        if (!sluice_utf8_validate((const uint8_t *)text, text_bytes))
            return sluice_text_value_fail(rows, text, split, error);
        return sluice_rows_append_bytes(rows, text, text_bytes, error);
    }
    if (field->type == SLUICE_TYPE_BINARY)
        return sluice_rows_append_bytes(rows, text, text_bytes, error);
    if (field->type == SLUICE_TYPE_FIXED_SIZE_BINARY && text_bytes == (size_t)field->byte_width)
        return sluice_rows_append_bytes(rows, text, text_bytes, error);
    /* A zero inside would hide what follows it. */
    if (strlen(text) != text_bytes)
        return sluice_text_value_fail(rows, text, split, error);
    return append_number_text(rows, text, text_bytes, split, error);
}

bool sluice_text_value_format(const sluice_column *column, int64_t row,
                              char text[SLUICE_TEXT_VALUE_BYTES])
{
    const sluice_field *field = column->field;
    uint64_t words[4];

    switch (field->type) {
    case SLUICE_TYPE_DECIMAL32:
    case SLUICE_TYPE_DECIMAL64:
    case SLUICE_TYPE_DECIMAL128:
    case SLUICE_TYPE_DECIMAL256:
        sluice_leaf_decimal(column, row, words);
        sluice_decimal_format(words, field->scale, text);
        return true;
    case SLUICE_TYPE_DATE32:
        sluice_iso_format_date(sluice_leaf_integer(column, row), text);
        return true;
    case SLUICE_TYPE_DATE64: {
        const int64_t milliseconds = sluice_leaf_integer(column, row);

        if (milliseconds % MILLISECONDS_PER_DAY == 0)
            sluice_iso_format_date(milliseconds / MILLISECONDS_PER_DAY, text);
        else
            sluice_iso_format_timestamp(milliseconds, SLUICE_TIME_MILLI, false, text);
        return true;
    }
    case SLUICE_TYPE_TIME32:
    case SLUICE_TYPE_TIME64:
        return sluice_iso_format_time(sluice_leaf_integer(column, row), field->unit, text);
    case SLUICE_TYPE_TIMESTAMP:
        sluice_iso_format_timestamp(sluice_leaf_integer(column, row), field->unit,
                                    field->timezone[0] != '\0', text);
        return true;
    default:
        return false;
    }
}
