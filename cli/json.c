/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/json.c - see cli/json.h
 */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "text.h"

/* Above this, a double no longer holds every integer, and many readers of JSON know only those. */
static const uint64_t exact_count_max = UINT64_C(1) << 53;

void cli_json_start(void)
{
    json_set_alloc_funcs(cli_allocate, cli_free);
}

/* Bytes of the UTF-8 sequence at text, 0 when it is none. */
static size_t sequence_bytes(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                         : first < 0xf8 ? 4 : 0;
    if (bytes < 2)
        return bytes;
    uint32_t value = first & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (byte & 0x3f);
    }
    const bool is_surrogate = value >= 0xd800 && value < 0xe000;
    return value >= least[bytes] && value < 0x110000 && !is_surrogate ? bytes : 0;
}

char *cli_valid_utf8(const char *text)
{
    cli_text valid = {0};
    cli_text_append_string(&valid, "");
    while (*text) {
        const size_t bytes = sequence_bytes(text);
        if (bytes > 0)
            cli_text_append(&valid, text, bytes);
        else
            cli_text_append_string(&valid, "\xef\xbf\xbd");
        text += bytes > 0 ? bytes : 1;
    }
    return valid.bytes;
}

json_t *cli_json_text(const char *text)
{
    json_t *const direct = json_string(text);
    if (direct)
        return direct;
    char *const valid = cli_valid_utf8(text);
    json_t *const string = json_string(valid);
    cli_free(valid);
    return string;
}

json_t *cli_json_count(uint64_t count)
{
    if (count <= exact_count_max)
        return json_integer((json_int_t)count);
    char text[CLI_NUMBER_BYTES];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    return json_string(text);
}

json_t *cli_json_seconds(double seconds)
{
    return json_real(round(seconds * 1000) / 1000);
}

bool cli_json_read_count(const json_t *value, uint64_t *out)
{
    if (json_is_string(value))
        return cli_parse_count(json_string_value(value), out);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

void cli_json_print(const json_t *value)
{
    json_dumpf(value, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
    fputc('\n', stdout);
}
