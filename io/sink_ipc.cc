/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/sink_ipc.cc - write an Arrow IPC file or stream
 *
 * A dictionary that grows from batch to batch, as those of an exchange do, is written as deltas,
 * which is the only change of a dictionary that the file format allows.  Columns that come as
 * dictionaries but are not so logically are decoded.
 */
#include "sink.h"

#include <arrow/array.h>
#include <arrow/compute/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/checked_cast.h>

#include "guard.h"
#include "memory.h"

namespace sluice_io {

namespace {

class ipc_sink : public file_sink {
public:
    ipc_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
             arrow::MemoryPool *pool)
        : plan_(plan), file_(std::move(file)), pool_(pool)
    {
    }

    arrow::Status open();
    arrow::Status write(const std::shared_ptr<arrow::RecordBatch> &batch) override;
    arrow::Status flush() override { return arrow::Status::OK(); }
    arrow::Status finish() override;
    uint64_t group_count() const override { return batch_count_; }

private:
    sink_plan plan_;
    std::shared_ptr<arrow::io::OutputStream> file_;
    arrow::MemoryPool *pool_;
    std::shared_ptr<arrow::Schema> write_schema_;
    std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
    uint64_t batch_count_ = 0;
};

arrow::Status ipc_sink::open()
{
    arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
    arrow::FieldVector fields;

    for (int column = 0; column < plan_.batch_schema->num_fields(); column++) {
        const auto &logical = plan_.logical_schema->field(column);
        const bool is_dictionary = logical->type()->id() == arrow::Type::DICTIONARY;
        /* The indices stay as wide as they came. */
        fields.push_back(is_dictionary
                             ? logical->WithType(plan_.batch_schema->field(column)->type())
                             : logical);
    }
    write_schema_ = arrow::schema(std::move(fields), plan_.logical_schema->metadata());
    options.memory_pool = pool_;
    options.use_threads = false;
    options.emit_dictionary_deltas = true;
    options.alignment = 64;
    if (plan_.compression != arrow::Compression::UNCOMPRESSED) {
        ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(
                                                 plan_.compression, plan_.compression_level));
    }
    if (plan_.format == SLUICE_FORMAT_IPC_FILE) {
        ARROW_ASSIGN_OR_RAISE(
            writer_, arrow::ipc::MakeFileWriter(file_, write_schema_, options));
    } else {
        ARROW_ASSIGN_OR_RAISE(
            writer_, arrow::ipc::MakeStreamWriter(file_, write_schema_, options));
    }
    return arrow::Status::OK();
}

/* The column with its logical type. */
arrow::Result<std::shared_ptr<arrow::Array>> decode(const std::shared_ptr<arrow::Array> &array,
                                                    const std::shared_ptr<arrow::DataType> &type,
                                                    arrow::MemoryPool *pool)
{
    if (array->type()->Equals(*type) || array->type_id() != arrow::Type::DICTIONARY)
        return array;
    const auto &column = static_cast<const arrow::DictionaryArray &>(*array);
    arrow::compute::ExecContext context(pool);
    ARROW_ASSIGN_OR_RAISE(auto values,
                          arrow::compute::Take(*column.dictionary(), *column.indices(),
                                               arrow::compute::TakeOptions::Defaults(),
                                               &context));
    if (values->type()->Equals(*type))
        return values;
    return arrow::compute::Cast(*values, type, arrow::compute::CastOptions::Safe(), &context);
}

arrow::Status ipc_sink::write(const std::shared_ptr<arrow::RecordBatch> &batch)
{
    std::vector<std::shared_ptr<arrow::Array>> columns = batch->columns();

    for (size_t column = 0; column < columns.size(); column++) {
        const auto &field = write_schema_->field(static_cast<int>(column));
        ARROW_ASSIGN_OR_RAISE(columns[column], decode(columns[column], field->type(), pool_));
    }
    const auto rows =
        arrow::RecordBatch::Make(write_schema_, batch->num_rows(), std::move(columns));
    batch_count_++;
    return writer_->WriteRecordBatch(*rows);
}

arrow::Status ipc_sink::finish()
{
    ARROW_RETURN_NOT_OK(writer_->Close());
    writer_.reset();
    return arrow::Status::OK();
}

} /* namespace */

arrow::Result<std::unique_ptr<file_sink>>
make_ipc_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
              arrow::MemoryPool *pool)
{
    auto sink = std::make_unique<ipc_sink>(plan, std::move(file), pool);

    ARROW_RETURN_NOT_OK(sink->open());
    return sink;
}

} /* namespace sluice_io */
