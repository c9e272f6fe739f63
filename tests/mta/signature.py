"""DKIM as RFC 6376 says, for one kind of signature: rsa-sha256, header relaxed, body simple.

A verifier of its own, so that the signer is not asked whether it was right. The one step that
Python's library lacks, RSA, is openssl(1)'s.
"""

import base64
import hashlib
import os
import re
import subprocess
import tempfile


def make_key(folder):
    """Makes a key pair; the names of the files with the private and the public key."""
    private, public = os.path.join(folder, "dkim.private"), os.path.join(folder, "dkim.public")
    for command in (["genrsa", "-out", private, "2048"], ["rsa", "-in", private, "-pubout", "-out", public]):
        subprocess.run(["openssl"] + command, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    return private, public


def tags(value):
    """The tag list of an unfolded DKIM-Signature, without white space."""
    pairs = re.sub(r"[ \t\r\n]+", "", value).rstrip(";").split(";")
    return dict(pair.split("=", 1) for pair in pairs)


def signed_names(value):
    return [name.lower() for name in tags(value)["h"].split(":")]


def _relaxed(name, raw):
    return name.strip().lower() + ":" + re.sub(r"[ \t]+", " ", raw.replace("\n", "")).strip(" ")


def _signed_text(fields, signature):
    """What was signed: the fields of h=, each name from the lowest copy upwards, then the signature
    field with an empty b= (RFC 6376 3.7, 5.4.2)."""
    left, lines = list(fields), []
    for wanted in signed_names(signature):
        for at in range(len(left) - 1, -1, -1):
            if left[at][0].strip().lower() == wanted:
                lines.append(_relaxed(*left.pop(at)))
                break
    unsigned = re.sub(r"(^|;)([ \t\n]*b[ \t\n]*=)[^;]*", r"\1\2", signature)
    return "\r\n".join(lines + [_relaxed("DKIM-Signature", unsigned)])


def _body_hash(body):
    text = body.replace(b"\r\n", b"\n").rstrip(b"\n").replace(b"\n", b"\r\n") + b"\r\n"
    return base64.b64encode(hashlib.sha256(text).digest()).decode("ascii")


def is_valid(fields, body, signature, public):
    """Does this DKIM-Signature, one of the fields (name, all behind the colon), verify?"""
    found = tags(signature)
    if (found["a"], found["c"]) != ("rsa-sha256", "relaxed/simple"):
        raise AssertionError("not this kind of signature: " + signature)
    if found["bh"] != _body_hash(body):
        return False
    with tempfile.NamedTemporaryFile() as b:
        b.write(base64.b64decode(found["b"]))
        b.flush()
        done = subprocess.run(["openssl", "dgst", "-sha256", "-verify", public, "-signature", b.name],
                              input=_signed_text(fields, signature).encode("latin-1"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
    return done.returncode == 0
