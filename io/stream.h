/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/stream.h - batches of a source as an ArrowArrayStream
 */
#ifndef SLUICE_IO_STREAM_H
#define SLUICE_IO_STREAM_H

#include <memory>
#include <string>

#include <arrow/record_batch.h>
#include <arrow/status.h>

#include "sluice/arrow_abi.h"

namespace sluice_io {

/* A one-way reader of batches, driven by one thread at a time. */
class batch_stream {
public:
    virtual ~batch_stream() = default;

    /* The next batch, or null after the last one.  Messages name the file. */
    virtual arrow::Status next(std::shared_ptr<arrow::RecordBatch> *out) = 0;

    std::shared_ptr<arrow::Schema> schema; /* Of every batch. */
};

/*
 * Check a batch from a file: structure always, values when asked.  where is for the message: the
 * file and the piece.
 */
arrow::Status check_batch(const arrow::RecordBatch &batch, const arrow::Schema &schema,
                          bool validate_values, const std::string &where);

/* Make a C stream.  Takes the batches. */
void export_stream(std::unique_ptr<batch_stream> batches, struct ArrowArrayStream *out);

} /* namespace sluice_io */

#endif /* SLUICE_IO_STREAM_H */
