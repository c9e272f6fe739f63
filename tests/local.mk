# Lints: they look at the tree and at what was built, not at what the programs do. Each skips itself
# where its tool is not there.
lints = \
	tests/lint/floors.sh \
	tests/lint/systems.sh \
	tests/lint/circles.sh \
	tests/lint/laws.sh \
	tests/lint/sizes.sh \
	tests/lint/words.sh \
	tests/lint/format.sh \
	tests/lint/scripts.sh \
	tests/lint/manual.sh \
	tests/lint/rendered-manual.sh \
	tests/lint/keys.sh \
	tests/lint/no-network.sh \
	tests/lint/hardening.sh \
	tests/lint/html.sh \
	tests/lint/unit.sh

dist_check_SCRIPTS += $(lints)
EXTRA_DIST += tests/README tests/lint/tap.sh
