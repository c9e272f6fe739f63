/* What was found, kept and written: see findings.h. */
#include "ctl/doctor/findings.h"

#include "ctl/colour.h"
#include "text/json.h"
#include "text/visible.h"

#include <stdarg.h>

struct finding {
    enum finding_kind kind;
    const char *name;
    const char *text;
    const char *cure; /* NULL: none */
    struct finding *next;
};

/* The column in which every text begins. */
#define INDENT "        "

static const struct {
    const char *text, *json;
    enum colour colour;
} kinds[FINDING_KINDS] = {{"MEND", "mend", COLOUR_RED},
                          {"ADVICE", "advice", COLOUR_YELLOW},
                          {"UNSEEN", "unseen", COLOUR_DIM},
                          {"fine", "fine", COLOUR_GREEN}};

void findings_init(struct findings *findings)
{
    arena_init(&findings->arena, 0);
    findings->first = findings->last = NULL;
}

void findings_free(struct findings *findings)
{
    arena_free(&findings->arena);
    findings->first = findings->last = NULL;
}

void findings_say(struct findings *findings, enum finding_kind kind, const char *name,
                  const char *cure, const char *format, ...)
{
    struct finding *finding = arena_alloc(&findings->arena, sizeof *finding);
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    if (cure != NULL)
        cure = *cure != '\0' ? arena_strdup(&findings->arena, span_cstr(cure)) : NULL;
    *finding = (struct finding){kind, name, strbuf_keep(&text, &findings->arena), cure, NULL};
    if (findings->last == NULL)
        findings->first = finding;
    else
        findings->last->next = finding;
    findings->last = finding;
}

size_t findings_count(const struct findings *findings, enum finding_kind kind)
{
    size_t count = 0;
    for (const struct finding *at = findings->first; at != NULL; at = at->next)
        count += at->kind == kind;
    return count;
}

/* Lines, of which the first begins where we are. */
static void add_lines(struct strbuf *out, const char *lines, const char *indent)
{
    struct span rest = span_cstr(lines);
    for (;;) {
        size_t end = span_find(rest, '\n');
        visible_add(out, span_sub(rest, 0, end));
        strbuf_add_char(out, '\n');
        if (end == rest.n)
            return;
        rest = span_sub(rest, end + 1, rest.n);
        strbuf_add_str(out, indent);
    }
}

static void write_text(const struct finding *finding, bool coloured, struct strbuf *out)
{
    struct span kind = span_cstr(kinds[finding->kind].text);
    colour_add(out, coloured, kinds[finding->kind].colour, kind);
    strbuf_addf(out, "%*s%s: ", (int)(sizeof INDENT - 1 - kind.n), "", finding->name);
    add_lines(out, finding->text, INDENT);
    if (finding->cure == NULL)
        return;
    strbuf_add_str(out, INDENT "type: ");
    add_lines(out, finding->cure, INDENT "      ");
}

static void write_json(const struct finding *finding, struct strbuf *out)
{
    strbuf_addf(out, "{\"kind\":\"%s\",\"name\":\"%s\",\"text\":", kinds[finding->kind].json,
                finding->name);
    json_add_string(out, span_cstr(finding->text));
    if (finding->cure != NULL) {
        strbuf_add_str(out, ",\"cure\":");
        json_add_string(out, span_cstr(finding->cure));
    }
    strbuf_add_str(out, "}\n");
}

void findings_write(const struct findings *findings, enum findings_form form, struct strbuf *out)
{
    for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
        for (const struct finding *at = findings->first; at != NULL; at = at->next) {
            if (at->kind != kind)
                continue;
            if (form == FINDINGS_JSON)
                write_json(at, out);
            else
                write_text(at, form == FINDINGS_COLOURED, out);
        }
    }
}
