/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/source_parquet.h - a Parquet file as a source
 */
#ifndef SLUICE_IO_SOURCE_PARQUET_H
#define SLUICE_IO_SOURCE_PARQUET_H

#include <memory>
#include <string>
#include <vector>

#include <parquet/arrow/schema.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "source.h"

namespace sluice_io {

class parquet_source : public file_source {
public:
    /* Read and check the footer. */
    arrow::Status open(const std::string &path);

    sluice_file_format format() const override { return SLUICE_FORMAT_PARQUET; }
    int64_t row_count() const override { return metadata->num_rows(); }
    uint32_t piece_count() const override { return static_cast<uint32_t>(row_groups_.size()); }
    int64_t piece_rows(uint32_t piece) const override { return row_groups_[piece].rows; }
    int64_t piece_bytes(uint32_t piece) const override { return row_groups_[piece].bytes; }
    arrow::Result<std::unique_ptr<batch_stream>>
    open_piece(uint32_t piece_first, uint32_t piece_count,
               const read_options &options) const override;

    /* The leaf columns of the file below some top-level columns. */
    std::vector<int> leaves_of(const std::vector<int> &columns) const;

    /* "PATH: row group 3". */
    std::string name_row_group(int row_group) const;

    std::shared_ptr<parquet::FileMetaData> metadata;
    std::vector<std::vector<int>> leaves; /* For each top-level column. */

private:
    struct row_group_size {
        int64_t rows;
        int64_t bytes; /* Encoded. */
    };

    arrow::Status check_chunk(int row_group, int column) const;
    arrow::Status check_row_groups();

    std::vector<row_group_size> row_groups_;
};

/* Limits for footers and page headers, which may be anything. */
parquet::ReaderProperties parquet_reader_properties(bool read_by_page);

} /* namespace sluice_io */

#endif /* SLUICE_IO_SOURCE_PARQUET_H */
