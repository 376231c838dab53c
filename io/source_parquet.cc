/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/source_parquet.cc - row groups of a Parquet file as streams
 *
 * A stream reads one row group after the other.  A column chunk is read whole when the row group is
 * small, which costs one read each, and by pages when it is large, so that no row group has to fit
 * in memory.
 */
#include "source_parquet.h"

#include <algorithm>

#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>

#include "dictionaries.h"
#include "guard.h"
#include "memory.h"
#include "types.h"

namespace sluice_io {

namespace {

/* Row groups with more encoded bytes than this are read by pages. */
constexpr int64_t ROW_GROUP_BYTES_WHOLE = 64 << 20;
constexpr int64_t PAGE_READ_BYTES = 256 << 10;

/* A footer that needs more than this is not one of a table. */
constexpr int32_t THRIFT_STRING_BYTES_MAX = 256 << 20;
constexpr int32_t THRIFT_CONTAINER_ENTRIES_MAX = 4 << 20;

class parquet_stream : public batch_stream {
public:
    parquet_stream(std::shared_ptr<const parquet_source> source, read_options options,
                   uint32_t piece_first, uint32_t piece_count)
        : source_(std::move(source)), options_(std::move(options)),
          row_group_(static_cast<int>(piece_first)),
          row_group_end_(static_cast<int>(piece_first + piece_count))
    {
    }

    arrow::Status open();
    arrow::Status next(std::shared_ptr<arrow::RecordBatch> *out) override;

private:
    arrow::Status open_reader(bool read_by_page);
    arrow::Status open_row_group();
    arrow::Status finish_row_group();
    arrow::Status next_of_row_group(std::shared_ptr<arrow::RecordBatch> *out);
    arrow::Result<std::shared_ptr<arrow::RecordBatch>>
    translate(const std::shared_ptr<arrow::RecordBatch> &batch) const;
    arrow::Status blame_column(const arrow::Status &failure);

