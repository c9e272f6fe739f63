/*
 * The messages of an mbox file (RFC 4155; "mboxo" and "mboxrd").
 *
 *   mbox    = *( from-line *line empty-line )
 *
 * A line that begins with "From " begins a message if it is the first one or an empty line stands
 * before it.  Lines of a body that look so are ">From " in both flavours; that quoting need not be
 * undone, since bodies are skipped.  Content-Length, by which "mboxcl" and "mboxcl2" skip bodies,
 * is not looked at: it is wrong in every file that was edited.
 */
#include "ctl/archive/archive.h"

#include "ctl/report.h"
#include "text/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define BLOCK_OCTETS ((size_t)128 * 1024)

/* So much of a line is there when it is looked at, unless it is shorter. */
#define LOOK_OCTETS 8

enum place { BEFORE_FIRST, IN_FROM_LINE, IN_HEADER, IN_BODY };

struct mbox {
    int fd;
    const char *path;
    const struct archive_visitor *visitor;
    uint64_t size; /* 0: not known */

    char *block;
    size_t begin; /* what was read and not gone through */
    size_t end;
    uint64_t offset; /* of block[begin] in the file */
    bool at_end;

    enum place place;
    bool at_line_start;
    bool after_empty_line; /* or at the start */
    struct strbuf header;
    uint64_t message_offset;
    uint64_t messages;
    uint64_t lines; /* above the first header */
    bool is_lone;   /* the file is one message */
};

/* Reads until there is enough to look at a line. EX_OK, ARCHIVE_STOPPED or EX_OSERR. */
static int fill(struct mbox *m)
{
    memmove(m->block, m->block + m->begin, m->end - m->begin);
    m->end -= m->begin;
    m->begin = 0;
    while (m->end < LOOK_OCTETS && !m->at_end) {
        ssize_t n = read(m->fd, m->block + m->end, BLOCK_OCTETS - m->end);
        if (n < 0 && errno != EINTR) {
            report_error("%s: %s", m->path, strerror(errno));
            return EX_OSERR;
        }
        if (n >= 0) {
            m->end += (size_t)n;
            m->at_end = n == 0;
        }
        if (!m->visitor->go_on(m->visitor->context, m->offset + m->end, m->size))
            return ARCHIVE_STOPPED;
    }
    return EX_OK;
}

static bool begins_with(struct span line, const char *text)
{
    struct span start = span_cstr(text);
    return span_eq(span_sub(line, 0, start.n), start);
}

static bool is_empty_line(struct span line)
{
    return line.n > 0 &&
           (line.p[0] == '\n' || (line.n > 1 && line.p[0] == '\r' && line.p[1] == '\n'));
}

/* at_end: with the file, not with an empty line. */
static int end_header(struct mbox *m, bool at_end)
{
    struct archive_message message = {
        .header = strbuf_span(&m->header),
        .file = span_cstr(m->path),
        .offset = m->message_offset,
        .line = m->messages == 0 ? m->lines + 1 : 0,
        .is_lone = m->is_lone,
        .is_cut = at_end && !m->is_lone,
    };
    message.has_offset = !m->is_lone;
    m->place = IN_BODY;
    m->messages++;
    return m->visitor->message(m->visitor->context, &message);
}

/* What a line is, from its beginning. */
static int look_at_line(struct mbox *m, struct span line)
{
    if (m->after_empty_line && !m->is_lone && begins_with(line, "From ")) {
        m->place = IN_FROM_LINE;
        m->message_offset = m->offset;
        strbuf_reset(&m->header);
        return EX_OK;
    }
    if (m->place == BEFORE_FIRST && !is_empty_line(line) && m->visitor->takes_messages) {
        m->is_lone = true;
        m->place = IN_HEADER;
        /* An empty line in front of it all ends a header without fields. */
        return m->lines > 0 ? end_header(m, false) : EX_OK;
    }
    if (m->place == BEFORE_FIRST && !is_empty_line(line)) {
        report_error("%s: not an mbox (expected a line that begins with \"From \")", m->path);
        return EX_DATAERR;
    }
    if (m->place == IN_HEADER && is_empty_line(line))
        return end_header(m, false);
    /* A quoted "From " line of an older mailbox above the fields. */
    if (m->place == IN_HEADER && m->header.len == 0 && begins_with(line, ">From "))
        m->place = IN_FROM_LINE;
    return EX_OK;
}

static const char *line_start(const char *start, const char *p)
{
    while (p > start && p[-1] != '\n')
        p--;
    return p;
}

/* No line without a blank begins a message, and an attachment has hardly any other: skips those,
 * but the last one, as it may be empty and the line behind it, which has the blank, begin a
 * message. */
static const char *skip_blankless(const char *start, const char *end)
{
    const char *blank = memchr(start, ' ', (size_t)(end - start));
    const char *p = line_start(start, blank != NULL ? blank : end);
    return p > start ? line_start(start, p - 1) : p;
}

/* Of a header or a body: what was read up to a line that may be empty, so that most lines cost one
 * memchr or less. Else a line, or as much of it as was read. */
static struct span next_piece(const struct mbox *m)
{
    const char *start = m->block + m->begin;
    const char *end = m->block + m->end;
    const char *p = start;
    bool many = (m->place == IN_HEADER || m->place == IN_BODY) &&
                !(m->at_line_start && is_empty_line(span_of(start, (size_t)(end - start))));
    if (many && m->place == IN_BODY)
        p = skip_blankless(start, end);
    if (p == start) {
        p = memchr(start, '\n', (size_t)(end - start));
        while (many && p != NULL && p + 1 < end && p[1] != '\n' && p[1] != '\r')
            p = memchr(p + 1, '\n', (size_t)(end - p - 1));
        p = p != NULL ? p + 1 : end;
    }
    return span_of(start, (size_t)(p - start));
}

static void take_piece(struct mbox *m, struct span piece)
{
    bool is_end = piece.p[piece.n - 1] == '\n';
    if (m->place == IN_HEADER)
        strbuf_add_span(&m->header, span_sub(piece, 0, ARCHIVE_HEADER_OCTETS - m->header.len));
    if (m->place == BEFORE_FIRST || m->place == IN_FROM_LINE)
        m->lines += is_end && m->messages == 0;
    if (m->place == IN_FROM_LINE && is_end)
        m->place = IN_HEADER;
    m->after_empty_line = m->at_line_start && is_empty_line(piece);
    m->at_line_start = is_end;
    m->begin += piece.n;
    m->offset += piece.n;
}

static int go_through(struct mbox *m)
{
    int status = EX_OK;
    while (status == EX_OK) {
        if (m->end - m->begin < LOOK_OCTETS && !m->at_end) {
            status = fill(m);
            continue;
        }
        if (m->begin == m->end)
            break;
        if (m->at_line_start)
            status = look_at_line(m, span_of(m->block + m->begin, m->end - m->begin));
        take_piece(m, next_piece(m));
    }
    /* The last header may lack the empty line behind it. */
    if (status == EX_OK && (m->place == IN_HEADER || m->place == IN_FROM_LINE))
        status = end_header(m, true);
    return status;
}

int mbox_each(int fd, const char *path, const struct archive_visitor *visitor)
{
    struct mbox m = {
        .fd = fd,
        .path = path,
        .visitor = visitor,
        .at_line_start = true,
        .after_empty_line = true,
        .header = STRBUF_INIT,
    };
    struct stat st;
    int status;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        m.size = (uint64_t)st.st_size;
    m.block = memory_new(1, BLOCK_OCTETS);
    status = go_through(&m);
    free(m.block);
    strbuf_free(&m.header);
    return status;
}
