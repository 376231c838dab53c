/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/status.c - names of statuses, messages of errors
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *sluice_status_name(sluice_status status)
{
    switch (status) {
    case SLUICE_OK:
        return "SLUICE_OK";
    case SLUICE_WOULD_BLOCK:
        return "SLUICE_WOULD_BLOCK";
    case SLUICE_CLOSED:
        return "SLUICE_CLOSED";
    case SLUICE_INVALID:
        return "SLUICE_INVALID";
    case SLUICE_BAD_DATA:
        return "SLUICE_BAD_DATA";
    case SLUICE_UNSUPPORTED:
        return "SLUICE_UNSUPPORTED";
    case SLUICE_OUT_OF_MEMORY:
        return "SLUICE_OUT_OF_MEMORY";
    case SLUICE_IO_ERROR:
        return "SLUICE_IO_ERROR";
    case SLUICE_CANCELLED:
        return "SLUICE_CANCELLED";
    }
    return "unknown status";
}

sluice_status sluice_fail(sluice_error *error, sluice_status status, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return status;
    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    for (char *byte = error->message; *byte != '\0'; byte++) {
        if (*byte == '\n' || *byte == '\r')
            *byte = ' ';
    }
    return status;
}

sluice_status sluice_fail_allocation(sluice_error *error, size_t bytes, const char *what)
{
    return sluice_fail(error, SLUICE_OUT_OF_MEMORY, "out of memory: %zu bytes for %s", bytes, what);
}
