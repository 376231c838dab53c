/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/base64.c - bytes as base64 text (RFC 4648, with padding)
 */
#include "route/base64.h"

#include "base/math.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

sluice_status sluice_base64_encode(sluice_bytes *out, const sluice_allocator *allocator,
                                   const uint8_t *bytes, size_t byte_count, sluice_error *error)
{
    for (size_t at = 0; at < byte_count; at += 3) {
        const size_t left = sluice_min_size(byte_count - at, 3);
        const uint32_t group = (uint32_t)bytes[at] << 16 |
                               (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                               (left > 2 ? bytes[at + 2] : 0);
        const char text[4] = {alphabet[group >> 18], alphabet[group >> 12 & 63],
                              left > 1 ? alphabet[group >> 6 & 63] : '=',
                              left > 2 ? alphabet[group & 63] : '='};

        SLUICE_TRY(sluice_bytes_append(out, allocator, text, sizeof(text), error));
    }
    return SLUICE_OK;
}

/* The six bits of a character; -1 when it has none. */
static int decode_character(char character)
{
    const char *found = character == '\0' ? NULL : strchr(alphabet, character);

    return found == NULL ? -1 : (int)(found - alphabet);
}

sluice_status sluice_base64_decode(sluice_bytes *out, const sluice_allocator *allocator,
                                   const char *text, size_t text_bytes, sluice_error *error)
{
    size_t padding = 0;

    while (padding < 2 && padding < text_bytes && text[text_bytes - 1 - padding] == '=')
        padding++;
    if (text_bytes % 4 != 0) {
        return sluice_fail(error, SLUICE_BAD_DATA, "base64 has %zu characters, no multiple of 4",
                           text_bytes);
    }
    for (size_t at = 0; at < text_bytes; at += 4) {
        const size_t padded = at + 4 == text_bytes ? padding : 0;
        uint32_t group = 0;

        for (size_t i = 0; i < 4; i++) {
            const int bits = i < 4 - padded ? decode_character(text[at + i]) : 0;

            if (bits < 0) {
                return sluice_fail(error, SLUICE_BAD_DATA, "character %zu is no base64", at + i);
            }
            group = group << 6 | (uint32_t)bits;
        }
        const uint8_t bytes[3] = {(uint8_t)(group >> 16), (uint8_t)(group >> 8), (uint8_t)group};

        SLUICE_TRY(sluice_bytes_append(out, allocator, bytes, 3 - padded, error));
    }
    return SLUICE_OK;
}
