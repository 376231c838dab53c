/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/source.h - what a source is, whatever its format
 *
 * source.cc finds out the format and holds the C API.  The two formats implement file_source.  A
 * file is opened again for every stream, so that thousands of sources hold no descriptors; a file
 * that changed in between is refused.
 */
#ifndef SLUICE_IO_SOURCE_H
#define SLUICE_IO_SOURCE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include "sluice/io.h"
#include "stream.h"

namespace sluice_io {

/* Column dictionaries that all streams of a data set share; see dictionaries.h. */
class dictionary_set;

/* sluice_read_options with the defaults filled in. */
struct read_options {
    std::vector<int> columns; /* Top-level columns, all of them spelled out. */
    int64_t batch_rows = 0;
    std::shared_ptr<const dictionary_set> dictionaries; /* May be null. */
    bool validate_values = false;
};

/* A file as it was when the source was opened. */
struct file_identity {
    std::string path;
    int64_t bytes = -1;
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t modified_nanoseconds = 0;
};

/* Open a regular file; *identity is filled. */
arrow::Result<std::shared_ptr<arrow::io::ReadableFile>> open_file(const std::string &path,
                                                                  file_identity *identity);

/* Open it again; an error when it is not the same any more. */
arrow::Result<std::shared_ptr<arrow::io::ReadableFile>> reopen_file(const file_identity &identity);

/* One input file.  Immutable after it was opened, so any thread may use it. */
class file_source : public std::enable_shared_from_this<file_source> {
public:
    virtual ~file_source() = default;

    virtual sluice_file_format format() const = 0;
    virtual int64_t row_count() const = 0;
    virtual uint32_t piece_count() const = 0;
    virtual int64_t piece_rows(uint32_t piece) const = 0;
    virtual int64_t piece_bytes(uint32_t piece) const = 0;
    virtual arrow::Result<std::unique_ptr<batch_stream>>
    open_piece(uint32_t piece_first, uint32_t piece_count, const read_options &options) const = 0;

    /* The schema of its streams: projected, dictionary columns as dictionaries. */
    std::shared_ptr<arrow::Schema> read_schema(const read_options &options) const;

    const std::string &path() const { return identity.path; }

    file_identity identity;
    std::shared_ptr<arrow::Schema> schema; /* With the metadata of the file. */
};

arrow::Result<std::shared_ptr<file_source>> open_parquet_source(const std::string &path);
arrow::Result<std::shared_ptr<file_source>> open_ipc_file_source(const std::string &path);

/* input is where the bytes come from when they can be read only once, else null. */
arrow::Result<std::shared_ptr<file_source>>
open_ipc_stream_source(const std::string &path, std::shared_ptr<arrow::io::InputStream> input);

} /* namespace sluice_io */

struct sluice_source {
    std::shared_ptr<sluice_io::file_source> file;
};

#endif /* SLUICE_IO_SOURCE_H */
