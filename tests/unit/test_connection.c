/* libmilter reads what the MTA sent, except packets that it would take wrongly; edits leave with
 * their answer or not at all; and every other descriptor is the kernel's. */
#undef _FORTIFY_SOURCE /* its headers may call other functions */
#include "check.h"

#include "generated.h"
#include "libmilter/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define WHOLE      200000 /* a piece that is larger than all that is sent */
#define ANY_PIECES 0

static struct generator dice = {11};

#define NO_LIMIT (-1)
static long limit; /* of the last wait, in milliseconds */
static int interrupted;

/* Replaces the C library's, which the module calls. */
int ppoll(struct pollfd *wanted, nfds_t count, const struct timespec *most, const sigset_t *mask)
{
    const struct timespec soon = {0, 1000000}; /* two seconds are over at once */
    (void)mask;
    assert_true(most == NULL || (most->tv_sec >= 0 && most->tv_nsec >= 0));
    limit = most == NULL ? NO_LIMIT : most->tv_sec * 1000 + most->tv_nsec / 1000000;
    if (interrupted == 0)
        return (int)syscall(SYS_ppoll, wanted, count, &soon, NULL, 8);
    interrupted--;
    errno = EINTR;
    return -1;
}

struct pair {
    int ours, theirs;
};

/* Opens a connection as libmilter does. */
static struct pair open_pair(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    struct sockaddr_storage from;
    socklen_t n = sizeof from;
    struct pair p = {.theirs = socket(AF_UNIX, SOCK_STREAM, 0)};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "test_connection-%d", (int)getpid());
    assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(connect(p.theirs, (struct sockaddr *)&name, sizeof name), 0);
    p.ours = accept(listener, (struct sockaddr *)&from, &n);
    assert_true(p.ours >= 0);
    close(listener);
    return p;
}

static void close_pair(struct pair p)
{
    close(p.ours);
    close(p.theirs);
}

static void put(struct pair p, const char *bytes, size_t n)
{
    assert_int_equal(send(p.theirs, bytes, n, 0), n);
}

/* Waits as libmilter's builds do. */
static int ask_by(bool by_select, int fd, int milliseconds)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN | POLLPRI};
    struct timeval most = {milliseconds / 1000, milliseconds % 1000 * 1000};
    fd_set reads, faults;
    int result;
    FD_ZERO(&reads);
    FD_SET(fd, &reads);
    faults = reads;
    if (by_select)
        result = select(fd + 1, &reads, NULL, &faults, milliseconds < 0 ? NULL : &most);
    else
        result = poll(&wanted, 1, milliseconds);
    assert_true(result != 1 || by_select || (wanted.revents & POLLIN) != 0);
    assert_true(result < 0 || !by_select ||
                (FD_ISSET(fd, &reads) == (result == 1) && !FD_ISSET(fd, &faults)));
    return result;
}

static int ask(int fd)
{
    return ask_by(generated_number(&dice, 2) == 0, fd, 1);
}

/* Sends packets in pieces of so many bytes, and reads them as libmilter does. Returns 0, or the
 * errno of a failed read. */
static int read_all(struct pair p, const char *bytes, size_t size, size_t piece)
{
    static char got[WHOLE];
    bool is_prefix = true;
    for (size_t at = 0, sent = 0, end = 5; at < size;) {
        uint32_t length;
        ssize_t come;
        if (sent == at || (sent < at + 20000 && generated_number(&dice, 4) == 0)) {
            size_t n = piece != ANY_PIECES
                           ? piece
                           : 1 + generated_number(&dice, (size_t)1 << generated_number(&dice, 16));
            n = n < size - sent ? n : size - sent;
            put(p, bytes + sent, n);
            sent += n;
        }
        assert_int_equal(ask(p.ours), 1);
        errno = 0;
        come = read(p.ours, got + at, end - at);
        if (come < 0)
            return errno;
        assert_memory_equal(got + at, bytes + at, come);
        at += (size_t)come;
        if (at < end)
            continue;
        memcpy(&length, got + at - 5, sizeof length);
        length = ntohl(length);
        is_prefix = !is_prefix || length <= 1 || length > INT32_MAX;
        end = at + (is_prefix ? 5 : length - 1);
    }
    return 0;
}

