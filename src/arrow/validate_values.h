/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/validate_values.h - the value check of one array; see arrow/validate.h for the whole
 */
#ifndef SLUICE_ARROW_VALIDATE_VALUES_H
#define SLUICE_ARROW_VALIDATE_VALUES_H

#include "arrow/field.h"
#include "arrow/path.h"

/* Check the values of an array, but not those below it.  Its structure has been checked, and that
 * of all below it. */
sluice_status sluice_validate_values(const sluice_field *field, const struct ArrowArray *array,
                                     const sluice_path *path, sluice_error *error);

#endif /* SLUICE_ARROW_VALIDATE_VALUES_H */
