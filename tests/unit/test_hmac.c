/* hmac: the vectors of RFC 4231 and RFC 2202; SU-24 */
#include "spec/hmac.h"

#include "check.h"

#include <openssl/err.h>
#include <pthread.h>

static void to_hex(const unsigned char *octets, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", octets[i]);
    out[2 * n] = '\0';
}

static void check_vector(const char *digest, struct span key, const struct span *parts,
                         size_t count, const char *hex)
{
    struct hmac *h = hmac_new(digest);
    unsigned char octets[DIGEST_MAX_OCTETS];
    char got[2 * DIGEST_MAX_OCTETS + 1];

    check_row(digest);
    if (!check_bool("is there", true, h != NULL))
        return;
    check_int("size", (long long)strlen(hex) / 2, (long long)hmac_size(h));
    for (int round = 0; round < 2; round++) { /* the object is not used up */
        check_int("result", 0, hmac_compute(h, key, parts, count, octets));
        to_hex(octets, hmac_size(h), got);
        check_str("HMAC", hex, got);
    }
    hmac_free(h);
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
        check_vector("sha224", rows[i].key, &rows[i].data, 1, rows[i].sha224);
        check_vector("sha256", rows[i].key, &rows[i].data, 1, rows[i].sha256);
        check_vector("sha384", rows[i].key, &rows[i].data, 1, rows[i].sha384);
        check_vector("sha512", rows[i].key, &rows[i].data, 1, rows[i].sha512);
    }
    check_end();
}

/* RFC 2202 2 and 3, cut into parts */
static void test_parts(void **state)
{
    const struct span parts[] = {span_of(NULL, 0), span_cstr("what do ya"), span_cstr(""),
                                 span_cstr(" want for nothing?")};

    (void)state;
    check_vector("sha1", span_cstr("Jefe"), parts, 4, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    check_vector("MD5", span_cstr("Jefe"), parts, 4, "750c783e6ab0b503eaa86e310a5db738");
    check_end();
}

/* What HMAC cannot be made with, and no key: no result, nothing left in the queue of errors. */
static void test_what_cannot_be(void **state)
{
    static const char *const names[] = {
        "",
        "sha-nothing",
        "aes-128-cbc",
        "shake128",
        "shake256",
        "sha256sha256sha256sha256sha256sha256sha256sha256sha256sha256sha256"};
    unsigned char octets[DIGEST_MAX_OCTETS];

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        struct hmac *h = hmac_new(names[i]);

        check_row(names[i]);
        check_bool("none", true, h == NULL);
        check_int("errors", 0, (long long)ERR_peek_error());
        hmac_free(h);
    }
    struct hmac *h = hmac_new("sha256");
    check_row("no key");
    check_int("result", -1, hmac_compute(h, span_of(NULL, 0), NULL, 0, octets));
    check_int("result", -1, hmac_compute(h, span_of("", 0), NULL, 0, octets));
    hmac_free(h);
    hmac_free(NULL);
    check_end();
}

/* One object, many threads, each with a key of its own. */
#define THREADS 8
#define ROUNDS  400

struct worker {
    const struct hmac *h;
    char key[20];
    unsigned char expected[DIGEST_MAX_OCTETS];
    size_t wrong;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    struct span data = span_cstr("Hi There");
    unsigned char octets[DIGEST_MAX_OCTETS];

    for (int i = 0; i < ROUNDS; i++) {
        if (hmac_compute(w->h, span_cstr(w->key), &data, 1, octets) != 0 ||
            memcmp(octets, w->expected, hmac_size(w->h)) != 0)
            w->wrong++;
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct hmac *h = hmac_new("sha256");
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct span data = span_cstr("Hi There");

    (void)state;
    assert_non_null(h);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.h = h};
        snprintf(workers[i].key, sizeof workers[i].key, "key %d", i);
        assert_int_equal(0,
                         hmac_compute(h, span_cstr(workers[i].key), &data, 1, workers[i].expected));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, work, &workers[i]));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(0, pthread_join(threads[i], NULL));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(0, workers[i].wrong);
    hmac_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc4231),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_what_cannot_be),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
