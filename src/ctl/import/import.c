/* import - see import.h */
#include "ctl/import/import.h"

#include "ctl/report.h"
#include "mail/address.h"
#include "mail/rfc5322.h"
#include "spec/list_id.h"
#include "spec/phrase.h"
#include "text/array.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <stdarg.h>
#include <stdlib.h>

/* Of an address (RFC 5321 4.5.3.1.3), and of a description: longer ones are texts, no names. */
#define ADDRESS_MAX     254
#define DESCRIPTION_MAX 400

void import_init(struct import *import, const struct import_kind *kind, struct span domain)
{
    *import = (struct import){.kind = kind, .domain = domain};
    arena_init(&import->arena, 65536);
    strmap_init(&import->ids, 0);
    strmap_init(&import->addresses, 0);
}

void import_free(struct import *import)
{
    strmap_free(&import->ids);
    strmap_free(&import->addresses);
    arena_free(&import->arena);
}

/* ---- comments ---- */

/* Writes the text, unless the output failed before, and frees it. */
static void write_text(struct strbuf *text)
{
    if (!output_failed())
        write_more(strbuf_span(text));
    strbuf_free(text);
}

/* Appends a comment, and the text as it is to *plain unless that is NULL. */
static void add_comment(struct strbuf *out, const char *begin, const char *format, va_list ap,
                        struct strbuf *plain)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addv(&text, format, ap);
    strbuf_add_str(out, begin);
    visible_add(out, strbuf_span(&text));
    strbuf_add_char(out, '\n');
    if (plain != NULL)
        strbuf_add_span(plain, strbuf_span(&text));
    strbuf_free(&text);
}

void import_comment(const char *format, ...)
{
    struct strbuf line = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    add_comment(&line, "# ", format, ap, NULL);
    va_end(ap);
    write_text(&line);
}

void import_left_out(struct import *import, const char *format, ...)
{
    struct strbuf line = STRBUF_INIT;
    struct strbuf plain = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    add_comment(&line, "# ", format, ap, &plain);
    va_end(ap);
    write_text(&line);
    report_error("%s", strbuf_str(&plain));
    strbuf_free(&plain);
    import->is_incomplete = true;
}

void section_comment(struct section *section, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    add_comment(&section->lines, "  # ", format, ap, NULL);
    va_end(ap);
}

/* ---- what is in a section ---- */

void section_begin(struct section *section, struct import *import, const char *where)
{
    *section = (struct section){.import = import, .where = where, .manager = import->kind->manager};
}

static void refuse(struct section *section, struct span culprit, const char *fault)
{
    if (section->fault != NULL)
        return;
    section->culprit = culprit;
    section->fault = fault;
}

/* A brace begins a variable of the configuration; quoted local parts, which are legal, no list
 * manager makes. */
static bool is_plain_address(struct span address)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    return address.n <= ADDRESS_MAX && rfc5322_is_dot_atom(local) && rfc5322_is_dot_atom(domain) &&
           span_find(address, '{') == address.n && span_find(address, '}') == address.n;
}

/* LOCAL@DOMAIN in the arena. */
static struct span join(struct section *section, struct span local, const char *suffix,
                        struct span domain)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_add_span(&text, local);
    strbuf_add_str(&text, suffix);
    strbuf_add_char(&text, '@');
    strbuf_add_span(&text, domain);
    size_t n = text.len;
    return span_of(strbuf_keep(&text, &section->import->arena), n);
}

/* No other list may have the address, which is in the arena. */
static void claim(struct section *section, struct span address)
{
    section->claims = array_grow(section->claims, section->claim_count, &section->claim_capacity,
                                 sizeof *section->claims);
    section->claims[section->claim_count++] = address;
}

void section_address(struct section *section, struct span local, struct span domain)
{
    if (domain.n == 0)
        domain = section->import->domain;
    if (domain.n == 0) {
        section->import->lacks_domain = true;
        refuse(section, local, "has no domain (expected --domain DOMAIN)");
        return;
    }
    section->address = join(section, local, "", domain);
    if (!is_plain_address(section->address))
        refuse(section, section->address, "is no address that a list can have");
    claim(section, section->address);
}

void section_alias(struct section *section, struct span address)
{
    struct span kept = join(section, address_local(address), "", address_domain(address));
    for (size_t i = 0; i < section->claim_count; i++)
        if (span_eq_nocase(section->claims[i], kept))
            return;
    if (!is_plain_address(kept) || strmap_get(&section->import->addresses, kept) != NULL) {
        section_comment(section, "aliases: \"%.*s\" is left out, no address or another list's",
                        (int)address.n, address.p);
        section->import->is_incomplete = true;
        return;
    }
    strbuf_add_str(&section->aliases, section->aliases.len > 0 ? ", \"" : "\"");
    strbuf_add_span(&section->aliases, kept);
    strbuf_add_char(&section->aliases, '"');
    claim(section, kept);
}

void section_claim(struct section *section, const char *suffix)
{
    if (section->fault == NULL)
        claim(section, join(section, address_local(section->address), suffix,
                            address_domain(section->address)));
}

void section_set(struct section *section, const char *key, const char *value)
{
    strbuf_addf(&section->lines, "  %s = %s\n", key, value);
}

/* What was not UTF-8 most often is ISO 8859-1; in Windows-1252 the characters that differ are
 * quotes and dashes, which become "?". */
