/* check_post - see check_post.h */
#include "lint/check_post.h"

#include "lint/check_uri.h"
#include "spec/archived_at.h"
#include "spec/iri.h"
#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

/* ---- Message-ID ------------------------------------------------------------------------------ */

void lint_check_message_id(struct lint_context *c)
{
    const struct header *header = &c->message->header;
    size_t place = lint_place_of(c, FIELD_MESSAGE_ID);
    size_t second = header_find(header, FIELD_MESSAGE_ID, place + 1);
    struct span bare = message_id_bare(c->id);
    if (place != LINT_NO_PLACE && second < header_whole_count(header))
        lint_find(c->findings, LINT_MESSAGE_ID_COPIES, FIELD_MESSAGE_ID, second,
                  "stands there %zu times; the first one counts",
                  header_count_of(header, FIELD_MESSAGE_ID));
    if (c->id.p == NULL && header->too_large) {
        return; /* it may be among what was not kept */
    } else if (c->id.p == NULL) {
        lint_find(c->findings, LINT_MESSAGE_ID_MISSING, FIELD_MESSAGE_ID, LINT_NO_PLACE,
                  "is missing: nobody can tell this post from others, or link to it");
    } else if (bare.n == 0) {
        lint_find(c->findings, LINT_MESSAGE_ID_EMPTY, FIELD_MESSAGE_ID, place,
                  "is empty, as in every other message of this kind");
    } else if (bare.n == c->id.n) {
        lint_find(c->findings, LINT_MESSAGE_ID_BRACKETS, FIELD_MESSAGE_ID, place,
                  "does not stand, all of it, within angle brackets");
    } else if (!message_id_is_well_formed(c->id)) {
        lint_find(
            c->findings, LINT_MESSAGE_ID_FORM, FIELD_MESSAGE_ID, place,
            "is not plain \"<LEFT@RIGHT>\" of at most 254 bytes, which some archives rely on");
    }
}

/* ---- hashes and numbers ---------------------------------------------------------------------- */

void lint_check_hash(struct lint_context *c, size_t place)
{
    char normal[MESSAGE_ID_HASH_LENGTH + 1];
    struct span text = lint_text(c, place);
    struct span right = span_cstr(c->hash);
    if (c->id.p == NULL) {
        if (c->message->header.too_large)
            return;
        lint_find(c->findings, LINT_HASH_WRONG, FIELD_MESSAGE_ID_HASH, place,
                  "is the hash of a Message-ID that is not there");
        return;
    }
    if (span_eq(text, right))
        return;
    if (message_id_hash_normalize(text, normal) && span_eq(span_cstr(normal), right))
        lint_find(c->findings, LINT_HASH_CASE, FIELD_MESSAGE_ID_HASH, place,
                  "is not written in A-Z and 2-7");
    else
        lint_find(c->findings, LINT_HASH_WRONG, FIELD_MESSAGE_ID_HASH, place,
                  "is not the hash of this Message-ID");
    lint_instead(c->findings, "\"%s\"", c->hash);
}

void lint_check_list_hash(struct lint_context *c, size_t place)
{
    struct span text = lint_text(c, place);
    if (c->list_hash[0] != '\0' && span_eq(text, span_cstr(c->list_hash)))
        return;
    if (c->list_hash[0] == '\0') {
        if (c->message->header.too_large)
            return;
        lint_find(c->findings, LINT_LIST_HASH_WRONG, FIELD_X_LIST_ID_HASH, place,
                  "is made of Message-ID and Date, but one of them is not there");
        return;
    }
    lint_find(c->findings, LINT_LIST_HASH_WRONG, FIELD_X_LIST_ID_HASH, place,
              "is not the hash of this Message-ID and Date");
    lint_instead(c->findings, "\"%s\"", c->list_hash);
}

void lint_check_number(struct lint_context *c, size_t place)
{
    struct span text = lint_text(c, place);
    size_t digits = 0;
    while (digits < text.n && ascii_is_digit(text.p[digits]))
        digits++;
    if (digits == text.n && digits > 0)
        return;
    lint_find(c->findings, LINT_NUMBER_FORM, header_field(&c->message->header, place).id, place,
              "is not a number in decimal digits");
}

/* ---- Archived-At ----------------------------------------------------------------------------- */

/* The last segment of the path, without a "/" behind it. */
static struct span last_segment(struct span uri)
{
    size_t start;
    uri = span_sub(uri, 0, span_find(uri, '#'));
    uri = span_sub(uri, 0, span_find(uri, '?'));
    if (uri.n > 0 && uri.p[uri.n - 1] == '/')
        uri.n--;
    start = uri.n;
    while (start > 0 && uri.p[start - 1] != '/')
        start--;
    return span_sub(uri, start, uri.n);
}

/* RULINGS 93: only what looks like a hash, and is none of those that the message names. No link is
 * made of an empty id, so what is there then was made of something else (RULINGS 6). */
