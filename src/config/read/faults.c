/* faults - see faults.h */
#include "config/read/faults.h"

#include "config/read/files.h"
#include "config/read/trust.h"
#include "spec/owned_fields.h"
#include "text/ascii.h"
#include "text/number.h"
#include "text/utf8.h"

#include <sys/un.h>

#define SOCKET_FORMS "(expected \"inet:PORT@HOST\", \"inet6:PORT@HOST\" or \"unix:PATH\")"

/* port = 1 to 65535, without a sign or zeros before it */
static bool is_port(struct span text)
{
    uint64_t port;
    return text.n > 0 && text.p[0] != '0' && number_parse(text, 65535, &port);
}

/* True for "127.0.0.1:8894", as Postfix writes it. */
static bool is_host_and_port(struct span text)
{
    size_t colon = span_find_last(text, ':');
    return colon > 0 && span_find(text, '@') == text.n &&
           is_port(span_sub(text, colon + 1, text.n));
}

/* Reads the address of a host, which may have a zone ("fe80::1%eth0"). Returns false for a name. */
static bool read_address(struct span host, struct trust_address *address)
{
    return trust_address_parse(span_sub(host, 0, span_find(host, '%')), address);
}

/* Names of hosts are libmilter's to refuse. */
static const char *inet_fault(struct span text, bool is_inet6)
{
    struct trust_address address;
    size_t at = span_find(text, '@');
    struct span host = span_sub(text, at + 1, text.n);
    if (is_host_and_port(text))
        return "has its host first, as Postfix writes it (expected the port first, as in "
               "\"inet:8894@127.0.0.1\")";
    if (!is_port(span_sub(text, 0, at)))
        return "has a wrong port (expected \"inet:PORT@HOST\" with a PORT from 1 to 65535)";
    if (host.n == 0)
        return "has no host (expected \"inet:PORT@HOST\", for example \"inet:8894@127.0.0.1\")";
    if (span_find(host, ':') == host.n)
        return NULL;
    if (!read_address(host, &address))
        return "has a wrong host (expected a name or an address, and the port before the \"@\")";
    return is_inet6 ? NULL : "has an IPv6 address (expected \"inet6:PORT@HOST\")";
}

size_t socket_path(struct span text)
{
    size_t colon = span_find(text, ':');
    struct span protocol = span_sub(text, 0, colon);
    if (text.n > 0 && text.p[0] == '/')
        return 0;
    if (colon < text.n &&
        (span_eq(protocol, span_cstr("unix")) || span_eq(protocol, span_cstr("local"))))
        return colon + 1;
    return text.n;
}

const char *socket_fault(struct span text)
{
    const struct sockaddr_un *size_only = NULL;
    size_t colon = span_find(text, ':'), path = socket_path(text);
    struct span protocol = span_sub(text, 0, colon);
    bool is_inet6 = span_eq(protocol, span_cstr("inet6"));
    if (path < text.n)
        return text.n - path < sizeof size_only->sun_path
                   ? NULL
                   : "has a path that is too long for a socket (" SOCKET_ROOM ")";
    if (span_eq(text, span_cstr("unix:")) || span_eq(text, span_cstr("local:")))
        return "has no path (expected \"unix:PATH\")";
    if (colon < text.n && (is_inet6 || span_eq(protocol, span_cstr("inet"))))
        return inet_fault(span_sub(text, colon + 1, text.n), is_inet6);
    return "is no socket " SOCKET_FORMS;
}

enum hint socket_hint(struct span text)
{
    static const char *const private_networks[] = {
        /* RFC 6890 */
        "127.0.0.0/8",   "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
        "100.64.0.0/10", "::1",        "fc00::/7",      "fe80::/10"};
    struct client host = {.has_address = true};
    struct trust_rule rule;
    const struct trust_rules network = {&rule, 1};
    bool is_public = socket_path(text) == text.n &&
                     read_address(span_sub(text, span_find(text, '@') + 1, text.n), &host.address);
    for (size_t i = 0; i < sizeof private_networks / sizeof private_networks[0]; i++) {
        (void)trust_rule_read(span_cstr(private_networks[i]), &rule);
        is_public = is_public && !trust_matches(&network, &host);
    }
    return is_public ? HINT_SOCKET_IS_PUBLIC : HINT_NONE;
}

/* mode = [ "0" ] 3OCTDIGIT */
bool mode_read(struct span digits, unsigned *mode)
{
    if (digits.n == 4 && digits.p[0] == '0')
        digits = span_sub(digits, 1, 3);
    *mode = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '7')
            return false;
        *mode = *mode * 8 + (unsigned)(digits.p[i] - '0');
    }
    return digits.n == 3;
}

static const char *mode_fault(struct span text)
{
    unsigned ignored;
    return mode_read(text, &ignored)
               ? NULL
               : "is no mode of a file (expected three octal digits, for example \"0660\")";
}

/* Returns the fault of a name that no system allows, or NULL. */
static const char *account_fault(struct span name)
{
    if (name.n == 0)
        return "is empty (expected a name)";
    return span_is_printable_ascii(name) && span_find_any(name, " :/") == name.n
               ? NULL
               : "is no name of a user or group";
}

