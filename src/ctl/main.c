/* mlmilterctl: checks, explains and debugs what mlmilter does. */
#include "config/store_kinds.h"
#include "ctl/tool.h"
#include "text/edit_distance.h"
#include "text/memory.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

static int run_help(const struct options *o);

/* ---- the tables ---- */

#define ENVELOPE                                                                                   \
    "[--client ADDR] [--sender ADDR] [--recipient ADDR [--mta-recipient ADDR]\n"                   \
    "          [--mta-mailer NAME]]... "                                                           \
    "[--daemon NAME] [--authenticated] [--list ID] [FILE]\n"

static const struct command commands[] = {
    {"attach", run_attach, 0, 0,
     "  attach [--yes]\n"
     "          shows what it would alter in Postfix's main.cf, asks, and attaches mlmilter\n"},
    {"check", run_check, 0, SIZE_MAX,
     "  check [--json] [FILE...]\n"
     "          checks the configuration, or list FILEs with the defaults of the main file\n"},
    {"detach", run_attach, 0, 0,
     "  detach [--yes | --show]\n"
     "          does the contrary; --show prints where an MTA asks mlmilter\n"},
    {"doctor", run_doctor, 0, 0,
     "  doctor [--json] [--sendmail-cf FILE] [--ignore NAME[=SUBJECT]]...\n"
     "          finds what on this host prevents a stamped post; best run as root\n"},
    {"lint", run_lint, 0, SIZE_MAX,
     "  lint [--all] [--json] [--list-domain DOMAIN] [FILE|MBOX|MAILDIR...]\n"
     "          finds faults in the list headers of delivered mail; --all: also without any\n"},
    {"lists", run_lists, 0, 0,
     "  lists [--json]\n"
     "          prints id, address, select and place of each list\n"},
    {"show", run_show, 0, 1,
     "  show [--json] [LIST]\n"
     "          prints the values of a list, or of the main file, and the source of each\n"},
    {"status", run_status, 0, 0,
     "  status [--json]\n"
     "          prints whether the daemon runs, its configuration, and how its last load went\n"},
    {"reload", run_reload, 0, 0,
     "  reload\n"
     "          has the daemon read its configuration again, and prints the result\n"},
    {"filter", run_filter, 0, 1,
     "  filter [--diff] " ENVELOPE
     "          prints the message with the edits; with --diff its header before and after\n"},
    {"explain", run_explain, 0, 1,
     "  explain [--json] " ENVELOPE
     "          prints which list, why, and what would be done with the message\n"},
    {"hash", run_hash, 0, 1,
     "  hash [--rev1] [FILE|MBOX|MAILDIR]\n"
     "  hash --id MESSAGE-ID\n"
     "          prints the Message-ID-Hash (or X-List-ID-Hash)\n"
     "  hash --normalize TEXT\n"
     "          corrects a hash that a person typed\n"},
    {"url", run_url, 0, 1,
     "  url [--list ID] [--template T] [--base URL] [--id MESSAGE-ID | FILE|MBOX|MAILDIR]\n"
     "          prints the stable URLs of an off-list copy, or of a Message-ID\n"},
    {"map", run_map, 0, SIZE_MAX,
     "  map [--json | --format tsv] MBOX|MAILDIR...\n"
     "          prints Message-ID-Hash, Message-ID and place of every message\n"
     "  map --format nginx [--to TEMPLATE] [--first N] MBOX|MAILDIR...\n"
     "          prints lines for a map of nginx: HASH \"VALUE\";\n"
     "  map --ids [--list ID | --to TEMPLATE]\n"
     "          prints the permalink of each line MESSAGE-ID[<TAB>DATE] of standard input\n"
     "  map --from-pages [--format tsv|nginx|apache|htaccess] [--list ID | --to TEMPLATE]\n"
     "          [--prefix PATH] FOLDER...\n"
     "          prints the old path and the permalink of every page of an old archive\n"},
    {"sequence", run_sequence, 1, 3,
     "  sequence show [--json] LIST | --all\n"
     "          prints the last number given; of all lists in the store\n"
     "  sequence set [--json] LIST N\n"
     "          the next post gets N+1; never lowers\n"
     "  sequence prune [--json] DAYS [LIST]\n"
     "          deletes posts first seen more than DAYS ago; prints how many\n"},
    {"new-list-id", run_new_list_id, 1, 2,
     "  new-list-id NAME [DOMAIN]\n"
     "          prints a List-Id; without a domain a random one in localhost\n"},
    {"verify-token", run_verify_token, 3, 3,
     "  verify-token LIST ADDRESS TOKEN\n"
     "          checks the {recipient_token} of a one-click URL with our keys\n"},
    {"import", run_import, 2, SIZE_MAX,
     "  import [--domain DOMAIN] mlmmj|ezmlm|sympa FOLDER...\n"
     "  import [--domain DOMAIN] mailman2|mailman3|aliases|virtual FILE|-...\n"
     "          prints list sections for what a list manager has\n"},
    {"help", run_help, 0, 1,
     "  help [COMMAND]\n"
     "          prints this list, or how one command is used\n"},
    {NULL, NULL, 0, 0, NULL},
};

