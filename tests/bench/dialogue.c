#include "dialogue.h"

#include <arpa/inet.h>
#include <libmilter/mfdef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define DIGITS     11 /* of a message's number, as many as a queue id of Postfix has */
#define NUMBER     "00000000000"
#define BODY_LINES 31 /* 2,000 bytes */

/* Version 6, all actions and all steps, as Postfix 3.7 offers them. */
const char dialogue_offer[17] = "\0\0\0\rO\0\0\0\6\0\0\1\377\0\37\377\377";

/* Postfix' own lists of macros by stage (SMFIM_ in mfapi.h), and the command of each. */
static const struct {
    char command;
    const char *names;
} own_macros[DIALOGUE_STAGES] = {
    {'C', "j {daemon_name} {daemon_addr} v _"},
    {'H', ""},
    {'M', "{mail_addr} {mail_host} {mail_mailer}"},
    {'R', "i {rcpt_addr} {rcpt_host} {rcpt_mailer}"},
    {'T', "i"},
    {'E', "i"},
    {'N', "i"},
};

/* Fields of a post besides From, To, Message-ID and those that are not asked for. */
static const char *const ordinary[][2] = {
    {"Date", "Wed, 04 Jul 2007 16:49:58 +0900"},
    {"Subject", "Re: The minutes of the last meeting, and where to have the next one"},
    {"Received", "from out.example.net (out.example.net [192.0.2.10])\n\tby lists.example.org "
                 "(Postfix) with ESMTPS id 4QwTz31pQ7z9sRK\n\tfor <announce@lists.example.org>; "
                 "Wed, 04 Jul 2007 07:50:01 +0000 (UTC)"},
    {"Received", "from [10.0.0.7] (dsl-7.example.net [203.0.113.7])\n\t(using TLSv1.3 with cipher "
                 "TLS_AES_256_GCM_SHA384 (256/256 bits))\n\tby out.example.net (Postfix) with "
                 "ESMTPSA id 4QwTz21aB2zXYZ;\n\tWed, 04 Jul 2007 07:49:59 +0000 (UTC)"},
    {"MIME-Version", "1.0"},
    {"Content-Type", "text/plain; charset=utf-8; format=flowed"},
    {"Content-Transfer-Encoding", "8bit"},
    {"In-Reply-To", "<4d5f.8c21@mail.example.com>"},
    {"References", "<11aa.22bb@mail.example.com>\n <33cc.44dd@mail.example.org>\n "
                   "<4d5f.8c21@mail.example.com>"},
    {"User-Agent", "Mutt/2.2.9 (2022-11-12)"},
    {"DKIM-Signature",
     "v=1; a=rsa-sha256; c=relaxed/simple; d=example.net; s=mail;\n\tt=1183535398; "
     "bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;\n\th=From:To:Subject:Date;\n\t"
     "b=pWzOq1Yl0d6i9Hw5n2Uu3mN0bXv8kq7Jt4rGfEoC1aLsD6yTzRxQwPvMnBkHjUiOp\n\t "
     "l9k8j7h6g5f4d3s2a1Qw2Er4Ty6Ui8Op0As9Df7Gh5Jk3Lz1Xc2Vb4Nm6Qa8Zw0S="},
    {"Cc", "A Reader <reader@example.com>, \"Somebody Else\" <else@example.org>"},
    {"Reply-To", "A Poster <poster@example.net>"},
    {"X-Mailman-Version", "3.3.8"},
    {"Precedence", "list"},
    {"Sender", "announce-bounces@lists.example.org"},
    {"Content-Language", "en-GB"},
    {"Organization", "The Example Society"},
    {"X-Spam-Status", "No, score=-1.2 required=5.0 tests=ALL_TRUSTED,DKIM_SIGNED"},
    {"X-Virus-Scanned", "at mail.example.net"},
    {"Thread-Topic", "The minutes of the last meeting"},
    {"X-Originating-IP", "[203.0.113.7]"},
    {"X-Mailer", "what others put into a header, of an ordinary length"},
};

static void fail(const char *text)
{
    fprintf(stderr, "load: %s\n", text);
    exit(EX_SOFTWARE);
}

static void add(struct dialogue *d, const char *octets, size_t n)
{
    if (d->room - d->n < n) {
        d->room = (d->room + n) * 2;
        d->octets = realloc(d->octets, d->room);
        if (d->octets == NULL)
            fail("out of memory");
    }
    if (n > 0)
        memcpy(d->octets + d->n, octets, n);
    d->n += n;
}

