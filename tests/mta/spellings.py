"""Random spellings of list addresses, with forged fields, from a client that nobody trusts, through a real
Postfix and a real Sendmail: a test that does not know the answer (RULINGS 20, 21, 22; SU-07, SU-16, LH-08, LI-12).

Which spellings lead to a list is the MTA's word: what arrives at a member must carry the list's fields and no
others, what arrives at the list manager none, what arrives at somebody else all that was sent. A delegate's list
that shares its mailbox with the administrator's (RULINGS 111) and a contact (112, 129) get none of these fields,
whoever is behind them. Each message has one recipient, as one that is recognised would hide another that is not.

SPELLINGS (300) is how many go through each MTA; a third more go to friends, and a fifth as crossposts. SEED makes others. SPELLINGS_MTA=Postfix or Sendmail takes that one only.
"""

import collections
import os
import random
import re
import subprocess
import threading

import fake_mta as m
from both_mtas import start_each
from common import OWNED
from daemon import main
from instance import message
from spelling_sites import (CONTACTS, DELEGATED, FEED, LOCAL_DELEGATE, MEMBERS, NAMESPACES, OWN, PERSONS, PRIVATE_DOMAIN,
                            PostfixSite, SendmailSite, expected_fields, list_of, transact)
from tap import Skip, case, check, clean_up, diagnose, equal, seed

COUNT = int(os.environ.get("SPELLINGS", "300"))
SEED = seed()
WORKERS = 6
LONG = 60 + COUNT // 5  # seconds of a case
EVERY_OWNED = list(dict.fromkeys(OWNED + ["List-Sequence"]))


# -- spellings ------------------------------------------------------------------------------------

# An address is a list of tokens, between which RFC 5322 lets comments and blanks stand. Each kind of spelling changes the
# tokens or what is around them; a spelling is of several kinds at once. Not all are valid: which of them it takes, and what
# for, is the MTA's business.
# line: all behind "RCPT TO:". kinds: what was done. address: (local part, domain) that it was made of.
Spelling = collections.namedtuple("Spelling", "line kinds address")

SPECIALS = '()<>[]:;@\\,."%!+-= \t/\'\xa0\xe9'
WORDS = ["x", "team", "evil.example", "mx.test", "a b", "", "club@example.org", "\\)", "(y)", "<team@mx.test>"]
EXTENSIONS = ["x", "", "x+y", "owner", "+", "a.b", "bounces-3", "club", "TEAM", "-", "x=evil.example", "4711"]
ROUTES = ["mx.test", "other.test", "evil.example", "[192.0.2.1]", "localhost", "MX.TEST.", "x"]


def letters(dice, text):
    return "".join(dice.choice((c.upper(), c.lower())) for c in text)


def is_ascii(text):
    return all(c < "\x80" for c in text)


def atoms(text):
    """A dotted text as tokens; an address literal is one."""
    return [text] if text.startswith("[") else text.replace(".", "\0.\0").split("\0")


def address_tokens(local, domain):
    return atoms(local) + (["@"] + atoms(domain) if domain else [])


