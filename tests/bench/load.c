/*
 * load - how fast a milter is, seen from Postfix' end of its socket
 *
 *   load -s SOCKET -p PID [-c CONNECTIONS] [-d SECONDS] [-e EDITS] [-a ADDRESS] [-m SENDER]
 *        [-l LIST-ID]
 *
 * Plays Postfix (dialogue.h) over so many connections at once, each of which sends its next message
 * as soon as the last one is answered, for so many seconds. Every packet of the milter is checked:
 * an answer where one is due, edits at the end of the message only, well-formed, -e of them for
 * each message. Then one line of JSON about the messages that ended while it was measured, which
 * begins when each connection has had a message:
 *
 *   rate     messages in a second
 *   cpu_us   CPU time of the process -p for each message
 *   p99_us   from the first byte of a message to the answer at its end, of 99 % of them at most
 *
 * SOCKET is unix:PATH or inet:PORT, on 127.0.0.1. Exit status 1 and a line on standard error: the
 * milter broke the protocol, refused a message, or was silent for ten seconds.
 */
#include "dialogue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#define SILENCE_MS    10000
#define POSTFIX_BLOCK 4096 /* Postfix writes to a UNIX socket in blocks of this size */

struct connection {
    int fd;
    bool negotiated;
    struct dialogue session, message;
    const struct dialogue *now;
    unsigned burst;      /* of *now: the next answer is its */
    unsigned carried;    /* octets of the session that wait for the message's first burst */
    unsigned long count; /* messages sent on it */
    uint64_t begun;      /* the message, or its connection; ns */
    long edits;
    char in[1 << 17];
    size_t in_n;
};

