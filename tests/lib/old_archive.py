"""Folders of old web archives as Pipermail of two ages and Hypermail wrote them, with the Message-ID that each page's
post had; and the known answers of ids on pages (RULINGS 124).

A post is a dict: id (the value of its Message-ID, bytes; None: it has none), subject, second (of one minute), address,
body. made() is the id that Pipermail makes for a post without one."""

import os
import re
from urllib.parse import quote

from known import hash_of  # noqa: F401

LINK = '<LINK REL="made" HREF="mailto:dev%40l.example'
MADE = b"<mailman.0.1795828337.16534.dev@example.org>"

# A page above the body of its post; the bare id, or why there is no line.
NONE, IS_MADE, LOST, TWO = "no id of their own", "the archiver made the id", "the id is empty, hidden or too long", "two ids"
KNOWN = [
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=%3Cp1%40a.example%3E">', b"p1@a.example"),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=%3C50%25off%40a.example%3E">', b"50%off@a.example"),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=%3Ca/b%2Bc%3D%40a.example%3E">', b"a/b+c=@a.example"),
    (LINK + '?Subject=x&In-Reply-To=p1%40a.example">', NONE),
    (LINK + '?Subject=x&In-Reply-To=">', NONE),
    ('<LINK REL="made" HREF="mailto:ann%40a.example">', NONE),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=b1%40a.example">', b"b1@a.example"),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=%3Cb1%40a.example%3E%20%20">', b"b1@a.example"),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=%3Ca4%40a.example%3E%20%28added%20by%20x%29">', b"<a4@a.example> (added by x)"),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=%3Ccaf%E9%40a.example%3E">', b"caf\xe9@a.example"),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=' + quote(MADE) + '">', IS_MADE),
    (LINK + '?Subject=Re%3A%20x&In-Reply-To=">', LOST),
    (LINK + '?Subject=Re:%20Re%3A%20x&In-Reply-To=%0A%20%3Cf1%40a.example%3E">', b"f1@a.example"),
    (LINK + '?Subject=Re: x&amp;in-reply-to=%3Cp1%40a.example%3E">', b"p1@a.example"),
    (LINK.lower().replace(" href", "\n  href") + '?subject=Re: x&In-Reply-To=%3Cp1%40a.example%3E">', b"p1@a.example"),
    (LINK + '?Subject=RE%3A%20x&In-Reply-To=%3Cp1%40a.example%3E">', NONE),
    ("<!--X-Message-Id: p1@a.example -->", b"p1@a.example"),
    ("<!--X-Message-Id: x&#45;&#45;y@a.example -->", b"x--y@a.example"),
    ("<!--X-Message-Id: a&#38;b@a.example -->", b"a&b@a.example"),
    ("<!--X-Message-Id: a&#38;#45;b@a.example -->", b"a&#45;b@a.example"),
    ("<!--X-Message-Id: a&#256;b&#x2d;&amp;@a.example -->", b"a&#256;b&#x2d;&amp;@a.example"),
    ("<!--X-Message-Id: &#60;a2@a.example -->", b"<a2@a.example"),
    ("<!--X-Message-Id:   a@b  -->", b"  a@b "),
    ("<!--X-Message-Id: caf\xc3\xa9@a.example -->", b"caf\xc3\xa9@a.example"),
    ("<!--X-Message-Id: 950169fa8798f3f012755da019d0a1e8@NO&#45;ID&#45;FOUND.mhonarc.org -->", IS_MADE),
    ("<!--X-Message-Id:  -->", LOST),
    ("<!--X-Message-Id: -->\n<!--X-Date: x -->", LOST),
    ('<!-- id="p1@a.example" -->', b"p1@a.example"),
    ('<!-- id="p1_at_a.example" -->', b"p1@a.example"),
    ('<!-- id="x&ndash;y&ndash;&ndash;z_at_a.example" -->', b"x-y--z@a.example"),
    ('<!-- id="a&amp;&#45;b_at_a.example" -->', b"a&amp;&#45;b@a.example"),
    ('<!-- id="x_at_y_at_a.example" -->', LOST),
    ('<!-- id="BOZO" -->', LOST),
    ('<!-- id="k1.domain.name.hidden" -->', LOST),
    ('<!-- id="caf?_at_a.example" -->', LOST),
    ("<!--X-Message-Id: " + "x" * 998 + " -->", b"x" * 998),
    ("<!--X-Message-Id: " + "x" * 999 + " -->", LOST),
    ('<!--X-Subject: <!-- id="evil@a.example" -->\n<!--X-Message-Id: p1@a.example -->', TWO),
    ("<!--X-Message-Id: p1@a.example -->\n<!--X-Message-Id: p1@a.example -->", TWO),
]
BODIES = ["<!--X-Head-End-->", "<!--X-Body-Begin-->", '<!-- body="start" -->', "<!--beginarticle-->"]
FORGED = '%s\n<!--X-Message-Id: evil@a.example -->\n<!-- id="evil@a.example" -->\n' % (
    LINK + '?Subject=Re%3A%20x&In-Reply-To=%3Cevil%40a.example%3E">')


