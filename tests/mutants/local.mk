# Finds small changes of src/ that no test sees. `make mutants` makes MUTANTS of them in mutants-build/, chosen by SEED,
# in the rooms that mutants.py names, or in ROOMS only. At -O1 the compiler's output is equal for many changes without
# effect, which do not count; the warnings are those with which nobody commits.
MUTANTS = 200
SEED = 1
ROOMS =
mutants_warnings = -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
	-Werror=int-conversion -Werror=discarded-qualifiers -Werror=enum-conversion -Werror=return-type
mutants: config.status
	@rm -rf mutants-build && mkdir -p mutants-build/tree
	@cd $(srcdir) && tar -cf - --exclude=.git --exclude='./_*' --exclude-tag-all=config.status . | \
		tar -xf - -C $(abs_builddir)/mutants-build/tree
	@cd mutants-build && tree/configure --quiet --disable-hardening CFLAGS=-O1 && \
		$(MAKE) WARN_CFLAGS='$(mutants_warnings)' check TESTS= >make.log 2>&1 && \
		$(MAKE) -s WARN_CFLAGS='$(mutants_warnings)' mutants-in-place
mutants-in-place:
	@$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/tests/mutants/mutants.py $(MUTANTS) $(SEED) $(ROOMS)
.PHONY: mutants mutants-in-place

EXTRA_DIST += tests/mutants/mutants.py tests/mutants/equivalent
