/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/sink.cc - options of sinks, and the C API
 */
#include "sink.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <arrow/array/util.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>

#include "guard.h"
#include "memory.h"
#include "output_file.h"
#include "stream.h"
#include "types.h"

namespace sluice_io {

namespace {

constexpr int64_t ROW_GROUP_ROWS_DEFAULT = 1 << 20;

struct compression_name {
    const char *name;
    arrow::Compression::type parquet;
    arrow::Compression::type ipc; /* UNCOMPRESSED: IPC does not have it. */
};

constexpr compression_name COMPRESSIONS[] = {
    {"none", arrow::Compression::UNCOMPRESSED, arrow::Compression::UNCOMPRESSED},
    {"snappy", arrow::Compression::SNAPPY, arrow::Compression::UNCOMPRESSED},
    {"zstd", arrow::Compression::ZSTD, arrow::Compression::ZSTD},
    {"lz4", arrow::Compression::LZ4, arrow::Compression::LZ4_FRAME},
    {"gzip", arrow::Compression::GZIP, arrow::Compression::UNCOMPRESSED},
};

constexpr int ZSTD_LEVEL_LEAST = 1;
constexpr int ZSTD_LEVEL_MOST = 22;

arrow::Status resolve_level(const std::string &text, size_t colon, sink_plan *plan)
{
    char *end = nullptr;
    const std::string digits = text.substr(colon + 1);
    const long level = strtol(digits.c_str(), &end, 10);

    if (text.compare(0, colon, "zstd") != 0)
        return fail(SLUICE_INVALID, "compression '" + text + "': only zstd has levels");
    if (digits.empty() || *end != '\0' || level < ZSTD_LEVEL_LEAST || level > ZSTD_LEVEL_MOST)
        return fail(SLUICE_INVALID, "compression '" + text + "': the level is not 1 to 22");
    plan->compression_level = static_cast<int>(level);
    return arrow::Status::OK();
}

arrow::Status resolve_compression(const char *name, sink_plan *plan)
{
    const bool is_parquet = plan->format == SLUICE_FORMAT_PARQUET;
    const std::string text = name != nullptr ? name : is_parquet ? "zstd" : "none";
    const size_t colon = text.find(':');
    const std::string base = text.substr(0, colon);

    plan->compression_level = arrow::util::kUseDefaultCompressionLevel;
    if (colon != std::string::npos)
        ARROW_RETURN_NOT_OK(resolve_level(text, colon, plan));
    for (const auto &entry : COMPRESSIONS) {
        if (base != entry.name)
            continue;
        plan->compression = is_parquet ? entry.parquet : entry.ipc;
        if (plan->compression == arrow::Compression::UNCOMPRESSED && base != "none")
            return fail(SLUICE_UNSUPPORTED,
                        "compression '" + base + "': Arrow IPC has only none, zstd and lz4");
        return arrow::Status::OK();
    }
    return fail(SLUICE_INVALID,
                "compression '" + text + "': there are none, snappy, zstd[:LEVEL], lz4 and gzip");
}

/* May a column that comes with one type be shown to readers with another? */
bool can_stand_for(const arrow::DataType &batch_type, const arrow::DataType &logical)
{
    if (batch_type.Equals(logical))
        return true;
    if (batch_type.id() != arrow::Type::DICTIONARY)
        return false;
    const auto &value_type = *static_cast<const arrow::DictionaryType &>(batch_type).value_type();
    /* An exchange widens indices to int32, so the widths may differ. */
    if (logical.id() == arrow::Type::DICTIONARY)
        return value_type.Equals(
            *static_cast<const arrow::DictionaryType &>(logical).value_type());
    return value_type.Equals(logical) ||
           (is_text_type(value_type.id()) && is_text_type(logical.id())) ||
           (is_binary_type(value_type.id()) && is_binary_type(logical.id()));
}

arrow::Status check_logical_schema(const sink_plan &plan)
{
    if (plan.logical_schema->num_fields() != plan.batch_schema->num_fields())
        return fail(SLUICE_INVALID, "the logical schema has " +
                                        std::to_string(plan.logical_schema->num_fields()) +
                                        " columns, the batches have " +
                                        std::to_string(plan.batch_schema->num_fields()));
    for (int column = 0; column < plan.batch_schema->num_fields(); column++) {
        const auto &logical = *plan.logical_schema->field(column);
        const auto &batch_type = *plan.batch_schema->field(column)->type();
        if (!can_stand_for(batch_type, *logical.type()))
            return fail(SLUICE_INVALID, "column '" + logical.name() + "': batches with " +
                                            batch_type.ToString() + " cannot be written as " +
                                            logical.type()->ToString());
    }
    return arrow::Status::OK();
}

/* The metadata of the schema with the changes that the options ask for. */
arrow::Status add_metadata(const sluice_sink_options &options, sink_plan *plan)
{
    std::vector<std::string> keys;
    std::vector<std::string> values;
    const auto &given = plan->logical_schema->metadata();
    const auto is_changed = [&](const std::string &key) {
        return std::any_of(options.metadata_keys, options.metadata_keys + options.metadata_count,
                           [&](const char *changed) { return key == changed; });
    };

    for (int64_t index = 0; given != nullptr && index < given->size(); index++) {
        if (options.metadata_count > 0 && is_changed(given->key(index)))
            continue;
        keys.push_back(given->key(index));
        values.push_back(given->value(index));
    }
    for (size_t index = 0; index < options.metadata_count; index++) {
        if (options.metadata_values[index] == nullptr)
            continue;
        keys.emplace_back(options.metadata_keys[index]);
        values.emplace_back(options.metadata_values[index]);
    }
    auto metadata = keys.empty() ? nullptr : arrow::key_value_metadata(keys, values);
    plan->logical_schema = plan->logical_schema->WithMetadata(metadata);
    return arrow::Status::OK();
}

/* ImportSchema() takes what it imports; this does not. */
arrow::Result<std::shared_ptr<arrow::Schema>> borrow_schema(const struct ArrowSchema *schema)
{
    struct ArrowSchema shallow = *schema;

    shallow.release = [](struct ArrowSchema *self) { self->release = nullptr; };
    return arrow::ImportSchema(&shallow);
}

arrow::Result<sink_plan> resolve_plan(const struct ArrowSchema *schema,
                                      const sluice_sink_options *options)
{
    sink_plan plan;

    if (options->size != sizeof(*options))
        return fail(SLUICE_INVALID,
                    "sluice_sink_options: the size is " + std::to_string(options->size));
    plan.format = options->format;
    if (plan.format != SLUICE_FORMAT_PARQUET && plan.format != SLUICE_FORMAT_IPC_FILE &&
        plan.format != SLUICE_FORMAT_IPC_STREAM)
        return fail(SLUICE_INVALID, "a sink needs a format");
    ARROW_RETURN_NOT_OK(resolve_compression(options->compression, &plan));
    plan.row_group_rows =
        options->row_group_rows == 0 ? ROW_GROUP_ROWS_DEFAULT : options->row_group_rows;
    if (plan.row_group_rows < 0)
        return fail(SLUICE_INVALID, "row_group_rows is " + std::to_string(plan.row_group_rows));
    plan.sync = options->sync;
    ARROW_ASSIGN_OR_RAISE(plan.batch_schema, borrow_schema(schema));
    plan.logical_schema = plan.batch_schema;
    if (options->logical_schema != nullptr) {
        ARROW_ASSIGN_OR_RAISE(plan.logical_schema, borrow_schema(options->logical_schema));
        ARROW_RETURN_NOT_OK(check_logical_schema(plan));
    }
    ARROW_RETURN_NOT_OK(add_metadata(*options, &plan));
    return plan;
}

arrow::Result<std::unique_ptr<file_sink>>
make_sink(const sink_plan &plan, std::shared_ptr<arrow::io::OutputStream> file,
          arrow::MemoryPool *pool)
{
    if (plan.format == SLUICE_FORMAT_PARQUET)
        return make_parquet_sink(plan, std::move(file), pool);
    return make_ipc_sink(plan, std::move(file), pool);
}

/* Write one row of nulls of one column into memory: some types are refused only by then. */
arrow::Status try_column(const sink_plan &plan, int column)
{
    sink_plan narrow = plan;
    const auto &logical = plan.logical_schema->field(column);
    const auto &type = plan.batch_schema->field(column)->type();

    narrow.batch_schema = arrow::schema({plan.batch_schema->field(column)->WithNullable(true)});
    narrow.logical_schema = arrow::schema({logical->WithNullable(true)});
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::BufferOutputStream::Create(1024, memory_pool()));
    ARROW_ASSIGN_OR_RAISE(auto sink, make_sink(narrow, file, memory_pool()));
    ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(type, 1, memory_pool()));
    ARROW_RETURN_NOT_OK(sink->write(
        arrow::RecordBatch::Make(narrow.batch_schema, 1, {std::move(nulls)})));
    return sink->finish();
}

