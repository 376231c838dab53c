/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/claim.h - the partitioning that a data set or a file declares, as JSON to look at
 */
#ifndef CLI_CLAIM_H
#define CLI_CLAIM_H

#include <jansson.h>
#include <stdbool.h>

#include "text.h"

/* "hash (sluice1) of l_orderkey: int64, 64 partitions" */
void cli_claim_describe(const json_t *claim, cli_text *text);

/*
 * Can rows of two data sets be joined on their keys partition by partition?  The reason, for either
 * answer, is appended to the text.  NULL stands for no claim.
 */
bool cli_claims_meet(const json_t *left, const json_t *right, cli_text *reason);

#endif /* CLI_CLAIM_H */
