/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pairs there are: folders are walked in the order of names, so that the
 * same tree gives the same list everywhere.
 *
 * A folder is listed whole before it is looked at: a file is one side of a pair
 * by its name alone, and its other side is looked up in the list. Where a side
 * is there in several formats JSON is taken, which says more than text can.
 */
#define _XOPEN_SOURCE 700 /* lstat, S_ISDIR */
#include "diff/batch/batch.h"
#include "diff/input/casefile.h"
#include "ir/base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FOLDERS_DEEP 64u
#define MAX_FILES        4000000u /* of one folder */
#define MAX_LIST_BYTES   ((size_t)64 << 20)

struct search {
    struct arena *arena;
    struct diag_sink *sink;
    struct batch_jobs *out;
};

static bool fail(struct search *s, const char *path, uint32_t line,
                 const char *code, const char *message)
{
    struct diag_loc loc = {.file = path, .line = line};
    return diag_error(s->sink, loc, code, "%s", message);
}

static void add(struct search *s, const char *name, const char *tuned,
                const char *untuned)
{
    vec_push(s->out, ((struct batch_job){name, tuned, untuned}));
}

/* ---- folders --------------------------------------------------------------------- */

struct names VEC(char *);

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_folder(struct search *s, const char *path, struct names *out)
{
    DIR *dir = opendir(path);
    if (dir == NULL) {
        struct diag_loc loc = {.file = path};
        return diag_error(s->sink, loc, "batch.folder",
                          "cannot read the folder: %s", strerror(errno));
    }
    for (struct dirent *e = readdir(dir); e != NULL && out->len < MAX_FILES;
         e = readdir(dir))
        if (e->d_name[0] != '.') /* hidden ones, and . and .. */
            vec_push(out, arena_strdup(s->arena, e->d_name));
    (void)closedir(dir);
    if (out->len > 0)
        qsort(out->items, out->len, sizeof *out->items, by_name);
    return true;
}

/* STEM, a dot, MARK, a dot and a last part without dots; STEM and its dot may be
 * absent. The length of "STEM." in *stem. */
static bool is_side(const char *name, const char *mark, size_t *stem)
{
    const char *last = strrchr(name, '.');
    size_t n = strlen(mark);
    if (last == NULL || last[1] == '\0' || (size_t)(last - name) < n ||
        memcmp(last - n, mark, n) != 0)
        return false;
    *stem = (size_t)(last - name) - n;
    return *stem == 0 || name[*stem - 1] == '.';
}

/* The file of that side and stem, JSON first; NULL if there is none. Names that
 * begin alike stand together. */
static const char *find_side(const struct names *names, const char *stem,
                             size_t len, const char *mark)
{
    const char *found = NULL;
    struct buf start = {0};
    size_t lo = 0, hi = names->len;
    buf_append(&start, stem, len);
    buf_printf(&start, "%s.", mark);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (strcmp(names->items[mid], buf_text(&start)) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < names->len; lo++) {
        const char *name = names->items[lo];
        size_t n;
        if (strncmp(name, buf_text(&start), start.len) != 0)
            break;
        if (is_side(name, mark, &n) && n == len &&
            (found == NULL || strcmp(strrchr(name, '.'), ".json") == 0))
            found = name;
    }
    buf_fini(&start);
    return found;
}

/* The pair that this file is the tuned side of, if it is the one to be taken. */
static void look_at(struct search *s, const char *path, const char *below,
                    const struct names *names, const char *name)
{
    static const struct {
        const char *tuned, *untuned;
        bool alone; /* may be the whole name but for the last part */
    } kinds[] = {{"tuned", "untuned", true}, {"after", "before", false}};
    for (size_t k = 0; k < DC_ARRAY_LEN(kinds); k++) {
        size_t len;
        bool tuned =
            is_side(name, kinds[k].tuned, &len) && (len > 0 || kinds[k].alone);
        bool untuned = !tuned && is_side(name, kinds[k].untuned, &len) &&
                       (len > 0 || kinds[k].alone);
        const char *other =
            tuned || untuned
                ? find_side(names, name, len,
                            tuned ? kinds[k].untuned : kinds[k].tuned)
                : NULL;
        if ((tuned || untuned) && other == NULL) {
            struct diag_loc loc = {.file = path_join(s->arena, path, name)};
            diag_warn(s->sink, loc, "batch.half",
                      "there is no '%.*s%s.*' beside it", (int)len, name,
                      tuned ? kinds[k].untuned : kinds[k].tuned);
        } else if (tuned && strcmp(find_side(names, name, len, kinds[k].tuned),
                                   name) == 0) {
            const char *pair =
                len == 0 ? below
                         : path_join(s->arena, below,
                                     arena_strndup(s->arena, name, len - 1));
            add(s, pair, path_join(s->arena, path, name),
                path_join(s->arena, path, other));
        }
    }
}