/* A text with its NUL; NUMBER in it is replaced in each message. */
static void add_text(struct dialogue *d, const char *text)
{
    const char *number = strstr(text, NUMBER);
    if (number != NULL) {
        if (d->number_count == DIALOGUE_NUMBERS)
            fail("too many fields");
        d->numbers[d->number_count++] = d->n + (size_t)(number - text);
    }
    add(d, text, strlen(text) + 1);
}

static size_t open_packet(struct dialogue *d, char command)
{
    size_t at = d->n;
    add(d, "\0\0\0\0", 4);
    add(d, &command, 1);
    return at;
}

static void close_packet(struct dialogue *d, size_t at)
{
    uint32_t size = htonl((uint32_t)(d->n - at - 4));
    memcpy(d->octets + at, &size, 4);
}

static const char *macro_value(const char *name, const struct dialogue_mail *mail)
{
    const struct {
        const char *name, *value;
    } known[] = {
        {"i", NUMBER},
        {"j", "mx.example.org"},
        {"v", "Postfix 3.7.11"},
        {"_", "unknown [192.0.2.25]"},
        {"{daemon_name}", "mx.example.org"},
        {"{daemon_addr}", "127.0.0.1"},
        {"{client_addr}", mail->client},
        {"{mail_addr}", mail->sender},
        {"{mail_host}", "example.org"},
        {"{mail_mailer}", "smtp"},
        {"{rcpt_addr}", mail->recipient},
        {"{rcpt_host}", "example.org"},
        {"{rcpt_mailer}", "smtp"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].value;
    return NULL;
}

/* The macros in front of a command, an empty packet too. Fields and the body have those of the end
 * of the header; `i` is not known before the first recipient was accepted. */
static void add_macros(struct dialogue *d, char command, const struct dialogue_terms *t,
                       const struct dialogue_mail *mail)
{
    char list[256], *rest = NULL;
    size_t packet = open_packet(d, 'D'), stage = 0;
    while (own_macros[stage].command != (command == 'L' || command == 'B' ? 'N' : command))
        stage++;
    snprintf(list, sizeof list, "%s",
             t->macros[stage][0] != '\0' ? t->macros[stage] : own_macros[stage].names);
    add(d, &command, 1);
    for (char *name = strtok_r(list, " ,", &rest); name; name = strtok_r(NULL, " ,", &rest)) {
        const char *value = macro_value(name, mail);
        if (value == NULL || (strcmp(name, "i") == 0 && strchr("CHMR", command) != NULL))
            continue;
        add_text(d, name);
        add_text(d, value);
    }
    close_packet(d, packet);
}

static void end_burst(struct dialogue *d, char stage, bool answered)
{
    if (d->burst_count == DIALOGUE_BURSTS)
        fail("too many packets that are answered");
    d->bursts[d->burst_count++] =
        (struct dialogue_burst){.end = d->n, .stage = stage, .answered = answered};
}

static void end_step(struct dialogue *d, size_t packet, char command,
                     const struct dialogue_terms *t, unsigned long no_reply)
{
    close_packet(d, packet);
    if ((t->steps & no_reply) == 0)
        end_burst(d, command, true);
}

void dialogue_of_session(struct dialogue *d, const struct dialogue_terms *t,
                         const struct dialogue_mail *mail)
{
    size_t packet;
    add_macros(d, 'C', t, mail);
    if ((t->steps & SMFIP_NOCONNECT) == 0) {
        packet = open_packet(d, 'C');
        add_text(d, "[192.0.2.25]");
        add(d, "4\234\100", 3);
        add_text(d, mail->client);
        end_step(d, packet, 'C', t, SMFIP_NR_CONN);
    }
    add_macros(d, 'H', t, mail);
    if ((t->steps & SMFIP_NOHELO) == 0) {
        packet = open_packet(d, 'H');
        add_text(d, "client.example");
        end_step(d, packet, 'H', t, SMFIP_NR_HELO);
    }
}

static void add_address(struct dialogue *d, char command, const struct dialogue_terms *t,
                        const char *address, unsigned long left_out, unsigned long no_reply)
{
    char text[320];
    size_t packet;
    if ((t->steps & left_out) != 0)
        return;
    packet = open_packet(d, command);
    snprintf(text, sizeof text, "<%s>", address);
    add_text(d, text);
    end_step(d, packet, command, t, no_reply);
}

static void add_field(struct dialogue *d, const struct dialogue_terms *t,
                      const struct dialogue_mail *mail, const char *name, const char *value)
{
    size_t packet;
    add_macros(d, 'L', t, mail);
    packet = open_packet(d, 'L');
    add_text(d, name);
    if ((t->steps & SMFIP_HDR_LEADSPC) != 0)
        add(d, " ", 1);
    add_text(d, value);
    end_step(d, packet, 'L', t, SMFIP_NR_HDR);
}

static void add_header(struct dialogue *d, const struct dialogue_terms *t,
                       const struct dialogue_mail *mail)
{
    char text[320];
    add_field(d, t, mail, "From", "A Poster <poster@example.net>");
    snprintf(text, sizeof text, "<%s>", mail->recipient);
    add_field(d, t, mail, "To", text);
    add_field(d, t, mail, "Message-ID", "<20070704." NUMBER "@mail.example.net>");
    if (mail->list_id != NULL)
        add_field(d, t, mail, "List-Id", mail->list_id);
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++)
        add_field(d, t, mail, ordinary[i][0], ordinary[i][1]);
}

