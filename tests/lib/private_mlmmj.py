"""mlmmj, installed or unpacked (contrib/private-packages mlmmj), with a spool of its own."""

import os
import shutil
import subprocess

from list_host import DOMAIN, as_nobody, program, run

ROOT = program("mlmmj", "MLMMJ_ROOT", "/usr/bin/mlmmj-receive")
BIN = ROOT + "/usr/bin/"
# pipe(8) runs mlmmj-receive as its owner (README.postfix of mlmmj).
TRANSPORT = ("mlmmj unix - n n - - pipe\n  flags=ORhu user=nobody argv=%smlmmj-receive -F -L {spool}/$nexthop" % BIN)


class Mlmmj:
    def __init__(self, folder):
        self.spool = os.path.join(folder, "spool")
        os.mkdir(self.spool, 0o755)
        shutil.chown(self.spool, "nobody")
        self.names = []

    def options(self):
        """Postfix', as README.postfix of mlmmj has them; the names of all lists must be known."""
        found = ["--main", "mlmmj_destination_recipient_limit = 1", "--virtual-domain", DOMAIN,
                 "--master", TRANSPORT.replace("{spool}", self.spool)]
        for name in self.names:
            dummy = "%s.%s@localhost.mlmmj" % (name, DOMAIN)  # without a delimiter in it
            found += ["--virtual", "%s@%s=%s" % (name, DOMAIN, dummy),
                      "--transport", "%s=mlmmj:%s/%s" % (dummy, DOMAIN, name)]
        return found

    def path(self, name, *file):
        return os.path.join(self.spool, DOMAIN, name, *file)

    def create(self, name, owner="olga@box.test"):
        """mlmmj-make-ml, which asks for the domain, the owner and the texts."""
        run([BIN + "mlmmj-make-ml", "-L", name, "-s", os.path.join(self.spool, DOMAIN)],
            "%s\n%s\n%s/usr/share/mlmmj/text.skel/en\n" % (DOMAIN, owner, ROOT))
        self.names.append(name)
        self.control(name, "customheaders", "List-Id: <%s.%s>" % (name, DOMAIN))
        subprocess.run(["chown", "-R", "nobody:", self.spool], check=True, timeout=30)

    def control(self, name, file, text=""):
        """Writes a file of control/, or removes it when text is None."""
        path = self.path(name, "control", file)
        if text is None:
            os.remove(path)
            return
        with open(path, "w", encoding="utf-8") as f:
            f.write(text + "\n" if text else "")
        shutil.chown(path, "nobody")

    def subscribe(self, name, address, *options):
        run([BIN + "mlmmj-sub", "-L", self.path(name), "-a", address] + list(options), preexec_fn=as_nobody)

    def maintain(self, name):
        """Does what cron does every two hours."""
        run([BIN + "mlmmj-maintd", "-F", "-L", self.path(name)], preexec_fn=as_nobody)
