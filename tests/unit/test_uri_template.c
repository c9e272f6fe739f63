/* uri_template: SU-09, SU-17, SU-24 to SU-26, R1-05, AT-10, AT-14, LH-15, RULINGS 42, 44, 45, 47 to
 * 49, 85, 86; the forms of archives */
#include "spec/uri_template.h"

#include "check.h"
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

/* Compiles a template of a URI. Returns NULL, or what is wrong. */
static const char *compile_uri(const char *text, struct template *t)
{
    return template_compile(span_cstr(text), TEMPLATE_URI, ALL_VARIABLES, &tokens, &arena, t);
}

static struct variable_values all_values(const char *archive)
{
    struct variable_values list = list_values(archive), values = message_values();
    for (unsigned v = 0; v <= VAR_ARCHIVE; v++)
        values.text[v] = list.text[v];
    values.set |= list.set;
    return values;
}

/* Returns the URI with the values of the list and the message, or what is wrong. */
static struct span made(const char *text, const char *archive, struct strbuf *out)
{
    struct variable_values values = all_values(archive);
    struct template t;
    strbuf_reset(out);
    const char *fault = compile_uri(text, &t);
    if (fault != NULL)
        return span_cstr(fault);
    check_int("expand", VAR_COUNT, template_expand(&t, &values, out));
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
        struct template t;
        check_row(rows[i].text);
        const char *fault = template_compile(span_cstr(rows[i].text), TEMPLATE_URI, rows[i].allowed,
                                             &tokens, &arena, &t);
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
        struct template t = {0};
        check_row(rows[i].name);
        check_str("name", rows[i].name, variable_name(rows[i].v));
        snprintf(text, sizeof(text), "{%s}", rows[i].name);
        check_str("allowed", NULL,
                  template_compile(span_cstr(text), TEMPLATE_URI, rows[i].in, NULL, &arena, &t));
        check_int("needs", rows[i].v == VAR_LF ? 0 : (long long)VAR_BIT(rows[i].v),
                  (long long)t.needs);
        check_bool("not allowed", true,
                   template_compile(span_cstr(text), TEMPLATE_URI, ~rows[i].in, NULL, &arena, &t) !=
                       NULL);
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
        struct template t;
        struct variable_values values = {.set = 0};
        char text[20];
        enum variable v = (enum variable)(VAR_FIRST_TOKEN + i);
        check_row(texts[i]);
        snprintf(text, sizeof(text), "{t%u:2}", (unsigned)i);
        const char *fault =
            template_compile(span_cstr(text), TEMPLATE_URI, UINT64_MAX, &all, &arena, &t);
        check_bool("compile", i >= TOKENS_MAX, fault != NULL);
        if (fault != NULL)
            continue;
        check_int("needs", (long long)VAR_BIT(v), (long long)t.needs);
        check_str("name", "a token", variable_name(v));
        check_int("missing", v, template_expand(&t, &values, &out));
        strbuf_reset(&out);
        set(&values, v, "/=x");
        check_int("expand", VAR_COUNT, template_expand(&t, &values, &out));
        check_text("first octets, escaped", "%2F=", strbuf_span(&out));
    }
    many[0] = span_cstr("month");
    struct template t = {0};
    check_str(
        "compile", NULL,
        template_compile(CHECK_SPAN("{month}"), TEMPLATE_URI, ALL_VARIABLES, &all, &arena, &t));
    check_bool("the variable", true, t.needs == VAR_BIT(VAR_MONTH));
    strbuf_free(&out);
    check_end();
}

/* As `mlmilterctl show` has it: the list's values, and variables of messages as they are written.
 */
static void test_show(void **state)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"{archive}/{list_label}/x", "https://h/a/announce/x"},
        {"{archive}//{message_id}//x", "https://h/a/{message_id}//x"},
        {"{archive}{message_id}/{month:2}", "https://h/a/{message_id}/{month:2}"},
        {"{archive}/{sequence:5}?{ietf}", "https://h/a/{sequence:5}?{ietf}"},
        {"mailto:{list_label}-{recipient}?s={address}",
         "mailto:announce-{recipient}?s=ann%2Bounce%40lists.example.org"},
        {"", ""},
    };
    struct variable_values list = list_values("https://h/a/");
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf shown = STRBUF_INIT;
        struct template t;
        check_row(rows[i].text);
        assert_null(compile_uri(rows[i].text, &t));
        template_show(&t, &list, &tokens, &shown);
        check_text("shown", rows[i].shown, strbuf_span(&shown));
        strbuf_free(&shown);
    }
    check_end();
}

