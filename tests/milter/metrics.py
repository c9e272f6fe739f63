"""The metrics file: what it holds after known mail, and how it is written (mlmilter(8): METRICS)."""

import os
import re
import shutil
import stat
import subprocess
import threading
import time

import fake_mta as m
from common import (ANNOUNCE, ANNOUNCE_BOUNCES, ANNOUNCE_ID, CLUB, CREW, EVERY_LIST, MID, REMOTE, club_fields, expect_stamped,
                    expect_untouched, log_value, post)
from daemon import Daemon, main, read, run, shortened, write
from numbered import NUMBERED, skip_without_sqlite, with_keys
from tap import case, check, equal

STRICT = with_keys('missing_message_id = "reject"', 'duplicate_message_id = "reject"', lists=CREW.replace("crew", "strict"))
LISTS = EVERY_LIST + STRICT
SAMPLE = re.compile(r'([a-z_:]+)(\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? (-?[0-9]+(?:\.[0-9]+)?)')
PARTS = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


def parse(text):
    """{(name, labels): value} of a whole text in Prometheus's format 0.0.4; strict."""
    check(text.endswith("\n"), "the end is missing: ...%r" % text[-60:])
    values, seen, family, kind = {}, set(), None, None
    for line in text[:-1].split("\n"):
        head = re.fullmatch(r"# HELP (mlmilter_[a-z_]+) \S.*|# TYPE (\S+) (counter|gauge|histogram)", line)
        if head and head.group(1):
            family, kind = head.group(1), None
            check(family not in seen, "a family in two places: " + family)
            seen.add(family)
        elif head:
            equal((head.group(2), kind), (family, None), "TYPE behind HELP")
            kind = head.group(3)
            equal(family.endswith("_total"), kind == "counter", family)
        else:
            found = SAMPLE.fullmatch(line)
            check(found and kind and found.group(1) in [family + part for part in PARTS[kind]], "not the format: " + line)
            key = (found.group(1), tuple(sorted(re.findall(r'([a-z]+)="([^"]*)"', found.group(2) or ""))))
            check(key not in values, "twice: " + line)
            values[key] = float(found.group(3))
    return values


class Metrics:
    """The values of a file, by name and labels."""

    def __init__(self, path):
        with open(path, encoding="ascii") as f:
            self.values = parse(f.read())
            self.written = os.fstat(f.fileno()).st_mtime

    def get(self, name, **labels):
        return self.values["mlmilter_" + name, tuple(sorted(labels.items()))]

    def gets(self, *names):
        return [self.get(name) for name in names]

    def all(self, name):
        """{values of the labels: value} of what is not 0."""
        return {tuple(value for _label, value in labels): n for (found, labels), n in self.values.items()
                if found == "mlmilter_" + name and n != 0}

    def messages(self):
        """{(role, action): how many}"""
        return {(role, action): n for (action, role), n in self.all("messages_total").items()}

    def check_sums(self):
        """Each message that was rejected or deferred has one reason; buckets are cumulative."""
        refused = sum(n for (_role, action), n in self.messages().items() if action in ("reject", "tempfail"))
        equal(sum(self.all("refusals_total").values()), refused, "reasons")
        check(self.get("messages_accepted_early_total") <= self.get("messages_total", role="none", action="accept"), "early")
        buckets = sorted((float(dict(labels)["le"]), value) for (name, labels), value in self.values.items()
                         if name == "mlmilter_store_seconds_bucket")
        equal([value for _end, value in buckets], sorted(value for _end, value in buckets), "buckets are cumulative")
        equal(buckets[-1], (float("inf"), self.get("store_seconds_count")), "the last bucket")


def measured(lists=LISTS, options=None, **more):
    d = Daemon(lists, dict({"metrics": '"run/test.prom"'}, **(options or {})), **more)
    d.metrics = d.path("run", "test.prom")
    return d


def now(d):
    """Returns the file as a reload writes it."""
    d.reload()
    generation = int(re.findall(r"generation (\d+)", d.log())[-1])

    def written():
        found = Metrics(d.metrics)
        return found if found.get("configuration_generation") == generation else None
    found = m.wait_for(written, "the metrics of generation %d" % generation)
    found.check_sums()
    return found


def distribute(d):
    return d.post(post(MID, ANNOUNCE_ID), sender=ANNOUNCE_BOUNCES)


def feed(d):
    return d.post(post(MID, "List-Id: <x.y>"), client=REMOTE, recipients=["announce@lists.example.org"])


