/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder that is there whole or not at all.
 *
 * It is made beside its place, under a name that says whose it is, and renamed
 * when everything is written; what a killed run left goes with the next one. A
 * folder that is there already is replaced only where all that it holds is what is
 * written here, by name, and finding.json or findings.json says who wrote it: what
 * somebody put beside it is never lost. Of an archive the same holds: it is made
 * of such a folder, and replaces none but one that was written here.
 */
#include "diff/saved/saved.h"
#include "ir/base/json.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".diffcheck-save."
#define MAX_TRIES 100u

/* What is written here: files, and folders with what their files end in. */
static const struct {
    const char *name;
    const char *endings[2]; /* of a folder; "" alone: numbers; NULL: a file */
} own[] = {
    {"environment.txt", {NULL}},
    {"eras", {".json"}},
    {"extern", {""}},
    {"finding.json", {NULL}},
    {"findings.json", {NULL}},
    {"given", {".json", ".py"}},
    {"in", {".npy"}},
    {"module", {".npy"}},
    {"module.json", {NULL}},
    {"orders", {".json"}},
    {"report.md", {NULL}},
    {"report.txt", {NULL}},
    {"repro.py", {NULL}},
    {"reproduce.py", {NULL}},
    {"reproduce.sh", {NULL}},
    {"target", {".npy"}},
    {"tuned", {".npy"}},
    {"tuned.json", {NULL}},
    {"untuned", {".npy"}},
    {"untuned.json", {NULL}},
};

static struct diag_loc at(const char *path)
{
    return (struct diag_loc){.file = path};
}

/* ---- what is there already ------------------------------------------------------- */

/* Its place in `own`; the length of that where it is none of them. */
static size_t own_find(const char *name)
{
    size_t i = 0;
    while (i < DC_ARRAY_LEN(own) && strcmp(own[i].name, name) != 0)
        i++;
    return i;
}

static bool ends_in(const char *name, const char *ending)
{
    if (*ending == '\0')
        return *name != '\0' && name[strspn(name, "0123456789")] == '\0';
    return text_ends_in(name, ending);
}

/* Whether the folder's finding.json, or findings.json, is one of ours. */
static bool is_signed(const char *folder)
{
    static const char *const files[] = {"finding.json", "findings.json"};
    bool fine = false;
    for (size_t i = 0; i < DC_ARRAY_LEN(files) && !fine; i++) {
        struct buf path = {0}, text = {0};
        struct diag_sink *sink = diag_sink_new();
        buf_printf(&path, "%s/%s", folder, files[i]);
        struct json_doc *doc =
            file_read(buf_text(&path), 0, &text, sink)
                ? json_parse(buf_text(&text), text.len, files[i], sink)
                : NULL;
        const struct json_value *tool =
            doc ? json_find(json_root(doc), "tool") : NULL;
        const char *name = tool ? json_string(tool) : NULL;
        fine = name != NULL && strcmp(name, "diffcheck") == 0;
        json_free(doc);
        diag_sink_free(sink);
        buf_fini(&text);
        buf_fini(&path);
    }
    return fine;
}

enum level { OUTER, FINDING, INNER };

/* What a folder is looked through for. */
struct look {
    enum level level;
    size_t own;        /* of an INNER one: which */
    size_t n;          /* files and folders in it */
    struct buf *other; /* the first that was not written here */
};

static bool holds_own(const char *folder, struct look *l);

/* Whether an entry was written here, and with a folder all that is in it. */
static bool is_ours(const char *path, const char *name, const struct look *l)
{
    size_t i = own_find(name);
    struct stat st;
    struct look below = {INNER, i, 0, l->other};
    if (lstat(path, &st) != 0)
        return false;
    if (l->level == INNER) {
        const char *const *endings = own[l->own].endings;
        return S_ISREG(st.st_mode) &&
               (ends_in(name, endings[0]) ||
                (endings[1] && ends_in(name, endings[1])));
    }
    if (i < DC_ARRAY_LEN(own) && own[i].endings[0] == NULL)
        return S_ISREG(st.st_mode);
    if (!S_ISDIR(st.st_mode))
        return false;
    if (i < DC_ARRAY_LEN(own))
        return holds_own(path, &below);
    below.level = FINDING;
    return l->level == OUTER && is_signed(path) && holds_own(path, &below);
}

/* Whether the folder holds nothing but what is written here. A folder of folders
 * has some that are signed and do. */
static bool holds_own(const char *folder, struct look *l)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    bool fine = dir != NULL;
    while (fine && (e = readdir(dir)) != NULL) {
        struct buf path = {0};
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        l->n++;
        buf_printf(&path, "%s/%s", folder, e->d_name);
        fine = is_ours(buf_text(&path), e->d_name, l);
        if (!fine && l->other->len == 0)
            buf_puts(l->other, buf_text(&path));
        buf_fini(&path);
    }
    if (dir)
        (void)closedir(dir);
    return fine;
}

