# The pages in the source have the paths of a build with --prefix=/usr --sysconfdir=/etc --localstatedir=/var
# --runstatedir=/run; the installed pages have the paths of this build. Paths of systemd are the same in all builds, and
# are written with \& in them.
manual_pages = man/mlmilter.8 man/mlmilter.conf.5 man/mlmilter-templates.7 man/mlmilterctl.1
EXTRA_DIST += $(manual_pages)

man_MANS = man/installed/mlmilter.8 man/installed/mlmilter.conf.5 man/installed/mlmilter-templates.7 \
	man/installed/mlmilterctl.1
CLEANFILES += $(man_MANS)

$(man_MANS): $(manual_pages) Makefile
	$(AM_V_GEN)$(MKDIR_P) man/installed && \
	$(SED) -e 's|/etc/mlmilter|$(sysconfdir)/mlmilter|g' \
	    -e 's|/run/mlmilter|$(runstatedir)/mlmilter|g' \
	    -e 's|/var/lib/mlmilter|$(localstatedir)/lib/mlmilter|g' \
	    -e 's|/usr/share/doc/mlmilter|$(docdir)|g' \
	    -e 's|/usr/libexec/mlmilter|$(pkglibexecdir)|g' \
	    $(srcdir)/man/$(@F) > $@
