/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/watch.h - a thread that takes signals and redraws the progress line
 *
 * SIGINT, SIGTERM and SIGHUP are blocked in every thread and taken here, by a normal thread, which
 * may do what a handler may not: it calls the stop function, once.  SIGUSR1 writes one line of
 * progress.  When the work has not ended some seconds after the stop, because a read from a pipe
 * does not return, the hook runs and the process ends.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct cli_watch {
    pthread_t thread;
    bool is_started;
    atomic_bool is_over;
    atomic_int signal_number;     /* The first one taken; 0: none. */
    void (*stop)(void *opaque);   /* Called once, from the watching thread; may be NULL. */
    void (*last_hook)(void);      /* Before an exit in spite of running threads. */
    void *opaque;
} cli_watch;

/* A stop function for work that leaves nothing behind: ends the process.  opaque: the watch. */
void cli_watch_exit(void *opaque);

/* Block the signals, in this thread and those it starts from now on.  Call early in a command. */
void cli_watch_block_signals(void);

/* The fields stop, last_hook and opaque are set by the caller before.  False: no thread. */
bool cli_watch_start(cli_watch *watch);

/* End the thread.  The exit code for the signal that came: 130, 143, 129, or 0 for none. */
int cli_watch_stop(cli_watch *watch);

/* True once a signal has come. */
bool cli_watch_is_stopped(const cli_watch *watch);

#endif /* CLI_WATCH_H */