static int read_packet(struct pair p, char command, struct span data, size_t piece)
{
    char packet[300] = {0, 0, 0, (char)(data.n + 1), command};
    memcpy(packet + 5, data.p, data.n);
    return read_all(p, packet, 5 + data.n, piece);
}

/* clang-format off */
static const struct {
    const char *what;
    char command;
    struct span data;
    int failed;
} rows[] = {
    {"no macros", 'D', CHECK_LITERAL("C"), 0},
    {"one macro", 'D', CHECK_LITERAL("Ci\0ABC\0"), 0},
    {"two macros", 'D', CHECK_LITERAL("M{auth_authen}\0\0i\0ABC\0"), 0},
    {"a client", 'C', CHECK_LITERAL("mail.example.org\0\064\0\031192.0.2.1\0"), 0},
    {"an unknown client", 'C', CHECK_LITERAL("localhost\0U"), 0},
    {"no client", 'C', CHECK_LITERAL(""), 0},
    {"MAIL", 'M', CHECK_LITERAL("<a@b>\0"), 0},
    {"a field", 'L', CHECK_LITERAL("Subject\0D\0\0"), 0},
    {"a name", 'D', CHECK_LITERAL("Mi\0"), EPROTO},
    {"an empty name", 'D', CHECK_LITERAL("M\0"), EPROTO},
    {"a value without an end", 'D', CHECK_LITERAL("Mi\0ABC"), EPROTO},
    {"a name after a macro", 'D', CHECK_LITERAL("M{auth_authen}\0someone\0i\0"), EPROTO},
    {"a client without an end", 'C', CHECK_LITERAL("mail.example.org"), EPROTO},
    {"another client", 'K', CHECK_LITERAL(""), EPROTO},
};
/* clang-format on */

/* Packets of a connection, whole and in pieces. A refused packet ends the connection. */
static void test_packets(void **state)
{
    (void)state;
    for (size_t piece = ANY_PIECES; piece < 7; piece++) {
        struct pair p = open_pair();
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            check_row(rows[i].what);
            check_int("failed", rows[i].failed,
                      read_packet(p, rows[i].command, rows[i].data, piece));
            check_bool("a reason", rows[i].failed != 0,
                       connection_fault() != NULL && strstr(connection_fault(), "take wrongly"));
            if (rows[i].failed != 0) {
                close_pair(p);
                p = open_pair();
            }
        }
        close_pair(p);
    }
    check_end();
}

/* SMFIC_QUIT_NC is refused whatever its length. A length beyond INT32_MAX is none to libmilter: the
 * next packet follows at once. */
static void test_lengths(void **state)
{
    static const struct {
        char prefix[6];
        int failed;
    } prefixes[] = {{"\0\0\0\0K", EPROTO},         {"\0\20\0\1K", EPROTO}, {"\200\0\0\5K", EPROTO},
                    {"\377\377\377\377K", EPROTO}, {"\0\0\0\0T", 0},       {"\0\0\0\1T", 0},
                    {"\377\377\377\377T", 0},      {"\0\0\0\1Q", 0}};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(prefixes); i++) {
        struct pair p = open_pair();
        assert_int_equal(read_all(p, prefixes[i].prefix, 5, WHOLE), prefixes[i].failed);
        if (prefixes[i].failed == 0)
            assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0"), WHOLE), EPROTO);
        close_pair(p);
    }
}

/* The reason of a closing: none if the MTA ended the connection. */
static void test_fault(void **state)
{
    struct pair p = open_pair();
    char byte;
    (void)state;
    assert_int_equal(read_packet(p, 'x', CHECK_SPAN("y"), WHOLE), 0);
    assert_non_null(connection_fault()); /* libmilter closes for an unknown command */
    assert_int_equal(read_packet(p, 'Q', CHECK_SPAN(""), WHOLE), 0);
    assert_null(connection_fault());
    assert_int_equal(read_all(p, "\0\0\0\6M", 5, WHOLE), 0);
    assert_non_null(connection_fault()); /* time is over */
    shutdown(p.theirs, SHUT_WR);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, &byte, 1), 0);
    assert_null(connection_fault());
    connection_refuse("no");
    assert_string_equal(connection_fault(), "no");
    close_pair(p);
    assert_null(connection_fault());
}

