/* digest: known answers of FIPS 180 and of archives' URLs */
#include "spec/digest.h"

#include "check.h"

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
        struct digest *d = digest_new(rows[i].digest);
        struct span parts[3];
        unsigned char octets[DIGEST_MAX_OCTETS];
        char hex[2 * DIGEST_MAX_OCTETS + 1];

        check_row(rows[i].hex);
        for (size_t k = 0; k < 3; k++)
            parts[k] = span_cstr(rows[i].parts[k]);
        if (!check_bool("digest is there", true, d != NULL))
            continue;
        check_int("size", (long long)strlen(rows[i].hex) / 2, (long long)digest_size(d));
        check_int("result", 0, digest_compute(d, parts, 3, octets));
        to_hex(octets, digest_size(d), hex);
        check_str("digest", rows[i].hex, hex);
        digest_free(d);
    }
    check_end();
}

static void test_unknown_names(void **state)
{
    static const char *const names[] = {"", "sha-nothing", "aes-128-cbc"};

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        struct digest *d = digest_new(names[i]);

        check_row(names[i]);
        check_bool("none", true, d == NULL);
        digest_free(d);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_unknown_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
