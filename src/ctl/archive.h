/*
 * archive - the headers of all messages of an archive, one at a time
 *
 * An archive is an mbox file ("-": from standard input) or a Maildir, with its folders ".NAME".
 * Memory does not depend on the size of messages: an mbox takes a block and one header; a Maildir
 * also the names of its files.  A terminal shows progress.  A Maildir may be in use: a message that
 * is moved is visited once.
 */
#ifndef MLMILTER_CTL_ARCHIVE_H
#define MLMILTER_CTL_ARCHIVE_H

#include "mail/header.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes kept of a header: one more than mail/header.h takes, so that it sees the excess
 * (RULINGS 71). */
#define ARCHIVE_HEADER_OCTETS (HEADER_MAX_OCTETS + 1)

struct archive_message {
    struct span header; /* for message_split */
    struct span file;
    bool has_offset; /* an mbox: where in the file the message's "From " line begins */
    uint64_t offset;
    uint64_t line;         /* of the file, from 1: where the header begins */
    struct span mbox_line; /* an mbox: the begin of the "From " line, with its end */
    bool is_lone;          /* the file is this one message */
    bool is_cut;           /* an mbox that ends within this header */
};

struct archive_visitor {
    void *context;
    bool takes_messages; /* a file that does not begin as an mbox is one message */
    /* Gets each message; *m lives during the call. Returns false if it wants no more of this
     * archive. */
    bool (*message)(void *context, const struct archive_message *m);
    /* NULL, or called after all messages of an archive. Returns the status of the archive. */
    int (*end)(void *context, const char *name);
};

/* Visits all messages of several archives, also if one fails; "-" or NULL is standard input.
 * Returns the first exit status that is not EX_OK, after messages: EX_OSERR, EX_DATAERR if it is no
 * archive, or that of `end`. */
int archive_visit(char *const *paths, size_t count, const struct archive_visitor *visitor);

/* Appends the header of a message, or of the first in an archive. Sets *has_more, unless it is
 * NULL, if the archive has further messages; else reads no body. Returns as archive_visit does. */
int archive_first(char *path, struct strbuf *header, bool *has_more);

#endif
