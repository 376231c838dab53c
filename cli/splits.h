/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/splits.h - the split points of --range, from a list or a file
 */
#ifndef CLI_SPLITS_H
#define CLI_SPLITS_H

#include <jansson.h>

#include "keys.h"
#include "sluice/arrow_abi.h"

/*
 * Read --splits, which is a list of values of one key ("3,6") or the name of a JSON file, into an
 * array with one array of values per split point.  Values of a list are typed by the schema.  A
 * file may carry an order: it must agree with the keys, or completes them.  0, or the exit code
 * after a message.
 */
int cli_splits_read(const char *text, cli_key_list *keys, const struct ArrowSchema *schema,
                    json_t **out);

/* The field whose values a key is compared by: that of a dictionary or of runs is its values. */
const struct ArrowSchema *cli_value_field(const struct ArrowSchema *field);

#endif /* CLI_SPLITS_H */
