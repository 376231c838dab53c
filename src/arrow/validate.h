/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/validate.h - the trust boundary for arrays that come from elsewhere
 *
 * The structure check is cheap and always done: numbers of buffers and children, lengths, offsets
 * and null counts that are not negative or too large, buffers that are there when rows need them,
 * children that are long enough, first and last offsets.  After it, nothing but the values can
 * lead outside a buffer.  The value check reads every offset, size, index, type id, run end and
 * view, and the UTF-8 of every string.
 */
#ifndef SLUICE_ARROW_VALIDATE_H
#define SLUICE_ARROW_VALIDATE_H

#include <stdbool.h>

#include "arrow/field.h"

/*
 * Check an array against its field.  SLUICE_BAD_DATA names the column by its path, the check and
 * the numbers: "column s.item: child has 3 rows, 5 are needed".
 */
sluice_status sluice_validate_array(const sluice_field *field, const struct ArrowArray *array,
                                    bool validate_values, const sluice_allocator *allocator,
                                    sluice_error *error);

#endif /* SLUICE_ARROW_VALIDATE_H */
