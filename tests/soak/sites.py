"""A private Postfix for the soak, and logs that are read as they grow."""

MEMBERS = ["m1@box.test", "m2@box.test", "m3@box.test"]
OPTIONS = ["--hostname", "mx.test", "--virtual-domain", "example.org",
           "--virtual", "club@example.org=club@mx.test", "--alias", "club=:include:{members}",
           "--virtual", "crew@example.org=crew@box.test", "--virtual", "sub@example.org=sub@box.test",
           "--mailboxes", "box.test", "--mailbox", "friend@example.net",
           "--mailbox", "announce@lists.example.org",
           # Thousands of connections a minute are what this is for.
           "--main", "smtpd_client_connection_rate_limit = 0"]
for member in MEMBERS:
    OPTIONS += ["--mailbox", member]
MAILBOXES = ["m1", "m2", "m3", "inbox", "friend", "announce"]


class Tail:
    """The whole lines that were added to a file since the last look. A file that is replaced is read
    to its end by whoever replaces it."""

    def __init__(self, path):
        self.path, self.at, self.rest = path, 0, ""

    def lines(self):
        try:
            with open(self.path, "rb") as f:
                f.seek(self.at)
                data = f.read()
        except OSError:
            return []
        self.at += len(data)
        lines = (self.rest + data.decode("latin-1")).split("\n")
        self.rest = lines.pop()
        return lines
