/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/failing_allocator.h - an allocator that counts, and says no when told to
 *
 *     for (int64_t refused = 0;; refused++) {
 *         test_failing_allocator failing;
 *         const sluice_allocator allocator = test_failing_allocator_init(&failing, refused);
 *         ... do it, free it ...
 *         assert_int_equal(failing.bytes_in_use, 0);
 *         if (failing.allocation_count <= refused)
 *             break;                                the sweep is complete: nothing was refused
 *     }
 *
 * Every free is checked against the size that was asked for.  Safe to call from several threads.
 */
#ifndef TEST_FAILING_ALLOCATOR_H
#define TEST_FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdint.h>

#include "sluice/allocator.h"

typedef struct test_failing_allocator {
    int64_t refused;                  /* This one fails, from 0 on; -1: none. */
    _Atomic int64_t allocation_count; /* Asked for so far. */
    _Atomic int64_t bytes_in_use;
} test_failing_allocator;

/* The allocator points at *failing, which must outlive all that is made with it. */
sluice_allocator test_failing_allocator_init(test_failing_allocator *failing, int64_t refused);

#endif /* TEST_FAILING_ALLOCATOR_H */