static void add_body(struct dialogue *d, const struct dialogue_terms *t,
                     const struct dialogue_mail *mail)
{
    static const char line[] =
        "A line of a message, of an ordinary length, with nothing in it.\r\n";
    size_t packet;
    add_macros(d, 'B', t, mail);
    packet = open_packet(d, 'B');
    for (int i = 0; i < BODY_LINES; i++)
        add(d, line, sizeof line - 1);
    end_step(d, packet, 'B', t, SMFIP_NR_BODY);
}

void dialogue_of_message(struct dialogue *d, const struct dialogue_terms *t,
                         const struct dialogue_mail *mail)
{
    size_t packet = open_packet(d, 'A');
    close_packet(d, packet);
    d->begin = d->n;
    add_macros(d, 'M', t, mail);
    add_address(d, 'M', t, mail->sender, SMFIP_NOMAIL, SMFIP_NR_MAIL);
    add_macros(d, 'R', t, mail);
    add_address(d, 'R', t, mail->recipient, SMFIP_NORCPT, SMFIP_NR_RCPT);
    add_macros(d, 'T', t, mail);
    if ((t->steps & SMFIP_NODATA) == 0) {
        packet = open_packet(d, 'T');
        end_step(d, packet, 'T', t, SMFIP_NR_DATA);
    }
    /* smtpd hands the socket over to cleanup, and keeps nothing back. */
    if (d->burst_count == 0 || d->bursts[d->burst_count - 1].end != d->n)
        end_burst(d, 'T', false);
    if ((t->steps & SMFIP_NOHDRS) == 0)
        add_header(d, t, mail);
    if ((t->steps & SMFIP_NOEOH) == 0) {
        add_macros(d, 'N', t, mail);
        packet = open_packet(d, 'N');
        end_step(d, packet, 'N', t, SMFIP_NR_EOH);
    }
    if ((t->steps & SMFIP_NOBODY) == 0)
        add_body(d, t, mail);
    add_macros(d, 'E', t, mail);
    packet = open_packet(d, 'E');
    close_packet(d, packet);
    end_burst(d, 'E', true);
}

void dialogue_free(struct dialogue *d)
{
    free(d->octets);
    *d = (struct dialogue){.octets = NULL};
}

void dialogue_set_number(struct dialogue *d, uint64_t number)
{
    char digits[DIGITS + 1];
    snprintf(digits, sizeof digits, "%011llX", (unsigned long long)number & 0xfffffffffffULL);
    for (unsigned i = 0; i < d->number_count; i++)
        memcpy(d->octets + d->numbers[i], digits, DIGITS);
}

static uint32_t number_at(const char *data)
{
    uint32_t n;
    memcpy(&n, data, 4);
    return ntohl(n);
}

bool dialogue_read_terms(struct dialogue_terms *t, const char *data, size_t n)
{
    *t = (struct dialogue_terms){.steps = 0};
    if (n < 12 || number_at(data) != 6 || (number_at(data + 4) & ~0x1ffU) != 0 ||
        (number_at(data + 8) & ~0x1fffffU) != 0)
        return false;
    t->steps = number_at(data + 8);
    for (data += 12, n -= 12; n > 4;) {
        uint32_t stage = number_at(data);
        size_t length = strnlen(data + 4, n - 4);
        if (stage >= DIALOGUE_STAGES || length == n - 4 || length >= sizeof t->macros[stage])
            return false;
        memcpy(t->macros[stage], data + 4, length + 1); /* Postfix heeds no empty list */
        data += 4 + length + 1;
        n -= 4 + length + 1;
    }
    return n == 0;
}
