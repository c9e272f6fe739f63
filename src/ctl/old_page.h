/*
 * old_page - the Message-ID that a page of an old web archive has (RULINGS 124)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_CTL_OLD_PAGE_H
#define MLMILTER_CTL_OLD_PAGE_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum archiver { ARCHIVER_PIPERMAIL, ARCHIVER_MHONARC, ARCHIVER_HYPERMAIL, ARCHIVERS };

enum page_id {
    PAGE_ID_OWN,
    PAGE_ID_GUESSED, /* Hypermail's only "_at_", read as "@" */
    PAGE_ID_ABSENT,  /* Pipermail before Mailman 2.1.10: none, or that of another post */
    PAGE_ID_MADE,    /* by the archiver, as the post had none */
    PAGE_ID_LOST,    /* empty, hidden by the archiver, or too long for a header */
    PAGE_ID_TWO      /* more than one place with an id, one of which a sender may have written */
};

struct old_page {
    enum archiver archiver; /* ARCHIVERS: no page of a post */
    enum page_id id;
    struct span id_text;   /* PAGE_ID_OWN and GUESSED: as in a Message-ID field, trimmed */
    struct span date_text; /* of MHonArc and Hypermail: as in a Date field; p NULL: none */
    struct span arrival;   /* of Pipermail: the words of a From_ line, "ann at a.example Tue Mar 1
                              10:00:00 2005"; p NULL: none */
};

/* Reads the begin of a page, down to the body of the post. Texts live in the arena. */
void old_page_read(struct span text, struct arena *arena, struct old_page *page);

/* True if an archiver makes such ids, "mailman.N.TIME.PID.LIST@HOST" or
 * "MD5@NO-ID-FOUND.mhonarc.org". */
bool old_page_id_is_made(struct span bare);

/* Appends the first words of a text, at most `most`, each after a blank. Returns their number. */
size_t old_page_add_words(struct strbuf *out, struct span text, size_t most);

#endif
