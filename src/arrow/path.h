/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/path.h - where in a nested schema something is wrong
 *
 * A path is a chain of nodes on the stack, one for each level of a recursion over fields.  It is
 * turned into text only when there is an error: "batch" for the struct at the top, "column s.item"
 * below it.
 */
#ifndef SLUICE_ARROW_PATH_H
#define SLUICE_ARROW_PATH_H

#include <stddef.h>

#include "base/status.h"

typedef struct sluice_path {
    const struct sluice_path *parent; /* NULL at the top. */
    const char *name;                 /* Not looked at where parent is NULL. */
} sluice_path;

/* Write the path as text; text that is too long is cut at the end. */
void sluice_path_describe(const sluice_path *path, char *text, size_t text_bytes);

/* sluice_fail(), with the path and a colon before the message. */
sluice_status sluice_fail_at(sluice_error *error, sluice_status status, const sluice_path *path,
                             const char *format, ...) SLUICE_PRINTF(4, 5);

#endif /* SLUICE_ARROW_PATH_H */
