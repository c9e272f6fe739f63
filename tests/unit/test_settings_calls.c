/* config/settings_load: each call of the system's, and of a library's, fails in turn, or gives less
 * than was asked for. Nothing is lost in silence. */
#include "settings_help.h"

#include "config/files/watched.h"
#include "config/store_kinds.h"

#include <glob.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <sysexits.h>

/* ---- the calls of the program under test ---- */

enum call {
    CALL_OPEN,
    CALL_OPENAT,
    CALL_FSTAT,
    CALL_FSTATAT,
    CALL_READ,
    CALL_FDOPENDIR,
    CALL_READDIR,
    CALL_GLOB,
    CALL_GETENTROPY,
    CALL_CFG_INIT, /* fails where memory is exhausted */
    CALL_COUNT
};

static const char *const call_names[CALL_COUNT] = {"openat2",    "openat",    "fstat",   "fstatat",
                                                   "read",       "fdopendir", "readdir", "glob",
                                                   "getentropy", "cfg_init"};

static enum call wrong_call;
static int wrong_at;    /* which one is wrong; 0: none */
static int wrong_error; /* its errno; 0: it gives less, or more */
static int wrong_size;  /* what is added to the size that fstat tells */
static int calls[CALL_COUNT];

static bool is_wrong(enum call call)
{
    return wrong_at == ++calls[call] && call == wrong_call;
}

static bool fails(enum call call)
{
    if (!is_wrong(call) || wrong_error == 0)
        return false;
    errno = wrong_error;
    return true;
}

long __real_syscall(long number, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __real_fstat(int file, struct stat *status);
int __real_fstatat(int folder, const char *path, struct stat *status, int flags);
ssize_t __real_read(int file, void *p, size_t n);
DIR *__real_fdopendir(int file);
struct dirent *__real_readdir(DIR *dir);
int __real_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found);
void *__real_cfg_init(void *options, int flags);
int __real_getentropy(void *p, size_t n);
const char *__real_store_key_missing(struct span store);
const char *__real_watch_missing(void);
long __wrap_syscall(long number, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_fstat(int file, struct stat *status);
int __wrap_fstatat(int folder, const char *path, struct stat *status, int flags);
ssize_t __wrap_read(int file, void *p, size_t n);
ssize_t __wrap___read_chk(int file, void *p, size_t n, size_t room);
DIR *__wrap_fdopendir(int file);
struct dirent *__wrap_readdir(DIR *dir);
int __wrap_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found);
void *__wrap_cfg_init(void *options, int flags);
int __wrap_getentropy(void *p, size_t n);
const char *__wrap_store_key_missing(struct span store);
const char *__wrap_watch_missing(void);

/* openat2(), for which there is no other way. */
long __wrap_syscall(long number, ...)
{
    long a[4];
    va_list ap;
    va_start(ap, number);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    return fails(CALL_OPEN) ? -1 : __real_syscall(number, a[0], a[1], a[2], a[3]);
}

int __wrap_openat(int folder_file, const char *path, int flags, ...)
{
    return fails(CALL_OPENAT) ? -1 : __real_openat(folder_file, path, flags);
}

int __wrap_fstat(int file, struct stat *status)
{
    bool wrong = is_wrong(CALL_FSTAT);
    if (wrong && wrong_error != 0) {
        errno = wrong_error;
        return -1;
    }
    int result = __real_fstat(file, status);
    if (wrong)
        status->st_size += wrong_size > -status->st_size ? wrong_size : -status->st_size;
    return result;
}

int __wrap_fstatat(int folder_file, const char *path, struct stat *status, int flags)
{
    return fails(CALL_FSTATAT) ? -1 : __real_fstatat(folder_file, path, status, flags);
}

ssize_t __wrap_read(int file, void *p, size_t n)
{
    bool wrong = is_wrong(CALL_READ);
    if (wrong && wrong_error != 0) {
        errno = wrong_error;
        return -1;
    }
    return __real_read(file, p, wrong && n > 1 ? 1 : n);
}

/* What FORTIFY makes of it. */
ssize_t __wrap___read_chk(int file, void *p, size_t n, size_t room)
{
    assert_true(n <= room);
    return __wrap_read(file, p, n);
}

DIR *__wrap_fdopendir(int file)
{
    return fails(CALL_FDOPENDIR) ? NULL : __real_fdopendir(file);
}

struct dirent *__wrap_readdir(DIR *dir)
{
    return fails(CALL_READDIR) ? NULL : __real_readdir(dir);
}

int __wrap_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found)
{
    if (!fails(CALL_GLOB))
        return __real_glob(pattern, flags, on_error, found);
    memset(found, 0, sizeof *found);
    return wrong_error == ENOMEM ? GLOB_NOSPACE : GLOB_ABORTED;
}

