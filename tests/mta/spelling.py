"""Random spellings of an address, as the argument of RCPT: what an MTA may take for the same mailbox.

An address is a list of tokens, between which RFC 5322 lets comments and blanks stand. Each kind of spelling
changes the tokens or what is around them; a spelling is of several kinds at once. Not all are valid: which
of them it takes, and what for, is the MTA's business.
"""

import collections

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
