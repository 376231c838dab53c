/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/key_types.h - which types can be range keys, and which are the same kind of key
 */
#ifndef SLUICE_ROUTE_KEY_TYPES_H
#define SLUICE_ROUTE_KEY_TYPES_H

#include "arrow/field.h"

/* Whether values of the type have an order: everything but unions and maps, at any depth. */
bool sluice_key_type_is_ordered(const sluice_field *field);

/*
 * Whether keys of the two types are compared by value.  Forms and widths do not matter: the same
 * family of integers, floats, decimals of the same scale, binary or strings, the same unit of
 * time; lists and structs by what is in them.  Names, precision and time zones do not matter.
 */
bool sluice_key_types_match(const sluice_field *left, const sluice_field *right);

#endif /* SLUICE_ROUTE_KEY_TYPES_H */
