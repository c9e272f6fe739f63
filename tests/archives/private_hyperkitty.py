"""HyperKitty, installed or unpacked (contrib/private-packages hyperkitty), as Debian's mailman3-web sets it up, with
an SQLite database in a folder of its own; and what Mailman needs to put posts into it.

Django's own server answers. Debian has uWSGI there, and a web server in front of it."""

import os
import signal
import subprocess

import fake_mta as m
from daemon import free_port
from list_host import ProgramFolder, as_nobody, program, run
from web import get

ROOT = program("hyperkitty", "HYPERKITTY_ROOT", "/usr/share/mailman3-web/manage.py")
MODULES = ROOT + "/usr/lib/python3/dist-packages"
WEB = ROOT + "/usr/share/mailman3-web"
# Debian's /etc/mailman3/mailman-web.py. Tasks run when they are asked for, not in a process that waits for some.
SETTINGS = """
import settings
SECRET_KEY = MAILMAN_ARCHIVER_KEY = "kettle"
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "{folder}/web.db"}}}}
HAYSTACK_CONNECTIONS = {{"default": {{"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
                                     "PATH": "{folder}/index"}}}}
STATIC_ROOT = "{folder}/static"
COMPRESS_ENABLED = False
Q_CLUSTER = dict(settings.Q_CLUSTER, sync=True)
LOGGING = {{"version": 1, "disable_existing_loggers": False,
           "handlers": {{"console": {{"class": "logging.StreamHandler"}}}},
           "root": {{"handlers": ["console"], "level": "INFO"}}}}
"""
# Debian's mailman_cfg_hyperkitty_snippet.cfg and mailman-hyperkitty.cfg
ARCHIVER = """
[archiver.hyperkitty]
class: mailman_hyperkitty.Archiver
enable: yes
configuration: {folder}/mailman-hyperkitty.cfg
"""
CONFIGURATION = "[general]\nbase_url: {base}/\napi_key: kettle\n"


class HyperKitty(ProgramFolder):
    def __init__(self):
        super().__init__("mlmilter-hyperkitty-")
        self.port = free_port()
        self.site = "http://127.0.0.1:%d" % self.port
        self.base = self.site + "/hyperkitty"
        self.server = None
        # The folder comes before Debian's, which may have a settings_local of this host.
        self.environment = dict(os.environ, HOME=self.folder, PYTHONPATH=":".join((self.folder, WEB, MODULES)),
                                DJANGO_SETTINGS_MODULE="settings", PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8")
        self.archiver = ARCHIVER.format(folder=self.folder)
        self.write("settings_local.py", SETTINGS.format(folder=self.folder))
        self.write("mailman-hyperkitty.cfg", CONFIGURATION.format(base=self.base))

    def start(self):
        """Makes the database and serves; returns when a page is there."""
        run(["/usr/bin/python3", "-m", "django", "migrate", "--no-input", "--verbosity", "0"], env=self.environment,
            cwd=self.folder, preexec_fn=as_nobody)
        with open(self.path("out"), "ab") as out:
            self.server = subprocess.Popen(
                ["/usr/bin/python3", "-m", "django", "runserver", "--noreload", "127.0.0.1:%d" % self.port],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environment, cwd=self.folder,
                preexec_fn=as_nobody)
        m.wait_for(lambda: self.server.poll() is not None or get(self.base + "/")[0] == 200,
                   "HyperKitty's first page", 60)
        if self.server.poll() is not None:
            raise AssertionError("HyperKitty did not start:\n" + self.log()[-3000:])

    def log(self):
        return self.read("out")

    def remove(self):
        if self.server is not None and self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait(30)
        super().remove()
