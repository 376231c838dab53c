/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/decimal_text.c - decimals as text
 *
 * Magnitudes are eight limbs of 32 bits, the least significant first, multiplied and divided by
 * ten; the texts are short and rare enough for that.
 */
#include "route/decimal_text.h"

#include <stdio.h>
#include <string.h>

enum {
    LIMB_COUNT = 8,
    DIGITS_MAX = 78,        /* Of 2^256. */
    PLAIN_SCALE_MAX = 76,
    EXPONENT_DIGITS_MAX = 10
};

static bool limbs_are_zero(const uint32_t limbs[LIMB_COUNT])
{
    uint32_t all = 0;

    for (int i = 0; i < LIMB_COUNT; i++)
        all |= limbs[i];
    return all == 0;
}

/* Divide by ten; the remainder. */
static uint32_t divide_limbs(uint32_t limbs[LIMB_COUNT])
{
    uint64_t rest = 0;

    for (int i = LIMB_COUNT - 1; i >= 0; i--) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return (uint32_t)rest;
}

/* Multiply by ten and add a digit; false when that does not fit. */
static bool extend_limbs(uint32_t limbs[LIMB_COUNT], uint32_t digit)
{
    uint64_t carry = digit;

    for (int i = 0; i < LIMB_COUNT; i++) {
        carry += (uint64_t)limbs[i] * 10;
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return carry == 0;
}

static void negate_words(uint64_t words[4])
{
    uint64_t carry = 1;

    for (int i = 0; i < 4; i++) {
        words[i] = ~words[i] + carry;
        carry = carry != 0 && words[i] == 0;
    }
}

void sluice_decimal_format(const uint64_t words[4], int32_t scale,
                           char text[SLUICE_DECIMAL_TEXT_BYTES])
{
    const bool is_negative = words[3] >> 63 != 0;
    const bool is_plain = scale >= 0 && scale <= PLAIN_SCALE_MAX;
    uint64_t magnitude[4];
    uint32_t limbs[LIMB_COUNT];
    char digits[SLUICE_DECIMAL_TEXT_BYTES]; /* The least significant first. */
    int digit_count = 0;

    memcpy(magnitude, words, sizeof(magnitude));
    if (is_negative)
        negate_words(magnitude);
    for (int i = 0; i < LIMB_COUNT; i++)
        limbs[i] = (uint32_t)(magnitude[i / 2] >> (i % 2 * 32));
    do {
        digits[digit_count++] = (char)('0' + divide_limbs(limbs));
    } while (!limbs_are_zero(limbs) || (is_plain && digit_count <= scale));

    char *end = text;

    if (is_negative)
        *end++ = '-';
    while (digit_count > 0) {
        *end++ = digits[--digit_count];
        if (is_plain && scale > 0 && digit_count == scale)
            *end++ = '.';
    }
    *end = '\0';
    if (!is_plain) {
        snprintf(end, SLUICE_DECIMAL_TEXT_BYTES - (size_t)(end - text), "E%lld",
                 -(long long)scale);
    }
}

/* What a text says: digits, and how many of them stand behind the point. */
typedef struct decimal_parts {
    bool is_negative;
    uint32_t limbs[LIMB_COUNT];
    int64_t exponent; /* The number is limbs * 10^exponent. */
} decimal_parts;

static bool take_exponent(const char **text, int64_t *exponent)
{
    int digit_count = 0;
    int64_t number = 0;

    if (**text != 'e' && **text != 'E')
        return true;
    (*text)++;
    const bool is_negative = **text == '-';

    if (is_negative || **text == '+')
        (*text)++;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        if (++digit_count > EXPONENT_DIGITS_MAX)
            return false;
        number = number * 10 + (**text - '0');
    }
    *exponent += is_negative ? -number : number;
    return digit_count > 0;
}

static bool take_number(const char *text, decimal_parts *parts)
{
    int digit_count = 0;
    bool has_point = false;

    memset(parts, 0, sizeof(*parts));
    parts->is_negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); text++) {
        if (*text == '.') {
            has_point = true;
            continue;
        }
        digit_count++;
        parts->exponent -= has_point;
        if (!extend_limbs(parts->limbs, (uint32_t)(*text - '0')))
            return false;
    }
    return digit_count > 0 && take_exponent(&text, &parts->exponent) && *text == '\0';
}

/* Shift the number so that its exponent is -scale; false when that loses digits. */
static bool rescale(decimal_parts *parts, int32_t scale)
{
    int64_t shift = parts->exponent + scale;

    if (limbs_are_zero(parts->limbs))
        return true;
    if (shift > DIGITS_MAX)
        return false;
    for (; shift > 0; shift--) {
        if (!extend_limbs(parts->limbs, 0))
            return false;
    }
    for (; shift < 0; shift++) {
        if (divide_limbs(parts->limbs) != 0)
            return false;
    }
    return true;
}

bool sluice_decimal_parse(const char *text, int32_t scale, int bit_count, uint64_t words[4])
{
    decimal_parts parts;

    if (!take_number(text, &parts) || !rescale(&parts, scale))
        return false;
    for (int i = 0; i < 4; i++)
        words[i] = (uint64_t)parts.limbs[2 * i + 1] << 32 | parts.limbs[2 * i];
    if (parts.is_negative)
        negate_words(words);

    /* It fits when every bit from the sign bit on is the sign. */
    const uint64_t sign = parts.is_negative && !limbs_are_zero(parts.limbs) ? UINT64_MAX : 0;
    const int sign_bit = bit_count - 1;

    for (int i = 3; i > sign_bit / 64; i--) {
        if (words[i] != sign)
            return false;
    }
    return (words[sign_bit / 64] ^ sign) >> (sign_bit % 64) == 0;
}
