/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/status.h - making and passing on errors
 */
#ifndef SLUICE_BASE_STATUS_H
#define SLUICE_BASE_STATUS_H

#include <stddef.h>

#include "base/compiler.h"
#include "sluice/status.h"

/* Return from the enclosing function when the call did not succeed. */
#define SLUICE_TRY(call)                                                                           \
    do {                                                                                           \
        const sluice_status sluice_try_status = (call);                                            \
        if (SLUICE_UNLIKELY(sluice_try_status != SLUICE_OK))                                       \
            return sluice_try_status;                                                              \
    } while (0)

/*
 * Fill the error, if there is one, and return the status.  A message that is too long is cut at
 * the end.  Messages are one sentence without a full stop or a line break; line breaks in
 * arguments become spaces.
 */
sluice_status sluice_fail(sluice_error *error, sluice_status status, const char *format, ...)
    SLUICE_PRINTF(3, 4);

/* "out of memory: %zu bytes for %s" */
sluice_status sluice_fail_allocation(sluice_error *error, size_t bytes, const char *what);

#endif /* SLUICE_BASE_STATUS_H */
