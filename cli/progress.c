/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/progress.c - see cli/progress.h
 */
#include "progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "terminal.h"
#include "text.h"

static const double seconds_before_first = 2.0;
static const double seconds_between = 0.1;
/* With -v and no terminal, a line of its own that often. */
static const double seconds_between_lines = 30.0;

static atomic_uint_fast64_t rows_done;
static atomic_uint_fast64_t bytes_done;

/* Behind the lock: everything below. */
static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *phase_name = "";
static uint64_t bytes_total;
static double started_at;
static double drawn_at;
static bool is_drawing;   /* A line that is redrawn. */
static bool is_listing;   /* Lines of their own. */
static bool is_on_screen;

double cli_now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void cli_progress_start(const cli_arguments *arguments, const char *phase, uint64_t total_bytes)
{
    const bool is_terminal = isatty(STDERR_FILENO);
    const char *const terminal = getenv("TERM");
    const bool is_dumb = terminal && strcmp(terminal, "dumb") == 0;
    const bool is_quiet = cli_has(arguments, OPTION_QUIET);
    pthread_mutex_lock(&progress_lock);
    phase_name = phase;
    bytes_total = total_bytes;
    atomic_store(&rows_done, 0);
    atomic_store(&bytes_done, 0);
    started_at = cli_now_seconds();
    drawn_at = started_at;
    if (cli_is_choice(arguments, OPTION_PROGRESS, "always"))
        is_drawing = true;
    else if (cli_is_choice(arguments, OPTION_PROGRESS, "never"))
        is_drawing = false;
    else
        is_drawing = is_terminal && !is_dumb && !is_quiet;
    is_listing = !is_drawing && cli_has(arguments, OPTION_VERBOSE) && !is_quiet;
    pthread_mutex_unlock(&progress_lock);
}

void cli_progress_add(uint64_t rows, uint64_t bytes)
{
    atomic_fetch_add_explicit(&rows_done, rows, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes_done, bytes, memory_order_relaxed);
}

/* "partition 42 %  2,512,000 rows  118 MiB/s  3.20 s left" */
static void describe(cli_text *text, double now)
{
    char number[CLI_NUMBER_BYTES];
    const uint64_t rows = atomic_load_explicit(&rows_done, memory_order_relaxed);
    const uint64_t bytes = atomic_load_explicit(&bytes_done, memory_order_relaxed);
    const double seconds = now - started_at > 1e-3 ? now - started_at : 1e-3;
    cli_text_append_string(text, phase_name);
    double share = 0;
    if (bytes_total > 0) {
        share = bytes < bytes_total ? (double)bytes / (double)bytes_total : 1;
        cli_text_append_format(text, " %.0f %%", 100 * share);
    }
    cli_text_append_format(text, "  %s rows", cli_count_text(rows, number));
    cli_text_append_format(text, "  %s/s",
                           cli_bytes_text((uint64_t)((double)bytes / seconds), number));
    if (share > 0.01 && share < 1)
        cli_text_append_format(text, "  %s left",
                               cli_seconds_text(seconds * (1 - share) / share, number));
}

void cli_progress_tick(void)
{
    pthread_mutex_lock(&progress_lock);
    const double now = cli_now_seconds();
    cli_text text = {0};
    if (is_drawing && now - started_at >= seconds_before_first &&
        now - drawn_at >= seconds_between) {
        describe(&text, now);
        const int columns = cli_terminal_columns(stderr) - 1;
        fprintf(stderr, "\r%-*.*s\r", columns, columns, text.bytes);
        drawn_at = now;
        is_on_screen = true;
    } else if (is_listing && now - drawn_at >= seconds_between_lines) {
        describe(&text, now);
        fprintf(stderr, "sluice: %s\n", text.bytes);
        drawn_at = now;
    }
    cli_text_deinit(&text);
    pthread_mutex_unlock(&progress_lock);
}

void cli_progress_tell(void)
{
    cli_progress_hide();
    pthread_mutex_lock(&progress_lock);
    cli_text text = {0};
    describe(&text, cli_now_seconds());
    fprintf(stderr, "sluice: %s\n", text.bytes);
    cli_text_deinit(&text);
    pthread_mutex_unlock(&progress_lock);
}

void cli_progress_hide(void)
{
    pthread_mutex_lock(&progress_lock);
    if (is_on_screen)
        fprintf(stderr, "\r%*s\r", cli_terminal_columns(stderr) - 1, "");
    is_on_screen = false;
    pthread_mutex_unlock(&progress_lock);
}

void cli_progress_stop(void)
{
    cli_progress_hide();
    pthread_mutex_lock(&progress_lock);
    is_drawing = false;
    is_listing = false;
    pthread_mutex_unlock(&progress_lock);
}
