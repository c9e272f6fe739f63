# The sample lists are examples; the main file is installed if there is none.
sample_lists = conf/lists.d/announce.conf conf/lists.d/chess.conf conf/lists.d/team.conf
exampledir = $(docdir)/examples
dist_example_DATA = conf/mlmilter.conf
examplelistsdir = $(exampledir)/lists.d
dist_examplelists_DATA = $(sample_lists)

confdir = $(sysconfdir)/mlmilter

install-data-local: install-conf
install-conf:
	$(MKDIR_P) '$(DESTDIR)$(confdir)/lists.d'
	test -e '$(DESTDIR)$(confdir)/mlmilter.conf' || \
	    $(INSTALL_DATA) $(srcdir)/conf/mlmilter.conf '$(DESTDIR)$(confdir)/mlmilter.conf'

# A changed configuration stays.
uninstall-local: uninstall-conf
uninstall-conf:
	if cmp -s $(srcdir)/conf/mlmilter.conf '$(DESTDIR)$(confdir)/mlmilter.conf'; then \
	    rm -f '$(DESTDIR)$(confdir)/mlmilter.conf'; fi
	rmdir '$(DESTDIR)$(confdir)/lists.d' '$(DESTDIR)$(confdir)' 2>/dev/null || :

.PHONY: install-conf uninstall-conf
