/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/pages.h - memory straight from the system, in huge pages where it has them
 */
#ifndef SLUICE_BASE_PAGES_H
#define SLUICE_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* What a huge page is on the systems we know; regions are multiples of it. */
enum { SLUICE_HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

/*
 * Map bytes, a multiple of SLUICE_HUGE_PAGE_BYTES, aligned to it.  The memory is zero and is not
 * there until it is touched.  wants_huge asks for huge pages: faster, but a touched byte costs a
 * whole one.  NULL when the system has no more.
 */
void *sluice_pages_map(size_t bytes, bool wants_huge);

void sluice_pages_unmap(void *pages, size_t bytes);

#endif /* SLUICE_BASE_PAGES_H */