/* Within a packet a wait is short, whatever libmilter asks; between packets it is as long as
 * libmilter asks, and its end is no fault. A signal ends no wait. */
static void test_waits(void **state)
{
    static const struct {
        const char *what;
        struct span sent;
        int asked;
        long limit;
        bool is_fault;
    } waits[] = {
        {"a new connection", CHECK_LITERAL(""), 7210000, 7210000, false},
        {"after a packet", CHECK_LITERAL("\0\0\0\1T"), 7210000, 7210000, false},
        {"without a limit", CHECK_LITERAL("\0\0\0\1T"), -1, NO_LIMIT, false},
        {"half a prefix", CHECK_LITERAL("\0\0"), 7210000, 2000, true},
        {"a prefix", CHECK_LITERAL("\0\0\0\6M"), 7210000, 2000, true},
        {"half of the data", CHECK_LITERAL("\0\0\0\6M<a"), -1, 2000, true},
        {"a shorter wait", CHECK_LITERAL("\0\0\0\6M<a"), 1500, 1500, true},
    };
    (void)state;
    for (size_t i = 0; i < 2 * CHECK_COUNT(waits); i++) {
        struct pair p = open_pair();
        bool by_select = i % 2 == 1;
        check_row(waits[i / 2].what);
        assert_int_equal(read_all(p, waits[i / 2].sent.p, waits[i / 2].sent.n, WHOLE), 0);
        interrupted = 1;
        check_int("a signal", -1, ask_by(by_select, p.ours, waits[i / 2].asked));
        check_int("errno", EINTR, errno);
        check_int("the time is over", 0, ask_by(by_select, p.ours, waits[i / 2].asked));
        check_int("the limit", waits[i / 2].limit, limit);
        check_bool("a fault", waits[i / 2].is_fault, connection_fault() != NULL);
        put(p, "\0\0\0\1T", 5);
        check_int("bytes", 1, ask_by(by_select, p.ours, waits[i / 2].asked));
        close_pair(p);
    }
    check_end();
}

/* A connection that ended within a packet leaves nothing to the next with its number. */
static void test_cut_off(void **state)
{
    struct pair p = open_pair();
    (void)state;
    for (size_t cut = 1; cut < 8; cut++) {
        int number = p.ours;
        assert_int_equal(read_all(p, "\0\0\0\6DMi\0", cut, WHOLE), 0);
        put(p, "x", 1);
        close_pair(p);
        p = open_pair();
        assert_int_equal(p.ours, number);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0ABC\0"), WHOLE), 0);
    }
    close_pair(p);
}

/* Whatever is sent, in whatever pieces, is what libmilter gets: also packets that are larger than
 * the buffer. */
static void test_any_stream(void **state)
{
    static char all[WHOLE];
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct pair p = open_pair();
        size_t size = 0;
        for (size_t packets = 1 + generated_number(&dice, 40); packets > 0; packets--) {
            size_t most = generated_number(&dice, 30) == 0 && size < WHOLE / 2 ? 40000 : 300;
            struct span data = generated_octets(&dice, all + size + 5, most);
            uint32_t length = htonl((uint32_t)data.n + 1);
            memcpy(all + size, &length, sizeof length);
            all[size + 4] = 'L';
            size += 5 + data.n;
        }
        assert_int_equal(read_all(p, all, size, round == 0 ? WHOLE : ANY_PIECES), 0);
        assert_int_equal(ask(p.ours), 0);
        close_pair(p);
    }
}

/* Packets that have come together are received together. */
static void test_together(void **state)
{
    struct pair p = open_pair();
    char got[6];
    (void)state;
    put(p, "\0\0\0\1R\0\0\0\1R", 10);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, got, 5), 5);
    assert_int_equal(recv(p.ours, got, 1, MSG_DONTWAIT), -1);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, got, 5), 5);
    close_pair(p);
}

/* Reading from a descriptor that is no connection gives what the kernel has. */
static void check_foreign(int reads, int writes)
{
    char got[8];
    struct iovec part = {got, 2};
    assert_int_equal(write(writes, "\0\0\0\0Kxy", 7), 7);
    assert_int_equal(ask(reads), 1);
    assert_int_equal(read(reads, got, 5), 5);
    assert_int_equal(read(reads, got, 5), 2);
    assert_int_equal(writev(writes, &part, 1), 2);
    assert_int_equal(read(reads, got, 5), 2);
}

