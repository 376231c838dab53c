/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/source_ipc.cc - Arrow IPC files and streams as sources
 *
 * A file is cut into pieces of neighbouring record batches; each stream opens the file for itself
 * and so reads the dictionaries again, which is why there are never more than PIECES_MAX pieces.
 * Bytes are read, not mapped: a mapped file that is cut short by somebody else ends the process.
 */
#include <algorithm>
#include <mutex>

#include <arrow/array/array_base.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>

#include "guard.h"
#include "memory.h"
#include "source.h"

namespace sluice_io {

namespace {

constexpr int64_t PIECES_MAX = 256;

arrow::ipc::IpcReadOptions ipc_read_options(const arrow::Schema *schema,
                                            const read_options *options)
{
    arrow::ipc::IpcReadOptions result = arrow::ipc::IpcReadOptions::Defaults();

    result.memory_pool = memory_pool();
    result.use_threads = false;
    result.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
    /* No included field would mean all of them; a projection to none is made afterwards. */
    if (options != nullptr && !options->columns.empty() &&
        options->columns.size() < static_cast<size_t>(schema->num_fields())) {
        result.included_fields = options->columns;
        std::sort(result.included_fields.begin(), result.included_fields.end());
    }
    return result;
}

/*
 * The columns of the options, in their order.  The batch has either all columns of the file or
 * just those, in the order of the file.
 */
arrow::Result<std::shared_ptr<arrow::RecordBatch>>
project(const std::shared_ptr<arrow::RecordBatch> &batch, const read_options &options,
        const std::shared_ptr<arrow::Schema> &schema)
{
    const bool is_projected = static_cast<size_t>(batch->num_columns()) == options.columns.size();
    std::vector<int> sorted = options.columns;
    std::vector<std::shared_ptr<arrow::Array>> columns;

    std::sort(sorted.begin(), sorted.end());
    for (const int column : options.columns) {
        const auto found = std::lower_bound(sorted.begin(), sorted.end(), column);
        const int place = is_projected ? static_cast<int>(found - sorted.begin()) : column;
        if (place >= batch->num_columns())
            return fail(SLUICE_BAD_DATA, "a batch has only " +
                                             std::to_string(batch->num_columns()) + " columns");
        columns.push_back(batch->column(place));
    }
    for (size_t column = 0; column < columns.size(); column++) {
        const auto &field = *schema->field(static_cast<int>(column));
        if (!columns[column]->type()->Equals(*field.type()))
            return fail(SLUICE_BAD_DATA, "column '" + field.name() + "' has the type " +
                                             columns[column]->type()->ToString() + ", not " +
                                             field.type()->ToString());
    }
    return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

class ipc_file_source : public file_source {
public:
    arrow::Status open(const std::string &path);

    sluice_file_format format() const override { return SLUICE_FORMAT_IPC_FILE; }
    int64_t row_count() const override { return rows_; }
    uint32_t piece_count() const override;
    int64_t piece_rows(uint32_t) const override { return batches_ == 1 ? rows_ : -1; }
    int64_t piece_bytes(uint32_t) const override { return -1; }
    arrow::Result<std::unique_ptr<batch_stream>>
    open_piece(uint32_t piece_first, uint32_t piece_count,
               const read_options &options) const override;

private:
    /* The first batch of a piece; for the piece behind the last one, the number of batches. */
    int first_batch(uint32_t piece) const;

    int64_t rows_ = 0;
    int64_t batches_ = 0;
};

class ipc_file_stream : public batch_stream {
public:
    ipc_file_stream(read_options options, int batch_first, int batch_end)
        : options_(std::move(options)), batch_(batch_first), batch_end_(batch_end)
    {
    }

    arrow::Status open(const file_source &source);
    arrow::Status next(std::shared_ptr<arrow::RecordBatch> *out) override;

private:
    read_options options_;
    std::string path_;
    int batch_;
    int batch_end_;
    std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
};

arrow::Status ipc_file_stream::open(const file_source &source)
{
    path_ = source.path();
    schema = source.read_schema(options_);
    ARROW_ASSIGN_OR_RAISE(auto file, reopen_file(source.identity));
    ARROW_ASSIGN_OR_RAISE(reader_,
                          arrow::ipc::RecordBatchFileReader::Open(
                              file, ipc_read_options(source.schema.get(), &options_)));
    if (batch_end_ > reader_->num_record_batches())
        return fail(SLUICE_BAD_DATA, path_ + ": the file has changed");
    return arrow::Status::OK();
}

arrow::Status ipc_file_stream::next(std::shared_ptr<arrow::RecordBatch> *out)
{
    out->reset();
    while (*out == nullptr && batch_ < batch_end_) {
        const std::string where = path_ + ": record batch " + std::to_string(batch_);
        const auto status = catch_all([&]() -> arrow::Status {
            ARROW_ASSIGN_OR_RAISE(auto batch, reader_->ReadRecordBatch(batch_));
            ARROW_ASSIGN_OR_RAISE(*out, project(batch, options_, schema));
            return check_batch(**out, *schema, options_.validate_values, where);
        });
        ARROW_RETURN_NOT_OK(add_context(status, where));
        batch_++;
        if ((*out)->num_rows() == 0)
            out->reset();
    }
    return arrow::Status::OK();
}

arrow::Status ipc_file_source::open(const std::string &path)
{
    ARROW_ASSIGN_OR_RAISE(auto file, open_file(path, &identity));
    const auto status = catch_all([&]() -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(
                                               file, ipc_read_options(nullptr, nullptr)));
        schema = reader->schema();
        batches_ = reader->num_record_batches();
        ARROW_ASSIGN_OR_RAISE(rows_, reader->CountRows());
        return arrow::Status::OK();
    });
    return add_context(status, path + ": cannot read the footer of the Arrow IPC file");
}

uint32_t ipc_file_source::piece_count() const
{
    return static_cast<uint32_t>(std::min(batches_, PIECES_MAX));
}

int ipc_file_source::first_batch(uint32_t piece) const
{
    const int64_t pieces = std::max<int64_t>(piece_count(), 1);

    return static_cast<int>(batches_ * static_cast<int64_t>(piece) / pieces);
}

arrow::Result<std::unique_ptr<batch_stream>>
ipc_file_source::open_piece(uint32_t piece_first, uint32_t piece_count,
                            const read_options &options) const
{
    auto stream = std::make_unique<ipc_file_stream>(options, first_batch(piece_first),
                                                    first_batch(piece_first + piece_count));

    ARROW_RETURN_NOT_OK(add_context(stream->open(*this), path()));
    return stream;
}

class ipc_stream_source : public file_source {
public:
    arrow::Status open(const std::string &path, std::shared_ptr<arrow::io::InputStream> input);

