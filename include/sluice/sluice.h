/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/sluice.h - all of libsluice
 */
#ifndef SLUICE_SLUICE_H
#define SLUICE_SLUICE_H

#include "sluice/allocator.h"
#include "sluice/arrow_abi.h"
#include "sluice/checksum.h"
#include "sluice/exchange.h"
#include "sluice/memory.h"
#include "sluice/partitioner.h"
#include "sluice/partitioning.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0
#define SLUICE_VERSION_STRING "0.1.0"

/* The version of the library that is loaded, for example "0.1.0". */
SLUICE_API const char *sluice_version(void);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_SLUICE_H */