/* Descriptors that accept() did not return, and those that were closed, go to the kernel. */
static void test_others(void **state)
{
    struct pair p = open_pair();
    int ends[2];
    char got[3];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(read_all(p, "\0\0\0\4D", 5, WHOLE), 0);
    check_foreign(ends[0], ends[1]);
    put(p, "Mi\0", 3);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(__read_chk(p.ours, got, 3, sizeof got), -1); /* read(), fortified */
    assert_int_equal(errno, EPROTO);
    assert_int_equal(read(-1, got, 1), -1);
    assert_int_equal(errno, EBADF);
    close_pair(p);
    assert_int_equal(dup2(ends[0], p.ours), p.ours);
    check_foreign(p.ours, ends[1]);
    close(p.ours);
    close(ends[0]);
    close(ends[1]);
}

/* ---- what leaves ---------------------------------------------------------------------------- */

/* Writes a packet as libmilter does. */
static ssize_t write_packet(int fd, char command, const char *data, size_t n)
{
    char prefix[5] = {0, 0, (char)((n + 1) >> 8), (char)(n + 1), command};
    char copy[70000];
    struct iovec parts[2] = {{prefix, 5}, {copy, n}};
    memcpy(copy, data, n);
    return writev(fd, parts, n > 0 ? 2 : 1);
}

static ssize_t come(struct pair p)
{
    static char got[300000];
    ssize_t n = recvfrom(p.theirs, got, sizeof got, MSG_DONTWAIT, NULL, NULL);
    return n < 0 ? 0 : n;
}

/* Edits leave with the acceptance, in one piece, and with no other answer; those of a closed
 * connection are forgotten. */
static void test_edits(void **state)
{
    static const char answers[] = "atryc";
    (void)state;
    for (const char *answer = answers; *answer != '\0'; answer++) {
        struct pair p = open_pair();
        check_row(answer);
        assert_int_equal(write_packet(p.ours, 'm', "edit", 4), 9);
        assert_int_equal(write_packet(p.ours, 'i', "edit", 4), 9);
        assert_int_equal(write_packet(p.ours, 'h', "edit", 4), 9);
        check_int("nothing yet", 0, come(p));
        check_bool("waits", false, connection_wait_for_answers(0));
        assert_int_equal(write_packet(p.ours, *answer, "", 0), 5);
        check_int("all or none", *answer == 'a' ? 32 : 5, come(p));
        check_bool("has left", true, connection_wait_for_answers(0));
        assert_int_equal(write_packet(p.ours, 'i', "edit", 4), 9);
        close_pair(p);
        check_bool("is forgotten", true, connection_wait_for_answers(0));
    }
    check_end();
}

/* An MTA that takes nothing is given up, and the reason is known; so is one that has gone. */
static void test_nobody_reads(void **state)
{
    static char value[60000];
    struct pollfd wanted = {.events = POLLOUT};
    (void)state;
    for (int gone = 0; gone < 2; gone++) {
        struct pair p = open_pair();
        if (gone)
            shutdown(p.theirs, SHUT_RD);
        wanted.fd = p.ours;
        for (int i = 0; i < 10; i++) {
            assert_int_equal(poll(&wanted, 1, 1000), 1); /* what is kept needs no room */
            assert_int_equal(write_packet(p.ours, 'i', value, sizeof value), sizeof value + 5);
        }
        assert_int_equal(write_packet(p.ours, 'a', "", 0), -1);
        assert_int_equal(errno, EIO);
        assert_non_null(strstr(connection_fault(), "could not be sent"));
        close_pair(p);
    }
}

/* True from the negotiation on, if answers leave by writev() of the module. A descriptor that comes
 * again without a close() here is a new connection. */
