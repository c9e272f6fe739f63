/* mlmilterctl: checks, explains and debugs what mlmilter does. */
#include "config/load.h"
#include "ctl/commands/commands.h"
#include "ctl/output.h"
#include "text/edit_distance.h"

#include <string.h>
#include <sysexits.h>
#include <syslog.h>

static const struct command *find_command(const char *name)
{
    const struct command *at = commands;
    if (strcmp(name, "list") == 0)
        name = "lists";
    while (at->name != NULL && strcmp(at->name, name) != 0)
        at++;
    return at->name != NULL ? at : NULL;
}

/* Returns the command that does what a word means to other programs, or NULL. */
static const char *find_meaning(const char *word)
{
    static const char *const words[][2] = {
        {"test", "mlmilterctl check"},
        {"validate", "mlmilterctl check"},
        {"--check", "mlmilterctl check"},
        {"start", "systemctl start mlmilter"},
        {"stop", "systemctl stop mlmilter"},
        {"restart", "systemctl restart mlmilter"},
        {"add", "mlmilterctl import, or edit the configuration"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i][0]) == 0)
            return words[i][1];
    return NULL;
}

/* Reports the mistake after the usage of the command that was probably meant, or after all names.
 */
static int unknown_command(struct options *o, const char *name)
{
    struct edit_nearest near = edit_nearest_to(span_cstr(name));
    for (const struct command *c = commands; c->name != NULL; c++)
        edit_nearest_try(&near, span_cstr(c->name));
    if (find_meaning(name) == NULL && near.nearest.p != NULL) {
        o->command = find_command(near.nearest.p);
        return usage_error(o, "unknown command \"%s\" (did you mean \"%s\"?)", name,
                           near.nearest.p);
    }
    fputs("commands:", stderr);
    for (const struct command *c = commands; c->name != NULL; c++)
        fprintf(stderr, " %s", c->name);
    fputs("\n", stderr);
    if (find_meaning(name) != NULL)
        report_error("unknown command \"%s\" (type: %s)", name, find_meaning(name));
    else
        report_error("unknown command \"%s\"", name);
    return EX_USAGE;
}

static int run_help(const struct options *o)
{
    struct options copy = *o;
    if (o->argument_count == 0)
        return usage_print(NULL);
    copy.command = find_command(o->arguments[0]);
    return copy.command != NULL ? usage_print(copy.command)
                                : unknown_command(&copy, o->arguments[0]);
}

#define ENVELOPE "client sender recipient mta-recipient daemon authenticated list"
#define ENVELOPE_USAGE                                                                             \
    "[--client ADDR] [--sender ADDR] [--recipient ADDR [--mta-recipient ADDR]]...\n"               \
    "          [--daemon NAME] [--authenticated] [--list ID] [FILE]\n"

