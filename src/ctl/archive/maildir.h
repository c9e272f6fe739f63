/*
 * maildir - the messages of a Maildir, which others may use meanwhile
 *
 * A message is in cur or in new, as UNIQUE or UNIQUE:INFO.  A mail program
 * moves it from new to cur and renames it when a flag changes; UNIQUE stays
 * (https://cr.yp.to/proto/maildir.html).  The names are listed once; a message
 * that has another name when it is opened is looked for in a second list, by its
 * unique part.
 */
#ifndef MLMILTER_CTL_ARCHIVE_MAILDIR_H
#define MLMILTER_CTL_ARCHIVE_MAILDIR_H

#include "ctl/archive/archive.h"

/* Visits the messages in octet order of their unique parts, cur and new together. fd is of the
 * folder that holds cur and new, and stays open. Returns as archive_each. */
int maildir_each(int fd, const char *path, const struct archive_visitor *visitor);

/* The folders within it (Maildir++: ".NAME" with a "cur" in it), which maildir_each does not visit:
 * how many; *name is that of one, to be freed, or NULL. */
size_t maildir_folders(const char *path, char **name);

#endif
