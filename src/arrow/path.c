/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrow/path.c - paths as text, and errors that begin with one
 */
#include "arrow/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arrow/field.h"
#include "base/math.h"

enum { PATH_TEXT_BYTES = 320 };

/* Append as much of a string as there is room for, and return the new end. */
static size_t append_name(char *text, size_t text_bytes, size_t end, const char *name)
{
    const size_t bytes = sluice_min_size(strlen(name), text_bytes - 1 - end);

    memcpy(text + end, name, bytes);
    text[end + bytes] = '\0';
    return end + bytes;
}

void sluice_path_describe(const sluice_path *path, char *text, size_t text_bytes)
{
    const sluice_path *nodes[SLUICE_NESTING_MAX + 2];
    size_t node_count = 0;
    size_t end = 0;

    SLUICE_ASSERT(text_bytes > 0);
    for (; path->parent != NULL && node_count < SLUICE_NESTING_MAX + 2; path = path->parent)
        nodes[node_count++] = path;
    if (node_count == 0) {
        append_name(text, text_bytes, 0, "batch");
        return;
    }
    end = append_name(text, text_bytes, end, "column ");
    while (node_count > 0) {
        const char *name = nodes[--node_count]->name;

        end = append_name(text, text_bytes, end, name[0] == '\0' ? "(no name)" : name);
        if (node_count > 0)
            end = append_name(text, text_bytes, end, ".");
    }
}

sluice_status sluice_fail_at(sluice_error *error, sluice_status status, const sluice_path *path,
                             const char *format, ...)
{
    char place[PATH_TEXT_BYTES];
    char message[SLUICE_ERROR_BYTES];
    va_list arguments;

    if (error == NULL)
        return status;
    sluice_path_describe(path, place, sizeof(place));
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return sluice_fail(error, status, "%s: %s", place, message);
}
