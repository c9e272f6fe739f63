/* ctl/maildir: a Maildir that others use meanwhile. What they do is done in the calls of the
 * visitor, that is at known places between two calls of the system's: nothing depends on how quick
 * anything is.
 */
#include "ctl/archive/archive.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define MANY 3000

struct box {
    char path[64];
    int fd;

    struct strbuf visited; /* NAME(TEXT) of each message, with a blank behind it */
    size_t messages;
    size_t calls; /* of go_on: for each name that is listed, and for each that is visited */
    bool (*on_call)(struct box *box);
    void (*on_message)(struct box *box);
};

static void put(const struct box *box, const char *name, const char *text)
{
    int fd = openat(box->fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}

static void move(const struct box *box, const char *from, const char *to)
{
    assert_int_equal(renameat(box->fd, from, box->fd, to), 0);
}

/* files: "NAME=TEXT NAME=TEXT ...", or NULL. */
static void make_box(struct box *box, const char *files)
{
    char copy[512];
    char *rest = copy;
    const char *name;

    memset(box, 0, sizeof *box);
    strbuf_init(&box->visited);
    snprintf(box->path, sizeof box->path, "/tmp/mlmilter-test-XXXXXX");
    assert_non_null(mkdtemp(box->path));
    box->fd = open(box->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(box->fd >= 0);
    assert_int_equal(mkdirat(box->fd, "cur", 0700), 0);
    assert_int_equal(mkdirat(box->fd, "new", 0700), 0);
    snprintf(copy, sizeof copy, "%s", files != NULL ? files : "");
    while ((name = strtok_r(rest, " ", &rest)) != NULL) {
        char *text = strchr(name, '=');

        *text++ = '\0';
        put(box, name, text);
    }
}

static void remove_box(struct box *box)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r '%s'", box->path);
    assert_int_equal(close(box->fd), 0);
    assert_int_equal(system(command), 0);
    strbuf_free(&box->visited);
}

static int take_message(void *context, const struct archive_message *m)
{
    struct box *box = context;
    size_t skipped = strlen(box->path) + 1;

    box->messages++;
    strbuf_add_span(&box->visited, span_sub(m->file, skipped, m->file.n));
    strbuf_add_char(&box->visited, '(');
    strbuf_add_span(&box->visited, m->header);
    strbuf_add_str(&box->visited, ") ");
    if (box->on_message != NULL)
        box->on_message(box);
    return EX_OK;
}

static bool go_on(void *context, uint64_t done, uint64_t total)
{
    struct box *box = context;

    assert_true(done <= total);
    box->calls++;
    return box->on_call == NULL || box->on_call(box);
}

static int visit(struct box *box)
{
    const struct archive_visitor visitor = {
        .context = box, .message = take_message, .go_on = go_on};

    return maildir_each(box->fd, box->path, &visitor);
}

/* Visits, compares, and removes the box. */
static void expect(struct box *box, int status, const char *visited)
{
    check_int("status", status, visit(box));
    check_str("visited", visited, strbuf_str(&box->visited));
    remove_box(box);
}

/* ---- who moves, and when ---- */

static void test_order(void **state)
{
    struct box box;

    (void)state;
    check_row("by unique part, then by what is behind it; a \":\" orders nothing else");
    make_box(&box, "cur/1:2,S=a new/1.0=b cur/10:2,=c cur/1-:2,=d new/1=e cur/2=f cur/.3=g");
    expect(&box, EX_OK, "new/1(e) cur/1:2,S(a) cur/1-:2,(d) new/1.0(b) cur/10:2,(c) cur/2(f) ");
    check_end();
}

static void read_and_remove(struct box *box)
{
    if (box->messages != 1)
        return;
    move(box, "new/2", "cur/2:2,");
    move(box, "cur/3:2,", "cur/3:2,RS");
    move(box, "cur/4:2,S", "new/4"); /* "unread" again */
    assert_int_equal(unlinkat(box->fd, "cur/5:2,", 0), 0);
    move(box, "new/6", "cur/6:2,S");
    put(box, "new/0", "came-behind-us");
    put(box, "new/8", "came-before-us");
}

static void read_one_after_the_other(struct box *box)
{
    if (box->messages == 1)
        move(box, "new/2", "cur/2:2,");
    else if (box->messages == 2)
        move(box, "new/3", "cur/3:2,");
}

static void remove_last(struct box *box)
{
    if (box->messages == 1)
        assert_int_equal(unlinkat(box->fd, "new/2", 0), 0);
}

static void move_the_visited(struct box *box)
{
    if (box->messages == 1) {
        move(box, "new/1", "cur/1:2,S");
        move(box, "new/2", "cur/2:2,S");
    }
}

static void test_moved(void **state)
{
    static const struct {
        const char *what;
        const char *files;
        void (*on_message)(struct box *box);
        const char *visited;
    } rows[] = {
        {"moved, flags changed, deleted, come",
         "cur/1:2,S=a new/2=b cur/3:2,=c cur/4:2,S=d cur/5:2,=e new/6=f cur/7=g", read_and_remove,
         "cur/1:2,S(a) cur/2:2,(b) cur/3:2,RS(c) new/4(d) cur/6:2,S(f) cur/7(g) "
         "new/8(came-before-us) "},
        {"one after the other", "new/1=a new/2=b new/3=c new/4=d", read_one_after_the_other,
         "new/1(a) cur/2:2,(b) cur/3:2,(c) new/4(d) "},
        {"the last one is deleted", "new/1=a new/2=b", remove_last, "new/1(a) "},
        {"the one that was visited moves too", "new/1=a new/2=b new/3=c", move_the_visited,
         "new/1(a) cur/2:2,S(b) new/3(c) "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct box box;

        check_row(rows[i].what);
        make_box(&box, rows[i].files);
        box.on_message = rows[i].on_message;
        expect(&box, EX_OK, rows[i].visited);
    }
    check_end();
}

/* ---- while the names are read ---- */

/* Whether both names are listed, the old one only or the new one depends on what readdir knows; the
 * result must not. */
static bool flag_while_listing(struct box *box)
{
    if (box->calls == 1)
        move(box, "cur/1:2,", "cur/1:2,S");
    return true;
}

static bool flag_while_listing_and_back(struct box *box)
{
    if (box->calls == 1)
        move(box, "cur/1:2,", "cur/1:2,S");
    else if (box->calls == 3)
        move(box, "cur/1:2,S", "cur/1:2,");
    return true;
}

static void flag_first(struct box *box)
{
    if (box->messages == 1)
        move(box, "cur/1:2,", "cur/1:2,S");
}

static void test_renamed_while_listing(void **state)
{
    static const struct {
        const char *what;
        const char *files;
        bool (*on_call)(struct box *box);
        void (*on_message)(struct box *box);
        const char *visited;
    } rows[] = {
        {"two names, the second one holds", "cur/1:2,=a cur/2=b", flag_while_listing, NULL,
         "cur/1:2,S(a) cur/2(b) "},
        {"two names, the first one holds", "cur/1:2,=a cur/2=b", flag_while_listing_and_back, NULL,
         "cur/1:2,(a) cur/2(b) "},
        {"two names, first this one, then that one", "cur/1:2,=a cur/2=b",
         flag_while_listing_and_back, flag_first, "cur/1:2,(a) cur/2(b) "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct box box;

        check_row(rows[i].what);
        make_box(&box, rows[i].files);
        box.on_call = rows[i].on_call;
        box.on_message = rows[i].on_message;
        expect(&box, EX_OK, rows[i].visited);
    }
    check_end();
}

static void test_same_unique_part(void **state)
{
    struct box box;

    (void)state;
    check_row("two messages");
    make_box(&box, "new/1=a cur/1:2,S=b");
    expect(&box, EX_OK, "new/1(a) cur/1:2,S(b) ");
    check_row("two names of one message");
    make_box(&box, "new/1=a new/2=b");
    assert_int_equal(linkat(box.fd, "new/1", box.fd, "cur/1:2,S", 0), 0);
    expect(&box, EX_OK, "new/1(a) new/2(b) ");
    check_end();
}

/* ---- how much it costs ---- */

static void make_many(struct box *box)
{
    make_box(box, NULL);
    for (int i = 0; i < MANY; i++) {
        char name[32];

        snprintf(name, sizeof name, "new/%06d", i);
        put(box, name, "");
    }
}

static void read_all(struct box *box)
{
    if (box->messages != 1)
        return;
    for (int i = 1; i < MANY; i++) {
        char from[32];
        char to[32];

        snprintf(from, sizeof from, "new/%06d", i);
        snprintf(to, sizeof to, "cur/%06d:2,S", i);
        move(box, from, to);
    }
}

static void test_many_moved(void **state)
{
    struct box box;

    (void)state;
    check_row("many at once: one more list");
    make_many(&box);
    box.on_message = read_all;
    check_int("status", EX_OK, visit(&box));
    check_int("messages", MANY, box.messages);
    check_bool("two lists, and a call for each message", true, box.calls <= 2 * MANY + MANY + 1);
    remove_box(&box);
    check_end();
}

/* A new name whenever we look. */
static bool rename_always(struct box *box)
{
    char from[32];
    char to[32];

    snprintf(from, sizeof from, "cur/2:2,%zu", box->calls - 1);
    snprintf(to, sizeof to, "cur/2:2,%zu", box->calls);
    move(box, from, to);
    return true;
}

static void test_ends(void **state)
{
    struct box box;

    (void)state;
    check_row("renamed for ever: unreadable in the end, the others are not");
    make_box(&box, "new/1=a cur/2:2,0=b cur/3:2,=c");
    box.on_call = rename_always;
    check_int("status", EX_OSERR, visit(&box));
    check_str("visited", "new/1(a) cur/3:2,(c) ", strbuf_str(&box.visited));
    check_bool("two lists", true, box.calls >= 2 * 3 + 3 && box.calls <= 2 * 4 + 4);
    remove_box(&box);

    check_row("a link to nowhere");
    make_box(&box, "new/1=a cur/3:2,=c");
    assert_int_equal(symlinkat("nowhere", box.fd, "cur/2:2,"), 0);
    check_int("status", EX_OSERR, visit(&box));
    check_str("visited", "new/1(a) cur/3:2,(c) ", strbuf_str(&box.visited));
    check_int("calls: two lists, the link twice", 2 * 3 + 4, box.calls);
    remove_box(&box);
    check_end();
}

static void move_second(struct box *box)
{
    if (box->messages == 1)
        move(box, "new/2", "cur/2:2,");
}

static bool stop_in_first_list(struct box *box)
{
    return box->calls < 2;
}

/* Three calls for the first list, one for each of two messages. */
static bool stop_in_second_list(struct box *box)
{
    return box->calls < 7;
}

static void test_stopped(void **state)
{
    static const struct {
        const char *what;
        bool (*on_call)(struct box *box);
        size_t calls;
        const char *visited;
    } rows[] = {
        {"while it is listed", stop_in_first_list, 2, ""},
        {"while it is listed again", stop_in_second_list, 7, "new/1(a) "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct box box;

        check_row(rows[i].what);
        make_box(&box, "new/1=a new/2=b new/3=c");
        box.on_call = rows[i].on_call;
        box.on_message = move_second;
        check_int("status", ARCHIVE_STOPPED, visit(&box));
        check_int("calls", rows[i].calls, box.calls);
        check_str("visited", rows[i].visited, strbuf_str(&box.visited));
        remove_box(&box);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_renamed_while_listing),
        cmocka_unit_test(test_same_unique_part),
        cmocka_unit_test(test_many_moved),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_stopped),

    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
