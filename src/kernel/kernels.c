/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/kernels.c - which table to use
 */
#include "kernel/kernels.h"

#include "base/cpu.h"

/* Best first. */
static const sluice_kernels *const tables[] = {
#if SLUICE_ARCH_X86_64
    &sluice_kernels_avx512,
    &sluice_kernels_avx2,
#endif
    &sluice_kernels_portable,
};

const sluice_kernels *sluice_kernels_get(size_t index)
{
    return index < sizeof(tables) / sizeof(*tables) ? tables[index] : NULL;
}

bool sluice_kernels_can_run(const sluice_kernels *table)
{
    return (table->cpu_features & ~sluice_cpu_features()) == 0;
}

const sluice_kernels *sluice_kernels_choose(void)
{
    size_t index = 0;

    while (!sluice_kernels_can_run(tables[index]))
        index++;
    return tables[index];
}
