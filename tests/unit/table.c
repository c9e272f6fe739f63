/* table - see table.h */
#include "table.h"

#include <stdlib.h>

#define MOST 64 /* tests of a program */

struct arena table_arena;
const char *table_texts[26];

static struct {
    const char *file;
    struct strbuf text;
    const struct table_function *functions;
    size_t count;
} table;

void table_add_bool(struct strbuf *result, bool is)
{
    strbuf_add_str(result, is ? "yes" : "no");
}

void table_add_text(struct strbuf *result, const char *text)
{
    strbuf_add_str(result, text != NULL ? text : "none");
}

void table_add_item(struct strbuf *result, const char *mark, struct span text)
{
    strbuf_add_str(result, result->len > 0 ? mark : "");
    strbuf_add_span(result, text);
}

int64_t table_number(struct span argument)
{
    char text[32] = "";
    memcpy(text, argument.p, argument.n < sizeof text ? argument.n : sizeof text - 1);
    return strtoll(text, NULL, 10);
}

void table_read(const char *file, struct strbuf *text)
{
    char path[1000], buffer[4096];
    snprintf(path, sizeof path, "%s/%s", UNIT_FOLDER, file);
    FILE *f = fopen(path, "r");
    for (size_t got; f != NULL && (got = fread(buffer, 1, sizeof buffer, f)) > 0;)
        strbuf_add(text, buffer, got);
    if (f != NULL)
        fclose(f);
}

bool table_next_row(struct span *rest, struct strbuf *row, int *line)
{
    strbuf_reset(row);
    for (*line += 1; rest->n > 0; *line += 1) {
        struct span text = span_sub(*rest, 0, span_find(*rest, '\n'));
        strbuf_add_span(row, row->len > 0 ? span_trim(text) : text);
        *rest = span_sub(*rest, text.n + 1, rest->n);
        if (rest->n < 4 || memcmp(rest->p, "    ", 4) != 0)
            return true;
        if (!span_ends_nocase(strbuf_span(row), span_cstr("\\n")))
            strbuf_add_char(row, ' ');
    }
    return false;
}

/* Appends the bytes that a text with escapes means. A repeated text ends with a bracket; others
 * have repetition -1. */
static void unescape(struct span *rest, int repetition, struct strbuf *out)
{
    static const char codes[] = "nrts\\\"$", bytes[] = "\n\r\t \\\"$";
    while (rest->n > 0 && !(repetition >= 0 && rest->p[0] == ']')) {
        char c = rest->p[0], code = rest->n > 1 ? rest->p[1] : '\0';
        const char *found = strchr(codes, code);
        *rest = span_sub(*rest, c == '\\' ? 2 : 1, rest->n);
        if (c != '\\') {
            strbuf_add_char(out, c);
        } else if (code == '[') {
            struct span text = span_sub(*rest, span_find(*rest, ' ') + 1, rest->n);
            int count = (int)table_number(*rest);
            for (int i = 0; i < count; i++) {
                *rest = text;
                unescape(rest, i, out);
            }
            *rest = span_sub(*rest, 1, rest->n);
        } else if (code >= 'A' && code <= 'Z' && table_texts[code - 'A'] != NULL) {
            strbuf_add_str(out, table_texts[code - 'A']);
        } else if (code == '#') {
            strbuf_addf(out, "%d", repetition);
        } else if (code == 'x' && rest->n >= 2) {
            char digits[] = {rest->p[0], rest->p[1], '\0'};
            strbuf_add_char(out, (char)(unsigned char)strtoul(digits, NULL, 16));
            *rest = span_sub(*rest, 2, rest->n);
        } else if (code != '\0' && found != NULL) {
            strbuf_add_char(out, bytes[found - codes]);
        } else {
            fail_msg("%s: no escape: \\%c", table.file, code);
        }
    }
}

void table_unescape(struct span text, struct strbuf *out)
{
    text = span_trim(text);
    unescape(&text, -1, out);
}

static char *blocks[TABLE_ARGUMENTS]; /* of the arguments of a row */

/* Returns argument i in a block of its own, so that a sanitizer sees a byte that is read after it.
 */
static struct span copy_argument(size_t i, struct span argument)
{
    struct strbuf text = STRBUF_INIT;
    assert_true(i < TABLE_ARGUMENTS);
    table_unescape(argument, &text);
    blocks[i] = test_malloc(text.len + 1);
    struct span own = span_of(blocks[i] + 1, text.len);
    if (text.len > 0)
        memcpy(blocks[i] + 1, text.data, text.len);
    strbuf_free(&text);
    return own;
}

static size_t find_text(struct span in, const char *what)
{
    size_t n = strlen(what), at = 0;
    while (at + n <= in.n && memcmp(in.p + at, what, n) != 0)
        at++;
    return at + n <= in.n ? at : in.n;
}

static void check_result(struct span wanted, struct span got)
{
    struct strbuf text = STRBUF_INIT;
    wanted = span_trim(wanted);
    bool is_part = wanted.n > 0 && wanted.p[0] == '~';
    table_unescape(is_part ? span_sub(wanted, 1, wanted.n) : wanted, &text);
    if (!is_part || text.len == 0 || (find_text(got, strbuf_str(&text)) == got.n))
        check_span(is_part ? "a result with the text" : "result", strbuf_span(&text), got);
    strbuf_free(&text);
}

