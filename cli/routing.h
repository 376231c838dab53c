/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/routing.h - from --hash, --range, --round-robin and -n to a partitioning
 */
#ifndef CLI_ROUTING_H
#define CLI_ROUTING_H

#include "arguments.h"
#include "keys.h"
#include "sluice/partitioning.h"

typedef struct cli_routing {
    sluice_partitioning_kind kind;
    cli_key_list keys;   /* None for round robin. */
    uint32_t count;      /* Partitions; 0 until the splits are known. */
    sluice_partitioning *partitioning; /* From cli_routing_resolve() on. */
} cli_routing;

/* What can be checked without looking at a file.  0, or the exit code after a message. */
int cli_routing_parse(const cli_arguments *arguments, cli_routing *out);

/* Meet the columns: check the keys, read the split points, make the partitioning. */
int cli_routing_resolve(const cli_arguments *arguments, const struct ArrowSchema *schema,
                        cli_routing *routing);

/*
 * The declaration of the partitioning as JSON, with the index of a partition unless it is negative;
 * to be freed with cli_free().  Key types come from the schema.  NULL after a message.
 */
char *cli_routing_declare(const sluice_partitioning *partitioning,
                          const struct ArrowSchema *schema, int64_t index);

void cli_routing_deinit(cli_routing *routing);

/* "column l_orderky: not there; did you mean l_orderkey?", after the flag. */
int cli_refuse_column(const char *flag, const struct ArrowSchema *schema, const char *name);

#endif /* CLI_ROUTING_H */
