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

const char *const fuzz_grammar[] = {
    "S=%a|<%a>|%i|%i, %S|mailto:%a,%m?to=%a|G: %i;",
    "a=%l@%d|%l|@%d:%l@%d|%l%a|%a(%c)",
    "l=team|\"te am\"|te\\am|\"a@b\"|(%c)x| |\"|\xC3\x8B|K\xE2\x84\xAA|%*|te,am|%+a|",
    "d=x.example|x.example.|[192.0.2.1]|[IPv6:::1]|b\xC3\xBC\x63her.example|x (%c)|%*|[|",
    "i=Team <%a>|%a|\"%c\" <@%d,@%d:%a>|%l <%a> %l|<%a|<>|",
    "c=x|a@b, <c|(%c)|\\)|%*|",
    "m=dev%%2Bowner@x.example|%%22a%%2Cb%%22@x|a%%4|%*",
    NULL,
};

static struct span mailbox(struct span address, struct arena *arena)
{
    struct span result = mailbox_of(address, arena);
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

static void check_bare(struct span argument)
{
    struct span bare = address_bare(argument);
    struct span local = address_local(bare), domain = address_domain(bare);
    bool at = span_find(bare, '@') < bare.n;
    fuzz_require_text(bare.n <= argument.n && span_trim(bare).n == bare.n, "no blanks around it",
                      bare);
    fuzz_require_text(local.n + (at ? 1 : 0) + domain.n == bare.n &&
                          span_find(domain, '@') == domain.n,
                      "split at the last @", bare);
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

void fuzz_input(struct span address)
{
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
