"""contrib/find.html in a real Chromium, on a web server without TLS: the vectors of tests/unit/ids.txt, typed
and from a file, and the page as doc/archives.md installs it (RULINGS 3 to 6)."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request

import fake_mta as m
import old_archive as o
import private_host
from tap import case, check, clean_up, equal, main

private_host.enter(["chromium", "nginx"], ["lists.example.org"])
import page  # noqa: E402
from instance import TOP  # noqa: E402
from known import HASH, vectors  # noqa: E402
from servers import start_nginx  # noqa: E402
from web import expect_page  # noqa: E402

SITE = "http://lists.example.org"
FOLDER = tempfile.mkdtemp(prefix="mlmilter-find-")
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=360,740").split()
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # W3C WebDriver
driver = None
session = ""


def ask(method, path, **body):
    request = urllib.request.Request("http://127.0.0.1:9515" + path, method=method,
                                     data=json.dumps(body).encode() if method == "POST" else None)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read().decode()[:1000])


def open_page(url):
    ask("POST", session + "/url", url=url)


def script(code, *arguments):
    return ask("POST", session + "/execute/sync", script=code, args=list(arguments))


def element(name):
    return ask("POST", session + "/element", using="css selector", value="#" + name)[ELEMENT]


def type_in(text):
    """The hash and the link that the page has for a typed text; "" for none."""
    script("text.value = arguments[0]; text.dispatchEvent(new Event('input'))", text)
    return shown()


def take_file(data):
    path = os.path.join(FOLDER, "post%d.eml" % len(os.listdir(FOLDER)))  # the same one again would change nothing
    o.write(path, data)
    script("result.textContent = ''")
    ask("POST", session + "/element/%s/value" % element("file"), text=path)
    m.wait_for(lambda: script("return result.textContent"), "a result", 30)
    return shown()


def shown():
    text, link = script("return [result.textContent, result.querySelector('a') ? result.querySelector('a').getAttribute('href') : '']")
    found = re.search("Message-ID-Hash: ([A-Z2-7]{32})", text)
    return found.group(1) if found else "", link


@case("Chromium starts, and the page is where doc/archives.md installs it", 120)
def start():
    global driver, session
    page.type_in("mkdir -p /usr/share/doc/mlmilter/examples /var/www/lists && cp '%s' /usr/share/doc/mlmilter/examples"
                 % os.path.join(TOP, "contrib", "find.html"))
    start_nginx()
    page.follow("A page to find a post")
    driver = subprocess.Popen(["chromedriver", "--port=9515"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    m.wait_for(_is_ready, "chromedriver", 60)
    session = "/session/" + ask("POST", "/session", capabilities={"alwaysMatch": {"goog:chromeOptions": {
        "binary": "/usr/bin/chromium", "args": FLAGS + ["--user-data-dir=" + os.path.join(FOLDER, "data")]}}})["sessionId"]
    expect_page(SITE + "/find.html", "Find a post")  # nginx has its new configuration
    open_page(SITE + "/find.html")
    equal(script("return [isSecureContext, TEMPLATE]"), [False, "https://lists.example.org/dev/{message_id_hash}"])


def _is_ready():
    try:
        return ask("GET", "/status")["ready"]
    except OSError:
        return False


@case("the hash of each vector of the C tests, typed and in a saved message", 120)
def hashes():
    for value, known in vectors("message_id_hash"):
        data = value.encode()
        bare, wanted = re.fullmatch(r"(?:~ )?\[(.*)\] ?(.*)", known, re.S).groups()
        wanted = wanted or o.hash_of(bare.encode())
        link = "https://lists.example.org/dev/" + wanted if bare else ""
        equal(take_file(b"Received: x\n\ty\nMESSAGE-ID :" + data + b"\nMessage-ID: <other@x>\n\nMessage-ID: <body@x>\n")[1], link, value)
        if bare and "\n" not in value:
            equal(type_in(value), (wanted, link), value)
            equal(type_in("To: x\nMessage-ID: %s\nSubject: y" % value), (wanted, link), value)
    for data in (b"Message-ID: <caf\xe9@x>\r\n\r\n", b"From x\nMessage-ID: <caf\xe9@x>\n\n"):
        equal(take_file(data)[0], o.hash_of(b"caf\xe9@x"))
    equal(type_in("<caf\u00e9@x>")[0], o.hash_of("caf\u00e9@x".encode()))
    for size in range(50, 70):  # ends of a block of SHA-1
        equal(type_in("x" * size)[0], o.hash_of(b"x" * size))
    equal(take_file(b"Subject: none\n\nMessage-ID: <body@x>\n"), ("", ""))
    script("var d = new DataTransfer(); d.items.add(new File(['Message-ID: <dropped@x>\\n\\n'], 'a.eml')); "
           "document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: d, bubbles: true, cancelable: true}))")
    m.wait_for(lambda: shown()[0] == o.hash_of(b"dropped@x"), "the dropped message", 30)


@case("a hash that a person typed, alone and in a link; a link without one (SU-14)", 60)
def typed():
    for text, wanted in vectors("message_id_hash_normalize"):
        if wanted != "none":
            equal(type_in(text), (wanted, "https://lists.example.org/dev/" + wanted), text)
            equal(type_in("http://old.example/x/%s/?a#b" % text.strip())[0], wanted)
        else:
            check(type_in("https://old.example/" + text.strip()) == ("", ""), text)


@case("{message_id} in a link is escaped as mlmilterctl does", 60)
def escapes():
    for template, wanted in (("https://a.example/{message_id}/?i={message_id}", "https://a.example/a%2Fb+c$%25%C3%A9%22;@x/?i=a%2Fb%2Bc%24%25%C3%A9%22%3B%40x"),
                             ("/{message_id_hash}/{message_id}?y", "/" + o.hash_of("a/b+c$%\u00e9\";@x".encode()) + "/a%2Fb+c$%25%C3%A9%22;@x?y")):
        script("TEMPLATE = arguments[0]", template)
        equal(type_in("<a/b+c$%\u00e9\";@x>")[1], wanted)
    for nothing in ("<..>", "<.>", "<a/..>", HASH):
        equal(type_in(nothing)[1], "", nothing)


@case("the button opens the link; as the page of error 404 it reads the hash; offline, too", 90)
def opens():
    name = HASH
    open_page(SITE + "/find.html")
    script("TEMPLATE = '%s/dev/{message_id_hash}'" % SITE)
    ask("POST", session + "/element/%s/value" % element("text"), text=name.lower().replace("o", "0"))
    ask("POST", session + "/element/%s/click" % ask("POST", session + "/element", using="css selector", value="button")[ELEMENT])
    m.wait_for(lambda: ask("GET", session + "/url") == "%s/dev/%s" % (SITE, name), "the link", 30)
    open_page(SITE + "/dev/" + name.lower())
    equal(shown(), (name, "https://lists.example.org/dev/" + name))
    open_page("file:///var/www/lists/find.html")
    equal(type_in("<87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>")[0], name)


@case("it fits a phone, and each control has a name for a screen reader", 60)
def reading():
    open_page(SITE + "/find.html")
    type_in("<" + "x" * 300 + "@x>")
    width, inner = script("return [document.documentElement.scrollWidth, innerWidth]")
    check(width <= inner, (width, inner))
    for selector in ("#text", "#file", "button"):
        found = ask("POST", session + "/element", using="css selector", value=selector)[ELEMENT]
        check(len(ask("GET", session + "/element/%s/computedlabel" % found)) > 5, selector)
    equal(script("return [document.documentElement.lang, result.getAttribute('aria-live')]"), ["en", "polite"])
    equal(script("return performance.getEntriesByType('resource').length"), 0)


def stop():
    global driver, session
    if session:
        ask("DELETE", session)
    if driver is not None:
        driver.terminate()
        driver.wait(30)
    driver, session = None, ""
    shutil.rmtree(FOLDER, ignore_errors=True)


clean_up("the browser stops", stop)
main()
