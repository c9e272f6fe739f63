/* base_n: the vectors of RFC 4648 section 10, without padding */
#include "spec/base_n.h"

#include "check.h"

static void test_rfc4648_vectors(void **state)
{
    static const struct {
        const char *text;
        const char *encoded;
    } rows[] = {
        {"", ""},
        {"f", "MY"},
        {"fo", "MZXQ"},
        {"foo", "MZXW6"},
        {"foob", "MZXW6YQ"},
        {"fooba", "MZXW6YTB"},
        {"foobar", "MZXW6YTBOI"},
        {"\xff\xff\xff\xff\xff", "77777777"},
        {"\x80", "QA"},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char out[32];
        size_t n = strlen(rows[i].text);

        memset(out, '#', sizeof(out));
        check_row(rows[i].text);
        base32_encode((const unsigned char *)rows[i].text, n, out);
        check_str("Base 32", rows[i].encoded, out);
        check_int("length", (long long)strlen(rows[i].encoded), (long long)BASE32_LENGTH(n));
        check_int("octet behind the NUL", '#', out[BASE32_LENGTH(n) + 1]);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc4648_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
