/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/thread_posix.c - base/thread.h on POSIX threads
 */
#include "base/thread.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/compiler.h"

/* What a new thread is told; it frees it first. */
typedef struct thread_start {
    void (*run)(void *argument);
    void *argument;
} thread_start;

/* A lock that fails is a broken invariant, never something to handle. */
static void must_succeed(int result)
{
    SLUICE_ASSERT(result == 0);
    (void)result;
}

void sluice_mutex_init(sluice_mutex *mutex)
{
    must_succeed(pthread_mutex_init(&mutex->mutex, NULL));
}

void sluice_mutex_deinit(sluice_mutex *mutex)
{
    must_succeed(pthread_mutex_destroy(&mutex->mutex));
}

void sluice_mutex_lock(sluice_mutex *mutex)
{
    must_succeed(pthread_mutex_lock(&mutex->mutex));
}

void sluice_mutex_unlock(sluice_mutex *mutex)
{
    must_succeed(pthread_mutex_unlock(&mutex->mutex));
}

void sluice_condition_init(sluice_condition *condition)
{
    must_succeed(pthread_cond_init(&condition->condition, NULL));
}

void sluice_condition_deinit(sluice_condition *condition)
{
    must_succeed(pthread_cond_destroy(&condition->condition));
}

void sluice_condition_wait(sluice_condition *condition, sluice_mutex *mutex)
{
    must_succeed(pthread_cond_wait(&condition->condition, &mutex->mutex));
}

void sluice_condition_wake_one(sluice_condition *condition)
{
    must_succeed(pthread_cond_signal(&condition->condition));
}

void sluice_condition_wake_all(sluice_condition *condition)
{
    must_succeed(pthread_cond_broadcast(&condition->condition));
}

static void *thread_main(void *opaque)
{
    const thread_start start = *(thread_start *)opaque;

    sluice_free(NULL, opaque, sizeof(thread_start));
    start.run(start.argument);
    return NULL;
}

bool sluice_thread_start(sluice_thread *thread, void (*run)(void *argument), void *argument)
{
    thread_start *start = sluice_allocate(NULL, sizeof(*start));

    if (start == NULL)
        return false;
    *start = (thread_start){.run = run, .argument = argument};
    if (pthread_create(&thread->thread, NULL, thread_main, start) == 0)
        return true;
    sluice_free(NULL, start, sizeof(*start));
    return false;
}

void sluice_thread_join(sluice_thread *thread)
{
    must_succeed(pthread_join(thread->thread, NULL));
}

uint64_t sluice_now_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
