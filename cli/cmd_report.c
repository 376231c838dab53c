/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_report.c - sluice report: sizes and skew of the partitions, from the manifest
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim.h"
#include "commands.h"
#include "json.h"
#include "manifest.h"
#include "memory.h"
#include "message.h"
#include "skew.h"
#include "terminal.h"

/* Partitions with a bar of their own; the others share one line. */
enum { BARS_MAX = 20, BAR_COLUMNS_MIN = 8, BAR_COLUMNS_MAX = 60 };

/* A partition whose rows are this many times the median is said to be heavy. */
static const double heavy_factor = 5;

typedef struct sized_partition {
    uint32_t index;
    uint64_t rows;
    uint64_t bytes;
} sized_partition;

static int compare_sizes(const void *left, const void *right)
{
    const sized_partition *const a = left;
    const sized_partition *const b = right;
    if (a->rows != b->rows)
        return a->rows < b->rows ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

static void print_ratio(const char *name, double ratio)
{
    if (isfinite(ratio))
        printf("  %s %.3g", name, ratio);
    else
        printf("  %s infinite", name);
}

static void print_heading(const char *path, const cli_manifest *manifest, const cli_skew *rows,
                          uint64_t bytes)
{
    char number[CLI_NUMBER_BYTES];
    char size[CLI_NUMBER_BYTES];
    cli_text claim = {0};
    json_t *const object =
        manifest->partitioning ? json_loads(manifest->partitioning, 0, NULL) : NULL;
    if (object)
        cli_claim_describe(object, &claim);
    else
        cli_text_append_format(&claim, "%zu partitions, no partitioning declared",
                               manifest->partition_count);
    printf("%s: %s rows, %s\n%s\n\n", path, cli_count_text(manifest->rows, number),
           cli_bytes_text(bytes, size), claim.bytes);
    printf("rows per partition: mean %s", cli_count_text((uint64_t)(rows->mean + 0.5), number));
    printf(", median %s", cli_count_text(rows->median, number));
    printf(", largest %s\n", cli_count_text(rows->max, number));
    fputs("skew:", stdout);
    print_ratio("max/mean", rows->max_over_mean);
    print_ratio("max/median", rows->max_over_median);
    print_ratio("p99/median", rows->p99_over_median);
    printf("  empty %s\n", cli_count_text(rows->empty_count, number));
    json_decref(object);
    cli_text_deinit(&claim);
}

/* "   17  ██████▌   98,304   3.2 %   3.41 MiB" */
static void print_bar(const char *label, const sized_partition *partition, uint64_t rows_max,
                      uint64_t rows_total, int columns, bool is_emphasised)
{
    char rows[CLI_NUMBER_BYTES];
    char bytes[CLI_NUMBER_BYTES];
    cli_text bar = {0};
    cli_draw_bar(&bar, partition->rows, rows_max, columns, cli_terminal_is_utf8());
    const double share =
        rows_total > 0 ? 100.0 * (double)partition->rows / (double)rows_total : 0;
    const bool has_colour = cli_terminal_has_colour(stdout);
    printf("%10s  %s%s%s  %14s  %5.1f %%  %9s\n", label,
           has_colour ? (is_emphasised ? "\033[33m" : "\033[36m") : "", bar.bytes,
           has_colour ? "\033[0m" : "", cli_count_text(partition->rows, rows), share,
           cli_bytes_text(partition->bytes, bytes));
    cli_text_deinit(&bar);
}

static void print_bars(const sized_partition *sorted, size_t count, const cli_skew *skew)
{
    const int room = cli_terminal_columns(stdout) - (10 + 2 + 2 + 14 + 2 + 7 + 2 + 9);
    const int columns = room < BAR_COLUMNS_MIN   ? BAR_COLUMNS_MIN
                        : room > BAR_COLUMNS_MAX ? BAR_COLUMNS_MAX
                                                 : room;
    const size_t shown = count <= BARS_MAX ? count : BARS_MAX;
    char label[CLI_NUMBER_BYTES];
    printf("\n%10s  %-*s  %14s  %7s  %9s\n", "partition", columns, "", "rows", "share", "size");
    for (size_t i = 0; i < shown; i++) {
        snprintf(label, sizeof label, "%u", sorted[i].index);
        print_bar(label, &sorted[i], skew->max, skew->total, columns,
                  (double)sorted[i].rows > heavy_factor * (double)skew->median);
    }
    if (shown == count)
        return;
    sized_partition others = {0};
    for (size_t i = shown; i < count; i++) {
        others.rows += sorted[i].rows;
        others.bytes += sorted[i].bytes;
    }
    /* A bar of many together would not compare with those of one: numbers only. */
    char rows[CLI_NUMBER_BYTES];
    char bytes[CLI_NUMBER_BYTES];
    snprintf(label, sizeof label, "%zu other", count - shown);
    const double share =
        skew->total > 0 ? 100.0 * (double)others.rows / (double)skew->total : 0;
    printf("%10s  %-*s  %14s  %5.1f %%  %9s\n", label, columns, "",
           cli_count_text(others.rows, rows), share, cli_bytes_text(others.bytes, bytes));
}

static void print_line(const uint64_t *rows, size_t count)
{
    cli_text line = {0};
    const int columns = cli_terminal_columns(stdout) - 2;
    cli_draw_line(&line, rows, count, columns, cli_terminal_is_utf8());
    if (count > (size_t)columns)
        printf("\nall partitions in order, the largest of each %zu or so:\n",
               count / (size_t)columns + (count % (size_t)columns != 0));
    else
        printf("\nall partitions in order, 0 to %zu:\n", count - 1);
    printf("  %s\n", line.bytes ? line.bytes : "");
    cli_text_deinit(&line);
}

static void print_json(const char *path, const cli_manifest *manifest, const cli_skew *rows,
                       const cli_skew *bytes)
{
    json_t *const partitions = json_array();
    for (size_t i = 0; i < manifest->partition_count; i++) {
        const cli_partition_entry *const partition = &manifest->partitions[i];
        json_array_append_new(partitions,
                              json_pack("{s:I, s:o, s:o}", "index", (json_int_t)partition->index,
                                        "rows", cli_json_count(partition->rows), "bytes",
                                        cli_json_count(cli_partition_bytes(partition))));
    }
    json_t *const root = json_object();
    json_object_set_new(root, "path", cli_json_text(path));
    json_object_set_new(root, "rows", cli_json_count(manifest->rows));
    json_object_set_new(root, "bytes", cli_json_count(bytes->total));
    json_object_set_new(root, "partitioning",
                        manifest->partitioning ? json_loads(manifest->partitioning, 0, NULL)
                                               : json_null());
    json_object_set_new(root, "skew", cli_skew_to_json(rows));
    json_object_set_new(root, "skew_bytes", cli_skew_to_json(bytes));
    json_object_set_new(root, "partitions", partitions);
    cli_json_print(root);
    json_decref(root);
}

static void report(const cli_arguments *arguments, const char *path, const cli_manifest *manifest)
{
    const size_t count = manifest->partition_count;
    uint64_t *const rows = cli_allocate_zeroed(count, sizeof *rows);
    uint64_t *const bytes = cli_allocate_zeroed(count, sizeof *bytes);
    sized_partition *const sorted = cli_allocate_zeroed(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        rows[i] = manifest->partitions[i].rows;
        bytes[i] = cli_partition_bytes(&manifest->partitions[i]);
        sorted[i] = (sized_partition){manifest->partitions[i].index, rows[i], bytes[i]};
    }
    const cli_skew row_skew = cli_skew_of(rows, count);
    const cli_skew byte_skew = cli_skew_of(bytes, count);
    if (cli_has(arguments, OPTION_JSON)) {
        print_json(path, manifest, &row_skew, &byte_skew);
    } else {
        print_heading(path, manifest, &row_skew, byte_skew.total);
        if (count > 0) {
            qsort(sorted, count, sizeof *sorted, compare_sizes);
            print_bars(sorted, count, &row_skew);
            print_line(rows, count);
        }
    }
    cli_free(sorted);
    cli_free(bytes);
    cli_free(rows);
}

int cli_report(const cli_arguments *arguments)
{
    if (arguments->operand_count != 1)
        return cli_error(CLI_USAGE, "one data set, not %zu: sluice report PATH",
                         arguments->operand_count);
    const char *const path = arguments->operands[0];
    if (!cli_manifest_exists(path))
        return cli_error(CLI_FAILED, "%s: no data set: there is no _sluice.json in it", path);
    cli_manifest manifest;
    const int code = cli_manifest_read(path, &manifest);
    if (code != CLI_DONE)
        return code;
    report(arguments, path, &manifest);
    cli_manifest_deinit(&manifest);
    return CLI_DONE;
}
