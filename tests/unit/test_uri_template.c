/* uri_template: SU-09, SU-17, SU-24 to SU-26, R1-05, AT-10, AT-14, LH-15, RULINGS 42, 44, 45, 47 to
 * 49, 85, 86; the forms of archives */
#include "spec/template_try.h"
#include "spec/uri_template.h"

#include "check.h"
#include "generated.h"
#include "values.h"

#define ALL_VARIABLES (VAR_BIT(VAR_COUNT) - 1)

/* The tokens of a configuration, in its order: token i is VAR_FIRST_TOKEN + i. */
static const struct span names[] = {CHECK_LITERAL("ietf"), CHECK_LITERAL("mail_archive"),
                                    CHECK_LITERAL("sympa")};
static const struct token_names tokens = {names, CHECK_COUNT(names)};

enum {
    VAR_IETF = VAR_FIRST_TOKEN,
    VAR_MAIL_ARCHIVE,
    VAR_SYMPA,
};

static struct variable_values list_values(const char *archive)
{
    struct variable_values values = {.set = 0};

    set(&values, VAR_LIST_ID, "announce.lists.example.org");
    set(&values, VAR_LIST_LABEL, "announce");
    set(&values, VAR_LIST_NAMESPACE, "lists.example.org");
    set(&values, VAR_ADDRESS, "ann+ounce@lists.example.org");
    set(&values, VAR_ADDRESS_LOCAL, "ann+ounce");
    set(&values, VAR_ADDRESS_DOMAIN, "lists.example.org");
    if (archive != NULL)
        set(&values, VAR_ARCHIVE, archive);
    return values;
}

static struct variable_values message_values(void)
{
    struct variable_values values = {.set = 0};

    set(&values, VAR_MESSAGE_ID, "a/b+c@ex\xc3\xa9.org");
    set(&values, VAR_MESSAGE_ID_HASH, "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP");
    set(&values, VAR_LIST_ID_HASH, "RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI");
    set(&values, VAR_YEAR, "2007");
    set(&values, VAR_MONTH, "7");
    set(&values, VAR_DAY, "4");
    set(&values, VAR_MONTH_NAME, "July");
    set(&values, VAR_MONTH_ABBR, "Jul");
    set(&values, VAR_SEQUENCE, "742");
    set(&values, VAR_DATE, "Wed, 04 Jul 2007 16:49:58 +0900");
    set(&values, VAR_FROM, "a@example.com");
    set(&values, VAR_TO, "b@example.com");
    set(&values, VAR_SUBJECT, "Hi?");
    set(&values, VAR_RECIPIENT, "joe+x@example.net");
    set(&values, VAR_RECIPIENT_TOKEN, "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEo");
    set(&values, (enum variable)VAR_IETF, "5LnnKm093cGpOmDI9TnLQLBXyys");
    set(&values, (enum variable)VAR_MAIL_ARCHIVE, "TYC5RXtrO8He0zU5w8D0ePavPyc=");
    set(&values, (enum variable)VAR_SYMPA, "0WUaHd4roVtzVGndiwqTSg");
    return values;
}

/* Compiles, binds to the list, expands with the message; complains about what goes wrong. */
static struct span made(const char *text, const char *archive, struct strbuf *out)
{
    struct variable_values list = list_values(archive);
    struct variable_values message = message_values();
    struct template t, bound;
    const char *fault = NULL;

    strbuf_reset(out);
    if (!check_int("compile", 0,
                   template_compile(span_cstr(text), ALL_VARIABLES, &tokens, &arena, &t, &fault)))
        return span_cstr(fault);
    check_int("bind", 0, template_bind(&t, TEMPLATE_URI, &list, &arena, &bound));
    check_int("expand", 0, template_expand(&bound, TEMPLATE_URI, &message, out, NULL));
    return strbuf_span(out);
}