/* The value of getopt_long for a long option: the place of its field, above all letters' values; of
 * a field of the last recipient, above all places in the options. */
#define PLACE(field) (256 + (int)offsetof(struct options, field))
#define RECIPIENT(field)                                                                           \
    (256 + (int)(sizeof(struct options) + offsetof(struct recipient_option, field)))

static const struct option known[] = {
    {"all", no_argument, NULL, PLACE(all)},
    {"authenticated", no_argument, NULL, PLACE(authenticated)},
    {"base", required_argument, NULL, PLACE(base)},
    {"client", required_argument, NULL, PLACE(client)},
    {"daemon", required_argument, NULL, PLACE(daemon)},
    {"diff", no_argument, NULL, PLACE(diff)},
    {"domain", required_argument, NULL, PLACE(domain)},
    {"first", required_argument, NULL, PLACE(first)},
    {"format", required_argument, NULL, PLACE(format)},
    {"from-pages", no_argument, NULL, PLACE(from_pages)},
    {"help", no_argument, NULL, PLACE(help)},
    {"id", required_argument, NULL, PLACE(id)},
    {"ids", no_argument, NULL, PLACE(ids)},
    {"ignore", required_argument, NULL, PLACE(ignored)},
    {"json", no_argument, NULL, PLACE(json)},
    {"list", required_argument, NULL, PLACE(list)},
    {"list-domain", required_argument, NULL, PLACE(list_domain)},
    {"mta-mailer", required_argument, NULL, RECIPIENT(mta_mailer)},
    {"mta-recipient", required_argument, NULL, RECIPIENT(mta_address)},
    {"normalize", required_argument, NULL, PLACE(normalize)},
    {"prefix", required_argument, NULL, PLACE(prefix)},
    {"recipient", required_argument, NULL, RECIPIENT(address)},
    {"rev1", no_argument, NULL, PLACE(rev1)},
    {"sender", required_argument, NULL, PLACE(sender)},
    {"sendmail-cf", required_argument, NULL, PLACE(sendmail_cf)},
    {"show", no_argument, NULL, PLACE(show)},
    {"template", required_argument, NULL, PLACE(template_text)},
    {"to", required_argument, NULL, PLACE(to)},
    {"version", no_argument, NULL, PLACE(version)},
    {"yes", no_argument, NULL, PLACE(yes)},
    {NULL, 0, NULL, 0},
};

/* ---- help ---- */

static const struct command *find_command(const char *name)
{
    const struct command *at = commands;
    if (strcmp(name, "list") == 0)
        name = "lists";
    while (at->name != NULL && strcmp(at->name, name) != 0)
        at++;
    return at->name != NULL ? at : NULL;
}

/* Reports an unknown command, and what was probably meant. Returns EX_USAGE. */
static int unknown_command(struct options o, const char *name)
{
    struct edit_nearest near = edit_nearest_to(span_cstr(name));
    for (const struct command *c = commands; c->name != NULL; c++)
        edit_nearest_try(&near, span_cstr(c->name));
    if (near.nearest.p == NULL)
        return usage_error(&o, "unknown command \"%s\"", name);
    o.command = find_command(near.nearest.p);
    return usage_error(&o, "unknown command \"%s\" (did you mean \"%s\"?)", name, o.command->name);
}

/* Prints how a command, or (NULL) each command, is used. */
static int print_help(const struct command *only)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_add_str(&text, USAGE);
    if (only == NULL)
        strbuf_add_str(&text, "       mlmilterctl -V | --version | -h | --help\n"
                              "  -c FILE is the main configuration file (default " MAIN_FILE_DEFAULT
                              ")\n\n");
    for (const struct command *c = commands; c->name != NULL; c++)
        if (only == NULL || only == c)
            strbuf_add_str(&text, c->usage);
    return print_and_free(&text, EX_OK);
}

static int run_help(const struct options *o)
{
    const char *name = o->arguments[0];
    const struct command *command = name != NULL ? find_command(name) : NULL;
    return name != NULL && command == NULL ? unknown_command(*o, name) : print_help(command);
}

/* ---- the command line ---- */

/* True if the usage of the command has the option; all take --help and --version. */
static bool takes_option(const struct command *command, const struct option *option)
{
    const char *at = command->usage;
    char text[64];
    int n = snprintf(text, sizeof text, "--%s", option->name);
    while ((at = strstr(at, text)) != NULL && strchr(" ]:\n", at[n]) == NULL)
        at += n;
    return at != NULL || option->val == PLACE(help) || option->val == PLACE(version);
}

/* Reports a wrong option, as written after the dashes; code is getopt_long's, whose own message has
 * bytes of the argument that could steer a terminal. */
