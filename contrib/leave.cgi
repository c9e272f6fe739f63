#!/usr/bin/python3
"""One-click unsubscription (RFC 8058) as a CGI program: .../leave/LIST-ID/ADDRESS/TOKEN

doc/one-click.md, part 3, says how to install it. Set the command of each list in LEAVE."""
import email
import os
import subprocess
import sys
from urllib.parse import parse_qsl, unquote

VERIFY = ["mlmilterctl", "verify-token", "--"]
LEAVE = {  # the command that takes an address off the list; the address is appended
    "news.lists.example.org": ["/usr/bin/mlmmj-unsub", "-L", "/var/spool/mlmmj/news", "-q", "-s", "-a"],
}
FORM = b"""<!DOCTYPE html><title>Unsubscribe</title>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">
<p>Take this address off the list? <button>Unsubscribe</button></p></form>"""


def answer(status, text, kind="text/plain"):
    head = "Status: %s\r\nContent-Type: %s; charset=utf-8\r\nCache-Control: no-store\r\n\r\n"
    sys.stdout.buffer.write((head % (status, kind)).encode() + text + b"\n")
    sys.exit(0)


def form_fields(kind, body):
    if kind.lower().startswith("multipart/form-data"):
        parts = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
        for part in parts.get_payload() if parts.is_multipart() else ():
            name = part.get_param("name", header="content-disposition")
            yield name, part.get_payload(decode=True).decode("utf-8", "replace").strip()
    else:
        yield from parse_qsl(body.decode("utf-8", "replace").rstrip("\r\n"))


def run(command, *arguments):
    # No shell, as an address may contain any character, and a fixed PATH instead of the web server's.
    path = "/usr/local/bin:/usr/bin:/bin"
    done = subprocess.run(command + list(arguments), stdin=subprocess.DEVNULL, stdout=sys.stderr, env={"PATH": path})
    return done.returncode


def main():
    parts = os.environ["REQUEST_URI"].partition("?")[0].split("/")[-3:]
    parts = [unquote(part, errors="surrogateescape") for part in parts]  # not before the split
    if len(parts) != 3 or "\0" in "".join(parts):
        answer("404 Not Found", b"No such page.")
    list_id, address, token = parts
    if list_id not in LEAVE or run(VERIFY, list_id, address, token) != 0:
        answer("403 Forbidden", b"This link is not one of ours.")
    if os.environ["REQUEST_METHOD"] != "POST":  # link scanners come with GET: nothing happens
        answer("200 OK", FORM, "text/html")
    length = min(int(os.environ.get("CONTENT_LENGTH") or 0), 65536)
    fields = form_fields(os.environ.get("CONTENT_TYPE", ""), sys.stdin.buffer.read(length))
    if ("List-Unsubscribe", "One-Click") not in fields:
        answer("400 Bad Request", b"List-Unsubscribe=One-Click is missing.")
    if run(LEAVE[list_id], address) != 0:
        answer("500 Internal Server Error", b"That did not work; please try again later.")
    answer("200 OK", b"Done.")


main()