static bool search_folder(struct search *s, const char *path, const char *below,
                          unsigned depth)
{
    struct names names = {0};
    if (depth > MAX_FOLDERS_DEEP)
        return fail(s, path, 0, "batch.folder", "folders nest too deeply");
    bool fine = list_folder(s, path, &names);
    for (size_t i = 0; i < names.len && fine; i++) {
        const char *name = names.items[i],
                   *at = path_join(s->arena, path, name);
        struct stat st;
        if (lstat(at, &st) != 0)
            continue; /* gone since the folder was read */
        if (S_ISDIR(st.st_mode)) {
            fine = search_folder(s, at, path_join(s->arena, below, name),
                                 depth + 1);
        } else if (diff_casefile_is(name)) {
            add(s,
                path_join(s->arena, below,
                          arena_strndup(s->arena, name,
                                        strlen(name) - strlen(".case"))),
                at, NULL);
        } else {
            look_at(s, path, below, &names, name);
        }
    }
    vec_fini(&names);
    return fine;
}

/* ---- lists ----------------------------------------------------------------------- */

/* The next word of a line of `len` bytes, or NULL. */
static const char *next_word(struct search *s, const char **at, const char *end,
                             const char *between)
{
    const char *from;
    while (*at < end && strchr(between, **at) != NULL)
        (*at)++;
    from = *at;
    while (*at < end && strchr(between, **at) == NULL)
        (*at)++;
    return *at > from ? arena_strndup(s->arena, from, (size_t)(*at - from))
                      : NULL;
}

static const char *beside(struct search *s, const char *list, const char *path)
{
    return strcmp(list, "-") == 0 ? path : path_beside(s->arena, list, path);
}

static bool read_line(struct search *s, const char *list, uint32_t number,
                      const char *line, size_t len)
{
    const char *at = line, *end = line + len;
    const char *between = memchr(line, '\t', len) ? "\t\r" : " \r";
    const char *tuned = next_word(s, &at, end, between);
    if (tuned == NULL || tuned[0] == '#')
        return true;
    const char *untuned = next_word(s, &at, end, between);
    const char *name = next_word(s, &at, end, between);
    if (next_word(s, &at, end, between) != NULL)
        return fail(s, list, number, "batch.list",
                    "more than TUNED UNTUNED NAME: paths with blanks are "
                    "separated by tabs");
    bool alone = untuned == NULL && diff_casefile_is(tuned);
    if (untuned == NULL && !alone)
        return fail(s, list, number, "batch.list",
                    "a line is TUNED UNTUNED [NAME], or a case file");
    if (strcmp(tuned, "-") == 0 || (untuned && strcmp(untuned, "-") == 0))
        return fail(s, list, number, "batch.list",
                    "standard input is no module of a list");
    add(s, name ? name : tuned, beside(s, list, tuned),
        alone ? NULL : beside(s, list, untuned));
    return true;
}

static bool read_list(struct search *s, const char *path)
{
    struct buf text = {0};
    bool fine = file_read(path, MAX_LIST_BYTES, &text, s->sink);
    uint32_t number = 1;
    if (fine && memchr(buf_text(&text), '\0', text.len) != NULL)
        fine = fail(s, path, 0, "batch.list",
                    "neither a folder nor a list of pairs: it has NUL bytes");
    for (size_t from = 0; fine && from < text.len; number++) {
        const char *line = text.data + from;
        const char *nl = memchr(line, '\n', text.len - from);
        size_t len = nl ? (size_t)(nl - line) : text.len - from;
        fine = read_line(s, path, number, line, len);
        from += len + 1;
    }
    buf_fini(&text);
    return fine;
}

bool batch_discover(struct arena *arena, size_t noperands,
                    const char *const *operands, struct batch_jobs *out,
                    struct diag_sink *sink)
{
    struct search s = {arena, sink, out};
    *out = (struct batch_jobs){0};
    for (size_t i = 0; i < noperands; i++) {
        const char *path = operands[i];
        size_t before = out->len;
        struct stat st;
        bool folder = strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
                      S_ISDIR(st.st_mode);
        if (folder) {
            if (!search_folder(&s, path, noperands > 1 ? path : "", 0))
                return false;
        } else if (diff_casefile_is(path)) {
            add(&s, path, path, NULL);
        } else if (!read_list(&s, path)) {
            return false;
        }
        if (out->len == before)
            return fail(&s, path, 0, "batch.none",
                        folder ? "no pairs in the folder: wanted tuned.* "
                                 "beside untuned.*, NAME.after.* beside "
                                 "NAME.before.*, or NAME.case"
                               : "no pairs in the list");
        for (size_t k = before; k < out->len; k++)
            if (*out->items[k].name == '\0') /* the operand itself is a pair */
                out->items[k].name = path;
    }
    return true;
}