/* RULINGS 51, 67: a host name has A-labels, and the rest of its URI too. */
static void test_domain_in_host(void **state)
{
    static const struct {
        const char *text, *uri;
    } rows[] = {
        {"https://{address_domain}/", "https://xn--bcher-kva.example/"},
        {"https://www.{address_domain}/{address_domain}",
         "https://www.xn--bcher-kva.example/xn--bcher-kva.example"},
        {"https://h/{address_domain}", "https://h/b%C3%BCcher.example"},
        {"https:/x/{address_domain}", "https:/x/b%C3%BCcher.example"},
        {"x://?{address_domain}", "x://?b%C3%BCcher.example"},
    };
    struct variable_values values = {0};
    (void)state;
    set(&values, VAR_ADDRESS_DOMAIN,
        "b\xC3\xBC"
        "cher.example");
    values.ascii_domain = CHECK_SPAN("xn--bcher-kva.example");
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf out = STRBUF_INIT;
        struct template t;
        check_row(rows[i].text);
        assert_null(compile_uri(rows[i].text, &t));
        check_int("expand", VAR_COUNT, template_expand(&t, &values, &out));
        check_text("URI", rows[i].uri, strbuf_span(&out));
        strbuf_free(&out);
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
        struct strbuf out = STRBUF_INIT;
        struct template t;
        check_row(rows[i].text);
        assert_null(
            template_compile(span_cstr(rows[i].text), TEMPLATE_TEXT, VARS_LIST, NULL, &arena, &t));
        check_int("expand", VAR_COUNT, template_expand(&t, &list, &out));
        check_text("made", rows[i].made, strbuf_span(&out));
        strbuf_free(&out);
    }
    check_end();
}

/* Slashes of a value are not those that {archive} has for itself (RULINGS 42). */
static void test_slashes_of_a_value(void **state)
{
    static const struct {
        enum template_kind kind;
        const char *made;
    } rows[] = {{TEMPLATE_TEXT, "https://a.example///x"},
                {TEMPLATE_URI, "https://a.example/%2F%2Fx"}};
    struct variable_values values = {0};
    (void)state;
    set(&values, VAR_ARCHIVE, "https://a.example/");
    set(&values, VAR_SUBJECT, "//x");
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf out = STRBUF_INIT;
        struct template t;
        check_row(rows[i].made);
        assert_null(template_compile(span_cstr("{archive}/{subject}"), rows[i].kind,
                                     VAR_BIT(VAR_ARCHIVE) | VARS_FIELDS, NULL, &arena, &t));
        check_int("expand", VAR_COUNT, template_expand(&t, &values, &out));
        check_text("made", rows[i].made, strbuf_span(&out));
        strbuf_free(&out);
    }
    check_end();
}

/* RULINGS 49 */
static void test_a_missing_value(void **state)
{
    struct variable_values message = message_values();
    struct template t;
    struct strbuf out = STRBUF_INIT;
    (void)state;
    message.set &= ~(VAR_BIT(VAR_YEAR) | VAR_BIT(VAR_DAY));
    strbuf_add_str(&out, "before");
    check_row("a date that is missing");
    assert_null(compile_uri("x:{message_id}/{day}/{year}", &t));
    check_int("missing", VAR_DAY, template_expand(&t, &message, &out));
    check_text("nothing is appended", "before", strbuf_span(&out));
    strbuf_free(&out);
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
        /* within a value, too: servers decode it before they look */
        {"{archive}/{message_id}", "../../other", NULL},
        {"{archive}/{message_id}/", "a/../../b", NULL},
        {"{archive}/{message_id}/", "./", NULL},
        {"{archive}/{message_id}", "a/..", NULL},
        {"https://h/a%2f{message_id}/x", "..", NULL},
        {"https://h/a%5c{message_id}/x", ".", NULL},
        {"{archive}/{message_id}", "a\\..\\b", NULL},
        {"https://h/x-{message_id}.html", "/../a", NULL},
        {"https://h/a%2f{message_id}%5cx", "..", NULL},
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
    struct variable_values values = list_values("https://h/a");
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct template t;
        struct strbuf out = STRBUF_INIT;
        bool is_fine = rows[i].uri != NULL;
        check_row(rows[i].text);
        check_row(rows[i].id);
        set(&values, VAR_MESSAGE_ID, rows[i].id);
        assert_null(compile_uri(rows[i].text, &t));
        strbuf_add_char(&out, '<');
        check_int("expand", is_fine ? VAR_COUNT : VAR_MESSAGE_ID,
                  template_expand(&t, &values, &out));
        check_text("URI", is_fine ? rows[i].uri : "", span_sub(strbuf_span(&out), 1, SIZE_MAX));
        assert_null(template_compile(span_cstr(rows[i].text), TEMPLATE_TEXT, ALL_VARIABLES, NULL,
                                     &arena, &t));
        check_int("a text has no segments", VAR_COUNT, template_expand(&t, &values, &out));
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
        {"https://{message_id}/x", "https://a@b.example/x", "in the scheme or host name"},
        {"https://h.example:{year}/x", "https://h.example:1/x", "in the scheme or host name"},
        {"{message_id}", "a@b.example", "scheme"},
        {"javascript:{message_id}", "javascript:a@b.example", "javascript"},
        {"", "", "is empty"},
        {"{message_id:1}ftp://f.", "aftp://f.", "in the scheme or host name"},
        {"{message_id:2}ftp://f.", "1ftp://f.", "scheme"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *sample = i + 1 == sizeof rows / sizeof rows[0] ? "1" : NULL;
        struct variable_values values = {.set = 0};
        struct strbuf uri = STRBUF_INIT;
        struct template t;
        check_row(rows[i].text);
        set(&values, VAR_LIST_ID, "a.example");
        assert_null(compile_uri(rows[i].text, &t));
        const char *fault = template_try(&t, &values, sample, &uri);
        check_str("URI", rows[i].uri, strbuf_str(&uri));
        check_bool("wrong", rows[i].fault != NULL, fault != NULL);
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
        cmocka_unit_test_setup_teardown(test_show, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_domain_in_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plain_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slashes_of_a_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_missing_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_segments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_try, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
