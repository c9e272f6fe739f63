/* mlmilterctl hash: the Message-ID-Hash of a message, or of what somebody typed. */
#include "ctl/commands/commands.h"
#include "ctl/input.h"
#include "ctl/report.h"
#include "mail/message.h"
#include "spec/message_id.h"
#include "text/arena.h"

#include <string.h>
#include <sysexits.h>

struct hash_options {
    bool rev1;             /* X-List-ID-Hash instead */
    const char *normalize; /* --normalize TEXT */
    const char *file;      /* NULL: standard input */
};

enum option_code { OPTION_REV1, OPTION_NORMALIZE, OPTION_COUNT };

static const struct option options[] = {
    {"rev1", no_argument, NULL, OPTION_REV1},
    {"normalize", required_argument, NULL, OPTION_NORMALIZE},
    {NULL, 0, NULL, 0},
};

static int parse_options(struct hash_options *o, struct invocation *invocation, int argc,
                         char **argv)
{
    const char *values[OPTION_COUNT] = {NULL};
    int status = command_values(invocation, options, values, argc, argv);
    memset(o, 0, sizeof *o);
    if (status != EX_OK)
        return status;
    o->rev1 = values[OPTION_REV1] != NULL;
    o->normalize = values[OPTION_NORMALIZE];
    if (argc - optind > (o->normalize == NULL ? 1 : 0) || (o->rev1 && o->normalize != NULL))
        return usage_error(invocation);
    o->file = argv[optind];
    return EX_OK;
}

/* One line: the hash, or "-" where there is none. Returns the exit status. */
static int say_hash(const char *hash)
{
    struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s\n", hash == NULL ? "-" : hash);
    int status = write_and_free(&line);
    return status == EX_OK && hash == NULL ? EXIT_NO : status;
}

static int say_normalized(const char *typed)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    if (!message_id_hash_normalize(span_cstr(typed), hash)) {
        report_error("\"%s\" is not a hash (expected %d characters of A-Z and 2-7)", typed,
                     MESSAGE_ID_HASH_LENGTH);
        return EXIT_NO;
    }
    return say_hash(hash);
}

/* Sets hash, or returns false if the message lacks a field for it. */
static bool hash_of(struct span message, bool rev1, struct arena *arena, char *hash)
{
    struct span id = message_first(message, FIELD_MESSAGE_ID, arena);
    struct span date = message_first(message, FIELD_DATE, arena);
    if (id.p == NULL || (rev1 && date.p == NULL))
        return false;
    if (rev1)
        message_id_list_hash(id, date, hash);
    else
        message_id_hash(message_id_bare(id), hash);
    return true;
}

static int hash_text(struct span text, bool rev1)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct arena arena;
    arena_init(&arena, 0);
    bool found = hash_of(text, rev1, &arena, hash);
    arena_free(&arena);
    return say_hash(found ? hash : NULL);
}

static int run_hash(struct invocation *invocation, int argc, char **argv)
{
    struct hash_options o;
    struct strbuf text = STRBUF_INIT;
    int status = parse_options(&o, invocation, argc, argv);
    if (status == EX_OK && o.normalize != NULL)
        return say_normalized(o.normalize);
    if (status == EX_OK)
        status = input_read(o.file, &text);
    if (status == EX_OK)
        status = hash_text(strbuf_span(&text), o.rev1);
    strbuf_free(&text);
    return status;
}

const struct command command_hash = {
    "hash", run_hash,
    "  hash [--rev1] [FILE]\n"
    "          Message-ID-Hash (or X-List-ID-Hash) of the message\n"
    "  hash --normalize TEXT\n"
    "          a hash as somebody typed it, made canonical\n"};
