"""A private nginx or Apache on a private host, as Debian's package starts it, which was only unpacked; and what it answers."""

import http.client
import subprocess

import fake_mta as m
import page
from tap import clean_up

_running = []  # the command that stops each


def start_nginx():
    page.type_in("nginx")
    _running.append(["nginx", "-s", "stop"])


def start_apache():
    page.type_in("a2enmod -q mpm_event authz_core alias mime dir")
    page.type_in("mkdir -p /var/log/apache2 /run/apache2 /run/lock/apache2")
    page.type_in("apachectl start")
    _running.append(["apachectl", "stop"])


def stop():
    while _running:
        subprocess.run(_running.pop(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=60)


def ask(path, method="GET", body=None):
    """Returns status, Content-Type, Location and text of an answer, which may be a redirection."""
    connection = http.client.HTTPConnection("lists.example.org", 80, timeout=30)
    connection.request(method, path, body=body, headers={"Content-Type": "application/x-www-form-urlencoded"} if body else {})
    answer = connection.getresponse()
    text = answer.read().decode("utf-8", "replace")
    connection.close()
    return answer.status, answer.getheader("Content-Type"), answer.getheader("Location"), text


def wait_for(path, wanted):
    """Waits until the server has its new configuration, and answers as wanted."""
    def there():
        try:
            return wanted(ask(path))
        except OSError:
            return False
    m.wait_for(there, path, 30)


clean_up("the web server stops", stop)
