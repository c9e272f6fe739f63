"""Reloads while a real Postfix takes mail: nothing is lost and nothing stops."""

import signal
import threading
import time

import fake_mta as m
from common import ANNOUNCE, CREW, REMOTE, crew_fields, post
from daemon import main
from instance import Instance, close_all, need_postfix
from tap import case, check, clean_up, equal

need_postfix()

NAMES = ["The Crew", "The New Crew", "The Newest Crew"]
MESSAGES = 25  # for each of 8 senders
postfix = None


def lists(name):
    return ANNOUNCE + CREW.replace("  select", '  description = "%s"\n  select' % name)


@case("three hundred reloads while 8 clients send: every message is taken, delivered once, and has the "
      "fields of one configuration (mlmilter(8): SIGNALS)", seconds=80)
def under_load():
    global postfix
    postfix = Instance(lists(NAMES[0]), [], ["--mailboxes", "box.test", "--virtual-domain", "example.org",
                                             "--virtual", "crew@example.org=inbox@box.test"])
    tokens, trouble, done = [], [], threading.Event()

    def sender(number):
        try:
            for n in range(MESSAGES):
                port = ("unix", "inet")[(n + number) % 2]
                tokens.append(postfix.send(post("<%d.%d@x>" % (number, n)), ["crew@example.org"], port=port,
                                           client=REMOTE if n % 3 else None))
        except Exception as error:  # reported by the case
            trouble.append("sender %d: %r" % (number, error))

    def reloader():
        n = 0
        while not done.is_set() or n < 300:
            n += 1
            for d in postfix.daemons.values():
                d.write_lists(lists(NAMES[n % 3]) if n % 5 else "list {")
                d.send_signal(signal.SIGHUP)
            time.sleep(0.01)  # load, not synchronisation
        counted.append(n)

    counted = []
    threads = [threading.Thread(target=sender, args=(n,)) for n in range(8)]
    other = threading.Thread(target=reloader)
    for t in threads + [other]:
        t.start()
    for t in threads:
        t.join()
    done.set()
    other.join()
    check(not trouble, "\n".join(trouble))
    equal(len(tokens), 8 * MESSAGES)
    check(counted[0] >= 300, "reloads: %r" % counted)
    for token in tokens:
        header = postfix.header(token, "inbox")
        message_id = m.values(header, "Message-ID")[0]
        wanted = dict(crew_fields(message_id))
        for name in ("Message-ID-Hash", "List-Post"):
            equal(m.values(header, name), [wanted[name]], name)
        check(m.values(header, "List-Id")[0] in [n + " <crew.example.org>" for n in NAMES], header)
    print("# %d messages, %d reloads of two daemons" % (len(tokens), counted[0]))


clean_up("Postfix stops", close_all)
main()