static void call(const struct table_function *function, const struct span *in, struct strbuf *out)
{
    if (function->call != NULL)
        function->call(in, out);
    else if (function->is != NULL)
        table_add_bool(out, function->is(in[0]));
    else if (function->text != NULL)
        table_add_text(out, function->text(in[0]));
    else if (function->part != NULL)
        strbuf_add_span(out, function->part(in[0]));
    else
        strbuf_add_span(out, function->make(in[0], &table_arena));
}

/* Reads the arguments of a row. Returns their number. */
static size_t read_arguments(struct span row, struct span *arguments)
{
    size_t count = 0;
    for (struct span rest = row; count == 0 || rest.n > 0;) {
        size_t n = find_text(rest, " | ");
        arguments[count] = copy_argument(count, span_sub(rest, 0, n));
        count++;
        if (n < rest.n && n + 3 == rest.n) {
            arguments[count] = copy_argument(count, span_of("", 0));
            count++;
        }
        rest = span_sub(rest, n + 3, rest.n);
    }
    return count;
}

static void check_call(const struct table_function *function, const struct span *arguments,
                       struct span wanted)
{
    struct strbuf result = STRBUF_INIT;
    arena_init(&table_arena, 0);
    call(function, arguments, &result);
    check_result(wanted, strbuf_span(&result));
    arena_free(&table_arena);
    strbuf_free(&result);
}

static void name_row(int number, struct span text)
{
    char name[100];
    snprintf(name, sizeof name, "%s:%d: %.*s", table.file, number, (int)text.n, text.p);
    check_row(name);
}

static void run_row(const struct table_function *function, int number, struct span row)
{
    struct span arguments[TABLE_ARGUMENTS + 1] = {{NULL, 0}};
    row = span_sub(row, 0, find_text(row, "  # "));
    name_row(number, row);
    size_t arrow = find_text(row, "-> ");
    if (arrow == row.n)
        arrow = row.n - 2; /* an empty result */
    assert_true(row.n >= 2 && memcmp(row.p + arrow, "->", 2) == 0);
    struct span wanted = span_sub(row, arrow + 2, row.n);
    size_t count = read_arguments(span_sub(row, 0, arrow), arguments);
    size_t least = function->least > 0 ? function->least : 1;
    size_t most = function->most > least ? function->most : least;
    for (size_t i = 0; most == 1 && i < count; i++) {
        const struct span alone[] = {arguments[i], {NULL, 0}};
        if (count > 1)
            name_row(number, arguments[i]);
        check_call(function, alone, wanted);
    }
    if (most > 1 && check_bool("as many arguments as the function takes", true,
                               count >= least && count <= most))
        check_call(function, arguments, wanted);
    for (size_t i = 0; i < count; i++)
        test_free(blocks[i]);
}

/* Returns the name of the function in a line that begins a section, or an empty span. */
static struct span section_of(struct span line)
{
    if (line.n < 3 || memcmp(line.p, "== ", 3) != 0)
        return span_of("", 0);
    return span_sub(line, 3, span_find(line, ':') - 3);
}

static void test_function(void **state)
{
    const struct table_function *function = *state;
    struct span rest = strbuf_span(&table.text);
    struct strbuf row = STRBUF_INIT;
    bool is_ours = false;
    int rows = 0;
    if (function->missing != NULL) {
        check_skip(function->missing);
        return;
    }
    for (int line = 0, end = 0; table_next_row(&rest, &row, &end); line = end) {
        struct span text = strbuf_span(&row), name = section_of(text);
        if (name.n > 0)
            is_ours = span_eq(name, span_cstr(function->name));
        else if (is_ours && text.n > 0 && text.p[0] != '#' && ++rows > 0)
            run_row(function, line + 1, text);
    }
    strbuf_free(&row);
    check_bool("has rows", true, rows > 0);
    check_end();
}

static void test_sections(void **state)
{
    struct span rest = strbuf_span(&table.text);
    struct strbuf row = STRBUF_INIT;
    int line = 0;
    (void)state;
    while (table_next_row(&rest, &row, &line)) {
        struct span name = section_of(strbuf_span(&row));
        bool is_known = name.n == 0;
        for (size_t i = 0; i < table.count; i++)
            is_known |= table.functions[i].test == NULL &&
                        span_eq(name, span_cstr(table.functions[i].name));
        check_row_span(name);
        check_bool("a function", true, is_known);
    }
    strbuf_free(&row);
    check_end();
}

int table_run(const char *file, const struct table_function *functions, size_t count)
{
    struct CMUnitTest tests[MOST] = {{"sections", test_sections, NULL, NULL, NULL}};
    size_t n = 1;
    table.file = file;
    table.functions = functions;
    table.count = count;
    table_read(file, &table.text);
    if (1 + count > MOST)
        return 99;
    for (size_t i = 0; i < count; i++) {
        void *function = (void *)(uintptr_t)&functions[i];
        CMUnitTestFunction test = functions[i].test != NULL ? functions[i].test : test_function;
        tests[n++] = (struct CMUnitTest){functions[i].name, test, NULL, check_left, function};
    }
    int failed = _cmocka_run_group_tests(file, tests, n, NULL, NULL);
    strbuf_free(&table.text);
    return failed;
}
