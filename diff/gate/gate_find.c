/* SPDX-License-Identifier: Apache-2.0
 *
 * The modules of both sides, and which belongs to which.
 *
 * Every file below the given paths is read and hashed, but for hidden ones, case
 * files and what has a NUL byte at its start; a module is what a reader knows by
 * its text (of JSON files those that have a member "nodes", or nothing that a
 * repository has could be told from a module). Files are paired by path; what is
 * left, by content: a module that was moved is not new. Links to folders are not
 * followed, so that a walk ends.
 */
#define _XOPEN_SOURCE 700 /* lstat, S_ISDIR */
#include "diff/gate/gate.h"
#include "diff/input/casefile.h"
#include "diff/input/input.h"
#include "ir/ir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_DEEP 64u
#define SNIFF    4096u /* bytes by which a binary file is told */

struct search {
    struct arena *arena;
    const struct gate_side *side;
    struct gate_files *out;
    struct diag_sink *sink;
};

/* ---- one file ------------------------------------------------------------------ */

static bool is_binary(const char *path)
{
    char start[SNIFF];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(start, 1, sizeof start, f) : 0;
    if (f != NULL)
        (void)fclose(f);
    return n > 0 && memchr(start, '\0', n) != NULL;
}

static bool has_word(const struct buf *text, const char *word)
{
    const char *at = buf_text(text), *end = at + text->len;
    size_t n = strlen(word);
    while ((size_t)(end - at) >= n &&
           (at = memchr(at, word[0], (size_t)(end - at) - n + 1)) != NULL) {
        if (memcmp(at, word, n) == 0)
            return true;
        at++;
    }
    return false;
}

static bool is_module(const struct buf *text)
{
    for (size_t i = 0; ir_readers[i] != NULL; i++)
        if (ir_readers[i]->detect(buf_text(text), text->len))
            return strcmp(ir_readers[i]->name, "tvmjson") != 0 ||
                   has_word(text, "\"nodes\"");
    return false;
}

static void add_file(struct search *s, const char *at, const char *path)
{
    struct buf text = {0};
    struct gate_file f = {.path = path, .at = at};
    struct stat st;
    if (stat(at, &st) != 0 || !S_ISREG(st.st_mode) || diff_casefile_is(path) ||
        is_binary(at))
        return;
    f.unread = !file_read(at, s->side->max_bytes, &text, NULL);
    f.is_module = f.unread || is_module(&text);
    f.size = text.len;
    if (!f.unread)
        gate_hash(buf_text(&text), text.len, f.hash);
    buf_fini(&text);
    vec_push(s->out, f);
}

/* The bytes of the files that a case names, and of the texts beside them, behind
 * its own; false where it, or one
 * of them, cannot be read. */
static bool put_named(struct buf *text, const char *path, size_t max_bytes)
{
    struct arena *arena = arena_new();
    struct diag_sink *silent = diag_sink_new(); /* the comparison tells it */
    struct diff_options o = {.arena = arena,
                             .operands = &path,
                             .noperands = 1,
                             .max_input_bytes = max_bytes};
    bool fine = diff_casefile_load(&o, silent);
    if (fine) {
        const char *files[] = {o.casefile->module.file,
                               o.casefile->transformed.file};
        for (size_t i = 0; i < DC_ARRAY_LEN(files); i++) {
            struct buf named = {0};
            fine = (files[i] == NULL ||
                    file_read(files[i], max_bytes, &named, silent)) &&
                   fine;
            gate_put_part(text, buf_text(&named), named.len);
            gate_put_beside(text, files[i]);
            buf_fini(&named);
        }
    }
    diag_sink_free(silent);
    arena_free(arena);
    return fine;
}

struct gate_file gate_file_read(const char *path, size_t max_bytes)
{
    struct gate_file f = {.path = path, .at = path, .is_module = true};
    struct buf text = {0};
    f.unread = !diff_text_read(path, max_bytes, &text, NULL) ||
               (diff_casefile_is(path) && !put_named(&text, path, max_bytes));
    f.size = text.len;
    gate_hash(buf_text(&text), text.len, f.hash);
    buf_fini(&text);
    return f;
}

