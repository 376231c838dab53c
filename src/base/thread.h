/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/thread.h - threads, locks and waiting: the contract with the system
 *
 * Locks do not nest in themselves.  Waiting is done in a loop around the condition, which the
 * mutex protects.  None of these calls can fail once an object has been made, except starting a
 * thread.
 */
#ifndef SLUICE_BASE_THREAD_H
#define SLUICE_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sluice_mutex {
    pthread_mutex_t mutex;
} sluice_mutex;

typedef struct sluice_condition {
    pthread_cond_t condition;
} sluice_condition;

typedef struct sluice_thread {
    pthread_t thread;
} sluice_thread;

void sluice_mutex_init(sluice_mutex *mutex);
void sluice_mutex_deinit(sluice_mutex *mutex);
void sluice_mutex_lock(sluice_mutex *mutex);
void sluice_mutex_unlock(sluice_mutex *mutex);

void sluice_condition_init(sluice_condition *condition);
void sluice_condition_deinit(sluice_condition *condition);

/* Release the mutex, wait, take it again.  May return for no reason. */
void sluice_condition_wait(sluice_condition *condition, sluice_mutex *mutex);
void sluice_condition_wake_one(sluice_condition *condition);
void sluice_condition_wake_all(sluice_condition *condition);

/* False when the system cannot start another thread.  Each thread is joined once. */
bool sluice_thread_start(sluice_thread *thread, void (*run)(void *argument), void *argument);
void sluice_thread_join(sluice_thread *thread);

/* Nanoseconds of a clock that only goes forward. */
uint64_t sluice_now_nanoseconds(void);

#endif /* SLUICE_BASE_THREAD_H */
