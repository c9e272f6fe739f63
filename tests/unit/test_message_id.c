/* message_id: SU-01 to SU-03, SU-14, R1-01, RULINGS 5 to 7 */
#include "spec/message_id.h"

#include "mail/fold.h"

#include "check.h"

/* SU-01, SU-03, RULINGS 5 and 6: from the field's value as received to the hash */
static void test_message_id_hash(void **state)
{
    static const struct {
        const char *value;
        const char *bare;
        const char *hash;
    } rows[] = {
        {"<87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>", "87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp",
         "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"<aardvark>", "aardvark", "75E2XSUXAFQGWANWEROVQ7JGYMNWHJBT"},
        {"<12345>", "12345", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"},
        {"12345", "12345", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"},
        {"    12345    ", "12345", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"},
        {"12345>", "12345>", "YJIGBYRWZFG5LZEBQ7NR25B5HBR2BVD6"},
        {"<12345", "<12345", "XUFFJNJ2P2WC4NDPQRZFDJMV24POP64B"},
        {"", "", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
        {" <>", "", "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"},
        {"\r\n <CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com>",
         "CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod.outlook.com",
         "W5D2MQSITOHDGZDJKKL56I75NFD5TTCI"},
        {"\n\t<12345>\r\n ", "12345", "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE"},
        {"<", "<", NULL},
        {">", ">", NULL},
        {"><", "><", NULL},
        {"<<a@b>>", "<a@b>", NULL},
        {"<a@b> (no comment is understood)", "<a@b> (no comment is understood)", NULL},
        {"< a@b >", " a@b ", NULL},
        {"\v<a@b>", "\v<a@b>", NULL},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span text;
        char hash[MESSAGE_ID_HASH_LENGTH + 1] = "";
        check_row(rows[i].value);
        text = fold_text(span_cstr(rows[i].value), &arena);
        check_text("without brackets", rows[i].bare, message_id_bare(text));
        message_id_hash(message_id_bare(text), hash);
        if (rows[i].hash != NULL)
            check_str("hash", rows[i].hash, hash);
    }
    arena_free(&arena);
    check_end();
}

/* R1-01 */
static void test_list_id_hash(void **state)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    (void)state;
    check_row("the example of revision 1");
    message_id_list_hash(span_cstr("<87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>"),
                         span_cstr("Wed, 04 Jul 2007 16:49:58 +0900"), hash);
    check_str("X-List-ID-Hash", "RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI", hash);
    check_end();
}

/* SU-02, RULINGS 7 */
static void test_generated_id(void **state)
{
    static const struct {
        const char *parts[7];
        size_t count;
        const char *id;
    } rows[] = {
        {{"Wed, 04 Jul 2007 16:49:58 +0900", "a@example.com", "b@example.com", "", "Hello", "", ""},
         7,
         "<awskeqgpoame7s3ujsi63j5gxuyjvget@Example.org>"},
        {{NULL}, 0, "<3i42h3s6nnfq2msvx7xzkyayscx5qbyj@Example.org>"},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span parts[7];
        struct span id = {NULL, 0};
        check_row(rows[i].id);
        for (size_t k = 0; k < 7; k++)
            parts[k] = span_cstr(rows[i].parts[k]);
        id = message_id_generate(parts, rows[i].count, span_cstr("announce.Example.org"), &arena);
        check_text("id", rows[i].id, id);
    }
    arena_free(&arena);
    check_end();
}

/* RULINGS 7: the line feed keeps parts apart */
static void test_parts_do_not_run_together(void **state)
{
    const struct span one[] = {span_cstr("ab"), span_cstr("c")};
    const struct span two[] = {span_cstr("a"), span_cstr("bc")};
    struct span first, second;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    first = message_id_generate(one, 2, span_cstr("l.x"), &arena);
    second = message_id_generate(two, 2, span_cstr("l.x"), &arena);
    assert_false(span_eq(first, second));
    arena_free(&arena);
}

/* SU-14, RULINGS 54 */
static void test_normalize(void **state)
{
    static const struct {
        const char *typed;
        const char *hash;
    } rows[] = {
        {"JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP", "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"jjigkpkb6cvdx6b2cug4ihajriqioutp", "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {" \tjj1GKPKB6CVDX6B2CUG41HAJR1Q10UTP\r\n", "JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTP"},
        {"JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUT", NULL},
        {"JJIGKPKB6CVDX6B2CUG4IHAJRIQIOUTPA", NULL},
        {"JJIGKPKB6CVDX6B2 CUG4IHAJRIQIOUT", NULL},
        {"JJIGKPKB8CVDX6B2CUG4IHAJRIQIOUTP", NULL},
        {"JJIGKPKB9CVDX6B2CUG4IHAJRIQIOUTP", NULL},
        {"JJIGKPKB6CVDX6B2CUG4IHAJRIQIOU\xc3\xa9", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char hash[MESSAGE_ID_HASH_LENGTH + 1];
        bool good = message_id_hash_normalize(span_cstr(rows[i].typed), hash);
        check_row(rows[i].typed);
        check_bool("is a hash", rows[i].hash != NULL, good);
        if (good && rows[i].hash != NULL)
            check_str("canonical", rows[i].hash, hash);
    }
    check_end();
}

/* RULINGS 65: archived_at_requires = "well-formed" */
static void test_well_formed(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } rows[] = {
        {"<87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>", true},
        {"<CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.com>", true},
        {"<a@b>", true},
        {"<a/b@c>", true},
        {"<a@[127.0.0.1]>", true},
        {"<a@[IPv6:2001:db8::1]>", true},
        {"<a@[@]>", true},
        {"a@b", false},
        {"<a@b", false},
        {"a@b>", false},
        {"", false},
        {"<>", false},
        {"<", false},
        {"<@>", false},
        {"<a@>", false},
        {"<@b>", false},
        {"<a>", false},
        {"<a@b@c>", false},
        {"<<a@b>>", false},
        {"<a@b> (comment)", false},
        {"<a@b> <c@d>", false},
        {" <a@b>", false},
        {"< a@b>", false},
        {"<a@b >", false},
        {"<a.@b>", false},
        {"<.a@b>", false},
        {"<a..b@c>", false},
        {"<a@b.>", false},
        {"<a@.b>", false},
        /* what archives have trouble with */
        {"<a;b@c>", false},
        {"<a\\b@c>", false},
        {"<\"a\"@b>", false},
        {"<a:b@c>", false},
        {"<a(b)@c>", false},
        {"<a,b@c>", false},
        {"<a\tb@c>", false},
        {"<a\xc3\xa9@b>", false},
        {"<a@\xe9>", false},
        {"<a\x7f@b>", false},
        /* domain literals */
        {"<a@[]>", false},
        {"<a@[>", false},
        {"<a@]>", false},
        {"<a@[b]c>", false},
        {"<a@[b[c]>", false},
        {"<a@[b]c]>", false},
        {"<a@[b\\c]>", false},
        {"<a@[b c]>", false},
        {"<a@[\xe9]>", false},
        {"<a@[\x7f]>", false},
        {"<[a]@b>", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        check_bool("well-formed", rows[i].is, message_id_is_well_formed(span_cstr(rows[i].text)));
    }
    check_row("a NUL");
    check_bool("well-formed", false, message_id_is_well_formed(CHECK_SPAN("<a\0b@c>")));
    check_bool("well-formed", false, message_id_is_well_formed(CHECK_SPAN("<a@[b\0]>")));
    check_bool("well-formed", false, message_id_is_well_formed(span_of(NULL, 0)));
    char longest[258] = "<";
    memset(longest + 1, 'a', 255);
    longest[101] = '@';
    longest[255] = longest[256] = '>';
    check_row("254 and 255 octets between the brackets");
    check_bool("254", true, message_id_is_well_formed(span_of(longest, 256)));
    longest[255] = 'a';
    check_bool("255", false, message_id_is_well_formed(span_of(longest, 257)));
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_id_hash), cmocka_unit_test(test_list_id_hash),
        cmocka_unit_test(test_generated_id),    cmocka_unit_test(test_parts_do_not_run_together),
        cmocka_unit_test(test_normalize),       cmocka_unit_test(test_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
