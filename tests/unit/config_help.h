/*
 * config_help - loading a configuration from a text in a test
 */
#ifndef MLMILTER_TESTS_CONFIG_HELP_H
#define MLMILTER_TESTS_CONFIG_HELP_H

#include "check.h"

#include "config/settings_load.h"

/* What a test looks at after a load: all messages, each with an LF behind it. */
struct loaded {
    struct settings *settings;
    struct diagnostics diagnostics;
    struct strbuf messages;
};

static inline void loaded_finish(struct loaded *l)
{
    strbuf_init(&l->messages);
    for (size_t i = 0; i < l->diagnostics.count; i++) {
        diagnostics_format(&l->diagnostics, i, &l->messages);
        strbuf_add_char(&l->messages, '\n');
    }
}

/* The main file "/nowhere/t.conf" with this text. */
static inline struct loaded load_span(struct span text)
{
    struct loaded l;
    diagnostics_init(&l.diagnostics);
    l.settings = settings_load_text("/nowhere/t.conf", text, &l.diagnostics);
    loaded_finish(&l);
    return l;
}

static inline struct loaded load_text(const char *text)
{
    return load_span(span_cstr(text));
}

static inline void loaded_free(struct loaded *l)
{
    settings_free(l->settings);
    diagnostics_free(&l->diagnostics);
    strbuf_free(&l->messages);
}

#endif
