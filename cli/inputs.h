/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/inputs.h - from what stands on a command line to a list of files
 *
 * A name is a file, a directory, a glob (** is any number of folders) or - for standard input.  A
 * directory stands for the files below it in the order of their names; those that begin with _ or
 * . are never opened.  A data set of ours stands for the files its manifest names.
 */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <stddef.h>

typedef struct cli_input_list {
    char **paths;
    size_t count;
} cli_input_list;

/*
 * Expand operands, then the lines of files_from (NULL: none; - is standard input).  0, or the exit
 * code after a message.
 */
int cli_inputs_expand(const char *const *operands, size_t operand_count, const char *files_from,
                      cli_input_list *out);
void cli_inputs_deinit(cli_input_list *inputs);

/* Add the files that lie in a directory, at any depth, whether a manifest names them or not. */
int cli_inputs_list_directory(const char *directory, cli_input_list *out);

/* Refuse an output directory that is, or lies in, one of the operands, or that holds an input. */
int cli_inputs_check_output(const char *const *operands, size_t operand_count,
                            const cli_input_list *inputs, const char *output);

#endif /* CLI_INPUTS_H */
