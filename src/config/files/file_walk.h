/*
 * file_walk - the configuration files of the administrator, one after the other, each of them once
 */
#ifndef MLMILTER_CONFIG_FILES_FILE_WALK_H
#define MLMILTER_CONFIG_FILES_FILE_WALK_H

#include "config/files/fingerprint.h"
#include "config/files/read_file.h"
#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "text/arena.h"
#include "text/strmap.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Of a file, and of all files of a delegate: one with 100,000 large lists has about 60 MB. */
#define FILE_MIB_MAX 64

struct file_walk {
    struct diagnostics *diagnostics; /* borrowed */
    struct fingerprint *fingerprint; /* borrowed: gets each text; NULL: nobody asks */
    struct arena arena;
    struct strmap seen;
};

void file_walk_init(struct file_walk *walk, struct diagnostics *diagnostics, uint64_t seed);
void file_walk_free(struct file_walk *walk);

/* Reads a file as the walk does. Returns as read_file. */
bool file_walk_read(const char *path, struct file_text *file);

/* Takes a file: path lives as long as the walk, text (which may be changed) for this call. */
typedef void (*file_visit)(void *context, const char *path, char *text, size_t length);

/* Visits one file. Reports one that cannot be read. */
void file_walk_one(struct file_walk *walk, const char *path, file_visit visit, void *context);

/* Visits the files of a pattern of the key `lists` as written in main_file (line 0: a built-in
 * one). */
void file_walk_pattern(struct file_walk *walk, const char *main_file,
                       const struct raw_item *pattern, file_visit visit, void *context);

#endif
