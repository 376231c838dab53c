/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/skew.h - how uneven partitions are
 */
#ifndef CLI_SKEW_H
#define CLI_SKEW_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_skew {
    size_t count;
    size_t empty_count;
    uint64_t total;
    uint64_t max;
    uint64_t median;     /* The value at rank ceil(count / 2). */
    uint64_t p99;        /* The value at rank ceil(count * 99 / 100). */
    double mean;
    double max_over_mean;
    double max_over_median; /* Infinite when the median is 0 and the largest is not. */
    double p99_over_median;
} cli_skew;

cli_skew cli_skew_of(const uint64_t *values, size_t count);

/* {"max_over_mean":..,"max_over_median":..,"p99_over_median":..,"empty":..,"heavy":[]}; a ratio
 * that is not finite is null. */
json_t *cli_skew_to_json(const cli_skew *skew);

#endif /* CLI_SKEW_H */
