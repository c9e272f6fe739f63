"""The table of scenarios (tests/lib/rows.py) through a real Postfix and a real Sendmail."""

import both_mtas
import table
from daemon import main
from instance import close_all
from tap import at_end, clean_up

table.begin("Postfix and Sendmail start, with two daemons behind each", lambda: both_mtas.start_each(
    {"Postfix": both_mtas.start_postfix, "Sendmail": both_mtas.start_sendmail}, table.missing), 400, real=True)
import rows  # noqa: E402,F401  pylint: disable=unused-import,wrong-import-position

at_end("the table", table.print_table)
clean_up("the MTAs stop", close_all)
main()