def to(d, name, header=None):
    return d.post(header or post(), client=REMOTE, recipients=[name + "@example.org"])


skip_without_sqlite()
daemon = measured()


@case("off by default: no file, and none is left where the key was taken away or names another one, by a "
      "reload (mlmilter.conf(5))")
def off_and_on():
    d = Daemon(EVERY_LIST)
    names = ["one.prom", "two.prom"]
    for name in (None, "one.prom", "two.prom", None, "one.prom"):
        d.write_options(metrics='"run/%s"' % name if name else None)
        d.reload()
        m.wait_for(lambda: [n for n in names if os.path.exists(d.path("run", n))] == ([name] if name else []), "%s" % name)
    equal(Metrics(d.path("run", "one.prom")).get("configuration_generation"), 6)
    equal([name for name in os.listdir(d.path("run")) if "prom" in name], ["one.prom"])


@case("known mail: messages by role and action, reasons, fields as the log has them, and nothing else; the "
      "store was not asked (mlmilter(8): METRICS)")
def known_mail():
    before = now(daemon)
    equal(before.messages(), {})
    results = [distribute(daemon) for _ in range(3)] + [feed(daemon) for _ in range(2)]
    for header in [post(None), post(None), post(MID, "Message-ID: <2@x>"), post(MID, *["X-Filler: x"] * 5000), post(MID, "X: a\rb")]:
        equal(to(daemon, "strict", header).reply, m.REJECT)
    for n in range(9):  # at DATA, and after the header
        expect_untouched(daemon.post(post(), ours=False, client=REMOTE if n < 4 else "127.0.0.1"))
    with daemon.connect(REMOTE, version=2) as c:  # at the end, as DATA is not reported
        expect_untouched(daemon.send(c, post(), ours=False))
    with daemon.connect(REMOTE) as c:
        c.mail("poster@example.net")
        c.rcpt("club@example.org")
        equal(c.rcpt("crew@example.org")[0], m.TEMPFAIL)
    with daemon.connect(REMOTE) as c:
        c.raw(b"\xff\xff\xff\xff")  # no packet is so long
        c.wait_closed()
    m.wait_for(lambda: "connection of the MTA closed" in daemon.log(), "the line")
    found = now(daemon)
    equal(found.messages(), {("distribution", "accept"): 3, ("feed", "accept"): 2,
                             ("distribution", "reject"): 5, ("none", "accept"): 10})
    equal(found.all("refusals_total"), {("no-message-id",): 2, ("several-message-ids",): 1, ("too-large",): 1, ("stray-cr",): 1})
    equal(found.gets("messages_accepted_early_total", "recipients_deferred_total", "store_seconds_count", "lists", "up",
                     "dry_run", "delegated_files_wrong"), [4, 1, 0, LISTS.count('list "'), 1, 0, 0])
    equal(found.all("errors_total"), {("protocol",): 1})
    for name in ("removed", "added"):
        total = sum(int(log_value(daemon.log_lines(r.queue_id)[0], name)) for r in results)
        check(total > 0, "nothing %s" % name)
        equal(found.get("fields_%s_total" % name), total, name)
    equal(found.all("build_info"), {(run([daemon.command()[0], "-V"])[1].split()[1],): 1})
    check(before.get("start_time_seconds") <= before.get("configuration_loaded_timestamp_seconds")
          <= found.get("configuration_loaded_timestamp_seconds") <= time.time(), "times")
    equal(found.get("connections_total"), before.get("connections_total") + 22, "connections")
    m.wait_for(lambda: now(daemon).get("connections") == 0, "the end of all connections")


@case("promtool finds nothing to say, and the alerts of contrib/alerts.yml ask for what the file has")
def promtool():
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
    with open(os.path.join(top, "contrib", "alerts.yml"), encoding="utf-8") as f:
        names = set(re.findall(r"\bmlmilter_[a-z_]+", "".join(re.findall(r"^ +expr: (.*)$", f.read(), re.M))))
    check(len(names) > 5, names)
    equal(sorted(names - {name for name, _labels in Metrics(daemon.metrics).values}), [], "not in the file")
    tool = os.environ.get("PROMTOOL", "promtool")
    if shutil.which(tool):
        with open(daemon.metrics, "rb") as f:
            equal(subprocess.run([tool, "check", "metrics"], stdin=f, timeout=20).returncode, 0)


@case("without a reload it follows by itself, and is not written more often than every few seconds "
      "(mlmilter(8): METRICS)", seconds=60)
