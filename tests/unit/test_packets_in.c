/* Macros without a value for the last name, a client's name without an end, and the word that
 * another client comes, are a failed read, however they come. */
#undef _FORTIFY_SOURCE /* whose header may call another one */
#include "check.h"

#include "libmilter/gaps.h"
#include "libmilter/packets_in.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NO_PIECES 0

struct pair {
    int ours, theirs;
};

static struct pair open_pair(void)
{
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    return (struct pair){fds[0], fds[1]};
}

static void close_pair(struct pair p)
{
    close(p.ours);
    close(p.theirs);
}

/* As libmilter reads so many octets, which come in pieces. 0, or the errno of a failed read. */
static int read_all(struct pair p, const char *octets, size_t n, size_t piece)
{
    char got[300];

    for (size_t at = 0; at < n;) {
        size_t come = piece != NO_PIECES && piece < n - at ? piece : n - at;

        assert_int_equal(send(p.theirs, octets + at, come, 0), come);
        errno = 0;
        if (read(p.ours, got + at, n - at) < 0)
            return errno;
        assert_memory_equal(got + at, octets + at, come);
        at += come;
    }
    return 0;
}

static int read_packet(struct pair p, char command, struct span data, size_t piece)
{
    const char prefix[] = {0, 0, 0, (char)(data.n + 1), command};
    int failed = read_all(p, prefix, sizeof prefix, piece);

    return failed != 0 ? failed : read_all(p, data.p, data.n, piece);
}

static const struct {
    const char *what;
    char command;
    struct span data;
    int failed;
} rows[] = {
    {"none", 'D', CHECK_LITERAL("C"), 0},
    {"one", 'D', CHECK_LITERAL("Ci\0ABC\0"), 0},
    {"two", 'D', CHECK_LITERAL("M{auth_authen}\0\0i\0ABC\0"), 0},
    {"nothing", 'D', CHECK_LITERAL(""), 0},
    {"a name", 'D', CHECK_LITERAL("Mi\0"), EPROTO},
    {"an empty name", 'D', CHECK_LITERAL("M\0"), EPROTO},
    {"a value without an end", 'D', CHECK_LITERAL("Mi\0ABC"), EPROTO},
    {"a name behind one", 'D', CHECK_LITERAL("M{auth_authen}\0someone\0i\0"), EPROTO},
    {"a client", 'C', CHECK_LITERAL("mail.example.org\0\064\0\031192.0.2.1\0"), 0},
    {"one that nobody knows", 'C', CHECK_LITERAL("localhost\0U"), 0},
    {"one without an end", 'C', CHECK_LITERAL("mail.example.org"), EPROTO},
    {"one without a name", 'C', CHECK_LITERAL(""), 0},
    {"another client", 'K', CHECK_LITERAL(""), EPROTO},
    {"another client, and data", 'K', CHECK_LITERAL("x"), EPROTO},
    {"another command", 'M', CHECK_LITERAL("<a@b>\0"), 0},
    {"a field", 'L', CHECK_LITERAL("Subject\0D\0\0"), 0},
};

/* Packets of one connection, one after the other. */
static void test_packets(void **state)
{
    (void)state;
    for (size_t piece = NO_PIECES; piece < 7; piece++) {
        struct pair p = open_pair();
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            check_row(rows[i].what);
            check_int("failed", rows[i].failed,
                      read_packet(p, rows[i].command, rows[i].data, piece));
        }
        close_pair(p);
    }
    check_end();
}

/* Another client is refused however long libmilter takes the packet for; a TLS record is none. */
static void test_other_client(void **state)
{
    static const struct {
        const char *prefix;
        int failed;
    } prefixes[] = {
        {"\0\0\0\0K", EPROTO},   {"\0\0\0\1K", EPROTO},         {"\0\20\0\1K", EPROTO},
        {"\200\0\0\5K", EPROTO}, {"\377\377\377\377K", EPROTO}, {"\26\3\3\0K", 0},
        {"\0\0\0\1Q", 0},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(prefixes); i++) {
        struct pair p = open_pair();

        check_row("a prefix");
        check_int("failed", prefixes[i].failed, read_all(p, prefixes[i].prefix, 5, NO_PIECES));
        close_pair(p);
        packets_in_forget();
    }
    check_end();
}

