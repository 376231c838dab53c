/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/source.cc - what format a file has, and the C API of sources
 */
#include "source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/util/key_value_metadata.h>

#include "dictionaries.h"
#include "guard.h"
#include "memory.h"

namespace sluice_io {

namespace {

constexpr int64_t BATCH_ROWS_DEFAULT = 32768;
constexpr int64_t BATCH_ROWS_MAX = 1 << 30;

/* Bytes of standard input, or of a pipe: they come once and have no positions. */
class descriptor_stream : public arrow::io::InputStream {
public:
    descriptor_stream(std::string name, int descriptor, bool owns)
        : name_(std::move(name)), descriptor_(descriptor), owns_(owns)
    {
    }
    ~descriptor_stream() override { (void)Close(); }

    arrow::Status Close() override
    {
        if (owns_ && descriptor_ >= 0)
            close(descriptor_);
        descriptor_ = -1;
        return arrow::Status::OK();
    }
    bool closed() const override { return descriptor_ < 0; }
    arrow::Result<int64_t> Tell() const override { return position_; }
    arrow::Result<int64_t> Read(int64_t bytes, void *out) override;
    arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override;

private:
    std::string name_;
    int descriptor_;
    bool owns_;
    int64_t position_ = 0;
};

arrow::Result<int64_t> descriptor_stream::Read(int64_t bytes, void *out)
{
    int64_t done = 0;

    while (done < bytes) {
        const ssize_t got =
            read(descriptor_, static_cast<char *>(out) + done, static_cast<size_t>(bytes - done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_system(name_, "read", errno);
        if (got == 0)
            break;
        done += got;
    }
    position_ += done;
    return done;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> descriptor_stream::Read(int64_t bytes)
{
    /* A length from the stream may be a lie, so memory grows with what really comes. */
    constexpr int64_t STEP_BYTES = 16 << 20;
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(0, memory_pool()));
    int64_t done = 0;

    while (done < bytes) {
        const int64_t step = std::min(bytes - done, std::max(STEP_BYTES, done));
        ARROW_RETURN_NOT_OK(buffer->Resize(done + step, false));
        ARROW_ASSIGN_OR_RAISE(const int64_t got, Read(step, buffer->mutable_data() + done));
        done += got;
        if (got < step)
            break;
    }
    ARROW_RETURN_NOT_OK(buffer->Resize(done, true));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

bool has_extension(const std::string &path, const std::string &extension)
{
    return path.size() > extension.size() &&
           path.compare(path.size() - extension.size(), extension.size(), extension) == 0;
}

sluice_file_format detect_by_extension(const std::string &path)
{
    if (has_extension(path, ".parquet") || has_extension(path, ".parq") ||
        has_extension(path, ".pq"))
        return SLUICE_FORMAT_PARQUET;
    if (has_extension(path, ".arrow") || has_extension(path, ".feather") ||
        has_extension(path, ".ipc"))
        return SLUICE_FORMAT_IPC_FILE;
    if (has_extension(path, ".arrows"))
        return SLUICE_FORMAT_IPC_STREAM;
    return SLUICE_FORMAT_DETECT;
}

/* The format by the first bytes, and by the name when they say nothing. */
arrow::Result<sluice_file_format> detect_format(const std::string &path)
{
    char head[8] = {0};
    file_identity identity;

    ARROW_ASSIGN_OR_RAISE(auto file, open_file(path, &identity));
    if (identity.bytes == 0)
        return fail(SLUICE_BAD_DATA, path + ": the file is empty: 0 bytes, where a Parquet file "
                                            "has a footer and an Arrow IPC file a schema");
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, file->ReadAt(0, sizeof(head), head));
    if (bytes >= 4 && memcmp(head, "PAR1", 4) == 0)
        return SLUICE_FORMAT_PARQUET;
    if (bytes >= 6 && memcmp(head, "ARROW1", 6) == 0)
        return SLUICE_FORMAT_IPC_FILE;
    if (bytes >= 4 && memcmp(head, "\xff\xff\xff\xff", 4) == 0)
        return SLUICE_FORMAT_IPC_STREAM;
    if (bytes >= 4 && memcmp(head, "PARE", 4) == 0)
        return fail(SLUICE_UNSUPPORTED, path + ": the Parquet file is encrypted");
    if (bytes >= 4 && memcmp(head, "FEA1", 4) == 0)
        return fail(SLUICE_UNSUPPORTED, path + ": Feather version 1 cannot be read");
    const sluice_file_format format = detect_by_extension(path);
    if (format == SLUICE_FORMAT_DETECT)
        return fail(SLUICE_BAD_DATA,
                    path + ": neither Parquet nor Arrow IPC, by its first bytes and by its name");
    return format;
}

/* Null for a regular file. */
arrow::Result<std::shared_ptr<arrow::io::InputStream>> open_pipe(const std::string &path)
{
    struct stat status;

    if (path == "-")
        return std::make_shared<descriptor_stream>("standard input", STDIN_FILENO, false);
    if (stat(path.c_str(), &status) != 0)
        return fail_system(path, "open", errno);
    if (S_ISREG(status.st_mode))
        return std::shared_ptr<arrow::io::InputStream>();
    if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode))
        return fail(SLUICE_INVALID, path + ": not a file");
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_system(path, "open", errno);
    return std::make_shared<descriptor_stream>(path, descriptor, true);
}

arrow::Result<std::shared_ptr<file_source>> open_source(const std::string &path,
                                                        sluice_file_format format)
{
    ARROW_ASSIGN_OR_RAISE(auto pipe, open_pipe(path));
    if (pipe != nullptr) {
        const std::string name = path == "-" ? "standard input" : path;
        if (format != SLUICE_FORMAT_DETECT && format != SLUICE_FORMAT_IPC_STREAM)
            return fail(SLUICE_INVALID, name + ": only an Arrow IPC stream can be read from it, "
                                               "not the format " +
                                            sluice_file_format_name(format));
        return open_ipc_stream_source(name, std::move(pipe));
    }
    if (format == SLUICE_FORMAT_DETECT) {
        ARROW_ASSIGN_OR_RAISE(format, detect_format(path));
    }
    switch (format) {
    case SLUICE_FORMAT_PARQUET:
        return open_parquet_source(path);
    case SLUICE_FORMAT_IPC_FILE:
        return open_ipc_file_source(path);
    case SLUICE_FORMAT_IPC_STREAM:
        return open_ipc_stream_source(path, nullptr);
    case SLUICE_FORMAT_DETECT:
        break;
    }
    return fail(SLUICE_INVALID, path + ": there is no file format " + std::to_string(format));
}

arrow::Result<std::vector<int>> resolve_columns(const file_source &source,
                                                const sluice_read_options *options)
{
    const auto field_count = static_cast<size_t>(source.schema->num_fields());
    std::vector<int> columns;
    std::vector<bool> is_taken(field_count, false);

    if (options == nullptr || options->columns == nullptr) {
        for (size_t column = 0; column < field_count; column++)
            columns.push_back(static_cast<int>(column));
        return columns;
    }
    for (size_t index = 0; index < options->column_count; index++) {
        const uint32_t column = options->columns[index];
        if (column >= field_count)
            return fail(SLUICE_INVALID, source.path() + ": there is no column " +
                                            std::to_string(column) + " of " +
                                            std::to_string(field_count));
        if (is_taken[column])
            return fail(SLUICE_INVALID, source.path() + ": column " + std::to_string(column) +
                                            " is asked for twice");
        is_taken[column] = true;
        columns.push_back(static_cast<int>(column));
    }
    return columns;
}

arrow::Result<read_options> resolve_options(const file_source &source,
                                            const sluice_read_options *options)
{
    read_options result;

    if (options != nullptr && options->size != sizeof(*options))
        return fail(SLUICE_INVALID, "sluice_read_options: the size is " +
                                        std::to_string(options->size));
    ARROW_ASSIGN_OR_RAISE(result.columns, resolve_columns(source, options));
    result.batch_rows = BATCH_ROWS_DEFAULT;
    if (options == nullptr)
        return result;
    if (options->batch_rows < 0 || options->batch_rows > BATCH_ROWS_MAX)
        return fail(SLUICE_INVALID,
                    "batch_rows is " + std::to_string(options->batch_rows) + ", not 0 to 2^30");
    if (options->batch_rows > 0)
        result.batch_rows = options->batch_rows;
    if (options->dictionaries != nullptr && source.format() == SLUICE_FORMAT_PARQUET)
        result.dictionaries = options->dictionaries->set;
    result.validate_values = options->validate_values;
    return result;
}

arrow::Status identify(int descriptor, const std::string &path, file_identity *identity)
{
    struct stat status;

    if (fstat(descriptor, &status) != 0)
        return fail_system(path, "open", errno);
    if (!S_ISREG(status.st_mode))
        return fail(SLUICE_INVALID, path + ": not a file");
    identity->path = path;
    identity->bytes = status.st_size;
    identity->device = status.st_dev;
    identity->inode = status.st_ino;
    identity->modified_nanoseconds =
        static_cast<int64_t>(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec;
    return arrow::Status::OK();
}

} /* namespace */

arrow::Result<std::shared_ptr<arrow::io::ReadableFile>> open_file(const std::string &path,
                                                                  file_identity *identity)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return fail_system(path, "open", errno);
    const auto status = identify(descriptor, path, identity);
    if (!status.ok()) {
        close(descriptor);
        return status;
    }
    return arrow::io::ReadableFile::Open(descriptor, memory_pool());
}

arrow::Result<std::shared_ptr<arrow::io::ReadableFile>> reopen_file(const file_identity &identity)
{
    file_identity now;

    ARROW_ASSIGN_OR_RAISE(auto file, open_file(identity.path, &now));
    if (now.bytes != identity.bytes || now.device != identity.device ||
        now.inode != identity.inode || now.modified_nanoseconds != identity.modified_nanoseconds)
        return fail(SLUICE_IO_ERROR, identity.path +
                                         ": the file has changed since it was opened (" +
                                         std::to_string(identity.bytes) + " bytes then, " +
                                         std::to_string(now.bytes) + " now)");
    return file;
}

std::shared_ptr<arrow::Schema> file_source::read_schema(const read_options &options) const
{
    arrow::FieldVector fields;

    for (const int column : options.columns) {
        const auto &field = schema->field(column);
        const auto dictionary =
            options.dictionaries == nullptr ? nullptr : options.dictionaries->find(field->name());
        fields.push_back(dictionary == nullptr ? field : field->WithType(dictionary->type()));
    }
    return arrow::schema(std::move(fields), schema->metadata());
}

} /* namespace sluice_io */

