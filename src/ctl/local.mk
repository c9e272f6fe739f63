noinst_LIBRARIES += src/libctl.a
src_libctl_a_SOURCES = \
	src/ctl/apply_stream.c \
	src/ctl/apply_stream.h \
	src/ctl/archive.c \
	src/ctl/archive.h \
	src/ctl/load.c \
	src/ctl/load.h \
	src/ctl/options.h \
	src/ctl/output.c \
	src/ctl/output.h \
	src/ctl/commands/check.c \
	src/ctl/commands/commands.h \
	src/ctl/commands/daemon.c \
	src/ctl/commands/explain.c \
	src/ctl/commands/hash.c \
	src/ctl/commands/lint.c \
	src/ctl/commands/lists.c \
	src/ctl/commands/permalink.c \
	src/ctl/commands/new_list_id.c \
	src/ctl/commands/script.c \
	src/ctl/commands/sequence.c \
	src/ctl/commands/verify_token.c

bin_PROGRAMS += src/mlmilterctl
src_mlmilterctl_SOURCES = src/ctl/main.c
src_mlmilterctl_LDADD = src/libctl.a src/liblint.a $(STORE_ARCHIVES) src/libplan.a $(config_libs) src/libspec.a \
	src/libmail.a src/libsystem.a src/libtext.a $(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) \
	$(LIBIDN2_LIBS)

# mlmilterctl runs them. configure links them into the build tree, where it looks for them first.
dist_pkglibexec_SCRIPTS = src/ctl/scripts/doctor src/ctl/scripts/import
scriptsdir = $(pkglibexecdir)
dist_scripts_DATA = src/ctl/scripts/shared.py
