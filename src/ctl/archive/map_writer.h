/*
 * map_writer - from a message's header to a line of a map
 *
 * tsv      HASH, the Message-ID as hashed, the place; with a tabulator between
 * json     the same as an object: "hash", "message_id", "file", "offset"
 * nginx    HASH "value";  for a file that a `map` block of nginx includes
 */
#ifndef MLMILTER_CTL_ARCHIVE_MAP_WRITER_H
#define MLMILTER_CTL_ARCHIVE_MAP_WRITER_H

#include "ctl/archive/archive.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/strbuf.h"
#include "text/strmap.h"

#include <stdbool.h>
#include <stdint.h>

enum map_format { MAP_TSV, MAP_JSON, MAP_NGINX };

struct map_writer {
    enum map_format format;
    struct template to;   /* MAP_NGINX: what a value is made of */
    struct arena of_text; /* holds `to` and the keys of `seen` */
    struct arena of_message;
    struct strbuf line;
    struct strmap seen; /* MAP_NGINX: hashes with a line */

    uint64_t number;        /* {sequence} of the next message */
    uint64_t messages;      /* all of them */
    uint64_t lines;         /* written */
    uint64_t without_id;    /* no Message-ID in the header (or none in its first MiB) */
    uint64_t without_value; /* nothing for a variable of `to` */
    uint64_t elsewhere;     /* with it a segment of the path would be "." or ".." (RULINGS 86) */
    uint64_t too_long;      /* for nginx */
    uint64_t duplicates;    /* nginx refuses a second line with the same hash: the first one wins */
};

void map_writer_init(struct map_writer *w);
void map_writer_free(struct map_writer *w);

/* to: a template with the variables of a message and {sequence}, or NULL for {message_id}; first:
 * the first message's number. Returns EX_OK, or EX_USAGE after a message. */
int map_writer_begin(struct map_writer *w, enum map_format format, const char *to, uint64_t first);

/* Returns the line of a message, which lives until the next call, or an empty span if it has none.
 */
struct span map_writer_add(struct map_writer *w, const struct archive_message *m);

#endif
