/* SPDX-License-Identifier: Apache-2.0
 *
 * The build cache on disk.
 *
 * An entry is a folder named by 128 bits of hash over source and recipe, with
 * kernel.c, program, and "recipe", whose last line has the size and a hash of
 * the program. It is made under a temporary name and renamed when complete, so
 * an entry that can be seen is whole, whenever a run was killed. What is found
 * is believed only after source and recipe were compared as text and the
 * program was hashed again: neither a collision of hashes nor a file cut by a
 * crash of the system gives a wrong program; such an entry is made anew.
 *
 * The time of last use is that of the file "recipe". Before the first new
 * entry of a cache its folder is looked through: temporary folders whose
 * process is no more, or that are a day old, are removed, and while the programs take more than the limit, so are the
 * entries longest unused, but for those of the last ten minutes, which another
 * process may be about to run.
 */
#include "diff/harness/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FORMAT         "diffcheck build 1"
#define TEMPORARY      "tmp."         /* in the cache */
#define RUN_PREFIX     "diffcheck."   /* in $TMPDIR */
#define TEMPORARY_LIFE (24 * 60 * 60) /* seconds until it is abandoned */
#define IN_USE         (10 * 60)      /* seconds during which none is evicted */
#define MAX_PROGRAM    ((size_t)256 << 20)

struct diff_cache {
    char *folder;   /* NULL: none can be named */
    bool own;       /* made for this cache alone, goes with it */
    uint64_t limit; /* bytes */
    struct dc_lock *lock;
    bool swept;
    struct arena *arena;
    struct answer *answers; /* of tools, newest first */
};

struct answer {
    const char *question, *text;
    struct answer *next;
};

/* ---- folders -------------------------------------------------------------------- */

static const char *temporary_root(void)
{
    const char *where = getenv("TMPDIR");
    return where && *where == '/' ? where : "/tmp";
}

/* Folders of a process say whose they are: machine, or container, and process
 * number; mkdtemp adds the rest. */
static char *owned_name(const char *root, const char *prefix,
                        struct arena *arena)
{
    return arena_printf(arena, "%s/%s%08lx.%ld.XXXXXX", root, prefix,
                        file_machine(), (long)getpid());
}

char *diff_folder_new(struct arena *arena, struct buf *why)
{
    char *path = owned_name(temporary_root(), RUN_PREFIX, arena);
    if (mkdtemp(path))
        return path;
    buf_printf(why, "cannot make the folder '%s': %s", path, strerror(errno));
    return NULL;
}

void diff_folders_tidy(void)
{
    const char *root = temporary_root();
    DIR *dir = opendir(root);
    struct dirent *entry;
    struct stat st;
    while (dir && (entry = readdir(dir)) != NULL) {
        struct buf path = {0};
        if (strncmp(entry->d_name, RUN_PREFIX, strlen(RUN_PREFIX)) != 0 ||
            !file_is_abandoned(entry->d_name + strlen(RUN_PREFIX)))
            continue;
        buf_printf(&path, "%s/%s", root, entry->d_name);
        if (lstat(buf_text(&path), &st) == 0 && S_ISDIR(st.st_mode) &&
            st.st_uid == geteuid())
            folder_remove(buf_text(&path));
        buf_fini(&path);
    }
    if (dir)
        (void)closedir(dir);
}

bool diff_folders_make(const char *path)
{
    struct buf part = {0};
    bool fine = true;
    for (const char *p = path; fine && *p;) {
        size_t n = strcspn(p + 1, "/") + 1;
        buf_append(&part, p, n);
        p += n;
        fine = mkdir(buf_text(&part), 0755) == 0 || errno == EEXIST ||
               errno == EISDIR;
    }
    buf_fini(&part);
    struct stat st;
    if (fine && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))) {
        errno = ENOTDIR;
        return false;
    }
    return fine;
}

/* ---- opening --------------------------------------------------------------------- */