/* The forms that real archives understand, and RULINGS 42, 44, 45 */
static void test_archives_forms(void **state)
{
    static const struct {
        const char *text, *archive, *uri;
    } rows[] = {
        /* SU-09: exactly one slash */
        {"{archive}/{message_id_hash}", "https://h/announce/",
         "https://h/announce/JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"{archive}/{message_id_hash}", "https://h/announce",
         "https://h/announce/JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"{archive}{message_id_hash}", "https://h/announce",
         "https://h/announce/JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"{archive}///x//{list_label}", "https://h/announce///", "https://h/announce/x//announce"},
        {"{archive}///{list_label}", "https://h/", "https://h/announce"},
        {"{archive}", "https://h", "https://h/"},
        {"{archive}/", "https://h/a/", "https://h/a/"},
        {"{archive}?q={message_id}", "https://h/a", "https://h/a/?q=a%2Fb%2Bc%40ex%C3%A9.org"},
        /* not escaped, and what follows its "?" or "#" is query */
        {"{archive}/{message_id}", "https://h/?list=a%20b",
         "https://h/?list=a%20b/a%2Fb%2Bc%40ex%C3%A9.org"},
        {"{archive}/{address}", "https://h/#a", "https://h/#a/ann%2Bounce%40lists.example.org"},
        /* public-inbox, and its short form */
        {"https://h/INBOX/{message_id}/", NULL, "https://h/INBOX/a%2Fb+c@ex%C3%A9.org/"},
        {"https://h/INBOX/{message_id_hash}/", NULL,
         "https://h/INBOX/JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP/"},
        /* HyperKitty */
        {"https://h/hyperkitty/list/{address}/message/{message_id_hash}/", NULL,
         "https://h/hyperkitty/list/ann+ounce@lists.example.org/message/"
         "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP/"},
        {"https://h/archives/list/{address}/message/{message_id_hash}/", NULL,
         "https://h/archives/list/ann+ounce@lists.example.org/message/"
         "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP/"},
        /* MHonArc behind nginx; its own pages; Pipermail */
        {"https://h/{message_id_hash}", NULL, "https://h/JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"https://h/archive/html/{list_label}/{year}-{month:2}/msg{sequence:5}.html", NULL,
         "https://h/archive/html/announce/2007-07/msg00742.html"},
        {"https://h/pipermail/{list_label}/{year}-{month_name}/{sequence:6}.html", NULL,
         "https://h/pipermail/announce/2007-July/000742.html"},
        {"https://h/archive/html/{list_label}/{year}-{month:2}/", NULL,
         "https://h/archive/html/announce/2007-07/"},
        {"https://h/{year}-{month_name}/{month_abbr}/{day:2}.{month}.{year:6}", NULL,
         "https://h/2007-July/Jul/04.7.002007"},
        /* mail-archive.com: by id, and its hash (SU-26) in path and query */
        {"https://mid.mail-archive.com/{message_id}", NULL,
         "https://mid.mail-archive.com/a%2Fb+c@ex%C3%A9.org"},
        {"https://www.mail-archive.com/search?l=mid&q={message_id}", NULL,
         "https://www.mail-archive.com/search?l=mid&q=a%2Fb%2Bc%40ex%C3%A9.org"},
        {"http://go.mail-archive.com/{mail_archive}", NULL,
         "http://go.mail-archive.com/TYC5RXtrO8He0zU5w8D0ePavPyc="},
        {"https://h/?t={mail_archive}", NULL, "https://h/?t=TYC5RXtrO8He0zU5w8D0ePavPyc%3D"},
        /* IETF */
        {"https://mailarchive.ietf.org/arch/msg/{list_label}/{ietf}", NULL,
         "https://mailarchive.ietf.org/arch/msg/announce/5LnnKm093cGpOmDI9TnLQLBXyys"},
        /* W3C, Debian, PostgreSQL, FreeBSD, Google Groups */
        {"https://www.w3.org/mid/{message_id}", NULL,
         "https://www.w3.org/mid/a%2Fb+c@ex%C3%A9.org"},
        {"https://lists.debian.org/msgid-search/{message_id}", NULL,
         "https://lists.debian.org/msgid-search/a%2Fb+c@ex%C3%A9.org"},
        {"https://www.postgresql.org/message-id/{message_id}", NULL,
         "https://www.postgresql.org/message-id/a%2Fb+c@ex%C3%A9.org"},
        {"https://docs.FreeBSD.org/cgi/mid.cgi?db=mid&id={message_id}", NULL,
         "https://docs.FreeBSD.org/cgi/mid.cgi?db=mid&id=a%2Fb%2Bc%40ex%C3%A9.org"},
        {"https://groups.google.com/d/msgid/{list_label}/{message_id}", NULL,
         "https://groups.google.com/d/msgid/announce/a%2Fb+c@ex%C3%A9.org"},
        /* Sympa */
        {"https://h/sympa/msg/{list_label}/{year}-{month:2}/{sympa}", NULL,
         "https://h/sympa/msg/announce/2007-07/0WUaHd4roVtzVGndiwqTSg"},
        /* revision 1 */
        {"{archive}/{list_id_hash}/{sequence}", "https://h/a",
         "https://h/a/RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI/742"},
        {"{archive}/{list_id_hash}", "https://h/a", "https://h/a/RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI"},
        /* RULINGS 45: numbers as they are, padded, longer than the width; tokens cut */
        {"x:{sequence}/{sequence:1}/{sequence:3}/{sequence:5}/{sequence:64}", NULL,
         "x:742/742/742/00742/"
         "0000000000000000000000000000000000000000000000000000000000000742"},
        {"x:{ietf:4}/{sympa:64}/{mail_archive:28}/{mail_archive:27}?{mail_archive:28}", NULL,
         "x:5Lnn/0WUaHd4roVtzVGndiwqTSg/TYC5RXtrO8He0zU5w8D0ePavPyc=/TYC5RXtrO8He0zU5w8D0ePavPyc?"
         "TYC5RXtrO8He0zU5w8D0ePavPyc%3D"},
        /* RFC 8058 3.1 */
        {"https://h/u/{list_id}/{recipient}/{recipient_token}?r={recipient}", NULL,
         "https://h/u/announce.lists.example.org/joe+x@example.net/"
         "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEo?r=joe%2Bx%40example.net"},
        /* RULINGS 45: the first octets, before escaping */
        {"https://h/{message_id_hash:2}/{message_id:2}/{list_label:64}/{month_name:3}", NULL,
         "https://h/JJ/a%2F/announce/Jul"},
        {"https://h/{message_id:9}", NULL, "https://h/a%2Fb+c@ex%C3"},
        {"https://h/{day:64}", NULL,
         "https://h/0000000000000000000000000000000000000000000000000000000000000004"},
        {"mailto:{address_local}-help@{address_domain}?subject={address}", NULL,
         "mailto:ann+ounce-help@lists.example.org?subject=ann%2Bounce%40lists.example.org"},
        /* RFC 6068 2, RULINGS 85: of values, in a mailto:, in front of its "?" */
        {"mailto:a&b=c;{mail_archive}?x=y&z={mail_archive}", NULL,
         "mailto:a&b=c;TYC5RXtrO8He0zU5w8D0ePavPyc%3D?x=y&z=TYC5RXtrO8He0zU5w8D0ePavPyc%3D"},
        {"mailto:{mail_archive}", NULL, "mailto:TYC5RXtrO8He0zU5w8D0ePavPyc%3D"},
        {"MailTo:{mail_archive}@h", NULL, "MailTo:TYC5RXtrO8He0zU5w8D0ePavPyc%3D@h"},
        {"https://h/mailto:{mail_archive}", NULL, "https://h/mailto:TYC5RXtrO8He0zU5w8D0ePavPyc="},
        {"https://{list_namespace}/#{address_local}", NULL,
         "https://lists.example.org/#ann%2Bounce"},
        {"", NULL, ""},
        {"https://h/", NULL, "https://h/"},
    };
    struct strbuf out = STRBUF_INIT;

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        check_text("made", rows[i].uri, made(rows[i].text, rows[i].archive, &out));
    }
    strbuf_free(&out);
    check_end();
}