class Speller:
    """dice: random.Random. hosts: the domains of the host, for forms that go by way of one. delimiters: of
    the host. no_domain: the domain that an address without one has."""

    def __init__(self, dice, hosts, delimiters="+", no_domain="mx.test", unicode=False):
        self.dice, self.hosts, self.delimiters, self.no_domain = dice, hosts, delimiters, no_domain
        self.kinds = [name[5:] for name in sorted(vars(Speller)) if name.startswith("make_")]
        if not unicode:
            self.kinds.remove("unicode")

    def spell(self, local, domain, kinds=None):
        if kinds is None:
            kinds = self.dice.sample(self.kinds, self.dice.choice((0, 1, 1, 1, 1, 2, 2, 3, 4)))
        self.local, self.domain = local, domain
        self.before, self.between, self.around = "", [], ("<", ">")
        # Changes of the words come before changes around them; some do not fit every address.
        kinds = [kind for kind in ORDER if kind in kinds and getattr(self, "make_" + kind)() is not False]
        text = self.before + self._joined(address_tokens(self.local, self.domain))
        text = self.around[0] + text + self.around[1]
        if "noise" in kinds:
            text = self._noisy(text)
        utf8 = "unicode" in kinds or not is_ascii(domain)
        return Spelling(text.encode("utf-8" if utf8 else "latin-1"), tuple(kinds) or ("plain",), (local, domain))

    def _joined(self, tokens):
        for text in self.between:
            tokens.insert(self.dice.randrange(len(tokens) + 1), text)
        return "".join(tokens)

    def _comment(self, depth=0):
        inner = self.dice.choice(WORDS)
        if depth < 2 and self.dice.random() < 0.3:
            inner += self._comment(depth + 1)
        return "(" + inner + ")"

    # -- the words ----------------------------------------------------------------------------

    def make_delimiter(self):
        self.local += self.dice.choice(self.delimiters) + self.dice.choice(EXTENSIONS)

    def make_letters(self):
        self.local, self.domain = letters(self.dice, self.local), letters(self.dice, self.domain)

    def make_unicode(self):
        """Characters that Unicode folds to ASCII letters."""
        before = self.local
        for letters_, folded in (("st", "\ufb06"), ("s", "\u017f"), ("k", "\u212a"), ("fi", "\ufb01")):
            if self.dice.random() < 0.7:
                self.local = self.local.replace(letters_, folded)
        return self.local != before

    def make_dots(self):
        """At the end of the domain."""
        self.domain += self.dice.choice((".", ".", ".", ".."))

    def make_literals(self):
        """Other spellings of an address literal."""
        if self.domain != "[127.0.0.1]":
            return False
        self.domain = self.dice.choice(("[127.00.000.01]", "[0177.0.0.1]", "[127.0.0.0001]", "[IPv6:::ffff:127.0.0.1]",
                                        "[ipv6:0:0:0:0:0:FFFF:7f00:1]", "[127.1]", "[127.0.0.1.]"))
        return True

    def make_no_domain(self):
        if self.domain.rstrip(".").lower() != self.no_domain:
            return False
        self.domain = ""
        return True

    def make_quotes(self):
        if '"' in self.local:
            return False
        words = self.local.split(".")
        if self.dice.random() < 0.6:
            words = [self.local]
        which = self.dice.randrange(len(words))
        words[which] = '"%s"' % words[which]
        if self.dice.random() < 0.2:
            cut = self.dice.randrange(len(words[which]) - 1) + 1
            words[which] = words[which][:cut] + '""' + words[which][cut:]
        self.local = ".".join(words)
        return True

    def make_quoted_pairs(self):
        """With quotes or without; in the local part, seldom in the domain."""
        def pairs(text):
            return "".join("\\" + c if c not in '"' and self.dice.random() < 0.3 else c for c in text)
        if self.dice.random() < 0.9:
            self.local = pairs(self.local)
        else:
            self.domain = pairs(self.domain)

    # -- by way of a host ---------------------------------------------------------------------

    def make_percent(self):
        for _ in range(self.dice.choice((1, 1, 2)) if self.domain else 0):
            self.local, self.domain = "%s%%%s" % (self.local, self.domain), self.dice.choice(self.hosts)
        if self.dice.random() < 0.2:
            self.domain = ""
        return "%" in self.local

    def make_bang(self):
        if not self.domain:
            return False
        self.local, self.domain = "%s!%s" % (self.domain, self.local), ""
        if self.dice.random() < 0.3:
            self.local = self.dice.choice(self.hosts) + "!" + self.local
        if self.dice.random() < 0.4:
            self.domain = self.dice.choice(self.hosts)
        return True

    def make_at(self):
        """Two of them, or one in quotes."""
        if not self.domain:
            return False
        form = self.dice.choice(('"%s@%s"', "%s@%s", '"%s\\@%s"', "%s\\@%s"))
        self.local, self.domain = form % (self.local.strip('"'), self.domain), self.dice.choice(self.hosts)
        return True

    # -- what stands around and between -------------------------------------------------------

    def make_route(self):
        hosts = [self.dice.choice(ROUTES) for _ in range(self.dice.choice((1, 1, 2, 3)))]
        between = self.dice.choice((",", ",", ", ", ",,"))
        self.before = between.join("@" + h for h in hosts) + self.dice.choice((":", ":", ": "))

    def make_comments(self):
        self.between += [self._comment() for _ in range(self.dice.choice((1, 1, 2)))]

    def make_blanks(self):
        self.between += [self.dice.choice((" ", " ", "\t", "  ")) for _ in range(self.dice.choice((1, 1, 2, 3)))]

    def make_bare(self):
        """Without the brackets."""
        self.around = self.dice.choice((("", ""), (" ", ""), (" <", ">"), ("", " ")))

    def make_phrase(self):
        """A name before the brackets, comments around them, a second pair of them."""
        self.around = self.dice.choice((("Team <", ">"), ('"A <b@c>" <', ">"), ("(c) <", ">"), ("<", "> (c)"),
                                        ("<<", ">>"), ("<(<)", ">"), ("team:<", ">;"), ("x y <", ">")))

    def make_parameters(self):
        self.around = (self.around[0], self.around[1] + self.dice.choice(
            (" NOTIFY=NEVER", " ORCPT=rfc822;club@example.org", " NOTIFY=FAILURE ORCPT=rfc822;x+2By@z.test", " ")))

    def make_noise(self):
        pass

    def _noisy(self, text):
        for _ in range(self.dice.choice((1, 1, 2, 3))):
            at = self.dice.randrange(len(text) + 1)
            what = self.dice.random()
            if what < 0.7:
                text = text[:at] + self.dice.choice(SPECIALS) + text[at:]
            elif what < 0.85:
                text = text[:at] + text[at + 1:]
            else:
                text = text[:at] + text[max(0, at - 3):at] + text[at:]
        return text