static int wrong_option(const struct options *o, int code, const char *written)
{
    if (optopt < 256 && optopt != 0) /* negative: a byte that is no ASCII; it is shown as "?" */
        return usage_error(o, "option \"-%c\" %s", optopt,
                           code == ':' ? "needs a value" : "is not known");
    struct edit_nearest near =
        edit_nearest_to(span_sub(span_cstr(written), 0, strcspn(written, "=")));
    for (const struct option *k = known; k->name != NULL; k++)
        if (takes_option(o->command, k))
            edit_nearest_try(&near, span_cstr(k->name));
    if (code == ':' && span_eq(near.nearest, near.name))
        return usage_error(o, "option \"--%s\" needs a value", written);
    if (near.nearest.p == NULL)
        return usage_error(o, "option \"--%s\" is not known", written);
    return usage_error(o, "option \"--%s\" is not known (did you mean \"--%s\"?)", written,
                       near.nearest.p);
}

/* Sets a long option. Returns EX_OK, or EX_USAGE after a message. */
static int set_option(struct options *o, const struct option *option)
{
    char *field = NULL;
    if (option->val < RECIPIENT(address)) {
        field = (char *)o + option->val - PLACE(command);
    } else {
        o->recipient_count += option->val == RECIPIENT(address);
        if (o->recipient_count > 0)
            field =
                (char *)&o->recipients[o->recipient_count - 1] + option->val - RECIPIENT(address);
        if (field == NULL || *(const char **)field != NULL)
            return usage_error(o, "--%s %s: expected after a --recipient, once", option->name,
                               optarg);
    }
    if (option->has_arg == no_argument)
        *(bool *)field = true;
    else if (option->val == PLACE(ignored))
        strbuf_addf(&o->ignored, "%s\n", optarg);
    else
        *(const char **)field = optarg;
    return EX_OK;
}

/* Reads the options of o->command, and checks the number of its arguments. Returns EX_OK, or
 * EX_USAGE after a message. */
static int read_options(struct options *o, int argc, char **argv)
{
    const struct command *command = o->command;
    /* "+": options end at the first argument: a command, or a token, which may begin with "-". */
    bool is_ended = command->run == NULL || command->run == run_verify_token;
    const char *letters = is_ended ? "+:c:Vh" : ":c:Vh";
    int code, i = -1, status = EX_OK;
    opterr = 0;
    optind = 0; /* begin anew: glibc, musl and the BSDs agree on 0 */
    for (; status == EX_OK && (code = getopt_long(argc, argv, letters, known, &i)) != -1; i = -1) {
        if (code == ':' || code == '?')
            status = wrong_option(o, code, argv[optind - 1] + 2);
        else if (i >= 0 && !takes_option(command, &known[i]))
            status = wrong_option(o, '?', known[i].name);
        else if (i >= 0)
            status = set_option(o, &known[i]);
        else if (code == 'c')
            o->config_path = optarg;
        o->config_is_given |= code == 'c';
        o->help |= code == 'h';
        o->version |= code == 'V';
        if (o->help || o->version)
            return status;
    }
    o->arguments = argv + optind;
    o->argument_count = (size_t)(argc - optind);
    if (status == EX_OK && o->argument_count > command->most)
        return usage_error(o, "%s: unexpected argument \"%s\"", command->name,
                           o->arguments[command->most]);
    if (status == EX_OK && o->argument_count < command->least)
        return usage_error(o, "%s: an argument is missing", command->name);
    return status;
}

int main(int argc, char **argv)
{
    static struct strbuf names, version;
    static struct command none = {"", NULL, 0, SIZE_MAX, NULL};
    static struct options o = {.command = &none, .config_path = MAIN_FILE_DEFAULT};
    openlog("mlmilterctl", LOG_PERROR, LOG_USER); /* of text/memory.h */
    o.recipients = memory_new((size_t)argc, sizeof *o.recipients);
    strbuf_add_str(&names, "commands:");
    for (const struct command *c = commands; c->name != NULL; c++)
        strbuf_addf(&names, " %s%s", c->name, c[1].name == NULL ? "\n" : "");
    none.usage = strbuf_str(&names);
    int status = read_options(&o, argc, argv);
    if (status == EX_OK && !o.help && !o.version) {
        const char *name = o.arguments[0];
        const struct command *command = name != NULL ? find_command(name) : NULL;
        if (command == NULL)
            return name != NULL ? unknown_command(o, name)
                                : usage_error(&o, "a command is missing");
        o.command = command;
        status = read_options(&o, (int)o.argument_count, o.arguments);
    }
    if (status != EX_OK)
        return status;
    if (o.help)
        return print_help(o.command != &none ? o.command : NULL);
    if (!o.version)
        return o.command->run(&o);
    strbuf_addf(&version, "mlmilterctl %s\n%s\n", PACKAGE_VERSION, built_in_features());
    return print_and_free(&version, EX_OK);
}