static void check_last_segment(struct lint_context *c, size_t place, struct span uri)
{
    char normal[MESSAGE_ID_HASH_LENGTH + 1];
    struct span segment = last_segment(uri);
    if ((c->id.p != NULL && message_id_bare(c->id).n == 0) || c->message->header.too_large ||
        !message_id_hash_normalize(segment, normal) || !span_eq(segment, span_cstr(normal)) ||
        span_eq(segment, message_id_bare(c->id)) || span_eq(segment, span_cstr(c->hash)) ||
        span_eq(segment, span_cstr(c->list_hash)) || span_eq(segment, c->named_hash) ||
        span_eq(segment, c->named_list_hash))
        return;
    lint_find(c->findings, LINT_ARCHIVED_AT_HASH, FIELD_ARCHIVED_AT, place,
              "ends in %.*s, which is not the hash of this Message-ID", (int)segment.n, segment.p);
    if (c->id.p != NULL)
        lint_instead(c->findings, "a link that ends in \"%s\"", c->hash);
}

/* In an internationalised header it may be an IRI (RFC 5064 2.4; AT-07). Of what is no IRI the
 * check of URIs says why. */
static struct span as_uri(struct lint_context *c, struct span iri)
{
    struct span uri;
    return iri_to_uri(iri, c->arena, &uri) == NULL ? uri : iri;
}

/* A fold is legal (RFC 5064 2.1), but many readers cut the link there. */
static void find_space(struct lint_context *c, size_t place)
{
    struct span value = span_trim(header_field(&c->message->header, place).value);
    if (span_find(value, '\n') < value.n)
        lint_find(c->findings, LINT_ARCHIVED_AT_FOLD, FIELD_ARCHIVED_AT, place,
                  "is folded within its URI, where many readers cut the link");
    else
        lint_find_uri_space(c, FIELD_ARCHIVED_AT, place);
}

void lint_check_archived_at(struct lint_context *c, size_t place)
{
    struct span text = lint_text(c, place), uri;
    struct archived_at_parts parts;
    if (!archived_at_split(text, &parts)) {
        lint_find(c->findings, LINT_ARCHIVED_AT_FORM, FIELD_ARCHIVED_AT, place,
                  "is not in angle brackets");
        lint_suggest_brackets(c, text);
        return;
    }
    if (span_find(parts.behind, '<') < parts.behind.n)
        lint_find(c->findings, LINT_ARCHIVED_AT_SEVERAL, FIELD_ARCHIVED_AT, place,
                  "holds several URIs: a field of its own for each");
    else if (parts.behind.n > 0)
        lint_find(c->findings, LINT_ARCHIVED_AT_FORM, FIELD_ARCHIVED_AT, place,
                  "has text after its angle bracket, where no comment may stand");
    uri = archived_at_uri(parts.inside, c->arena);
    if (uri.n < parts.inside.n)
        find_space(c, place);
    uri = as_uri(c, uri);
    if (lint_check_uri(c, FIELD_ARCHIVED_AT, place, uri))
        check_last_segment(c, place, uri);
}

struct placed_uri {
    struct span uri;
    size_t place;
};

static int by_uri(const void *a, const void *b)
{
    const struct placed_uri *left = a, *right = b;
    size_t n = left->uri.n < right->uri.n ? left->uri.n : right->uri.n;
    int result = n == 0 ? 0 : memcmp(left->uri.p, right->uri.p, n);
    if (result == 0 && left->uri.n != right->uri.n)
        return left->uri.n < right->uri.n ? -1 : 1;
    if (result == 0)
        return left->place < right->place ? -1 : 1;
    return result;
}

/* AT-03; sorted, as a message may have thousands. */
static void check_twice(struct lint_context *c)
{
    const struct header *header = &c->message->header;
    size_t count = 0, total = header_count_of(header, FIELD_ARCHIVED_AT);
    struct placed_uri *uris = arena_calloc(c->arena, total, sizeof *uris);
    for (size_t i = header_find(header, FIELD_ARCHIVED_AT, 0); i < header_whole_count(header);
         i = header_find(header, FIELD_ARCHIVED_AT, i + 1)) {
        uris[count].uri = archived_at_uri(header_field(header, i).value, c->arena);
        uris[count++].place = i;
    }
    qsort(uris, count, sizeof *uris, by_uri);
    for (size_t i = 1; i < count; i++)
        if (span_eq(uris[i - 1].uri, uris[i].uri))
            lint_find(c->findings, LINT_ARCHIVED_AT_TWICE, FIELD_ARCHIVED_AT, uris[i].place,
                      "has the URI of another Archived-At");
}

void lint_check_archived_ats(struct lint_context *c)
{
    size_t place = lint_place_of(c, FIELD_ARCHIVED_AT);
    enum field_name wish;
    if (place == LINT_NO_PLACE)
        return;
    if (header_count_of(&c->message->header, FIELD_ARCHIVED_AT) > 1)
        check_twice(c);
    wish = archived_at_wish(&c->message->header, c->arena);
    if (wish != FIELD_OTHER)
        lint_find(c->findings, LINT_ARCHIVED_AT_UNWANTED, FIELD_ARCHIVED_AT, place,
                  "stands there although %s asks not to archive the post", field_name_text(wish));
    if (archived_at_content_kind(lint_first(c, FIELD_CONTENT_TYPE)) == CONTENT_FRAGMENT) {
        lint_find(c->findings, LINT_ARCHIVED_AT_UNWANTED, FIELD_ARCHIVED_AT, place,
                  "stands in a fragment (message/partial), which no archive shows");
        lint_cite(c->findings, "AT-06");
    }
}
