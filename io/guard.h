/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/guard.h - the border between C++ and C
 *
 * Inside libsluice_io failures are arrow::Status values; Parquet also throws.  Every function of
 * the C API is one call of guard(), which turns both into a sluice_status and one sentence.
 * Nothing else crosses: no exception, no C++ type.
 */
#ifndef SLUICE_IO_GUARD_H
#define SLUICE_IO_GUARD_H

#include <string>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "sluice/status.h"

namespace sluice_io {

/* What a status of Arrow's that does not say is taken for: reading or writing. */
enum class direction { read, write };

/* A status that guard() turns into exactly this sluice_status. */
arrow::Status fail(sluice_status status, const std::string &message);

/* SLUICE_IO_ERROR with the text of an error number: "PATH: cannot WHAT: TEXT". */
arrow::Status fail_system(const std::string &path, const std::string &what, int error_number);

/*
 * The same failure with "WHERE: " before its message, unless that begins as where does up to its
 * first colon (the path) already.  A success stays one.
 */
arrow::Status add_context(const arrow::Status &status, const std::string &where);

/* The sluice_status that a status of Arrow's stands for. */
sluice_status classify(const arrow::Status &status, direction way);

/* Fill the error, if there is one, and return its status. */
sluice_status report(const arrow::Status &status, direction way, sluice_error *error) noexcept;

/* SLUICE_OUT_OF_MEMORY, without allocating. */
sluice_status report_no_memory(sluice_error *error) noexcept;

/* The arrow::Status for the exception that is being handled; called from a catch block only. */
arrow::Status current_exception_status();

/* Run work, which returns an arrow::Status, and make a status of whatever comes out of it. */
template <typename Work> arrow::Status catch_all(Work &&work)
{
    try {
        return work();
    } catch (...) {
        return current_exception_status();
    }
}

/* Run work for a function of the C API. */
template <typename Work>
sluice_status guard(direction way, sluice_error *error, Work &&work) noexcept
{
    try {
        return report(catch_all(std::forward<Work>(work)), way, error);
    } catch (...) { /* Only the making of a message is left that can throw. */
        return report_no_memory(error);
    }
}

} /* namespace sluice_io */

#endif /* SLUICE_IO_GUARD_H */
