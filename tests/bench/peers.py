"""Other milters that are installed here: rspamd and python3-milter do what mlmilter does, OpenDKIM signs."""

import glob
import os
import shutil
import subprocess
import sys

from fixed_fields import FIELDS
from signature import make_key
from subjects import HERE, Subject

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
PYTHONS = (sys.executable, "/usr/bin/python3")  # Debian's packages are for the second one

RSPAMD = '''
options {{
  pidfile = "{dir}/pid";
  filters = "";
  tempdir = "{dir}";
  hs_cache_dir = "{dir}";
  rrd = "{dir}/rrd";
  stats_file = "{dir}/stats";
  dynamic_conf = "{dir}/dynamic";
  control_socket = "{dir}/control mode=0600";
  one_shot = true;
  dns {{ nameserver = ["127.0.0.1:1"]; timeout = 0.1s; retransmits = 0; }}
}}
logging {{ type = "file"; filename = "{dir}/rspamd.log"; level = "error"; }}
actions {{ reject = 100; add_header = 90; greylist = 80; }}
worker "rspamd_proxy" {{
  bind_socket = "{socket}";
  milter = yes;
  count = {cores};
  timeout = 30s;
  upstream "own" {{ default = yes; self_scan = yes; }}
}}
lua = "{dir}/rule.lua";
'''
RULE = '''
local hash = require "rspamd_cryptobox_hash"
rspamd_config:register_symbol {
  name = "LIST_FIELDS", type = "callback", score = 0.0,
  callback = function(task)
    if not (task:get_header("List-Id") or ""):find("<announce.lists.example.org>", 1, true) then return end
    local digest = hash.create_specific("sha1", task:get_message_id()):base32("rfc"):upper()
    task:set_milter_reply {
      remove_headers = { ["List-Id"] = 0, ["Message-ID-Hash"] = 0, ["Archived-At"] = 0 },
      add_headers = {
        ["Message-ID-Hash"] = digest,
        ["Archived-At"] = "<https://lists.example.org/announce/" .. digest .. ">",
%s
      }
    }
  end
}
'''
OPENDKIM = '''
Syslog no
UMask 000
RequireSafeKeys no
Mode s
Domain example.net
Selector bench
KeyFile {key}
Canonicalization relaxed/simple
Socket {socket}
'''


def cores():
    return len(os.sched_getaffinity(0))


class Rspamd(Subject):
    def __init__(self, kind):
        super().__init__("rspamd, a Lua rule", kind)
        fields = "\n".join('        ["%s"] = "%s",' % field for field in FIELDS)
        socket = "127.0.0.1:%d" % self.port if kind == "inet" else self.address[5:] + " mode=0666"
        self.write("rule.lua", RULE % fields)
        conf = self.write("conf", RSPAMD.format(dir=self.folder, socket=socket, cores=cores()))
        self.begin([shutil.which("rspamd", path=PATH), "-f", "-i", "-c", conf])

    @staticmethod
    def is_there():
        return shutil.which("rspamd", path=PATH)


class OpenDkim(Subject):
    def __init__(self, kind):
        super().__init__("OpenDKIM, signing", kind)
        key = make_key(self.folder)[0]
        socket = self.address if kind == "inet" else "local:" + self.address[5:]
        conf = self.write("conf", OPENDKIM.format(key=key, socket=socket))
        root, environment = os.environ.get("OPENDKIM_ROOT", ""), dict(os.environ)
        if root:
            environment["LD_LIBRARY_PATH"] = ":".join([root + "/usr/lib"] + glob.glob(root + "/usr/lib/*-linux-*")
                                                      + glob.glob(root + "/lib/*-linux-*"))
        self.begin([self.is_there(), "-f", "-x", conf], env=environment)

    @staticmethod
    def is_there():
        root = os.environ.get("OPENDKIM_ROOT", "")
        path = root + "/usr/sbin:" + PATH if root else PATH
        return shutil.which("openssl") and shutil.which("opendkim", path=path)


class PythonMilter(Subject):
    def __init__(self, kind):
        super().__init__("python3-milter", kind)
        self.begin([self.is_there(), os.path.join(HERE, "python_peer.py"), self.address])

    @staticmethod
    def is_there():
        for python in PYTHONS:
            if os.access(python, os.X_OK) and subprocess.run(
                    [python, "-c", "import Milter"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, timeout=20).returncode == 0:
                return python
        return None


KINDS = {"rspamd": Rspamd, "OpenDKIM": OpenDkim, "python3-milter": PythonMilter}
