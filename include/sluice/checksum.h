/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sluice/checksum.h - a sum over rows that does not depend on their order
 *
 * Each row's logical values, in column order, are hashed to 128 bits, and the hashes are added
 * modulo 2^128.  Two tables with the same columns hold the same multiset of rows when their sums
 * are equal.  The physical form does not matter: see docs/sluice1.md.
 */
#ifndef SLUICE_CHECKSUM_H
#define SLUICE_CHECKSUM_H

#include <stdint.h>

#include "sluice/arrow_abi.h"
#include "sluice/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_checksum {
    uint64_t low;
    uint64_t high;
} sluice_checksum;

typedef struct sluice_checksummer sluice_checksummer;

/* Make a checksummer for batches of this schema.  One thread at a time. */
SLUICE_API sluice_status sluice_checksummer_new(const struct ArrowSchema *schema,
                                                sluice_checksummer **out, sluice_error *error);

/* Add the rows of a batch, which stays the caller's, to *sum. */
SLUICE_API sluice_status sluice_checksummer_add(sluice_checksummer *checksummer,
                                                const struct ArrowArray *batch,
                                                sluice_checksum *sum, sluice_error *error);

/* *sum += *other, modulo 2^128. */
SLUICE_API void sluice_checksum_add(sluice_checksum *sum, const sluice_checksum *other);

/* NULL is allowed. */
SLUICE_API void sluice_checksummer_free(sluice_checksummer *checksummer);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_CHECKSUM_H */