def by_itself():
    texts = [now(daemon)]

    def two_more():
        distribute(daemon)
        found = Metrics(daemon.metrics)
        if found.messages()["distribution", "accept"] > texts[-1].messages()["distribution", "accept"]:
            texts.append(found)
        return len(texts) == 3
    m.wait_for(two_more, "two texts", 60)
    check(texts[2].written - texts[1].written > shortened(4), "too early")  # by the clock of the files


@case("a reader never sees half of it, nor none, and nothing is left beside it (mlmilter(8): METRICS)", seconds=60)
def atomic():
    over, trouble, reads = threading.Event(), [], []

    def reader():
        try:
            while not over.is_set():
                reads.append(Metrics(daemon.metrics).written)
        except Exception as error:  # reported below
            trouble.append(repr(error))
    thread = threading.Thread(target=reader)
    thread.start()
    for _ in range(20):
        now(daemon)
    over.set()
    thread.join()
    equal(trouble, [])
    check(len(set(reads)) > 5, "of few texts")
    equal([name for name in os.listdir(daemon.path("run")) if "prom" in name], ["test.prom"])


@case("a file with something else in it is never written over, however its path is spelled (mlmilter.conf(5), "
      "RULINGS 107)")
def precious():
    for name in ("run/../mlmilter.conf", "link"):
        d = measured(start=False)
        os.symlink(d.path("mlmilter.conf"), d.path("link"))
        d.write_options(metrics='"%s"' % d.path(name))
        before = read(d.path("mlmilter.conf"))
        d.start()
        m.wait_for(lambda: "something else in it" in d.log(), "the line")
        equal(read(d.path("mlmilter.conf")), before)
        d.stop()


@case("its mode is 0644 under any umask, and a link in its place is replaced, not followed (mlmilter.conf(5))")
def mode():
    d = measured(start=False)
    write(d.path("elsewhere"), "# HELP mlmilter_precious")
    os.symlink(d.path("elsewhere"), d.metrics)
    os.symlink(d.path("elsewhere"), d.metrics + ".new")
    d.wrapper = ["sh", "-c", 'umask 077; exec "$@"', "sh"]
    d.start()
    m.wait_for(lambda: not os.path.islink(d.metrics), "the file")
    status = os.lstat(d.metrics)
    equal((stat.S_ISREG(status.st_mode), stat.S_IMODE(status.st_mode)), (True, 0o644))
    equal(read(d.path("elsewhere")), "# HELP mlmilter_precious")


@case("a directory that cannot be written: logged once, mail goes on; when it can be again it is, and that "
      "is logged, without a reload (mlmilter(8): METRICS)", seconds=60)
def cannot_be_written():
    d = measured(start=False)
    d.write("in-the-way", "")
    d.write_options(metrics='"in-the-way/test.prom"')
    d.metrics = d.path("in-the-way", "test.prom")
    d.start()
    for _ in range(3):
        expect_stamped(to(d, "club"), club_fields())
        d.reload()
    m.wait_for(lambda: "error: metrics: %s cannot be written: %s" % (d.metrics, os.strerror(20)) in d.log(), "the complaint")
    os.unlink(d.path("in-the-way"))
    os.mkdir(d.path("in-the-way"), 0o755)
    m.wait_for(lambda: os.path.exists(d.metrics), "the file")
    m.wait_for(lambda: "is written again" in d.log(), "a line that says so")
    found = now(d)
    equal(found.messages(), {("distribution", "accept"): 3})
    check(found.get("errors_total", kind="metrics") >= 1, "errors")  # those asked for at once may be one
    equal(d.log().count("metrics: "), 2)


@case("a reload that fails counts, and the old configuration's numbers stay; wrong files of delegates are counted, also those "
      "whose last good version is in force (mlmilter(8): METRICS, RULINGS 73)")
def failed_reload():
    d = measured(start=False, extra='delegate "alice" { files = {"alice/*.conf"} domains = {"alice.example"} }\n')
    os.mkdir(d.path("alice"), 0o755)
    d.write("alice/a.conf", 'list "a.alice.example" { }\n')
    d.write("alice/b.conf", "list {")
    d.start()
    lists = LISTS.count('list "') + 1
    equal(now(d).gets("delegated_files_wrong", "lists"), [1, lists])
    d.write("alice/a.conf", "list {")
    found = now(d)
    equal(found.gets("delegated_files_wrong", "lists"), [2, lists])
    d.write_lists("list {")
    for _ in range(2):
        d.reload("failed:")
    m.wait_for(lambda: Metrics(d.metrics).get("configuration_reload_failures_total") == 2, "two failures")
    same = ("configuration_generation", "configuration_loaded_timestamp_seconds", "lists")
    equal(Metrics(d.metrics).gets(*same), found.gets(*same))
    d.write_lists(ANNOUNCE)
    d.write("alice/a.conf", "")
    d.write("alice/b.conf", "")
    equal(now(d).gets("lists", "configuration_reload_failures_total", "delegated_files_wrong"), [1, 2, 0])


