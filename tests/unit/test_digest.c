/* digest: known answers of FIPS 180 and of archives' URLs; the vectors of RFC 4231;
 * SU-24 */
#include "spec/digest.h"

#include "check.h"

#include <openssl/err.h>

static void to_hex(const unsigned char *octets, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", octets[i]);
    out[2 * n] = '\0';
}

static void test_known_answers(void **state)
{
    static const struct {
        const char *digest;
        const char *parts[3];
        const char *hex;
    } rows[] = {
        {"sha1", {"abc"}, "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"SHA1", {"a", "", "bc"}, "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"sha1", {NULL}, "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"sha256", {"abc"}, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        /* the token of mailarchive.ietf.org: 5LnnKm093cGpOmDI9TnLQLBXyys */
        {"sha1",
         {"CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.com", "bpf"},
         "e4b9e72a6d3dddc1a93a60c8f539cb40b057cb2b"},
        /* of go.mail-archive.com: TYC5RXtrO8He0zU5w8D0ePavPyc= */
        {"sha1", {"12345", "list@example.org"}, "4d80b9457b6b3bc1ded33539c3c0f478f6af3f27"},
        /* of Sympa: 0WUaHd4roVtzVGndiwqTSg */
        {"md5", {"87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"}, "d1651a1dde2ba15b735469dd8b0a934a"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span parts[3];
        unsigned char octets[DIGEST_MAX_OCTETS];
        char hex[2 * DIGEST_MAX_OCTETS + 1];
        check_row(rows[i].hex);
        for (size_t k = 0; k < 3; k++)
            parts[k] = span_cstr(rows[i].parts[k]);
        size_t size = digest_compute(rows[i].digest, parts, 3, octets);
        check_int("size", (long long)strlen(rows[i].hex) / 2, (long long)size);
        to_hex(octets, size, hex);
        check_str("digest", rows[i].hex, hex);
    }
    check_end();
}

static void test_unknown_names(void **state)
{
    static const char *const names[] = {"", "sha-nothing", "aes-128-cbc"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        unsigned char octets[DIGEST_MAX_OCTETS];
        check_row(names[i]);
        check_int("none", 0, (long long)digest_compute(names[i], NULL, 0, octets));
        check_int("errors", 0, (long long)ERR_peek_error());
    }
    check_end();
}

static void check_hmac(struct span key, struct span text, const char *hex)
{
    unsigned char octets[SHA256_OCTETS];
    char got[2 * SHA256_OCTETS + 1];
    check_row(hex);
    digest_hmac_sha256(key, text, octets);
    to_hex(octets, sizeof octets, got);
    check_str("HMAC", hex, got);
}

/* RFC 4231 4.2 to 4.4, 4.7 and 4.8 (4.5 is like 4.4, 4.6 is of a truncated result) */
static void test_rfc4231(void **state)
{
    static char key_0b[20], key_aa[131], data_dd[50];
    const struct {
        struct span key, data;
        const char *sha256;
    } rows[] = {
        {span_of(key_0b, sizeof key_0b), span_cstr("Hi There"),
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {span_cstr("Jefe"), span_cstr("what do ya want for nothing?"),
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {span_of(key_aa, 20), span_of(data_dd, sizeof data_dd),
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {span_of(key_aa, sizeof key_aa),
         span_cstr("Test Using Larger Than Block-Size Key - Hash Key First"),
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {span_of(key_aa, sizeof key_aa),
         span_cstr("This is a test using a larger than block-size key and a larger than "
                   "block-size data. The key needs to be hashed before being used by the HMAC "
                   "algorithm."),
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    (void)state;
    memset(key_0b, 0x0b, sizeof key_0b);
    memset(key_aa, 0xaa, sizeof key_aa);
    memset(data_dd, 0xdd, sizeof data_dd);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_hmac(rows[i].key, rows[i].data, rows[i].sha256);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_rfc4231),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
