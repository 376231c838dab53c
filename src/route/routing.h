/* SPDX-License-Identifier: Apache-2.0 */
/*
 * route/routing.h - what a router says about a block of rows
 */
#ifndef SLUICE_ROUTE_ROUTING_H
#define SLUICE_ROUTE_ROUTING_H

#include <stdint.h>

/* The partition ids of the rows of one block; borrowed from whoever made the block. */
typedef struct sluice_routing {
    const uint32_t *ids;
    uint32_t row_count;
    uint32_t partition_count; /* Every id is below this. */
} sluice_routing;

#endif /* SLUICE_ROUTE_ROUTING_H */
