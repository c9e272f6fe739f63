/*
 * archive - the headers of all messages of an archive, one at a time
 *
 * An archive is an mbox file ("-": from standard input) or a Maildir.  The header of a message is
 * read, its body is skipped.  Memory does not depend on the size of messages: an mbox takes a block
 * and one header; a Maildir also the names of its files, about 100 bytes each.  A Maildir may be in
 * use: a message that is renamed is visited once; one that is deleted before its turn is not.
 */
#ifndef MLMILTER_CTL_ARCHIVE_ARCHIVE_H
#define MLMILTER_CTL_ARCHIVE_ARCHIVE_H

#include "ctl/archive/progress.h"
#include "mail/header.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes kept of a header: one more than mail/header.h takes, so that it sees the excess
 * (RULINGS 71). */
#define ARCHIVE_HEADER_OCTETS (HEADER_MAX_OCTETS + 1)

/* The visitor's go_on returned false. */
#define ARCHIVE_STOPPED (-1)

struct archive_message {
    struct span header; /* for message_split; in a Maildir, some of the body may follow it */
    struct span file;
    bool has_offset; /* an mbox: where in the file the message's "From " line begins */
    uint64_t offset;
    uint64_t line; /* of the file, from 1: where the header begins; 0: not counted */
    bool is_lone;  /* the file is this one message */
    bool is_cut;   /* an mbox that ends within this header */
};

struct archive_visitor {
    void *context;
    bool takes_messages; /* a file that does not begin as an mbox is one message */
    /* Gets each message; *m lives during the call. Any status except EX_OK ends the reading and is
     * returned. */
    int (*message)(void *context, const struct archive_message *m);
    /* Called after every read with the progress in bytes or files; total is 0 if not known. Returns
     * false to stop. */
    bool (*go_on)(void *context, uint64_t done, uint64_t total);
    /* NULL, or called by archive_all after all messages of an archive; returns the status of the
     * archive. */
    int (*end)(void *context, const char *path);
};

/* Visits all messages of an archive. Returns EX_OK; the status of `message`; ARCHIVE_STOPPED; or
 * after a message EX_OSERR, or EX_DATAERR if it is no archive. */
int archive_each(const char *path, const struct archive_visitor *visitor);

/* Visits all messages of several archives, also if one fails. Returns the first status that is not
 * EX_OK. */
int archive_all(char **paths, size_t count, const struct archive_visitor *visitor,
                struct progress *progress);

/* Visits the messages of an mbox in the order of the file, which may be a pipe. fd stays open.
 * Returns as archive_each. */
int mbox_each(int fd, const char *path, const struct archive_visitor *visitor);

/* Visits the messages of a Maildir in byte order of their unique parts, cur and new together. fd is
 * of the folder that holds cur and new, and stays open. Returns as archive_each. */
int maildir_each(int fd, const char *path, const struct archive_visitor *visitor);

/* Returns how many folders a Maildir holds (Maildir++: ".NAME" that contains "cur"), which
 * maildir_each does not visit. *name is the name of one, for free(), or NULL. */
size_t maildir_folders(const char *path, char **name);

/* Makes an interrupt (SIGINT) end reads early instead of ending the process, unless it is ignored
 * (nohup, "&" in a script). archive_end_by_interrupt ends the process by the signal, after the
 * caller freed everything, so that a shell's loop ends too; else it returns EX_OSERR. */
void archive_catch_interrupt(void);
bool archive_is_interrupted(void);
int archive_end_by_interrupt(void);

#endif