ORDER = ["delimiter", "literals", "unicode", "letters", "dots", "no_domain", "percent", "bang", "at", "quotes",
         "quoted_pairs", "route", "comments", "blanks", "bare", "phrase", "parameters", "noise"]


# -- what is sent ---------------------------------------------------------------------------------


def forged(dice):
    """A lie for each owned field, some twice, in any order and letter case."""
    values = ["<http://evil.example/%d>", "evil.example/%d", "\n <mailto:%d@evil.example>", "%d (evil.example)"]
    fields = [name + ": " + dice.choice(values) % dice.randrange(1000)
              for name in EVERY_OWNED + dice.sample(EVERY_OWNED, 5)]
    fields += ["List-Id: evil.example <%s>" % name for name in dice.sample(NAMESPACES, 2)]
    fields += ["List-Unsubscribe-Post: List-Unsubscribe=One-Click", "X-List-Sequence: 4711"]
    fields = [field if dice.random() < 0.7 else field.split(":")[0].upper() + ":" + field.split(":", 1)[1]
              for field in fields]
    real = ["From: mallory@evil.example", "To: somebody@evil.example", "Subject: hello",
            "Date: Wed, 04 Jul 2007 16:49:58 +0900"]
    fields += real
    dice.shuffle(fields)
    return fields


class Letter:
    """One transaction with its outcome. wanted: what its recipient is: "list", "friend"."""

    def __init__(self, dice, token, spellings, wanted):
        self.token, self.spellings, self.wanted = token, spellings, wanted
        self.message_id = "<%s@evil.example>" % token
        self.header = ["Message-ID: " + self.message_id] + forged(dice)
        self.replies, self.reply, self.copies, self.faults, self.verdicts = [], None, [], [], set()

    @property
    def accepted(self):
        return self.reply is not None and self.reply[0] == 250

    def text(self):
        return " + ".join("RCPT TO:%s" % s.line.decode("latin-1") for s in self.spellings)


