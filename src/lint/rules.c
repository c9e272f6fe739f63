/* rules - the table of findings (RULINGS 93). doc/lint.md has a row for each. */
#include "lint/lint.h"

#include "spec/list_fields.h"
#include "spec/owned_fields.h"

#define CURED "" /* by any configuration of the list */

/* In the order of enum lint_rule. */
const struct lint_rule_text lint_rules[LINT_RULE_COUNT] = {
    {"header-cut", LINT_ERROR, "RFC 5322 2.2",
     "ends at a line that is no field, or after 5,000 fields or 1 MiB",
     "remove the line, or begin it with a blank if it continues the field above", NULL},
    {"message-id-missing", LINT_WARNING, "SU-02", "is missing: nobody can link to the post",
     "a new id for each message, as in \"<UNIQUE@host.example>\"", CURED},
    {"message-id-form", LINT_ADVICE, "RFC 5322 3.6.4",
     "is not plain \"<LEFT@RIGHT>\" of at most 254 bytes, which some archives rely on",
     "\"<LEFT@RIGHT>\" of letters, digits, dots and hyphens", NULL},
    {"message-id-long", LINT_ERROR, "RFC 5322 2.1.1",
     "is on a line over 998 bytes: servers break it, and each copy has another hash",
     "an id of at most 254 bytes", NULL},
    {"message-id-changed", LINT_WARNING, "SU-13",
     "is not of this Message-ID, which a relay made, broke or replaced",
     "an archive that gets the post before the relay, or a relay that keeps Message-ID", NULL},
    {"copies", LINT_ERROR, "SU-04", "occurs several times: nobody knows which one counts",
     "the list's own field alone; of Message-ID the first one",
     "duplicate_message_id = \"delete\""},
    {"old-name", LINT_WARNING, NULL, "is a name that is out of use", "remove it", CURED},
    {"octets", LINT_ERROR, "RFC 5322 2.2",
     "has control characters, other bytes than ASCII, a blank line, or a line over 998 bytes",
     "printable ASCII: encoded words (RFC 2047), %HH in a URI, and folds between items", CURED},
    {"hash-wrong", LINT_ERROR, "SU-01", "is not the hash of this Message-ID", "remove it", CURED},
    {"hash-case", LINT_WARNING, "SU-01",
     "has the right hash with other letters than A-Z and 2-7: archives may not find it",
     "the hash in upper case", CURED},
    {"list-hash-wrong", LINT_ERROR, "R1-01", "is not the hash of this Message-ID and Date",
     "remove it", CURED},
    {"archived-at-form", LINT_ERROR, "AT-01", "is not one URI in angle brackets",
     "\"<URI>\" and nothing else; a field for each URI", CURED},
    {"archived-at-twice", LINT_WARNING, "AT-03", "has the URI of another Archived-At",
     "one of them alone", CURED},
    {"archived-at-hash", LINT_ERROR, "SU-09", "ends in a hash that is not of this Message-ID",
     "remove it", CURED},
    {"archived-at-unwanted", LINT_ADVICE, "AT-04", "links to a message that is not to be archived",
     "no Archived-At in this message", CURED},
    {"archived-at-fragment", LINT_WARNING, "AT-06",
     "is in a fragment of a message, and not in the first one",
     "Archived-At in the first fragment alone", CURED},
    {"list-id-missing", LINT_ADVICE, "LI-09", "is missing: programs cannot tell the list's mail",
     "\"Description <label.example.org>\"", CURED},
    {"list-id-no-id", LINT_ERROR, "LI-01", "has no id in angle brackets",
     "\"Description <label.example.org>\"", CURED},
    {"list-id-form", LINT_ERROR, "LI-01", "has an id that is no list id",
     "a label, a dot and a domain of yours, without blanks, at most 255 bytes", CURED},
    {"list-id-several", LINT_ERROR, "LI-08", "has two ids: programs disagree on which one counts",
     "the list's id alone", CURED},
    {"list-id-text", LINT_WARNING, "LI-08",
     "has a comment, white space in its brackets, text after them, or text that needs quotes",
     "\"Description <label.example.org>\", with quotes around marks such as , : ; @", CURED},
    {"list-id-description", LINT_ADVICE, "LI-07", "has no description to show as the list's name",
     "\"Description <label.example.org>\"", "description"},
    {"list-id-random", LINT_ADVICE, "LI-04",
     "has an id below \"localhost\" without a random part or a month: other lists may have it",
     "the id that `mlmilterctl new-list-id` prints, or an id in your domain", NULL},
    {"list-id-authority", LINT_ADVICE, "LI-03", "has an id outside the list's domain",
     "an id in a domain that the list's owner has authority for", NULL},
    {"brackets", LINT_ERROR, "LH-13",
     "has text that is not in angle brackets: mail programs ignore it and all after it",
     "each URI in angle brackets, \", \" between two, and other text in parentheses", CURED},
    {"no-mailto", LINT_ADVICE, "LH-04", "has no mailto: URI, which every program can use",
     "a mailto: URI in addition", "a mailto: item"},
    {"uri-form", LINT_ERROR, NULL,
     "has a URI that is wrong by RFC 3986, has a variable or no address, or can do harm",
     "an https: or mailto: URI, with %HH for other characters", CURED},
    {"uri-space", LINT_ADVICE, NULL,
     "has a URI with white space in it, which not every program deletes",
     "a URI without white space, or with %20", CURED},
    {"uri-mailto", LINT_ADVICE, "RFC 6068 2",
     "has a mailto: URI in which \"@\", \",\", \"?\", \"&\" or \"=\" is missing or misplaced",
     "\"mailto:LOCAL@DOMAIN?subject=TEXT&body=TEXT\", with %26 for a \"&\" in a text", CURED},
    {"uri-http", LINT_ADVICE, "lint.md", "has an http: link, where https: is usual",
     "https:, if the site has it", "an https: item"},
    {"one-click-value", LINT_ERROR, "RFC 8058 3.1", "has a value that no mail program knows",
     "\"" LIST_FIELDS_ONE_CLICK "\"", CURED},
    {"one-click-https", LINT_ERROR, "RFC 8058 3.1",
     "needs a List-Unsubscribe with one https: URI and no http: URI",
     "one https: URI in List-Unsubscribe; a mailto: URI may follow", CURED},
    {"one-click-unsigned", LINT_ERROR, "RFC 8058 4", "is not signed together with List-Unsubscribe",
     "name both in the signer's list of fields", NULL},
    {"one-click-missing", LINT_ADVICE, "RFC 8058 3.1",
     "is missing: mail programs show no one-click button",
     "\"" LIST_FIELDS_ONE_CLICK "\", and one https: URI in List-Unsubscribe",
     "unsubscribe_one_click = true and an https: item in unsubscribe"},
    {"unsubscribe-missing", LINT_ADVICE, "LH-01", "is missing: people report the mail as spam",
     "\"<mailto:...>\", or a web page in https:", "unsubscribe"},
    {"dkim-missing", LINT_ADVICE, "lint.md",
     "of the list is missing: large providers ask for one, and one-click needs it",
     "a signature of the list's domain, made after all list fields are added", NULL},
    {"dkim-uncovered", LINT_ADVICE, "RFC 6376 5.4",
     "of the list does not cover all list fields: anybody can change them on the way",
     "name them in the signer's list of fields", NULL},
    {"from-unsigned", LINT_ADVICE, "RFC 7489 3.1.1",
     "has a domain that no DKIM signature is aligned with: DMARC can pass by SPF alone",
     "a signature of the author's domain, or a From of the list's", NULL},
};

const char *lint_level_text(enum lint_level level)
{
    static const char *const texts[LINT_LEVEL_COUNT] = {"error", "warning", "advice"};
    return texts[level];
}

const char *lint_clause(const struct lint_finding *finding)
{
    const struct owned_field *owned = owned_field_find(finding->field);
    const char *clause = lint_rules[finding->rule].clause;
    if (finding->rule == LINT_COPIES && owned != NULL)
        return owned->single_clause;
    return clause == NULL && owned != NULL ? owned->form_clause : clause;
}

void lint_add_cure(struct strbuf *out, enum lint_rule rule, enum field_name field,
                   bool needs_sender)
{
    const char *key = lint_rules[rule].cure;
    if (key == NULL)
        return;
    if (rule == LINT_COPIES && field != FIELD_MESSAGE_ID)
        key = CURED;
    strbuf_add_str(out, "mlmilter");
    if (*key != '\0')
        strbuf_addf(out, " with %s", key);
    if (needs_sender)
        strbuf_addf(out, " %s select = \"sender\"", *key != '\0' ? "and" : "with");
}
