"""Web pages of an archive on loopback: a GET of what Archived-At says."""

import urllib.error
import urllib.request

import fake_mta as m
import tap

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(url, seconds=60):
    """Status and text of a page, redirections followed; (0, reason) where nobody answers. https is spoken as http:
    certificates are the web server's matter, not the archive's."""
    try:
        with _direct.open(url.replace("https://", "http://", 1), timeout=seconds) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")
    except OSError as error:
        return 0, str(error)


def link_of(mail):
    """The URL in the Archived-At of a member's copy."""
    value = mail.value("Archived-At")
    tap.check(value.startswith("<http") and value.endswith(">"), mail.text())
    return value[1:-1].replace(" ", "")


def expect_page(link, wanted, others=(), seconds=60):
    """The page of one post, once the archive has it: it has `wanted` of the post's body, and nothing of others."""
    seen = []

    def there():
        seen[:] = get(link)
        return seen[0] == 200 and wanted in seen[1]
    try:
        m.wait_for(there, "the page " + link, seconds)
    except AssertionError as error:
        raise AssertionError("%s: status %s\n%s" % (error, seen[0], seen[1][-3000:]))
    for other in others:
        tap.check(other not in seen[1], "%s has the other post %s as well:\n%s" % (link, other, seen[1]))
