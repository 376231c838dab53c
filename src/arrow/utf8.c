/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/utf8.c - table 3-7 of the Unicode standard, with a fast way through ASCII
 */
#include "arrow/utf8.h"

#include <string.h>

/* The first byte of text that is not ASCII, or byte_count. */
static size_t skip_ascii(const uint8_t *bytes, size_t at, size_t byte_count)
{
    while (byte_count - at >= sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, bytes + at, sizeof(word));
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
        at += sizeof(word);
    }
    while (at < byte_count && bytes[at] < 0x80)
        at++;
    return at;
}

/*
 * The length of the character that begins with a byte of 0x80 or more, or 0 when it is ill-formed.
 * The first byte says how long it is and between what its second byte lies; the rest lie between
 * 0x80 and 0xBF.
 */
static size_t measure_character(const uint8_t *bytes, size_t byte_count)
{
    const uint8_t first = bytes[0];
    uint8_t second_min = 0x80;
    uint8_t second_max = 0xBF;
    size_t length;

    if (first >= 0xC2 && first <= 0xDF)
        length = 2;
    else if (first >= 0xE0 && first <= 0xEF)
        length = 3;
    else if (first >= 0xF0 && first <= 0xF4)
        length = 4;
    else
        return 0;
    if (first == 0xE0)
        second_min = 0xA0; /* Overlong below. */
    else if (first == 0xED)
        second_max = 0x9F; /* Surrogates above. */
    else if (first == 0xF0)
        second_min = 0x90; /* Overlong below. */
    else if (first == 0xF4)
        second_max = 0x8F; /* U+10FFFF is the last. */
    if (byte_count < length || bytes[1] < second_min || bytes[1] > second_max)
        return 0;
    for (size_t at = 2; at < length; at++) {
        if ((bytes[at] & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

bool sluice_utf8_validate(const uint8_t *bytes, size_t byte_count)
{
    size_t at = 0;

    while (at < byte_count) {
        at = skip_ascii(bytes, at, byte_count);
        if (at == byte_count)
            break;
        const size_t length = measure_character(bytes + at, byte_count - at);

        if (length == 0)
            return false;
        at += length;
    }
    return true;
}