static void test_guarded(void **state)
{
    struct pair p = open_pair();
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    int fd = p.ours;
    (void)state;
    assert_int_equal(accept(-1, (struct sockaddr *)&address, &length), -1); /* without a pause */
    assert_int_equal(errno, EBADF);
    assert_false(connection_is_guarded());
    for (int hidden = 0; hidden < 2; hidden++) {
        assert_int_equal(read_packet(p, 'O', CHECK_SPAN("\0\0\0\6\0\0\1\377\0\37\377\377"), 2), 0);
        assert_true(connection_is_guarded());
        assert_int_equal(read_packet(p, 'M', CHECK_SPAN("<a@b>\0"), WHOLE), 0);
        assert_false(connection_is_guarded());
        assert_int_equal(write_packet(p.ours, 'c', "", 0), 5);
        assert_true(connection_is_guarded());
        assert_int_equal(read_all(p, "\0\0\0\6M", 5, WHOLE), 0);
        assert_false(connection_is_guarded());
        assert_int_equal(hidden ? close(fd) : syscall(SYS_close, fd), 0);
        close(p.theirs);
        if (!hidden)
            p = open_pair();
        assert_int_equal(p.ours, fd);
    }
}

/* ---- sigwait -------------------------------------------------------------------------------- */

static atomic_bool returned;
static atomic_int tid;

static void *wait_as_libmilter(void *unused)
{
    sigset_t set;
    int number;
    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    atomic_store(&tid, (int)syscall(SYS_gettid));
    (void)sigwait(&set, &number);
    atomic_store(&returned, true);
    return NULL;
}

/* Returns the signals that wait for the thread, as bits. */
static unsigned long pending_of(int thread)
{
    char path[64], line[100];
    unsigned long bits = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        (void)sscanf(line, "SigPnd: %lx", &bits);
    if (f != NULL)
        fclose(f);
    return bits;
}

static atomic_int interruptions;

static void on_interruption(int number)
{
    (void)number;
    atomic_fetch_add(&interruptions, 1);
}

static void *interrupt(void *argument)
{
    const pthread_t *waiting = argument;
    for (int i = 1; i <= 100; i++) {
        pthread_kill(*waiting, SIGUSR1);
        while (atomic_load(&interruptions) < i)
            sched_yield();
    }
    pthread_kill(*waiting, SIGPIPE);
    return NULL;
}

static void test_stop_signals(void **state)
{
    const struct sigaction action = {.sa_handler = on_interruption};
    pthread_t thread, waiting = pthread_self();
    struct timeval now = {0, 0};
    sigset_t set;
    int number = 0;
    bool selects;
    (void)state;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    raise(SIGPIPE);
    assert_int_equal(sigwait(&set, &number), 0); /* as libpq does */
    assert_int_equal(number, SIGPIPE);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, interrupt, &waiting), 0);
    assert_int_equal(sigwait(&set, &number), 0); /* a handler does not end it */
    assert_int_equal(number, SIGPIPE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(strstr(connection_wait_for_libmilter(5, &selects), "sigwait"));
    assert_int_equal(pthread_create(&thread, NULL, wait_as_libmilter, NULL), 0);
    assert_int_equal(pthread_detach(thread), 0); /* it ends with the program */
    poll(NULL, 0, 0);
    const char *missing = connection_wait_for_libmilter(5, &selects);
    while (missing != NULL && strstr(missing, "sigwait") != NULL) /* the thread begins late */
        missing = connection_wait_for_libmilter(5, &selects);
    assert_non_null(missing);
    assert_non_null(strstr(missing, "select"));
    connection_accept_here();
    poll(NULL, 0, 0);
    assert_null(connection_wait_for_libmilter(10000, &selects));
    assert_false(selects);
    select(0, NULL, NULL, NULL, &now);
    assert_null(connection_wait_for_libmilter(10000, &selects));
    assert_true(selects);
    /* Both signals stay with the thread, which takes none of them. An emulator may not show them.
     */
    const unsigned long both = 1ul << (SIGTERM - 1) | 1ul << (SIGHUP - 1);
    assert_int_equal(pthread_kill(thread, SIGTERM), 0);
    assert_int_equal(pthread_kill(thread, SIGHUP), 0);
    for (int i = 0; (pending_of(atomic_load(&tid)) & both) != both && i < 100000; i++)
        sched_yield();
    assert_false(atomic_load(&returned));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets),      cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_waits),        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_cut_off),      cmocka_unit_test(test_any_stream),
        cmocka_unit_test(test_together),     cmocka_unit_test(test_others),
        cmocka_unit_test(test_edits),        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_stop_signals), cmocka_unit_test(test_guarded),
    };
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL); /* threads inherit it */
    alarm(60);                                  /* ends a test that waits */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
