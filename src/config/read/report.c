/* report - see report.h */
#include "config/read/report.h"

#include "text/memory.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <stdlib.h>

const char *const hint_texts[HINT_COUNT] = {
    [HINT_SOCKET_IS_PUBLIC] =
        "can be reached from other networks, and anyone who connects can claim to be any client "
        "(expected an address of this host alone, such as 127.0.0.1)",
    [HINT_SOCKET_MODE] = "lets every user of this host speak to the socket (expected socket_group "
                         "and \"0660\")",
    [HINT_NO_FILE] = "matches no file",
    [HINT_LARGE_NETWORK] = "trusts a large part of the Internet to speak for the lists (expected a "
                           "network of your own)",
    [HINT_HOST_BITS] = "has an address after its prefix, which does not count (expected the "
                       "network's own address, or no prefix length for one host)",
    [HINT_SHORT_KEY] = "contains a key of fewer than 16 bytes, which can be guessed and still "
                       "verifies (expected the file without that line)",
    [HINT_TOKEN_IS_AMBIGUOUS] = "has texts of the poster side by side, so two posts may have one "
                                "token (expected {lf} between them)",
    [HINT_NO_ADDRESS] = "is missing, so posts on their way to the list are not cleaned (expected "
                        "one, or address = \"\" for none)",
    [HINT_NO_DESCRIPTION] = "is missing, so List-Id shows only the id (expected one, or "
                            "description = \"\" for none)",
    [HINT_NO_UNSUBSCRIBE] = "is missing, so posts do not say how to leave the list (expected one, "
                            "or unsubscribe = {} for none)",
    [HINT_SCHEME] =
        "has a scheme that is not known (expected one such as \"https:\" or \"mailto:\")",
    [HINT_COMMENT] = "ends in parentheses that are a part of the URI (expected a blank before a "
                     "comment, or %28 and %29)",
    [HINT_TWO_AT] = "has two \"@\" in one address (expected LOCAL@DOMAIN, and \",\" between two)",
    [HINT_NO_ARCHIVED_AT] =
        "is an archive, but posts get no Archived-At (usual, if the archive understands it: "
        "archived_at = {\"{archive}/{message_id_hash}\"})",
    [HINT_ARCHIVE_IS_NO_WEB] = "is no https: or http: URI, which {archive} in archived_at could be",
    [HINT_ARCHIVE_HAS_QUERY] =
        "has a query or fragment, after which {archive} in archived_at puts the rest of the URL "
        "(expected a template without {archive})",
    [HINT_IS_CONSTANT] = "is the same for all posts (expected {message_id_hash} or another "
                         "variable of the message in it)",
    [HINT_HASH_IN_QUERY] =
        "has a query before the \"/\" of the hash, which becomes part of its value",
    [HINT_NO_ONE_CLICK] =
        "has no effect: the list's posts get no List-Unsubscribe-Post (expected a list of a list "
        "manager, and exactly one https: and no http: URI in unsubscribe; RFC 8058, 3.1)",
    [HINT_IS_NEVER_KEPT] = "cannot be kept, as its specification has it removed from every post "
                           "(expected one such as \"List-Unsubscribe\" or \"Archived-At\")",
    [HINT_BOUNCES] = "is what list managers send posts with: each post counts as a command "
                     "response, without Archived-At and number (expected \"from:\" before it)",
    [HINT_HIDES_MANAGER] = "hides what the list's manager sets for each list (expected it in the "
                           "lists without manager, not in defaults)",
    [HINT_PARENT_FORM] = "is no list id (expected a label, a dot and a domain, as in "
                         "\"team.example.org\", unless its List-Id really is so)",
    [HINT_CONTESTED] =
        "has the local part of somebody else's list, so mail for it is cleaned, and gets no field, "
        "if its domain is local to this host (expected virtual = true in the delegate section if "
        "no domain of it is local)",
    [HINT_BARE_NAME] = "has, before its domain, the bare name that aliases of another list have: a "
                       "local mailbox of this address is this list's, and of other domains that "
                       "list's",
};

void diagnostics_init(struct diagnostics *d)
{
    *d = (struct diagnostics){.count = 0};
    arena_init(&d->arena, 0);
}

void diagnostics_free(struct diagnostics *d)
{
    arena_free(&d->arena);
    free(d->items);
    diagnostics_init(d);
}

const char *shown_text(struct span value, struct shown *shown)
{
    static const char cut[] = "...";
    size_t n = value.n, most = sizeof shown->text - sizeof cut;
    if (n >= sizeof shown->text)
        for (n = most; n > 0 && ((unsigned char)value.p[n] & 0xC0) == 0x80;)
            n--; /* whole characters only */
    for (size_t i = 0; i < n; i++)
        shown->text[i] = (char)(value.p[i] != '\0' ? value.p[i] : '?');
    memcpy(shown->text + n, n < value.n ? cut : "", n < value.n ? sizeof cut : 1);
    return shown->text;
}

struct place place_of(const char *file, int line, const char *key)
{
    return (struct place){.file = file, .line = line, .key = key};
}

