/* place - see place.h */
#include "store/sqlite/place.h"

#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What helps where a file is not the one that it should be. */
#define PUT_BACK "stop every mlmilter, remove %s-wal and -shm, put the file back, start"

int db_check_place(const struct sqlite_db *db, struct store_error *error)
{
    struct stat s;
    if (!db->known || (stat(db->path, &s) == 0 && s.st_dev == db->device && s.st_ino == db->inode &&
                       s.st_size > 0))
        return 0;
    return store_fail(error, "%s: the file was removed or replaced: " PUT_BACK, db->path, db->path);
}

int db_fail_log(const struct sqlite_db *db, struct store_error *error)
{
    /* It would write the log into this file, and remove it. */
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return store_fail(error, "%s: it is a copy, with the -wal of another file: " PUT_BACK, db->path,
                      db->path);
}

bool db_has_file(const struct sqlite_db *db, const char *ending)
{
    struct strbuf name = STRBUF_INIT;
    struct stat s;
    bool there;
    strbuf_addf(&name, "%s%s", db->path, ending);
    there = stat(strbuf_str(&name), &s) == 0 || errno != ENOENT;
    strbuf_free(&name);
    return there;
}

/* The file is looked for after its log: another process makes them in the other order. */
int db_look_at_place(const struct sqlite_db *db, struct store_error *error)
{
    bool has_log = db_has_file(db, "-wal") || db_has_file(db, "-shm");
    struct stat s;
    if (db_check_place(db, error) != 0)
        return -1;
    if (stat(db->path, &s) != 0) {
        if (errno != ENOENT)
            return store_fail(error, "%s: %s", db->path, strerror(errno));
        s.st_size = 0;
    } else if (!S_ISREG(s.st_mode)) {
        return store_fail(error, "%s: it is not a regular file", db->path);
    }
    if (s.st_size == 0 && has_log)
        return store_fail(error, "%s: the file is gone, and its log is there: " PUT_BACK, db->path,
                          db->path);
    return s.st_size > 0 ? 0 : 1;
}

/* SQLite's own mode for new files would let everyone read them; what stands beside the file gets
 * its mode. */
int db_make_file(const struct sqlite_db *db, struct store_error *error)
{
    int fd = open(db->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd < 0 && errno == EEXIST)
        return 0;
    if (fd < 0)
        return store_fail(error, "%s: it cannot be made: %s", db->path, strerror(errno));
    (void)fchmod(fd, 0640); /* the umask may have taken the group's right */
    close(fd);
    return 0;
}