static char *absolute(const char *path, struct arena *arena)
{
    char here[4096];
    if (*path == '/' || !getcwd(here, sizeof here))
        return arena_strdup(arena, path);
    return arena_printf(arena, "%s/%s", here, path);
}

char *diff_cache_folder(const char *given, struct arena *arena)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given)
        return absolute(given, arena);
    if (xdg && *xdg == '/')
        return arena_printf(arena, "%s/diffcheck", xdg);
    if (home && *home == '/')
        return arena_printf(arena, "%s/.cache/diffcheck", home);
    return NULL;
}

const char *diff_distrust(const char *path, const struct diff_trusted *kept,
                          struct arena *arena)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return NULL; /* nothing is there; another message says why */
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return arena_printf(arena,
                            "the %s '%s' belongs to another user (%lu), "
                            "who may put %s there: choose another with '%s'",
                            kept->name, path, (unsigned long)st.st_uid,
                            kept->things, kept->option);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return arena_printf(arena,
                            "others may write to the %s '%s', and put "
                            "%s there: choose another with '%s', or "
                            "'chmod go-w' and empty it",
                            kept->name, path, kept->things, kept->option);
    return NULL;
}

static const char *distrust(const char *folder, struct arena *arena)
{
    static const struct diff_trusted cache = {"build cache", "programs",
                                              "--cache"};
    struct stat st;
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return NULL; /* nothing is run from it; another message says what it is */
    return diff_distrust(folder, &cache, arena);
}

bool diff_cache_trusted(const char *given, struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    const char *folder = diff_cache_folder(given, arena);
    const char *why = folder ? distrust(folder, arena) : NULL;
    bool fine = !why || diag_error(sink, (struct diag_loc){0}, "cache.owner",
                                   "%s", why);
    arena_free(arena);
    return fine;
}

struct diff_cache *diff_cache_new(const char *folder, uint64_t max_bytes)
{
    struct diff_cache *cache = dc_alloc(sizeof *cache);
    diff_folders_tidy();
    cache->arena = arena_new();
    cache->lock = dc_lock_new();
    cache->limit = max_bytes;
    cache->folder = diff_cache_folder(folder, cache->arena);
    return cache;
}

void diff_cache_free(struct diff_cache *cache)
{
    if (!cache)
        return;
    if (cache->own)
        folder_remove(cache->folder);
    dc_lock_free(cache->lock);
    arena_free(cache->arena);
    dc_release(cache);
}

const char *diff_cache_recall(struct diff_cache *cache, const char *question)
{
    const char *text = NULL;
    dc_lock_enter(cache->lock);
    for (const struct answer *a = cache->answers; a && !text; a = a->next)
        if (strcmp(a->question, question) == 0)
            text = a->text;
    dc_lock_leave(cache->lock);
    return text;
}

void diff_cache_remember(struct diff_cache *cache, const char *question,
                         const char *text)
{
    dc_lock_enter(cache->lock);
    struct answer *a = ARENA_NEW(cache->arena, struct answer);
    a->question = arena_strdup(cache->arena, question);
    a->text = arena_strdup(cache->arena, text);
    a->next = cache->answers;
    cache->answers = a;
    dc_lock_leave(cache->lock);
}

static bool ready(struct diff_cache *cache, struct buf *why)
{
    dc_lock_enter(cache->lock);
    bool fine = true;
    if (!cache->folder) {
        cache->folder = diff_folder_new(cache->arena, why);
        cache->own = fine = cache->folder != NULL;
    } else if (!diff_folders_make(cache->folder)) {
        buf_printf(why, "cannot make the build cache '%s': %s", cache->folder,
                   strerror(errno));
        fine = false;
    } else {
        const char *other = distrust(cache->folder, cache->arena);
        buf_puts(why, other ? other : "");
        fine = !other;
    }
    dc_lock_leave(cache->lock);
    return fine;
}

/* ---- names and contents ------------------------------------------------------------ */

