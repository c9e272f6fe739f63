"""A host of a real list manager: a private Postfix with the daemon on both ways, and mailboxes of people.

Posts come in from a client that nobody trusts; what the list manager sends comes from loopback.
"""

import os
import pwd
import re
import shutil
import subprocess
import tempfile

import fake_mta as m
import tap
from common import OWNED, REMOTE, hash_of, unfolded
from instance import Instance

CTL = os.environ.get("MLMILTERCTL", "src/mlmilterctl")
DOMAIN = "lists.example.org"
ARCHIVE = "https://lists.example.org/{list_label}/"
LINK = "{archive}/{message_id_hash}"
# All that the administrator types.
DEFAULTS = """
defaults {
  archive     = {"%s"}
  archived_at = {"%s"}
%s}
"""
LIES = ["List-Id: <forged.example>", "List-Unsubscribe: <https://evil.example/>",
        "Archived-At: <https://evil.example/>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "X-List-Sequence: 4711", "Message-ID-Hash: FORGED", "List-Post: <mailto:evil@evil.example>",
        "X-List-Sequence-Number: 4711", "List-Owner: <mailto:evil@evil.example>"]


def program(group, variable, path):
    """A list manager's folder: what the variable names, "" where `path` is installed; else the file is skipped."""
    root = os.environ.get(variable, "")
    if os.access(root + path, os.X_OK):
        return root
    tap.skip_all("no %s (contrib/private-packages %s DIR, %s=DIR)" % (path, group, variable))


def as_nobody():
    """For a program that is started."""
    nobody = pwd.getpwnam("nobody")
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
    os.umask(0o022)


def run(arguments, text="", seconds=120, **more):
    """Runs a program of the list manager's to its end; what it prints."""
    done = subprocess.run(arguments, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=seconds, **more)
    if done.returncode != 0:
        raise AssertionError("%s: status %d\n%s" % (" ".join(arguments), done.returncode,
                                                   (done.stdout + done.stderr).decode("utf-8", "replace")))
    return done.stdout.decode("utf-8", "replace")