/* RULINGS 42, 45, 47, LH-15 */
static void test_faults(void **state)
{
    static const struct {
        const char *text;
        uint64_t allowed;
        const char *fault; /* a part of it */
    } rows[] = {
        {"https://h/{mesage_id}", ALL_VARIABLES, "unknown variable {mesage_id}"},
        {"{Message_ID}", ALL_VARIABLES, "unknown variable {Message_ID}"},
        {"{message_id }", ALL_VARIABLES, "unknown variable {message_id }"},
        {"{recipient_tokens}", ALL_VARIABLES, "unknown variable {recipient_tokens}"},
        {"{seq}", ALL_VARIABLES, "unknown variable {seq}"},
        /* a token that is not configured, or in another letter case */
        {"{mailarchive}", ALL_VARIABLES, "unknown variable {mailarchive}"},
        {"{IETF}", ALL_VARIABLES, "unknown variable {IETF}"},
        {"{a token}", ALL_VARIABLES, "unknown variable {a token}"},
        {"{mesage_id}", ALL_VARIABLES, "{mesage_id} (did you mean {message_id}?)"},
        {"{Message_ID}", ALL_VARIABLES, "{Message_ID} (did you mean {message_id}?)"},
        {"{ietff}", ALL_VARIABLES, "{ietff} (did you mean {ietf}?)"},
        /* nothing that may not stand there */
        {"{reciepient}", VARS_RECIPIENT, "{reciepient} (did you mean {recipient}?)"},
        {"{sympa:65}", ALL_VARIABLES, "{sympa} with a width"},
        {"{sequence:00}", ALL_VARIABLES, "{sequence} with a width"},
        {"{sequence:+5}", ALL_VARIABLES, "{sequence} with a width"},
        {"{ietf}", ~VARS_TOKENS, "{ietf}, which may not be used here"},
        {"{sympa}", VARS_LIST | VARS_MESSAGE | VARS_FIELDS | VARS_RECIPIENT,
         "{sympa}, which may not be used here"},
        {"{lf}", VARS_LIST | VARS_MESSAGE | VARS_TOKENS, "{lf}, which may not be used here"},
        {"{sequence}", VARS_LIST | VARS_RECIPIENT, "{sequence}, which may not be used here"},
        {"{subject}", VARS_LIST | VARS_MESSAGE | VARS_TOKENS,
         "{subject}, which may not be used here"},
        {"{date}", VARS_LIST | VARS_MESSAGE | VARS_TOKENS, "{date}, which may not be used here"},
        {"{recipient_token}", VARS_LIST | VARS_MESSAGE | VARS_TOKENS,
         "{recipient_token}, which may not be used here"},
        {"{a\nb}", ALL_VARIABLES, "has an unknown variable"},
        {"{archive:22}/x", ALL_VARIABLES, "has {archive} with a width"},
        {"{}", ALL_VARIABLES, "without a variable's name"},
        {"{:2}", ALL_VARIABLES, "without a variable's name"},
        {"{", ALL_VARIABLES, "\"{\" without \"}\""},
        {"x{month", ALL_VARIABLES, "\"{\" without \"}\""},
        {"{month{day}}", ALL_VARIABLES, "\"{\" without \"}\""},
        {"{{month}}", ALL_VARIABLES, "\"{{\""},
        {"x{{", ALL_VARIABLES, "\"{{\""},
        {"}", ALL_VARIABLES, "\"}\" without \"{\""},
        {"{month}}", ALL_VARIABLES, "\"}\" without \"{\""},
        {"a}{month}", ALL_VARIABLES, "\"}\" without \"{\""},
        {"{month:}", ALL_VARIABLES, "{month} with a width"},
        {"{month:0}", ALL_VARIABLES, "{month} with a width"},
        {"{month:65}", ALL_VARIABLES, "{month} with a width"},
        {"{month:4294967298}", ALL_VARIABLES, "{month} with a width"},
        {"{month:-1}", ALL_VARIABLES, "{month} with a width"},
        {"{month: 2}", ALL_VARIABLES, "{month} with a width"},
        {"{month:2:3}", ALL_VARIABLES, "{month} with a width"},
        {"{message_id_hash:x}", ALL_VARIABLES, "{message_id_hash} with a width"},
        {"/{archive}", ALL_VARIABLES, "{archive} elsewhere than at its start"},
        {"{list_id}{archive}", ALL_VARIABLES, "{archive} elsewhere than at its start"},
        {"{archive}{archive}", ALL_VARIABLES, "{archive} elsewhere than at its start"},
        {"{message_id}", VARS_LIST, "{message_id}, which may not be used here"},
        {"{archive}", VARS_LIST, "{archive}, which may not be used here"},
        {"{recipient}", VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE,
         "{recipient}, which may not be used here"},
        {"{month_abbr}", ~VARS_MESSAGE, "{month_abbr}, which may not be used here"},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct template t = {NULL, 0, 0};
        const char *fault = NULL;

        check_row(rows[i].text);
        check_int("compile", 1,
                  template_compile(span_cstr(rows[i].text), rows[i].allowed, &tokens, &arena, &t,
                                   &fault));
        if (check_bool("fault is told", true, fault != NULL))
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
    }
    check_end();
}

