/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/inputs.c - see cli/inputs.h
 */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "manifest.h"
#include "memory.h"
#include "message.h"

/* Folders below folders; a loop of links ends here. */
enum { DEPTH_MAX = 64 };

static void add_path(cli_input_list *list, char *path)
{
    list->paths = cli_make_room(list->paths, list->count, sizeof *list->paths);
    list->paths[list->count++] = path;
}

void cli_inputs_deinit(cli_input_list *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        cli_free(inputs->paths[i]);
    cli_free(inputs->paths);
    *inputs = (cli_input_list){0};
}

static char *join_path(const char *directory, const char *name)
{
    const size_t bytes = strlen(directory);
    if (bytes == 0)
        return cli_copy_string(name);
    return cli_format(directory[bytes - 1] == '/' ? "%s%s" : "%s/%s", directory, name);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The names in a directory, sorted; "" is the current one. */
static int list_names(const char *directory, cli_input_list *out)
{
    DIR *const stream = opendir(*directory ? directory : ".");
    if (!stream)
        return cli_error(CLI_FAILED, "%s: cannot be listed: %s", directory, strerror(errno));
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            add_path(out, cli_copy_string(entry->d_name));
    const int failure = errno;
    closedir(stream);
    if (failure != 0) {
        cli_inputs_deinit(out);
        return cli_error(CLI_FAILED, "%s: cannot be listed: %s", directory, strerror(failure));
    }
    if (out->count > 1)
        qsort(out->paths, out->count, sizeof *out->paths, compare_names);
    return CLI_DONE;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int add_directory(const char *directory, int depth, cli_input_list *out)
{
    if (depth > DEPTH_MAX)
        return cli_error(CLI_FAILED, "%s: more than %d folders deep; a loop of links?", directory,
                         DEPTH_MAX);
    if (depth == 0 && cli_manifest_exists(directory))
        return cli_manifest_list_files(directory, out);
    cli_input_list names = {0};
    int code = list_names(directory, &names);
    for (size_t i = 0; i < names.count && code == CLI_DONE; i++) {
        if (names.paths[i][0] == '_' || names.paths[i][0] == '.')
            continue;
        char *const path = join_path(directory, names.paths[i]);
        if (!is_directory(path)) {
            add_path(out, path);
            continue;
        }
        code = add_directory(path, depth + 1, out);
        cli_free(path);
    }
    cli_inputs_deinit(&names);
    return code;
}

int cli_inputs_list_directory(const char *directory, cli_input_list *out)
{
    return add_directory(directory, 1, out);
}

static bool has_wildcard(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

/* A wildcard does not match what a directory would skip, unless it begins with that character. */
static bool component_matches(const char *pattern, const char *name)
{
    if ((name[0] == '_' || name[0] == '.') && pattern[0] != name[0])
        return false;
    return fnmatch(pattern, name, FNM_PERIOD) == 0;
}

static int add_matches(const char *directory, const char *pattern, int depth,
                       cli_input_list *out);

/* Match one wildcard component in a directory and the rest of the pattern below. */
static int add_matches_in(const char *directory, const char *component, const char *rest,
                          int depth, cli_input_list *out)
{
    const bool is_any_depth = strcmp(component, "**") == 0;
    cli_input_list names = {0};
    if (*directory && !is_directory(directory))
        return CLI_DONE;
    int code = list_names(directory, &names);
    for (size_t i = 0; i < names.count && code == CLI_DONE; i++) {
        const char *const name = names.paths[i];
        if (!component_matches(is_any_depth ? "*" : component, name))
            continue;
        char *const path = join_path(directory, name);
        if (is_any_depth && is_directory(path)) {
            char *const again = cli_format("**/%s", rest);
            code = add_matches(path, again, depth + 1, out);
            cli_free(again);
        } else if (!is_any_depth && *rest) {
            code = add_matches(path, rest, depth + 1, out);
        } else if (!is_any_depth && is_directory(path)) {
            code = add_directory(path, depth + 1, out);
        } else if (!is_any_depth) {
            add_path(out, cli_copy_string(path));
        }
        cli_free(path);
    }
    cli_inputs_deinit(&names);
    return code;
}

static int add_matches(const char *directory, const char *pattern, int depth, cli_input_list *out)
{
    if (depth > DEPTH_MAX)
        return cli_error(CLI_FAILED, "%s: more than %d folders deep; a loop of links?", directory,
                         DEPTH_MAX);
    const size_t bytes = strcspn(pattern, "/");
    const char *const rest = pattern[bytes] ? pattern + bytes + 1 : "";
    char *const component = cli_format("%.*s", (int)bytes, pattern);
    int code = CLI_DONE;
    if (strcmp(component, "**") == 0) {
        /* No folder at all first, then each folder. */
        code = add_matches(directory, *rest ? rest : "*", depth + 1, out);
        if (code == CLI_DONE)
            code = add_matches_in(directory, component, *rest ? rest : "*", depth, out);
    } else if (has_wildcard(component)) {
        code = add_matches_in(directory, component, rest, depth, out);
    } else {
        char *const path = join_path(directory, component);
        struct stat status;
        if (*rest)
            code = add_matches(path, rest, depth + 1, out);
        else if (stat(path, &status) == 0)
            add_path(out, cli_copy_string(path));
        cli_free(path);
    }
    cli_free(component);
    return code;
}

static int add_operand(const char *operand, cli_input_list *out)
{
    struct stat status;
    if (strcmp(operand, "-") == 0 || (stat(operand, &status) == 0 && !S_ISDIR(status.st_mode))) {
        add_path(out, cli_copy_string(operand));
        return CLI_DONE;
    }
    const size_t count = out->count;
    int code;
    if (is_directory(operand)) {
        code = add_directory(operand, 0, out);
        if (code == CLI_DONE && out->count == count && !cli_manifest_exists(operand))
            code = cli_error(CLI_FAILED, "%s: no files in this directory", operand);
        return code;
    }
    if (!has_wildcard(operand))
        return cli_error(CLI_FAILED, "%s: cannot be read: %s", operand, strerror(errno));
    const bool is_absolute = operand[0] == '/';
    code = add_matches(is_absolute ? "/" : "", operand + is_absolute, 0, out);
    if (code == CLI_DONE && out->count == count)
        code = cli_error(CLI_FAILED, "%s: no file matches", operand);
    return code;
}

static int add_lines(const char *name, cli_input_list *out)
{
    FILE *const file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    if (!file)
        return cli_error(CLI_FAILED, "--files-from %s: cannot be read: %s", name, strerror(errno));
    char *line = NULL;
    size_t capacity = 0;
    int code = CLI_DONE;
    for (ssize_t bytes; code == CLI_DONE && (bytes = getline(&line, &capacity, file)) >= 0;) {
        while (bytes > 0 && (line[bytes - 1] == '\n' || line[bytes - 1] == '\r'))
            line[--bytes] = '\0';
        if (bytes > 0)
            code = add_operand(line, out);
    }
    if (code == CLI_DONE && ferror(file))
        code = cli_error(CLI_FAILED, "--files-from %s: cannot be read: %s", name, strerror(errno));
    free(line);
    if (file != stdin)
        fclose(file);
    return code;
}

static int check_standard_input(const cli_input_list *list, const char *files_from)
{
    size_t count = files_from && strcmp(files_from, "-") == 0;
    for (size_t i = 0; i < list->count; i++)
        count += strcmp(list->paths[i], "-") == 0;
    return count > 1 ? cli_error(CLI_USAGE, "-: standard input is named %zu times", count)
                     : CLI_DONE;
}

int cli_inputs_expand(const char *const *operands, size_t operand_count, const char *files_from,
                      cli_input_list *out)
{
    *out = (cli_input_list){0};
    int code = CLI_DONE;
    for (size_t i = 0; i < operand_count && code == CLI_DONE; i++)
        code = add_operand(operands[i], out);
    if (code == CLI_DONE && files_from)
        code = add_lines(files_from, out);
    if (code == CLI_DONE)
        code = check_standard_input(out, files_from);
    if (code == CLI_DONE && out->count == 0)
        code = cli_error(CLI_USAGE, "no input: name a file, a directory, a glob or -");
    if (code != CLI_DONE)
        cli_inputs_deinit(out);
    return code;
}

/* The real path of a directory that need not exist yet; NULL when not even its parent does. */
static char *resolve_output(const char *output)
{
    char *const direct = realpath(output, NULL);
    if (direct)
        return direct;
    char *const copy = cli_copy_string(output);
    size_t bytes = strlen(copy);
    while (bytes > 1 && copy[bytes - 1] == '/')
        copy[--bytes] = '\0';
    char *const slash = strrchr(copy, '/');
    const char *const name = slash ? slash + 1 : copy;
    char *parent = NULL;
    if (!slash)
        parent = realpath(".", NULL);
    else if (slash == copy)
        parent = cli_copy_string("/");
    else {
        *slash = '\0';
        parent = resolve_output(copy);
    }
    char *const resolved = parent ? join_path(parent, name) : NULL;
    free(parent);
    cli_free(copy);
    return resolved;
}

static bool lies_in(const char *path, const char *directory)
{
    const size_t bytes = strlen(directory);
    if (strcmp(directory, "/") == 0)
        return true;
    return strncmp(path, directory, bytes) == 0 && (path[bytes] == '/' || !path[bytes]);
}

int cli_inputs_check_output(const char *const *operands, size_t operand_count,
                            const cli_input_list *inputs, const char *output)
{
    char *const target = resolve_output(output);
    int code = CLI_DONE;
    if (!target)
        return cli_error(CLI_FAILED, "%s: %s", output, strerror(errno));
    for (size_t i = 0; i < operand_count && code == CLI_DONE; i++) {
        char *const source = is_directory(operands[i]) ? realpath(operands[i], NULL) : NULL;
        if (source && lies_in(target, source))
            code = cli_error(CLI_USAGE, "%s: the output lies inside the input %s", output,
                             operands[i]);
        free(source);
    }
    for (size_t i = 0; i < inputs->count && code == CLI_DONE; i++) {
        char *const source = realpath(inputs->paths[i], NULL);
        if (source && lies_in(source, target))
            code = cli_error(CLI_USAGE, "%s: the input %s lies inside the output", output,
                             inputs->paths[i]);
        free(source);
    }
    free(target);
    return code;
}
