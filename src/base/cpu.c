/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/cpu.c - what the processor can do, and what it is allowed to
 */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

static uint32_t detect(void)
{
    uint32_t features = 0;

#if SLUICE_ARCH_X86_64
    if (__builtin_cpu_supports("avx2"))
        features |= SLUICE_CPU_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        features |= SLUICE_CPU_AVX512;
#endif
    return features;
}

static uint32_t forbidden(void)
{
    uint32_t features = 0;
    const char *list = SLUICE_CHECKS >= 1 ? getenv("SLUICE_CPU_DISABLE") : NULL;

    if (list == NULL)
        return 0;
    if (strstr(list, "avx2") != NULL)
        features |= SLUICE_CPU_AVX2 | SLUICE_CPU_AVX512;
    if (strstr(list, "avx512") != NULL)
        features |= SLUICE_CPU_AVX512;
    return features;
}

uint32_t sluice_cpu_features(void)
{
    return detect() & ~forbidden();
}
