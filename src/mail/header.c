/* header - see header.h */
#include "mail/header.h"

#include "mail/fold.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

/* Most headers are smaller, and have fewer fields. */
#define CHUNK_SIZE      16384
#define KEPT_FIELDS_MAX 512

void header_init(struct header *h)
{
    *h = (struct header){.count = 0};
    arena_init(&h->arena, CHUNK_SIZE);
}

void header_free(struct header *h)
{
    arena_free(&h->arena);
    free(h->fields);
    header_init(h);
}

void header_reset(struct header *h)
{
    arena_reset(&h->arena);
    if (h->capacity > KEPT_FIELDS_MAX) {
        free(h->fields);
        h->fields = NULL;
        h->capacity = 0;
    }
    memset(h->counts, 0, sizeof h->counts);
    h->count = h->octets = 0;
    h->too_large = false;
}

size_t header_wire_octets(struct span name, struct span value)
{
    size_t n = name.n + 1 + value.n + 2;
    if (value.n > 0 && !ascii_is_blank(value.p[0]) && value.p[0] != '\r' && value.p[0] != '\n')
        n++;
    for (size_t i = span_find(value, '\n'); i < value.n;
         i += 1 + span_find(span_sub(value, i + 1, value.n), '\n'))
        if (i == 0 || value.p[i - 1] != '\r')
            n++;
    return n;
}

void header_add(struct header *h, struct span name, struct span value, size_t octets)
{
    while (name.n > 0 && ascii_is_blank(name.p[name.n - 1]))
        name.n--;
    h->octets += octets;
    h->too_large = h->too_large || h->count >= HEADER_MAX_FIELDS || h->octets > HEADER_MAX_OCTETS;
    if (h->too_large)
        return;
    h->fields = array_grow(h->fields, h->count, &h->capacity, sizeof *h->fields);
    struct field *field = &h->fields[h->count++];
    field->id = field_name_find(name);
    field->name = arena_dup(&h->arena, name);
    field->value = arena_dup(&h->arena, value);
    h->counts[field->id]++;
}

size_t header_find(const struct header *h, enum field_name id, size_t from)
{
    for (size_t i = h->counts[id] == 0 ? h->count : from; i < h->count; i++)
        if (h->fields[i].id == id)
            return i;
    return h->count;
}

struct span header_text(const struct header *h, size_t place, struct arena *arena)
{
    return fold_text(h->fields[place].value, arena);
}

struct span header_first(const struct header *h, enum field_name id, struct arena *arena)
{
    size_t place = header_find(h, id, 0);
    return place == h->count ? span_of(NULL, 0) : header_text(h, place, arena);
}