class ProgramFolder:
    """A folder of the user nobody for a program."""

    def __init__(self, prefix):
        self.folder = tempfile.mkdtemp(prefix=prefix)
        os.chmod(self.folder, 0o755)
        shutil.chown(self.folder, "nobody")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        """Returns the text of a file; a log may have any bytes."""
        with open(self.path(name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Mail:
    """A message in somebody's mailbox."""

    def __init__(self, octets):
        head, _, self.body = octets.partition(b"\n\n")
        self.header = m.split_fields(head.decode("latin-1"))
        self.sender = m.values(self.header, "Return-Path")[0].strip("<>")

    def value(self, name):
        return ", ".join(m.values(self.header, name))

    def owned(self):
        """The fields that only a list may set."""
        names = [n.lower() for n in OWNED]
        return [f for f in unfolded(self.header) if f[0].strip().lower() in names]

    def text(self):
        return "\n".join("%s:%s" % f for f in self.header) + "\n\n" + self.body.decode("latin-1")


class ListHost(Instance):
    """people: local parts of box.test that have a mailbox of their own."""

    def __init__(self, lists, people, options, delimiters="+", typed="", archive=ARCHIVE, link=LINK):
        """typed: what the administrator adds to mlmilter.conf; archive, link: his archive and archived_at."""
        for person in people:
            options = options + ["--mailbox", person + "@box.test"]
        self.read = {}
        super().__init__(lists, (), options + ["--main", "recipient_delimiter = " + delimiters],
                         extra=DEFAULTS % (archive, link, typed), recipient_delimiter='"%s"' % delimiters)
        run([CTL, "-c", self.daemons["unix"].path("mlmilter.conf"), "check"])

    def post(self, header, recipient, sender, port="remote", client=REMOTE, body=b"The kettle is on.\r\n"):
        """A stranger's or a member's mail from outside; its token."""
        return self.send(header, [recipient], sender=sender, port=port, client=client, body=body)

    def arrive(self, person, what, seconds=60, **wanted):
        """The next message to this person, not yet taken, in which each field matches its pattern; `text` is the
        whole message, `sender` the envelope's."""
        folder = os.path.join(self.root, "mail", person, "new")

        def matches(mail):
            return all(re.search(pattern, {"sender": mail.sender, "text": mail.text()}.get(name) or
                                 mail.value(name.replace("_", "-"))) for name, pattern in wanted.items())

        def look():
            for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
                path = os.path.join(folder, name)
                if path not in self.read:
                    with open(path, "rb") as f:
                        self.read[path] = [Mail(f.read()), False]
                if not self.read[path][1] and matches(self.read[path][0]):
                    self.read[path][1] = True
                    return self.read[path][0]
            return None
        try:
            return m.wait_for(look, what, seconds)
        except AssertionError as error:
            there = [mail.text()[:600] for path, (mail, taken) in self.read.items() if not taken]
            raise AssertionError("%s\nnot taken: %s\n%s" % (error, "\n----\n".join(there), self.log()[-3000:]))


class ListMail:
    """The mail of one list: what its members and others send, and what they get. fields: of expect_post(); bounces: its
    envelope sender, "+x" in which is any."""

    def __init__(self, fields, bounces=None):
        self.fields, self.bounces, self.host = fields, bounces, None
        self.address = "%s@%s" % (fields["label"], DOMAIN)

    def send(self, header, to=None, sender="ann@box.test", **more):
        self.host.post(header, to or self.address, sender, **more)

    def post(self, sender="ann@box.test", readers=("ann",), header_from=None, to=None, number=None):
        """A post with all that a poster can forge, which its readers get stamped: the first copy."""
        message_id = "<%s@poster.example>" % m.new_queue_id()
        self.send(post_header(message_id, header_from or sender, self.address, *LIES), to, sender)
        return self.arrives(message_id, readers, number)

    def arrives(self, message_id, readers=("ann",), number=None):
        copies = [self.host.arrive(who, "the post", Message_ID=re.escape(message_id)) for who in readers]
        for copy in copies:
            expect_post(copy, self.fields, message_id, number)
        return copies[0]

    def nameless(self, readers, number=None):
        """A post without a Message-ID gets one for all copies."""
        self.send(["From: ann@box.test", "To: " + self.address, "Subject: Nameless"])
        copies = [self.host.arrive(who, "the post", Subject="Nameless") for who in readers]
        ids = {copy.value("Message-ID") for copy in copies}
        tap.check(len(ids) == 1 and "" not in ids, str(ids))
        for copy in copies:
            expect_post(copy, self.fields, copy.value("Message-ID"), number)

    def ask(self, what, who, *more, subject="Tea", delimiter="+"):
        """Mail to another address of the list."""
        to = "%s%s%s@%s" % (self.fields["label"], delimiter, what, DOMAIN)
        header = post_header("<%s@poster.example>" % m.new_queue_id(), who + "@box.test", to, *more)
        self.send([f if not f.startswith("Subject") else "Subject: " + subject for f in header], to, who + "@box.test")

    def answer(self, mail, who):
        """Sends a person's answer to the address that a mail names for it."""
        to = mail.value("Reply-To") or re.search(r"[\w.+-]+@" + re.escape(DOMAIN), mail.value("From")).group()
        self.send(post_header("<%s@x>" % m.new_queue_id(), who + "@box.test", to), to, who + "@box.test")

    def response(self, who, what, sender=None, **wanted):
        """Checks another mail of the list to this person: its fields, no link, no number."""
        mail = self.host.arrive(who, what, **wanted)
        expect_response(mail, self.fields)
        if sender or self.bounces:
            tap.equal(re.sub(r"\+[^@]*", "+x", mail.sender), sender or self.bounces)
        return mail


def import_lists(kind, arguments, text=""):
    """What `mlmilterctl import` prints: lists with this manager, which pass the check."""
    printed = run([CTL, "import", kind] + arguments, text)
    tap.check('manager = "%s"' % kind in printed, printed)
    return printed.encode("utf-8").decode("latin-1")  # which a daemon's files are written in


def post_header(message_id, sender, to, *more):
    return ["From: %s" % sender, "To: %s" % to, "Subject: Tea", "Date: Fri, 20 Nov 2026 09:00:00 +0000",
            "Message-ID: %s" % message_id] + list(more)


def expect_post(mail, fields, message_id, number=None):
    """A post: hash, link, the list's fields, number; nothing else that only a list may set."""
    h = hash_of(message_id)
    wanted = [("Message-ID-Hash", h), ("Archived-At", "<https://lists.example.org/%s/%s>" % (fields["label"], h))]
    tap.equal(mail.owned(), wanted + list_fields(fields) + ([("X-List-Sequence", number)] if number else []), mail.text())


def expect_response(mail, fields):
    """Checks another mail of the list: its fields, no link, no number."""
    wanted = [("Message-ID-Hash", hash_of(mail.value("Message-ID")))]
    tap.equal(mail.owned(), wanted + list_fields(fields), mail.text())


def list_fields(fields):
    return [("List-Id", fields["id"])] + [("List-" + name, "<mailto:%s>" % fields[name]) for name in (
        "Help", "Subscribe", "Unsubscribe", "Post", "Owner") if name in fields] + [
            ("List-Archive", "<https://lists.example.org/%s/>" % fields["label"])]
