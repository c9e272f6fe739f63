/*
 * list_texts - see list_texts.h
 *
 * A list has two stencils: that of List-Id, since lists that share all else have descriptions of
 * their own, and that of the rest, one behind the other:
 *
 *   rest      = *text text items templates     the other fields, in the order of their names;
 * archive items     = number *( template text text ) templates = number *template template  =
 * number *part part      = number ( number number / text )    struct template_part; VAR_COUNT
 * before a text text      = *OCTET %x00 number    = *%xC0-FF %x80-BF                   64 to each
 * octet, the lowest first
 */
#include "config/lists/list_texts.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "spec/list_id.h"
#include "text/stencil.h"

#include <string.h>

#define RECENT (sizeof((struct recent_stencils *)0)->items / sizeof(const struct span *))

struct span list_texts_field(const struct list_texts *texts, enum field_name name)
{
    if (name < LIST_FIRST_FIELD || name > LIST_LAST_FIELD)
        return span_of(NULL, 0);
    return texts->fields[name - LIST_FIRST_FIELD];
}

/* The longest first, so that they are found as they were meant. */
static struct stencil_values values_of(const struct list *list)
{
    return (struct stencil_values){{list->address, list->id, address_local(list->address),
                                    list_id_label(list->id), address_domain(list->address),
                                    list_id_namespace(list->id)}};
}

/* ---- to stencils ---- */

/* Without the octets that stand for values in a stencil: they would take two each. */
static void write_number(struct strbuf *out, size_t number)
{
    for (; number >= 64; number /= 64)
        strbuf_add_char(out, (char)(192 + number % 64));
    strbuf_add_char(out, (char)(128 + number));
}

static void write_text(struct strbuf *out, struct span text)
{
    strbuf_add_span(out, text);
    strbuf_add_char(out, '\0');
}

static void write_template(struct strbuf *out, const struct template *t)
{
    write_number(out, t->count);
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        write_number(out, part->variable);
        if (part->variable == VAR_COUNT) {
            write_text(out, part->literal);
            continue;
        }
        write_number(out, part->width);
        write_number(out, part->part);
    }
}

static void write_rest(struct strbuf *out, const struct list_texts *texts)
{
    for (int name = LIST_FIRST_FIELD + 1; name <= LIST_LAST_FIELD; name++)
        write_text(out, list_texts_field(texts, (enum field_name)name));
    write_text(out, texts->archive);
    write_number(out, texts->unsubscribe_count);
    for (size_t i = 0; i < texts->unsubscribe_count; i++) {
        write_template(out, &texts->unsubscribe[i].uri);
        write_text(out, texts->unsubscribe[i].before);
        write_text(out, texts->unsubscribe[i].comment);
    }
    write_number(out, texts->archived_at_count);
    for (size_t i = 0; i < texts->archived_at_count; i++)
        write_template(out, &texts->archived_at[i]);
}

static const struct span *new_stencil(struct span text, const struct stencil_values *values,
                                      struct arena *arena)
{
    struct strbuf made = STRBUF_INIT;
    struct span *stencil = arena_alloc(arena, sizeof *stencil);
    stencil_add(&made, text, values);
    *stencil = arena_dup(arena, strbuf_span(&made));
    strbuf_free(&made);
    return stencil;
}

/* Returns a stencil that another list has, or a new one. */
static const struct span *stencil_of(struct span text, const struct stencil_values *values,
                                     struct recent_stencils *recent, struct arena *arena)
{
    size_t at = recent->last;
    for (size_t i = 0; i < RECENT && recent->items[at] != NULL; i++, at = (at + 1) % RECENT) {
        if (stencil_is(*recent->items[at], values, text)) {
            recent->last = at;
            return recent->items[at];
        }
    }
    recent->last = (recent->last + RECENT - 1) % RECENT;
    recent->items[recent->last] = new_stencil(text, values, arena);
    return recent->items[recent->last];
}

void list_texts_keep(struct list *list, const struct list_texts *texts,
                     struct recent_stencils recent[LIST_STENCILS], struct arena *arena)
{
    const struct stencil_values values = values_of(list);
    struct strbuf rest = STRBUF_INIT;
    write_rest(&rest, texts);
    list->stencils[0] = stencil_of(texts->fields[0], &values, &recent[0], arena);
    list->stencils[1] = stencil_of(strbuf_span(&rest), &values, &recent[1], arena);
    strbuf_free(&rest);
}

/* ---- and back ---- */

struct reader {
    const char *p;
    struct arena *arena;
};

static size_t read_number(struct reader *r)
{
    size_t number = 0, unit = 1;
    for (; (unsigned char)*r->p >= 192; unit *= 64)
        number += unit * ((unsigned char)*r->p++ - 192u);
    return number + unit * ((unsigned char)*r->p++ - 128u);
}

static struct span read_text(struct reader *r)
{
    struct span text = span_cstr(r->p);
    r->p += text.n + 1;
    return text;
}

static void read_template(struct reader *r, struct template *t)
{
    size_t count = read_number(r);
    struct template_part *parts = arena_calloc(r->arena, count, sizeof *parts);
    *t = (struct template){.parts = parts, .count = count};
    for (size_t i = 0; i < count; i++) {
        parts[i].variable = (uint8_t)read_number(r);
        if (parts[i].variable == VAR_COUNT) {
            parts[i].literal = read_text(r);
            continue;
        }
        parts[i].width = (uint8_t)read_number(r);
        parts[i].part = (uint8_t)read_number(r);
        t->needs |= VAR_BIT(parts[i].variable);
    }
}

static void read_rest(struct reader *r, struct list_texts *texts)
{
    for (int name = LIST_FIRST_FIELD + 1; name <= LIST_LAST_FIELD; name++)
        texts->fields[name - LIST_FIRST_FIELD] = read_text(r);
    texts->archive = read_text(r);
    texts->unsubscribe_count = read_number(r);
    texts->unsubscribe =
        arena_calloc(r->arena, texts->unsubscribe_count, sizeof *texts->unsubscribe);
    for (size_t i = 0; i < texts->unsubscribe_count; i++) {
        read_template(r, &texts->unsubscribe[i].uri);
        texts->unsubscribe[i].before = read_text(r);
        texts->unsubscribe[i].comment = read_text(r);
    }
    texts->archived_at_count = read_number(r);
    texts->archived_at =
        arena_calloc(r->arena, texts->archived_at_count, sizeof *texts->archived_at);
    for (size_t i = 0; i < texts->archived_at_count; i++)
        read_template(r, &texts->archived_at[i]);
}

void list_texts_of(const struct list *list, struct arena *arena, struct list_texts *texts)
{
    const struct stencil_values values = values_of(list);
    const struct span *id = list->stencils[0], *rest = list->stencils[1];
    size_t length = stencil_length(*id, &values);
    char *text = arena_alloc(arena, length + 1 + stencil_length(*rest, &values));
    stencil_write(*id, &values, text);
    text[length] = '\0';
    stencil_write(*rest, &values, text + length + 1);
    memset(texts, 0, sizeof *texts);
    texts->fields[0] = span_of(text, length);
    struct reader reader = {text + length + 1, arena};
    read_rest(&reader, texts);
}
