/* The functions of spec/ that make and read hashes, tokens, Message-IDs and list identifiers:
 * ids.txt has their cases, among them all known answers. */
#include "table.h"

#include "mail/fold.h"
#include "spec/base_n.h"
#include "spec/digest.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/recipient_token.h"
#include "spec/token.h"

#include <openssl/err.h>

static size_t count_arguments(const struct span *in)
{
    size_t n = 0;
    while (in[n].p != NULL)
        n++;
    return n;
}

typedef void encoder(const unsigned char *octets, size_t n, char *out);

static void add_encoded(struct strbuf *out, encoder *encode, struct span octets, size_t length)
{
    char text[200];
    memset(text, '#', sizeof text);
    encode((const unsigned char *)octets.p, octets.n, text);
    check_int("length", (long long)strlen(text), (long long)length);
    check_int("byte after the NUL", '#', text[length + 1]);
    table_add_item(out, " ", span_cstr(text));
}

static void base_n(const struct span *in, struct strbuf *out)
{
    size_t n = in[0].n;
    add_encoded(out, base16_encode, in[0], BASE16_LENGTH(n));
    add_encoded(out, base32_encode, in[0], BASE32_LENGTH(n));
    add_encoded(out, base64url_encode, in[0], BASE64_LENGTH(n));
}

static void add_hex(struct strbuf *out, const unsigned char *octets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_addf(out, "%02x", octets[i]);
}

static void digest(const struct span *in, struct strbuf *out)
{
    unsigned char octets[DIGEST_MAX_OCTETS];
    struct span name = arena_dup(&table_arena, in[0]);
    size_t n =
        digest_compute(arena_strdup(&table_arena, name), in + 1, count_arguments(in + 1), octets);
    check_int("errors", 0, (long long)ERR_peek_error());
    add_hex(out, octets, n);
    strbuf_add_str(out, n == 0 ? "none" : "");
}

static void hmac(const struct span *in, struct strbuf *out)
{
    unsigned char octets[SHA256_OCTETS];
    digest_hmac_sha256(in[0], in[1], octets);
    add_hex(out, octets, sizeof octets);
}

/* ---- Message-IDs ---- */

static void id_hash(const struct span *in, struct strbuf *out)
{
    struct span bare = message_id_bare(fold_text(in[0], &table_arena));
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    message_id_hash(bare, hash);
    strbuf_addf(out, "[%.*s] %s", (int)bare.n, bare.p, hash);
}

static void list_hash(const struct span *in, struct strbuf *out)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    message_id_list_hash(in[0], in[1], hash);
    strbuf_add_str(out, hash);
}

static void generate(const struct span *in, struct strbuf *out)
{
    strbuf_add_span(out, message_id_generate(in + 1, count_arguments(in + 1), in[0], &table_arena));
}

static void normalize(const struct span *in, struct strbuf *out)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    table_add_text(out, message_id_hash_normalize(in[0], hash) ? hash : NULL);
}

/* ---- list identifiers ---- */

static void label(const struct span *in, struct strbuf *out)
{
    struct span left = list_id_label(in[0]), right = list_id_namespace(in[0]);
    strbuf_addf(out, "[%.*s] [%.*s]", (int)left.n, left.p, (int)right.n, right.p);
}

static void read_list_id(const struct span *in, struct strbuf *out)
{
    struct span id;
    bool has_id = list_id_read(in[0], &table_arena, &id);
    strbuf_add_span(out, has_id ? id : span_cstr("none"));
}

/* The column of a line does not depend on the text before the value. */
static void render(const struct span *in, struct strbuf *out)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_add_str(&text, "\nwhat was there");
    size_t before = text.len;
    list_id_render(&text, in[0], in[1]);
    strbuf_add_span(out, span_sub(strbuf_span(&text), before, SIZE_MAX));
    strbuf_free(&text);
}

static void make(const struct span *in, struct strbuf *out)
{
    static const unsigned char random[LIST_ID_RANDOM_OCTETS] = {0xda, 0x39, 0xef, 0xc2, 0x5c, 0x53,
                                                                0x0a, 0xd1, 0x45, 0xd4, 0x1b, 0x86,
                                                                0xf7, 0x42, 0x0c, 0x3b};
    list_id_make(out, in[0], in[1], random, (int)table_number(in[2]), (int)table_number(in[3]));
    check_bool("lacks randomness", false, list_id_lacks_randomness(strbuf_span(out)));
    if (list_id_fault(strbuf_span(out)) != NULL)
        strbuf_add_str(out, ", no list id");
}

