/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal.c - see cli/terminal.h
 */
#include "terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, COLUMNS_MIN = 40, COLUMNS_MAX = 400 };

int cli_terminal_columns(FILE *file)
{
    uint64_t columns = 0;
    const char *const variable = getenv("COLUMNS");
    if (!variable || !cli_parse_count(variable, &columns) || columns == 0) {
        struct winsize size = {0};
        columns = COLUMNS_DEFAULT;
        if (isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            columns = size.ws_col;
    }
    if (columns > COLUMNS_MAX)
        return COLUMNS_MAX;
    return columns < COLUMNS_MIN ? COLUMNS_MIN : (int)columns;
}

static bool terminal_is_dumb(void)
{
    const char *const terminal = getenv("TERM");
    return terminal && strcmp(terminal, "dumb") == 0;
}

bool cli_terminal_is_utf8(void)
{
    return strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0 && !terminal_is_dumb();
}

bool cli_terminal_has_colour(FILE *file)
{
    const char *const no_colour = getenv("NO_COLOR");
    return isatty(fileno(file)) && !terminal_is_dumb() && (!no_colour || !*no_colour);
}

/* value / value_max of scale, rounded; not 0 unless value is. */
static int scaled(uint64_t value, uint64_t value_max, int scale)
{
    if (value == 0 || value_max == 0)
        return 0;
    const double share = (double)value / (double)value_max;
    const int result = (int)(share * scale + 0.5);
    return result < 1 ? 1 : result > scale ? scale : result;
}

void cli_draw_bar(cli_text *text, uint64_t value, uint64_t value_max, int columns, bool is_utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int drawn = 0;
    if (is_utf8) {
        const int length = scaled(value, value_max, columns * 8);
        for (; drawn < length / 8; drawn++)
            cli_text_append_string(text, "█");
        cli_text_append_string(text, eighths[length % 8]);
        drawn += length % 8 != 0;
    } else {
        const int length = scaled(value, value_max, columns);
        for (; drawn < length; drawn++)
            cli_text_append_string(text, "#");
    }
    cli_text_append_format(text, "%*s", columns - drawn, "");
}

void cli_draw_line(cli_text *text, const uint64_t *values, size_t count, int columns, bool is_utf8)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    uint64_t value_max = 0;
    for (size_t i = 0; i < count; i++)
        value_max = values[i] > value_max ? values[i] : value_max;
    const size_t width = count < (size_t)columns ? count : (size_t)columns;
    for (size_t column = 0; column < width; column++) {
        uint64_t largest = 0;
        for (size_t i = column * count / width; i < (column + 1) * count / width; i++)
            largest = values[i] > largest ? values[i] : largest;
        const int level = scaled(largest, value_max, 8);
        cli_text_append_string(text, is_utf8 ? blocks[level] : plain[level]);
    }
}
