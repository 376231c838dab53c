/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/base64.h - bytes as base64 text (RFC 4648, with padding)
 */
#ifndef SLUICE_ROUTE_BASE64_H
#define SLUICE_ROUTE_BASE64_H

#include "route/bytes.h"

/* Append the text of some bytes, without a final zero. */
sluice_status sluice_base64_encode(sluice_bytes *out, const sluice_allocator *allocator,
                                   const uint8_t *bytes, size_t byte_count, sluice_error *error);

/* Append the bytes of a text.  SLUICE_BAD_DATA, with a sentence, when it is no base64. */
sluice_status sluice_base64_decode(sluice_bytes *out, const sluice_allocator *allocator,
                                   const char *text, size_t text_bytes, sluice_error *error);

#endif /* SLUICE_ROUTE_BASE64_H */
