/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/demo_table.h - the made-up table of sluice demo, always the same for a number of rows
 */
#ifndef CLI_DEMO_TABLE_H
#define CLI_DEMO_TABLE_H

#include <stdint.h>

#include "sluice/io.h"

/* The key of the file's metadata that says that a demo made it. */
#define CLI_DEMO_KEY "sluice.demo"

/*
 * Write rows orders to a Parquet file that must not exist.  Some customers order much more than
 * others, so that there is some skew to see.
 */
sluice_status cli_demo_write(const char *path, uint64_t rows, sluice_error *error);

#endif /* CLI_DEMO_TABLE_H */
