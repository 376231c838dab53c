/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/keys.c - see cli/keys.h
 */
#include "keys.h"

#include <string.h>

#include "memory.h"
#include "message.h"
#include "text.h"

bool cli_next_field(const char **text, const char *ends, cli_field *out)
{
    const char *at = *text;
    if (*at != '"') {
        const size_t bytes = strcspn(at, ends);
        out->text = cli_format("%.*s", (int)bytes, at);
        out->is_quoted = false;
        *text = at + bytes;
        return true;
    }
    cli_text unquoted = {0};
    cli_text_append_string(&unquoted, "");
    for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
        cli_text_append(&unquoted, at, 1);
        at += *at == '"';
    }
    if (*at != '"' || (at[1] && !strchr(ends, at[1]))) {
        cli_text_deinit(&unquoted);
        return false;
    }
    out->text = unquoted.bytes;
    out->is_quoted = true;
    *text = at + 1;
    return true;
}

static bool word_is(const char *text, size_t bytes, const char *word)
{
    return bytes == strlen(word) && memcmp(text, word, bytes) == 0;
}

/* Read ":desc:nulls-last" at *text into the key. */
static int parse_order(const char *flag, const char **text, bool is_ordered, cli_key *key)
{
    while (**text == ':') {
        const char *const word = *text + 1;
        const size_t bytes = strcspn(word, ":,");
        if (!is_ordered)
            return cli_error(CLI_USAGE, "--%s: %s:%.*s: only range keys have an order", flag,
                             key->name, (int)bytes, word);
        if (word_is(word, bytes, "asc") || word_is(word, bytes, "desc"))
            key->descending = *word == 'd';
        else if (word_is(word, bytes, "nulls-first") || word_is(word, bytes, "nulls-last"))
            key->nulls_first = word_is(word, bytes, "nulls-first");
        else
            return cli_error(CLI_USAGE,
                             "--%s: %s:%.*s: must be asc, desc, nulls-first or nulls-last", flag,
                             key->name, (int)bytes, word);
        key->is_ordered = true;
        *text = word + bytes;
    }
    return CLI_DONE;
}

static int parse_key(const char *flag, const char **text, bool is_ordered, cli_key_list *out)
{
    cli_field field;
    if (!cli_next_field(text, ",:", &field))
        return cli_error(CLI_USAGE, "--%s: a quote is not closed, or text follows it: %s", flag,
                         *text);
    out->keys = cli_make_room(out->keys, out->count, sizeof *out->keys);
    cli_key *const key = &out->keys[out->count++];
    *key = (cli_key){.name = field.text, .nulls_first = true};
    if (!field.is_quoted && strpbrk(field.text, "()"))
        return cli_error(CLI_USAGE, "--%s: %s: functions of a column are not in this version; a "
                                    "name with a parenthesis is quoted \"...\"",
                         flag, field.text);
    if (!field.is_quoted && !*field.text)
        return cli_error(CLI_USAGE, "--%s: a name is empty", flag);
    for (size_t i = 0; i + 1 < out->count; i++)
        if (strcmp(out->keys[i].name, key->name) == 0)
            return cli_error(CLI_USAGE, "--%s: %s is named twice", flag, key->name);
    return parse_order(flag, text, is_ordered, key);
}

int cli_keys_parse(const char *flag, const char *text, bool is_ordered, cli_key_list *out)
{
    *out = (cli_key_list){0};
    for (;;) {
        const int code = parse_key(flag, &text, is_ordered, out);
        if (code != CLI_DONE) {
            cli_keys_deinit(out);
            return code;
        }
        if (!*text)
            return CLI_DONE;
        text++;
    }
}

void cli_keys_deinit(cli_key_list *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        cli_free(keys->keys[i].name);
    cli_free(keys->keys);
    *keys = (cli_key_list){0};
}

const char **cli_keys_names(const cli_key_list *keys)
{
    const char **const names = cli_allocate((keys->count + 1) * sizeof *names);
    for (size_t i = 0; i < keys->count; i++)
        names[i] = keys->keys[i].name;
    return names;
}
