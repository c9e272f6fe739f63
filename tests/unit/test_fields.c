/* The functions of spec/ that read and make values of fields and addresses: fields.txt has their
 * cases. */
#include "table.h"

#include "mail/message.h"
#include "spec/archived_at.h"
#include "spec/dkim_signature.h"
#include "spec/list_fields.h"
#include "spec/mailbox.h"
#include "spec/owned_fields.h"

/* ---- the fields of URIs ---- */

/* "(before) <URI> (comment)", or the fault. */
static void split(const struct span *in, struct strbuf *out)
{
    struct list_item item;
    const char *fault = list_item_split(in[0], &item);
    if (fault != NULL) {
        strbuf_add_str(out, fault);
        return;
    }
    strbuf_add_span(out, item.before);
    if (item.is_no)
        table_add_item(out, " ", span_cstr("NO"));
    else
        strbuf_addf(out, "%s<%.*s>", out->len > 0 ? " " : "", (int)item.uri.n, item.uri.p);
    if (item.comment.n > 0)
        table_add_item(out, " ", item.comment);
}

/* FIELD | ITEM ... */
static void render(const struct span *in, struct strbuf *out)
{
    struct list_item items[TABLE_ARGUMENTS];
    size_t count = 0;
    for (; in[count + 1].p != NULL; count++)
        check_str("split", NULL, list_item_split(in[count + 1], &items[count]));
    list_field_render(out, in[0], items, count);
}

/* The URIs in brackets, then the text that is ignored. */
static void next_uri(const struct span *in, struct strbuf *out)
{
    struct cursor c = cursor_of(in[0]);
    struct span uri;
    bool first = true;
    while (list_field_next_uri(&c, &first, &table_arena, &uri))
        strbuf_addf(out, "[%.*s]", (int)uri.n, uri.p);
    check_bool("none after the end", false, list_field_next_uri(&c, &first, &table_arena, &uri));
    strbuf_add_span(out, cursor_rest(&c));
}

static void one_click(const struct span *in, struct strbuf *out)
{
    struct web_items web = {0, 0};
    for (; in->p != NULL; in++)
        web_items_count(&web, *in);
    table_add_bool(out, web_items_allow_one_click(&web));
}

/* ---- Archived-At ---- */

static void content_kind(const struct span *in, struct strbuf *out)
{
    static const char *const kinds[] = {[CONTENT_OTHER] = "other",
                                        [CONTENT_FIRST_FRAGMENT] = "first fragment",
                                        [CONTENT_FRAGMENT] = "fragment",
                                        [CONTENT_DIGEST] = "digest"};
    strbuf_add_str(out, kinds[archived_at_content_kind(in[0])]);
}

/* FIELD ... */
static void wish(const struct span *in, struct strbuf *out)
{
    struct header header;
    header_init(&header);
    for (; in->p != NULL; in++) {
        size_t n = span_find(*in, ':');
        header_add(&header, span_sub(*in, 0, n), span_sub(*in, n + 1, in->n), 0);
    }
    enum field_name name = archived_at_wish(&header, &table_arena);
    strbuf_add_str(out, name == FIELD_OTHER ? "other" : field_name_text(name));
    header_free(&header);
}

/* ---- owned fields ---- */

static void is_owned(const struct span *in, struct strbuf *out)
{
    table_add_bool(out, owned_field_find(field_name_find(in[0])) != NULL);
}

/* FIELD | VALUE */
static void is_readable(const struct span *in, struct strbuf *out)
{
    const struct owned_field *field = owned_field_find(field_name_find(in[0]));
    assert_non_null(field);
    table_add_bool(out, owned_field_is_readable(field, in[1], &table_arena));
}

/* ---- signatures ---- */

/* VALUE | FIELD */
static void signed_count(const struct span *in, struct strbuf *out)
{
    size_t counts[FIELD_NAME_COUNT];
    dkim_signed_counts(in[0], counts);
    strbuf_addf(out, "%zu", counts[field_name_find(in[1])]);
}

static void signer(const struct span *in, struct strbuf *out)
{
    struct span domain = dkim_domain(in[0]);
    check_bool("a part of the value", true,
               domain.p >= in[0].p && domain.p + domain.n <= in[0].p + in[0].n);
    strbuf_add_span(out, domain);
}

static void is_aligned(const struct span *in, struct strbuf *out)
{
    table_add_bool(out, dkim_is_aligned(in[0], in[1]));
}

/* ---- addresses ---- */

static void mailboxes(const struct span *in, struct strbuf *out)
{
    struct cursor c = cursor_of(in[0]);
    struct span box;
    while (mailbox_next(&c, &table_arena, &box))
        table_add_item(out, " | ", box);
}

static void mailto(const struct span *in, struct strbuf *out)
{
    struct span found[3];
    size_t count = 0;
    mailboxes_of_mailto(in[0], &table_arena, found, CHECK_COUNT(found), &count);
    for (size_t i = 0; i < count; i++)
        table_add_item(out, " | ", found[i]);
}

static void test_owned_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < owned_field_count; i++)
        assert_ptr_equal(owned_field_find(owned_fields[i].name), &owned_fields[i]);
    assert_null(owned_field_find(FIELD_NAME_COUNT));
}

int main(void)
{
    static const struct table_function functions[] = {
        {"list_item_split", .call = split},
        {"list_field_render", .call = render, .most = TABLE_ARGUMENTS},
        {"list_field_next_uri", .call = next_uri},
        {"list_field_is_no", .is = list_field_is_no},
        {"web_items_allow_one_click", .call = one_click, .most = TABLE_ARGUMENTS},
        {"archived_at_uri", .make = archived_at_uri},
        {"archived_at_content_kind", .call = content_kind},
        {"archived_at_wish", .call = wish, .most = TABLE_ARGUMENTS},
        {"owned_field_find", .call = is_owned},
        {"owned_field_is_readable", .call = is_readable, .least = 2},
        {"dkim_signed_counts", .call = signed_count, .least = 2},
        {"dkim_domain", .call = signer},
        {"dkim_is_aligned", .call = is_aligned, .least = 2},
        {"mailbox_of", .make = mailbox_of},
        {"mailbox_of with libidn2", .make = mailbox_of, .missing = LIBIDN2_MISSING},
        {"mailbox_next", .call = mailboxes},
        {"mailboxes_of_mailto", .call = mailto},
        {"mailbox_author_domain", .make = mailbox_author_domain},
        {"test_owned_fields", .test = test_owned_fields},
    };
    return table_run("fields.txt", functions, CHECK_COUNT(functions));
}
