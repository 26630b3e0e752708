/* SPDX-License-Identifier: Apache-2.0
 *
 * The build cache: what was compiled from a source by a command is kept under
 * a hash of both and found again. See README.md. Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_CACHE_H
#define DC_DIFF_HARNESS_CACHE_H

#include "ir/base/base.h"

struct diff_cache;

/* The cache in `folder`, which holds max_bytes before the entries longest unused
 * go; NULL: $XDG_CACHE_HOME/diffcheck, else
 * $HOME/.cache/diffcheck, else a folder that goes with the cache. Nothing is
 * made until the first entry; what goes wrong is told then. */
struct diff_cache *diff_cache_new(const char *folder, uint64_t max_bytes);
/* Whether the folder that diff_cache_new would take is one that only this user,
 * or the superuser, can put programs into, or is not there yet; else an error. */
bool diff_cache_trusted(const char *folder, struct diag_sink *sink);
void diff_cache_free(struct diff_cache *cache);

/* What a tool said, for as long as the cache is open: NULL if the question was
 * not answered yet. Texts belong to the cache. From any thread. */
const char *diff_cache_recall(struct diff_cache *cache, const char *question);
void diff_cache_remember(struct diff_cache *cache, const char *question,
                         const char *text);

/* What makes a build what it is. */
struct diff_build {
    const char *source; /* goes to kernel.c */
    const char *recipe; /* the commands, and which compilers those are */
};

/* Makes the file "program" in `folder`, where kernel.c is; false with *why. */
typedef bool (*diff_builder)(void *user, const char *folder, struct buf *why);

/* The path of the program, built by the builder unless it is there; in the
 * arena. NULL with *why. Safe for any number of threads and processes. */
const char *diff_cache_get(struct diff_cache *cache,
                           const struct diff_build *build, diff_builder builder,
                           void *user, struct arena *arena, struct buf *why);

/* The same, and the bytes of the program go to *out: those that were found whole,
 * whatever becomes of the entry. For builders that need what another build
 * makes, too. False with *why. */
bool diff_cache_load(struct diff_cache *cache, const struct diff_build *build,
                     diff_builder builder, void *user, struct buf *out,
                     struct buf *why);

/* ---- compiled.c: what a device made of the program's kernels --------------- */

/* Makes the folder with what was kept of the program's last run; none where
 * nothing was, or not all of it is whole. */
void diff_compiled_fetch(const char *program, const char *folder);
/* Keeps the folder's files beside the program, unless those of the same names
 * are there. What fails costs time in the next run and nothing else. */
void diff_compiled_keep(const char *program, const char *folder);

/* ---- folders, for the rest of the harness --------------------------------- */

/* What processes that were killed left in $TMPDIR goes. */
void diff_folders_tidy(void);
/* mkdir -p, for nobody else to write to; false with errno. */
bool diff_folders_make(const char *path);
/* The folder as an absolute path; NULL: $XDG_CACHE_HOME/diffcheck, else
 * $HOME/.cache/diffcheck, else none: NULL. In the arena. */
char *diff_cache_folder(const char *given, struct arena *arena);
/* What is kept where others might put something of theirs: words of messages. */
struct diff_trusted {
    const char *name, *things,
        *option; /* "build cache", "programs", "--cache" */
};
/* Whoever may write to a folder or file, or is its owner and may thus allow it to
 * themselves, decides what is taken from it. Why that is not done; NULL if there
 * is nothing to say, or nothing there. */
const char *diff_distrust(const char *path, const struct diff_trusted *kept,
                          struct arena *arena);
/* A fresh folder in $TMPDIR or /tmp; NULL with *why. */
char *diff_folder_new(struct arena *arena, struct buf *why);

#endif
