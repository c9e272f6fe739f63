#!/usr/bin/env python3
"""Sympa's own archive: the Archived-At in a member's copy is the page of that very post. Sympa, its archiver and its
web interface are real, behind a private Postfix with the daemon on both ways; a server here runs the web interface as
a CGI program. The archive's keys are those of doc/archives.md, with the address of the server here."""

import http.server
import subprocess
import threading
import urllib.parse

import fake_mta as m
from daemon import main
from instance import close_all, need_postfix
from tap import case, check, clean_up

need_postfix()
import list_host as h  # noqa: E402
import page  # noqa: E402
import private_sympa  # noqa: E402  it skips, too
from web import expect_page, get, link_of  # noqa: E402

DEV = "dev@lists.example.org"
ROOT = private_sympa.ROOT
PATH = "/wws"  # of wwsympa_url on Debian
sympa = private_sympa.Sympa()
host = None
links = {}


class Handler(http.server.BaseHTTPRequestHandler):
    """wwsympa.fcgi, run once for each request."""

    def do_GET(self):
        path, _, query = self.path.partition("?")
        environment = dict(sympa.environment, GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="GET", SERVER_PROTOCOL="HTTP/1.0",
                           SERVER_NAME="127.0.0.1", SERVER_PORT=str(self.server.server_port), SCRIPT_NAME=PATH,
                           HTTP_HOST="127.0.0.1:%d" % self.server.server_port, PATH_INFO=urllib.parse.unquote(path[len(PATH):]),
                           REQUEST_URI=self.path, QUERY_STRING=query, REMOTE_ADDR="127.0.0.1", SERVER_SOFTWARE="test")
        done = subprocess.run(sympa.perl + [ROOT + "/usr/lib/cgi-bin/sympa/wwsympa.fcgi"], env=environment, cwd=sympa.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              preexec_fn=h.as_nobody)
        head, _, body = done.stdout.replace(b"\r\n", b"\n").partition(b"\n\n")
        fields = [line.split(": ", 1) for line in head.decode("latin-1").split("\n") if ": " in line]
        status = ([value for name, value in fields if name == "Status"] or ["200"])[0]
        if any(name == "Location" for name, _value in fields):
            status = "302"
        if not body and status == "200":
            status, body = "500", done.stderr
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
site = "http://127.0.0.1:%d" % server.server_port


@case("a list of Sympa's, its archiver, and the configuration of doc/archives.md", 120)
def start():
    global host
    sympa.archive(site + PATH)
    sympa.command("--health_check")
    sympa.create("dev", "Development")
    sympa.web_archive("dev")
    printed = h.import_lists("sympa", ["--domain", h.DOMAIN, sympa.path("lists")])
    keys = page.keys("Sympa")
    host = h.ListHost(printed, ["ann", "olga", "site"], sympa.options(), link=keys["archived_at"].replace("https://lists.example.org", site),
                      archive=keys["archive"].replace("https://lists.example.org", site))
    sympa.start(host.ports["unix"])
    sympa.command("add", DEV, text="ann@box.test\n")


@case("a GET of the link in a member's copy is that post, and no other", 150)
def posts():
    for number, wanted in enumerate(("The kettle is on.", "The kettle is off.")):
        host.post(h.post_header("<%d.%s@poster.example>" % (number, m.new_queue_id()), "ann@box.test", DEV, *h.LIES), DEV,
                  "ann@box.test", body=wanted.encode() + b"\r\n")
        links[wanted] = link_of(host.arrive("ann", "the post", text=wanted))
    for wanted, link in links.items():
        expect_page(link, wanted, [other for other in links if other != wanted])


@case("a link that no post has is no post", 60)
def not_there():
    link = links["The kettle is on."]
    text = get(link.replace("poster.example", "nobody.example"))[1]
    check("kettle" not in text, text)


clean_up("the web server stops", server.shutdown)
clean_up("Sympa stops", sympa.remove)
clean_up("Postfix stops", close_all)
main()