/* RULINGS 47: every name, in its place */
static void test_names_and_sets(void **state)
{
    static const struct {
        const char *name;
        enum variable v;
        uint64_t in;
    } rows[] = {
        {"list_id", VAR_LIST_ID, VARS_LIST},
        {"list_label", VAR_LIST_LABEL, VARS_LIST},
        {"list_namespace", VAR_LIST_NAMESPACE, VARS_LIST},
        {"address", VAR_ADDRESS, VARS_LIST},
        {"address_local", VAR_ADDRESS_LOCAL, VARS_LIST},
        {"address_domain", VAR_ADDRESS_DOMAIN, VARS_LIST},
        {"archive", VAR_ARCHIVE, VAR_BIT(VAR_ARCHIVE)},
        {"message_id", VAR_MESSAGE_ID, VARS_MESSAGE},
        {"message_id_hash", VAR_MESSAGE_ID_HASH, VARS_MESSAGE},
        {"list_id_hash", VAR_LIST_ID_HASH, VARS_MESSAGE},
        {"year", VAR_YEAR, VARS_MESSAGE},
        {"month", VAR_MONTH, VARS_MESSAGE},
        {"day", VAR_DAY, VARS_MESSAGE},
        {"month_name", VAR_MONTH_NAME, VARS_MESSAGE},
        {"month_abbr", VAR_MONTH_ABBR, VARS_MESSAGE},
        {"sequence", VAR_SEQUENCE, VARS_MESSAGE},
        {"date", VAR_DATE, VARS_FIELDS},
        {"from", VAR_FROM, VARS_FIELDS},
        {"to", VAR_TO, VARS_FIELDS},
        {"subject", VAR_SUBJECT, VARS_FIELDS},
        {"recipient", VAR_RECIPIENT, VARS_RECIPIENT},
        {"recipient_token", VAR_RECIPIENT_TOKEN, VARS_RECIPIENT},
        {"lf", VAR_LF, VAR_BIT(VAR_LF)},
    };

    (void)state;
    assert_int_equal(VAR_FIRST_TOKEN, CHECK_COUNT(rows));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[32];
        struct template t = {NULL, 0, 0};
        const char *fault = NULL;

        check_row(rows[i].name);
        check_str("name", rows[i].name, variable_name(rows[i].v));
        snprintf(text, sizeof(text), "{%s}", rows[i].name);
        check_int("allowed", 0,
                  template_compile(span_cstr(text), rows[i].in, NULL, &arena, &t, &fault));
        check_int("needs", rows[i].v == VAR_LF ? 0 : (long long)VAR_BIT(rows[i].v),
                  (long long)t.needs);
        check_int("not allowed", 1,
                  template_compile(span_cstr(text), ~rows[i].in, NULL, &arena, &t, &fault));
        check_bool("no name for a token", true, variable_is_name(span_cstr(rows[i].name)));
    }
    check_end();
    assert_false(variable_is_name(CHECK_SPAN("ietf")));
    assert_false(variable_is_name(CHECK_SPAN("Date")));
    assert_false(variable_is_name(CHECK_SPAN("")));
}

/* The sets are apart from each other and hold every variable. */
static void test_sets(void **state)
{
    static const uint64_t sets[] = {VARS_LIST,      VAR_BIT(VAR_ARCHIVE), VARS_MESSAGE, VARS_FIELDS,
                                    VARS_RECIPIENT, VAR_BIT(VAR_LF),      VARS_TOKENS};
    uint64_t all = 0;

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(sets); i++) {
        assert_true((all & sets[i]) == 0);
        all |= sets[i];
    }
    assert_true(all == ALL_VARIABLES);
}

/* RULINGS 48: as many tokens as a set has room for, the last one too; one that has the name of a
 * variable is never reached; none beyond the room is. */
