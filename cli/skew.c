/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/skew.c - see cli/skew.h
 */
#include "skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static int compare_counts(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Nothing over nothing is even: 1. */
static double ratio(double value, double base)
{
    if (base > 0)
        return value / base;
    return value > 0 ? INFINITY : 1;
}

cli_skew cli_skew_of(const uint64_t *values, size_t count)
{
    cli_skew skew = {.count = count, .max_over_mean = 1, .max_over_median = 1,
                     .p99_over_median = 1};
    if (count == 0)
        return skew;
    uint64_t *const sorted = cli_allocate(count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_counts);
    for (size_t i = 0; i < count; i++) {
        skew.total += sorted[i];
        skew.empty_count += sorted[i] == 0;
    }
    skew.max = sorted[count - 1];
    skew.median = sorted[(count + 1) / 2 - 1];
    skew.p99 = sorted[(count * 99 + 99) / 100 - 1];
    skew.mean = (double)skew.total / (double)count;
    skew.max_over_mean = ratio((double)skew.max, skew.mean);
    skew.max_over_median = ratio((double)skew.max, (double)skew.median);
    skew.p99_over_median = ratio((double)skew.p99, (double)skew.median);
    cli_free(sorted);
    return skew;
}

/* Four decimals say enough. */
static json_t *ratio_to_json(double value)
{
    return isfinite(value) ? json_real(round(value * 10000) / 10000) : json_null();
}

json_t *cli_skew_to_json(const cli_skew *skew)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:[]}", "max_over_mean",
                     ratio_to_json(skew->max_over_mean), "max_over_median",
                     ratio_to_json(skew->max_over_median), "p99_over_median",
                     ratio_to_json(skew->p99_over_median), "empty",
                     (json_int_t)skew->empty_count, "heavy");
}
