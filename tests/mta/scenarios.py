"""The table of scenarios (tests/lib/rows.py) through a real Postfix and a real Sendmail."""

import both_mtas
import table
from daemon import main
from tap import clean_up

table.begin("Postfix and Sendmail start, with two daemons behind each", lambda: both_mtas.start_each(
    {"Postfix": both_mtas.start_postfix, "Sendmail": both_mtas.start_sendmail}, table.missing), 400, real=True)
import rows  # noqa: E402,F401  pylint: disable=unused-import,wrong-import-position

clean_up("the MTAs stop", table.end)
main()
