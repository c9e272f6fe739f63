bin_PROGRAMS += src/mlmilterctl
src_mlmilterctl_SOURCES = \
	src/ctl/apply_stream.c \
	src/ctl/apply_stream.h \
	src/ctl/archive.c \
	src/ctl/archive.h \
	src/ctl/command.h \
	src/ctl/command_check.c \
	src/ctl/command_explain.c \
	src/ctl/command_filter.c \
	src/ctl/command_hash.c \
	src/ctl/command_map.c \
	src/ctl/command_new_list_id.c \
	src/ctl/command_sequence.c \
	src/ctl/command_url.c \
	src/ctl/command_verify_token.c \
	src/ctl/configuration.c \
	src/ctl/configuration.h \
	src/ctl/decision.c \
	src/ctl/decision.h \
	src/ctl/hash_set.c \
	src/ctl/hash_set.h \
	src/ctl/input.c \
	src/ctl/input.h \
	src/ctl/maildir.c \
	src/ctl/maildir_names.c \
	src/ctl/maildir_names.h \
	src/ctl/main.c \
	src/ctl/map_writer.c \
	src/ctl/map_writer.h \
	src/ctl/mbox.c \
	src/ctl/numbers.c \
	src/ctl/numbers.h \
	src/ctl/progress.c \
	src/ctl/progress.h \
	src/ctl/report.c \
	src/ctl/report.h \
	src/ctl/store_fault.c \
	src/ctl/store_fault.h \
	src/ctl/transaction.c \
	src/ctl/transaction.h \
	src/ctl/url_source.c \
	src/ctl/url_source.h \
	src/ctl/user.c \
	src/ctl/user.h
src_mlmilterctl_LDADD = src/libsystem.a src/libstore.a src/libplan.a src/libconfig.a src/libspec.a src/libmail.a src/libtext.a \
	$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