def bare(value):
    """The id as it is hashed, of the value of a Message-ID."""
    value = re.sub(rb"\r?\n(?=[ \t])", b"", value).strip(b" \t\r\n")
    return value[1:-1] if len(value) > 1 and value[:1] == b"<" and value[-1:] == b">" else value


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode("latin-1"))


def post(number, **more):
    """A post of its own second and author."""
    return dict({"id": b"<%d@a.example>" % number, "subject": "Tea %d" % number, "second": number,
                 "address": "ann%d at a.example" % number, "body": "The kettle is on.\n"}, **more)


def when(one, zone=""):
    return "Tue Mar  1 10:%02d:%02d %s2005" % (one["second"] // 60, one["second"] % 60, zone)


def pipermail_page(one, is_new, parent=b""):
    """is_new: of Mailman 2.1.10 and later, with the id of the post, else with that of its parent."""
    answered = (one["id"] or MADE) if is_new else parent.strip(b"<>")
    subject = re.sub("^Re: ", "", one["subject"])
    subject = ("Re: " if is_new else "") + subject  # an old Pipermail strips every "Re: "
    uri = "mailto:dev%%40l.example?Subject=%s&In-Reply-To=%s" % (quote(subject), quote(answered))
    return """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">
<HTML>
 <HEAD>
   <TITLE> x
   </TITLE>
   <LINK REL="Index" HREF="index.html" >
   <LINK REL="made" HREF="%s">
   <META NAME="robots" CONTENT="index,nofollow">
 </HEAD>
 <BODY BGCOLOR="#ffffff">
   <H1>x</H1>
    <B>Ann</B>%s
    <A HREF="%s"
       TITLE="x">%s
       </A><BR>
    <I>%s</I>
    <P><UL>
        <LI><A HREF="date.html#%d">[ date ]</a>
    </UL>
    <HR>
<!--beginarticle-->
<PRE>%s</PRE>
<!--endarticle-->
</BODY></HTML>
""" % (uri, " ", uri, one["address"], when(one, "CET "), one["second"], one["body"])


def month_text(posts):
    return b"".join(b"From %s  %s\n%sDate: Tue, 1 Mar 2005 10:00:00 +0100\n\n%s\n" % (
        one["address"].encode("latin-1"), when(one).encode(), b"" if one["id"] is None else b"Message-ID: " + one["id"] + b"\n",
        one["body"].encode("latin-1")) for one in posts)


def hypermail_page(one):
    """As Hypermail 2.4 writes it, which cuts comments off, and hides "@"."""
    shown = bare(one["id"]).decode("latin-1")
    if "--" in shown:
        shown = shown.replace("-", "&ndash;")
    return """<!DOCTYPE html>
<html><head><title>x</title></head><body>
<h1>x</h1>
<!-- received="Tue Mar  1 10:00:00 2005" -->
<!-- sent="Tue, 1 Mar 2005 10:00:00 +0100" -->
<!-- name="Ann" -->
<!-- email="%s" -->
<!-- subject="x" -->
<!-- id="%s" -->
<!-- charset="us-ascii" -->
<!-- body="start" -->
<p>%s</p>
<!-- body="end" -->
</body></html>
""" % (one["address"], shown.replace("@", "_at_"), one["body"])
