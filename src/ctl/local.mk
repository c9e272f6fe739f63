bin_PROGRAMS += src/mlmilterctl
src_mlmilterctl_SOURCES = \
	src/ctl/apply_stream.c \
	src/ctl/apply_stream.h \
	src/ctl/command.h \
	src/ctl/command_check.c \
	src/ctl/command_explain.c \
	src/ctl/command_filter.c \
	src/ctl/command_hash.c \
	src/ctl/command_url.c \
	src/ctl/configuration.c \
	src/ctl/configuration.h \
	src/ctl/decision.c \
	src/ctl/decision.h \
	src/ctl/input.c \
	src/ctl/input.h \
	src/ctl/main.c \
	src/ctl/numbers.c \
	src/ctl/numbers.h \
	src/ctl/report.c \
	src/ctl/report.h \
	src/ctl/transaction.c \
	src/ctl/transaction.h \
	src/ctl/user.c \
	src/ctl/user.h
src_mlmilterctl_LDADD = src/libsystem.a src/libstore.a src/libplan.a src/libconfig.a src/libspec.a src/libmail.a src/libtext.a \
	$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
