"""SIGKILL at any moment: no number is repeated or lowered (SU-16, SU-20, SU-21)."""

from daemon import PATIENT, main
from numbered import new_daemon, skip_without_sqlite
from store_load import Ledger, Load, report, tell_again
from tap import case

skip_without_sqlite()


@case("killed fifty times while 16 connections send: the same post gets the number that it was told, every "
      "new post a higher one (SU-16, SU-20, SU-21)", seconds=120)
def fifty_times():
    d = new_daemon(program=PATIENT)
    ledger = Ledger()
    with Load(ledger, [d]) as load:
        load.kill_and_restart(50)
    tell_again(ledger, d)
    report(ledger, 300)


@case("two daemons on one database, killed in turn twenty times while 16 connections send to both (SU-16, "
      "SU-20, SU-21)", seconds=120)
def two_daemons():
    one = new_daemon(program=PATIENT)
    two = new_daemon(path=one.database, program=PATIENT)
    ledger = Ledger()
    with Load(ledger, [one, two]) as load:
        load.kill_and_restart(20)
    tell_again(ledger, one, 300)
    tell_again(ledger, two, 300)
    report(ledger, 100)


main()
