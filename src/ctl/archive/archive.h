/*
 * archive - the headers of all messages of an archive, one at a time
 *
 * An archive is an mbox file ("-": from standard input) or a Maildir.  A message's
 * header is read, its body is skipped, so that memory does not depend on the
 * size of messages: an mbox takes a block and one header; a Maildir also the
 * names of its files, about 100 octets each.  Of a Maildir in use a message that
 * is renamed is visited all the same, once; one that is deleted before its turn is
 * not.
 */
#ifndef MLMILTER_CTL_ARCHIVE_ARCHIVE_H
#define MLMILTER_CTL_ARCHIVE_ARCHIVE_H

#include "ctl/archive/progress.h"
#include "mail/header.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* What is kept of a header: one octet more than mail/header.h takes, so that it knows (RULINGS 71).
 */
#define ARCHIVE_HEADER_OCTETS (HEADER_MAX_OCTETS + 1)

/* archive_each was told to stop. */
#define ARCHIVE_STOPPED (-1)

struct archive_message {
    struct span header; /* for message_split; in a Maildir, some of the body may follow it */
    struct span file;
    bool has_offset; /* an mbox: where in the file the message's "From " line begins */
    uint64_t offset;
    uint64_t line; /* of the file, from 1: where the header begins; 0: it was not counted */
    bool is_lone;  /* the file is this one message */
    bool is_cut;   /* an mbox that ends within this header */
};

struct archive_visitor {
    void *context;
    bool takes_messages; /* a file that does not begin as an mbox is one message */
    /* What is in *m lives during the call. Anything but EX_OK ends the reading and is given back.
     */
    int (*message)(void *context, const struct archive_message *m);
    /* Called after every read: how far we are, in octets or files; total is 0 if nobody knows.
     * false: stop. */
    bool (*go_on)(void *context, uint64_t done, uint64_t total);
    /* NULL, or called by archive_all behind all messages of an archive; its status is that of the
     * archive. */
    int (*end)(void *context, const char *path);
};

/* EX_OK; what `message` gave; ARCHIVE_STOPPED; or after a message EX_OSERR, or EX_DATAERR when it
 * is no archive. */
int archive_each(const char *path, const struct archive_visitor *visitor);

/* The same for several, with their progress: all of them, even if one is none. What the first one
 * with trouble gave. */
int archive_all(char **paths, size_t count, const struct archive_visitor *visitor,
                struct progress *progress);

/* From now on an interrupt (SIGINT) is remembered instead of ending the process, and reads end
 * early; where it was ignored (nohup, "&" in a script) it stays so. archive_end_by_interrupt, once
 * everything is put away, ends the process as the signal says, so that a shell's loop ends too;
 * else it returns EX_OSERR. */
void archive_catch_interrupt(void);
bool archive_is_interrupted(void);
int archive_end_by_interrupt(void);

#endif
