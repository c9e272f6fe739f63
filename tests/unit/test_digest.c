/* digest: known answers of FIPS 180 and of archives' URLs; the vectors of RFC 4231 and RFC 2202;
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

static void check_hmac(const char *digest, struct span key, struct span text, const char *hex)
{
    unsigned char octets[DIGEST_MAX_OCTETS];
    char got[2 * DIGEST_MAX_OCTETS + 1];

    check_row(digest);
    to_hex(octets, digest_hmac(digest, key, text, octets), got);
    check_str("HMAC", hex, got);
}

/* RFC 4231 4.2 to 4.4, 4.7 and 4.8 (4.5 is like 4.4, 4.6 is of a truncated result) */
static void test_rfc4231(void **state)
{
    static char key_0b[20], key_aa[131], data_dd[50];
    const struct {
        struct span key, data;
        const char *sha224, *sha256, *sha384, *sha512;
    } rows[] = {
        {span_of(key_0b, sizeof key_0b), span_cstr("Hi There"),
         "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
         "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
         "faea9ea9076ede7f4af152e8b2fa9cb6",
         "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
         "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
        {span_cstr("Jefe"), span_cstr("what do ya want for nothing?"),
         "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
         "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
         "8e2240ca5e69e2c78b3239ecfab21649",
         "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
         "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
        {span_of(key_aa, 20), span_of(data_dd, sizeof data_dd),
         "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea",
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
         "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
         "2a5ab39dc13814b94e3ab6e101a34f27",
         "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
         "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"},
        {span_of(key_aa, sizeof key_aa),
         span_cstr("Test Using Larger Than Block-Size Key - Hash Key First"),
         "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
         "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6"
         "0c2ef6ab4030fe8296248df163f44952",
         "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
         "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"},
        {span_of(key_aa, sizeof key_aa),
         span_cstr("This is a test using a larger than block-size key and a larger than "
                   "block-size data. The key needs to be hashed before being used by the HMAC "
                   "algorithm."),
         "3a854166ac5d9f023f54d517d0b39dbd946770db9c2b95c9f6f565d1",
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
         "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5"
         "a678cc31e799176d3860e6110c46523e",
         "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
         "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"},
    };

    (void)state;
    memset(key_0b, 0x0b, sizeof key_0b);
    memset(key_aa, 0xaa, sizeof key_aa);
    memset(data_dd, 0xdd, sizeof data_dd);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_hmac("sha224", rows[i].key, rows[i].data, rows[i].sha224);
        check_hmac("sha256", rows[i].key, rows[i].data, rows[i].sha256);
        check_hmac("sha384", rows[i].key, rows[i].data, rows[i].sha384);
        check_hmac("sha512", rows[i].key, rows[i].data, rows[i].sha512);
    }
    check_end();
}

/* RFC 2202 2 and 3 */
static void test_rfc2202(void **state)
{
    struct span text = span_cstr("what do ya want for nothing?");

    (void)state;
    check_hmac("sha1", span_cstr("Jefe"), text, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    check_hmac("MD5", span_cstr("Jefe"), text, "750c783e6ab0b503eaa86e310a5db738");
    check_end();
}

/* HMAC cannot use these: no result, and no error in the queue. */
static void test_no_hmac(void **state)
{
    static const char *const names[] = {"", "sha-nothing", "aes-128-cbc", "shake128", "shake256"};
    unsigned char octets[DIGEST_MAX_OCTETS];

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        check_row(names[i]);
        check_int("none", 0,
                  (long long)digest_hmac(names[i], span_cstr("k"), span_cstr(""), octets));
        check_int("errors", 0, (long long)ERR_peek_error());
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_rfc4231),       cmocka_unit_test(test_rfc2202),
        cmocka_unit_test(test_no_hmac),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
