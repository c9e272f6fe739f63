EXTRA_DIST += \
	contrib/ansible.yml \
	contrib/contact \
	contrib/demo.py \
	contrib/grafana.json \
	contrib/lib.sh \
	contrib/mlmilter.service.in \
	contrib/packages \
	contrib/private-packages \
	contrib/private-postfix \
	contrib/private-postgresql \
	contrib/private-sendmail \
	contrib/quickstart \
	contrib/quickstart.d/1-well-formed.eml \
	contrib/quickstart.d/2-forged.eml \
	contrib/quickstart.d/3-alias.eml \
	contrib/quickstart.d/4-private.eml \
	contrib/quickstart.d/announce.conf \
	contrib/quickstart.d/chat.conf \
	contrib/runtests

# The unit is always made, for packagers, and installed where configure was told to.
all-local: contrib/mlmilter.service
contrib/mlmilter.service: contrib/mlmilter.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib && sed -e 's|@sbindir[@]|$(sbindir)|g' -e 's|@bindir[@]|$(bindir)|g' \
		-e 's|@sysconfdir[@]|$(sysconfdir)|g' \
		-e 's|@runstatedir[@]|$(runstatedir)|g' $(srcdir)/contrib/mlmilter.service.in >$@.tmp && \
		mv $@.tmp $@
CLEANFILES += contrib/mlmilter.service
if INSTALL_UNIT
systemdsystemunit_DATA = contrib/mlmilter.service
endif

# Found by the package bash-completion when somebody types the first mlmilterctl.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/bash-completion/mlmilterctl