static char *entry_of(const struct diff_cache *cache,
                      const struct diff_build *build, struct arena *arena)
{
    uint64_t h[2];
    for (uint64_t i = 0; i < 2; i++) {
        h[i] = hash_bytes(UINT64_C(0x6275696c64) + i, FORMAT, sizeof FORMAT);
        h[i] = hash_bytes(h[i], build->recipe, strlen(build->recipe));
        h[i] = hash_bytes(h[i], build->source, strlen(build->source));
    }
    return arena_printf(arena, "%s/%016llx%016llx", cache->folder,
                        (unsigned long long)h[0], (unsigned long long)h[1]);
}

static bool slurp(const char *folder, const char *name, struct buf *out)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool fine = file_read(buf_text(&path), MAX_PROGRAM, out, NULL);
    buf_fini(&path);
    return fine;
}

static bool is_text(const char *folder, const char *name, const char *want)
{
    struct buf got = {0};
    bool same = slurp(folder, name, &got) && got.len == strlen(want) &&
                memcmp(buf_text(&got), want, got.len) == 0;
    buf_fini(&got);
    return same;
}

/* The program, and the recipe with what is known of it; false if there is none. */
static bool seal(const char *folder, const struct diff_build *build,
                 struct buf *program, struct buf *out)
{
    bool fine = slurp(folder, "program", program) && program->len > 0;
    if (fine)
        buf_printf(
            out, FORMAT "\n%s\nprogram %zu %016llx\n", build->recipe,
            program->len,
            (unsigned long long)hash_bytes(1, buf_text(program), program->len));
    return fine;
}

/* Whether the entry is what the build makes; *program is then what it made. */
static bool take_whole(const char *folder, const struct diff_build *build,
                       struct buf *program)
{
    struct buf want = {0};
    bool fine = is_text(folder, "kernel.c", build->source) &&
                seal(folder, build, program, &want) &&
                is_text(folder, "recipe", buf_text(&want));
    buf_fini(&want);
    return fine;
}

static bool is_whole(const char *folder, const struct diff_build *build)
{
    struct buf program = {0};
    bool fine = take_whole(folder, build, &program);
    buf_fini(&program);
    return fine;
}

static void note_use(const char *folder)
{
    struct buf path = {0};
    buf_printf(&path, "%s/recipe", folder);
    (void)utimensat(AT_FDCWD, buf_text(&path), NULL, 0);
    buf_fini(&path);
}

/* ---- clean-up ------------------------------------------------------------------------- */

struct entry {
    char *path;
    uint64_t bytes;
    time_t used;
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Size and time of an entry; temporary folders that are old are removed. */
static bool look_at(const struct diff_cache *cache, const char *name,
                    struct arena *arena, struct entry *out)
{
    static const char *const files[] = {"kernel.c", "program", "recipe",
                                        "kernels"};
    struct stat st;
    out->path = arena_printf(arena, "%s/%s", cache->folder, name);
    if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0) {
        if (file_is_abandoned(name + strlen(TEMPORARY)) ||
            (stat(out->path, &st) == 0 &&
             time(NULL) - st.st_mtime > TEMPORARY_LIFE))
            folder_remove(out->path);
        return false;
    }
    out->bytes = 0;
    out->used = 0;
    if (strlen(name) != 32 || strspn(name, "0123456789abcdef") != 32)
        return false; /* not ours */
    for (size_t i = 0; i < DC_ARRAY_LEN(files); i++) {
        if (stat(arena_printf(arena, "%s/%s", out->path, files[i]), &st) != 0)
            continue;
        out->bytes += (uint64_t)st.st_size;
        out->used = st.st_mtime > out->used ? st.st_mtime : out->used;
    }
    return true;
}

