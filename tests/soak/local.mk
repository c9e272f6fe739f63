# A private Postfix under mixed mail, edits, reloads, stops and kills: half a minute with the other
# tests, as long as one likes with `make soak SOAK_TIME=SECONDS` (SEED= makes other dice).
long_tests += tests/soak/soak.py
EXTRA_DIST += tests/soak/posts.py

SOAK_TIME = 1200
soak: tests/mlmilter$(EXEEXT) src/mlmilterctl$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) SOAK_TIME='$(SOAK_TIME)' $(PYTHON) $(srcdir)/tests/soak/soak.py
.PHONY: soak