/* ---- folders ------------------------------------------------------------------- */

static bool search_folder(struct search *s, const char *at, const char *path,
                          unsigned depth)
{
    struct diag_loc loc = {.file = at};
    DIR *dir = opendir(at);
    bool fine = dir != NULL;
    struct VEC(const char *) folders = {0};
    if (dir == NULL)
        return diag_error(s->sink, loc, "gate.folder",
                          "cannot read the folder: %s", strerror(errno));
    if (depth > MAX_DEEP) {
        (void)closedir(dir);
        return diag_error(s->sink, loc, "gate.folder",
                          "folders nest too deeply");
    }
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        struct stat st;
        if (e->d_name[0] == '.') /* hidden ones, and . and .. */
            continue;
        const char *below = path_join(s->arena, at, e->d_name);
        const char *name = path_join(s->arena, path, e->d_name);
        if (lstat(below, &st) != 0)
            continue; /* gone since the folder was read */
        if (S_ISDIR(st.st_mode)) {
            vec_push(&folders, below);
            vec_push(&folders, name);
        } else {
            add_file(s, below, name);
        }
    }
    (void)closedir(dir);
    for (size_t i = 0; i < folders.len && fine; i += 2)
        fine =
            search_folder(s, folders.items[i], folders.items[i + 1], depth + 1);
    vec_fini(&folders);
    return fine;
}

static int by_path(const void *a, const void *b)
{
    const struct gate_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static void sort_files(struct gate_files *files)
{
    size_t kept = 0;
    if (files->len > 0)
        qsort(files->items, files->len, sizeof *files->items, by_path);
    for (size_t i = 0; i < files->len; i++)
        if (kept == 0 ||
            strcmp(files->items[i].path, files->items[kept - 1].path) != 0)
            files->items[kept++] = files->items[i];
    files->len = kept;
}

bool gate_is_same(const struct gate_file *file, size_t max_bytes)
{
    struct gate_file now = gate_file_read(file->at, max_bytes);
    return !now.unread && memcmp(now.hash, file->hash, GATE_HASH) == 0;
}

static bool check_root(const char *root, struct diag_sink *sink)
{
    struct diag_loc loc = {.file = root};
    struct stat st;
    if (stat(root, &st) != 0)
        return diag_error(sink, loc, "gate.folder", "cannot open: %s",
                          strerror(errno));
    return S_ISDIR(st.st_mode) ||
           diag_error(sink, loc, "gate.folder", "is no folder");
}

bool gate_find(struct arena *arena, const struct gate_side *side, bool *there,
               struct gate_files *out, struct diag_sink *sink)
{
    struct search s = {arena, side, out, sink};
    static const char *const all[] = {""};
    const char *const *paths = side->npaths > 0 ? side->paths : all;
    if (!check_root(side->root, sink))
        return false;
    for (size_t i = 0; i < (side->npaths > 0 ? side->npaths : 1); i++) {
        const char *at = path_join(arena, side->root, paths[i]);
        struct stat st;
        if (stat(at, &st) != 0)
            continue;
        if (there != NULL)
            there[i] = true;
        if (!S_ISDIR(st.st_mode))
            add_file(&s, at, paths[i]);
        else if (!search_folder(&s, at, paths[i], 0))
            return false;
    }
    sort_files(out);
    return true;
}

/* ---- pairs --------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    const struct gate_file *const *x = a, *const *y = b;
    int order = memcmp((*x)->hash, (*y)->hash, GATE_HASH);
    return order != 0 ? order : strcmp((*x)->path, (*y)->path);
}

static bool wants_partner(const struct gate_file *f)
{
    return !f->paired && f->is_module && !f->unread;
}

static void pair_moved(struct gate_files *before, struct gate_files *after,
                       struct gate_pairs *out)
{
    struct VEC(struct gate_file *) left = {0};
    for (size_t i = 0; i < before->len; i++)
        if (wants_partner(&before->items[i]))
            vec_push(&left, &before->items[i]);
    if (left.len > 0)
        qsort(left.items, left.len, sizeof *left.items, by_hash);
    for (size_t i = 0; i < after->len; i++) {
        struct gate_file *a = &after->items[i];
        size_t lo = 0, hi = left.len;
        if (!wants_partner(a))
            continue;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (memcmp(left.items[mid]->hash, a->hash, GATE_HASH) < 0)
                lo = mid + 1;
            else
                hi = mid;
        }
        /* Of several copies one was moved here; the others are gone. A copy may
         * have been made of one that stays paired by its path: it is new. */
        while (lo < left.len && left.items[lo]->paired &&
               memcmp(left.items[lo]->hash, a->hash, GATE_HASH) == 0)
            lo++;
        if (lo == left.len || left.items[lo]->paired ||
            memcmp(left.items[lo]->hash, a->hash, GATE_HASH) != 0)
            continue;
        left.items[lo]->paired = a->paired = true;
        vec_push(out,
                 ((struct gate_pair){.before = left.items[lo], .after = a}));
    }
    vec_fini(&left);
}

