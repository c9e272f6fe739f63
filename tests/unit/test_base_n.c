/* base_n: the vectors of RFC 4648 section 10, without padding (spec/token adds it) */
#include "spec/base_n.h"

#include "check.h"

typedef void encoder(const unsigned char *octets, size_t n, char *out);

static void check_encoding(const char *what, encoder *encode, struct span octets, size_t length,
                           const char *encoded)
{
    char out[40];
    memset(out, '#', sizeof(out));
    encode((const unsigned char *)octets.p, octets.n, out);
    check_str(what, encoded, out);
    check_int("length", (long long)strlen(encoded), (long long)length);
    check_int("octet behind the NUL", '#', out[length + 1]);
}

static void test_rfc4648_vectors(void **state)
{
    static const struct {
        const char *text;
        const char *base32, *base64url, *base16;
    } rows[] = {
        {"", "", "", ""},
        {"f", "MY", "Zg", "66"},
        {"fo", "MZXQ", "Zm8", "666f"},
        {"foo", "MZXW6", "Zm9v", "666f6f"},
        {"foob", "MZXW6YQ", "Zm9vYg", "666f6f62"},
        {"fooba", "MZXW6YTB", "Zm9vYmE", "666f6f6261"},
        {"foobar", "MZXW6YTBOI", "Zm9vYmFy", "666f6f626172"},
        {"\xff\xff\xff\xff\xff", "77777777", "______8", "ffffffffff"},
        {"\x80", "QA", "gA", "80"},
        {"\xfb\xef\xbe", "7PX34", "----", "fbefbe"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span octets = span_cstr(rows[i].text);
        size_t n = octets.n;
        check_row(rows[i].text);
        check_encoding("Base 32", base32_encode, octets, BASE32_LENGTH(n), rows[i].base32);
        check_encoding("base64url", base64url_encode, octets, BASE64_LENGTH(n), rows[i].base64url);
        check_encoding("Base 16", base16_encode, octets, BASE16_LENGTH(n), rows[i].base16);
    }
    check_end();
}

/* Every digit of each alphabet, in its order: RFC 4648 tables 3, 2 and 5 */
static void test_alphabets(void **state)
{
    unsigned char octets[48];
    char out[100];
    (void)state;
    for (unsigned i = 0; i < sizeof octets; i++) { /* the six-bit groups 0 to 63 */
        unsigned group = i / 3 * 4;
        unsigned bits = group << 18 | (group + 1) << 12 | (group + 2) << 6 | (group + 3);
        octets[i] = (unsigned char)(bits >> (16 - i % 3 * 8));
    }
    base64url_encode(octets, sizeof octets, out);
    assert_string_equal("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", out);
    base32_encode((const unsigned char *)"\x00\x44\x32\x14\xc7\x42\x54\xb6\x35\xcf\x84\x65\x3a"
                                         "\x56\xd7\xc6\x75\xbe\x77\xdf",
                  20, out);
    assert_string_equal("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", out);
    base16_encode((const unsigned char *)"\x01\x23\x45\x67\x89\xab\xcd\xef", 8, out);
    assert_string_equal("0123456789abcdef", out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc4648_vectors),
        cmocka_unit_test(test_alphabets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
