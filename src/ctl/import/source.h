/*
 * source - the folders and files that an import reads, which belong to others
 *
 * Reads only, never waits, and follows no symbolic link below what the administrator named: a FIFO,
 * a device or a link in place of a file is named and left.  Folders are looked through three
 * levels deep.  What is said goes the way of import_left_out.  One thread.
 */
#ifndef MLMILTER_CTL_IMPORT_SOURCE_H
#define MLMILTER_CTL_IMPORT_SOURCE_H

#include "ctl/import/import.h"
#include "text/span.h"

#include <stdbool.h>

struct folder {
    int fd;
    const char *path; /* absolute */
    int depth;        /* 0: the one that was named */
};

/* The last component of the folder's path, and the one before it. */
struct span folder_name(const struct folder *folder);
struct span folder_name_above(const struct folder *folder);

/* Opens a folder in a folder, whose name *path keeps; the caller frees that, and closes folder->fd.
 * false: it is no folder, or cannot be opened, which is said. */
bool folder_open(struct import *import, const struct folder *above, const char *name,
                 struct strbuf *path, struct folder *folder);

/* Is there anything of that name? */
bool folder_has(struct import *import, const struct folder *folder, const char *name);

/* The text of a file in the folder, in import->arena. false, and *text stays: the file is not
 * there, or cannot be read, which is said. */
bool folder_read(struct import *import, const struct folder *folder, const char *name,
                 struct span *text);

/* Takes the first line of *rest, without blanks at its ends. */
struct span take_line(struct span *rest);

/* Imports what the administrator named: "-" or a file for a kind that reads texts, else a folder.
 * An exit status. */
int source_import(struct import *import, const char *source);

#endif