void *__wrap_cfg_init(void *options, int flags)
{
    return fails(CALL_CFG_INIT) ? NULL : __real_cfg_init(options, flags);
}

int __wrap_getentropy(void *p, size_t n)
{
    return fails(CALL_GETENTROPY) ? -1 : __real_getentropy(p, n);
}

static const char *nothing_built_in; /* NULL: as it was built */

const char *__wrap_store_key_missing(struct span store)
{
    return nothing_built_in != NULL ? nothing_built_in : __real_store_key_missing(store);
}

const char *__wrap_watch_missing(void)
{
    return nothing_built_in != NULL ? nothing_built_in : __real_watch_missing();
}

/* ---- */

/* A load with that call wrong; was there such a call? */
static bool load_wrong(enum call call, int at, int error, struct loaded *l, struct strbuf *text)
{
    memset(calls, 0, sizeof calls);
    wrong_call = call;
    wrong_error = error;
    wrong_at = at;
    *l = load_main(NULL);
    wrong_at = 0;
    strbuf_reset(text);
    if (l->settings != NULL)
        describe(l->settings, text);
    return calls[call] >= at;
}

static void name_row(enum call call, int at, const char *how)
{
    char name[60];

    snprintf(name, sizeof name, "%s %d, %s", call_names[call], at, how);
    check_row(name);
}

/* What became of a load in which a call has failed: an error, or a delegate's file that is not in
 * force (RULINGS 73). */
static void check_told(const struct loaded *l)
{
    if (l->settings == NULL)
        check_bool("an error is told", true, diagnostics_has_errors(&l->diagnostics));
    else
        check_bool("a delegate's file is told", true,
                   l->settings->delegated_wrong > 0 && l->diagnostics.delegated > 0);
}

static void test_failing_calls(void **state)
{
    static const int errors[] = {EIO, EMFILE};
    struct strbuf expected = STRBUF_INIT, got = STRBUF_INIT;
    struct loaded l;

    (void)state;
    write_rich();
    (void)load_wrong(CALL_OPEN, 0, 0, &l, &expected);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->delegated_wrong, 0);
    loaded_free(&l);
    for (enum call call = 0; call < CALL_CFG_INIT; call++) {
        for (size_t i = 0; i < CHECK_COUNT(errors); i++) {
            int at = 1;

            for (; load_wrong(call, at, errors[i], &l, &got); at++) {
                name_row(call, at, strerror(errors[i]));
                if (call == CALL_GETENTROPY) /* the address of something will do */
                    check_span("the same settings", strbuf_span(&expected), strbuf_span(&got));
                else
                    check_told(&l);
                loaded_free(&l);
            }
            name_row(call, at, "there is none");
            check_span("the same settings", strbuf_span(&expected), strbuf_span(&got));
            loaded_free(&l);
            /* Where the C library has another name for it, the call is not seen (fstat of glibc
             * before 2.33). */
            if (call != CALL_FSTAT && call != CALL_FSTATAT)
                check_bool("it is called", true, at > 1);
        }
    }
    strbuf_free(&expected);
    strbuf_free(&got);
    check_end();
}

/* Loads in a process of its own with a call that lacks memory. Returns its exit status: 0 if the
 * call is not made. */
static int status_without_memory(enum call call, int at)
{
    struct strbuf text = STRBUF_INIT;
    struct loaded l;
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(load_wrong(call, at, ENOMEM, &l, &text) ? EX_SOFTWARE : EX_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A library that lacks memory ends the program (text/memory.h). */
static void test_no_memory(void **state)
{
    static const enum call rows[] = {CALL_FDOPENDIR, CALL_GLOB, CALL_CFG_INIT};
    (void)state;
    write_rich();
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        int at = 1, status;
        for (; (status = status_without_memory(rows[i], at)) != EX_OK; at++) {
            name_row(rows[i], at, "no memory");
            if (!check_int("exit status", EX_OSERR, status))
                break;
        }
        check_bool("it is called", true, at > 1);
    }
    check_end();
}

/* A read that is interrupted or short, and a file that is longer or shorter than it was a moment
 * before: all of it is read. */
static void test_short_calls(void **state)
{
    static const struct {
        const char *how;
        enum call call;
        int error, size;
    } rows[] = {
        {"interrupted", CALL_READ, EINTR, 0},
        {"one octet", CALL_READ, 0, 0},
        {"nothing of it yet", CALL_FSTAT, 0, -1000000},
        {"an octet less", CALL_FSTAT, 0, -1},
        {"an octet more", CALL_FSTAT, 0, 1},
        {"much more", CALL_FSTAT, 0, 5000},
    };
    struct strbuf expected = STRBUF_INIT, got = STRBUF_INIT;
    struct loaded l;

    (void)state;
    write_rich();
    (void)load_wrong(CALL_OPEN, 0, 0, &l, &expected);
    loaded_free(&l);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        bool called = true;

        wrong_size = rows[i].size;
        for (int at = 1; called; at++) {
            called = load_wrong(rows[i].call, at, rows[i].error, &l, &got);
            name_row(rows[i].call, at, rows[i].how);
            check_span("the same settings", strbuf_span(&expected), strbuf_span(&got));
            loaded_free(&l);
        }
    }
    strbuf_free(&expected);
    strbuf_free(&got);
    check_end();
}

