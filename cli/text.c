/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/text.c - see cli/text.h
 */
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "memory.h"

void cli_text_append(cli_text *text, const char *bytes, size_t count)
{
    if (text->count + count + 1 > text->capacity) {
        const size_t capacity = 2 * (text->count + count) + 64;
        char *const moved = cli_allocate(capacity);
        if (text->bytes)
            memcpy(moved, text->bytes, text->count);
        cli_free(text->bytes);
        text->bytes = moved;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
    text->bytes[text->count] = '\0';
}

void cli_text_append_string(cli_text *text, const char *string)
{
    cli_text_append(text, string, strlen(string));
}

void cli_text_append_format(cli_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *const added = cli_format_list(format, arguments);
    va_end(arguments);
    cli_text_append_string(text, added);
    cli_free(added);
}

void cli_text_deinit(cli_text *text)
{
    cli_free(text->bytes);
    *text = (cli_text){0};
}

const char *cli_count_text(uint64_t count, char text[CLI_NUMBER_BYTES])
{
    char digits[CLI_NUMBER_BYTES];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *cli_bytes_text(uint64_t bytes, char text[CLI_NUMBER_BYTES])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(text, CLI_NUMBER_BYTES, "%llu B", (unsigned long long)bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(text, CLI_NUMBER_BYTES, "%.*f %s", decimals, value, units[unit]);
    return text;
}

const char *cli_seconds_text(double seconds, char text[CLI_NUMBER_BYTES])
{
    if (seconds >= 120)
        snprintf(text, CLI_NUMBER_BYTES, "%.0f min %.0f s", floor(seconds / 60),
                 floor(fmod(seconds, 60)));
    else
        snprintf(text, CLI_NUMBER_BYTES, "%.*f s", seconds < 10 ? 2 : 1, seconds);
    return text;
}

bool cli_parse_count(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

bool cli_parse_size(const char *text, uint64_t *out)
{
    static const char letters[] = "kmgt";
    char digits[24];
    const size_t digit_count = strspn(text, "0123456789");
    if (digit_count == 0 || digit_count >= sizeof digits)
        return false;
    memcpy(digits, text, digit_count);
    digits[digit_count] = '\0';
    uint64_t value;
    if (!cli_parse_count(digits, &value))
        return false;

    const char *unit = text + digit_count;
    uint64_t base = 1024;
    int power = 0;
    if (*unit && strcasecmp(unit, "b") != 0) {
        const char *const letter = strchr(letters, tolower((unsigned char)*unit));
        if (!letter)
            return false;
        power = (int)(letter - letters) + 1;
        unit++;
        if (strcasecmp(unit, "b") == 0)
            base = 1000;
        else if (*unit && strcasecmp(unit, "ib") != 0)
            return false;
    }
    for (int i = 0; i < power; i++)
        if (__builtin_mul_overflow(value, base, &value))
            return false;
    *out = value;
    return true;
}

enum { WORD_BYTES_MAX = 40 };

/* Insertions, removals, replacements and swaps of neighbours between two words. */
static size_t word_distance(const char *left, const char *right)
{
    size_t rows[3][WORD_BYTES_MAX + 1];
    const size_t left_count = strlen(left);
    const size_t right_count = strlen(right);
    if (left_count > WORD_BYTES_MAX || right_count > WORD_BYTES_MAX)
        return SIZE_MAX;
    for (size_t r = 0; r <= right_count; r++)
        rows[0][r] = r;
    for (size_t l = 1; l <= left_count; l++) {
        const size_t *const two_above = rows[(l + 1) % 3];
        const size_t *const above = rows[(l + 2) % 3];
        size_t *const row = rows[l % 3];
        row[0] = l;
        for (size_t r = 1; r <= right_count; r++) {
            const size_t replaced = above[r - 1] + (left[l - 1] != right[r - 1]);
            const size_t moved = (above[r] < row[r - 1] ? above[r] : row[r - 1]) + 1;
            row[r] = replaced < moved ? replaced : moved;
            if (l > 1 && r > 1 && left[l - 1] == right[r - 2] && left[l - 2] == right[r - 1] &&
                two_above[r - 2] + 1 < row[r])
                row[r] = two_above[r - 2] + 1;
        }
    }
    return rows[left_count % 3][right_count];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t count)
{
    const size_t word_count = strlen(word);
    const char *nearest = NULL;
    size_t distance_min = word_count / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = word_distance(word, candidates[i]);
        if (word_count >= 3 && strncmp(word, candidates[i], word_count) == 0)
            distance = 1;
        if (distance < distance_min) {
            distance_min = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
