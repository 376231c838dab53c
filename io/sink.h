/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/sink.h - what a sink is, whatever its format
 *
 * sink.cc holds the C API and what the formats share: the schemas, the metadata, the file, the
 * pool that counts.  sink_parquet.cc and sink_ipc.cc implement file_sink.
 */
#ifndef SLUICE_IO_SINK_H
#define SLUICE_IO_SINK_H

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>

#include "sluice/io.h"

namespace sluice_io {

/* sluice_sink_options, resolved. */
struct sink_plan {
    sluice_file_format format = SLUICE_FORMAT_DETECT;
    arrow::Compression::type compression = arrow::Compression::UNCOMPRESSED;
    int compression_level = 0; /* arrow::util::kUseDefaultCompressionLevel for none. */
    int64_t row_group_rows = 0;
    std::shared_ptr<arrow::Schema> batch_schema;   /* Of the batches that come. */
    std::shared_ptr<arrow::Schema> logical_schema; /* What readers see, metadata included. */
    bool sync = false;
};

/* One output file.  One thread at a time. */
class file_sink {
public:
    virtual ~file_sink() = default;

    virtual arrow::Status write(const std::shared_ptr<arrow::RecordBatch> &batch) = 0;
    virtual arrow::Status flush() = 0;

    /* Write the rest, but for what the file gathers. */
    virtual arrow::Status finish() = 0;

    /* Row groups or record batches; known after finish(). */
    virtual uint64_t group_count() const = 0;
};

/* file must stay until the sink is gone; pool too. */
arrow::Result<std::unique_ptr<file_sink>>
make_parquet_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
                  arrow::MemoryPool *pool);
arrow::Result<std::unique_ptr<file_sink>>
make_ipc_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
              arrow::MemoryPool *pool);

} /* namespace sluice_io */

#endif /* SLUICE_IO_SINK_H */
