/* encoded_word: RFC 2047 2 */
#include "spec/encoded_word.h"

#include "check.h"
#include "generated.h"

/* A program takes a written word for one, whatever follows. */
static void test_words_are_seen(void **state)
{
    struct generator g = {2047};
    char buffer[ENCODED_WORD_OCTETS];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct span text = generated_octets(&g, buffer, sizeof(buffer));
        struct strbuf word = STRBUF_INIT;

        check_row_span(text);
        encoded_word_add(&word, text);
        strbuf_add_str(&word, round % 2 == 0 ? " ?=" : "");
        check_bool("seems to be one", true, encoded_word_seems(strbuf_span(&word)));
        strbuf_free(&word);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
