/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/memory.c - see cli/memory.h
 */
#include "memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Called at most once, by the first thread that finds no memory. */
static _Atomic(void (*)(void)) exhausted_hook;

void cli_on_out_of_memory(void (*hook)(void))
{
    atomic_store(&exhausted_hook, hook);
}

/* Other threads may still run, so nothing but the hook is cleaned up. */
static _Noreturn void exit_without_memory(size_t bytes)
{
    void (*const hook)(void) = atomic_exchange(&exhausted_hook, NULL);
    if (hook)
        hook();
    fprintf(stderr, "sluice: out of memory: %zu bytes for the command itself\n", bytes);
    _exit(1);
}

void *cli_allocate(size_t bytes)
{
    void *const pointer = malloc(bytes > 0 ? bytes : 1);
    if (!pointer)
        exit_without_memory(bytes);
    return pointer;
}

void *cli_allocate_zeroed(size_t count, size_t bytes)
{
    void *const pointer = calloc(count > 0 ? count : 1, bytes > 0 ? bytes : 1);
    if (!pointer)
        exit_without_memory(count);
    return pointer;
}

void *cli_make_room(void *array, size_t count, size_t bytes)
{
    if (count > 0 && (count & (count - 1)) != 0)
        return array;
    const size_t capacity = count > 0 ? 2 * count : 1;
    if (capacity > SIZE_MAX / bytes)
        exit_without_memory(SIZE_MAX);
    void *const moved = realloc(array, capacity * bytes);
    if (!moved)
        exit_without_memory(capacity * bytes);
    return moved;
}

char *cli_copy_string(const char *string)
{
    const size_t bytes = strlen(string) + 1;
    return memcpy(cli_allocate(bytes), string, bytes);
}

char *cli_format_list(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return cli_copy_string("");
    char *const text = cli_allocate((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *cli_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *const text = cli_format_list(format, arguments);
    va_end(arguments);
    return text;
}

void cli_free(void *pointer)
{
    free(pointer);
}
