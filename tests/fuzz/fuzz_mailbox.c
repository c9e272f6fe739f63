/*
 * Mailboxes of addresses (spec/mailbox.h, RULINGS 12, 21).  Input: an address, as a client writes
 * it, or a list of addresses.
 *
 * The mailbox, written in the plainest way that quoting allows, has itself as its mailbox; a route,
 * quotes around the local part and a dot at the end do not change it.
 */
#include "fuzz.h"

#include "mail/address.h"
#include "mail/rfc5322.h"
#include "spec/mailbox.h"
#include "text/strbuf.h"

static struct span mailbox(struct span address, struct arena *arena)
{
    struct span result;
    result = mailbox_of(address, arena);
    fuzz_require(result.n == 0 || result.p != NULL, "a mailbox");
    return result;
}

static void add_quoted(struct strbuf *out, struct span local)
{
    strbuf_add_char(out, '"');
    for (size_t i = 0; i < local.n; i++) {
        if (local.p[i] == '"' || local.p[i] == '\\')
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, local.p[i]);
    }
    strbuf_add_char(out, '"');
}

/* Only of what is an address: other text has no other spelling. */
static void check_spellings(struct span box, struct arena *arena)
{
    struct span local = address_local(box), domain = address_domain(box);
    struct strbuf text = STRBUF_INIT;
    if (local.n == 0 || !rfc5322_is_dot_atom(domain))
        return;
    strbuf_add_str(&text, "<@[::1], @relay.example:");
    add_quoted(&text, local);
    strbuf_add_str(&text, " (c)@");
    strbuf_add_span(&text, domain);
    strbuf_add_str(&text, ". >");
    fuzz_require_text(span_eq(mailbox(fuzz_own(strbuf_span(&text)), arena), box),
                      "another spelling is the same mailbox", strbuf_span(&text));
    strbuf_free(&text);
}

static void check_parts(struct span address)
{
    struct span local = address_local(address), domain = address_domain(address);
    bool at = span_find(address, '@') < address.n;
    fuzz_require_text(local.n + (at ? 1 : 0) + domain.n == address.n, "local, @, domain", address);
    fuzz_require_text(span_find(domain, '@') == domain.n, "split at the last @", address);
}

static void check_bare(struct span argument)
{
    struct span bare = address_bare(argument);
    fuzz_require_text(bare.n <= argument.n && span_trim(bare).n == bare.n, "no blanks around it",
                      bare);
    check_parts(bare);
}

static void check_list(struct span value)
{
    struct cursor c = cursor_of(value);
    struct arena arena;
    struct span box;
    size_t count = 0;
    arena_init(&arena, 0);
    while (mailbox_next(&c, &arena, &box)) {
        fuzz_require(++count <= value.n, "reading comes to an end");
        fuzz_require(address_local(box).n > 0 && address_domain(box).n > 0, "a mailbox");
    }
    arena_free(&arena);
}

void fuzz_input(const uint8_t *data, size_t size)
{
    struct span address = fuzz_own(span_of((const char *)data, size));
    struct arena arena;
    struct span box;
    struct span named[2];
    size_t count = 0;
    arena_init(&arena, 0);
    box = mailbox(address, &arena);
    check_spellings(box, &arena);
    mailboxes_of_mailto(address, &arena, named, 2, &count);
    check_bare(address);
    check_list(address);
    arena_free(&arena);
}
