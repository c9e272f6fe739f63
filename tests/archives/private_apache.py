"""A private Apache on a private host, as Debian's package starts it, which was only unpacked."""

import subprocess

import page
from tap import clean_up

_running = []


def start():
    page.type_in("a2enmod -q mpm_event authz_core alias mime dir")
    page.type_in("mkdir -p /var/log/apache2 /run/apache2 /run/lock/apache2")
    _running.append(True)
    page.type_in("apachectl start")


def stop():
    if _running:
        _running.clear()
        subprocess.run(["apachectl", "stop"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=60)


clean_up("Apache stops", stop)
