/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/format.h - Arrow's format strings
 *
 * Called for each field while a schema is compiled; see arrow/schema.c.
 */
#ifndef SLUICE_ARROW_FORMAT_H
#define SLUICE_ARROW_FORMAT_H

#include "arrow/field.h"
#include "arrow/path.h"

/*
 * Read field->format and set what follows from it alone: type, layout, byte_width, list_size,
 * precision, scale, unit, timezone (which points into the format) and child_of_id.  child_count
 * must be set and is checked against the type.
 */
sluice_status sluice_format_parse(sluice_field *field, const sluice_path *path,
                                  sluice_error *error);

#endif /* SLUICE_ARROW_FORMAT_H */
