/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/type_name.h - types from their names
 *
 * Reads what sluice_field_describe() writes, for types that can be range keys, and the names that
 * pyarrow and DuckDB users know: "string", "double", "date32[day]", "timestamp[us, tz=UTC]",
 * "decimal128(15, 2)".  Of a dictionary or a run-end encoded type the type of the values is read.
 */
#ifndef SLUICE_ROUTE_TYPE_NAME_H
#define SLUICE_ROUTE_TYPE_NAME_H

#include "arrow/field.h"

/*
 * Make a schema whose fields have the names and the types given.  SLUICE_BAD_DATA names the key
 * whose type is no type; unions and maps are SLUICE_UNSUPPORTED.
 */
sluice_status sluice_type_names_parse(const char *const *names, const char *const *types,
                                      size_t count, sluice_schema **out, sluice_error *error);

#endif /* SLUICE_ROUTE_TYPE_NAME_H */
