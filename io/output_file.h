/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/output_file.h - the file below a sink
 *
 * Large writes go to the system as they come; small ones, of which footers and headers have
 * hundreds, are gathered.  The descriptor is closed whenever the sink rests, so that thousands of
 * sinks can be open.
 */
#ifndef SLUICE_IO_OUTPUT_FILE_H
#define SLUICE_IO_OUTPUT_FILE_H

#include <memory>
#include <string>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

namespace sluice_io {

/* One thread at a time. */
class output_file : public arrow::io::OutputStream {
public:
    /* Create the file, which must not exist, and its missing parents.  "-" is standard output. */
    static arrow::Result<std::shared_ptr<output_file>> create(const std::string &path);

    /* Removes the file unless keep() was called. */
    ~output_file() override;

    /* Only the writers of Arrow close; rest() and keep() are what counts. */
    arrow::Status Close() override;
    bool closed() const override { return is_closed_; }
    arrow::Result<int64_t> Tell() const override { return bytes_; }
    arrow::Status Write(const void *data, int64_t bytes) override;
    arrow::Status Flush() override { return arrow::Status::OK(); }

    /* Write what is gathered if the file was touched since the last rest, and let go of it. */
    arrow::Status rest();

    /* Write everything, wait for the disk when asked, and keep the file. */
    arrow::Status keep(bool sync);

    int64_t bytes() const { return bytes_; }

private:
    explicit output_file(std::string path);
    arrow::Status open();
    arrow::Status write_through(const char *data, size_t bytes);

    std::string path_;
    bool is_standard_output_;
    bool is_kept_ = false;
    bool is_closed_ = false;
    int descriptor_ = -1; /* -1 while it rests. */
    int64_t bytes_ = 0;   /* Taken. */
    int64_t bytes_written_ = 0;
    std::string gathered_;
};

} /* namespace sluice_io */

#endif /* SLUICE_IO_OUTPUT_FILE_H */
