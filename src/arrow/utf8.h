/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/utf8.h - is it UTF-8?
 */
#ifndef SLUICE_ARROW_UTF8_H
#define SLUICE_ARROW_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * True when the bytes are well-formed UTF-8 as table 3-7 of the Unicode standard has it: no
 * overlong forms, no surrogates, nothing above U+10FFFF, no character cut off.  bytes may be NULL
 * when there are none.
 */
bool sluice_utf8_validate(const uint8_t *bytes, size_t byte_count);

#endif /* SLUICE_ARROW_UTF8_H */
