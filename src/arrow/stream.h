/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/stream.h - reading an ArrowArrayStream, with errors as the library has them
 *
 * A stream says what went wrong by an errno number and a text of its own.  Both become a
 * sluice_error here.  The stream stays the caller's.
 */
#ifndef SLUICE_ARROW_STREAM_H
#define SLUICE_ARROW_STREAM_H

#include "base/status.h"
#include "sluice/arrow_abi.h"

/* The schema of the stream, which the caller releases. */
sluice_status sluice_stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out,
                                       sluice_error *error);

/* The next batch, which the caller releases.  At the end of the stream out->release is NULL. */
sluice_status sluice_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                                 sluice_error *error);

#endif /* SLUICE_ARROW_STREAM_H */
