/* question - see store.h */
#include "store/store.h"

#include <string.h>

/* Asks the store, or else the numbers. Returns 0, or -1 with *error. */
static int ask(struct store *store, struct numbers *numbers, struct store_question *question,
               struct store_error *error)
{
    int result = store != NULL     ? store_ask(store, question, error)
                 : numbers != NULL ? numbers_ask(numbers, &question, 1, error)
                                   : store_fail(error, "it is not open");
    if (result == 0 && question->answer.is_used_up)
        return store_fail(error, "%s: the list has used up its numbers", question->list);
    return result;
}

int post_ask(struct store *store, struct numbers *numbers, const struct selection *selection,
             const struct post *post, struct post_record *record, struct store_error *error)
{
    struct store_question question = {.numbered = post->number_source == NUMBER_FROM_STORE};
    question.wish = post_refuses_reuse(selection, post) ? STORE_ASSIGN_IF_FIRST : STORE_ASSIGN;
    memcpy(question.key, post->key, sizeof question.key);
    memcpy(question.fingerprint, post->fingerprint, sizeof question.fingerprint);
    *record = (struct post_record){.state = RECORD_FAILED};
    if (numbers_copy_list(question.list, selection->list->id, error) != 0 ||
        ask(store, numbers, &question, error) != 0)
        return -1;
    *record = (struct post_record){RECORD_KNOWN, question.answer};
    return 0;
}
