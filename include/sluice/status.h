/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/status.h - how calls say what happened
 *
 * Every call that can fail returns a sluice_status and takes a sluice_error, which may be NULL.
 * On failure the error holds one sentence with the names and the numbers; on SLUICE_OK,
 * SLUICE_WOULD_BLOCK and SLUICE_CLOSED it is left alone.
 */
#ifndef SLUICE_STATUS_H
#define SLUICE_STATUS_H

#if defined(__GNUC__)
#define SLUICE_API __attribute__((visibility("default")))
#define SLUICE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SLUICE_API
#define SLUICE_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sluice_status {
    SLUICE_OK = 0,
    SLUICE_WOULD_BLOCK = 1,   /* A try_ call cannot go on now; nothing was changed. */
    SLUICE_CLOSED = 2,        /* Nobody wants more rows; not an error. */
    SLUICE_INVALID = 3,       /* An argument is wrong, or calls came in the wrong order. */
    SLUICE_BAD_DATA = 4,      /* An array, a file or a stream breaks its format. */
    SLUICE_UNSUPPORTED = 5,   /* The type or the combination is not defined. */
    SLUICE_OUT_OF_MEMORY = 6, /* The allocator or the memory budget said no. */
    SLUICE_IO_ERROR = 7,      /* The operating system could not read or write. */
    SLUICE_CANCELLED = 8      /* sluice_exchange_cancel() was called. */
} sluice_status;

enum { SLUICE_ERROR_BYTES = 1024 };

/* Owned by the caller; needs no clean-up.  Zero it, or leave it as it is: it is only written. */
typedef struct sluice_error {
    sluice_status status;
    char message[SLUICE_ERROR_BYTES];
} sluice_error;

/* The name of a status as in its enumerator, for example "SLUICE_CLOSED".  Never NULL. */
SLUICE_API const char *sluice_status_name(sluice_status status);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_STATUS_H */
