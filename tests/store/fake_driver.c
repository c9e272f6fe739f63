/* fake_driver - see fake_driver.h; a transaction that fails is not undone */
#include "fake_driver.h"

#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

struct fake_list {
    struct fake_list *next;
    uint64_t last;
    char name[];
};

struct fake_post {
    struct fake_post *next;
    const struct fake_list *list;
    uint64_t number;
    unsigned char key[POST_KEY_OCTETS];
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS];
    unsigned char first[POST_FINGERPRINT_OCTETS];
};

struct database {
    bool fails;
    struct fake_list *lists;
    struct fake_post *posts;
};

struct fake_hooks fake_hooks;

static struct database *fake_new(const char *where, bool read_only)
{
    struct database *db = memory_new(1, sizeof *db);
    (void)read_only;
    db->fails = strcmp(where, "failing") == 0;
    return db;
}

static void fake_free(struct database *db)
{
    while (db->lists != NULL) {
        struct fake_list *l = db->lists;
        db->lists = l->next;
        free(l);
    }
    while (db->posts != NULL) {
        struct fake_post *p = db->posts;
        db->posts = p->next;
        free(p);
    }
    free(db);
    if (fake_hooks.free != NULL)
        fake_hooks.free();
}

static int fake_open(struct database *db, struct store_error *error)
{
    if (fake_hooks.open != NULL && fake_hooks.open(error) != 0)
        return -1;
    return db->fails ? store_fail(error, "failing: as asked") : 0;
}

static void fake_close(struct database *db)
{
    (void)db;
}

static struct fake_list *find_list(const struct database *db, const char *name)
{
    struct fake_list *l = db->lists;
    while (l != NULL && strcmp(l->name, name) != 0)
        l = l->next;
    return l;
}

/* The post itself, or else any post with its key. */
static struct fake_post *find_post(const struct database *db, const struct query *q)
{
    const struct fake_list *list = find_list(db, q->list);
    struct fake_post *any = NULL;
    for (struct fake_post *p = db->posts; p != NULL; p = p->next) {
        if (p->list != list || memcmp(p->key, q->key, sizeof p->key) != 0)
            continue;
        any = p;
        if (memcmp(p->fingerprint, q->fingerprint, sizeof p->fingerprint) == 0)
            return p;
    }
    return any;
}

static void add_list(struct database *db, const char *name)
{
    struct fake_list *l;
    if (find_list(db, name) != NULL)
        return;
    l = memory_new(1, sizeof *l + strlen(name) + 1);
    strcpy(l->name, name);
    l->next = db->lists;
    db->lists = l;
}

static void put_post(struct database *db, const struct query *q)
{
    struct fake_post *p = find_post(db, q);
    if (p == NULL || memcmp(p->fingerprint, q->fingerprint, sizeof p->fingerprint) != 0) {
        p = memory_new(1, sizeof *p);
        p->list = find_list(db, q->list);
        memcpy(p->key, q->key, sizeof p->key);
        memcpy(p->fingerprint, q->fingerprint, sizeof p->fingerprint);
        memcpy(p->first, q->first != NULL ? q->first : q->fingerprint, sizeof p->first);
        p->next = db->posts;
        db->posts = p;
    }
    p->number = q->number;
}

static void run_one(struct database *db, struct query *q)
{
    struct fake_list *list = q->list != NULL ? find_list(db, q->list) : NULL;
    const struct fake_post *post;
    q->rows = list != NULL;
    switch (q->statement) {
    case STATEMENT_LOOK_LIST:
    case STATEMENT_GET_LIST:
        q->numbers[0] = list != NULL ? list->last : 0;
        break;
    case STATEMENT_ADD_LIST:
        add_list(db, q->list);
        break;
    case STATEMENT_SET_LIST:
        list->last = q->number;
        break;
    case STATEMENT_GET_POST:
        post = find_post(db, q);
        q->rows = post != NULL;
        if (post == NULL)
            break;
        q->numbers[1] = memcmp(post->fingerprint, q->fingerprint, sizeof post->fingerprint) == 0;
        q->numbers[0] = q->numbers[1] != 0 ? post->number : 0;
        memcpy(q->found, post->first, sizeof q->found);
        break;
    case STATEMENT_PUT_POST:
        put_post(db, q);
        break;
    default:
        break;
    }
}

static int fake_run(struct database *db, struct query *queries, size_t count,
                    struct store_error *error)
{
    if (fake_hooks.run != NULL && fake_hooks.run(queries, count, error) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        run_one(db, &queries[i]);
    return 0;
}

const struct driver fake_driver = {
    .create = fake_new,
    .free = fake_free,
    .open = fake_open,
    .close = fake_close,
    .run = fake_run,
};