const struct command commands[] = {
    {"check", run_check, "json", 0, MANY_ARGUMENTS,
     "  check [--json] [FILE...]\n"
     "          checks the configuration, or the FILEs; a list file has the defaults of the main\n"
     "          file\n"},
    {"doctor", run_doctor, "json sendmail-cf", 0, 0,
     "  doctor [--json] [--sendmail-cf FILE]\n"
     "          finds what on this host prevents a stamped post, and what to type; best run as\n"
     "          root; changes nothing\n"},
    {"lint", run_lint, "all json list-domain", 0, MANY_ARGUMENTS,
     "  lint [--all] [--json] [--list-domain DOMAIN] [FILE|MBOX|MAILDIR...]\n"
     "          finds what is wrong or unwise in the list headers of delivered mail, by clause: a\n"
     "          line for each finding; of an archive a summary (default: standard input);\n"
     "          --all: also in mail without list headers\n"},
    {"lists", run_lists, "json", 0, 0,
     "  lists [--json]\n"
     "          prints id, address, select and place of each list\n"},
    {"show", run_show, "json", 0, 1,
     "  show [--json] [LIST]\n"
     "          prints the values that count for the list (its id, address or an alias), and the\n"
     "          source of each; without LIST the keys of the main file\n"},
    {"status", run_status, "json", 0, 0,
     "  status [--json]\n"
     "          prints whether the daemon runs, its configuration, and how its last load went\n"},
    {"reload", run_reload, "", 0, 0,
     "  reload\n"
     "          has the daemon read its configuration again, and prints the result\n"},
    {"filter", run_filter, "diff " ENVELOPE, 0, 1,
     "  filter [--diff] " ENVELOPE_USAGE
     "          prints the message with the edits; with --diff its header before and after\n"},
    {"explain", run_explain, "json " ENVELOPE, 0, 1,
     "  explain [--json] " ENVELOPE_USAGE
     "          prints which list, why, and what would be done with the message\n"},
    {"hash", run_hash, "id normalize rev1", 0, 1,
     "  hash [--rev1] [FILE]\n"
     "  hash --id MESSAGE-ID\n"
     "          prints the Message-ID-Hash (or X-List-ID-Hash) of a message or a Message-ID\n"
     "  hash --normalize TEXT\n"
     "          corrects a hash that a person typed\n"},
    {"url", run_url, "base id list template", 0, 1,
     "  url [--list ID] [--template T] [--base URL] [--id MESSAGE-ID | FILE]\n"
     "          prints the stable URLs of an off-list copy, or of a Message-ID\n"},
    {"map", run_map, "first format json to", 1, MANY_ARGUMENTS,
     "  map [--json | --format tsv] MBOX|MAILDIR...\n"
     "          prints Message-ID-Hash, Message-ID and place of every message, a line each (the\n"
     "          place is FILE:OFFSET in an mbox; MBOX may be - for standard input)\n"
     "  map --format nginx [--to TEMPLATE] [--first N] MBOX|MAILDIR...\n"
     "          prints lines for a map of nginx: HASH \"VALUE\"; (TEMPLATE default {message_id};\n"
     "          {sequence} is N for the first message, default 1)\n"},
    {"sequence", run_sequence, "all json", 1, 3,
     "  sequence show [--json] LIST | --all\n"
     "          prints the last number given; of all lists in the store\n"
     "  sequence set LIST N\n"
     "          the next post gets N+1; never lowers\n"
     "  sequence prune DAYS [LIST]\n"
     "          deletes posts first seen more than DAYS ago; prints how many\n"},
    {"new-list-id", run_new_list_id, "", 1, 2,
     "  new-list-id NAME [DOMAIN]\n"
     "          prints a List-Id; without a domain a random one in localhost\n"},
    {"verify-token", run_verify_token, "+", 3, 3,
     "  verify-token LIST ADDRESS TOKEN\n"
     "          checks the {recipient_token} of a one-click URL with our keys\n"},
    {"import", run_import, "domain", 2, MANY_ARGUMENTS,
     "  import [--domain DOMAIN] mlmmj|ezmlm|sympa FOLDER...\n"
     "  import [--domain DOMAIN] mailman2|mailman3|aliases FILE|-...\n"
     "          prints list sections for what a list manager has: FOLDER is that of a list, or "
     "the\n"
     "          one above; FILE is what list_lists -b or mailman lists -n -d -q print, or an "
     "alias\n"
     "          file; DOMAIN is that of names without one\n"},
    {"help", run_help, "", 0, 1,
     "  help [COMMAND]\n"
     "          prints this list, or how one command is used\n"},
    {NULL, NULL, NULL, 0, 0, NULL},
};

int main(int argc, char **argv)
{
    struct options o = {.config_path = MAIN_FILE_DEFAULT};
    int status;
    openlog("mlmilterctl", LOG_PERROR, LOG_USER); /* of text/memory.h */
    if (options_read(&o, argc, argv, &status)) {
        char **rest = o.arguments;
        size_t count = o.argument_count;
        if (count == 0)
            status = usage_error(&o, "a command is missing");
        else if ((o.command = find_command(rest[0])) == NULL)
            status = unknown_command(&o, rest[0]);
        else if (options_read(&o, (int)count, rest, &status))
            status = o.command->run(&o);
    }
    options_free(&o);
    return status;
}
