/* base_n - see base_n.h */
#include "spec/base_n.h"

/* Writes the bytes as digits of `width` bits each, and a NUL. */
static void encode(const char *digits, unsigned width, const unsigned char *octets, size_t n,
                   char *out)
{
    unsigned bits = 0; /* bits that are not written yet: the low `have` ones */
    unsigned have = 0;
    for (size_t i = 0; i < n; i++) {
        bits = (bits << 8) | octets[i];
        for (have += 8; have >= width; bits &= (1U << have) - 1) {
            have -= width;
            *out++ = digits[bits >> have];
        }
    }
    if (have > 0)
        *out++ = digits[bits << (width - have)];
    *out = '\0';
}

void base32_encode(const unsigned char *octets, size_t n, char *out)
{
    encode("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, octets, n, out);
}

void base64url_encode(const unsigned char *octets, size_t n, char *out)
{
    encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, octets, n, out);
}

void base16_encode(const unsigned char *octets, size_t n, char *out)
{
    encode("0123456789abcdef", 4, octets, n, out);
}
