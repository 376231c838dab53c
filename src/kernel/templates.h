/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel/templates.h - all templates at once, and the table of what they make
 *
 * Included once by each instruction-set file, after it has defined the parameters that
 * kernel/portable.c lists.
 */
#include "kernel/bytes_template.h"
#include "kernel/hash_template.h"
#include "kernel/rank_template.h"
#include "kernel/reduce_template.h"
#include "kernel/scatter_template.h"
#include "kernel/search_template.h"
#include "kernel/stream_template.h"

#define KERNEL_TABLE(table_name, features)                                                         \
    {                                                                                              \
        .name = (table_name), .cpu_features = (features), .hash_fold = KERNEL(hash_fold),          \
        .reduce = KERNEL(reduce), .search = KERNEL(search), .count = KERNEL(count),                \
        .rank = KERNEL(rank), .scatter1 = KERNEL(scatter1), .scatter2 = KERNEL(scatter2),          \
        .scatter4 = KERNEL(scatter4), .scatter8 = KERNEL(scatter8),                                \
        .scatter16 = KERNEL(scatter16), .scatter32 = KERNEL(scatter32),                            \
        .scatter_bits = KERNEL(scatter_bits), .scatter_bytes = KERNEL(scatter_bytes),              \
        .copy_stream = KERNEL(copy_stream), .fence_stream = KERNEL(fence_stream),                  \
    }