/* The options and results of the one run that this program does. */
struct run {
    struct sockaddr_storage address;
    socklen_t address_length;
    bool is_unix;
    struct dialogue_mail mail;
    double seconds;
    long edits;
    int epoll;
    struct connection *connections;
    unsigned count;
    unsigned waited_for; /* connections that had no message yet */
    unsigned under_way;
    uint64_t next_number;
    bool ends;
    /* Measured values. */
    pid_t pid;
    uint64_t from, until; /* ns; from is 0 before it begins */
    double cpu;           /* seconds */
    uint32_t *latencies;  /* microseconds */
    size_t done, room;
};

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void die(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("load: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

/* ------------------------------------------------------------------ measuring */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        die("a clock: %s", strerror(errno));
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* Returns the CPU seconds of the milter so far, also of threads that have ended. */
static double cpu_of(const struct run *run)
{
    clockid_t clock;
    if (clock_getcpuclockid(run->pid, &clock) != 0)
        die("process %d is not there", run->pid);
    return (double)clock_ns(clock) / 1e9;
}

static void begin_measuring(struct run *run)
{
    run->cpu = cpu_of(run);
    run->from = now_ns();
}

static void end_measuring(struct run *run, uint64_t now)
{
    run->until = now;
    run->cpu = cpu_of(run) - run->cpu;
    run->ends = true;
}

static void add_latency(struct run *run, uint64_t ns)
{
    if (run->done == run->room) {
        run->room = run->room * 2 + 1024;
        run->latencies = realloc(run->latencies, run->room * sizeof *run->latencies);
        if (run->latencies == NULL)
            die("out of memory");
    }
    run->latencies[run->done++] = (uint32_t)(ns / 1000);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void print_results(struct run *run)
{
    double n = (double)run->done;
    qsort(run->latencies, run->done, sizeof *run->latencies, by_size);
    printf("{\"rate\": %.1f, \"cpu_us\": %.2f, \"p99_us\": %u}\n",
           n / ((double)(run->until - run->from) / 1e9), run->cpu / n * 1e6,
           run->latencies[run->done * 99 / 100]);
    free(run->latencies);
}

/* ------------------------------------------------------------------ writing */

static void put(const struct run *run, const struct connection *c, const char *data, size_t n)
{
    while (n > 0) {
        size_t block = run->is_unix && n > POSTFIX_BLOCK ? POSTFIX_BLOCK : n;
        ssize_t sent = send(c->fd, data, block, MSG_NOSIGNAL);
        if (sent < 0)
            die("writing: %s", strerror(errno));
        data += sent;
        n -= (size_t)sent;
    }
}

/* Writes on to the next place where an answer is due. */
static void put_bursts(const struct run *run, struct connection *c)
{
    const struct dialogue *d = c->now;
    for (;; c->burst++) {
        size_t begin = c->burst > 0 ? d->bursts[c->burst - 1].end : c->count > 1 ? 0 : d->begin;
        const struct dialogue_burst *b = &d->bursts[c->burst];
        if (c->carried > 0 && d == &c->message) {
            const struct dialogue *s = &c->session;
            char whole[1 << 16];
            size_t n = c->carried + (b->end - begin);
            if (n > sizeof whole)
                die("a message that is too long");
            memcpy(whole, s->octets + s->n - c->carried, c->carried);
            memcpy(whole + c->carried, d->octets + begin, b->end - begin);
            c->carried = 0;
            put(run, c, whole, n);
        } else {
            put(run, c, d->octets + begin, b->end - begin);
        }
        if (b->answered)
            return;
    }
}

static void begin_message(struct run *run, struct connection *c)
{
    if (c->count++ > 0)
        c->begun = now_ns();
    c->now = &c->message;
    c->burst = 0;
    c->edits = 0;
    dialogue_set_number(&c->message, run->next_number++);
    put_bursts(run, c);
}

static void open_connection(struct run *run, struct connection *c)
{
    struct timeval longest = {.tv_sec = SILENCE_MS / 1000};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    c->fd = socket(run->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    c->begun = now_ns();
    if (c->fd < 0 || setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest) != 0 ||
        connect(c->fd, (const struct sockaddr *)&run->address, run->address_length) != 0 ||
        epoll_ctl(run->epoll, EPOLL_CTL_ADD, c->fd, &event) != 0)
        die("connecting: %s", strerror(errno));
    c->negotiated = false;
    c->count = 0;
    c->in_n = 0;
    put(run, c, dialogue_offer, sizeof dialogue_offer);
}

/* As Postfix does: one for the message, one for the session. */
static void close_connection(const struct run *run, struct connection *c)
{
    static const char leave[] = "\0\0\0\1A\0\0\0\1A\0\0\0\1Q";
    put(run, c, leave, sizeof leave - 1);
    close(c->fd);
    c->fd = -1;
    dialogue_free(&c->session);
    dialogue_free(&c->message);
}

/* ------------------------------------------------------------------ counting */

/* A connection's first message is not measured. It then waits for those of the others, which
 * libmilter would not serve as long as this one has more. */
static void end_first_message(struct run *run)
{
    if (--run->waited_for > 0)
        return;
    begin_measuring(run);
    for (unsigned i = 0; i < run->count; i++)
        begin_message(run, &run->connections[i]);
}

static void end_message(struct run *run, struct connection *c)
{
    uint64_t now = now_ns();
    if (run->waited_for > 0) {
        end_first_message(run);
        return;
    }
    if (!run->ends) {
        add_latency(run, now - c->begun);
        begin_message(run, c);
    } else {
        close_connection(run, c);
        run->under_way--;
    }
}

/* ------------------------------------------------------------------ what the milter says */

static void check_edit(char command, const char *data, size_t n)
{
    size_t name, value;
    if (command != 'h') {
        if (n < 4)
            die("a short edit");
        data += 4;
        n -= 4;
    }
    name = strnlen(data, n);
    if (name == 0 || name == n || strcspn(data, " :\t\r\n") != name)
        die("an edit without a field's name");
    value = strnlen(data + name + 1, n - name - 1);
    if (name + 1 + value + 1 != n)
        die("an edit of %.*s that does not end where its value does", (int)name, data);
}

static void take_terms(struct run *run, struct connection *c, char command, const char *data,
                       size_t n)
{
    struct dialogue_terms terms;
    const struct dialogue *s = &c->session;
    if (command != 'O' || !dialogue_read_terms(&terms, data, n))
        die("an odd answer to the negotiation");
    c->negotiated = true;
    dialogue_of_session(&c->session, &terms, &run->mail);
    dialogue_of_message(&c->message, &terms, &run->mail);
    c->carried = (unsigned)(s->n - (s->burst_count > 0 ? s->bursts[s->burst_count - 1].end : 0));
    c->now = s;
    c->burst = 0;
    if (s->burst_count > 0)
        put_bursts(run, c);
    else
        begin_message(run, c);
}

static void take_packet(struct run *run, struct connection *c, char command, const char *data,
                        size_t n)
{
    char stage;
    if (!c->negotiated) {
        take_terms(run, c, command, data, n);
        return;
    }
    stage = c->now->bursts[c->burst].stage;
    if (stage == 'E' && strchr("him", command) != NULL) {
        check_edit(command, data, n);
        c->edits++;
    } else if (stage == 'E' && command == 'p') {
        return;
    } else if ((command != 'a' && command != 'c') || n != 0 ||
               (command == 'a' && c->now != &c->message)) {
        die("'%c' is answered with '%c' and %zu bytes", stage, command, n);
    } else if (stage == 'E' || command == 'a') {
        if (run->edits >= 0 && c->edits != run->edits)
            die("%ld edits where %ld were expected", c->edits, run->edits);
        end_message(run, c);
    } else if (++c->burst < c->now->burst_count) {
        put_bursts(run, c);
    } else {
        begin_message(run, c);
    }
}

static void take_input(struct run *run, struct connection *c)
{
    size_t at = 0;
    int fd = c->fd;
    ssize_t got = recv(fd, c->in + c->in_n, sizeof c->in - c->in_n, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0)
        die("the milter closed a connection");
    c->in_n += (size_t)got;
    while (c->in_n - at >= 5) {
        uint32_t size;
        memcpy(&size, c->in + at, 4);
        size = ntohl(size);
        if (size == 0 || size > sizeof c->in - 4)
            die("a packet of %lu bytes", (unsigned long)size);
        if (c->in_n - at - 4 < size)
            break;
        take_packet(run, c, c->in[at + 4], c->in + at + 5, size - 1);
        at += 4 + size;
        if (c->fd != fd) /* it is closed */
            return;
    }
    memmove(c->in, c->in + at, c->in_n - at);
    c->in_n -= at;
}

/* ------------------------------------------------------------------ the run */

static void read_socket(struct run *run, const char *name)
{
    struct sockaddr_un *path = (struct sockaddr_un *)&run->address;
    struct sockaddr_in *host = (struct sockaddr_in *)&run->address;
    if (strncmp(name, "unix:", 5) == 0 && strlen(name + 5) < sizeof path->sun_path) {
        run->is_unix = true;
        path->sun_family = AF_UNIX;
        strcpy(path->sun_path, name + 5);
        run->address_length = sizeof *path;
    } else if (strncmp(name, "inet:", 5) == 0) {
        host->sin_family = AF_INET;
        host->sin_port = htons((uint16_t)atoi(name + 5));
        host->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        run->address_length = sizeof *host;
    } else {
        die("not a socket: %s", name);
    }
}

static void read_options(struct run *run, int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "s:c:d:p:e:a:m:l:")) != -1;)
        switch (option) {
        case 's':
            read_socket(run, optarg);
            break;
        case 'c':
            run->count = (unsigned)atoi(optarg);
            break;
        case 'd':
            run->seconds = atof(optarg);
            break;
        case 'p':
            run->pid = atoi(optarg);
            break;
        case 'e':
            run->edits = atol(optarg);
            break;
        case 'a':
            run->mail.client = optarg;
            break;
        case 'm':
            run->mail.sender = optarg;
            break;
        case 'l':
            run->mail.list_id = optarg;
            break;
        default:
            exit(EX_USAGE);
        }
    if (optind != argc || run->address_length == 0 || run->pid == 0 || run->count == 0) {
        fprintf(stderr, "load: usage: see the head of load.c\n");
        exit(EX_USAGE);
    }
}