static const char *kind_of(mode_t mode)
{
    return S_ISLNK(mode)                    ? "a symbolic link"
           : S_ISREG(mode)                  ? "a file"
           : S_ISBLK(mode) || S_ISCHR(mode) ? "a device"
                                            : "no folder";
}

/* Without the slashes at the end, which would have a link followed. */
static void put_bare(struct buf *out, const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    buf_append(out, path, len);
}

static bool check_there(const char *path, struct diag_sink *sink)
{
    struct buf other = {0};
    struct look l = {OUTER, 0, 0, &other};
    bool fine = holds_own(path, &l) && (l.n == 0 || is_signed(path));
    if (!fine && other.len > 0)
        (void)diag_error(sink, at(path), "save.folder",
                         "holds '%s', which was not written by '--save': "
                         "give a folder that is empty or not there",
                         buf_text(&other) + strlen(path) + 1);
    else if (!fine)
        (void)diag_error(sink, at(path), "save.folder",
                         "is no folder of '--save' and not empty: give one "
                         "that is empty or not there");
    buf_fini(&other);
    return fine;
}

/* Whether the path ends in a name, under which something can be put. */
static bool is_name(const char *bare)
{
    const char *last = path_name(bare);
    return *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
}

/* One that is empty is as mktemp makes it: nothing is lost with it. */
static bool check_archive(const char *path, const struct stat *st,
                          struct diag_sink *sink)
{
    if (!S_ISREG(st->st_mode))
        return diag_error(
            sink, at(path), "save.archive", "is %s, expected a file or nothing",
            S_ISDIR(st->st_mode) ? "a folder" : kind_of(st->st_mode));
    return st->st_size == 0 || saved_zip_is_own(path) ||
           diag_error(sink, at(path), "save.archive",
                      "was not written by 'bundle', or was changed since: give "
                      "another name");
}

bool saved_folder_check(const struct saved_folder *f, struct diag_sink *sink)
{
    const char *path = f->path;
    struct buf bare = {0};
    struct stat st;
    bool fine;
    put_bare(&bare, path);
    if (!is_name(buf_text(&bare)))
        fine = diag_error(sink, at(path), "save.folder",
                          "is not a name: give that of a folder");
    else if (lstat(buf_text(&bare), &st) != 0)
        fine = errno == ENOENT ||
               diag_error(sink, at(path), "save.folder", "cannot be made: %s",
                          strerror(errno));
    else if (f->archive)
        fine = check_archive(path, &st, sink);
    else if (!S_ISDIR(st.st_mode))
        fine = diag_error(sink, at(path), "save.folder",
                          "is %s, expected a folder or nothing",
                          kind_of(st.st_mode));
    else
        fine = check_there(buf_text(&bare), sink);
    buf_fini(&bare);
    return fine;
}

/* ---- making it -------------------------------------------------------------------- */

/* The folder in which path lies, with its slash. */
static void put_parent(struct buf *out, const char *path)
{
    struct buf bare = {0};
    put_bare(&bare, path);
    const char *slash = strrchr(buf_text(&bare), '/');
    if (slash)
        buf_append(out, bare.data, (size_t)(slash - bare.data) + 1);
    buf_fini(&bare);
}

/* What runs that were killed left beside it. */
static void tidy(const char *parent)
{
    DIR *dir = opendir(*parent ? parent : ".");
    struct dirent *e;
    while (dir && (e = readdir(dir)) != NULL) {
        struct buf path = {0};
        struct stat st;
        buf_printf(&path, "%s%s", parent, e->d_name);
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0 &&
            file_is_abandoned(e->d_name + strlen(TEMPORARY)) &&
            lstat(buf_text(&path), &st) == 0 && S_ISDIR(st.st_mode) &&
            st.st_uid == geteuid())
            folder_remove(buf_text(&path));
        buf_fini(&path);
    }
    if (dir)
        (void)closedir(dir);
}

/* A name beside path that nothing has; made where `make` is set. */
static const char *beside(const char *path, bool make, struct arena *arena)
{
    struct buf parent = {0};
    struct stat st;
    char *name = NULL;
    bool fine = false;
    put_parent(&parent, path);
    for (unsigned i = 0; !fine && i < MAX_TRIES; i++) {
        name =
            arena_printf(arena, "%s" TEMPORARY "%08lx.%ld.%u",
                         buf_text(&parent), file_machine(), (long)getpid(), i);
        fine = make ? mkdir(name, 0777) == 0 : lstat(name, &st) != 0;
        if (!fine && make && errno != EEXIST)
            break;
    }
    buf_fini(&parent);
    return fine ? name : NULL;
}

static bool begin(struct saved_folder *f, struct arena *arena,
                  struct diag_sink *sink)
{
    struct buf parent = {0};
    put_parent(&parent, f->path);
    tidy(buf_text(&parent));
    buf_fini(&parent);
    f->temp = beside(f->path, true, arena);
    return f->temp != NULL || diag_error(sink, at(f->path), "save.folder",
                                         "cannot be made: %s", strerror(errno));
}

