/* base_n - see base_n.h */
#include "spec/base_n.h"

void base32_encode(const unsigned char *octets, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned bits = 0; /* octets taken but not written yet: the low `have` bits */
    unsigned have = 0;
    for (size_t i = 0; i < n; i++) {
        bits = (bits << 8) | octets[i];
        have += 8;
        while (have >= 5) {
            have -= 5;
            *out++ = digits[(bits >> have) & 31];
        }
        bits &= (1U << have) - 1;
    }
    if (have > 0)
        *out++ = digits[(bits << (5 - have)) & 31];
    *out = '\0';
}

void base64url_encode(const unsigned char *octets, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned bits = 0; /* as above */
    unsigned have = 0;
    for (size_t i = 0; i < n; i++) {
        bits = (bits << 8) | octets[i];
        have += 8;
        while (have >= 6) {
            have -= 6;
            *out++ = digits[(bits >> have) & 63];
        }
        bits &= (1U << have) - 1;
    }
    if (have > 0)
        *out++ = digits[(bits << (6 - have)) & 63];
    *out = '\0';
}

void base16_encode(const unsigned char *octets, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        *out++ = digits[octets[i] >> 4];
        *out++ = digits[octets[i] & 15];
    }
    *out = '\0';
}
