/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/random_schemas.c - random schemas, written as texts for test_schema()
 */
#include "arrays.h"

#include <stdarg.h>
#include <stdio.h>

enum { SCHEMA_TEXT_BYTES = 1 << 16, CHILDREN_MAX = 3 };

typedef struct schema_text {
    uint64_t state;
    size_t end;
    char text[SCHEMA_TEXT_BYTES];
} schema_text;

static const char *const flat_types[] = {
    "n",     "b",     "c",     "s",      "i",     "l",     "C",    "S",     "I",     "L",
    "e",     "f",     "g",     "d:9,2,32", "d:18,2,64", "d:38,10", "d:76,10,256",    "tdD",
    "tdm",   "tts",   "ttm",   "ttu",    "ttn",   "tss:",  "tsm:UTC", "tsu:", "tsn:UTC", "tDs",
    "tDn",   "tiM",   "tiD",   "tin",    "w:0",   "w:3",   "w:16", "z",     "Z",     "vz",
    "u",     "U",     "vu",    "u",      "vu"};

static const char index_types[] = "csilCSIL";

__attribute__((format(printf, 2, 3))) static void write_text(schema_text *out, const char *format,
                                                             ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int bytes =
        vsnprintf(out->text + out->end, SCHEMA_TEXT_BYTES - out->end, format, arguments);
    va_end(arguments);
    test_require(bytes >= 0 && out->end + (size_t)bytes < SCHEMA_TEXT_BYTES,
                 "a random schema is too long");
    out->end += (size_t)bytes;
}

static size_t draw_below(schema_text *out, size_t limit)
{
    return (size_t)(test_random_next(&out->state) % limit);
}

static void write_type(schema_text *out, int depth);

/* Children named a, b ... between brackets. */
static void write_children(schema_text *out, size_t count, int depth)
{
    write_text(out, "<");
    for (size_t i = 0; i < count; i++) {
        write_text(out, "%s%c=", i == 0 ? "" : ";", (char)('a' + i));
        write_type(out, depth);
    }
    write_text(out, ">");
}

/* Type ids that are in no order and leave gaps. */
static void write_union(schema_text *out, int depth)
{
    const size_t child_count = 1 + draw_below(out, CHILDREN_MAX);
    size_t id = draw_below(out, 40);

    write_text(out, "+u%c:", "sd"[draw_below(out, 2)]);
    for (size_t i = 0; i < child_count; i++) {
        write_text(out, "%s%zu", i == 0 ? "" : ",", id);
        id = (id + 45) % 128;
    }
    write_children(out, child_count, depth);
}

/* One more level of some kind. */
static void write_nested_type(schema_text *out, int depth)
{
    static const char *const lists[] = {"+l", "+L", "+vl", "+vL"};

    switch (draw_below(out, 8)) {
    case 0:
    case 1:
        write_text(out, "%s", lists[draw_below(out, 4)]);
        write_children(out, 1, depth);
        return;
    case 2:
        write_text(out, "+w:%zu", draw_below(out, 4));
        write_children(out, 1, depth);
        return;
    case 3:
        write_text(out, "+s");
        write_children(out, draw_below(out, CHILDREN_MAX + 1), depth);
        return;
    case 4:
        write_text(out, "+m<entries=+s<key=u!;value=");
        write_type(out, depth);
        write_text(out, ">!>");
        return;
    case 5:
        write_union(out, depth);
        return;
    case 6:
        write_text(out, "%c{", index_types[draw_below(out, sizeof(index_types) - 1)]);
        write_type(out, depth);
        write_text(out, "}");
        return;
    default:
        write_text(out, "+r<run_ends=%c!;values=", "sil"[draw_below(out, 3)]);
        write_type(out, depth);
        write_text(out, ">");
        return;
    }
}

/* A type nested up to depth levels; every third is, where it can be. */
static void write_type(schema_text *out, int depth)
{
    if (depth > 0 && draw_below(out, 3) == 0)
        write_nested_type(out, depth - 1);
    else
        write_text(out, "%s",
                   flat_types[draw_below(out, sizeof(flat_types) / sizeof(flat_types[0]))]);
}

void test_random_schema(uint64_t seed, size_t column_count, int depth_max,
                        struct ArrowSchema *out)
{
    schema_text made = {.state = seed};

    for (size_t i = 0; i < column_count; i++) {
        write_text(&made, "%sc%zu=", i == 0 ? "" : ";", i);
        write_type(&made, depth_max);
    }
    test_schema(made.text, out);
}
