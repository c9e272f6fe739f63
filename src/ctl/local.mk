noinst_LIBRARIES += src/libctl.a
src_libctl_a_SOURCES = \
	src/ctl/apply_stream.c \
	src/ctl/apply_stream.h \
	src/ctl/archive.c \
	src/ctl/archive.h \
	src/ctl/check.c \
	src/ctl/daemon.c \
	src/ctl/explain.c \
	src/ctl/lint.c \
	src/ctl/lists.c \
	src/ctl/load.c \
	src/ctl/map.c \
	src/ctl/permalink.c \
	src/ctl/permalink.h \
	src/ctl/script.c \
	src/ctl/sequence.c \
	src/ctl/tool.c \
	src/ctl/tool.h \
	src/ctl/url.c \
	src/ctl/verify_token.c \
	src/ctl/why_not.c \
	src/ctl/why_not.h

bin_PROGRAMS += src/mlmilterctl
src_mlmilterctl_SOURCES = src/ctl/main.c
src_mlmilterctl_LDADD = src/libctl.a src/liblint.a $(STORE_ARCHIVES) src/libplan.a $(config_libs) src/libspec.a \
	src/libmail.a src/libsystem.a src/libtext.a $(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) \
	$(LIBIDN2_LIBS)

# mlmilterctl runs them. configure links them into the build tree, where it looks for them first.
dist_pkglibexec_SCRIPTS = src/ctl/scripts/attach src/ctl/scripts/doctor src/ctl/scripts/import \
	src/ctl/scripts/pages
scriptsdir = $(pkglibexecdir)
dist_scripts_DATA = doc/findings.md src/ctl/scripts/findings.py src/ctl/scripts/mta.py src/ctl/scripts/postfix.py src/ctl/scripts/sendmail.py src/ctl/scripts/shared.py
