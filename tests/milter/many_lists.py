"""What many lists cost: memory for each, and none that a reload leaves behind."""

import platform

import fake_mta as m
from daemon import Daemon, is_sanitized, main
from tap import case, check, skip_all

# Lists of one line each have all eight fields from `defaults`.
DEFAULTS = """trusted = {"127.0.0.0/8"}
defaults {
  address = "{list_label}@{list_namespace}"
  description = "The list {list_label}"
  help = {"mailto:{address_local}-request@{address_domain}?subject=help"}
  subscribe = {"mailto:{address_local}-join@{address_domain}"}
  unsubscribe = {"mailto:{address_local}-leave@{address_domain}"}
  owner = {"mailto:{address_local}-owner@{address_domain}"}
  post = {"mailto:{address}"}
  archive = {"https://lists.example.org/archives/{list_id}/"}
  archived_at = {"{archive}/{message_id_hash}"}
}
"""
COUNT = 20000

if is_sanitized():
    skip_all("a sanitizer has an allocator of its own")
if platform.libc_ver()[0] != "glibc":
    skip_all("the C library decides when free memory goes back to the system")


def lists(count):
    return "".join('list "l%06d.lists.example.org" {}\n' % i for i in range(count))


def resident(d):
    """Returns its bytes in memory, files and libraries included."""
    return 1024 * d.size("VmRSS")


@case("a list of one line takes at most 500 octets (mlmilter.conf(5))")
def each_list():
    one, many = (Daemon(lists(count), extra=DEFAULTS) for count in (1, COUNT))
    more = (resident(many) - resident(one)) / COUNT
    one.stop()
    many.stop()
    check(more <= 500, "%d octets for each" % more)


@case("after ten reloads, asked for and by `watch`, a daemon has at most 1.3 times the memory of its start "
      "(mlmilter(8))", seconds=120)
def ten_reloads():
    d = Daemon(lists(COUNT), options={"watch": "true"}, extra=DEFAULTS)
    begin = resident(d)
    for n in range(5):
        d.reload()
        d.write_lists(lists(COUNT + 100 * (1 - n % 2)))  # more lists than before, then fewer
        m.wait_for(lambda: "generation %d," % (3 + 2 * n) in d.log(), "the load of `watch`", 60)
    what = "%d octets at the start, %d after ten reloads"
    m.wait_for(lambda: resident(d) <= 1.3 * begin, what % (begin, resident(d)), 10)
    d.stop()


main()
