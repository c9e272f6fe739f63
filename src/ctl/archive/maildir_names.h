/*
 * maildir_names - the names of the messages of a Maildir that others use meanwhile
 *
 * A message is in cur or in new, as UNIQUE or UNIQUE:INFO. Whoever reads mail moves
 * it from new to cur and renames it when a flag changes; UNIQUE stays
 * (https://cr.yp.to/proto/maildir.html). What is listed here may have another name
 * when it is opened: then it is listed again, and found by its unique part.
 */
#ifndef MLMILTER_CTL_ARCHIVE_MAILDIR_NAMES_H
#define MLMILTER_CTL_ARCHIVE_MAILDIR_NAMES_H

#include "ctl/archive/archive.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stddef.h>

#define MAILDIR_FOLDERS 2

struct maildir_names {
    const char *path;
    const struct archive_visitor *visitor; /* its go_on is called for each name */
    int folders[MAILDIR_FOLDERS];          /* descriptors; -1: it is not there */

    /* Per name the number of its folder, the name and a NUL. */
    struct strbuf text;
    const char *
        *order; /* places in text: each folder and name once, by unique part, then by name */
    size_t count;
};

void maildir_names_init(struct maildir_names *n, const char *path,
                        const struct archive_visitor *visitor);
void maildir_names_free(struct maildir_names *n);

/* Opens the folders of a Maildir; its fd stays open. EX_OK, or EX_OSERR or EX_DATAERR after a
 * message. */
int maildir_names_open(struct maildir_names *n, int fd);

/* Lists the folders, instead of what was listed before. Every message that is there all the time is
 * listed, if it is renamed meanwhile, maybe under an old name or under more than one. at: the place
 * in `order` that is told to go_on. EX_OK, EX_OSERR after a message, or ARCHIVE_STOPPED. */
int maildir_names_list(struct maildir_names *n, size_t at);

/* The place of the first name whose unique part is this one, or of one behind it. */
size_t maildir_names_find(const struct maildir_names *n, const char *unique);

/* Of a place in `order`. */
int maildir_names_folder(const struct maildir_names *n, const char *place); /* its descriptor */
const char *maildir_names_folder_name(const char *place);
const char *maildir_names_name(const char *place);
struct span maildir_names_unique(const char *place);

#endif
