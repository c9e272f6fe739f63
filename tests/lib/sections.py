"""Many small files in one: cases of tests/golden.

    === NAME: ABOUT         begins a case; a file of sections alone has none
    == NAME                 begins a section: all bytes up to the next such line
    == NAME, escaped        begins a section in which \\r, \\xHH and \\\\ are bytes, and a backslash at the
                            end of a line is nothing, so that the last line feed may be missing

A content that would be misread, or is not text, is escaped. The file is UTF-8 with line feeds. There is
one way to write it: render(parse(x)) == x, and render_cases(parse_cases(x)) == x.
"""

import re

_HEAD = re.compile(rb"== ([^\s,][^,\n]*?)(, escaped)?\n")
_CONTROL = rb"[\0-\x08\x0b-\x1f\x7f]"
_ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|[r\\\n]|)")


def _unescape(match):
    code = match.group(1)
    if code[:1] == b"x":
        return bytes([int(code[1:], 16)])
    return {b"r": b"\r", b"\\": b"\\", b"\n": b""}[code]


def _is_utf8(content):
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(content):
    return _is_utf8(content) and content[-1:] in (b"", b"\n") and not re.search(rb"%s|^==" % _CONTROL, content, re.M)


def _escape(content):
    odd = _CONTROL if _is_utf8(content) else rb"[^\t\n -~]"
    text = content.replace(b"\\", b"\\\\").replace(b"\r", b"\\r")
    text = re.sub(odd + rb"|^=(?==)", lambda match: b"\\x%02x" % match.group()[0], text, flags=re.M)
    return text if text.endswith(b"\n") else text + b"\\\n"


def parse(text):
    """{name: content} in the order of the text; ValueError says in which line it is none."""
    sections = {}
    name = None
    for number, line in enumerate(re.findall(rb"[^\n]*\n|[^\n]+", text), 1):
        head = _HEAD.fullmatch(line)
        if head is not None and head.group(1).decode("utf-8") not in sections:
            name, escaped = head.group(1).decode("utf-8"), head.group(2)
            sections[name] = b""
        elif name is None or line.startswith(b"==") or not line.endswith(b"\n"):
            raise ValueError("line %d: no section, one for the second time, or an unfinished line" % number)
        else:
            try:
                sections[name] += _ESCAPE.sub(_unescape, line) if escaped else line
            except KeyError:
                raise ValueError("line %d: a backslash with nothing known behind it" % number) from None
    return sections


def render(sections):
    parts = []
    for name, content in sections.items():
        plain = _is_plain(content)
        parts.append(b"== %s%s\n" % (name.encode("utf-8"), b"" if plain else b", escaped"))
        parts.append(content if plain else _escape(content))
    return b"".join(parts)


def parse_cases(text):
    """[(name, about, sections)] in the order of the text."""
    cases = []
    for part in re.split(rb"^=== ", text, flags=re.M)[1:]:
        head, _, rest = part.decode("utf-8").partition("\n")
        name, _, about = head.partition(": ")
        try:
            cases.append((name, about, parse(rest.encode("utf-8"))))
        except ValueError as error:
            raise ValueError("case %s: %s" % (name, error)) from None
    return cases


def render_cases(cases):
    return b"".join(("=== %s: %s\n" % (name, about)).encode("utf-8") + render(sections)
                    for name, about, sections in cases)
