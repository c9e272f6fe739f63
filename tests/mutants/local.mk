# Which small change of src/ does no test see? `make mutants` makes MUTANTS of them in mutants-build/, chosen by SEED, in
# all rooms that mutants.py names or in ROOMS only.
MUTANTS = 200
SEED = 1
ROOMS =
mutants: config.status
	@$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/tests/mutants/mutants.py $(MUTANTS) $(SEED) $(ROOMS)
.PHONY: mutants

EXTRA_DIST += tests/mutants/mutants.py tests/mutants/equivalent
