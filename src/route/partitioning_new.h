/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/partitioning_new.h - what the files that make partitionings share
 */
#ifndef SLUICE_ROUTE_PARTITIONING_NEW_H
#define SLUICE_ROUTE_PARTITIONING_NEW_H

#include "route/partitioning.h"

/* More keys than this are refused. */
enum { SLUICE_PARTITIONING_KEYS_MAX = 1024 };

/* "hash", "range", "round-robin", "value" or "ids". */
const char *sluice_partitioning_kind_name(sluice_partitioning_kind kind);

/* Check the count and the names, and make a partitioning of them, the rest of it zero. */
sluice_status sluice_partitioning_new_keyed(sluice_partitioning_kind kind,
                                            const char *const *names, size_t key_count,
                                            uint32_t partition_count, sluice_partitioning **out,
                                            sluice_error *error);

/* Two ranges route alike, as far as their split points say. */
bool sluice_partitioning_splits_are_equal(const sluice_partitioning *left,
                                          const sluice_partitioning *right);

/* Write a split point as JSON, for messages; text that is too long is cut. */
void sluice_partitioning_describe_split(const sluice_column *splits, int64_t row, char *text,
                                        size_t text_bytes);

#endif /* SLUICE_ROUTE_PARTITIONING_NEW_H */
