/*
 * rules - the one table of findings (types only; RULINGS 93, 122)
 *
 * At most 40: each is a MUST or SHOULD of a specification, or a demand of large providers.
 */
#ifndef MLMILTER_LINT_RULES_H
#define MLMILTER_LINT_RULES_H

#include "spec/list_fields.h"

/* clang-format off */
/* Columns: rule; name, for programs and doc/lint.md, which never changes; level; clause, or NULL for that of the
 * field; what mlmilter needs in its configuration for the cure, or NULL if it cures nothing; a predicate of the
 * field; the remedy. */
#define LINT_RULES(ROW) \
    ROW(LINT_HEADER_CUT, "header-cut", LINT_ERROR, "RFC 5322 2.2", NULL, "ends at a line that is no field, or after 5,000 fields or 1 MiB", \
        "remove the line, or begin it with a blank if it continues the field above") \
    ROW(LINT_MESSAGE_ID_MISSING, "message-id-missing", LINT_WARNING, "SU-02", "", "is missing: nobody can link to the post", \
        "a new id for each message, as in \"<UNIQUE@host.example>\"") \
    ROW(LINT_MESSAGE_ID_FORM, "message-id-form", LINT_ADVICE, "RFC 5322 3.6.4", NULL, "is not plain \"<LEFT@RIGHT>\" of at most 254 bytes, which some archives rely on", \
        "\"<LEFT@RIGHT>\" of letters, digits, dots and hyphens") \
    ROW(LINT_MESSAGE_ID_LONG, "message-id-long", LINT_ERROR, "RFC 5322 2.1.1", NULL, "is on a line over 998 bytes: servers break it, and each copy has another hash", \
        "an id of at most 254 bytes") \
    ROW(LINT_MESSAGE_ID_CHANGED, "message-id-changed", LINT_WARNING, "SU-13", NULL, "is not of this Message-ID, which a relay made, broke or replaced", \
        "an archive that gets the post before the relay, or a relay that keeps Message-ID") \
    ROW(LINT_COPIES, "copies", LINT_ERROR, "SU-04", "duplicate_message_id = \"delete\"", "occurs several times: nobody knows which one counts", \
        "the list's own field alone; of Message-ID the first one") \
    ROW(LINT_OLD_NAME, "old-name", LINT_WARNING, NULL, "", "is a name that is out of use", \
        "remove it") \
    ROW(LINT_OCTETS, "octets", LINT_ERROR, "RFC 5322 2.2", "", "has control characters, other bytes than ASCII, a blank line, or a line over 998 bytes", \
        "printable ASCII: encoded words (RFC 2047), %HH in a URI, and folds between items") \
    ROW(LINT_HASH_WRONG, "hash-wrong", LINT_ERROR, "SU-01", "", "is not the hash of this Message-ID", \
        "remove it") \
    ROW(LINT_HASH_CASE, "hash-case", LINT_WARNING, "SU-01", "", "has the right hash with other letters than A-Z and 2-7: archives may not find it", \
        "the hash in upper case") \
    ROW(LINT_LIST_HASH_WRONG, "list-hash-wrong", LINT_ERROR, "R1-01", "", "is not the hash of this Message-ID and Date", \
        "remove it") \
    ROW(LINT_ARCHIVED_AT_FORM, "archived-at-form", LINT_ERROR, "AT-01", "", "is not one URI in angle brackets", \
        "\"<URI>\" and nothing else; a field for each URI") \
    ROW(LINT_ARCHIVED_AT_TWICE, "archived-at-twice", LINT_WARNING, "AT-03", "", "has the URI of another Archived-At", \
        "one of them alone") \
    ROW(LINT_ARCHIVED_AT_HASH, "archived-at-hash", LINT_ERROR, "SU-09", "", "ends in a hash that is not of this Message-ID", \
        "remove it") \
    ROW(LINT_ARCHIVED_AT_UNWANTED, "archived-at-unwanted", LINT_ADVICE, "AT-04", "", "links to a message that is not to be archived", \
        "no Archived-At in this message") \
    ROW(LINT_ARCHIVED_AT_FRAGMENT, "archived-at-fragment", LINT_WARNING, "AT-06", "", "is in a fragment of a message, and not in the first one", \
        "Archived-At in the first fragment alone") \
    ROW(LINT_LIST_ID_MISSING, "list-id-missing", LINT_ADVICE, "LI-09", "", "is missing: programs cannot tell the list's mail", \
        "\"Description <label.example.org>\"") \
    ROW(LINT_LIST_ID_NO_ID, "list-id-no-id", LINT_ERROR, "LI-01", "", "has no id in angle brackets", \
        "\"Description <label.example.org>\"") \
    ROW(LINT_LIST_ID_FORM, "list-id-form", LINT_ERROR, "LI-01", "", "has an id that is no list id", \
        "a label, a dot and a domain of yours, without blanks, at most 255 bytes") \
    ROW(LINT_LIST_ID_SEVERAL, "list-id-several", LINT_ERROR, "LI-08", "", "has two ids: programs disagree on which one counts", \
        "the list's id alone") \
    ROW(LINT_LIST_ID_TEXT, "list-id-text", LINT_WARNING, "LI-08", "", "has a comment, white space in its brackets, text after them, or text that needs quotes", \
        "\"Description <label.example.org>\", with quotes around marks such as , : ; @") \
    ROW(LINT_LIST_ID_DESCRIPTION, "list-id-description", LINT_ADVICE, "LI-07", "description", "has no description to show as the list's name", \
        "\"Description <label.example.org>\"") \
    ROW(LINT_LIST_ID_RANDOM, "list-id-random", LINT_ADVICE, "LI-04", NULL, "has an id below \"localhost\" without a random part or a month: other lists may have it", \
        "the id that `mlmilterctl new-list-id` prints, or an id in your domain") \
    ROW(LINT_LIST_ID_AUTHORITY, "list-id-authority", LINT_ADVICE, "LI-03", NULL, "has an id outside the list's domain", \
        "an id in a domain that the list's owner has authority for") \
    ROW(LINT_BRACKETS, "brackets", LINT_ERROR, "LH-13", "", "has text that is not in angle brackets: mail programs ignore it and all after it", \
        "each URI in angle brackets, \", \" between two, and other text in parentheses") \
    ROW(LINT_NO_MAILTO, "no-mailto", LINT_ADVICE, "LH-04", "a mailto: item", "has no mailto: URI, which every program can use", \
        "a mailto: URI in addition") \
    ROW(LINT_URI_FORM, "uri-form", LINT_ERROR, NULL, "", "has a URI that is wrong by RFC 3986, has a variable or no address, or can do harm", \
        "an https: or mailto: URI, with %HH for other characters") \
    ROW(LINT_URI_SPACE, "uri-space", LINT_ADVICE, NULL, "", "has a URI with white space in it, which not every program deletes", \
        "a URI without white space, or with %20") \
    ROW(LINT_URI_MAILTO, "uri-mailto", LINT_ADVICE, "RFC 6068 2", "", "has a mailto: URI in which \"@\", \",\", \"?\", \"&\" or \"=\" is missing or misplaced", \
        "\"mailto:LOCAL@DOMAIN?subject=TEXT&body=TEXT\", with %26 for a \"&\" in a text") \
    ROW(LINT_URI_HTTP, "uri-http", LINT_ADVICE, "lint.md", "an https: item", "has an http: link, where https: is usual", \
        "https:, if the site has it") \
    ROW(LINT_ONE_CLICK_VALUE, "one-click-value", LINT_ERROR, "RFC 8058 3.1", "", "has a value that no mail program knows", \
        "\"" LIST_FIELDS_ONE_CLICK "\"") \
    ROW(LINT_ONE_CLICK_HTTPS, "one-click-https", LINT_ERROR, "RFC 8058 3.1", "", "needs a List-Unsubscribe with one https: URI and no http: URI", \
        "one https: URI in List-Unsubscribe; a mailto: URI may follow") \
    ROW(LINT_ONE_CLICK_UNSIGNED, "one-click-unsigned", LINT_ERROR, "RFC 8058 4", NULL, "is not signed together with List-Unsubscribe", \
        "name both in the signer's list of fields") \
    ROW(LINT_ONE_CLICK_MISSING, "one-click-missing", LINT_ADVICE, "RFC 8058 3.1", "unsubscribe_one_click = true and an https: item in unsubscribe", "is missing: mail programs show no one-click button", \
        "\"" LIST_FIELDS_ONE_CLICK "\", and one https: URI in List-Unsubscribe") \
    ROW(LINT_UNSUBSCRIBE_MISSING, "unsubscribe-missing", LINT_ADVICE, "LH-01", "unsubscribe", "is missing: people report the mail as spam", \
        "\"<mailto:...>\", or a web page in https:") \
    ROW(LINT_DKIM_MISSING, "dkim-missing", LINT_ADVICE, "lint.md", NULL, "of the list is missing: large providers ask for one, and one-click needs it", \
        "a signature of the list's domain, made after all list fields are added") \
    ROW(LINT_DKIM_UNCOVERED, "dkim-uncovered", LINT_ADVICE, "RFC 6376 5.4", NULL, "of the list does not cover all list fields: anybody can change them on the way", \
        "name them in the signer's list of fields") \
    ROW(LINT_FROM_UNSIGNED, "from-unsigned", LINT_ADVICE, "RFC 7489 3.1.1", NULL, "has a domain that no DKIM signature is aligned with: DMARC can pass by SPF alone", \
        "a signature of the author's domain, or a From of the list's")
/* clang-format on */

#endif
