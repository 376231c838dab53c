/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/output_file.cc - write a file, holding no descriptor between calls
 */
#include "output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include "guard.h"

namespace sluice_io {

namespace {

/* Writes from this size on are not gathered. */
constexpr int64_t WRITE_BYTES_LARGE = 16 << 10;
constexpr size_t GATHERED_BYTES_MAX = 64 << 10;

} /* namespace */

output_file::output_file(std::string path)
    : path_(std::move(path)), is_standard_output_(path_ == "-")
{
    if (is_standard_output_)
        path_ = "standard output";
}

output_file::~output_file()
{
    if (is_standard_output_)
        return;
    if (descriptor_ >= 0)
        close(descriptor_);
    if (!is_kept_)
        unlink(path_.c_str());
}

arrow::Result<std::shared_ptr<output_file>> output_file::create(const std::string &path)
{
    std::shared_ptr<output_file> file(new output_file(path));

    if (file->is_standard_output_) {
        file->descriptor_ = STDOUT_FILENO;
        return file;
    }
    file->is_kept_ = true; /* Until it is ours. */
    const auto parent = std::filesystem::path(path).parent_path();
    if (!parent.empty()) {
        std::error_code failure;
        std::filesystem::create_directories(parent, failure);
        if (failure)
            return fail_system(parent, "create the directory", failure.value());
    }
    file->descriptor_ =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->descriptor_ < 0)
        return fail_system(path, "create", errno);
    file->is_kept_ = false;
    ARROW_RETURN_NOT_OK(file->rest());
    return file;
}

arrow::Status output_file::open()
{
    if (descriptor_ >= 0)
        return arrow::Status::OK();
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor_ < 0)
        return fail_system(path_, "write", errno);
    return arrow::Status::OK();
}

arrow::Status output_file::write_through(const char *data, size_t bytes)
{
    ARROW_RETURN_NOT_OK(open());
    while (bytes > 0) {
        const ssize_t written = write(descriptor_, data, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_system(path_, "write byte " + std::to_string(bytes_written_) + " and on",
                               errno);
        data += written;
        bytes -= static_cast<size_t>(written);
        bytes_written_ += written;
    }
    return arrow::Status::OK();
}

arrow::Status output_file::Write(const void *data, int64_t bytes)
{
    const bool is_large = bytes >= WRITE_BYTES_LARGE;

    if (is_large || gathered_.size() + static_cast<size_t>(bytes) > GATHERED_BYTES_MAX) {
        ARROW_RETURN_NOT_OK(write_through(gathered_.data(), gathered_.size()));
        gathered_.clear();
    }
    if (is_large)
        ARROW_RETURN_NOT_OK(write_through(static_cast<const char *>(data),
                                          static_cast<size_t>(bytes)));
    else
        gathered_.append(static_cast<const char *>(data), static_cast<size_t>(bytes));
    bytes_ += bytes;
    return arrow::Status::OK();
}

arrow::Status output_file::Close()
{
    is_closed_ = true;
    return arrow::Status::OK();
}

arrow::Status output_file::rest()
{
    if (descriptor_ < 0)
        return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(write_through(gathered_.data(), gathered_.size()));
    gathered_ = std::string();
    if (is_standard_output_)
        return arrow::Status::OK();
    const int closed = close(descriptor_);
    descriptor_ = -1;
    /* Network file systems report here what they could not write. */
    if (closed != 0 && errno != EINTR)
        return fail_system(path_, "write", errno);
    return arrow::Status::OK();
}

arrow::Status output_file::keep(bool sync)
{
    ARROW_RETURN_NOT_OK(open());
    ARROW_RETURN_NOT_OK(write_through(gathered_.data(), gathered_.size()));
    gathered_.clear();
    if (sync && !is_standard_output_ && fsync(descriptor_) != 0)
        return fail_system(path_, "write to the disk", errno);
    ARROW_RETURN_NOT_OK(rest());
    is_kept_ = true;
    return arrow::Status::OK();
}

} /* namespace sluice_io */
