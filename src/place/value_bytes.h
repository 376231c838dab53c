/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place/value_bytes.h - one value of any column as bytes, for looking it up
 *
 * Two values of columns of the same type have equal bytes exactly when they are the same value to
 * the last bit: -0.0 and 0.0 differ, and so do NaNs with different payloads.  The bytes have no
 * other meaning and are never stored outside a process.
 */
#ifndef SLUICE_PLACE_VALUE_BYTES_H
#define SLUICE_PLACE_VALUE_BYTES_H

#include "arrow/column.h"
#include "memory/buffer.h"

/* Append the bytes of a value to the first *byte_count bytes of the buffer, and count them. */
sluice_status sluice_value_bytes_append(const sluice_column *column, int64_t row,
                                        sluice_buffer *bytes, size_t *byte_count,
                                        sluice_error *error);

#endif /* SLUICE_PLACE_VALUE_BYTES_H */
