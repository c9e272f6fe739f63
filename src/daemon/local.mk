noinst_LIBRARIES += src/libdaemon.a
src_libdaemon_a_SOURCES = \
	src/daemon/background.c \
	src/daemon/background.h \
	src/daemon/listener.c \
	src/daemon/listener.h \
	src/daemon/log.c \
	src/daemon/log.h \
	src/daemon/metrics.c \
	src/daemon/metrics.h \
	src/daemon/notify.c \
	src/daemon/notify.h \
	src/daemon/options.c \
	src/daemon/options.h \
	src/daemon/pid_file.c \
	src/daemon/pid_file.h \
	src/daemon/reload.c \
	src/daemon/reload.h \
	src/daemon/service.c \
	src/daemon/service.h \
	src/daemon/signals.c \
	src/daemon/signals.h \
	src/daemon/snapshot.c \
	src/daemon/snapshot.h \
	src/daemon/start.c \
	src/daemon/start.h \
	src/daemon/status_file.c \
	src/daemon/status_file.h \
	src/daemon/watch.c \
	src/daemon/watch.h \
	src/milter/apply_edits.c \
	src/milter/apply_edits.h \
	src/milter/callbacks.c \
	src/milter/callbacks.h \
	src/milter/session.c \
	src/milter/session.h

sbin_PROGRAMS += src/mlmilter
src_mlmilter_SOURCES = src/daemon/main.c
src_mlmilter_LDADD = src/libdaemon.a src/libmilterroom.a $(STORE_ARCHIVES) src/libplan.a \
	$(config_libs) src/libspec.a src/libmail.a src/libsystem.a src/libtext.a $(MILTER_LIBS) \
	$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
