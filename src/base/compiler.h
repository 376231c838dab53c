/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/compiler.h - what differs between compilers and processors
 *
 * SLUICE_ASSERT states what cannot happen.  It is checked when SLUICE_CHECKS is 1 (debug and
 * sanitizer builds), and SLUICE_ASSERT_COSTLY, for whole data structures, when it is 2.
 */
#ifndef SLUICE_BASE_COMPILER_H
#define SLUICE_BASE_COMPILER_H

#ifndef SLUICE_CHECKS
#define SLUICE_CHECKS 0
#endif

#if SLUICE_CHECKS >= 1
#include <assert.h>
#define SLUICE_ASSERT(condition) assert(condition)
#else
#define SLUICE_ASSERT(condition) ((void)sizeof(condition))
#endif

#if SLUICE_CHECKS >= 2
#define SLUICE_ASSERT_COSTLY(condition) SLUICE_ASSERT(condition)
#else
#define SLUICE_ASSERT_COSTLY(condition) ((void)sizeof(condition))
#endif

#if defined(__x86_64__)
#define SLUICE_ARCH_X86_64 1
#else
#define SLUICE_ARCH_X86_64 0
#endif

#if defined(__aarch64__)
#define SLUICE_ARCH_ARM64 1
#else
#define SLUICE_ARCH_ARM64 0
#endif

/* Lets one function use an instruction set the rest of the file may not. */
#define SLUICE_TARGET(isa) __attribute__((target(isa)))

#define SLUICE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define SLUICE_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define SLUICE_PRINTF(format_index, first_index)                                                   \
    __attribute__((format(printf, format_index, first_index)))

/* What two threads write must be at least this far apart. */
enum { SLUICE_CACHE_LINE_BYTES = 64 };

#endif /* SLUICE_BASE_COMPILER_H */
