/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/budget.c - see cli/budget.h
 */
#define _GNU_SOURCE /* sched_getaffinity() */

#include "budget.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory.h"
#include "text.h"

static bool read_limit(const char *path, uint64_t *out)
{
    char line[64] = "";
    FILE *const file = fopen(path, "r");
    if (!file)
        return false;
    const bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return is_read && cli_parse_count(line, out);
}

/* The smallest limit from the process's own cgroup (version 2) up to the root. */
static uint64_t cgroup_limit(void)
{
    char line[1024];
    uint64_t limit = UINT64_MAX;
    uint64_t value;
    FILE *const file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        for (char *end = line + strlen(line); end; end = strrchr(line + 3, '/')) {
            *end = '\0';
            char *const path = cli_format("/sys/fs/cgroup%s/memory.max", line + 3);
            if (read_limit(path, &value) && value < limit)
                limit = value;
            cli_free(path);
        }
    }
    if (file)
        fclose(file);
    if (read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes", &value) && value < limit)
        limit = value;
    return limit;
}

uint64_t cli_memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t memory = UINT64_C(2) << 30;
    if (pages > 0 && page_bytes > 0)
        memory = (uint64_t)pages * (uint64_t)page_bytes;
    const uint64_t limit = cgroup_limit();
    return (limit < memory ? limit : memory) / 2;
}

uint32_t cli_core_count(void)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0)
        return (uint32_t)CPU_COUNT(&cores);
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

uint64_t cli_peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

cli_budget cli_budget_split(uint64_t total, uint64_t reader_bytes)
{
    const uint64_t readers = reader_bytes < total / 4 ? reader_bytes : total / 4;
    return (cli_budget){.total = total, .exchange = (total - readers) / 2};
}
