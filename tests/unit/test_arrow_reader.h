/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arrow_reader.h - rows as text, read through views of columns
 *
 * The text is that of test_row_text() in tests/support, which reads the arrays themselves.  Reading
 * touches every byte that belongs to a row, so that a sanitizer sees whether all of it is there.
 */
#ifndef TEST_ARROW_READER_H
#define TEST_ARROW_READER_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arrow/column.h"
#include "support/arrays.h"

static void write_value(FILE *out, const sluice_column *column, int64_t row);

static void write_quoted(FILE *out, sluice_bytes_view view)
{
    fputc('"', out);
    for (int64_t i = 0; i < view.byte_count; i++) {
        const uint8_t byte = view.bytes[i];

        if (byte >= ' ' && byte < 0x7F && byte != '"' && byte != '\\')
            fputc(byte, out);
        else
            fprintf(out, "\\x%02x", byte);
    }
    fputc('"', out);
}

static void write_bits(FILE *out, sluice_bytes_view view)
{
    fputs("0x", out);
    for (int64_t i = view.byte_count - 1; i >= 0; i--)
        fprintf(out, "%02x", view.bytes[i]);
}

static void write_fixed(FILE *out, const sluice_column *column, int64_t row)
{
    const sluice_field *field = column->field;
    const sluice_bytes_view view = sluice_column_bytes(column, row);
    uint64_t bits = 0;

    if (field->type == SLUICE_TYPE_FIXED_SIZE_BINARY) {
        write_quoted(out, view);
    } else if (field->byte_width > 8 || field->type == SLUICE_TYPE_INTERVAL_DAY_TIME ||
               (field->type >= SLUICE_TYPE_FLOAT16 && field->type <= SLUICE_TYPE_FLOAT64)) {
        write_bits(out, view);
    } else {
        const int unused_bits = 64 - 8 * field->byte_width;

        memcpy(&bits, view.bytes, (size_t)view.byte_count);
        if (field->type >= SLUICE_TYPE_UINT8 && field->type <= SLUICE_TYPE_UINT64)
            fprintf(out, "%" PRIu64, bits);
        else
            fprintf(out, "%" PRId64, (int64_t)(bits << unused_bits) >> unused_bits);
    }
}

static void write_children(FILE *out, const sluice_column *column, int64_t row)
{
    fputc('{', out);
    for (size_t i = 0; i < column->field->child_count; i++) {
        fprintf(out, "%s%s:", i == 0 ? "" : ",", column->children[i].field->name);
        write_value(out, &column->children[i], row);
    }
    fputc('}', out);
}

static void write_list(FILE *out, const sluice_column *column, int64_t row)
{
    const sluice_list_range range = sluice_column_list(column, row);

    fputc('[', out);
    for (int64_t i = 0; i < range.count; i++) {
        fputs(i == 0 ? "" : ",", out);
        write_value(out, &column->children[0], range.first + i);
    }
    fputc(']', out);
}

static void write_union(FILE *out, const sluice_column *column, int64_t row)
{
    const int id = ((const int8_t *)column->values)[column->offset + row];
    const bool is_dense = column->field->layout == SLUICE_LAYOUT_DENSE_UNION;
    const int64_t child_row =
        is_dense ? ((const int32_t *)column->data)[column->offset + row] : row;

    fprintf(out, "(%d:", id);
    write_value(out, &column->children[column->field->child_of_id[id]], child_row);
    fputc(')', out);
}

static void write_value(FILE *out, const sluice_column *column, int64_t row)
{
    if (sluice_column_is_null(column, row)) {
        fputs("null", out);
        return;
    }
    switch (column->field->layout) {
    case SLUICE_LAYOUT_NULL:
        test_require(false, "a row of the null type is not null");
        return;
    case SLUICE_LAYOUT_BITS:
        fputs(sluice_bit_get(column->values, column->offset + row) ? "true" : "false", out);
        return;
    case SLUICE_LAYOUT_FIXED:
        write_fixed(out, column, row);
        return;
    case SLUICE_LAYOUT_BYTES32:
    case SLUICE_LAYOUT_BYTES64:
    case SLUICE_LAYOUT_BYTES_VIEW:
        write_quoted(out, sluice_column_bytes(column, row));
        return;
    case SLUICE_LAYOUT_LIST32:
    case SLUICE_LAYOUT_LIST64:
    case SLUICE_LAYOUT_LIST_VIEW32:
    case SLUICE_LAYOUT_LIST_VIEW64:
    case SLUICE_LAYOUT_FIXED_SIZE_LIST:
        write_list(out, column, row);
        return;
    case SLUICE_LAYOUT_STRUCT:
        write_children(out, column, row);
        return;
    case SLUICE_LAYOUT_SPARSE_UNION:
    case SLUICE_LAYOUT_DENSE_UNION:
        write_union(out, column, row);
        return;
    case SLUICE_LAYOUT_DICTIONARY:
        write_value(out, column->dictionary, sluice_column_dictionary_index(column, row));
        return;
    case SLUICE_LAYOUT_RUN_END:
        write_value(out, &column->children[1], sluice_column_run(column, row));
        return;
    }
}

#endif /* TEST_ARROW_READER_H */
