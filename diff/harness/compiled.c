/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device's compiler made of a program's kernels, kept beside the
 * program: OpenCL compiles when it runs, which takes longer than most kernels.
 *
 * PoCL keeps what it compiled in a folder of names that it makes itself. Each
 * run gets such a folder of its own (devices.c). What is in it after a run that
 * ended well is packed into one file of the cache entry, and unpacked before the
 * next one, so that a killed run, a second process or a file cut short never
 * leaves half of it: the file appears by rename, and each of its parts is
 * hashed. Without it a run takes longer, nothing else; so nothing here is an
 * error.
 */
#include "diff/harness/cache.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT    "diffcheck kernels 1\n"
#define WHOLE     "whole\n"          /* at the end */
#define MAX_BYTES ((size_t)64 << 20) /* of all files */
#define MAX_FILES 512u
#define MAX_DEPTH 8u

struct walk {
    const char *root;
    struct arena *arena;
    struct VEC(const char *) paths; /* from the root */
    bool too_much;
};

/* Files that are being written have such a name. */
static bool is_temporary(const char *name)
{
    return strncmp(name, "tempfile", 8) == 0;
}

static bool is_plain(const char *name)
{
    return name[0] != '.' && name[0] != '\0' && !strpbrk(name, " \n\r\t/");
}

static void see_folder(struct walk *w, const char *below, unsigned depth)
{
    DIR *dir = opendir(arena_printf(w->arena, "%s/%s", w->root, below));
    struct dirent *d;
    while (dir && (d = readdir(dir)) != NULL && !w->too_much) {
        struct stat st;
        const char *path = arena_printf(w->arena, "%s%s%s", below,
                                        *below ? "/" : "", d->d_name);
        if (!is_plain(d->d_name) || is_temporary(d->d_name) ||
            lstat(arena_printf(w->arena, "%s/%s", w->root, path), &st) != 0)
            continue;
        w->too_much = w->paths.len >= MAX_FILES;
        if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
            see_folder(w, path, depth + 1);
        else if (S_ISREG(st.st_mode))
            vec_push(&w->paths, path);
    }
    if (dir)
        (void)closedir(dir);
}

static int by_text(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static const char *beside(const char *program, struct arena *arena)
{
    const char *slash = strrchr(program, '/');
    size_t n = slash ? (size_t)(slash - program) : 0;
    return arena_printf(arena, "%.*s/kernels", (int)n, program);
}

/* ---- into the entry ------------------------------------------------------------- */

static unsigned long long hash_of(const char *path, const void *data,
                                  size_t bytes)
{
    return hash_bytes(hash_bytes(2, path, strlen(path)), data, bytes);
}

static bool pack(const struct walk *w, struct buf *out)
{
    buf_puts(out, FORMAT);
    for (size_t i = 0; i < w->paths.len; i++) {
        const char *path = w->paths.items[i];
        struct buf data = {0};
        bool fine = file_read(arena_printf(w->arena, "%s/%s", w->root, path),
                              MAX_BYTES, &data, NULL) &&
                    out->len + data.len < MAX_BYTES;
        if (fine) {
            buf_printf(out, "%s %zu %016llx\n", path, data.len,
                       hash_of(path, buf_text(&data), data.len));
            buf_append(out, buf_text(&data), data.len);
        }
        buf_fini(&data);
        if (!fine)
            return false;
    }
    buf_puts(out, WHOLE);
    return true;
}

struct part {
    const char *path, *data;
    size_t bytes;
};

/* The next part; false: there is none, or it is damaged. */
static bool next_part(const struct buf *all, size_t *at, struct arena *arena,
                      struct part *out)
{
    const char *text = buf_text(all) + *at, *end = NULL;
    size_t left = all->len - *at;
    end = left > 0 ? memchr(text, '\n', left < 4096 ? left : 4096) : NULL;
    if (!end)
        return false;
    const char *line = arena_strndup(arena, text, (size_t)(end - text));
    const char *blank = strchr(line, ' ');
    char *rest;
    if (!blank)
        return false;
    out->path = arena_strndup(arena, line, (size_t)(blank - line));
    unsigned long long bytes = strtoull(blank + 1, &rest, 10);
    unsigned long long hash =
        strtoull(*rest == ' ' ? rest + 1 : rest, &rest, 16);
    left -= (size_t)(end + 1 - text);
    if (*rest != '\0' || bytes > left)
        return false;
    out->data = end + 1;
    out->bytes = (size_t)bytes;
    *at = all->len - left + out->bytes;
    return hash == hash_of(out->path, out->data, out->bytes);
}

/* The file with its first part at *at; false: there is none, or not to its
 * end. */
static bool read_all(const char *file, struct buf *all, size_t *at)
{
    size_t head = strlen(FORMAT), tail = strlen(WHOLE);
    *at = head;
    if (!file_read(file, 2 * MAX_BYTES, all, NULL) || all->len < head + tail ||
        memcmp(buf_text(all), FORMAT, head) != 0 ||
        memcmp(buf_text(all) + all->len - tail, WHOLE, tail) != 0)
        return false;
    all->len -= tail;
    return true;
}

/* Whether the packed files are those of the walk: names say what they are. */
static bool has_all(const struct buf *all, size_t at, const struct walk *w)
{
    size_t n = 0;
    struct part p;
    while (at < all->len) {
        if (!next_part(all, &at, w->arena, &p) || n >= w->paths.len ||
            strcmp(p.path, w->paths.items[n++]) != 0)
            return false;
    }
    return n == w->paths.len;
}

void diff_compiled_keep(const char *program, const char *folder)
{
    struct arena *arena = arena_new();
    struct walk w = {.root = folder, .arena = arena};
    struct buf now = {0}, before = {0};
    const char *file = beside(program, arena);
    size_t at;
    see_folder(&w, "", 0);
    if (w.paths.len > 0 && !w.too_much) {
        qsort(w.paths.items, w.paths.len, sizeof *w.paths.items, by_text);
        bool kept = read_all(file, &before, &at) && has_all(&before, at, &w);
        if (!kept && pack(&w, &now))
            kept = file_write(file, buf_text(&now), now.len, NULL);
        (void)kept; /* if not, the next run takes longer */
    }
    buf_fini(&now);
    buf_fini(&before);
    vec_fini(&w.paths);
    arena_free(arena);
}

/* ---- out of it ------------------------------------------------------------------------ */

/* mkdir of all folders of a path below the root that may be made. */
static bool make_way(const char *root, const char *path, struct arena *arena)
{
    unsigned depth = 0;
    for (const char *p = path; *p; p++) {
        size_t n = strcspn(p, "/");
        char *name = arena_strndup(arena, p, n);
        if (!is_plain(name) || depth++ > MAX_DEPTH)
            return false;
        p += n;
        if (*p == '\0')
            return true;
        char *to = arena_strndup(arena, path, (size_t)(p - path));
        (void)mkdir(arena_printf(arena, "%s/%s", root, to), 0777);
    }
    return false;
}

void diff_compiled_fetch(const char *program, const char *folder)
{
    struct arena *arena = arena_new();
    struct buf all = {0};
    size_t at;
    struct part p;
    bool fine =
        read_all(beside(program, arena), &all, &at) && mkdir(folder, 0777) == 0;
    while (fine && at < all.len)
        fine = next_part(&all, &at, arena, &p) &&
               make_way(folder, p.path, arena) &&
               file_write(arena_printf(arena, "%s/%s", folder, p.path), p.data,
                          p.bytes, NULL);
    if (!fine)
        folder_remove(folder);
    buf_fini(&all);
    arena_free(arena);
}
