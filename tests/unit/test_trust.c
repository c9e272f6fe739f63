/* config/lists/trust: LI-13, RULINGS 23 and 27. */
#include "check.h"

#include "config/read/trust.h"

#define RULES_MAX 3

/* Reads rules into an array. */
static struct trust_rules read_rules(const char *const *texts, size_t count,
                                     struct trust_rule rules[RULES_MAX])
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(trust_rule_read(span_cstr(texts[i]), &rules[i]), REMARK_NONE);
    return (struct trust_rules){rules, count};
}

static struct client client_at(const char *address)
{
    struct client client = {0};
    client.has_address = trust_address_parse(span_cstr(address), &client.address);
    return client;
}

/* RULINGS 23 */
static void test_networks(void **state)
{
    static const struct {
        const char *rule, *address;
        bool matches;
    } rows[] = {
        {"127.0.0.0/8", "127.0.0.1", true},
        {"127.0.0.0/8", "127.255.255.255", true},
        {"127.0.0.0/8", "128.0.0.1", false},
        {"127.0.0.0/8", "::ffff:127.0.0.1", true}, /* IPv4-mapped IPv6 is IPv4 */
        {"127.0.0.0/8", "IPv6:::ffff:127.0.0.1", true},
        {"::ffff:10.0.0.0/104", "10.1.2.3", true},
        {"::ffff:10.0.0.0/104", "11.1.2.3", false},
        {"192.0.2.7", "192.0.2.7", true}, /* no prefix: one host */
        {"192.0.2.7", "192.0.2.6", false},
        {"192.0.2.0/31", "192.0.2.1", true},
        {"192.0.2.0/31", "192.0.2.2", false},
        {"192.0.2.129/25", "192.0.2.200", true}, /* bits behind the prefix do not count */
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"::/0", "2001:db8::1", true},
        {"::/0", "203.0.113.9", false}, /* RULINGS 27: both must be written */
        {"::1", "::1", true},
        {"::1", "127.0.0.1", false},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
        {"IPv6:2001:db8::/32", "IPv6:2001:db8::5", true},
        {"local", "127.0.0.1", false},
        {"authenticated", "127.0.0.1", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct trust_rule room[RULES_MAX];
        struct client client = client_at(rows[i].address);
        check_row(rows[i].rule);
        check_bool("an address", true, client.has_address);
        struct trust_rules rules = read_rules(&rows[i].rule, 1, room);
        check_bool(rows[i].address, rows[i].matches, trust_matches(&rules, &client));
    }
    check_end();
}

static void test_names(void **state)
{
    static const char *const texts[] = {"daemon:lists", "authenticated", "LOCAL"};
    static const char *const networks[] = {"0.0.0.0/0", "::/0"};
    struct trust_rule room[RULES_MAX];
    (void)state;
    struct trust_rules rules = read_rules(texts, 3, room);

    struct client client = client_at("203.0.113.9");
    assert_false(trust_matches(&rules, &client));
    client.daemon_name = span_cstr("lists");
    assert_true(trust_matches(&rules, &client));
    client.daemon_name = span_cstr("Lists"); /* exactly */
    assert_false(trust_matches(&rules, &client));
    client.authenticated = true;
    assert_true(trust_matches(&rules, &client));
    client.authenticated = false;
    client.local = true;
    assert_true(trust_matches(&rules, &client));

    struct client nobody = {0}; /* without an address: untrusted, whatever the networks are */
    rules = read_rules(networks, 2, room);
    assert_false(trust_matches(&rules, &nobody));
    rules.count = 0;
    client = client_at("127.0.0.1");
    assert_false(trust_matches(&rules, &client));
}

static void test_wrong_rules(void **state)
{
    static const char *const rows[] = {
        "",           "300.0.0.1",    "1.2.3",       "1.2.3.4/33", "1.2.3.4/",   "1.2.3.4/-1",
        "1.2.3.4/+8", "1.2.3.4/0008", "::1/129",     "::1/",       "[::1]",      "[::1]/128",
        "daemon:",    "deamon:x",     "localhost",   "::1%eth0",   "1.2.3.4 /8", "IPv6:1.2.3.4",
        "1.2.3.4/8/", "IPv6:",        "authenticate"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i]);
        struct trust_rule rule;
        check_bool("says why", true, trust_rule_read(span_cstr(rows[i]), &rule) != REMARK_NONE);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_wrong_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
