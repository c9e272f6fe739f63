/* ctl/archive: a Maildir that mail programs use meanwhile. They act in the visitor's calls, that is
 * at known places: nothing depends on how quick anything is.
 */
#include "ctl/archive.h"

#include "check.h"

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
    struct strbuf visited; /* NAME(TEXT) of each message, with a blank after it */
    size_t messages;
    void (*on_message)(const struct box *box);
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

/* files: "NAME=TEXT NAME=TEXT ...". */
static void make_box(struct box *box, const char *files)
{
    char copy[512];
    char *rest = copy;
    const char *name;
    memset(box, 0, sizeof *box);
    snprintf(box->path, sizeof box->path, "/tmp/mlmilter-test-XXXXXX");
    assert_non_null(mkdtemp(box->path));
    box->fd = open(box->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(box->fd, "cur", 0700), 0);
    assert_int_equal(mkdirat(box->fd, "new", 0700), 0);
    snprintf(copy, sizeof copy, "%s", files);
    while ((name = strtok_r(rest, " ", &rest)) != NULL) {
        char *text = strchr(name, '=');
        *text++ = '\0';
        put(box, name, text);
    }
}

static bool take_message(void *context, const struct archive_message *m)
{
    struct box *box = context;
    size_t skipped = strlen(box->path) + 1;
    box->messages++;
    strbuf_add_span(&box->visited, span_sub(m->file, skipped, m->file.n));
    strbuf_addf(&box->visited, "(%.*s) ", (int)m->header.n, m->header.p);
    if (box->on_message != NULL)
        box->on_message(box);
    return true;
}

/* Visits, compares unless visited is NULL, and removes the box. Returns the number of messages. */
static size_t expect(struct box *box, int status, const char *visited)
{
    const struct archive_visitor visitor = {.context = box, .message = take_message};
    char *paths[] = {box->path};
    char command[128];
    check_int("status", status, archive_visit(paths, 1, &visitor));
    if (visited != NULL)
        check_str("visited", visited, strbuf_str(&box->visited));
    snprintf(command, sizeof command, "rm -r '%s'", box->path);
    assert_int_equal(close(box->fd), 0);
    assert_int_equal(system(command), 0);
    strbuf_free(&box->visited);
    return box->messages;
}

static void read_and_remove(const struct box *box)
{
    if (box->messages != 1)
        return;
    move(box, "new/2", "cur/2:2,");
    move(box, "cur/3:2,", "cur/3:2,RS");
    move(box, "cur/4:2,S", "new/4"); /* "unread" again */
    assert_int_equal(unlinkat(box->fd, "cur/5:2,", 0), 0);
    move(box, "new/6", "cur/6:2,S");
    put(box, "new/0", "before");
    put(box, "new/8", "after");
}

static void move_one_by_one(const struct box *box)
{
    if (box->messages == 1)
        move(box, "new/2", "cur/2:2,");
    else if (box->messages == 2)
        move(box, "new/3", "cur/3:2,");
}

static void remove_last(const struct box *box)
{
    if (box->messages == 1)
        assert_int_equal(unlinkat(box->fd, "new/2", 0), 0);
}

static void test_moved(void **state)
{
    static const struct {
        const char *name, *files;
        void (*on_message)(const struct box *box);
        const char *visited;
    } rows[] = {
        {"by unique part; one message of two names",
         "cur/1:2,S=a new/1.0=b cur/10:2,=c new/2=f cur/2:2,S=f cur/.3=g", NULL,
         "cur/1:2,S(a) new/1.0(b) cur/10:2,(c) new/2(f) "},
        {"moved, flags changed, deleted, new; those that moved come last",
         "cur/1:2,S=a new/2=b cur/3:2,=c cur/4:2,S=d cur/5:2,=e new/6=f cur/7=g", read_and_remove,
         "cur/1:2,S(a) cur/7(g) cur/2:2,(b) cur/3:2,RS(c) new/4(d) cur/6:2,S(f) "},
        {"one by one", "new/1=a new/2=b new/3=c new/4=d", move_one_by_one,
         "new/1(a) new/3(c) new/4(d) cur/2:2,(b) "},
        {"the last one is deleted", "new/1=a new/2=b", remove_last, "new/1(a) "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct box box;
        check_row(rows[i].name);
        make_box(&box, rows[i].files);
        box.on_message = rows[i].on_message;
        (void)expect(&box, EX_OK, rows[i].visited);
    }
    check_end();
}

/* Moves the message after next and deletes the one after it, with each message. */
static void move_next(const struct box *box)
{
    char from[32], to[32];
    snprintf(from, sizeof from, "new/%06d", (int)box->messages * 2);
    snprintf(to, sizeof to, "cur/%06d:2,S", (int)box->messages * 2);
    if (box->messages * 2 < MANY)
        move(box, from, to);
}

static void test_many(void **state)
{
    struct box box;
    (void)state;
    make_box(&box, "");
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "new/%06d", i);
        put(&box, name, "");
    }
    box.on_message = move_next;
    check_int("messages", MANY, expect(&box, EX_OK, NULL));
    check_end();
}

static void test_links(void **state)
{
    struct box box;
    (void)state;
    make_box(&box, "new/1=a cur/3:2,=c");
    assert_int_equal(symlinkat("../new/1", box.fd, "cur/2:2,"), 0);
    assert_int_equal(mkfifoat(box.fd, "cur/4", 0600), 0);
    (void)expect(&box, EX_OSERR, "new/1(a) cur/3:2,(c) ");
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