@case("dry_run: messages of ours have an action of their own, nothing counts as refused, removed, added or "
      "deferred (RULINGS 72)")
def dry_run():
    d = measured(options={"dry_run": "true"})
    both = d.post(post(), client=REMOTE, recipients=["club@example.org", "crew@example.org"])
    for r in (distribute(d), feed(d), to(d, "strict", post(None)), both, d.post(post(), ours=False, client=REMOTE)):
        expect_untouched(r)
    found = now(d)
    equal(found.messages(), {("distribution", "dry-run"): 3, ("feed", "dry-run"): 1, ("none", "accept"): 1})
    equal(found.get("dry_run"), 1)
    for name in ("refusals_total", "fields_removed_total", "fields_added_total", "errors_total", "recipients_deferred_total"):
        equal(found.all(name), {}, name)
    d.write_options(dry_run="false")
    equal(now(d).get("dry_run"), 0)


@case("a stop leaves the last numbers and up 0 behind; what it kept away is counted with the reason (mlmilter(8): METRICS)")
def stopped():
    d = measured()
    with d.connect(REMOTE) as c, d.connect(REMOTE) as late:
        for _ in range(7):
            d.send(c, post(), recipients=["club@example.org"])
        # Holds the stop up for five seconds; the reply says that it has come.
        c.mail("poster@example.net")
        equal(c.rcpt("club@example.org")[0], m.CONTINUE)
        d.begin_stop()
        refused = []

        def refuses():
            refused.append(late.send(post(), recipients=["club@example.org"]).reply)
            return refused[-1] == m.TEMPFAIL
        m.wait_for(refuses, "a refusal")
        m.wait_for(lambda: "stopped" in d.log(), "the stop")
        found = Metrics(d.metrics)
    found.check_sums()
    equal((found.get("up"), found.messages(), found.get("connections")),
          (0, {("distribution", "accept"): 6 + len(refused), ("unknown", "tempfail"): 1}, 2))
    equal(found.all("refusals_total"), {("stopping",): 1})


@case("a store: each message that asks it is in the histogram, others are not; where it fails: failures, reasons and errors, "
      "with on_store_failure = \"omit\" no reason; a reused Message-ID (mlmilter(8): METRICS, RULINGS 32, SU-23)")
def store():
    omit = with_keys('on_store_failure = "omit"', lists=NUMBERED.replace("club", "omit"))
    reject = with_keys('reused_message_id = "reject"', lists=CLUB.replace("club", "once"))
    d = measured(NUMBERED + CREW + omit + reject, {"store": '"sqlite:run/numbers.db"'})
    for n in range(20):
        to(d, "club", post("<%d@x>" % (n % 15)))
        to(d, "crew", post("<%d@x>" % n))
    found = now(d)
    equal((found.gets("store_seconds_count", "store_failures_total"), found.get("store_seconds_bucket", le="10")), ([20, 0], 20))
    check(0 < found.get("store_seconds_sum") < 20, "the sum: %f" % found.get("store_seconds_sum"))
    for subject in ("Subject: one", "Subject: another"):
        to(d, "once", [subject if f.startswith("Subject") else f for f in post("<1@x>")])
    d.write("run/in-the-way", "")
    d.write_options(store='"sqlite:run/in-the-way/numbers.db"')
    before = now(d)
    equal(before.all("refusals_total"), {("reused-message-id",): 1})
    for name in ("club", "club", "omit"):
        to(d, name, post("<new@x>"))
    found = now(d)
    equal(found.get("store_failures_total"), 3)
    check(found.get("errors_total", kind="store") >= 3 + before.get("errors_total", kind="store") >= 4,
          "errors of the store, and its trials")
    equal([found.messages()["distribution", action] for action in ("accept", "tempfail", "reject")], [42, 2, 1])
    equal(found.all("refusals_total"), {("store",): 2, ("reused-message-id",): 1})
    equal(found.get("errors_total", kind="post"), before.get("errors_total", kind="post") + 1)


main()
