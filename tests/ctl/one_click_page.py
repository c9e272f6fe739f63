"""contrib/leave.cgi, the web page of doc/one-click.md: what unsubscribes, and what must not."""

import os
import re
import subprocess
import sys
from urllib.parse import quote

from known import token_of
from tap import case, check, equal, main
from tool import CTL, FOLDER, TOP, file

LIST_ID = "news.lists.example.org"
KEY = "an example: make your own"
CONFIG = file("mlmilter.conf", '''
token_key_file = "one-click.key"
lists = {}
list "news.lists.example.org" {
  unsubscribe = {"https://lists.example.org/leave/{list_id}/{recipient}/{recipient_token}"}
  unsubscribe_one_click = true
}
list "talk.lists.example.org" {}
''')
# In the place of the list manager's.
RECORD = file("unsub", '''#!/bin/sh
[ "$1" = -L ] && [ "$5" = -a ] || exit 64
printf '%s\\n' "$6" >>"${0%/*}/left"
[ ! -e "${0%/*}/broken" ]
''', 0o755)
LEFT, BROKEN = os.path.join(FOLDER, "left"), os.path.join(FOLDER, "broken")
FORM = "application/x-www-form-urlencoded"
BODY = b"List-Unsubscribe=One-Click"
MULTIPART = b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'


# The page with this test's programs in the place of those of a host.
file("one-click.key", KEY + "\n", 0o400)
with open(os.path.join(TOP, "contrib", "leave.cgi"), encoding="utf-8") as source:
    text = source.read()
for theirs, ours in (('"mlmilterctl"', '"%s", "-c", "%s"' % (os.path.abspath(CTL), CONFIG)), ('"/usr/bin/mlmmj-unsub"', '"%s"' % RECORD)):
    equal(text.count(theirs), 1, theirs)
    text = text.replace(theirs, ours)
PAGE = file("leave.cgi", text, 0o755)


def token(address, list_id=LIST_ID):
    return token_of(KEY.encode(), list_id, address)


def request(uri, method="POST", body=BODY, kind=FORM):
    """(status code, who was unsubscribed, the answer's text) of one request."""
    environment = {"PATH": os.environ["PATH"], "REQUEST_URI": uri, "REQUEST_METHOD": method,
                   "CONTENT_TYPE": kind, "CONTENT_LENGTH": str(len(body)), "GATEWAY_INTERFACE": "CGI/1.1"}
    done = subprocess.run([sys.executable, PAGE], input=body, env=environment, timeout=30,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal(done.returncode, 0, done.stderr.decode("latin-1"))
    head, _, text = done.stdout.decode("utf-8").partition("\r\n\r\n")
    check(not re.search("(?i)^(location|set-cookie):", head, re.M), head)
    left = []
    if os.path.exists(LEFT):
        with open(LEFT, encoding="utf-8") as f:
            left = f.read().splitlines()
        os.unlink(LEFT)
    return int(re.match(r"Status: (\d+) ", head).group(1)), left, text


def link(address, proof=None, list_id=LIST_ID, safe="@"):
    return "/leave/%s/%s/%s" % (list_id, quote(address, safe=safe), proof or token(address))


@case("POST with a token of ours unsubscribes, in both kinds of a form (RFC 8058 3.1, 3.2)")
def unsubscribes():
    for address in ("user@example.net", "User@Example.NET", "a+b&c=d@example.net", "a/b@example.net",
                    "-s@example.net", "'; rm -rf ~@example.net", "r\u00e9e@example.net"):
        for end in (b"", b"\n", b"\r\n"):
            equal(request(link(address), body=BODY + end)[:2], (200, [address]))
        equal(request(link(address, safe="@+&=';"), body=MULTIPART,
                      kind="multipart/form-data; boundary=x")[:2], (200, [address]))


@case("GET and HEAD do not, and show a form that posts (RFC 8058 3.2)")
def get():
    status, left, text = request(link("user@example.net"), "GET", b"")
    equal((status, left), (200, []))
    for wanted in ('method="post"', 'name="List-Unsubscribe"', 'value="One-Click"'):
        check(wanted in text, text)
    equal(request(link("user@example.net"), "HEAD", b"")[:2], (200, []))


@case("not without a token for this list and this address (RULINGS 17)")
def forged():
    good = token("user@example.net")
    for uri in (link("other@example.net", good), link("user@example.net", good[:-1]),
                link("user@example.net", good + "x"), link("user@example.net", "-" + good[1:]),
                link("user@example.net", token("user@example.net", "talk.lists.example.org")),
                link("user@example.net", token("user@example.net", "talk.lists.example.org"),
                     "talk.lists.example.org"),
                link("user@example.net", good, "none.lists.example.org"), "/leave/", "/leave/%s//" % LIST_ID):
        for method in ("POST", "GET"):
            equal(request(uri, method)[:2], (403, []), uri)
    for uri in ("/", "*", link("a\0@example.net")):
        equal(request(uri)[:2], (404, []), uri)


@case("not without List-Unsubscribe=One-Click in the body (RFC 8058 3.1)")
def body():
    for text, kind in ((b"", FORM), (b"x=y", FORM), (b"List-Unsubscribe=Two-Clicks", FORM), (BODY, "multipart/form-data"),
                       (MULTIPART, FORM), (MULTIPART.replace(b"One", b"Two"), "multipart/form-data; boundary=x"),
                       (b"\xff\0=", FORM), (b"--x\r\n\r\n\xff", "multipart/form-data; boundary=x")):
        equal(request(link("user@example.net"), body=text, kind=kind)[:2], (400, []), repr(text))


@case("a list manager that fails: 500, so that somebody notices")
def fails():
    file("broken", "")
    equal(request(link("user@example.net"))[:2], (500, ["user@example.net"]))
    os.unlink(BROKEN)


main()