/* ---- tokens ---- */

static void set(struct variable_values *values, enum variable v, const char *text)
{
    values->set |= VAR_BIT(v);
    values->text[v] = span_cstr(text);
}

/* DIGEST | ENCODING, padded | OF | MESSAGE-ID; without it the message has none. */
static void token(const struct span *in, struct strbuf *out)
{
    static const char *const encodings[] = {
        [TOKEN_BASE32] = "base32", [TOKEN_BASE64URL] = "base64url", [TOKEN_HEX] = "hex"};
    struct token t = {.digest = arena_strdup(&table_arena, in[0]),
                      .padding = span_ends_nocase(in[1], span_cstr(", padded"))};
    struct variable_values values = {.set = 0};
    struct span value;
    for (int i = TOKEN_BASE32; i <= TOKEN_HEX; i++)
        if (span_starts_nocase(in[1], span_cstr(encodings[i])))
            t.encoding = (enum token_encoding)i;
    set(&values, VAR_LIST_LABEL, "bpf");
    set(&values, VAR_ADDRESS, "list@example.org");
    set(&values, VAR_DATE, "Wed, 04 Jul 2007 16:49:58 +0900");
    set(&values, VAR_FROM, "a@example.com");
    set(&values, VAR_TO, "b@example.com");
    set(&values, VAR_SUBJECT, "Hello");
    if (in[3].p != NULL) {
        set(&values, VAR_MESSAGE_ID, "");
        values.text[VAR_MESSAGE_ID] = in[3];
    }
    check_str("compile", NULL,
              template_compile(in[2], TEMPLATE_TEXT, VARS_TOKEN_OF, NULL, &table_arena, &t.of));
    bool is_made = token_value(&t, &values, &table_arena, &value) == 0;
    strbuf_add_span(out, is_made ? value : span_cstr("none"));
}

static void token_of(const struct span *in, struct strbuf *out)
{
    const struct span names[] = {CHECK_SPAN("ietf")};
    const struct token_names tokens = {names, 1};
    struct template of;
    table_add_bool(out, template_compile(in[0], TEMPLATE_TEXT, VARS_TOKEN_OF, &tokens, &table_arena,
                                         &of) == NULL);
}

static void make_token(const struct span *in, struct strbuf *out)
{
    char text[RECIPIENT_TOKEN_LENGTH + 2];
    memset(text, '#', sizeof text);
    recipient_token_make(in[0], in[1], in[2], text);
    check_int("byte after the NUL", '#', text[RECIPIENT_TOKEN_LENGTH + 1]);
    strbuf_add_str(out, text);
}

/* NUMBER OF KEYS | LIST | ADDRESS | TOKEN */
static void verify_token(const struct span *in, struct strbuf *out)
{
    const struct span keys[] = {CHECK_SPAN("first key"), CHECK_SPAN("another"),
                                CHECK_SPAN("old key")};
    table_add_bool(out,
                   recipient_token_verify(keys, (size_t)table_number(in[0]), in[1], in[2], in[3]));
}

int main(void)
{
    static const struct table_function functions[] = {
        {"base16, base32, base64url", .call = base_n},
        {"digest_compute", .call = digest, .most = TABLE_ARGUMENTS},
        {"digest_hmac_sha256", .call = hmac, .least = 2},
        {"message_id_bare, message_id_hash", .call = id_hash},
        {"message_id_list_hash", .call = list_hash, .least = 2},
        {"message_id_generate", .call = generate, .most = TABLE_ARGUMENTS},
        {"message_id_hash_normalize", .call = normalize},
        {"message_id_is_well_formed", .is = message_id_is_well_formed},
        {"list_id_fault", .text = list_id_fault},
        {"list_id_label, list_id_namespace", .call = label},
        {"list_id_lacks_randomness", .is = list_id_lacks_randomness},
        {"list_id_read", .call = read_list_id},
        {"list_id_render", .call = render, .least = 2},
        {"list_id_make", .call = make, .least = 4},
        {"token_value", .call = token, .least = 3, .most = 4},
        {"VARS_TOKEN_OF", .call = token_of},
        {"recipient_token_make", .call = make_token, .least = 3},
        {"recipient_token_verify", .call = verify_token, .least = 4},
    };
    return table_run("ids.txt", functions, CHECK_COUNT(functions));
}