def send_all(site, letters):
    todo, errors, lock = list(reversed(letters)), [], threading.Lock()

    def work():
        session, count = None, 0
        while True:
            with lock:
                if not todo:
                    break
                letter = todo.pop()
            try:
                if session is None or count % 100 == 0:
                    if session:
                        session.close()
                    session = site.connect()
                count += 1
                data = message(letter.header, letter.token, b"Hello.")
                utf8 = any("unicode" in s.kinds or s.address[1] == "b\u00fccher.test" for s in letter.spellings)
                letter.replies, letter.reply = transact(session, [s.line for s in letter.spellings], data, utf8)
            except (OSError, AssertionError, ValueError) as error:
                with lock:
                    errors.append("%s: %s" % (letter.text(), error))
                session = None
                if len(errors) > 20:
                    break
    threads = [threading.Thread(target=work, daemon=True) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(errors, [], "sessions")


def collect(site, letters):
    """Reads what was delivered, when nothing is under way any more."""
    m.wait_for(site.is_quiet, "an empty queue of " + site.name, LONG)
    by_token = {letter.token: letter for letter in letters}
    root = os.path.join(site.instance.root, "mail")
    for folder in os.listdir(root):
        new = os.path.join(root, folder, "new")
        for name in os.listdir(new) if os.path.isdir(new) else ():
            path = os.path.join(new, name)
            with open(path, "rb") as f:
                head = f.read().partition(b"\n\n")[0].decode("latin-1")
            found = re.search(r"^X-Test-Token: (\S+)$", head, re.M)
            if found and found.group(1) in by_token:
                by_token[found.group(1)].copies.append((folder, m.split_fields(head)))
            os.unlink(path)


# -- what must hold -------------------------------------------------------------------------------


def owned_of(fields):
    names = [name.lower() for name in EVERY_OWNED]
    return [(name.strip(), raw.replace("\n", "").strip(" \t")) for name, raw in fields if name.strip().lower() in names]


def state(letter, fields, name):
    """Returns what a copy is: "stamped" by this list, "cleaned", "spared", "unchanged", or what is wrong with it."""
    got = owned_of(fields)
    sent = owned_of(m.split_fields("\n".join(letter.header)))
    return ("cleaned" if not got else "unchanged" if got == sent else "spared" if got == spared(sent) else
            "stamped" if name is not None and got == expected_fields(name, letter.message_id) else "mixed")


def spared(fields):
    """Returns what a feed leaves to a private recipient of the same transaction (RULINGS 70)."""
    gone = "x-list-|(x-)?message-id-hash$|x-message-id-header$|list-sequence$|x-alt-message-id$"
    return [(name, value) for name, value in fields
            if not re.match(gone, name.lower())
            and not (name.lower() == "list-id" and value.rpartition("<")[2][:-1] in NAMESPACES)]


def is_unclear(letter):
    """Is it for the MTA to say which of the domains in it is meant? With a delimiter before the domain in
    team+x%other.test@mx.test, it says team+x@other.test, and the argument team of mx.test."""
    ways = [len({"percent", "bang", "at"} & set(s.kinds)) + ("delimiter" in s.kinds) for s in letter.spellings]
    return max(ways) > 1 or any("noise" in s.kinds for s in letter.spellings)


def is_nobodys(s):
    """True for an address below a contact, for which RULINGS 112 has no step."""
    return s.address[0] in CONTACTS and "delimiter" in s.kinds


def is_simple(s):
    """True if the MTA takes it for the address for certain."""
    return set(s.kinds) <= {"plain", "letters", "dots", "no_domain", "route", "parameters"}


def right_states(s, unclear, others):
    """Returns what a message for this spelling may be at a member, or at a contact's mailbox. others: it has
    other recipients, too."""
    local, domain = s.address
    name = list_of(local, domain)
    if is_nobodys(s):  # at a member, where the delimiter led there
        return {"stamped"}
    if local in CONTACTS:
        right = {"cleaned"} if name != FEED else {"spared", "cleaned"} if others else {"spared"}
        is_another = {"noise", "at"} & set(s.kinds)  # team+moderators\@mx.test may be another extension of team
        return right | {"cleaned" if name == FEED else "stamped"} if is_another else right
    if domain == LOCAL_DELEGATE and name in OWN:  # contested (RULINGS 111), but for "team" in `aliases`
        is_named = name == "team" and "delimiter" not in s.kinds
        return {"stamped"} if is_named and not unclear else {"cleaned", "stamped"} if unclear else {"cleaned"}
    if name == FEED:
        return {"cleaned", "spared"}
    return {"stamped"}


def judge(site, letter):
    places = {**MEMBERS, **PERSONS}
    reached = {places[folder] for folder, _ in letter.copies if folder in places}
    unclear = is_unclear(letter)
    # Sendmail reads an address in quotes again. Its {rcpt_addr} has no domain, and a delegate's list no bare name.
    unread = site.name == "Sendmail" and (unclear or any("at" in s.kinds for s in letter.spellings))
    of_contacts = all(s.address[0] in CONTACTS and not is_nobodys(s) for s in letter.spellings)
    if len(reached) > 1 and not of_contacts and not any(is_nobodys(s) for s in letter.spellings):
        letter.faults.append("one transaction for " + " and ".join(sorted(reached)))  # RULINGS 109
    for folder, fields in letter.copies:
        if folder in PERSONS and any(is_nobodys(s) for s in letter.spellings):
            continue
        name = places.get(folder)
        got = state(letter, fields, name)
        letter.verdicts.add(got if name else "elsewhere")
        if name and letter.wanted == "list":
            spellings = [s for s in letter.spellings if list_of(*s.address) == name] or letter.spellings
            others = len(letter.spellings) > 1
            wanted = set().union(*(right_states(s, unclear or unread, others) for s in spellings))
            if unread and any("@".join(s.address) in DELEGATED.values() for s in spellings):
                wanted.add("unchanged")
        elif name:
            wanted = {"stamped", "cleaned", "spared"}
        elif letter.wanted == "friend" and any({"at", "quoted_pairs"} & set(s.kinds) for s in letter.spellings):
            continue  # Sendmail's {rcpt_addr} may say team@mx.test of the unknown user "team@mx.test"
        elif letter.wanted == "friend":
            wanted = {"unchanged"}
        elif of_contacts and all(is_simple(s) and list_of(*s.address) != FEED for s in letter.spellings):
            wanted = {"cleaned"}  # a contact's mail, at whoever gets it
        else:
            continue  # what the MTA made of it is nobody whom the test knows
        if got not in wanted:
            letter.faults.append("at %s: %s" % (folder, got))


def report(site, title, letters):
    """Counts what became of them, shows those that are not as they must be, and fails if there is one, or if few arrive."""
    counts = collections.Counter(verdict for letter in letters for verdict in letter.verdicts)
    counts.update("accepted" if letter.accepted else "refused" for letter in letters)
    arrived = sum(any(folder in MEMBERS or folder in PERSONS for folder, _ in letter.copies) for letter in letters)
    diagnose("%s, %s: %d tried, %d arrived, %s" % (site.name, title, len(letters), arrived,
                                                  ", ".join("%d %s" % (n, what) for what, n in sorted(counts.items()))))
    bad = [letter for letter in letters if letter.faults]
    for letter in bad[:15]:
        diagnose("%s  (of %s; %s): %s" % (letter.text(), "@".join(letter.spellings[0].address),
                                          ", ".join(letter.spellings[0].kinds), "; ".join(letter.faults)))
        diagnose("    left: %s" % owned_of(letter.copies[0][1])[:6])
        for daemon in site.instance.daemons.values():
            for line in daemon.log().split("\n"):
                if letter.message_id in line:
                    diagnose("    said: %s" % line)
    equal(len(bad), 0, "messages that are not as they must be (SEED=%d)" % SEED)
    check(arrived * 5 > len(letters) or "friends" in title, "few arrive: %d of %d" % (arrived, len(letters)))


# -- the cases ------------------------------------------------------------------------------------


sites, missing = {}, {}
_tokens = iter(range(1, 1 << 30))


def speller(dice, site=None):
    return Speller(dice, ["mx.test", "other.test", "localhost", "[127.0.0.1]", "example.org", PRIVATE_DOMAIN],
                   unicode=site is not None and site.name == "Postfix")  # Sendmail knows no SMTPUTF8


def new_letters(dice, count, choose, wanted):
    return [Letter(dice, "s%dx%d" % (os.getpid(), next(_tokens)), choose(), wanted) for _ in range(count)]


def finish(site, title, letters):
    collect(site, letters)
    for letter in letters:
        judge(site, letter)
    report(site, title, letters)


def run(site, title, letters):
    send_all(site, letters)
    finish(site, title, letters)


def of_both(text):
    """Registers a case that is tried with both MTAs; what one cannot do does not keep the other from it."""
    def register(function):
        def each():
            if not sites:
                raise Skip("no MTA")
            trouble = []
            for site in list(sites.values()):
                try:
                    function(site, random.Random("%d %s %s" % (SEED, site.name, function.__name__)))
                except AssertionError as error:
                    trouble.append("%s: %s" % (site.name, error))
            check(not trouble, "\n".join(trouble))
        case(text, LONG)(each)
        return function
    return register


@case("Postfix and Sendmail start", 400)
def start():
    diagnose("SPELLINGS=%d" % COUNT)
    sites.update(start_each({kind.name: kind for kind in (SendmailSite, PostfixSite)
                             if os.environ.get("SPELLINGS_MTA", kind.name) == kind.name}, missing))


@of_both("a list's address in any spelling: what arrives at a member is clean and stamped, at a list manager clean "
         "(RULINGS 20, 21, 111, 112, 129; SU-07, SU-16, LH-08, LI-12)")
def lists(site, dice):
    make = speller(dice, site)
    run(site, "spellings of lists", new_letters(dice, COUNT, lambda: [make.spell(*dice.choice(site.bases))], "list"))


@of_both("a list's address in any spelling by sendmail(1), where the MTA reports what was typed: clean and stamped (RULINGS 95)")
def by_command(site, dice):
    make = speller(dice, site)
    kinds = ["delimiter", "literals", "letters", "dots", "no_domain", "percent", "bang", "quotes"]
    kinds += ["unicode"] if "unicode" in make.kinds else []

    def one():
        return [make.spell(*dice.choice(site.bases), kinds=dice.sample(kinds, dice.choice((0, 1, 1, 2, 3))))]
    letters = [letter for letter in new_letters(dice, COUNT // 5, one, "list")
               if not letter.spellings[0].line.startswith(b"<-")
               and b'""' not in letter.spellings[0].line]  # Postfix' sendmail takes it for two addresses
    for letter in letters:
        try:
            site.instance.sendmail(letter.header, [letter.spellings[0].line[1:-1]], sender="mallory@evil.example",
                                   token=letter.token)
            letter.reply = (250, "")
        except subprocess.CalledProcessError as error:  # it is no address for that MTA
            letter.reply = (550, str(error))
    finish(site, "by sendmail(1)", letters)


@of_both("another's address that is much like a list's, in any spelling: what arrives there is unchanged (RULINGS 21)")
def friends(site, dice):
    make = speller(dice)
    # "news+x%private.test"@mx.test says news+... of mx.test to who does not know "%", as the milter.
    safe = [kind for kind in make.kinds if kind not in ("noise", "delimiter")]
    make.kinds.remove("noise")

    def one():
        friend = dice.choice(site.friends)
        some = dice.sample(safe, dice.choice((0, 1, 2, 3)))
        return [make.spell(*friend, kinds=some if friend[1] == PRIVATE_DOMAIN else None)]
    run(site, "spellings of friends", new_letters(dice, COUNT // 3, one, "friend"))


@of_both("two lists, or contacts of theirs, in one transaction, in any spelling: the second is put off (RULINGS 22, 109)")
def crossposts(site, dice):
    make = speller(dice)

    def two():
        first = dice.choice(site.bases)
        second = dice.choice([b for b in site.bases if list_of(*b) != list_of(*first)])
        return [make.spell(*first), make.spell(*second)]
    letters = new_letters(dice, COUNT // 5, two, "list")
    run(site, "crossposts", letters)
    check(any(reply[0] == 452 and reply[1].startswith(b"4.5.3") for letter in letters for reply in letter.replies), "none was put off")


def stop():
    while sites:
        sites.popitem()[1].close()


clean_up("the MTAs stop", stop)
main()
