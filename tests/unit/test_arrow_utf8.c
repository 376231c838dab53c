/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_utf8.c - what UTF-8 is, by the encoding's arithmetic and by table 3-7 of Unicode
 */
#include "arrow/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bytes of exactly their size, so that a sanitizer sees what is read behind them. */
static bool validate_copy(const uint8_t *bytes, size_t byte_count)
{
    uint8_t *copy = malloc(byte_count == 0 ? 1 : byte_count);

    memcpy(copy, bytes, byte_count);
    const bool is_valid = sluice_utf8_validate(copy, byte_count);

    free(copy);
    return is_valid;
}

/* Write a number in the pattern of UTF-8 with byte_count bytes, whether or not that is allowed. */
static void encode(uint32_t number, size_t byte_count, uint8_t *bytes)
{
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0, 0xF8};

    if (byte_count == 1) {
        bytes[0] = (uint8_t)number;
        return;
    }
    for (size_t at = byte_count - 1; at > 0; at--) {
        bytes[at] = (uint8_t)(0x80 | (number & 0x3F));
        number >>= 6;
    }
    bytes[0] = (uint8_t)(leads[byte_count] | number);
}

/* Each number in each length it fits: right only in the shortest, below U+110000, no surrogate. */
static void test_every_number(void **state)
{
    static const uint32_t limits[] = {0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};

    (void)state;
    for (size_t byte_count = 1; byte_count <= 5; byte_count++) {
        const uint32_t step = byte_count == 5 ? 4099 : byte_count == 4 ? 7 : 1;

        for (uint32_t number = 0; number < limits[byte_count]; number += step) {
            const bool is_valid = number >= limits[byte_count - 1] * (byte_count > 1) &&
                                  number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
            uint8_t bytes[5];

            encode(number, byte_count, bytes);
            if (sluice_utf8_validate(bytes, byte_count) != is_valid)
                fail_msg("U+%X in %zu bytes", (unsigned)number, byte_count);
        }
    }
}

/* All strings of two bytes, by the first two rows of the table. */
static void test_two_bytes(void **state)
{
    (void)state;
    for (int first = 0; first < 256; first++) {
        for (int second = 0; second < 256; second++) {
            const uint8_t bytes[] = {(uint8_t)first, (uint8_t)second};
            const bool is_valid = (first < 0x80 && second < 0x80) ||
                                  (first >= 0xC2 && first <= 0xDF && second >= 0x80 &&
                                   second <= 0xBF);

            assert_int_equal(sluice_utf8_validate(bytes, 2), is_valid);
        }
    }
}

/* A bad or a cut character at every place of a text that is otherwise ASCII. */
static void test_places(void **state)
{
    uint8_t text[40];

    (void)state;
    assert_true(sluice_utf8_validate(NULL, 0));
    for (size_t byte_count = 1; byte_count <= sizeof(text); byte_count++) {
        for (size_t at = 0; at < byte_count; at++) {
            memset(text, 'a', sizeof(text));
            assert_true(validate_copy(text, byte_count));
            text[at] = 0x80;
            assert_false(validate_copy(text, byte_count));
            memcpy(text + at, "\xF0\x9F\x8C\x8A", byte_count - at < 4 ? byte_count - at : 4);
            assert_int_equal(validate_copy(text, byte_count), byte_count - at >= 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number),
        cmocka_unit_test(test_two_bytes),
        cmocka_unit_test(test_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