static void test_many_tokens(void **state)
{
    struct span many[TOKENS_MAX + 2];
    char texts[TOKENS_MAX + 2][12];
    struct token_names all = {many, CHECK_COUNT(many)};
    struct strbuf out = STRBUF_INIT;

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(many); i++) {
        snprintf(texts[i], sizeof(texts[i]), "t%u", (unsigned)i);
        many[i] = span_cstr(texts[i]);
    }
    for (size_t i = 0; i < CHECK_COUNT(many); i++) {
        struct template t = {NULL, 0, 0};
        struct variable_values values = {.set = 0};
        char text[20];
        const char *fault = NULL;
        enum variable v = (enum variable)(VAR_FIRST_TOKEN + i), missing = VAR_COUNT;

        check_row(texts[i]);
        snprintf(text, sizeof(text), "{t%u:2}", (unsigned)i);
        int result = template_compile(span_cstr(text), UINT64_MAX, &all, &arena, &t, &fault);
        check_int("compile", i >= TOKENS_MAX, result);
        if (result != 0)
            continue;
        check_int("needs", (long long)VAR_BIT(v), (long long)t.needs);
        check_str("name", "a token", variable_name(v));
        check_int("missing", 1, template_expand(&t, TEMPLATE_URI, &values, &out, &missing));
        check_int("which", v, missing);
        strbuf_reset(&out);
        set(&values, v, "/=x");
        check_int("expand", 0, template_expand(&t, TEMPLATE_URI, &values, &out, NULL));
        check_text("first octets, escaped", "%2F=", strbuf_span(&out));
    }
    many[0] = span_cstr("month");
    struct template t = {NULL, 0, 0};
    const char *fault = NULL;
    check_int("compile", 0,
              template_compile(CHECK_SPAN("{month}"), ALL_VARIABLES, &all, &arena, &t, &fault));
    check_bool("the variable", true, t.needs == VAR_BIT(VAR_MONTH));
    strbuf_free(&out);
    check_end();
}

static bool same_template(const struct template *a, const struct template *b)
{
    bool same = check_int("count", (long long)a->count, (long long)b->count) &&
                check_int("needs", a->needs, b->needs);

    for (size_t i = 0; same && i < a->count; i++) {
        same = check_int("variable", a->parts[i].variable, b->parts[i].variable) &&
               check_int("width", a->parts[i].width, b->parts[i].width) &&
               check_int("part", a->parts[i].part, b->parts[i].part) &&
               check_span("literal", a->parts[i].literal, b->parts[i].literal);
    }
    return same;
}

/* Literals and bound values join; every variable that is left knows its part of the URI; binding
 * in two steps is the same as binding at once. */
static void test_bind(void **state)
{
    static const struct {
        const char *text;
        const char *shown; /* [variable:part] or text, one behind the other */
    } rows[] = {
        {"{archive}/{list_label}/x", "https://h/a/announce/x"},
        {"{archive}/{message_id}/x", "https://h/a/|[message_id:path]|/x"},
        {"{archive}{message_id}{month}", "https://h/a/|[message_id:path]|[month:path]"},
        {"x:{list_label}{message_id}?{list_label}={day}#{recipient}",
         "x:announce|[message_id:path]|?announce=|[day:query]|#|[recipient:query]"},
        {"{archive}/{list_id_hash}/{sequence:5}?{ietf}",
         "https://h/a/|[list_id_hash:path]|/|[sequence:path]|?|[a token:query]"},
        {"x:#{list_label}{year}", "x:#announce|[year:query]"},
        {"{recipient}", "[recipient:path]"},
        {"mailto:{list_label}-{recipient}?s={recipient}",
         "mailto:announce-|[recipient:mailto]|?s=|[recipient:query]"},
        {"", ""},
    };
    struct variable_values list = list_values("https://h/a/");

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct template t = {NULL, 0, 0}, bound = {NULL, 0, 0}, again = {NULL, 0, 0};
        const char *fault = NULL;
        struct strbuf shown = STRBUF_INIT;

        check_row(rows[i].text);
        check_int(
            "compile", 0,
            template_compile(span_cstr(rows[i].text), ALL_VARIABLES, &tokens, &arena, &t, &fault));
        check_int("bind", 0, template_bind(&t, TEMPLATE_URI, &list, &arena, &bound));
        uint64_t needs = 0;
        for (size_t k = 0; k < bound.count; k++) {
            const struct template_part *p = &bound.parts[k];
            needs |= p->variable == VAR_COUNT ? 0 : VAR_BIT(p->variable);
            strbuf_add_str(&shown, k > 0 ? "|" : "");
            if (p->variable == VAR_COUNT)
                strbuf_add_span(&shown, p->literal);
            else
                strbuf_addf(&shown, "[%s:%s]", variable_name((enum variable)p->variable),
                            p->part == URI_PATH     ? "path"
                            : p->part == URI_MAILTO ? "mailto"
                                                    : "query");
        }
        check_text("bound", rows[i].shown, strbuf_span(&shown));
        check_int("needs", needs, bound.needs);

        struct variable_values half = list, rest = list;
        half.set = VAR_BIT(VAR_ARCHIVE) | VAR_BIT(VAR_LIST_ID);
        rest.set &= ~half.set;
        check_int("first half", 0, template_bind(&t, TEMPLATE_URI, &half, &arena, &again));
        check_int("second half", 0, template_bind(&again, TEMPLATE_URI, &rest, &arena, &again));
        same_template(&bound, &again);
        strbuf_free(&shown);
    }
    check_end();
}

