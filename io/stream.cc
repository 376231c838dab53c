/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/stream.cc - the callbacks of an ArrowArrayStream over a batch_stream
 *
 * Arrow has such an export too, but its messages lose the status; here the error number and the
 * message stay those of the first failure, however often the stream is asked.
 */
#include "stream.h"

#include <cerrno>
#include <cstring>

#include <arrow/array/array_base.h>
#include <arrow/c/bridge.h>
#include <arrow/type.h>

#include "guard.h"
#include "sluice/io.h"

namespace sluice_io {

namespace {

struct exported_stream {
    std::unique_ptr<batch_stream> batches;
    sluice_error error = {}; /* Of the first failure. */
};

int error_number_of(sluice_status status)
{
    if (status == SLUICE_IO_ERROR)
        return EIO;
    if (status == SLUICE_OUT_OF_MEMORY)
        return ENOMEM;
    if (status == SLUICE_UNSUPPORTED)
        return ENOTSUP;
    return EINVAL;
}

exported_stream *private_of(struct ArrowArrayStream *stream)
{
    return static_cast<exported_stream *>(stream->private_data);
}

int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    exported_stream *self = private_of(stream);
    const sluice_status status = guard(direction::read, &self->error, [&] {
        return arrow::ExportSchema(*self->batches->schema, out);
    });

    return status == SLUICE_OK ? 0 : error_number_of(status);
}

int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    exported_stream *self = private_of(stream);

    memset(out, 0, sizeof(*out));
    if (self->error.status != SLUICE_OK)
        return error_number_of(self->error.status);
    const sluice_status status = guard(direction::read, &self->error, [&]() -> arrow::Status {
        std::shared_ptr<arrow::RecordBatch> batch;
        ARROW_RETURN_NOT_OK(self->batches->next(&batch));
        if (batch == nullptr)
            return arrow::Status::OK();
        return arrow::ExportRecordBatch(*batch, out);
    });
    return status == SLUICE_OK ? 0 : error_number_of(status);
}

const char *stream_get_last_error(struct ArrowArrayStream *stream)
{
    const exported_stream *self = private_of(stream);

    return self->error.status == SLUICE_OK ? nullptr : self->error.message;
}

void stream_release(struct ArrowArrayStream *stream)
{
    delete private_of(stream);
    stream->private_data = nullptr;
    stream->release = nullptr;
}

} /* namespace */

arrow::Status check_batch(const arrow::RecordBatch &batch, const arrow::Schema &schema,
                          bool validate_values, const std::string &where)
{
    if (!batch.schema()->Equals(schema, false))
        return fail(SLUICE_BAD_DATA, where + ": a batch has the schema " +
                                         batch.schema()->ToString() + ", not that of the file");
    for (int column = 0; column < batch.num_columns(); column++) {
        const auto &array = *batch.column(column);
        arrow::Status status = validate_values ? array.ValidateFull() : array.Validate();
        if (status.ok() && array.length() != batch.num_rows())
            status = arrow::Status::Invalid(array.length(), " rows in a batch of ",
                                            batch.num_rows());
        if (status.ok() && !schema.field(column)->nullable() && array.null_count() != 0)
            status = arrow::Status::Invalid(array.null_count(),
                                            " nulls in a column that says it has none");
        ARROW_RETURN_NOT_OK(
            add_context(status, where + ": column '" + schema.field(column)->name() + "'"));
    }
    return arrow::Status::OK();
}

void export_stream(std::unique_ptr<batch_stream> batches, struct ArrowArrayStream *out)
{
    auto *self = new exported_stream;

    self->batches = std::move(batches);
    out->get_schema = stream_get_schema;
    out->get_next = stream_get_next;
    out->get_last_error = stream_get_last_error;
    out->release = stream_release;
    out->private_data = self;
}

} /* namespace sluice_io */

sluice_status sluice_stream_get_status(struct ArrowArrayStream *stream, int code,
                                       sluice_error *error)
{
    if (code == 0)
        return SLUICE_OK;
    const char *message = stream->get_last_error(stream);
    const sluice_status status = code == EIO       ? SLUICE_IO_ERROR
                                 : code == ENOMEM  ? SLUICE_OUT_OF_MEMORY
                                 : code == ENOTSUP ? SLUICE_UNSUPPORTED
                                                   : SLUICE_BAD_DATA;

    return sluice_io::guard(sluice_io::direction::read, error, [&] {
        return sluice_io::fail(status, message != nullptr ? message : "the stream failed");
    });
}
