/* faults - see faults.h */
#include "config/read/faults.h"

#include "config/read/files.h"
#include "config/read/trust.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "text/ascii.h"
#include "text/number.h"
#include "text/utf8.h"

#include <sys/un.h>

enum remark characters_fault(struct span text, bool is_line)
{
    if (span_is_printable_ascii(text))
        return REMARK_NONE;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\0')
            return ERROR_NUL;
        if (text.p[i] == '\r' || text.p[i] == '\n')
            return is_line ? ERROR_LONE_CR : ERROR_LINE_END;
        if (ascii_is_control(text.p[i]) && !(is_line && text.p[i] == '\t'))
            return is_line ? ERROR_CONTROL : ERROR_CONTROL_IN_TEXT;
    }
    return utf8_is_valid(text) ? REMARK_NONE : is_line ? ERROR_LINE_UTF8 : ERROR_UTF8;
}

enum remark lines_fault(struct span text, int *line)
{
    enum remark fault = REMARK_NONE;
    if (span_starts_nocase(text, span_of("\xFF\xFE", 2)) ||
        span_starts_nocase(text, span_of("\xFE\xFF", 2)))
        fault = ERROR_UTF16;
    *line = fault != REMARK_NONE;
    while (text.n > 0 && fault == REMARK_NONE) {
        size_t n = span_find(text, '\n');
        struct span line_text = span_sub(text, 0, n);
        if (n > 0 && text.p[n - 1] == '\r')
            line_text.n--;
        fault = n > LINE_BYTES_MAX ? ERROR_LONG_LINE : characters_fault(line_text, true);
        text = span_sub(text, n + 1, text.n);
        ++*line;
    }
    return fault;
}

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
static enum remark inet_fault(struct span text, bool is_inet6)
{
    struct trust_address address;
    size_t at = span_find(text, '@');
    struct span host = span_sub(text, at + 1, text.n);
    if (is_host_and_port(text))
        return ERROR_SOCKET_HOST_FIRST;
    if (!is_port(span_sub(text, 0, at)))
        return ERROR_SOCKET_PORT;
    if (host.n == 0)
        return ERROR_SOCKET_NO_HOST;
    if (span_find(host, ':') == host.n)
        return REMARK_NONE;
    if (!read_address(host, &address))
        return ERROR_SOCKET_HOST;
    return is_inet6 ? REMARK_NONE : ERROR_SOCKET_IPV6;
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

enum remark socket_fault(struct span text)
{
    const struct sockaddr_un *size_only = NULL;
    size_t colon = span_find(text, ':'), path = socket_path(text);
    struct span protocol = span_sub(text, 0, colon);
    bool is_inet6 = span_eq(protocol, span_cstr("inet6"));
    if (path < text.n)
        return text.n - path < sizeof size_only->sun_path ? REMARK_NONE : ERROR_SOCKET_LONG;
    if (span_eq(text, span_cstr("unix:")) || span_eq(text, span_cstr("local:")))
        return ERROR_SOCKET_NO_PATH;
    if (colon < text.n && (is_inet6 || span_eq(protocol, span_cstr("inet"))))
        return inet_fault(span_sub(text, colon + 1, text.n), is_inet6);
    return ERROR_SOCKET;
}

enum remark socket_hint(struct span text)
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
    return is_public ? HINT_SOCKET_IS_PUBLIC : REMARK_NONE;
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

enum remark mode_fault(struct span text)
{
    unsigned ignored;
    return mode_read(text, &ignored) ? REMARK_NONE : ERROR_MODE;
}

enum remark mode_hint(struct span text)
{
    unsigned mode;
    return mode_read(text, &mode) && (mode & 02) != 0 ? HINT_SOCKET_MODE : REMARK_NONE;
}

/* No system allows other names. */
enum remark account_fault(struct span name)
{
    if (name.n == 0)
        return ERROR_NO_NAME;
    return span_is_printable_ascii(name) && span_find_any(name, " :/") == name.n ? REMARK_NONE
                                                                                 : ERROR_ACCOUNT;
}

enum remark file_fault(struct span path)
{
    return path.n == 0 || path.p[path.n - 1] == '/' ? ERROR_NO_FILE_NAME : REMARK_NONE;
}

enum remark pattern_fault(struct span path)
{
    return file_fault(path) != REMARK_NONE ? ERROR_NO_PATTERN : REMARK_NONE;
}

/* A wildcard in the folder would lead into folders that others create. */
enum remark delegated_pattern_fault(struct span path)
{
    struct span folder = path_folder(path);
    return span_find_any(folder, "*?[\\") == folder.n ? pattern_fault(path)
                                                      : ERROR_WILDCARD_IN_FOLDER;
}

/* RULINGS 21; a letter would cut names in half, and a dot or "@" belongs to every address. */
enum remark delimiter_fault(struct span text)
{
    bool is_right = span_is_printable_ascii(text) && span_find_any(text, " .@") == text.n;
    for (size_t i = 0; i < text.n; i++)
        is_right = is_right && !ascii_is_alpha(text.p[i]) && !ascii_is_digit(text.p[i]);
    return is_right ? REMARK_NONE : ERROR_DELIMITER;
}

/* RULINGS 128: no other text can be read from the brackets of a List-Id. */
enum remark parent_fault(struct span id)
{
    if (id.n == 0)
        return ERROR_EMPTY;
    return span_find_any(id, "> \t") == id.n ? REMARK_NONE : ERROR_PARENT;
}

enum remark parent_hint(struct span id)
{
    return list_id_fault(id) != NULL ? HINT_PARENT_FORM : REMARK_NONE;
}

enum remark keep_fault(struct span name)
{
    return owned_field_find(field_name_find(name)) != NULL ? REMARK_NONE : ERROR_KEEP;
}

enum remark keep_hint(struct span name)
{
    return owned_field_find(field_name_find(name))->never_kept ? HINT_IS_NEVER_KEPT : REMARK_NONE;
}

/* lists_max = 1*9DIGIT, not 0      (RULINGS 87) */
enum remark number_fault(struct span text)
{
    uint64_t number = 0;
    return text.n <= 9 && number_parse(text, 999999999, &number) && number > 0 ? REMARK_NONE
                                                                               : ERROR_LISTS_MAX;
}