/* A URI that was bound with the variables of the message in a second step is what expanding gives,
 * with the "?" of the archive's URI in mind. */
static void test_bind_twice_equals_expand(void **state)
{
    static const char *const texts[] = {
        "{archive}/{message_id}?{message_id}",
        "{archive}{message_id}/{list_label}",
        "{archive}//{message_id}",
        "mailto:{address}?subject={message_id:3}",
        "x:{message_id}#{month:3}{address}",
        "x:{list_label}{list_label}",
        "{archive}/{sequence:5}/{sympa}?{mail_archive:28}",
    };
    static const char *const archives[] = {"https://h/a", "https://h/?a=/", "https://h/a//#"};
    struct variable_values message = message_values();

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(texts) * CHECK_COUNT(archives); i++) {
        const char *text = texts[i / CHECK_COUNT(archives)];
        struct variable_values list = list_values(archives[i % CHECK_COUNT(archives)]);
        struct strbuf out = STRBUF_INIT, late = STRBUF_INIT;
        struct template t = {NULL, 0, 0}, bound = {NULL, 0, 0}, full = {NULL, 0, 0};
        const char *fault = NULL;

        check_row(text);
        check_int("compile", 0,
                  template_compile(span_cstr(text), ALL_VARIABLES, &tokens, &arena, &t, &fault));
        check_int("bind", 0, template_bind(&t, TEMPLATE_URI, &list, &arena, &bound));
        check_int("bind again", 0, template_bind(&bound, TEMPLATE_URI, &message, &arena, &full));
        check_int("needs nothing", 0, full.needs);
        check_int("expand", 0, template_expand(&bound, TEMPLATE_URI, &message, &out, NULL));
        check_span("text", strbuf_span(&out), template_literal(&full));

        /* {archive} left for the end */
        struct variable_values none = {.set = 0}, all = message;
        all.set |= list.set;
        for (unsigned v = 0; v <= VAR_ARCHIVE; v++)
            all.text[v] = list.text[v];
        check_int("bind to nothing", 0, template_bind(&t, TEMPLATE_URI, &none, &arena, &bound));
        check_int("expand all", 0, template_expand(&bound, TEMPLATE_URI, &all, &late, NULL));
        check_span("text of all", strbuf_span(&out), strbuf_span(&late));
        strbuf_free(&out);
        strbuf_free(&late);
    }
    check_end();
}

/* RULINGS 38: in plain text nothing is escaped */
static void test_plain_text(void **state)
{
    static const struct {
        const char *text, *made;
    } rows[] = {
        {"List {list_label} of <{list_namespace}>", "List announce of <lists.example.org>"},
        {"{address}?{address}", "ann+ounce@lists.example.org?ann+ounce@lists.example.org"},
        {"{list_label:3}", "ann"},
        {"Gr\xc3\xbc\xc3\x9f"
         "e / 100%",
         "Gr\xc3\xbc\xc3\x9f"
         "e / 100%"},
    };
    struct variable_values list = list_values(NULL);

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct template t = {NULL, 0, 0}, bound = {NULL, 0, 0};
        const char *fault = NULL;

        check_row(rows[i].text);
        check_int("compile", 0,
                  template_compile(span_cstr(rows[i].text), VARS_LIST, NULL, &arena, &t, &fault));
        check_int("bind", 0, template_bind(&t, TEMPLATE_TEXT, &list, &arena, &bound));
        check_text("made", rows[i].made, template_literal(&bound));
    }
    check_end();
}

/* Slashes of a value are not those that {archive} has for itself (RULINGS 42), bound before or not.
 */
static void test_slashes_of_a_value(void **state)
{
    static const struct {
        enum template_kind kind;
        const char *made;
    } rows[] = {{TEMPLATE_TEXT, "https://a.example///x"},
                {TEMPLATE_URI, "https://a.example/%2F%2Fx"}};
    struct variable_values none = {0}, values = {0};

    (void)state;
    values.set = VAR_BIT(VAR_ARCHIVE) | VAR_BIT(VAR_SUBJECT);
    values.text[VAR_ARCHIVE] = span_cstr("https://a.example/");
    values.text[VAR_SUBJECT] = span_cstr("//x");
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct template t = {NULL, 0, 0}, bound = {NULL, 0, 0};
        struct strbuf later = STRBUF_INIT;
        const char *fault = NULL;

        check_row(rows[i].made);
        check_int("compile", 0,
                  template_compile(span_cstr("{archive}/{subject}"),
                                   VAR_BIT(VAR_ARCHIVE) | VARS_FIELDS, NULL, &arena, &t, &fault));
        check_int("bind", 0, template_bind(&t, rows[i].kind, &values, &arena, &bound));
        check_text("made", rows[i].made, template_literal(&bound));
        check_int("bind nothing", 0, template_bind(&t, rows[i].kind, &none, &arena, &bound));
        check_int("expand", 0, template_expand(&bound, rows[i].kind, &values, &later, NULL));
        check_text("made later", rows[i].made, strbuf_span(&later));
        strbuf_free(&later);
    }
    check_end();
}

