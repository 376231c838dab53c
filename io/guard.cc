/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/guard.cc - statuses and exceptions of Arrow as statuses of sluice
 */
#include "guard.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <system_error>

#include <arrow/util/io_util.h>
#include <parquet/exception.h>

namespace sluice_io {

namespace {

/* Carries the sluice_status inside an arrow::Status. */
class status_detail : public arrow::StatusDetail {
public:
    explicit status_detail(sluice_status status) : status_(status) {}
    const char *type_id() const override { return "sluice"; }
    std::string ToString() const override { return sluice_status_name(status_); }
    sluice_status status() const { return status_; }

private:
    sluice_status status_;
};

arrow::StatusCode code_of(sluice_status status)
{
    switch (status) {
    case SLUICE_OK:
    case SLUICE_WOULD_BLOCK:
    case SLUICE_CLOSED:
    case SLUICE_INVALID:
    case SLUICE_BAD_DATA:
        return arrow::StatusCode::Invalid;
    case SLUICE_UNSUPPORTED:
        return arrow::StatusCode::NotImplemented;
    case SLUICE_OUT_OF_MEMORY:
        return arrow::StatusCode::OutOfMemory;
    case SLUICE_IO_ERROR:
        return arrow::StatusCode::IOError;
    case SLUICE_CANCELLED:
        return arrow::StatusCode::Cancelled;
    }
    return arrow::StatusCode::UnknownError;
}

void copy_message(sluice_error *error, sluice_status status, const char *message) noexcept
{
    if (error == nullptr)
        return;
    error->status = status;
    snprintf(error->message, sizeof(error->message), "%s", message);
    for (char *byte = error->message; *byte != '\0'; byte++) {
        if (static_cast<unsigned char>(*byte) < 0x20)
            *byte = ' ';
    }
    for (size_t length = strlen(error->message); length > 0; length--) {
        const char last = error->message[length - 1];
        if (last != '.' && last != ' ')
            break;
        error->message[length - 1] = '\0';
    }
}

} /* namespace */

arrow::Status fail(sluice_status status, const std::string &message)
{
    return arrow::Status(code_of(status), message, std::make_shared<status_detail>(status));
}

arrow::Status fail_system(const std::string &path, const std::string &what, int error_number)
{
    const std::string text = std::generic_category().message(error_number);

    return fail(SLUICE_IO_ERROR, path + ": cannot " + what + ": " + text);
}

arrow::Status add_context(const arrow::Status &status, const std::string &where)
{
    /* What begins with the path has its context already. */
    const std::string path = where.substr(0, where.find(": ")) + ": ";

    if (status.ok() || status.message().rfind(path, 0) == 0)
        return status;
    return status.WithMessage(where, ": ", status.message());
}

sluice_status classify(const arrow::Status &status, direction way)
{
    if (status.ok())
        return SLUICE_OK;
    const auto detail = std::dynamic_pointer_cast<status_detail>(status.detail());
    if (detail != nullptr)
        return detail->status();
    if (arrow::internal::ErrnoFromStatus(status) != 0)
        return SLUICE_IO_ERROR;
    if (status.IsOutOfMemory())
        return SLUICE_OUT_OF_MEMORY;
    if (status.IsNotImplemented())
        return SLUICE_UNSUPPORTED;
    if (status.IsCancelled())
        return SLUICE_CANCELLED;
    /* Parquet calls everything an I/O error; without an error number it is the data. */
    if (status.IsIOError() && way == direction::write)
        return SLUICE_IO_ERROR;
    return SLUICE_BAD_DATA;
}

sluice_status report(const arrow::Status &status, direction way, sluice_error *error) noexcept
{
    if (status.ok())
        return SLUICE_OK;
    const sluice_status result = classify(status, way);
    copy_message(error, result, status.message().c_str());
    return result;
}

sluice_status report_no_memory(sluice_error *error) noexcept
{
    copy_message(error, SLUICE_OUT_OF_MEMORY, "out of memory in libsluice_io");
    return SLUICE_OUT_OF_MEMORY;
}

arrow::Status current_exception_status()
{
    try {
        throw;
    } catch (const parquet::ParquetStatusException &exception) {
        return exception.status();
    } catch (const std::bad_alloc &) {
        return fail(SLUICE_OUT_OF_MEMORY, "out of memory in libsluice_io");
    } catch (const std::length_error &exception) {
        return fail(SLUICE_BAD_DATA, std::string("impossible size: ") + exception.what());
    } catch (const std::exception &exception) {
        return arrow::Status::IOError(exception.what());
    } catch (...) {
        return fail(SLUICE_BAD_DATA, "unknown exception");
    }
}

} /* namespace sluice_io */
