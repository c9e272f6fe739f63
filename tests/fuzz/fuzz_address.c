/* Addresses of envelopes and of From fields (RULINGS 12, 21). Input: a value. */
#include "fuzz.h"

#include "mail/address.h"

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
    struct span address;
    size_t count = 0;

    arena_init(&arena, 0);
    while (address_next(&c, &arena, &address)) {
        fuzz_require(++count <= value.n, "reading comes to an end");
        fuzz_require(address.p != NULL && address.n <= value.n, "a part of the value");
        check_parts(address);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span value = fuzz_own(span_of((const char *)data, size));

    check_bare(value);
    check_list(value);
    fuzz_forget();
    return 0;
}
