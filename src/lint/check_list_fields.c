/* check_list_fields - see check_list_fields.h */
#include "lint/check_list_fields.h"

#include "lint/check_uri.h"
#include "spec/list_fields.h"
#include "spec/uri.h"

/* Why reading ended, where that is wrong. */
static void find_end(struct lint_context *c, enum field_name name, size_t place, size_t items,
                     enum list_field_end end)
{
    switch (end) {
    case LIST_FIELD_DONE:
        break;
    case LIST_FIELD_COMMENT_IS_OPEN:
        lint_find(c->findings, LINT_COMMENT_OPEN, name, place,
                  "has a comment that is not closed: what follows is ignored");
        break;
    case LIST_FIELD_BRACKET_IS_OPEN:
        lint_find(c->findings, LINT_COMMENT_OPEN, name, place,
                  "has an angle bracket that is not closed: what follows is ignored");
        break;
    case LIST_FIELD_NO_BRACKET:
        if (items > 0)
            lint_find(c->findings, LINT_IGNORED, name, place,
                      "has no \"<\" after a comma: what follows is ignored");
        else
            lint_find(c->findings, LINT_BRACKETS, name, place,
                      "does not begin with \"<\", so mail programs ignore all of it");
        break;
    case LIST_FIELD_TEXT_BEHIND:
        lint_find(c->findings, LINT_IGNORED, name, place,
                  "has something other than a comma after a URI: what follows is ignored");
        break;
    }
}

void lint_check_list_field(struct lint_context *c, size_t place)
{
    enum field_name name = header_field(&c->message->header, place).id;
    struct span text = lint_text(c, place), uri;
    struct cursor cursor = cursor_of(text);
    enum list_field_end end = LIST_FIELD_DONE;
    bool first = true, has_mailto = false;
    size_t items = 0;
    if (name == FIELD_LIST_POST && list_field_is_no(text))
        return;
    while (list_field_next_item(&cursor, &first, c->arena, &uri, &end)) {
        items++;
        /* What was read without blanks stands in the text itself. */
        if (uri.p != cursor.p - 1 - uri.n)
            lint_find_uri_space(c, name, place);
        lint_check_uri(c, name, place, uri);
        has_mailto = has_mailto || uri_has_scheme(uri, "mailto");
    }
    find_end(c, name, place, items, end);
    if (items == 0 && end == LIST_FIELD_NO_BRACKET)
        lint_suggest_brackets(c, text);
    if (items > 0 && !has_mailto && name != FIELD_LIST_ARCHIVE)
        lint_find(c->findings, LINT_NO_MAILTO, name, place,
                  "has no mailto: URI, which mail programs without a browser could use");
}
