/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/types.h - how Arrow types and schemas look to Parquet
 */
#ifndef SLUICE_IO_TYPES_H
#define SLUICE_IO_TYPES_H

#include <arrow/type_fwd.h>

namespace sluice_io {

/* In the metadata of a Parquet file: the Arrow schema, as an IPC message in base64. */
constexpr char ARROW_SCHEMA_KEY[] = "ARROW:schema";

/* Types of one family are the same type to Parquet. */
constexpr bool is_text_type(arrow::Type::type type)
{
    return type == arrow::Type::STRING || type == arrow::Type::LARGE_STRING ||
           type == arrow::Type::STRING_VIEW;
}

constexpr bool is_binary_type(arrow::Type::type type)
{
    return type == arrow::Type::BINARY || type == arrow::Type::LARGE_BINARY ||
           type == arrow::Type::BINARY_VIEW;
}

} /* namespace sluice_io */

#endif /* SLUICE_IO_TYPES_H */
