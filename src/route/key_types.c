/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/key_types.c - which types can be range keys, and which are the same kind of key
 */
#include "route/key_types.h"

#include "route/leaf.h"

bool sluice_key_type_is_ordered(const sluice_field *field)
{
    field = sluice_leaf_field(field);
    if (field->type == SLUICE_TYPE_UNION || field->type == SLUICE_TYPE_MAP)
        return false;
    for (size_t i = 0; i < field->child_count; i++) {
        if (!sluice_key_type_is_ordered(&field->children[i]))
            return false;
    }
    return true;
}

static bool are_both(const sluice_field *left, const sluice_field *right, sluice_leaf_kind first,
                     sluice_leaf_kind second)
{
    const sluice_leaf_kind left_kind = sluice_leaf_family(left->type);
    const sluice_leaf_kind right_kind = sluice_leaf_family(right->type);

    return (left_kind == first || left_kind == second) &&
           (right_kind == first || right_kind == second);
}

static bool children_match(const sluice_field *left, const sluice_field *right)
{
    if (left->child_count != right->child_count)
        return false;
    for (size_t i = 0; i < left->child_count; i++) {
        if (!sluice_key_types_match(&left->children[i], &right->children[i]))
            return false;
    }
    return true;
}

static bool is_binary(const sluice_field *field)
{
    return field->type == SLUICE_TYPE_BINARY || field->type == SLUICE_TYPE_FIXED_SIZE_BINARY;
}

bool sluice_key_types_match(const sluice_field *left, const sluice_field *right)
{
    left = sluice_leaf_field(left);
    right = sluice_leaf_field(right);
    if (are_both(left, right, SLUICE_LEAF_SIGNED, SLUICE_LEAF_UNSIGNED) ||
        are_both(left, right, SLUICE_LEAF_FLOAT, SLUICE_LEAF_FLOAT))
        return true;
    if (are_both(left, right, SLUICE_LEAF_DECIMAL, SLUICE_LEAF_DECIMAL))
        return left->scale == right->scale;
    if (is_binary(left) && is_binary(right))
        return true;
    if (left->type != right->type)
        return false;
    if (sluice_leaf_family(left->type) == SLUICE_LEAF_TIME)
        return left->unit == right->unit;
    return children_match(left, right);
}
