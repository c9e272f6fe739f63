"""MHonArc and nginx after mlmmj and Postfix with the daemon on both ways: what doc/archives.md says is typed as it is
there, and the Archived-At in a member's copy is the page of that very post."""

import private_host
from instance import need_postfix

need_postfix()
private_host.enter(["mlmmj", "mhonarc", "nginx"], ["lists.example.org"])
import mlmmj_host  # noqa: E402
import page  # noqa: E402
from daemon import main  # noqa: E402
from tap import case, equal  # noqa: E402
from web import expect_page, get, link_of  # noqa: E402

TITLE = "MHonArc"
MAILBOX = "/var/mail/archive"
host = None


@case("the archive is made as the page says, with three commands, and a GET of the link is that post", 90)
def first():
    global host
    host = mlmmj_host.ArchiveHost(TITLE)
    page.follow(mlmmj_host.BEFORE)
    mail = host.post("<one@poster.example>", "The kettle is on.")
    mlmmj_host.wait_for_mail(MAILBOX, "The kettle is on.")
    equal(page.follow(TITLE), 3)
    expect_page(link_of(mail), "The kettle is on.")


@case("what cron runs adds later posts; one that comes twice does not shift the links of others", 90)
def later():
    mails = []
    for message_id, body in (("<one@poster.example>", "It comes twice."), ("<two@poster.example>", "Two cups."),
                             ("<a/b+c%2Fd@poster.example>", "Three cups.")):
        mails.append(host.post(message_id, body))
        mlmmj_host.wait_for_mail(MAILBOX, body)
    page.follow(TITLE, "mhonarc|ln -sf")
    bodies = ["The kettle is on.", "Two cups.", "Three cups."]
    for mail, body in zip(mails, bodies):
        expect_page(link_of(mail), body, [other for other in bodies if other != body])


@case("a post that is not there has no page")
def nothing():
    equal(get("https://lists.example.org/dev/ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")[0], 404)


main()