/* RULINGS 49 */
static void test_a_missing_value(void **state)
{
    struct variable_values message = message_values();
    struct template t = {NULL, 0, 0};
    const char *fault = NULL;
    enum variable missing = VAR_COUNT;
    struct strbuf out = STRBUF_INIT;

    (void)state;
    message.set &= ~(VAR_BIT(VAR_YEAR) | VAR_BIT(VAR_DAY));
    strbuf_add_str(&out, "before");
    check_row("a date that is missing");
    check_int("compile", 0,
              template_compile(span_cstr("x:{message_id}/{day}/{year}"), ALL_VARIABLES, NULL,
                               &arena, &t, &fault));
    check_int("expand", 1, template_expand(&t, TEMPLATE_URI, &message, &out, &missing));
    check_int("which", VAR_DAY, missing);
    check_text("nothing is appended", "before", strbuf_span(&out));
    check_int("expand", 1, template_expand(&t, TEMPLATE_URI, &message, &out, NULL));
    strbuf_free(&out);
    check_end();
}

/* LH-15: whatever the text and the values, no brace is left over, and a template that compiles
 * with legal text around legal variables gives a legal URI. */
static void test_any_text(void **state)
{
    static const char *const pieces[] = {"{",         "}",         "{{",    "{month}", "{month:2}",
                                         "{archive}", "{address}", "/",     "?",       "#x",
                                         "a",         "{day:99}",  "{bad}", ":",       "{list_id"};
    struct generator g = {15};
    size_t compiled = 0, led_elsewhere = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct variable_values list = list_values("https://h/a//");
        struct variable_values message = message_values();
        struct template t = {NULL, 0, 0}, bound = {NULL, 0, 0};
        const char *fault = NULL;
        struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
        char octets[20];

        for (size_t n = generated_number(&g, 6); n > 0; n--)
            strbuf_add_str(&text, pieces[generated_number(&g, CHECK_COUNT(pieces))]);
        set(&message, VAR_MESSAGE_ID, "");
        message.text[VAR_MESSAGE_ID] = generated_octets(&g, octets, sizeof(octets));
        strbuf_add_str(&text, "{message_id}");
        check_row_span(strbuf_span(&text));
        int result = template_compile(strbuf_span(&text), ALL_VARIABLES, NULL, &arena, &t, &fault);
        check_bool("0 or 1", true, result == 0 || result == 1);
        check_bool("a fault is told", result == 1, fault != NULL);
        if (result == 0) {
            compiled++;
            check_int("bind", 0, template_bind(&t, TEMPLATE_URI, &list, &arena, &bound));
            result = template_expand(&bound, TEMPLATE_URI, &message, &out, NULL);
            check_bool("expand", true, result == 0 || result == 2);
            led_elsewhere += result == 2;
            check_bool("no brace", true, strcspn(strbuf_str(&out), "{}") == strbuf_span(&out).n);
            if (result == 0 && t.parts[0].variable == VAR_ARCHIVE &&
                strstr(strbuf_str(&text), "#x") == NULL)
                check_str("a URI", NULL, uri_fault(strbuf_span(&out)));
        }
        strbuf_free(&text);
        strbuf_free(&out);
        arena_reset(&arena);
    }
    check_bool("enough of them compile", true, compiled > 2000);
    check_bool("nearly all expand", true, led_elsewhere < compiled / 10);
    check_end();
}