/* A name that any file system takes. */
static void put_plain(struct buf *out, const char *name)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                               "VWXYZ0123456789_-@";
    for (const char *p = name; *p && out->len < 60; p++)
        buf_putc(out, strchr(safe, *p) ? *p : '_');
}

/* One that no other finding has. */
static const char *plain_name(const struct saved_folder *f, const char *name,
                              struct arena *arena)
{
    struct buf text = {0};
    put_plain(&text, name);
    if (text.len == 0 || own_find(buf_text(&text)) < DC_ARRAY_LEN(own))
        buf_putc(&text, '_');
    size_t plain = text.len, n = 1;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->names[i], buf_text(&text)) == 0) {
            text.len = plain;
            buf_printf(&text, "-%zu", ++n);
            i = (size_t)-1; /* from the start again */
        }
    const char *out = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

const char *saved_folder_add(struct saved_folder *f, const char *name,
                             struct arena *arena, struct diag_sink *sink)
{
    if (f->temp == NULL && !begin(f, arena, sink))
        return NULL;
    const char **names = ARENA_ARRAY(arena, f->n + 1, const char *);
    if (f->n > 0)
        memcpy(names, f->names, f->n * sizeof *names);
    names[f->n] = plain_name(f, name, arena);
    const char *path = arena_printf(arena, "%s/%s", f->temp, names[f->n]);
    if (mkdir(path, 0777) != 0) {
        (void)diag_error(sink, at(f->path), "save.folder", "cannot be made: %s",
                         strerror(errno));
        return NULL;
    }
    f->names = names;
    f->n++;
    return path;
}

/* ---- its place --------------------------------------------------------------------- */

static bool write_list(const struct saved_folder *f, struct diag_sink *sink)
{
    struct buf text = {0}, path = {0};
    struct json_writer w = {.out = &text, .indent = 2};
    json_begin_object(&w);
    json_put_key(&w, "schema");
    json_put_int(&w, 1);
    json_put_key(&w, "tool");
    json_put_string(&w, "diffcheck");
    json_put_key(&w, "findings");
    json_begin_array(&w);
    for (size_t i = 0; i < f->n; i++)
        json_put_string(&w, f->names[i]);
    json_end_array(&w);
    json_end_object(&w);
    buf_putc(&text, '\n');
    buf_printf(&path, "%s/findings.json", f->temp);
    bool fine = file_write_one(buf_text(&path), text.data, text.len, sink);
    buf_fini(&path);
    buf_fini(&text);
    return fine;
}

/* A folder of ours that is there goes out of the way first, and back where the
 * new one cannot take its place. */
static bool put(const char *from, const char *path, struct arena *arena)
{
    struct buf bare = {0};
    put_bare(&bare, path);
    const char *to = buf_text(&bare);
    const char *old = NULL;
    bool fine = rename(from, to) == 0;
    if (!fine && (errno == ENOTEMPTY || errno == EEXIST)) {
        old = beside(path, false, arena);
        fine = old != NULL && rename(to, old) == 0;
        if (fine && rename(from, to) != 0) {
            int error = errno;
            fine = false;
            if (rename(old, to) == 0)
                old = NULL;
            errno = error;
        }
    }
    int error = errno;
    if (fine && old != NULL)
        folder_remove(old);
    buf_fini(&bare);
    errno = error;
    return fine;
}

/* All of the folder as one file, in which it goes by the file's name. */
static bool put_archive(const struct saved_folder *f, const char *from,
                        struct arena *arena, struct diag_sink *sink)
{
    struct buf archive = {0}, top = {0};
    const char *name = path_name(f->path);
    put_plain(&top, arena_strndup(arena, name, strlen(name) - strlen(".zip")));
    bool fine = saved_zip_put(&archive, from, buf_text(&top), f->path, sink) &&
                saved_folder_check(f, sink) &&
                file_write(f->path, archive.data, archive.len, sink);
    buf_fini(&top);
    buf_fini(&archive);
    return fine;
}

bool saved_folder_finish(struct saved_folder *f, struct diag_sink *sink)
{
    if (f->temp == NULL || f->n == 0)
        return true;
    struct arena *arena = arena_new();
    const char *from = f->n == 1
                           ? arena_printf(arena, "%s/%s", f->temp, f->names[0])
                           : f->temp;
    bool fine = f->n == 1 || write_list(f, sink);
    if (fine && f->archive)
        fine = put_archive(f, from, arena, sink);
    else if (fine)
        fine = saved_folder_check(f, sink) &&
               (put(from, f->path, arena) ||
                diag_error(sink, at(f->path), "save.folder",
                           "cannot be made: %s", strerror(errno)));
    arena_free(arena);
    saved_folder_drop(f);
    return fine;
}

void saved_folder_drop(struct saved_folder *f)
{
    struct stat st;
    if (f->temp != NULL && lstat(f->temp, &st) == 0)
        folder_remove(f->temp);
    f->temp = NULL;
}
