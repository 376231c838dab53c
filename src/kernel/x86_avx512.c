/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/x86_avx512.c - kernels for processors with AVX-512 (F, BW, DQ, VL)
 *
 * Compiles with any flags on any processor; elsewhere than x86-64 it is empty.
 */
#include "kernel/kernels.h"

#if SLUICE_ARCH_X86_64
#include <immintrin.h>
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"

#define KERNEL(name) name##_avx512
#define KERNEL_TARGET SLUICE_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
#define KERNEL_LANES 8
#include "kernel/templates.h"

const sluice_kernels sluice_kernels_avx512 = KERNEL_TABLE("avx512", SLUICE_CPU_AVX512);
#endif