arrow::Status check_plan(const sink_plan &plan)
{
    for (int column = 0; column < plan.batch_schema->num_fields(); column++) {
        const auto status = catch_all([&] { return try_column(plan, column); });
        if (status.ok() || status.IsOutOfMemory())
            ARROW_RETURN_NOT_OK(status);
        else
            return fail(SLUICE_UNSUPPORTED,
                        "column '" + plan.logical_schema->field(column)->name() + "' of type " +
                            plan.batch_schema->field(column)->type()->ToString() +
                            " cannot be written as " + sluice_file_format_name(plan.format));
    }
    return arrow::Status::OK();
}

} /* namespace */

} /* namespace sluice_io */

/* The members go in reverse: the writer before its file and its pool. */
struct sluice_sink {
    explicit sluice_sink(std::string name)
        : path(std::move(name)), pool(sluice_io::memory_pool())
    {
    }

    std::string path;
    sluice_io::sink_plan plan;
    arrow::ProxyMemoryPool pool; /* Counts this sink. */
    std::shared_ptr<sluice_io::output_file> file;
    std::unique_ptr<sluice_io::file_sink> writer; /* Null after a failure, and at the end. */
    uint64_t rows = 0;
};

using sluice_io::direction;
using sluice_io::guard;

namespace {

/* Run one step of a sink.  After a failure there is nothing left to write with. */
template <typename Work>
sluice_status run_step(sluice_sink *sink, sluice_error *error, Work &&work)
{
    const sluice_status status = guard(direction::write, error, [&]() -> arrow::Status {
        if (sink->writer == nullptr)
            return sluice_io::fail(SLUICE_INVALID,
                                   sink->path + ": the sink has failed or finished before");
        const auto result = sluice_io::catch_all(std::forward<Work>(work));
        return sluice_io::add_context(result, sink->path);
    });

    if (status != SLUICE_OK)
        sink->writer.reset();
    return status;
}

arrow::Status import_and_write(sluice_sink *sink, struct ArrowArray *batch)
{
    ARROW_ASSIGN_OR_RAISE(const auto rows,
                          arrow::ImportRecordBatch(batch, sink->plan.batch_schema));
    ARROW_RETURN_NOT_OK(
        sluice_io::check_batch(*rows, *sink->plan.batch_schema, false, sink->path));
    if (rows->num_rows() == 0)
        return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(sink->writer->write(rows));
    sink->rows += static_cast<uint64_t>(rows->num_rows());
    return sink->file->rest();
}

} /* namespace */

