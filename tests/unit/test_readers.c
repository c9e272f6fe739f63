/*
 * Each reader of a header takes time in proportion to its input: a megabyte of each shape, within a
 * budget of CPU time. A quadratic reader would need seconds or minutes.
 */
#include "check.h"

#include "lint/lint.h"
#include "mail/date.h"
#include "mail/field_check.h"
#include "mail/fold.h"
#include "mail/message.h"
#include "spec/archived_at.h"
#include "spec/dkim_signature.h"
#include "spec/iri.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"
#include "text/memory.h"
#include "text/strbuf.h"

#include <stdlib.h>
#include <time.h>

#define SIZE 1000000 /* of a shape; a header has at most 1 MiB */
#define ROOM 64      /* before it, for the begin of a reader's value */

static void read_fold(struct span value, struct arena *arena)
{
    (void)fold_text(value, arena);
    (void)fold_without_space(value, arena);
    (void)fold_has_stray_cr(value);
    (void)header_wire_octets(span_cstr("To"), value);
    (void)field_check(span_cstr("To"), span_sub(value, 0, FIELD_MAX - 2));
}

static void read_address_list(struct span value, struct arena *arena)
{
    struct cursor c = cursor_of(value);
    struct span mailbox;
    while (mailbox_next(&c, arena, &mailbox))
        continue;
}

static void read_address(struct span value, struct arena *arena)
{
    (void)mailbox_of(value, arena);
}

static void read_author(struct span value, struct arena *arena)
{
    (void)mailbox_author_domain(value, arena);
}

static void read_list_id(struct span value, struct arena *arena)
{
    struct span id;
    if (list_id_read(value, arena, &id))
        (void)list_id_fault(id);
    (void)list_id_lacks_randomness(value);
}

static void read_list_field(struct span value, struct arena *arena)
{
    struct cursor c = cursor_of(value);
    struct span uri;
    bool first = true;
    while (list_field_next_uri(&c, &first, arena, &uri))
        (void)uri_fault(uri);
    (void)list_field_is_no(value);
    (void)uri_fault(value);
}

static void read_mailto(struct span value, struct arena *arena)
{
    static struct span found[1000];
    size_t count = 0;
    mailboxes_of_mailto(value, arena, found, CHECK_COUNT(found), &count);
}

static void read_international_uri(struct span value, struct arena *arena)
{
    struct span uri;
    (void)iri_to_uri(value, arena, &uri);
}

static void read_message_id(struct span value, struct arena *arena)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    (void)arena;
    message_id_hash(message_id_bare(value), hash);
    (void)message_id_is_well_formed(value);
    (void)message_id_hash_normalize(value, hash);
}

static void read_signature(struct span value, struct arena *arena)
{
    size_t counts[FIELD_NAME_COUNT];
    (void)arena;
    dkim_signed_counts(value, counts);
    (void)dkim_is_aligned(dkim_domain(value), value);
}

static void read_date(struct span value, struct arena *arena)
{
    struct date date;
    (void)arena;
    (void)date_parse(value, &date);
}

static void read_content_type(struct span value, struct arena *arena)
{
    (void)archived_at_uri(value, arena);
    (void)archived_at_content_kind(value);
}

static void read_owned_fields(struct span value, struct arena *arena)
{
    static const enum field_name names[] = {FIELD_ARCHIVED_AT, FIELD_LIST_ID, FIELD_LIST_POST,
                                            FIELD_LIST_UNSUBSCRIBE_POST};
    for (size_t i = 0; i < CHECK_COUNT(names); i++)
        (void)owned_field_is_readable(owned_field_find(names[i]), value, arena);
}

static void read_message(struct span value, struct arena *arena)
{
    struct lint lint;
    struct message message;
    (void)arena;
    lint_init(&lint);
    message_init(&message);
    message_split(&message, value);
    lint_message(&lint, &message);
    (void)archived_at_wish(&message.header, arena);
    message_free(&message);
    lint_free(&lint);
}

