/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/cpu.h - what the processor can do, and what it is allowed to
 */
#ifndef SLUICE_BASE_CPU_H
#define SLUICE_BASE_CPU_H

#include <stdint.h>

#define SLUICE_CPU_AVX2 (UINT32_C(1) << 0)
#define SLUICE_CPU_AVX512 (UINT32_C(1) << 1) /* F, BW, DQ and VL together. */

/*
 * The features there are.  In builds with SLUICE_CHECKS the environment variable
 * SLUICE_CPU_DISABLE, a list such as "avx512,avx2", takes some away, so that tests can run every
 * table of kernels on one processor.
 */
uint32_t sluice_cpu_features(void);

#endif /* SLUICE_BASE_CPU_H */
