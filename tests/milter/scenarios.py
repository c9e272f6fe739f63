"""The table of scenarios (tests/lib/rows.py) over the milter protocol: this process is Postfix and Sendmail."""

import sites
import table
from daemon import main

table.begin("the daemon starts, on both kinds of socket", sites.start_protocol)
import rows  # noqa: E402,F401  pylint: disable=unused-import,wrong-import-position

main()