/* A connection that ended in the middle leaves nothing for the next one, which may have its number.
 */
static void test_cut_off(void **state)
{
    struct pair p = open_pair();
    (void)state;
    for (size_t cut = 1; cut < 5; cut++) {
        char got[5];

        assert_int_equal(send(p.theirs, "\0\0\0\3D", cut, 0), cut);
        assert_int_equal(read(p.ours, got, sizeof got), cut);
        assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0ABC\0"), NO_PIECES), 0);
        assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0"), NO_PIECES), EPROTO);
    }
    close_pair(p);
}

/* As much is missing as a prefix has: the next connection's is not taken for it, neither for a
 * packet that is broken nor for one that was looked at. */
static void test_cut_off_before_five(void **state)
{
    static const char *const begun[] = {"\0\0\0\6D", "\0\0\0\010DMi"};
    static char odd[256];

    (void)state;
    memset(odd, 'x', sizeof odd);
    for (size_t i = 0; i < CHECK_COUNT(begun); i++) {
        for (size_t n = 0; n < 2; n++) {
            struct pair p = open_pair();
            int number = p.ours;

            assert_int_equal(read_all(p, begun[i], 5, NO_PIECES), 0);
            if (i == 1) {
                char got[7];

                assert_int_equal(send(p.theirs, begun[i] + 5, 2, 0), 2);
                assert_int_equal(read(p.ours, got, sizeof got), 2);
            }
            close_pair(p);
            packets_in_forget(); /* as xxfi_close does */
            p = open_pair();
            assert_int_equal(p.ours, number);
            if (n == 0) {
                assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0ABC\0"), NO_PIECES), 0);
            } else {
                odd[1] = '\0';
                assert_int_equal(read_all(p, "\0\0\1\1D", 5, NO_PIECES), 0);
                assert_int_equal(read_all(p, odd, sizeof odd, NO_PIECES), EPROTO);
            }
            close_pair(p);
        }
    }
}

/* What else is read, between the parts of a packet too, is passed on as it is. */
static void test_others(void **state)
{
    struct pair p = open_pair();
    struct pair other = open_pair();
    char octet;
    (void)state;
    assert_int_equal(read_all(p, "\0\0\0\4D", 5, NO_PIECES), 0);
    assert_int_equal(read_all(other, "x\0y", 3, NO_PIECES), 0);
    assert_int_equal(read_all(other, "many octets\0", 12, 5), 0);
    assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0"), NO_PIECES), EPROTO);
    close(p.theirs);
    assert_int_equal(read(p.ours, &octet, 1), 0);
    assert_int_equal(read(-1, &octet, 1), -1);
    assert_int_equal(errno, EBADF);
    close(p.ours);
    close_pair(other);
}

/* A libmilter that was compiled with _FORTIFY_SOURCE=3 calls the other name. */
static void test_fortified(void **state)
{
    struct pair p = open_pair();
    char prefix[5], data[3];

    (void)state;
    assert_int_equal(send(p.theirs, "\0\0\0\4DMi\0", 8, 0), 8);
    assert_int_equal(__read_chk(p.ours, prefix, sizeof prefix, sizeof prefix), 5);
    errno = 0;
    assert_int_equal(__read_chk(p.ours, data, sizeof data, sizeof data), -1);
    assert_int_equal(errno, EPROTO);
    close_pair(p);
}

/* Nothing but the negotiation says that libmilter reads by our function. */
static void test_gap(void **state)
{
    struct pair p = open_pair();

    (void)state;
    assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0ABC\0"), NO_PIECES), 0);
    assert_false(gap_is_met(GAP_PACKETS_IN));
    assert_int_equal(read_packet(p, 'O', CHECK_SPAN("\0\0\0\6\0\0\1\377\0\37\377\377"), 2), 0);
    assert_true(gap_is_met(GAP_PACKETS_IN));
    close_pair(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_packets),
        cmocka_unit_test(test_other_client),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_cut_off_before_five),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_fortified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
