/* raw_section - checks that need no other value, and the order section, defaults, built-in. */
#include "config/syntax/raw_section.h"

#include "config/report/say.h"
#include "text/ascii.h"
#include "text/strbuf.h"
#include "text/utf8.h"

#include <string.h>

static const char *text_fault(struct span text)
{
    bool ascii = true;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] >= ' ' && text.p[i] < 0x7f)
            continue;
        if (text.p[i] == '\n' || text.p[i] == '\r')
            return "holds a line end (expected text on one line)";
        if (ascii_is_control(text.p[i]))
            return "holds a control character (expected text)";
        ascii = false;
    }
    return ascii || utf8_is_valid(text) ? NULL : "is not valid UTF-8 (expected text in UTF-8)";
}

static void wrong_choice(const struct raw_section *raw, enum key key, const struct raw_item *item,
                         struct diagnostics *d)
{
    struct strbuf fault = STRBUF_INIT;
    const char *const *choices = schema[key].choices;
    const char *meant = schema_nearest_choice(key, item->text);
    if (meant != NULL) {
        say(d, SEVERITY_ERROR, place_of(raw->file, item->line, schema[key].name), item->text,
            "is not understood (did you mean \"%s\"?)", meant);
        return;
    }
    strbuf_add_str(&fault, "is not understood (expected ");
    for (int i = 0; choices[i] != NULL; i++) {
        const char *before = i == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ";
        strbuf_addf(&fault, "%s\"%s\"", before, choices[i]);
    }
    strbuf_add_char(&fault, ')');
    say(d, SEVERITY_ERROR, place_of(raw->file, item->line, schema[key].name), item->text, "%s",
        strbuf_str(&fault));
    strbuf_free(&fault);
}

static bool item_is_fine(const struct raw_section *raw, enum key key, const struct raw_item *item,
                         struct diagnostics *d)
{
    struct place place = place_of(raw->file, item->line, schema[key].name);
    const char *fault = text_fault(item->text);
    bool ignored;
    if (fault == NULL && schema[key].kind == KIND_BOOL && !schema_bool(item->text, &ignored))
        fault = "is not understood (expected true or false)";
    if (fault != NULL && key == KEY_STORE) {
        /* It may hold a password. */
        say(d, SEVERITY_ERROR, place, NO_VALUE, "%s", fault);
        return false;
    }
    if (fault != NULL) {
        say(d, SEVERITY_ERROR, place, item->text, "%s", fault);
        return false;
    }
    if (schema[key].kind == KIND_CHOICE && schema_choice(key, item->text) < 0) {
        wrong_choice(raw, key, item, d);
        return false;
    }
    return true;
}

void raw_section_read(struct raw_section *raw, const struct section *section,
                      struct diagnostics *diagnostics)
{
    *raw =
        (struct raw_section){.file = section->file, .line = section->line, .title = section->title};
    for (size_t i = 0; i < section->count; i++) {
        const struct raw_item *item = &section->items[i];
        struct raw_value *value = &raw->values[item->key];
        value->set = true;
        value->items = value->items == NULL ? item : value->items; /* "{}" has a line, too */
        if (item->text.p == NULL)
            continue;
        value->count++;
        if (!item_is_fine(raw, item->key, item, diagnostics))
            value->wrong = true;
    }
}

const struct raw_value *raw_value_find(const struct raw_section *raw,
                                       const struct raw_section *defaults, enum key key)
{
    const struct raw_value *value = &raw->values[key];
    if (!value->set && defaults != NULL)
        value = &defaults->values[key];
    return value->set && !value->wrong ? value : NULL;
}

static struct span single(const struct raw_section *raw, const struct raw_section *defaults,
                          enum key key)
{
    const struct raw_value *value = raw_value_find(raw, defaults, key);
    return value != NULL && value->count == 1 ? value->items[0].text
                                              : span_cstr(schema[key].fallback);
}

bool raw_bool(const struct raw_section *raw, const struct raw_section *defaults, enum key key)
{
    bool value = false;
    schema_bool(single(raw, defaults, key), &value);
    return value;
}

int raw_choice(const struct raw_section *raw, const struct raw_section *defaults, enum key key)
{
    return schema_choice(key, single(raw, defaults, key));
}