    sluice_file_format format() const override { return SLUICE_FORMAT_IPC_STREAM; }
    int64_t row_count() const override { return -1; }
    uint32_t piece_count() const override { return 1; }
    int64_t piece_rows(uint32_t) const override { return -1; }
    int64_t piece_bytes(uint32_t) const override { return identity.bytes; }
    arrow::Result<std::unique_ptr<batch_stream>>
    open_piece(uint32_t piece_first, uint32_t piece_count,
               const read_options &options) const override;

private:
    arrow::Result<std::shared_ptr<arrow::ipc::RecordBatchStreamReader>> take_reader() const;

    bool is_once_ = false;
    mutable std::mutex mutex_; /* Protects once_. */
    mutable std::shared_ptr<arrow::ipc::RecordBatchStreamReader> once_;
};

class ipc_stream_stream : public batch_stream {
public:
    ipc_stream_stream(const file_source &source, read_options options,
                      std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader)
        : options_(std::move(options)), path_(source.path()), reader_(std::move(reader))
    {
        schema = source.read_schema(options_);
    }

    arrow::Status next(std::shared_ptr<arrow::RecordBatch> *out) override;

private:
    read_options options_;
    std::string path_;
    std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_; /* Null at the end. */
    int64_t batch_ = 0;
};

arrow::Status ipc_stream_stream::next(std::shared_ptr<arrow::RecordBatch> *out)
{
    out->reset();
    while (*out == nullptr && reader_ != nullptr) {
        const std::string where = path_ + ": record batch " + std::to_string(batch_);
        const auto status = catch_all([&]() -> arrow::Status {
            std::shared_ptr<arrow::RecordBatch> batch;
            ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
            if (batch == nullptr) {
                reader_.reset();
                return arrow::Status::OK();
            }
            ARROW_ASSIGN_OR_RAISE(*out, project(batch, options_, schema));
            return check_batch(**out, *schema, options_.validate_values, where);
        });
        ARROW_RETURN_NOT_OK(add_context(status, where));
        batch_++;
        if (*out != nullptr && (*out)->num_rows() == 0)
            out->reset();
    }
    return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::ipc::RecordBatchStreamReader>>
ipc_stream_source::take_reader() const
{
    if (is_once_) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (once_ == nullptr)
            return fail(SLUICE_INVALID, path() + ": this input can be read only once");
        return std::move(once_);
    }
    ARROW_ASSIGN_OR_RAISE(auto file, reopen_file(identity));
    /* All columns: a stream cannot skip, and project() picks. */
    return arrow::ipc::RecordBatchStreamReader::Open(file, ipc_read_options(nullptr, nullptr));
}

arrow::Status ipc_stream_source::open(const std::string &path,
                                      std::shared_ptr<arrow::io::InputStream> input)
{
    identity.path = path;
    is_once_ = input != nullptr;
    if (!is_once_) {
        ARROW_ASSIGN_OR_RAISE(input, open_file(path, &identity));
    }
    const auto status = catch_all([&]() -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(
                                               input, ipc_read_options(nullptr, nullptr)));
        schema = reader->schema();
        if (is_once_)
            once_ = std::move(reader);
        return arrow::Status::OK();
    });
    return add_context(status, path + ": cannot read the schema of the Arrow IPC stream");
}

arrow::Result<std::unique_ptr<batch_stream>>
ipc_stream_source::open_piece(uint32_t, uint32_t piece_count, const read_options &options) const
{
    std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader;

    if (piece_count != 0) {
        ARROW_ASSIGN_OR_RAISE(reader, take_reader());
    }
    return std::make_unique<ipc_stream_stream>(*this, options, std::move(reader));
}

} /* namespace */

arrow::Result<std::shared_ptr<file_source>> open_ipc_file_source(const std::string &path)
{
    auto source = std::make_shared<ipc_file_source>();

    ARROW_RETURN_NOT_OK(source->open(path));
    return source;
}

arrow::Result<std::shared_ptr<file_source>>
open_ipc_stream_source(const std::string &path, std::shared_ptr<arrow::io::InputStream> input)
{
    auto source = std::make_shared<ipc_stream_source>();

    ARROW_RETURN_NOT_OK(source->open(path, std::move(input)));
    return source;
}

} /* namespace sluice_io */
