"""The parts of doc/archives.md and doc/one-click.md for a real Apache: the files and programs behind it are stand-ins,
as the tests of the archives themselves have nginx or a server of their own."""

import http.server
import os
import re
import subprocess
import threading

import fake_mta as m
import old_archive as o
import private_host
from tap import case, check, clean_up, equal, main

private_host.enter(["apache"], ["lists.example.org"])
import page  # noqa: E402
from instance import TOP  # noqa: E402
from servers import ask, start_apache, wait_for  # noqa: E402
from tool import CTL, HASH  # noqa: E402

fcgiwrap = None


def disable(site):
    page.type_in("a2dissite -q %s && apachectl restart" % site)


class Backend(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(("%s %s" % (self.headers["Host"], self.path)).encode())

    def log_message(self, *_arguments):
        pass


@case("public-inbox: each byte of a Message-ID reaches it", 60)
def public_inbox():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Backend)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start_apache()
    page.follow("public-inbox and Apache")
    for path in ("/dev/", "/dev/a%2Fb+c%25d%3Fe@x/", "/dev/%E9;%22$@x/raw"):
        wait_for(path, lambda found: found[0] == 200 and found[3] == "lists.example.org " + path)
    server.shutdown()
    disable("lists")


@case("MHonArc: the name of a page in Archived-At is a page of HTML", 60)
def mhonarc():
    o.write("/var/www/lists/dev/msg00000.html", "<html>The kettle")
    o.write("/var/www/lists/dev/threads.html", "<html>All threads")
    os.symlink("msg00000.html", "/var/www/lists/dev/" + HASH)
    page.follow("MHonArc and Apache")
    wait_for("/dev/" + HASH, lambda found: found[:2] == (200, "text/html") and "kettle" in found[3])
    check("All threads" in ask("/dev/")[3], ask("/dev/"))
    disable("lists")


@case("a map from hashes to pages, in any letter case", 60)
def hashes():
    o.write("/var/www/team.mbox", b"From x\nMessage-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n\nFrom x\nMessage-ID: <a$b@x>\n\n")
    page.type_in("'%s' map --format nginx --to '/x/{message_id}' /var/www/team.mbox > /var/www/team.map" % os.path.abspath(CTL))
    steps = page.section("A map from hashes to pages")
    equal([kind for kind, _text in steps][-2:], ["/etc/apache2/sites-available/hashes.conf", "commands"])
    o.write(*steps[-2])
    for line in steps[-1][1].splitlines():
        page.type_in(line.replace(" team.map", " /var/www/team.map"))
    for name in (HASH, HASH.lower()):
        wait_for("/" + name, lambda found: found[0] == 302 and found[2].endswith("/x/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp"))
    check(ask("/" + o.hash_of(b"a$b@x"))[2].endswith("/x/a%24b@x"), "a second post")
    equal(ask("/" + "A" * 32)[0], 404)
    disable("hashes")


@case("one-click: fcgiwrap behind Apache gets the path as it was sent, and the body", 60)
def one_click():
    global fcgiwrap
    with open(os.path.join(TOP, "doc", "one-click.md"), encoding="utf-8") as f:
        block = re.search(r"In Apache.*?```\n(.*?)```", f.read(), re.S).group(1)
    script = "/usr/local/lib/mlmilter/leave.cgi"
    o.write(script, '#!/bin/sh\nprintf "Content-Type: text/plain\\n\\n%s %s " "$REQUEST_METHOD" "$REQUEST_URI"; head -c "${CONTENT_LENGTH:-0}"\n')
    os.chmod(script, 0o755)
    os.makedirs("/run/leave")
    fcgiwrap = subprocess.Popen(["fcgiwrap", "-s", "unix:/run/leave/leave.sock"])
    m.wait_for(lambda: os.path.exists("/run/leave/leave.sock"), "fcgiwrap", 30)
    os.chmod("/run/leave/leave.sock", 0o666)
    o.write("/etc/apache2/sites-available/leave.conf", "<VirtualHost *:80>\nServerName lists.example.org\n%s</VirtualHost>\n" % block)
    page.type_in("a2enmod proxy_fcgi && a2ensite leave && apachectl restart")
    path = "/leave/news.lists.example.org/a%2Fb+c@example.net/TOKEN"
    wait_for(path, lambda found: found[3] == "GET %s " % path)
    equal(ask(path, "POST", "List-Unsubscribe=One-Click")[3], "POST %s List-Unsubscribe=One-Click" % path)


def stop():
    global fcgiwrap
    if fcgiwrap is not None:
        fcgiwrap.terminate()
        fcgiwrap.wait(30)
    fcgiwrap = None


clean_up("fcgiwrap stops", stop)
main()
