"""Check the tokens of one-click links without mlmilterctl (doc/one-click.md, part 3)."""
import base64
import hashlib
import hmac


def read_keys(path):
    with open(path, "rb") as f:
        text = f.read()
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]
    lines = [line[:-1] if line.endswith(b"\r") else line for line in text.split(b"\n")]
    return [line for line in lines if line and not line.startswith(b"#")]


def token_is_ours(keys, list_id, address, token):
    text = (list_id + "\n" + address).encode("utf-8").lower()
    for key in keys:
        digest = hmac.new(key, text, hashlib.sha256).digest()
        made = base64.urlsafe_b64encode(digest).rstrip(b"=")
        if hmac.compare_digest(made, token.encode("utf-8", "surrogateescape")):
            return True
    return False