using sluice_io::direction;
using sluice_io::guard;

const char *sluice_file_format_name(sluice_file_format format)
{
    switch (format) {
    case SLUICE_FORMAT_PARQUET:
        return "parquet";
    case SLUICE_FORMAT_IPC_FILE:
        return "ipc";
    case SLUICE_FORMAT_IPC_STREAM:
        return "ipc-stream";
    case SLUICE_FORMAT_DETECT:
        break;
    }
    return "detect";
}

const char *sluice_file_format_extension(sluice_file_format format)
{
    switch (format) {
    case SLUICE_FORMAT_PARQUET:
        return "parquet";
    case SLUICE_FORMAT_IPC_STREAM:
        return "arrows";
    case SLUICE_FORMAT_IPC_FILE:
    case SLUICE_FORMAT_DETECT:
        break;
    }
    return "arrow";
}

sluice_status sluice_source_open(const char *path, sluice_file_format format, sluice_source **out,
                                 sluice_error *error)
{
    *out = nullptr;
    return guard(direction::read, error, [&]() -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(auto file, sluice_io::open_source(path, format));
        *out = new sluice_source{std::move(file)};
        return arrow::Status::OK();
    });
}

const char *sluice_source_get_path(const sluice_source *source)
{
    return source->file->path().c_str();
}

