"""Text of others, made visible, and alias files: shared by doctor and import."""

import re

ALIAS_FILE_MAX = 64 * 1024 * 1024  # bytes; 100,000 aliases are some 5 MiB

# Characters that steer a terminal, end a line or turn the text around them (src/text/visible.h);
# surrogates are the bytes of what was not UTF-8.
INVISIBLE = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

SIMPLE_ALIAS = re.compile(r"""([^\s"\\:()<>,|/]+)[ \t]*:([^"\\()<>]*)""")
PIECES = re.compile(r"""\\.|[^\\"()<>,:]+|.""", re.DOTALL)


def decode(octets):
    """Returns bytes as text; each byte that is not UTF-8 becomes a surrogate."""
    return octets.decode("utf-8", "surrogateescape")


def visible(text, longest=1000):
    """Returns a text of one line that is safe on a terminal and in a comment."""
    if not text.isprintable():
        text = INVISIBLE.sub("?", text)
    return text if len(text) <= longest else text[:longest] + "..."


class Alias:
    """An alias of a file: targets are (kind, text), kind one of "|", "/", "include" and ""."""
    __slots__ = ("name", "targets", "line")

    def __init__(self, name, targets, line):
        self.name, self.targets, self.line = name, targets, line


def target_of(word):
    if word[0] == "|":
        return "|", word[1:].strip(" \t")
    if word[0] == "/":
        return "/", word
    if word[:9].lower() == ":include:":
        return "include", word[9:].strip(" \t")
    return "", word


def split_words(line):
    """Splits NAME: TARGET, TARGET into words with quotes undone; None without a name."""
    words, word, stop = [], "", ":"
    quoted, depth, begins = False, 0, True
    is_address = True  # "(", "<" and ">" mean something in an address only

    for piece in PIECES.findall(line):
        if depth > 0:
            depth += {"(": 1, ")": -1}.get(piece, 0)
            continue
        if begins and not quoted:
            piece = piece.lstrip(" \t")
            if piece == "":
                continue
            is_address = piece[0] not in "|/:"
            begins = piece == '"'  # what the quotes hold decides
        elif begins:
            is_address = piece[0] not in "|/:"
            begins = False
        if piece == '"':
            quoted = not quoted
        elif piece[0] == "\\":
            word += piece[1:]
        elif quoted:
            word += piece
        elif piece == stop:
            words.append(word.rstrip(" \t"))
            word, stop, begins, is_address = "", ",", True, True
        elif piece == "(" and is_address:
            depth = 1
        elif piece == "<" and is_address:
            word = ""
        elif piece != ">" or not is_address:
            word += piece
    if stop == ":" or words[0] == "":
        return None
    return words + [word.rstrip(" \t")]


def read_alias(line):
    """Returns (name, targets) of a line with its continuations joined, or None."""
    simple = SIMPLE_ALIAS.fullmatch(line)
    if simple is not None:
        name, rest = simple.groups()
        words = [word.strip(" \t") for word in rest.split(",")]
    else:
        words = split_words(line)
        if words is None:
            return None
        name, words = words[0], words[1:]
    return name, [target_of(word) for word in words if word]


def alias_lines(text):
    """Yields (line number, joined line), or (line number, None) for one that continues nothing."""
    begin, parts = 0, []
    for number, line in enumerate(text.split("\n"), 1):
        trimmed = line.strip(" \t\r\n\v\f")
        if trimmed == "" or trimmed[0] == "#":
            continue
        if line[0] not in " \t":
            if parts:
                yield begin, " ".join(parts)
            begin, parts = number, [trimmed]
        elif parts:
            parts.append(trimmed)
        else:
            yield number, None
    if parts:
        yield begin, " ".join(parts)


def read_aliases(text, fault):
    """Yields each Alias of an alias file (aliases(5)); calls fault(line, text) for what is none.

    Nothing is expanded: what an alias or an :include: leads to is for the caller to ask.
    """
    for number, line in alias_lines(text):
        if line is None:
            fault(number, "goes on with an alias, but there is none")
            continue
        found = read_alias(line)
        if found is None:
            fault(number, "is no alias (expected NAME: TARGET)")
        else:
            yield Alias(found[0], found[1], number)
