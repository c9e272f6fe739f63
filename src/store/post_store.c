/* post_store - see post_store.h */
#include "store/post_store.h"

#include <stdio.h>
#include <string.h>

int post_ask_store(struct store *store, const struct selection *selection, const struct post *post,
                   bool look_only, struct post_record *record, struct store_error *error)
{
    struct store_post request = {.list = selection->list->id, .numbered = post->number_from_store};
    struct store_answer answer;
    int result = -1;
    memset(record, 0, sizeof *record);
    record->state = RECORD_FAILED;
    memcpy(request.key, post->key, sizeof request.key);
    memcpy(request.fingerprint, post->fingerprint, sizeof request.fingerprint);
    if (store == NULL) {
        snprintf(error->text, sizeof error->text, "it is not open");
    } else {
        bool look = look_only || post_refuses_reuse(selection, post);
        if (look)
            result = store_look_up(store, &request, &answer, error);
        if (!look || (result == 0 && !look_only && !answer.reused))
            result = store_assign(store, &request, &answer, error);
    }
    if (result != 0)
        return -1;
    record->state = answer.is_new ? RECORD_NEXT : RECORD_FOUND;
    record->number = answer.number;
    record->reused = answer.reused;
    memcpy(record->first_fingerprint, answer.first_fingerprint, sizeof record->first_fingerprint);
    return 0;
}
