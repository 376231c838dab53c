/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/watch.c - see cli/watch.h
 */
#include "watch.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

enum { TICK_NANOSECONDS = 50000000, TICKS_OF_GRACE = 100 };

/* Those of the signals that are not ignored, as nohup ignores SIGHUP. */
static void watched_signals(sigset_t *signals)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    sigemptyset(signals);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(signals, numbers[i]);
    }
}

void cli_watch_block_signals(void)
{
    sigset_t signals;
    watched_signals(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

void cli_watch_exit(void *opaque)
{
    const cli_watch *const watch = opaque;
    cli_progress_hide();
    _exit(128 + atomic_load(&watch->signal_number));
}

static void take_signal(cli_watch *watch, int number)
{
    if (number == SIGUSR1) {
        cli_progress_tell();
        return;
    }
    if (atomic_load(&watch->signal_number) != 0)
        return;
    atomic_store(&watch->signal_number, number);
    if (watch->stop)
        watch->stop(watch->opaque);
}

static void *run_watch(void *argument)
{
    cli_watch *const watch = argument;
    const struct timespec tick = {0, TICK_NANOSECONDS};
    sigset_t signals;
    watched_signals(&signals);
    int ticks_since_stop = 0;
    while (!atomic_load(&watch->is_over)) {
        const int number = sigtimedwait(&signals, NULL, &tick);
        if (number > 0)
            take_signal(watch, number);
        cli_progress_tick();
        if (!cli_watch_is_stopped(watch) || ++ticks_since_stop < TICKS_OF_GRACE)
            continue;
        if (watch->last_hook)
            watch->last_hook();
        _exit(128 + atomic_load(&watch->signal_number));
    }
    return NULL;
}

bool cli_watch_start(cli_watch *watch)
{
    atomic_store(&watch->is_over, false);
    atomic_store(&watch->signal_number, 0);
    watch->is_started = pthread_create(&watch->thread, NULL, run_watch, watch) == 0;
    return watch->is_started;
}

int cli_watch_stop(cli_watch *watch)
{
    if (watch->is_started) {
        atomic_store(&watch->is_over, true);
        pthread_join(watch->thread, NULL);
        watch->is_started = false;
    }
    const int number = atomic_load(&watch->signal_number);
    return number != 0 ? 128 + number : 0;
}

bool cli_watch_is_stopped(const cli_watch *watch)
{
    return atomic_load(&watch->signal_number) != 0;
}