void vsay(struct diagnostics *d, enum severity severity, struct place place, struct span value,
          const char *format, va_list ap)
{
    struct strbuf text = STRBUF_INIT;
    struct shown shown;
    size_t *counter = severity == SEVERITY_HINT    ? &d->hints
                      : severity == SEVERITY_ERROR ? &d->errors
                                                   : &d->delegated;
    if ((*counter)++ >= DIAGNOSTICS_KEPT) /* many hints hide no error */
        return;
    if (place.key != NULL)
        strbuf_addf(&text, "%s: ", shown_text(span_cstr(place.key), &shown));
    if (value.p != NULL)
        strbuf_addf(&text, "\"%s\" ", shown_text(value, &shown));
    strbuf_addv(&text, format, ap);
    if (place.list.n > 0)
        strbuf_addf(&text, ", in list \"%s\"", shown_text(place.list, &shown));
    if (place.list.n > 0 && place.taken_from != NULL)
        strbuf_addf(&text, ", which takes it from %s", place.taken_from);
    if (place.other.n > 0)
        strbuf_addf(&text, ": list \"%s\"", shown_text(place.other, &shown));
    d->items = array_grow(d->items, d->count, &d->capacity, sizeof *d->items);
    d->items[d->count] = (struct diagnostic){
        .severity = severity,
        .file = arena_strdup(&d->arena, span_cstr(place.file)),
        .line = place.line,
        .text = strbuf_keep(&text, &d->arena),
        .delegate = d->delegate != NULL ? arena_strdup(&d->arena, span_cstr(d->delegate)) : NULL,
        .number = d->count,
        .group = HINT_GROUPS_MAX};
    d->count++;
}

void say(struct diagnostics *d, enum severity severity, struct place place, struct span value,
         const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsay(d, severity, place, value, format, ap);
    va_end(ap);
}

/* Counts a hint about a list. Returns its group. */
static size_t count_hint(struct diagnostics *d, enum hint hint, const char *key, const void *list)
{
    size_t i = 0;
    while (i < d->group_count && i < HINT_GROUPS_MAX - 1 &&
           (d->groups[i].hint != hint || d->groups[i].key != key))
        i++;
    if (i == d->group_count)
        d->groups[d->group_count++] = (struct hint_group){.hint = hint, .key = key};
    d->groups[i].lists += d->groups[i].last_list != list ? 1 : 0; /* a list may have it twice */
    d->groups[i].last_list = list;
    return i;
}

void report_hint(struct diagnostics *d, enum hint hint, struct place place, struct span value,
                 const void *list)
{
    size_t group = list != NULL ? count_hint(d, hint, place.key, list) : HINT_GROUPS_MAX;
    size_t count = d->count, most = place.taken_from != NULL ? 1 : HINT_LISTS_MAX;
    if (list != NULL && d->groups[group].lines++ >= most)
        return;
    say(d, SEVERITY_HINT, place, value, "%s", hint_texts[hint]);
    if (d->count > count)
        d->items[count].group = group;
}

void diagnostics_rewind(struct diagnostics *d, const struct diagnostics *before)
{
    d->count = before->count;
    d->hints = before->hints;
    d->group_count = before->group_count;
    memcpy(d->groups, before->groups, sizeof d->groups);
}

/* Keeps the first line of each hint that many lists share, and adds their number to it. */
static void share_hints(struct diagnostics *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++) {
        struct diagnostic item = d->items[i];
        struct hint_group *group = item.group < d->group_count ? &d->groups[item.group] : NULL;
        struct strbuf text = STRBUF_INIT;
        if (group != NULL && group->lists > HINT_LISTS_MAX && group->lines > 0) {
            strbuf_addf(&text, "%s (and so in %zu lists)", item.text, group->lists);
            item.text = strbuf_keep(&text, &d->arena);
            group->lines = 0; /* for the next lines of this hint */
        } else if (group != NULL && group->lists > HINT_LISTS_MAX) {
            d->hints--;
            continue;
        }
        d->items[count++] = item;
    }
    d->count = count;
    d->group_count = 0;
}

static int by_place(const void *a, const void *b)
{
    const struct diagnostic *first = a, *second = b;
    int by_file = strcmp(first->file, second->file);
    if (by_file != 0 || first->line != second->line)
        return by_file != 0 ? by_file : first->line - second->line;
    return first->number < second->number ? -1 : first->number > second->number;
}

void diagnostics_finish(struct diagnostics *d)
{
    share_hints(d);
    if (d->count > 0)
        qsort(d->items, d->count, sizeof *d->items, by_place);
}

void diagnostics_format(const struct diagnostics *d, size_t i, struct strbuf *out)
{
    const struct diagnostic *item = &d->items[i];
    visible_add(out, span_cstr(item->file)); /* a name of a file may have any bytes */
    if (item->line > 0)
        strbuf_addf(out, ":%d", item->line);
    strbuf_add_str(out, item->severity == SEVERITY_HINT ? ": hint: " : ": ");
    visible_add(out, span_cstr(item->text));
}
