/*
 * header - see header.h
 *
 * Names and values stand one behind the other in one buffer; a slot says where.  Places, not
 * pointers, because the buffer moves when it grows.
 */
#include "mail/header.h"

#include "text/array.h"
#include "text/ascii.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct header_slot {
    uint32_t at; /* of the name; the value follows it */
    uint32_t name_length;
    uint32_t value_length;
    enum field_name id;
};

_Static_assert(2 * HEADER_MAX_OCTETS <= UINT32_MAX, "places in the text have 32 bits");

void header_init(struct header *h)
{
    memset(h, 0, sizeof *h);
    strbuf_init(&h->text);
}

void header_free(struct header *h)
{
    if (h == NULL)
        return;
    enum field_name beyond = h->beyond;
    strbuf_free(&h->text);
    free(h->slots);
    header_init(h);
    h->beyond = beyond;
}

void header_reset(struct header *h)
{
    strbuf_reset(&h->text);
    h->count = 0;
    h->beyond_count = 0;
    memset(h->counts, 0, sizeof h->counts);
    h->total = 0;
    h->octets = 0;
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

/* What is kept of a value beyond the limits; false: nothing. */
static bool keep_beyond(struct header *h, enum field_name id, struct span *value)
{
    if (id != h->beyond || id == FIELD_OTHER || h->beyond_count == HEADER_MAX_BEYOND)
        return false;
    h->beyond_count++;
    *value = span_sub(*value, 0, HEADER_MAX_BEYOND_OCTETS);
    return true;
}

void header_add(struct header *h, struct span name, struct span value, size_t octets)
{
    while (name.n > 0 && ascii_is_blank(name.p[name.n - 1]))
        name.n--;
    enum field_name id = field_name_find(name);
    h->octets += octets;
    h->total++;
    h->counts[id]++;
    h->too_large = h->too_large || h->count >= HEADER_MAX_FIELDS || h->octets > HEADER_MAX_OCTETS;
    if (h->too_large && !keep_beyond(h, id, &value))
        return;
    size_t at = h->text.len;
    strbuf_add_span(&h->text, name);
    strbuf_add_span(&h->text, value);
    h->slots = array_grow(h->slots, h->count, &h->capacity, sizeof *h->slots);
    struct header_slot *slot = &h->slots[h->count++];
    slot->at = (uint32_t)at;
    slot->name_length = (uint32_t)name.n;
    slot->value_length = (uint32_t)value.n;
    slot->id = id;
}

size_t header_count(const struct header *h)
{
    return h->count;
}

size_t header_whole_count(const struct header *h)
{
    return h->count - h->beyond_count;
}

struct field header_field(const struct header *h, size_t i)
{
    const struct header_slot *slot = &h->slots[i];
    const char *text = strbuf_str(&h->text) + slot->at;
    struct field field = {slot->id, span_of(text, slot->name_length),
                          span_of(text + slot->name_length, slot->value_length)};
    return field;
}

size_t header_find(const struct header *h, enum field_name id, size_t from)
{
    for (size_t i = h->counts[id] == 0 ? h->count : from; i < h->count; i++)
        if (h->slots[i].id == id)
            return i;
    return h->count;
}

size_t header_count_of(const struct header *h, enum field_name id)
{
    return h->counts[id];
}
