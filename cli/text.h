/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/text.h - growing text, numbers for people, numbers from people
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty.  bytes is NULL or ends with a zero byte. */
typedef struct cli_text {
    char *bytes;
    size_t count;
    size_t capacity;
} cli_text;

void cli_text_append(cli_text *text, const char *bytes, size_t count);
void cli_text_append_string(cli_text *text, const char *string);
void cli_text_append_format(cli_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_text_deinit(cli_text *text);

/* Room for every text of the three calls below. */
enum { CLI_NUMBER_BYTES = 32 };

/* 6001215 as "6,001,215". */
const char *cli_count_text(uint64_t count, char text[CLI_NUMBER_BYTES]);

/* 231735296 as "221 MiB"; three digits. */
const char *cli_bytes_text(uint64_t bytes, char text[CLI_NUMBER_BYTES]);

/* "0.42 s", "12.3 s", "3 min 20 s". */
const char *cli_seconds_text(double seconds, char text[CLI_NUMBER_BYTES]);

/* Read digits only; false when there are others or the number is too large. */
bool cli_parse_count(const char *text, uint64_t *out);

/* 64M, 1GiB, 10k: K, M, G, T are powers of 1024, KB, MB, GB, TB of 1000. */
bool cli_parse_size(const char *text, uint64_t *out);

/* The candidate that looks most like the word, or NULL when none comes near. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t count);

#endif /* CLI_TEXT_H */
