"""Known answers: the rows of tests/unit/ids.txt, which has the only copy of each; and what is computed apart from the program."""

import base64
import hashlib
import hmac
import os
import re

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "ids.txt")
_BYTES = {"n": "\n", "r": "\r", "t": "\t", "s": " ", "\\": "\\"}


def _text(escaped):
    return re.sub(r"\\(?:x(..)|(.))", lambda m: chr(int(m.group(1), 16)) if m.group(1) else _BYTES[m.group(2)], escaped)


def vectors(function):
    """Returns [(argument, result)] of a function of one argument."""
    with open(_FILE, encoding="utf-8") as f:
        section = re.search(r"^== [^:\n]*\b%s\b[^\n]*\n((?:.+\n)*)" % function, f.read(), re.M).group(1)
    rows = re.findall(r"^(?!#)(.*?) ?-> ?(.*?)(?:  # .*)?$", section, re.M)
    assert rows, function
    return [(_text(argument.strip()), _text(result)) for cases, result in rows for argument in cases.split(" | ")]


# Of Message-ID and Date in the examples of the specification, revision 1 and the final text.
HASH = vectors("message_id_hash")[0][1].split()[-1]
REV1 = vectors("message_id_list_hash")[0][1]


def hash_of(bare):
    """Returns the hash of bytes, or of a text: of a bare Message-ID (SU-01), or of Message-ID and Date (R1-01)."""
    return base64.b32encode(hashlib.sha1(bare if isinstance(bare, bytes) else bare.encode()).digest()).decode()


def token_of(key, list_id, address):
    """Returns a recipient's token for one-click unsubscription (RULINGS 17)."""
    text = list_id.lower() + "\n" + address.lower()
    return base64.urlsafe_b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode().rstrip("=")