    std::shared_ptr<const parquet_source> source_;
    read_options options_;
    std::vector<int> leaves_;
    int row_group_; /* The current one. */
    int row_group_end_;
    std::shared_ptr<arrow::io::ReadableFile> file_;
    bool reads_by_page_ = false;
    std::unique_ptr<parquet::arrow::FileReader> reader_;
    std::unique_ptr<arrow::RecordBatchReader> batches_; /* Of the current row group. */
    int64_t rows_left_ = 0;                             /* In the current row group. */
};

arrow::Status parquet_stream::open()
{
    schema = source_->read_schema(options_);
    leaves_ = source_->leaves_of(options_.columns);
    ARROW_ASSIGN_OR_RAISE(file_, reopen_file(source_->identity));
    return arrow::Status::OK();
}

arrow::Status parquet_stream::open_reader(bool read_by_page)
{
    parquet::ArrowReaderProperties properties(false);
    parquet::arrow::FileReaderBuilder builder;

    properties.set_pre_buffer(false);
    properties.set_batch_size(options_.batch_rows);
    for (const int column : options_.columns) {
        const auto &field = source_->schema->field(column);
        if (options_.dictionaries != nullptr && options_.dictionaries->find(field->name()))
            properties.set_read_dictionary(source_->leaves[static_cast<size_t>(column)][0], true);
    }
    ARROW_RETURN_NOT_OK(
        builder.Open(file_, parquet_reader_properties(read_by_page), source_->metadata));
    builder.memory_pool(memory_pool());
    builder.properties(properties);
    ARROW_RETURN_NOT_OK(builder.Build(&reader_));
    reads_by_page_ = read_by_page;
    return arrow::Status::OK();
}

arrow::Status parquet_stream::open_row_group()
{
    const int64_t bytes = source_->piece_bytes(static_cast<uint32_t>(row_group_));
    const bool read_by_page = bytes > ROW_GROUP_BYTES_WHOLE;

    if (reader_ == nullptr || read_by_page != reads_by_page_)
        ARROW_RETURN_NOT_OK(open_reader(read_by_page));
    ARROW_ASSIGN_OR_RAISE(batches_, reader_->GetRecordBatchReader({row_group_}, leaves_));
    rows_left_ = source_->piece_rows(static_cast<uint32_t>(row_group_));
    return arrow::Status::OK();
}

arrow::Status parquet_stream::finish_row_group()
{
    batches_.reset();
    if (rows_left_ != 0)
        return fail(SLUICE_BAD_DATA, std::to_string(rows_left_) +
                                         " rows are missing that the footer says are there");
    row_group_++;
    return arrow::Status::OK();
}

/* Find the column that cannot be read by reading each alone: after a failure only. */
arrow::Status parquet_stream::blame_column(const arrow::Status &failure)
{
    for (const int column : options_.columns) {
        const auto status = catch_all([&]() -> arrow::Status {
            std::shared_ptr<arrow::RecordBatch> batch;
            ARROW_ASSIGN_OR_RAISE(
                auto batches, reader_->GetRecordBatchReader(
                                  {row_group_}, source_->leaves[static_cast<size_t>(column)]));
            do {
                ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
            } while (batch != nullptr);
            return arrow::Status::OK();
        });
        if (!status.ok())
            return add_context(status,
                               "column '" + source_->schema->field(column)->name() + "'");
    }
    return failure;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>>
parquet_stream::translate(const std::shared_ptr<arrow::RecordBatch> &batch) const
{
    std::vector<std::shared_ptr<arrow::Array>> columns = batch->columns();

    if (columns.size() != static_cast<size_t>(schema->num_fields()))
        return fail(SLUICE_BAD_DATA, "the columns read are not those of the schema");
    for (size_t column = 0; column < columns.size(); column++) {
        const auto &field = schema->field(static_cast<int>(column));
        const auto dictionary = options_.dictionaries == nullptr
                                    ? nullptr
                                    : options_.dictionaries->find(field->name());
        if (dictionary == nullptr || columns[column]->type_id() != arrow::Type::DICTIONARY)
            continue;
        ARROW_ASSIGN_OR_RAISE(columns[column],
                              dictionary->translate(arrow::internal::checked_cast<
                                                    const arrow::DictionaryArray &>(
                                  *columns[column])));
    }
    return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

/* The next batch of the current row group, or null at its end. */
arrow::Status parquet_stream::next_of_row_group(std::shared_ptr<arrow::RecordBatch> *out)
{
    std::shared_ptr<arrow::RecordBatch> batch;
    const std::string where = source_->name_row_group(row_group_);

    const auto status = catch_all([&] { return batches_->ReadNext(&batch); });
    if (!status.ok())
        return status.IsOutOfMemory() ? status : blame_column(status);
    if (batch == nullptr)
        return arrow::Status::OK();
    rows_left_ -= batch->num_rows();
    if (rows_left_ < 0)
        return fail(SLUICE_BAD_DATA, "there are more rows than the footer says");
    ARROW_ASSIGN_OR_RAISE(*out, translate(batch));
    return check_batch(**out, *schema, options_.validate_values, where);
}

arrow::Status parquet_stream::next(std::shared_ptr<arrow::RecordBatch> *out)
{
    out->reset();
    while (*out == nullptr && row_group_ < row_group_end_) {
        const auto status = catch_all([&]() -> arrow::Status {
            if (batches_ == nullptr)
                ARROW_RETURN_NOT_OK(open_row_group());
            ARROW_RETURN_NOT_OK(next_of_row_group(out));
            return *out != nullptr ? arrow::Status::OK() : finish_row_group();
        });
        ARROW_RETURN_NOT_OK(add_context(status, source_->name_row_group(row_group_)));
        if (*out != nullptr && (*out)->num_rows() == 0)
            out->reset();
    }
    return arrow::Status::OK();
}

/*
 * The file's key-value metadata as that of the schema.  Arrow takes what lies inside the stored
 * Arrow schema instead, and loses what others added to the file.
 */
std::shared_ptr<arrow::Schema>
add_file_metadata(const std::shared_ptr<arrow::Schema> &schema,
                  const std::shared_ptr<const arrow::KeyValueMetadata> &in_file)
{
    auto merged = schema->metadata() != nullptr ? schema->metadata()->Copy()
                                                : std::make_shared<arrow::KeyValueMetadata>();

    for (int64_t index = 0; in_file != nullptr && index < in_file->size(); index++) {
        if (in_file->key(index) != ARROW_SCHEMA_KEY && merged->FindKey(in_file->key(index)) < 0)
            merged->Append(in_file->key(index), in_file->value(index));
    }
    return schema->WithMetadata(merged->size() > 0 ? merged : nullptr);
}

void collect_leaves(const parquet::arrow::SchemaField &field, std::vector<int> *leaves)
{
    if (field.is_leaf())
        leaves->push_back(field.column_index);
    for (const auto &child : field.children)
        collect_leaves(child, leaves);
}

} /* namespace */

parquet::ReaderProperties parquet_reader_properties(bool read_by_page)
{
    parquet::ReaderProperties properties(memory_pool());

    properties.set_thrift_string_size_limit(THRIFT_STRING_BYTES_MAX);
    properties.set_thrift_container_size_limit(THRIFT_CONTAINER_ENTRIES_MAX);
    properties.set_page_checksum_verification(true);
    if (read_by_page) {
        properties.enable_buffered_stream();
        properties.set_buffer_size(PAGE_READ_BYTES);
    }
    return properties;
}

std::string parquet_source::name_row_group(int row_group) const
{
    return path() + ": row group " + std::to_string(row_group);
}

/* The bytes of a column chunk lie inside the file, and it has a value for each row. */
arrow::Status parquet_source::check_chunk(int row_group, int column) const
{
    const auto group = metadata->RowGroup(row_group);
    const auto chunk = group->ColumnChunk(column);
    const auto *description = metadata->schema()->Column(column);
    const std::string where =
        name_row_group(row_group) + ": column '" + description->path()->ToDotString() + "'";
    const int64_t bytes = chunk->total_compressed_size();
    int64_t start = chunk->data_page_offset();

    if (chunk->has_dictionary_page() && chunk->dictionary_page_offset() > 0)
        start = std::min(start, chunk->dictionary_page_offset());
    if (start < 0 || bytes < 0 || bytes > identity.bytes || start > identity.bytes - bytes)
        return fail(SLUICE_BAD_DATA, where + ": the footer says " + std::to_string(bytes) +
                                         " bytes from byte " + std::to_string(start) +
                                         " on, the file has " + std::to_string(identity.bytes));
    if (description->max_repetition_level() == 0 && chunk->num_values() != group->num_rows())
        return fail(SLUICE_BAD_DATA, where + ": the footer says " +
                                         std::to_string(chunk->num_values()) + " values in " +
                                         std::to_string(group->num_rows()) + " rows");
    return arrow::Status::OK();
}

/* Whatever is read later lies inside the file, and the rows add up. */
arrow::Status parquet_source::check_row_groups()
{
    int64_t rows = 0;

    for (int index = 0; index < metadata->num_row_groups(); index++) {
        const auto row_group = metadata->RowGroup(index);
        row_group_size size = {row_group->num_rows(), 0};
        if (row_group->num_rows() < 0 || row_group->num_rows() > metadata->num_rows() - rows)
            return fail(SLUICE_BAD_DATA, name_row_group(index) + ": the footer says " +
                                             std::to_string(row_group->num_rows()) + " rows");
        rows += row_group->num_rows();
        if (row_group->num_columns() != metadata->num_columns())
            return fail(SLUICE_BAD_DATA, name_row_group(index) + ": the footer says " +
                                             std::to_string(row_group->num_columns()) +
                                             " columns of " +
                                             std::to_string(metadata->num_columns()));
        for (int column = 0; column < row_group->num_columns(); column++) {
            ARROW_RETURN_NOT_OK(check_chunk(index, column));
            size.bytes += row_group->ColumnChunk(column)->total_compressed_size();
        }
        row_groups_.push_back(size);
    }
    if (rows != metadata->num_rows())
        return fail(SLUICE_BAD_DATA, path() + ": the footer says " +
                                         std::to_string(metadata->num_rows()) +
                                         " rows, its row groups have " + std::to_string(rows));
    return arrow::Status::OK();
}

arrow::Status parquet_source::open(const std::string &path)
{
    ARROW_ASSIGN_OR_RAISE(auto file, open_file(path, &identity));
    const auto status = catch_all([&]() -> arrow::Status {
        parquet::arrow::SchemaManifest manifest;
        parquet::ArrowReaderProperties properties(false);

        metadata = parquet::ParquetFileReader::Open(file, parquet_reader_properties(false))
                       ->metadata();
        ARROW_RETURN_NOT_OK(parquet::arrow::SchemaManifest::Make(
            metadata->schema(), metadata->key_value_metadata(), properties, &manifest));
        ARROW_RETURN_NOT_OK(parquet::arrow::FromParquetSchema(
            metadata->schema(), properties, metadata->key_value_metadata(), &schema));
        schema = add_file_metadata(schema, metadata->key_value_metadata());
        for (const auto &field : manifest.schema_fields) {
            std::vector<int> below;
            collect_leaves(field, &below);
            leaves.push_back(std::move(below));
        }
        return arrow::Status::OK();
    });
    ARROW_RETURN_NOT_OK(add_context(status, path + ": cannot read the Parquet footer"));
    return add_context(catch_all([&] { return check_row_groups(); }),
                       path + ": the Parquet footer is damaged");
}

std::vector<int> parquet_source::leaves_of(const std::vector<int> &columns) const
{
    std::vector<int> all;

    for (const int column : columns) {
        const auto &below = leaves[static_cast<size_t>(column)];
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

arrow::Result<std::unique_ptr<batch_stream>>
parquet_source::open_piece(uint32_t piece_first, uint32_t piece_count,
                           const read_options &options) const
{
    auto self = std::static_pointer_cast<const parquet_source>(shared_from_this());
    auto stream =
        std::make_unique<parquet_stream>(std::move(self), options, piece_first, piece_count);

    ARROW_RETURN_NOT_OK(stream->open());
    return stream;
}

arrow::Result<std::shared_ptr<file_source>> open_parquet_source(const std::string &path)
{
    auto source = std::make_shared<parquet_source>();

    ARROW_RETURN_NOT_OK(source->open(path));
    return source;
}

} /* namespace sluice_io */
