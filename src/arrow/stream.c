/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/stream.c - reading an ArrowArrayStream
 */
#include "arrow/stream.h"

#include <errno.h>
#include <string.h>

static sluice_status map_errno(int number)
{
    switch (number) {
    case ENOMEM:
        return SLUICE_OUT_OF_MEMORY;
    case EINVAL:
        return SLUICE_BAD_DATA;
    case ENOSYS:
    case ENOTSUP:
        return SLUICE_UNSUPPORTED;
    case ECANCELED:
        return SLUICE_CANCELLED;
    default:
        return SLUICE_IO_ERROR;
    }
}

static sluice_status fail_stream(struct ArrowArrayStream *stream, int number, const char *what,
                                 sluice_error *error)
{
    const char *text = stream->get_last_error == NULL ? NULL : stream->get_last_error(stream);

    if (text == NULL || text[0] == '\0') {
        return sluice_fail(error, map_errno(number), "the stream gave no %s: error number %d",
                           what, number);
    }
    return sluice_fail(error, map_errno(number), "the stream gave no %s: %s", what, text);
}

static sluice_status check_stream(const struct ArrowArrayStream *stream, sluice_error *error)
{
    if (stream != NULL && stream->release != NULL)
        return SLUICE_OK;
    return sluice_fail(error, SLUICE_INVALID, "the stream is %s",
                       stream == NULL ? "NULL" : "released");
}

sluice_status sluice_stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out,
                                       sluice_error *error)
{
    int number;

    memset(out, 0, sizeof(*out));
    SLUICE_TRY(check_stream(stream, error));
    number = stream->get_schema(stream, out);
    if (number != 0) {
        out->release = NULL;
        return fail_stream(stream, number, "schema", error);
    }
    if (out->release == NULL)
        return sluice_fail(error, SLUICE_BAD_DATA, "the stream gave a released schema");
    return SLUICE_OK;
}

sluice_status sluice_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                                 sluice_error *error)
{
    int number;

    memset(out, 0, sizeof(*out));
    SLUICE_TRY(check_stream(stream, error));
    number = stream->get_next(stream, out);
    if (number != 0) {
        out->release = NULL;
        return fail_stream(stream, number, "batch", error);
    }
    return SLUICE_OK;
}
