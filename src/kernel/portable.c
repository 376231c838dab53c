/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/portable.c - kernels in plain C: the fallback, and the definition of the right answer
 *
 * Templates take these parameters from the file that includes them:
 *
 *     KERNEL(name)   the function's name in this instruction set
 *     KERNEL_TARGET  target attribute of the function, empty for portable C
 *     KERNEL_LANES   64-bit values per vector register: 1 for portable C
 */
#include <string.h>

#include "base/bits.h"
#include "base/compiler.h"
#include "kernel/kernels.h"

#define KERNEL(name) name##_portable
#define KERNEL_TARGET
#define KERNEL_LANES 1
#include "kernel/templates.h"

const sluice_kernels sluice_kernels_portable = KERNEL_TABLE("portable", 0);
