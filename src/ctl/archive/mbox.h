/*
 * mbox - the messages of an mbox file
 *
 * RFC 4155, and the flavours "mboxo" and "mboxrd"; mbox.c has the grammar.
 */
#ifndef MLMILTER_CTL_ARCHIVE_MBOX_H
#define MLMILTER_CTL_ARCHIVE_MBOX_H

#include "ctl/archive/archive.h"

/* Visits the messages in the order of the file, which may be a pipe. fd stays open. Returns as
 * archive_each. */
int mbox_each(int fd, const char *path, const struct archive_visitor *visitor);

#endif
