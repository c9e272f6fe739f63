"""mlmmj, Postfix and the daemon on a private host, nginx, and a list whose archive is made as the page says."""

import os
import re
import shutil
import tempfile

import fake_mta as m
import list_host as h
import page
import private_mlmmj
from instance import close_all
from servers import start_nginx
from tap import clean_up

LIST = "dev@lists.example.org"
BEFORE = "Before public-inbox and MHonArc"
_folders = []


class ArchiveHost:
    def __init__(self, title):
        """Everything but the archive: Postfix delivers to users, nginx has no site."""
        self.folder = tempfile.mkdtemp(prefix="mlmilter-archive-")
        os.chmod(self.folder, 0o755)
        _folders.append(self.folder)
        self.mlmmj = private_mlmmj.Mlmmj(self.folder)
        self.mlmmj.create("dev")
        os.makedirs("/var/spool/mlmmj", exist_ok=True)
        os.symlink(self.mlmmj.path("dev"), "/var/spool/mlmmj/dev")
        keys = page.keys(title)
        self.mail = h.ListHost(h.import_lists("mlmmj", [self.mlmmj.spool]), ["ann", "olga"], self.mlmmj.options() + [
            "--main", "mail_spool_directory = /var/mail"], archive=keys["archive"], link=keys["archived_at"])
        self.mlmmj.control("dev", "smtpport", str(self.mail.ports["unix"]))
        self.mlmmj.subscribe("dev", "ann@box.test")
        start_nginx()

    def post(self, message_id, text, to=LIST):
        """A post with this body: the member's copy."""
        self.mail.post(h.post_header(message_id, "ann@box.test", to), LIST, "ann@box.test", body=text.encode() + b"\r\n")
        return self.mail.arrive("ann", "the post", Message_ID=re.escape(message_id), text=re.escape(text))


def _close_all():
    close_all()
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)


clean_up("servers stop", _close_all)


def wait_for_mail(path, text, seconds=60):
    def there():
        try:
            with open(path, encoding="latin-1") as f:
                return text in f.read()
        except OSError:
            return False
    m.wait_for(there, "%s in %s" % (text, path), seconds)
