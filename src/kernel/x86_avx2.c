/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/x86_avx2.c - kernels for processors with AVX2
 *
 * Compiles with any flags on any processor; elsewhere than x86-64 it is empty.
 */
#include "kernel/kernels.h"

#if SLUICE_ARCH_X86_64
#include <immintrin.h>
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"

#define KERNEL(name) name##_avx2
#define KERNEL_TARGET SLUICE_TARGET("avx2")
#define KERNEL_LANES 4
#include "kernel/templates.h"

const sluice_kernels sluice_kernels_avx2 = KERNEL_TABLE("avx2", SLUICE_CPU_AVX2);
#endif
