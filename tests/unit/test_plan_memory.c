/* Memory that runs out anywhere in the core ends in -1, never in a plan that lacks an edit */
#include "arena_fail.h"
#include "check.h"
#include "decide.h"

#define ENOUGH 1000 /* requests; a decision takes some tens */

static const char configuration[] =
    "lists = {}\n"
    "token \"all\" { digest = \"sha256\" of = \"{message_id}{date}{from}{to}{subject}{list_id}\" "
    "}\n"
    "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\" "
    "  description = \"x\" archive = {\"https://a.example/\"} parents = {\"far.example.net\"} "
    "  sequence = true list_id_hash = true alt_message_id = true reused_message_id = \"omit\" "
    "  archived_at = {\"{archive}/{message_id_hash}/{year}-{month:2}\", "
    "  \"https://b.example/{list_id_hash}/{sequence:5}/{all}\", \"https://a.example/1\"} }\n"
    "list \"m.example.org\" { address = \"m@example.org\" parents = {\"n.example.org\"} "
    "  unsubscribe = {\"https://u.example/{recipient}\"} unsubscribe_one_click = true }\n"
    "list \"n.example.org\" { address = \"n@example.org\" }\n"
    "list \"o.example.org\" { address = \"o@example.org\" list_id_hash = true }\n"
    "list \"b.example.org\" { select = \"recipient\" address = \"b@example.org\" }\n"
    "list \"s.example.org\" { select = \"sender\" address = \"s@example.org\" sequence = true "
    "  sequence_from = \"envelope-sender\" archived_at = {\"https://s.example/{sequence}\"} "
    "  command_addresses = {\"from:s-request@example.org\", \"s-confirm@example.org\"} "
    "  unsubscribe = {\"http://u.example/{recipient}\", \"https://u.example/{recipient}\"} }\n";

static void check_same(const struct plan *expected, const struct plan *got)
{
    check_int("action", expected->action, got->action);
    check_int("notes", (long long)expected->note_count, (long long)got->note_count);
    if (!check_int("edits", (long long)expected->edit_count, (long long)got->edit_count))
        return;
    for (size_t i = 0; i < got->edit_count; i++) {
        check_int("name", expected->edits[i].name, got->edits[i].name);
        check_span("value", expected->edits[i].value, got->edits[i].value);
    }
}

static void check_until_enough(struct decide *d)
{
    bool failed = true;

    for (int n = 1; n < ENOUGH && failed; n++) {
        struct decided made;
        struct arena arena;
        const char *why;

        arena_init(&arena, 1);
        alloc_fail_once_at(n);
        why = decide_again(d, &arena, NULL, &made);
        failed = alloc_failed();
        alloc_fail_at(0);
        check_bool("a failure says so, and nothing else fails", failed, why != NULL);
        if (why == NULL)
            check_same(&d->made.plan, &made.plan);
        arena_free(&arena);
    }
    check_bool("memory was enough at last", false, failed);
}

static void test_memory(void **state)
{
    static const struct {
        const char *transaction;
        const char *message;
    } rows[] = {
        {"to=a@example.org number=7", "List-Id: Far\n <far.example.net>\nList-Id: <x.y>\n"
                                      "List-Help:\n h\nList-Post: p\nArchived-At:\n <q>\n"
                                      "Archived-At: < https://a.example/1>\n"
                                      "Content-Type: text/plain\nX-No-Archive: no\n"
                                      "From: a@b\nTo: c\nSubject: d\n e\n"
                                      "DKIM-Signature: d=e.example;\n h=list-id:date:from\n\n"},
        {"to=a@example.org number=7 reused",
         "Message-ID: <1>\nDate: x\n y\nX-List-Sequence: 1\n\n"},
        {"to=a@example.org storefail", "Message-ID: <1>\n\n"},
        {"to=u@v",
         "List-Id: <m.example.org>\nList-Id: <n.example.org>\nList-Id:\n <m . example.org>\n"
         "Message-ID: <1>\n\n"},
        {"", "List-Id: <m.example.org>\nList-Id: <o.example.org>\nMessage-ID: <1>\n\n"},
        {"to=o@example.org to=x@y", "List-Id: <o\n .example.org>\nFrom: a\n\n"},
        {"to=a@example.org next number=8", "Message-ID:\n <2>\nContent-Type: text/plain;\n a=b\n"
                                           "X-No-Archive: yes;\n x\n\n"},
        {"to=a@example.org number=1", "Received: by\n x\nReceived: by\n y\n\n"},
        {"to=a@example.org to=b@example.org number=1", "Message-ID: <1>\nFrom: a@b\n (c)\n\n"},
        {"from=s+bounces-7@example.org to=u@v",
         "Message-ID: <3>\nContent-Type: text/plain;\n a=b\nFrom: s-request@example.org\n (c)\n\n"},
        {"from=s+bounces-7@example.org to=u@v",
         "Message-ID: <3>\nContent-Type: text/plain;\n a=b\n\n"},
        {"to=u@v", "From: x\n <s-request+1@example.org>\nMessage-ID: <1>\n\n"},
        {"to=u@v", "List-Id: <m.example.org>\nList-Id: n\n <n.example.org>\nMessage-ID: <1>\n\n"},
    };
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        (void)decide_message(&d, rows[i].transaction, rows[i].message);
        check_row(rows[i].message);
        check_until_enough(&d);
    }
    decide_close(&d);
    check_end();
}

/* A transaction with more lists than it has room for at first: whoever is not remembered is told.
 */
static void test_envelope(void **state)
{
    /* The spellings take memory, too. */
    static const char *const recipients[] = {
        "u+w@v",         "a@example.org", "\"b\"@example.org", "m+x@example.org",
        "n@example.org", "o@example.org", "s@example.org"};
    static const char *const addresses[] = {"a@example.org", "b@example.org", "m@example.org",
                                            "n@example.org", "o@example.org", "s@example.org"};
    const struct client client = {.local = true, .daemon_name = span_cstr("d")};
    struct decide d;
    bool failed = true;

    (void)state;
    decide_open(&d, configuration);
    for (int n = 1; n < ENOUGH && failed; n++) {
        struct envelope e;
        bool told;

        envelope_init(&e);
        alloc_fail_once_at(n);
        told = envelope_begin(&e, d.settings, &client, span_cstr("<s@x>")) != 0;
        for (size_t i = 0; i < CHECK_COUNT(recipients) && !told; i++) {
            struct rcpt rcpt = {span_cstr(recipients[i]), span_cstr(recipients[i]), false};

            told = envelope_add_recipient(&e, &rcpt) == RECIPIENT_NO_MEMORY;
        }
        failed = alloc_failed();
        alloc_fail_at(0);
        check_row("envelope");
        check_bool("a failure says so, and nothing else fails", failed, told);
        if (!told) {
            check_int("lists", 6, (long long)e.list_count);
            for (size_t i = 0; i < e.list_count; i++)
                check_text("address", addresses[i], e.lists[i].list->address);
        }
        envelope_free(&e);
    }
    check_bool("memory was enough at last", false, failed);
    decide_close(&d);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_envelope)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
