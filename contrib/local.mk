EXTRA_DIST += \
	contrib/demo.py \
	contrib/lib.sh \
	contrib/mlmilter.service.in \
	contrib/mlmilter.spec \
	contrib/mlmilter.sysusers \
	contrib/mlmilter.tmpfiles.in \
	contrib/packages \
	contrib/private-libmilter \
	contrib/private-packages \
	contrib/private-postfix \
	contrib/private-postgresql \
	contrib/private-sendmail \
	contrib/quickstart \
	contrib/quickstart.d/1-forged.eml \
	contrib/quickstart.d/2-alias.eml \
	contrib/quickstart.d/3-private.eml \
	contrib/quickstart.d/announce.conf \
	contrib/quickstart.d/chat.conf \
	contrib/runtests

# leave.cgi is data, as the administrator sets its lists first.
dist_example_DATA += contrib/alerts.yml contrib/find.html contrib/leave.cgi

# The unit is always made, for packagers, and installed with --with-systemdsystemunitdir.
installed_paths = $(SED) -e 's|@sbindir[@]|$(sbindir)|g' -e 's|@bindir[@]|$(bindir)|g' \
	-e 's|@sysconfdir[@]|$(sysconfdir)|g' -e 's|@localstatedir[@]|$(localstatedir)|g' \
	-e 's|@runstatedir[@]|$(runstatedir)|g'
made_files = contrib/mlmilter.service contrib/mlmilter.tmpfiles
all-local: $(made_files)
contrib/mlmilter.service: contrib/mlmilter.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib && $(installed_paths) $(srcdir)/contrib/mlmilter.service.in >$@.tmp && \
		mv $@.tmp $@
contrib/mlmilter.tmpfiles: contrib/mlmilter.tmpfiles.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib && $(installed_paths) $(srcdir)/contrib/mlmilter.tmpfiles.in >$@.tmp && \
		mv $@.tmp $@
CLEANFILES += $(made_files)
if INSTALL_UNIT
systemdsystemunit_DATA = contrib/mlmilter.service
endif

# systemd reads these directories below /usr/local/lib, too.
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
install-data-hook: contrib/mlmilter.tmpfiles
	$(MKDIR_P) '$(DESTDIR)$(sysusersdir)' '$(DESTDIR)$(tmpfilesdir)'
	$(INSTALL_DATA) $(srcdir)/contrib/mlmilter.sysusers '$(DESTDIR)$(sysusersdir)/mlmilter.conf'
	$(INSTALL_DATA) contrib/mlmilter.tmpfiles '$(DESTDIR)$(tmpfilesdir)/mlmilter.conf'
	@test -n '$(DESTDIR)' || id mlmilter >/dev/null 2>&1 || echo "The user of the daemon is missing; as root:" \
	    "useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin mlmilter"
uninstall-hook:
	rm -f '$(DESTDIR)$(sysusersdir)/mlmilter.conf' '$(DESTDIR)$(tmpfilesdir)/mlmilter.conf'

# Shells load them at the first completion of mlmilterctl; those for zsh and fish look for bash's beside them.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/bash-completion/mlmilterctl
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = contrib/zsh-completion/_mlmilterctl
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = contrib/fish-completion/mlmilterctl.fish