static size_t stem_length(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && dot > path_name(path) ? (size_t)(dot - path)
                                                : strlen(path);
}

const char *gate_stem(struct arena *arena, const char *path)
{
    return arena_strndup(arena, path, stem_length(path));
}

static bool same_stem(const char *a, const char *b)
{
    size_t n = stem_length(a);
    return n == stem_length(b) && memcmp(a, b, n) == 0;
}

static int by_after(const void *a, const void *b)
{
    const struct gate_pair *x = a, *y = b;
    return strcmp(x->after->path, y->after->path);
}

static int by_stem(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t n = stem_length(x), m = stem_length(y);
    int order = memcmp(x, y, n < m ? n : m);
    return order != 0 ? order : n < m ? -1 : n > m;
}

/* Names without suffixes, but where two modules would have one name. */
static void give_names(struct arena *arena, struct gate_pairs *pairs)
{
    const char **paths = ARENA_ARRAY(arena, pairs->len + 1, const char *);
    for (size_t i = 0; i < pairs->len; i++)
        paths[i] = pairs->items[i].after->path;
    if (pairs->len > 0)
        qsort(paths, pairs->len, sizeof *paths, by_stem);
    for (size_t i = 0; i < pairs->len; i++) {
        struct gate_pair *p = &pairs->items[i];
        const char **at =
            bsearch(&p->after->path, paths, pairs->len, sizeof *paths, by_stem);
        size_t k = at ? (size_t)(at - paths) : 0;
        bool alone =
            (k == 0 || !same_stem(paths[k - 1], paths[k])) &&
            (k + 1 >= pairs->len || !same_stem(paths[k], paths[k + 1]));
        p->name = alone ? gate_stem(arena, p->after->path) : p->after->path;
    }
}

void gate_match(struct arena *arena, struct gate_files *before,
                struct gate_files *after, struct gate_pairs *out)
{
    size_t i = 0, k = 0;
    while (i < before->len && k < after->len) {
        struct gate_file *b = &before->items[i], *a = &after->items[k];
        int order = strcmp(b->path, a->path);
        i += order <= 0;
        k += order >= 0;
        if (order != 0 || !b->is_module)
            continue; /* one that was no module is new if it is one now */
        a->paired = b->paired = true;
        vec_push(out, ((struct gate_pair){.before = b, .after = a}));
    }
    pair_moved(before, after, out);
    if (out->len > 0)
        qsort(out->items, out->len, sizeof *out->items, by_after);
    give_names(arena, out);
}

void gate_alone(struct arena *arena, const struct gate_files *files,
                struct report_list *out)
{
    struct report list = {.arena = arena};
    for (size_t i = 0; i < files->len; i++)
        if (files->items[i].is_module && !files->items[i].paired)
            report_add(&list, out, "%s", files->items[i].path);
}
