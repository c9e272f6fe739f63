/* config/load: each call of the system's, and of a library's, fails in turn, or gives less than was
 * asked for; a file becomes a link; keys are overwritten. Nothing is lost without a message. */
#include "config_help.h"

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <sysexits.h>

/* ---- the calls of the program under test ---- */

enum call { CALL_OPENAT, CALL_FSTAT, CALL_READ, CALL_GLOB, CALL_GETENTROPY, CALL_CFG_INIT, CALLS };

static const char *const call_names[CALLS] = {"openat", "fstat",      "read",
                                              "glob",   "getentropy", "cfg_init"};

static struct {
    enum call call;
    int at;    /* which one is wrong; 0: none */
    int error; /* its errno; 0: it gives less */
    int calls[CALLS];
} wrong;

static bool is_wrong(enum call call)
{
    if (++wrong.calls[call] != wrong.at || call != wrong.call)
        return false;
    errno = wrong.error;
    return true;
}

int __real_openat(int where, const char *name, int flags, ...);
int __real_fstat(int file, struct stat *status);
ssize_t __real_read(int file, void *p, size_t n);
int __real_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found);
void *__real_cfg_init(void *options, int flags);
int __real_getentropy(void *p, size_t n);
void __real_OPENSSL_cleanse(void *p, size_t n);
void __wrap_OPENSSL_cleanse(void *p, size_t n);
int __wrap_openat(int where, const char *name, int flags, ...);
int __wrap_fstat(int file, struct stat *status);
ssize_t __wrap_read(int file, void *p, size_t n);
ssize_t __wrap___read_chk(int file, void *p, size_t n, size_t room);
int __wrap_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found);
void *__wrap_cfg_init(void *options, int flags);
int __wrap_getentropy(void *p, size_t n);

static bool becomes_a_link; /* a/later.conf, before it is opened */

int __wrap_openat(int where, const char *name, int flags, ...)
{
    if (becomes_a_link && strcmp(name, "later.conf") == 0) {
        becomes_a_link = false;
        remove_file("a/later.conf");
        assert_int_equal(symlink("a.conf", path_of("a/later.conf")), 0);
    }
    return is_wrong(CALL_OPENAT) ? -1 : __real_openat(where, name, flags, 0);
}

int __wrap_fstat(int file, struct stat *status)
{
    return is_wrong(CALL_FSTAT) ? -1 : __real_fstat(file, status);
}

ssize_t __wrap_read(int file, void *p, size_t n)
{
    if (!is_wrong(CALL_READ))
        return __real_read(file, p, n);
    return wrong.error != 0 ? -1 : __real_read(file, p, n > 1 ? 1 : n);
}

/* FORTIFY makes this of it. */
ssize_t __wrap___read_chk(int file, void *p, size_t n, size_t room)
{
    assert_true(n <= room);
    return __wrap_read(file, p, n);
}

int __wrap_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found)
{
    if (!is_wrong(CALL_GLOB))
        return __real_glob(pattern, flags, on_error, found);
    memset(found, 0, sizeof *found);
    return wrong.error == ENOMEM ? GLOB_NOSPACE : GLOB_ABORTED;
}

void *__wrap_cfg_init(void *options, int flags)
{
    return is_wrong(CALL_CFG_INIT) ? NULL : __real_cfg_init(options, flags);
}

int __wrap_getentropy(void *p, size_t n)
{
    return is_wrong(CALL_GETENTROPY) ? -1 : __real_getentropy(p, n);
}

/* ---- */