/* RULINGS 86, AT-14: a value that would lead elsewhere */
static void test_segments(void **state)
{
    static const struct {
        const char *text, *id;
        const char *uri; /* NULL: none */
    } rows[] = {
        {"{archive}/{message_id}/", "..", NULL},
        {"{archive}/{message_id}/", ".", NULL},
        {"{archive}/{message_id}/", "", NULL},
        {"{archive}/{message_id}", "..", NULL},
        {"{archive}{message_id}?x", ".", NULL},
        {"https://h/{message_id}#x", "", NULL},
        {"https://h/{message_id:1}/{message_id}", ".x", NULL},
        {"https://h/{message_id:2}/x", "...", NULL},
        {"https://h/{message_id:1}{message_id:1}/x", ".", NULL},
        {"https://h/.{message_id:1}", ".", NULL},
        {"https://h/x/{message_id}{message_id}", "", NULL},
        {"{message_id}", "..", NULL},
        {"https://h/{message_id:1}./x", ".", NULL},
        {"https://h/{message_id:1}%2e/x", ".", NULL},
        {"https://h/%2E{message_id:1}", ".", NULL},
        {"https://h/x%2f{message_id}", "..", NULL},
        /* within a value, too: servers decode it before they look */
        {"{archive}/{message_id}", "../../other", NULL},
        {"{archive}/{message_id}/", "a/../../b", NULL},
        {"{archive}/{message_id}/", "./", NULL},
        {"{archive}/{message_id}", "a/..", NULL},
        {"{archive}/{message_id}", "a\\..\\b", NULL},
        {"https://h/x-{message_id}.html", "/../a", NULL},
        {"https://h/{message_id}.html", "x/.", "https://h/x%2F..html"},
        {"{archive}/{message_id}", "b@x/", "https://h/a/b@x%2F"},
        {"{archive}/{message_id}", "//x", "https://h/a/%2F%2Fx"},
        {"{archive}/{message_id}", "/", "https://h/a/%2F"},
        {"{archive}/{message_id}", ".../a../..b/.c", "https://h/a/...%2Fa..%2F..b%2F.c"},
        {"https://h/x{message_id}/", "../y", "https://h/x..%2Fy/"},
        {"https://h/?{message_id}", "a/../b", "https://h/?a%2F..%2Fb"},
        {"https://h/a/../{message_id}%2e%2e", "a", "https://h/a/../a%2e%2e"},
        /* not the whole of a segment, or of a path */
        {"{archive}/{message_id}/", "...", "https://h/a/.../"},
        {"{archive}/{message_id}/", ". .", "https://h/a/.%20./"},
        {"{archive}/{message_id}/", "....", "https://h/a/..../"},
        {"{archive}/{message_id}/", "%2E%2E", "https://h/a/%252E%252E/"},
        {"https://h/x{message_id}/", "..", "https://h/x../"},
        {"https://h/{message_id}.html", "..", "https://h/...html"},
        {"https://h/{message_id}{list_label}", ".", "https://h/.announce"},
        {"https://h/{list_label}{message_id}", "", "https://h/announce"},
        {"https://h/?{message_id}", "..", "https://h/?.."},
        {"https://h/?a/{message_id}/b", "..", "https://h/?a/../b"},
        {"https://h/#/{message_id}", "", "https://h/#/"},
        {"mailto:{message_id}", "..", "mailto:.."},
        {"mid:{message_id}", "..", "mid:.."},
        /* literal text stays as it is written */
        {"https://h/../{message_id}//.", "a", "https://h/../a//."},
    };
    struct variable_values list = list_values("https://h/a");

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct variable_values message = {.set = 0};
        struct template t, bound;
        struct strbuf out = STRBUF_INIT;
        const char *fault = NULL;
        enum variable lacking = VAR_COUNT;
        bool fine = rows[i].uri != NULL;

        check_row(rows[i].text);
        check_row(rows[i].id);
        set(&message, VAR_MESSAGE_ID, rows[i].id);
        assert_int_equal(
            template_compile(span_cstr(rows[i].text), ALL_VARIABLES, NULL, &arena, &t, &fault), 0);
        assert_int_equal(template_bind(&t, TEMPLATE_URI, &list, &arena, &bound), 0);
        strbuf_add_char(&out, '<');
        check_int("expand", fine ? 0 : 2,
                  template_expand(&bound, TEMPLATE_URI, &message, &out, &lacking));
        check_int("which", fine ? VAR_COUNT : VAR_MESSAGE_ID, lacking);
        check_text("URI", fine ? rows[i].uri : "", span_sub(strbuf_span(&out), 1, SIZE_MAX));
        check_int("a text has no segments", 0,
                  template_expand(&bound, TEMPLATE_TEXT, &message, &out, NULL));
        strbuf_free(&out);
    }
    check_end();
}

/* RULINGS 47, 63. */
static void test_try(void **state)
{
    static const struct {
        const char *text;
        const char *uri;   /* with a sample for each value that is not known */
        const char *fault; /* contained in; NULL: none */
    } rows[] = {
        {"https://example.org/{list_id}/{year}", "https://example.org/a.example/1", NULL},
        {"{archive}/{message_id}", "https://example.org/a@b.example", NULL},
        {"https://{list_id}/{message_id}", "https://a.example/a@b.example", NULL},
        {"https://{message_id}/x", "https://a@b.example/x", "in the host name"},
        {"https://h.example:{year}/x", "https://h.example:1/x", "in the host name"},
        {"{message_id}", "a@b.example", "scheme"},
        {"javascript:{message_id}", "javascript:a@b.example", "javascript"},
        {"", "", "is empty"},
        /* With a digit no value can be the scheme. */
        {"{message_id:1}ftp://f.", "aftp://f.", NULL},
        {"{message_id:2}ftp://f.", "1ftp://f.", "scheme"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *sample = i + 1 == sizeof rows / sizeof rows[0] ? "1" : NULL;
        struct variable_values values = {.set = 0};
        struct strbuf uri = STRBUF_INIT;
        struct template t;
        const char *fault = NULL;

        check_row(rows[i].text);
        set(&values, VAR_LIST_ID, "a.example");
        assert_int_equal(
            template_compile(span_cstr(rows[i].text), ALL_VARIABLES, NULL, &arena, &t, &fault), 0);
        check_int("result", rows[i].fault == NULL ? 0 : 1,
                  template_try(&t, &values, sample, &uri, &fault));
        check_str("URI", rows[i].uri, strbuf_str(&uri));
        check_bool("fault", true,
                   rows[i].fault == NULL || (fault != NULL && strstr(fault, rows[i].fault)));
        strbuf_free(&uri);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_archives_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_and_sets, set_up, tear_down),
        cmocka_unit_test(test_sets),
        cmocka_unit_test_setup_teardown(test_many_tokens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bind_twice_equals_expand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plain_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slashes_of_a_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_missing_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_segments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_try, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_any_text, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
