/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/budget.h - how much memory a run may hold, and who gets which part of it
 */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include <stdint.h>

/* Half of what the machine, or the cgroup of this process, has. */
uint64_t cli_memory_default(void);

/* Cores this process may use, at least 1. */
uint32_t cli_core_count(void);

/* The most memory this process ever had in RAM, in bytes. */
uint64_t cli_peak_memory(void);

typedef struct cli_budget {
    uint64_t total;    /* --memory. */
    uint64_t exchange; /* Of that, for the exchange; readers and writers share the rest. */
} cli_budget;

/* reader_bytes: what the readers are expected to hold. */
cli_budget cli_budget_split(uint64_t total, uint64_t reader_bytes);

#endif /* CLI_BUDGET_H */