sluice_file_format sluice_source_get_format(const sluice_source *source)
{
    return source->file->format();
}

int64_t sluice_source_get_bytes(const sluice_source *source)
{
    return source->file->identity.bytes;
}

int64_t sluice_source_get_row_count(const sluice_source *source)
{
    return source->file->row_count();
}

uint32_t sluice_source_get_piece_count(const sluice_source *source)
{
    return source->file->piece_count();
}

int64_t sluice_source_get_piece_rows(const sluice_source *source, uint32_t piece)
{
    if (piece >= source->file->piece_count())
        return -1;
    return source->file->piece_rows(piece);
}

int64_t sluice_source_get_piece_bytes(const sluice_source *source, uint32_t piece)
{
    if (piece >= source->file->piece_count())
        return -1;
    return source->file->piece_bytes(piece);
}

sluice_status sluice_source_get_schema(const sluice_source *source, struct ArrowSchema *out,
                                       sluice_error *error)
{
    return guard(direction::read, error,
                 [&] { return arrow::ExportSchema(*source->file->schema, out); });
}

const char *sluice_source_get_metadata(const sluice_source *source, const char *key)
{
    const auto &metadata = source->file->schema->metadata();

    if (metadata == nullptr)
        return nullptr;
    for (const auto &value : metadata->keys()) {
        if (value != key)
            continue;
        const auto &text = metadata->value(&value - metadata->keys().data());
        return text.find('\0') == std::string::npos ? text.c_str() : nullptr;
    }
    return nullptr;
}

sluice_status sluice_source_get_read_schema(const sluice_source *source,
                                            const sluice_read_options *options,
                                            struct ArrowSchema *out, sluice_error *error)
{
    return guard(direction::read, error, [&]() -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const auto resolved,
                              sluice_io::resolve_options(*source->file, options));
        return arrow::ExportSchema(*source->file->read_schema(resolved), out);
    });
}

sluice_status sluice_source_open_piece(const sluice_source *source, uint32_t piece_first,
                                       uint32_t piece_count, const sluice_read_options *options,
                                       struct ArrowArrayStream *out, sluice_error *error)
{
    out->release = nullptr;
    return guard(direction::read, error, [&]() -> arrow::Status {
        const uint32_t available = source->file->piece_count();
        if (piece_first > available || piece_count > available - piece_first)
            return sluice_io::fail(SLUICE_INVALID, source->file->path() + ": pieces " +
                                                       std::to_string(piece_first) + " + " +
                                                       std::to_string(piece_count) + " of " +
                                                       std::to_string(available));
        ARROW_ASSIGN_OR_RAISE(const auto resolved,
                              sluice_io::resolve_options(*source->file, options));
        ARROW_ASSIGN_OR_RAISE(auto stream,
                              source->file->open_piece(piece_first, piece_count, resolved));
        sluice_io::export_stream(std::move(stream), out);
        return arrow::Status::OK();
    });
}

void sluice_source_free(sluice_source *source)
{
    delete source;
}