static void add_latin1(struct strbuf *out, struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c >= 0x80) {
            strbuf_add_char(out, (char)(0xC0 | c >> 6));
            strbuf_add_char(out, (char)(0x80 | (c & 0x3F)));
        } else {
            strbuf_add_char(out, (char)c);
        }
    }
}

/* Appends a text in double quotes. A brace cannot be escaped. Was any character replaced? */
static bool add_quoted(struct strbuf *out, struct span text)
{
    bool replaced = false;
    struct span character;
    strbuf_add_char(out, '"');
    while (text.n > 0) {
        bool visible = visible_next(&text, &character);
        char c = character.p[0];
        replaced = replaced || !visible || c == '{' || c == '}';
        if (c == '"' || c == '\\')
            strbuf_add_char(out, '\\');
        if (!visible)
            strbuf_add_char(out, '?');
        else if (c == '{' || c == '}')
            strbuf_add_char(out, c == '{' ? '(' : ')');
        else
            strbuf_add_span(out, character);
    }
    strbuf_add_str(out, "\"\n");
    return replaced;
}

void section_description(struct section *section, struct span text)
{
    struct strbuf utf8 = STRBUF_INIT;
    bool is_utf8 = utf8_is_valid(text);
    text = span_trim(text);
    if (text.n == 0 || text.n > DESCRIPTION_MAX || phrase_seems_encoded(text)) {
        section_comment(section, "description: %s%.*s",
                        text.n == 0                ? "not known"
                        : text.n > DESCRIPTION_MAX ? "left out, too long: "
                                                   : "left out, encoded (RFC 2047): ",
                        (int)(text.n > 60 ? 60 : text.n), text.p);
        return;
    }
    if (is_utf8)
        strbuf_add_span(&utf8, text);
    else
        add_latin1(&utf8, text);
    strbuf_add_str(&section->lines, "  description = ");
    bool replaced = add_quoted(&section->lines, strbuf_span(&utf8));
    if (!is_utf8)
        section_comment(section, "description: was not UTF-8, read as ISO 8859-1");
    if (replaced)
        section_comment(section, "description: it has characters that cannot stand in one");
    strbuf_free(&utf8);
}

bool section_list_id(struct section *section, struct span value)
{
    struct span id;
    struct strbuf words = STRBUF_INIT;
    if (!list_id_read(value, &section->import->arena, &id) || list_id_fault(id) != NULL ||
        span_find(id, '{') < id.n)
        return false;
    section->id = arena_dup(&section->import->arena, id);
    struct span phrase = span_sub(value, 0, span_find(value, '<'));
    for (size_t i = 0; i < phrase.n; i++) { /* quotes undone */
        if (phrase.p[i] == '\\' && i + 1 < phrase.n)
            i++;
        else if (phrase.p[i] == '"')
            continue;
        strbuf_add_char(&words, phrase.p[i]);
    }
    section_description(section, strbuf_span(&words));
    strbuf_free(&words);
    return true;
}

/* ---- the end of a section ---- */

/* Is it a list that no other is in the way of? Remembers it. */
static void enter(struct section *section)
{
    struct import *import = section->import;
    for (size_t i = 0; i < section->claim_count; i++)
        if (strmap_get(&import->addresses, section->claims[i]) != NULL)
            refuse(section, section->claims[i],
                   "is the address of a list above, or of its manager");
    if (strmap_get(&import->ids, section->id) != NULL)
        refuse(section, section->id, "is the id of a list above");
    if (section->fault != NULL)
        return;
    strmap_put(&import->ids, section->id, import, NULL);
    for (size_t i = 0; i < section->claim_count; i++)
        strmap_put(&import->addresses, section->claims[i], import, NULL);
}

/* The id, made from the address where there is none. */
static void set_id(struct section *section)
{
    struct span local = address_local(section->address);
    struct span domain = address_domain(section->address);
    struct strbuf id = STRBUF_INIT;
    if (section->id.n > 0)
        return;
    strbuf_add_span(&id, local);
    strbuf_add_char(&id, '.');
    strbuf_add_span(&id, domain);
    size_t n = id.len;
    section->id = span_of(strbuf_keep(&id, &section->import->arena), n);
}

static void print(const struct section *section, struct strbuf *out)
{
    strbuf_add_str(out, "\nlist \"");
    strbuf_add_span(out, section->id);
    strbuf_add_str(out, "\" {\n  address = \"");
    strbuf_add_span(out, section->address);
    strbuf_add_str(out, "\"\n");
    if (section->aliases.len > 0)
        strbuf_addf(out, "  aliases = {%s}\n", strbuf_str(&section->aliases));
    if (section->manager != NULL)
        strbuf_addf(out, "  manager = \"%s\"\n", section->manager);
    strbuf_add_span(out, strbuf_span(&section->lines));
    strbuf_add_str(out, "}\n");
}

void section_end(struct section *section)
{
    struct import *import = section->import;
    struct strbuf out = STRBUF_INIT;
    if (section->fault == NULL) {
        set_id(section);
        const char *fault = list_id_fault(section->id);
        if (fault == NULL && span_find(section->id, '{') < section->id.n)
            fault = "has a brace";
        if (fault != NULL)
            refuse(section, section->id, fault);
        else
            enter(section);
    }
    if (section->fault != NULL) {
        import_left_out(import, "%s: left out: \"%.*s\" %s", section->where,
                        (int)section->culprit.n, section->culprit.p, section->fault);
    } else {
        print(section, &out);
        write_text(&out);
        import->lists++;
    }
    strbuf_free(&section->lines);
    strbuf_free(&section->aliases);
    free(section->claims);
}