sluice_status sluice_sink_check(const struct ArrowSchema *schema,
                                const sluice_sink_options *options, sluice_error *error)
{
    return guard(direction::write, error, [&]() -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const auto plan, sluice_io::resolve_plan(schema, options));
        return sluice_io::check_plan(plan);
    });
}

sluice_status sluice_sink_new(const char *path, const struct ArrowSchema *schema,
                              const sluice_sink_options *options, sluice_sink **out,
                              sluice_error *error)
{
    *out = nullptr;
    return guard(direction::write, error, [&]() -> arrow::Status {
        auto sink = std::make_unique<sluice_sink>(path);
        ARROW_ASSIGN_OR_RAISE(sink->plan, sluice_io::resolve_plan(schema, options));
        if (sink->path == "-" && sink->plan.format != SLUICE_FORMAT_IPC_STREAM)
            return sluice_io::fail(SLUICE_INVALID,
                                   "standard output takes an Arrow IPC stream only");
        ARROW_ASSIGN_OR_RAISE(sink->file, sluice_io::output_file::create(sink->path));
        auto writer = sluice_io::make_sink(sink->plan, sink->file, &sink->pool);
        ARROW_RETURN_NOT_OK(sluice_io::add_context(writer.status(), sink->path));
        sink->writer = std::move(writer).ValueUnsafe();
        *out = sink.release();
        return arrow::Status::OK();
    });
}

sluice_status sluice_sink_write(sluice_sink *sink, struct ArrowArray *batch, sluice_error *error)
{
    const sluice_status status =
        run_step(sink, error, [&] { return import_and_write(sink, batch); });

    if (batch->release != nullptr)
        batch->release(batch);
    return status;
}

uint64_t sluice_sink_get_rows(const sluice_sink *sink)
{
    return sink->rows;
}

uint64_t sluice_sink_get_buffered_bytes(const sluice_sink *sink)
{
    return static_cast<uint64_t>(std::max<int64_t>(sink->pool.bytes_allocated(), 0));
}

uint64_t sluice_sink_get_encoded_bytes(const sluice_sink *sink)
{
    return static_cast<uint64_t>(sink->file->bytes()) + sluice_sink_get_buffered_bytes(sink);
}

sluice_status sluice_sink_flush(sluice_sink *sink, sluice_error *error)
{
    return run_step(sink, error, [&]() -> arrow::Status {
        ARROW_RETURN_NOT_OK(sink->writer->flush());
        return sink->file->rest();
    });
}

sluice_status sluice_sink_finish(sluice_sink *sink, sluice_sink_statistics *statistics,
                                 sluice_error *error)
{
    return run_step(sink, error, [&]() -> arrow::Status {
        ARROW_RETURN_NOT_OK(sink->writer->finish());
        ARROW_RETURN_NOT_OK(sink->file->keep(sink->plan.sync));
        if (statistics != nullptr) {
            statistics->rows = sink->rows;
            statistics->bytes = static_cast<uint64_t>(sink->file->bytes());
            statistics->row_groups = sink->writer->group_count();
        }
        sink->writer.reset();
        return arrow::Status::OK();
    });
}

void sluice_sink_free(sluice_sink *sink)
{
    delete sink;
}
