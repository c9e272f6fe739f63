/* postfix_tables - lists tables by postmap -s and postalias -s, which see what Postfix sees. */
#include "ctl/doctor/postfix_tables.h"

#include "ctl/doctor/cure.h"
#include "ctl/doctor/run_program.h"

#include <sys/stat.h>

/* The kinds that can be listed, and what their programs append to the name of the text. */
static const struct {
    const char *type;
    const char *suffix;
} kinds[] = {{"hash", ".db"}, {"btree", ".db"}, {"lmdb", ".lmdb"}, {"cdb", ".cdb"},
             {"dbm", ".pag"}, {"sdbm", ".pag"}, {"texthash", ""}};

void postfix_table_init(struct postfix_table *table)
{
    table->all = NULL;
    strmap_init(&table->entries, 0); /* nobody who could choose the keys gains by a slow doctor */
    arena_init(&table->arena, 0);
    table->is_partial = false;
}

void postfix_table_free(struct postfix_table *table)
{
    strmap_free(&table->entries);
    arena_free(&table->arena);
}

static void say_unseen(struct postfix_table *table, const struct postfix *p, struct span name,
                       const char *why)
{
    table->is_partial = true;
    findings_say(&p->doctor->findings, FINDING_UNSEEN, "table-unseen", NULL, "the table %.*s %s",
                 (int)name.n, name.p, why);
}

/* Is the built table there, and not older than its text? */
static void check_built(const struct postfix *p, const char *program, const char *spec,
                        struct span path, const char *suffix)
{
    struct strbuf built = STRBUF_INIT, text = STRBUF_INIT, cure = STRBUF_INIT;
    struct stat of_text, of_built;
    strbuf_add_span(&text, path);
    strbuf_add_span(&built, path);
    strbuf_add_str(&built, suffix);
    if (suffix[0] != '\0' && stat(strbuf_str(&text), &of_text) == 0) {
        bool is_there = stat(strbuf_str(&built), &of_built) == 0;
        strbuf_addf(&cure, "%s ", program);
        cure_add_word(&cure, spec);
        if (!is_there || of_text.st_mtime > of_built.st_mtime)
            findings_say(&p->doctor->findings, FINDING_MEND, "table-not-built", strbuf_str(&cure),
                         "%s, so that Postfix does not know what %s says",
                         is_there ? "its text was changed since the table was built"
                                  : "the table was never built",
                         strbuf_str(&text));
    }
    strbuf_free(&built);
    strbuf_free(&text);
    strbuf_free(&cure);
}

static void add_entry(struct postfix_table *table, struct span key, struct span value)
{
    struct table_entry *entry = arena_alloc(&table->arena, sizeof *entry);
    *entry = (struct table_entry){key, value, table->all};
    table->all = entry;
    strmap_put(&table->entries, key, entry, NULL);
}

/* "key:\tvalue" of postalias, "key\tvalue" of postmap */
static void add_lines(struct postfix_table *table, struct span text)
{
    struct span line;
    text = arena_dup(&table->arena, text);
    while (next_line(&text, &line)) {
        struct span key = span_sub(line, 0, span_find(line, '\t'));
        struct span value = span_trim(span_sub(line, key.n, line.n));
        if (key.n > 0 && key.p[key.n - 1] == ':')
            key.n--;
        add_entry(table, key, value);
    }
}

static void add_table(struct postfix_table *table, const struct postfix *p, const char *program,
                      struct span name)
{
    size_t colon = span_find(name, ':'), kind = 0;
    struct span path = span_sub(name, colon + 1, name.n);
    while (kind < sizeof kinds / sizeof kinds[0] &&
           !span_eq(span_sub(name, 0, colon), span_cstr(kinds[kind].type)))
        kind++;
    if (kind == sizeof kinds / sizeof kinds[0]) {
        say_unseen(table, p, name, "is of a kind that cannot be listed");
        return;
    }
    struct program listing;
    const char *text = arena_strdup(&table->arena, name);
    const char *argv[] = {program, "-s", text, NULL};
    check_built(p, program, text, path, kinds[kind].suffix);
    program_run(argv, PROGRAM_OUT, &program_limits, &listing);
    if (listing.fault == NULL && listing.status == 0)
        add_lines(table, strbuf_span(&listing.said));
    else
        say_unseen(table, p, name, "could not be listed");
    program_free(&listing);
}

void postfix_table_add(struct postfix_table *table, const struct postfix *p, const char *program,
                       struct span value)
{
    static const char proxy[] = "proxy:";
    struct span word;
    while (next_word(&value, ", \t", &word)) {
        if (span_starts_nocase(word, span_cstr(proxy)))
            word = span_sub(word, sizeof proxy - 1, word.n);
        if (span_find(word, '{') < word.n) { /* what follows may be inside, too */
            say_unseen(table, p, word, "is written into main.cf");
            return;
        }
        if (word.p[0] == '/')
            say_unseen(table, p, word, "is a file of names");
        else if (span_find(word, ':') < word.n && word.p[0] != '[')
            add_table(table, p, program, word);
        else
            add_entry(table, word, span_of("", 0));
    }
}

const struct table_entry *postfix_table_get(const struct postfix_table *table, struct span key)
{
    return strmap_get(&table->entries, key);
}