static const char *file_fault(struct span path)
{
    return path.n == 0 || path.p[path.n - 1] == '/' ? "names no file (expected a path)" : NULL;
}

/* Returns the fault of a pattern of a delegate's files, or NULL. A wildcard in its folder would
 * lead into folders that others create. */
static const char *delegated_pattern_fault(struct span path)
{
    struct span folder = path_folder(path);
    return span_find_any(folder, "*?[\\") == folder.n
               ? file_fault(path)
               : "has a wildcard in its folder (expected wildcards after the last \"/\" only)";
}

/* RULINGS 21; a letter would cut names in half, and a dot or "@" belongs to every address. */
static const char *delimiter_fault(struct span text)
{
    bool is_right = span_is_printable_ascii(text) && span_find_any(text, " .@") == text.n;
    for (size_t i = 0; i < text.n; i++)
        is_right = is_right && !ascii_is_alpha(text.p[i]) && !ascii_is_digit(text.p[i]);
    return is_right ? NULL
                    : "cannot separate a name from an addition (expected signs such as \"+\" or "
                      "\"-\", or \"\" for none)";
}

static const char *trust_fault(struct span text)
{
    struct trust_rule ignored;
    return trust_rule_read(span_trim(text), &ignored);
}

/* RULINGS 128: no other text can be read from the brackets of a List-Id. */
static const char *parent_fault(struct span id)
{
    if (id.n == 0)
        return "is empty";
    return span_find_any(id, "> \t") == id.n
               ? NULL
               : "cannot stand in the brackets of a List-Id (expected the id alone)";
}

static const char *keep_fault(struct span name)
{
    return owned_field_find(field_name_find(name)) != NULL
               ? NULL
               : "is not the name of a field that a list owns (expected one such as "
                 "\"List-Unsubscribe\" or \"Archived-At\")";
}

/* lists_max = 1*9DIGIT, not 0      (RULINGS 87) */
static const char *number_fault(struct span text)
{
    uint64_t number = 0;
    return text.n <= 9 && number_parse(text, 999999999, &number) && number > 0
               ? NULL
               : "is no number of lists (expected one from 1 to 999999999)";
}

/* Returns what is wrong with a text of a key, or NULL. */
static const char *value_fault(enum key key, struct span text)
{
    static const struct {
        enum key key;
        const char *(*fault)(struct span text);
    } rows[] = {{KEY_SOCKET, socket_fault},
                {KEY_USER, account_fault},
                {KEY_SOCKET_GROUP, account_fault},
                {KEY_SOCKET_MODE, mode_fault},
                {KEY_PID_FILE, file_fault},
                {KEY_METRICS, file_fault},
                {KEY_TOKEN_KEY_FILE, file_fault},
                {KEY_RECIPIENT_DELIMITER, delimiter_fault},
                {KEY_LISTS, file_fault},
                {KEY_TRUSTED, trust_fault},
                {KEY_PARENTS, parent_fault},
                {KEY_PARENT_SOURCES, trust_fault},
                {KEY_KEEP, keep_fault},
                {KEY_FILES, delegated_pattern_fault},
                {KEY_LISTS_MAX, number_fault}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].key == key)
            return rows[i].fault(text);
    return NULL;
}

static const char *text_fault(struct span text)
{
    if (span_is_printable_ascii(text))
        return NULL;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n' || text.p[i] == '\r')
            return "contains a line end (expected text on one line)";
        if (ascii_is_control(text.p[i]))
            return "contains a control character (expected text)";
    }
    return utf8_is_valid(text) ? NULL : "is not valid UTF-8 (expected text in UTF-8)";
}

static void report_choice(struct place place, const struct entry *entry, struct diagnostics *d)
{
    struct strbuf expected = STRBUF_INIT;
    const char *const *choices = schema[entry->key].choices;
    const char *near = schema_nearest_choice(entry->key, entry->text);
    if (near != NULL)
        strbuf_addf(&expected, "did you mean \"%s\"?", near);
    for (int i = 0; near == NULL && choices[i] != NULL; i++)
        strbuf_addf(&expected, "%s\"%s\"",
                    i == 0                   ? "expected "
                    : choices[i + 1] == NULL ? " or "
                                             : ", ",
                    choices[i]);
    say(d, SEVERITY_ERROR, place, entry->text, "is not understood (%s)", strbuf_str(&expected));
    strbuf_free(&expected);
}

void entry_check(const char *file, struct entry *entry, struct diagnostics *d)
{
    enum key_kind kind = schema[entry->key].kind;
    struct place place = place_of(file, entry->line, schema[entry->key].name);
    const char *fault = text_fault(entry->text);
    bool ignored, is_choice = kind != KIND_CHOICE || schema_choice(entry->key, entry->text) >= 0;
    if (fault == NULL && kind == KIND_BOOL && !schema_bool(entry->text, &ignored))
        fault = "is not understood (expected true or false)";
    if (fault == NULL)
        fault = value_fault(entry->key, entry->text);
    entry->is_wrong = fault != NULL || !is_choice;
    if (fault != NULL) /* `store` may contain a password */
        say(d, SEVERITY_ERROR, place, entry->key == KEY_STORE ? NO_TEXT : entry->text, "%s", fault);
    else if (!is_choice)
        report_choice(place, entry, d);
}
