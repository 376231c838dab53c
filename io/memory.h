/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/memory.h - the pool that everything in libsluice_io allocates from
 */
#ifndef SLUICE_IO_MEMORY_H
#define SLUICE_IO_MEMORY_H

#include <arrow/memory_pool.h>

namespace sluice_io {

/* Counts what is held.  Lives until the process ends; any thread. */
arrow::MemoryPool *memory_pool();

} /* namespace sluice_io */

#endif /* SLUICE_IO_MEMORY_H */
