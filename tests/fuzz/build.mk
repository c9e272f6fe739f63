# The fuzz targets with libFuzzer, in fuzz-build/ of the current folder; called by `make fuzz`, which
# says where the sources are and with what they are compiled. For GNU make and clang.
SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all
CFLAGS = -g -O1 -fno-omit-frame-pointer $(SANITIZERS)
OUT = fuzz-build

floors = text system mail spec lint config plan store
sources = $(wildcard $(floors:%=$(SOURCE)/src/%/*.c) $(floors:%=$(SOURCE)/src/%/*/*.c))
ifeq ($(findstring -lsqlite3,$(FUZZ_LIBS)),)
sources := $(filter-out $(SOURCE)/src/store/sqlite.c,$(sources))
endif
ifeq ($(findstring -lpq,$(FUZZ_LIBS)),)
sources := $(filter-out $(SOURCE)/src/store/postgresql.c,$(sources))
endif
# Of floor 6 what needs no libmilter.
sources += $(filter-out %/callbacks.c,$(wildcard $(SOURCE)/src/milter/*.c)) $(SOURCE)/src/daemon/probes.c
sources += $(SOURCE)/src/ctl/apply_stream.c
sources += $(addprefix $(SOURCE)/tests/fuzz/,fuzz.c configurations.c plan_check.c)
sources += $(SOURCE)/tests/store/fake_driver.c
objects = $(sources:$(SOURCE)/%.c=$(OUT)/%.o)
targets = $(notdir $(basename $(wildcard $(SOURCE)/tests/fuzz/fuzz_*.c)))

all: $(targets:%=$(OUT)/%)

$(targets:%=$(OUT)/%): $(OUT)/fuzz_%: $(OUT)/tests/fuzz/fuzz_%.o $(OUT)/tests/fuzz/grow.o $(OUT)/libfloors.a
	$(FUZZ_CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(FUZZ_LIBS)

$(OUT)/libfloors.a: $(objects)
	rm -f $@
	ar cq $@ $^

$(OUT)/%.o: $(SOURCE)/%.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CPPFLAGS) $(CFLAGS) -fsanitize=fuzzer-no-link -MMD -c -o $@ $<

-include $(objects:.o=.d) $(OUT)/tests/fuzz/grow.d $(targets:%=$(OUT)/tests/fuzz/%.d)
.SECONDARY:
