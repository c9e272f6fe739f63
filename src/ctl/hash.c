/* mlmilterctl hash: prints the Message-ID-Hash of a message or of a Message-ID. */
#include "ctl/archive.h"
#include "ctl/tool.h"
#include "mail/message.h"
#include "spec/message_id.h"
#include "text/arena.h"

/* Prints a line: the hash, or "-" if there is none. Returns the exit status. */
static int print_hash(const char *hash)
{
    struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s\n", hash == NULL ? "-" : hash);
    return print_and_free(&line, hash == NULL ? EXIT_NO : EX_OK);
}

static int print_hash_of_file(char *path, bool rev1)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct strbuf header = STRBUF_INIT;
    struct arena arena;
    bool has_more = false;
    int status = archive_first(path, &header, &has_more);
    arena_init(&arena, 0);
    struct span id = message_first(strbuf_span(&header), FIELD_MESSAGE_ID, &arena);
    struct span date = message_first(strbuf_span(&header), FIELD_DATE, &arena);
    bool has_hash = id.p != NULL && (!rev1 || date.p != NULL);
    if (has_hash && rev1)
        message_id_list_hash(id, date, hash);
    else if (has_hash)
        message_id_hash(message_id_bare(id), hash);
    if (status == EX_OK)
        status = print_hash(has_hash ? hash : NULL);
    if (has_more)
        report_error("%s has more messages: mlmilterctl map prints the hashes of all",
                     path != NULL ? path : "standard input");
    arena_free(&arena);
    strbuf_free(&header);
    return status;
}

int run_hash(const struct options *o)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    char *file = o->arguments[0];
    if ((o->normalize != NULL) + o->rev1 + (o->id != NULL) > 1 ||
        (file != NULL && (o->normalize != NULL || o->id != NULL)))
        return usage_error(o, "hash: expected one of --id, --normalize, --rev1, and FILE with the "
                              "last or alone");
    if (o->normalize == NULL && o->id == NULL)
        return print_hash_of_file(file, o->rev1);
    if (o->normalize == NULL) {
        message_id_hash(message_id_bare(span_trim(span_cstr(o->id))), hash);
    } else if (!message_id_hash_normalize(span_cstr(o->normalize), hash)) {
        report_error("\"%s\" is not a hash (expected %d characters of A-Z and 2-7)", o->normalize,
                     MESSAGE_ID_HASH_LENGTH);
        return EXIT_NO;
    }
    return print_hash(hash);
}
