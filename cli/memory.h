/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/memory.h - memory of the command
 *
 * The command's own structures are small: file names, counters, text.  When there is no memory for
 * them there is nothing to fall back on, so these calls never return NULL; they run the hook that
 * removes what lies in the staging folder, say so and exit with code 1.
 */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* bytes uninitialised bytes; bytes may be 0. */
void *cli_allocate(size_t bytes);

/* count * bytes zeroed bytes. */
void *cli_allocate_zeroed(size_t count, size_t bytes);

/*
 * Make room for one more element in an array of count elements of bytes bytes: returns the array,
 * moved when it had to grow.  Arrays grow to powers of two.
 */
void *cli_make_room(void *array, size_t count, size_t bytes);

char *cli_copy_string(const char *string);

/* A new string, as printf() would write it. */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cli_format_list(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));

/* NULL is allowed. */
void cli_free(void *pointer);

/* What to do before the exit when memory has run out; NULL for nothing. */
void cli_on_out_of_memory(void (*hook)(void));

#endif /* CLI_MEMORY_H */
