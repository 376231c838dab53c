/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/encoding.h - how the columns of a Parquet file are encoded
 */
#ifndef SLUICE_IO_ENCODING_H
#define SLUICE_IO_ENCODING_H

#include <arrow/record_batch.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

namespace sluice_io {

/*
 * Choose an encoding for every leaf column of a file by its type and the values in the first batch,
 * which may be null.
 */
void choose_encodings(const arrow::RecordBatch *sample, const parquet::SchemaDescriptor &schema,
                      parquet::WriterProperties::Builder *builder);

} /* namespace sluice_io */

#endif /* SLUICE_IO_ENCODING_H */