/* A folder that cannot be looked into now: its files stay as they were, but for one whose list
 * somebody else has meanwhile (RULINGS 73). */
static void test_kept_folder(void **state)
{
    (void)state;
    write_rich();
    write_file("a/later.conf", "list \"later.alice.example\" { }\n");
    struct loaded first = load_main(NULL);
    check_row("before");
    check_bool("the list", true, has_list(&first, "later.alice.example"));
    write_file("own/z.conf", "list \"later.alice.example\" { }\n");
    memset(calls, 0, sizeof calls);
    wrong_call = CALL_FDOPENDIR;
    wrong_error = EMFILE;
    wrong_at = 1;
    struct loaded second = load_main(first.settings);
    wrong_at = 0;
    check_row("a folder that cannot be opened");
    check_bool("loaded", true, second.settings != NULL);
    check_bool("a file that fits", true, has_list(&second, "w.alice.example"));
    check_int("lists", (int)first.settings->index.count, (int)second.settings->index.count);
    check_says(&second,
               "a: cannot be read: Too many open files; the last good versions of its files "
               "stay in force\n");
    check_says(&second, "a/later.conf:1: ");
    check_says(&second, "; its lists are disabled\n");
    loaded_free(&second);
    loaded_free(&first);
    check_end();
}

/* It was smaller a moment before. */
static void test_growing_key_file(void **state)
{
    static char text[70000];
    struct strbuf described = STRBUF_INIT;
    bool called = true, told = false;

    (void)state;
    write_rich();
    memset(text, 'k', sizeof text);
    write_octets("keys", span_of(text, sizeof text));
    wrong_size = -10000;
    for (int at = 1; called; at++) {
        struct loaded l;

        called = load_wrong(CALL_FSTAT, at, 0, &l, &described);
        name_row(CALL_FSTAT, at, "10,000 octets less");
        check_bool("refused", true, l.settings == NULL);
        check_says(&l, "token_key_file: \"keys\" is too large");
        told |= calls[CALL_READ] > 1;
        loaded_free(&l);
    }
    check_bool("it was read", true, told);
    strbuf_free(&described);
    check_end();
}

/* RULINGS 74: what is not built in is refused by the key that asks for it, never ignored; what
 * stands in the defaults is told once. */
static void test_not_built_in(void **state)
{
    static const struct row rows[] = {
        {"lists = {}\nstore = \"sqlite:numbers.db\"\n",
         "2: store: ", "is not available (left out)"},
        {"lists = {}\nwatch = true\n", "2: watch: ", "is not available (left out)"},
        {"lists = {}\nlist \"a.b\" {\nsequence = true }\n",
         "3: sequence: ", "needs the store, which is not available (left out)"},
        {"lists = {}\nlist \"a.b\" {\narchived_at = {\"https://x.y/{sequence}\"} }\n",
         "3: archived_at: ", "has {sequence}, which needs the store, which is not available"},
        {"lists = {}\nlist \"a.b\" {\nreused_message_id = \"reject\" }\n",
         "3: reused_message_id: ", "needs the store, which is not available (left out)"},
        {"lists = {}\ndefaults {\nsequence = true }\nlist \"a.b\" { }\nlist \"c.b\" { }\n",
         "3: sequence: ", "needs the store, which is not available (left out)"},
        {"lists = {}\ndefaults {\narchived_at = {\"https://x.y/{sequence}\"} }\nlist \"a.b\" { }\n",
         "3: archived_at: ", "has {sequence}, which needs the store, which is not available"},
    };

    (void)state;
    nothing_built_in = "left out";
    check_rows(rows, CHECK_COUNT(rows), true);
    struct loaded l = load_text(rows[5].text);
    assert_int_equal(l.diagnostics.errors, 1);
    loaded_free(&l);
    l = load_text("lists = {}\nlist \"a.b\" { sequence = true sequence_from = \"envelope-sender\" "
                  "address = \"a@b\" }\n");
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_non_null(l.settings);
    loaded_free(&l);
    nothing_built_in = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_failing_calls),    TEST(test_no_memory),
                                       TEST(test_short_calls),      TEST(test_kept_folder),
                                       TEST(test_growing_key_file), TEST(test_not_built_in)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