static void sweep(const struct diff_cache *cache)
{
    struct arena *arena = arena_new();
    struct VEC(struct entry) all = {0};
    struct entry entry;
    struct dirent *d;
    uint64_t total = 0;
    DIR *dir = opendir(cache->folder);
    while (dir && (d = readdir(dir)) != NULL) {
        if (look_at(cache, d->d_name, arena, &entry)) {
            vec_push(&all, entry);
            total += entry.bytes;
        }
    }
    if (dir)
        (void)closedir(dir);
    if (all.len > 0)
        qsort(all.items, all.len, sizeof *all.items, by_use);
    for (size_t i = 0; i < all.len && total > cache->limit; i++) {
        if (time(NULL) - all.items[i].used < IN_USE)
            break;
        folder_remove(all.items[i].path);
        total -= all.items[i].bytes;
    }
    vec_fini(&all);
    arena_free(arena);
}

static void sweep_once(struct diff_cache *cache)
{
    dc_lock_enter(cache->lock);
    bool due = !cache->swept;
    cache->swept = true;
    dc_lock_leave(cache->lock);
    if (due)
        sweep(cache);
}

/* ---- making an entry --------------------------------------------------------------------- */

static bool put(const char *folder, const char *name, const char *text,
                struct buf *why)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool fine = file_write(buf_text(&path), text, strlen(text), sink);
    if (!fine)
        buf_printf(why, "build cache: %s: %s", buf_text(&path),
                   diag_count(sink) > 0 ? diag_at(sink, 0)->message : "");
    buf_fini(&path);
    diag_sink_free(sink);
    return fine;
}

/* Builds in `folder`; false with *why. */
static bool make(const char *folder, const struct diff_build *build,
                 diff_builder builder, void *user, struct buf *why)
{
    struct buf recipe = {0}, program = {0};
    bool fine = put(folder, "kernel.c", build->source, why) &&
                builder(user, folder, why);
    if (fine && !seal(folder, build, &program, &recipe)) {
        buf_puts(why, "the build left no program");
        fine = false;
    }
    fine = fine && put(folder, "recipe", buf_text(&recipe), why);
    buf_fini(&program);
    buf_fini(&recipe);
    return fine;
}

/* Gives the complete folder its name. Another process may have been first;
 * then its entry serves, if it is whole. */
static bool publish(const char *folder, const char *entry,
                    const struct diff_build *build, struct buf *why)
{
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        if (rename(folder, entry) == 0)
            return true;
        int error = errno;
        if (error != EEXIST && error != ENOTEMPTY) {
            buf_printf(why, "build cache: cannot rename '%s': %s", folder,
                       strerror(error));
            return false;
        }
        if (is_whole(entry, build))
            return true;
        folder_remove(entry); /* half of one, left by a crash */
    }
    buf_printf(why, "build cache: '%s' cannot be replaced", entry);
    return false;
}

const char *diff_cache_get(struct diff_cache *cache,
                           const struct diff_build *build, diff_builder builder,
                           void *user, struct arena *arena, struct buf *why)
{
    if (!ready(cache, why))
        return NULL;
    char *entry = entry_of(cache, build, arena);
    bool fine = is_whole(entry, build);
    if (fine) {
        note_use(entry);
    } else {
        char *folder = owned_name(cache->folder, TEMPORARY, arena);
        sweep_once(cache);
        if (!mkdtemp(folder)) {
            buf_printf(why, "build cache: cannot make '%s': %s", folder,
                       strerror(errno));
            return NULL;
        }
        fine = make(folder, build, builder, user, why) &&
               publish(folder, entry, build, why);
        folder_remove(folder); /* unless it was renamed */
    }
    return fine ? arena_printf(arena, "%s/program", entry) : NULL;
}

bool diff_cache_load(struct diff_cache *cache, const struct diff_build *build,
                     diff_builder builder, void *user, struct buf *out,
                     struct buf *why)
{
    struct arena *arena = arena_new();
    bool built = true, fine = false;
    for (unsigned attempt = 0; attempt < 3 && built && !fine; attempt++) {
        built = diff_cache_get(cache, build, builder, user, arena, why) != NULL;
        out->len = 0; /* it may be gone by now, or another's */
        fine = built && take_whole(entry_of(cache, build, arena), build, out);
    }
    if (built && !fine)
        buf_puts(why, "build cache: an entry does not stay what was built");
    arena_free(arena);
    return fine;
}