static const struct {
    const char *name;
    void (*read)(struct span value, struct arena *arena);
    const char *begin; /* of the value, before the shapes */
} readers[] = {
    {"fold", read_fold, ""},
    {"address list", read_address_list, ""},
    {"address list after an item", read_address_list, "<>"},
    {"address", read_address, ""},
    {"address in brackets", read_address, "<"},
    {"author", read_author, ""},
    {"List-Id", read_list_id, ""},
    {"List-Id in brackets", read_list_id, "<"},
    {"List-Help", read_list_field, ""},
    {"List-Help after a URI", read_list_field, "<mailto:a@b>,"},
    {"mailto", read_mailto, "mailto:"},
    {"international URI", read_international_uri, "https://a/\xC3\xA9"},
    {"Message-ID", read_message_id, ""},
    {"Message-ID in brackets", read_message_id, "<a@"},
    {"DKIM-Signature", read_signature, ""},
    {"DKIM-Signature, h=", read_signature, "h="},
    {"Date", read_date, ""},
    {"Date's zone", read_date, "Wed, 4 Jul 2007 16:49:58 "},
    {"Content-Type", read_content_type, ""},
    {"owned fields", read_owned_fields, ""},
    {"message", read_message, ""},
    {"message, From", read_message, "From: "},
    {"message, List-Id", read_message, "List-Id: "},
    {"message, List-Unsubscribe", read_message, "List-Unsubscribe: "},
    {"message, Archived-At", read_message, "Archived-At: "},
    {"message, Message-ID", read_message, "Message-ID: "},
    {"message, DKIM-Signature", read_message, "DKIM-Signature: h="},
    {"message, Restrict", read_message, "Restrict: "},
};

/* Separated by "|". */
static const char shapes[] =
    "a| |(|)|()|\"|\"\",|\"<|<|>|<>|<>,|<a>,|<(|(<|[|]|[]|<[|<@[|<@[<@]|<@[]a|@[|@[,|@|@a:|"
    "<@a:|:<@|<@,|<@[>,|<@a,b:|a@b,|a@b;|a@b(|(),|a@[b],|<a@b>|\\|{|{}|\\\"|.|a.|,|;|:|a:|=|h=a;|"
    "a+|%a|%4|-|_ |0|\r|\r\r\n |\n |\r\nTo: |a\nb|=?|?=|\xC3|\xC3\xA9|=?u?q?a?= |h=a:b;d=c;|"
    "X: <\n|To:\n|From:a@b\n|List-Id:<a.b>\n|List-Help:<a:b>,x\n|Archived-At:<a:b>\n|"
    "X-List-Sequence:1\n|Received:\n|DKIM-Signature:h=to:cc;d=x\n";

/* CPU seconds for a shape: what is ample at -O2, or forty times what this computer needs, with its
 * sanitizer or emulator, to copy the shape with a malloc for every four bytes. */
#define BUDGET       0.2
#define COPY_BUDGETS 40
#define TRIES        3 /* other programs disturb caches */

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_to_read(size_t reader, struct span value)
{
    struct arena arena;
    arena_init(&arena, 0);
    double begin = cpu_seconds();
    readers[reader].read(value, &arena);
    double seconds = cpu_seconds() - begin;
    arena_free(&arena);
    return seconds;
}

static double seconds_to_copy(struct strbuf *out, struct span shape)
{
    double begin = cpu_seconds();
    for (size_t i = 0; i < SIZE; i++) {
        strbuf_add_char(out, shape.p[i % shape.n]);
        if (i % 4 == 0)
            free(memory_copy("1234"));
    }
    return cpu_seconds() - begin;
}

static void check_shape(struct span shape)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%*s", ROOM, "");
    double copied = seconds_to_copy(&text, shape);
    double budget = COPY_BUDGETS * copied > BUDGET ? COPY_BUDGETS * copied : BUDGET;
    check_row_span(shape);
    for (size_t r = 0; r < CHECK_COUNT(readers); r++) {
        size_t n = strlen(readers[r].begin);
        bool is_fast = false;
        memcpy(text.data + ROOM - n, readers[r].begin, n);
        for (int i = 0; i < TRIES && !is_fast; i++)
            is_fast = seconds_to_read(r, span_sub(strbuf_span(&text), ROOM - n, SIZE + n)) < budget;
        check_bool(readers[r].name, true, is_fast);
    }
    strbuf_free(&text);
}

static void test_time(void **state)
{
    struct span rest = span_cstr(shapes);
    (void)state;
    while (rest.n > 0) {
        struct span shape = span_sub(rest, 0, span_find(rest, '|'));
        check_shape(shape);
        rest = span_sub(rest, shape.n + 1, rest.n);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
