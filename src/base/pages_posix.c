/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/pages_posix.c - base/pages.h on mmap()
 */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "base/math.h"

void *sluice_pages_map(size_t bytes, bool wants_huge)
{
    SLUICE_ASSERT(bytes % SLUICE_HUGE_PAGE_BYTES == 0);

    /* One huge page more than asked for, so that an aligned range lies inside; the rest goes
     * back. */
    const size_t mapped_bytes = bytes + SLUICE_HUGE_PAGE_BYTES;
    uint8_t *mapped =
        mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;

    uint8_t *pages = (uint8_t *)sluice_round_up((uintptr_t)mapped, SLUICE_HUGE_PAGE_BYTES);
    const size_t before = (size_t)(pages - mapped);
    const size_t after = mapped_bytes - before - bytes;

    if (before > 0)
        munmap(mapped, before);
    if (after > 0)
        munmap(pages + bytes, after);
    /* A hint; where the system does not know it, pages are small and everything works. */
    madvise(pages, bytes, wants_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return pages;
}

void sluice_pages_unmap(void *pages, size_t bytes)
{
    munmap(pages, bytes);
}