static void write_files(void)
{
    write_file("m.conf", "lists = {\"own/*.conf\", \"more.conf\"}\ntoken_key_file = \"keys\"\n"
                         "list \"top.example.org\" { }\n" ALICE BOB);
    write_file("keys", "0123456789abcdef\nfedcba9876543210\n");
    assert_int_equal(chmod(path_of("keys"), 0600), 0);
    write_file("own/x.conf", "list \"low.example.org\" { parents = {\"top.example.org\"} }\n");
    write_file("more.conf", "list \"more.example.org\" { }\n");
    write_file("a/a.conf", "list \"a.alice.example\" { }\nlist \"deep.alice.example\" { }\n");
    write_file("a/later.conf", "list \"later.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
}

#define LISTS 7

/* Loads with a call that is wrong. Returns false if there is no such call. */
static bool load_wrong(enum call call, int at, int error, struct loaded *l)
{
    char name[80];
    snprintf(name, sizeof name, "%s %d, %s", call_names[call], at, strerror(error));
    check_row(name);
    memset(&wrong, 0, sizeof wrong);
    wrong.call = call;
    wrong.error = error;
    wrong.at = at;
    *l = load_main(NULL);
    wrong.at = 0;
    return wrong.calls[call] >= at;
}

/* An error is reported, or a delegated file that is not in force (RULINGS 73). */
static void test_failing_calls(void **state)
{
    static const int errors[] = {EIO, EMFILE};
    struct loaded l;
    (void)state;
    write_files();
    for (enum call call = 0; call < CALL_CFG_INIT; call++)
        for (size_t i = 0; i < CHECK_COUNT(errors); i++) {
            int at = 1;
            for (; load_wrong(call, at, errors[i], &l); at++) {
                bool is_delegated = l.settings != NULL && l.settings->delegated_wrong > 0;
                if (call == CALL_GETENTROPY) /* the address of something will do */
                    check_int("lists", LISTS, list_count(&l));
                else
                    check_bool(strbuf_str(&l.messages), true,
                               is_delegated ? l.diagnostics.delegated > 0
                                            : l.settings == NULL && l.diagnostics.errors > 0);
                loaded_free(&l);
            }
            check_int("lists", LISTS, list_count(&l));
            loaded_free(&l);
            /* Where the C library has another name for fstat, the call is not seen. */
            check_bool("it is called", true, at > 1 || call == CALL_FSTAT);
        }
    for (int at = 1; load_wrong(CALL_READ, at, 0, &l); at++) { /* it gives one byte */
        check_int("lists", LISTS, list_count(&l));
        check_int("keys", 2, (int)l.settings->recipient_key_count);
        loaded_free(&l);
    }
    loaded_free(&l);
    check_end();
}

/* Loads in a process of its own with a call that lacks memory. Returns its exit status: 0 if the
 * call is not made. */
static int status_without_memory(enum call call, int at)
{
    struct loaded l;
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(load_wrong(call, at, ENOMEM, &l) ? EX_SOFTWARE : EX_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A library that lacks memory ends the program (text/memory.h). */
static void test_no_memory(void **state)
{
    static const enum call rows[] = {CALL_GLOB, CALL_CFG_INIT};
    (void)state;
    write_files();
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        int at = 1, status;
        for (; (status = status_without_memory(rows[i], at)) != EX_OK; at++) {
            check_row(call_names[rows[i]]);
            if (!check_int("exit status", EX_OSERR, status))
                break;
        }
        check_bool("it is called", true, at > 1);
    }
    check_end();
}

/* The files of a folder that cannot be opened now stay as they were, except one whose list another
 * file has meanwhile (RULINGS 73). */
static void test_kept_folder(void **state)
{
    (void)state;
    write_files();
    struct loaded first = load_main(NULL);
    check_int("lists", LISTS, list_count(&first));
    write_file("own/z.conf", "list \"later.alice.example\" { }\n");
    memset(&wrong, 0, sizeof wrong);
    wrong.call = CALL_OPENAT;
    wrong.error = EMFILE;
    wrong.at = 1;
    struct loaded second = load_main(first.settings);
    wrong.at = 0;
    check_int("lists", LISTS, list_count(&second));
    check_bool("a file that is kept", true, has_list(&second, "deep.alice.example"));
    check_str("messages",
              "a/later.conf:1: list: \"later.alice.example\" appears a second time (first in "
              "own/z.conf:1); its lists are disabled\n"
              "m.conf:4: files: \"a/*.conf\" leads into a, which cannot be read: Too many open "
              "files; the last good versions of its files stay in force\n",
              strbuf_str(&second.messages));
    loaded_free(&second);
    loaded_free(&first);
    check_end();
}

/* RULINGS 98 */
static void test_becomes_a_link(void **state)
{
    (void)state;
    write_files();
    becomes_a_link = true;
    struct loaded l = load_main(NULL);
    check_bool("has happened", false, becomes_a_link);
    check_str(
        "messages",
        "a/later.conf: cannot be read: its path has a symbolic link (expected the real path); "
        "its lists are disabled\n",
        strbuf_str(&l.messages));
    check_int("lists", LISTS - 1, list_count(&l));
    loaded_free(&l);
    check_end();
}

#define KEYS "0123456789abcdef\nfedcba9876543210\n"

static int cleansed_keys, cleansed_files;

/* Counts what is overwritten. */
void __wrap_OPENSSL_cleanse(void *p, size_t n)
{
    cleansed_files += n == strlen(KEYS) && memcmp(p, KEYS, n) == 0;
    for (int i = 0; i < 2; i++)
        cleansed_keys += n == 16 && memcmp(p, &KEYS[i * 17], n) == 0;
    __real_OPENSSL_cleanse(p, n);
}

/* Nothing is left of keys. */
static void test_keys_are_forgotten(void **state)
{
    (void)state;
    write_files();
    cleansed_keys = cleansed_files = 0;
    struct loaded l = load_main(NULL);
    check_int("files", 1, cleansed_files);
    check_int("keys", 0, cleansed_keys);
    loaded_free(&l);
    check_int("keys afterwards", 2, cleansed_keys);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_failing_calls),      IN_FOLDER(test_no_memory),
        IN_FOLDER(test_kept_folder),        IN_FOLDER(test_becomes_a_link),
        IN_FOLDER(test_keys_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