/* Until the time that is measured is over, if it has begun; one message must be in it. */
static int milliseconds_left(const struct run *run)
{
    double left;
    if (run->done == 0 || run->ends)
        return SILENCE_MS;
    left = run->seconds - (double)(now_ns() - run->from) / 1e9;
    return left <= 0 ? 0 : left * 1000 < SILENCE_MS ? (int)(left * 1000) + 1 : SILENCE_MS;
}

int main(int argc, char **argv)
{
    struct run run = {.mail = {.client = "127.0.0.1",
                               .sender = "poster@example.net",
                               .recipient = "reader@example.com"},
                      .count = 1,
                      .seconds = 1,
                      .edits = -1,
                      .epoll = epoll_create1(EPOLL_CLOEXEC)};
    read_options(&run, argc, argv);
    run.connections = calloc(run.count, sizeof *run.connections);
    if (run.epoll < 0 || run.connections == NULL)
        die("%s", strerror(errno));
    /* Posts of two runs are not the same, for a store would know them. */
    run.next_number = (uint64_t)time(NULL) * 1000000;
    run.waited_for = run.under_way = run.count;
    for (unsigned i = 0; i < run.count; i++)
        open_connection(&run, &run.connections[i]);
    while (run.under_way > 0) {
        struct epoll_event events[64];
        int left = milliseconds_left(&run);
        int n = epoll_wait(run.epoll, events, 64, left);
        if (n == 0 && left == SILENCE_MS)
            die("the milter is silent");
        if (milliseconds_left(&run) == 0)
            end_measuring(&run, now_ns());
        for (int i = 0; i < n; i++)
            take_input(&run, events[i].data.ptr);
    }
    print_results(&run);
    free(run.connections);
    return 0;
}
