noinst_LIBRARIES += src/libdaemon.a
src_libdaemon_a_SOURCES = \
	src/daemon/listener.c src/daemon/listener.h \
	src/daemon/log.c src/daemon/log.h \
	src/daemon/metrics.c src/daemon/metrics.h \
	src/daemon/probes.c src/daemon/probes.h \
	src/daemon/reload.c src/daemon/reload.h \
	src/daemon/snapshot.c src/daemon/snapshot.h \
	src/daemon/start.c src/daemon/start.h \
	src/daemon/starter.c src/daemon/starter.h \
	src/daemon/state_files.c src/daemon/state_files.h \
	src/daemon/watch.c src/daemon/watch.h \
	src/milter/callbacks.c src/milter/callbacks.h \
	src/milter/session.c src/milter/session.h

sbin_PROGRAMS += src/mlmilter
src_mlmilter_SOURCES = src/daemon/main.c
src_mlmilter_LDADD = src/libdaemon.a src/libmilterroom.a $(STORE_ARCHIVES) src/libplan.a \
	$(config_libs) src/libspec.a src/libmail.a src/libsystem.a src/libtext.a $(MILTER_LIBS) \
	$(STORE_LIBS) $(CONFUSE_LIBS) $(CRYPTO_LIBS) $(LIBIDN2_LIBS)
