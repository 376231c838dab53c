/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/sink_parquet.cc - write a Parquet file batch by batch
 *
 * Rows are encoded and compressed as they come (a "buffered row group"), so an open file holds
 * pages and not Arrow data.  The file gets the Arrow schema that its reader shall see, which is not
 * always that of the batches: strings may come as dictionaries.
 */
#include "sink.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/base64.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>

#include "encoding.h"
#include "guard.h"
#include "types.h"

namespace sluice_io {

namespace {

/* Many files are open at once, and each column of each holds a page before and after encoding. */
constexpr int64_t PAGE_BYTES = 128 << 10;
constexpr int64_t DICTIONARY_PAGE_BYTES_MAX = 512 << 10;

class parquet_sink : public file_sink {
public:
    parquet_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
                 arrow::MemoryPool *pool)
        : plan_(plan), file_(std::move(file)), pool_(pool)
    {
    }

    arrow::Status open();
    arrow::Status write(const std::shared_ptr<arrow::RecordBatch> &batch) override;
    arrow::Status flush() override;
    arrow::Status finish() override;
    uint64_t group_count() const override { return group_count_; }

private:
    std::shared_ptr<parquet::WriterProperties> make_properties(const arrow::RecordBatch *sample);
    arrow::Status open_writer(const arrow::RecordBatch *sample);
    arrow::Result<std::shared_ptr<arrow::KeyValueMetadata>> make_metadata() const;

    sink_plan plan_;
    std::shared_ptr<arrow::io::OutputStream> file_;
    arrow::MemoryPool *pool_;
    std::shared_ptr<arrow::Schema> write_schema_; /* Types of the batches, names of the logical. */
    std::shared_ptr<parquet::SchemaDescriptor> parquet_schema_;
    std::unique_ptr<parquet::arrow::FileWriter> writer_; /* Made by the first batch. */
    bool has_open_rows_ = false;
    uint64_t group_count_ = 0;
};

std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties()
{
    parquet::ArrowWriterProperties::Builder builder;

    /* The items of lists keep their names, so that a copy of a file has the same schema. */
    builder.disable_compliant_nested_types();
    /* No store_schema(): make_metadata() stores the logical schema, not that of the batches. */
    return builder.build();
}

arrow::Status parquet_sink::open()
{
    arrow::FieldVector fields;
    const auto properties = make_properties(nullptr);

    for (int column = 0; column < plan_.batch_schema->num_fields(); column++) {
        const auto &logical = plan_.logical_schema->field(column);
        auto field = logical->WithType(plan_.batch_schema->field(column)->type());
        parquet::schema::NodePtr node;
        const auto status = parquet::arrow::FieldToNode(field, *properties, *arrow_properties(),
                                                        &node);
        if (!status.ok())
            return fail(SLUICE_UNSUPPORTED, "column '" + field->name() +
                                                "': Parquet has no type for " +
                                                field->type()->ToString());
        fields.push_back(std::move(field));
    }
    write_schema_ = arrow::schema(std::move(fields));
    return parquet::arrow::ToParquetSchema(write_schema_.get(), *properties, *arrow_properties(),
                                           &parquet_schema_);
}

std::shared_ptr<parquet::WriterProperties>
parquet_sink::make_properties(const arrow::RecordBatch *sample)
{
    parquet::WriterProperties::Builder builder;

    builder.memory_pool(pool_);
    builder.version(parquet::ParquetVersion::PARQUET_2_6);
    builder.created_by("sluice (Apache Arrow C++)");
    builder.compression(plan_.compression);
    builder.compression_level(plan_.compression_level);
    builder.max_row_group_length(plan_.row_group_rows);
    builder.data_pagesize(PAGE_BYTES);
    builder.dictionary_pagesize_limit(DICTIONARY_PAGE_BYTES_MAX);
    builder.enable_store_decimal_as_integer();
    if (sample != nullptr)
        choose_encodings(sample, *parquet_schema_, &builder);
    return builder.build();
}

/* The key-value metadata of the file: that of the logical schema, and the schema itself. */
arrow::Result<std::shared_ptr<arrow::KeyValueMetadata>> parquet_sink::make_metadata() const
{
    auto metadata = plan_.logical_schema->metadata() != nullptr
                        ? plan_.logical_schema->metadata()->Copy()
                        : std::make_shared<arrow::KeyValueMetadata>();

    /* With its metadata: readers built on Arrow take the one in here and forget the other. */
    ARROW_ASSIGN_OR_RAISE(const auto bytes,
                          arrow::ipc::SerializeSchema(*plan_.logical_schema, pool_));
    ARROW_RETURN_NOT_OK(metadata->Set(ARROW_SCHEMA_KEY, arrow::util::base64_encode(
                                                            std::string_view(*bytes))));
    return metadata;
}

/* The encodings depend on the first batch, so the writer is made by it. */
arrow::Status parquet_sink::open_writer(const arrow::RecordBatch *sample)
{
    ARROW_ASSIGN_OR_RAISE(auto metadata, make_metadata());
    ARROW_ASSIGN_OR_RAISE(writer_, parquet::arrow::FileWriter::Open(
                                       *write_schema_, pool_, file_, make_properties(sample),
                                       arrow_properties()));
    return writer_->AddKeyValueMetadata(metadata);
}

arrow::Status parquet_sink::write(const std::shared_ptr<arrow::RecordBatch> &batch)
{
    const auto rows =
        arrow::RecordBatch::Make(write_schema_, batch->num_rows(), batch->columns());

    if (writer_ == nullptr)
        ARROW_RETURN_NOT_OK(open_writer(rows.get()));
    has_open_rows_ = true;
    return writer_->WriteRecordBatch(*rows);
}

/*
 * Arrow can end a row group only by beginning the next.  When no row follows, the file ends with an
 * empty row group, which readers skip.
 */
arrow::Status parquet_sink::flush()
{
    if (!has_open_rows_)
        return arrow::Status::OK();
    has_open_rows_ = false;
    return writer_->NewBufferedRowGroup();
}

arrow::Status parquet_sink::finish()
{
    if (writer_ == nullptr)
        ARROW_RETURN_NOT_OK(open_writer(nullptr));
    ARROW_RETURN_NOT_OK(writer_->Close());
    group_count_ = static_cast<uint64_t>(writer_->metadata()->num_row_groups());
    writer_.reset();
    return arrow::Status::OK();
}

} /* namespace */

arrow::Result<std::unique_ptr<file_sink>>
make_parquet_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
                  arrow::MemoryPool *pool)
{
    auto sink = std::make_unique<parquet_sink>(plan, std::move(file), pool);

    ARROW_RETURN_NOT_OK(sink->open());
    return sink;
}

} /* namespace sluice_io */
