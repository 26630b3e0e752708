/* SPDX-License-Identifier: Apache-2.0
 *
 * Which logs there are: folders are walked in the order of names, so that the same
 * tree gives the same records everywhere. In a folder a file is a log by its
 * ending and what stands in it; one that is named has to be one.
 */
#define _XOPEN_SOURCE 700 /* lstat, S_ISDIR */
#include "diff/batch/batch.h"
#include "diff/db/db.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FOLDERS_DEEP 64u
#define MAX_FILES        4000000u /* of one folder */

struct names VEC(char *);

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_read(const struct db_run *run, const char *path)
{
    for (size_t i = 0; i < run->set->files.len; i++)
        if (strcmp(run->set->files.items[i].name, path) == 0)
            return true;
    return false;
}

/* asked: by its name, so that it has to be a log. */
static void read_file(struct db_run *run, const char *path, bool asked)
{
    struct buf text = {0};
    const char *why = NULL;
    struct diag_loc loc = {.file = path};
    if (is_read(run, path))
        return;
    if (!file_read(path, run->options->max_input_bytes, &text, run->sink)) {
        run->unread = true;
    } else if (!audit_set_add(run->set, path, &text, &why)) {
        if (asked)
            run->unread = !diag_error(
                run->sink, loc, "db.log", "no tuning log or database: %s",
                why ? why
                    : "no line is a record of MetaSchedule, "
                      "Ansor or AutoTVM");
        run->passed += !asked;
    }
    buf_fini(&text);
}

/* The other file of MetaSchedule's two, where it is there. */
static void read_beside(struct db_run *run, const char *path)
{
    static const char *const parts[] = {"tuning_record", "workload"};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(path, parts[i]);
        struct buf other = {0};
        if (at == NULL)
            continue;
        buf_append(&other, path, (size_t)(at - path));
        buf_printf(&other, "%s%s", parts[1 - i], at + strlen(parts[i]));
        if (access(buf_text(&other), R_OK) == 0)
            read_file(run, buf_text(&other), false);
        buf_fini(&other);
    }
}

static bool is_log_name(const char *name)
{
    static const char *const ends[] = {".json", ".jsonl", ".log", ".txt"};
    size_t n = strlen(name);
    for (size_t i = 0; i < DC_ARRAY_LEN(ends); i++) {
        size_t m = strlen(ends[i]);
        if (n > m && strcmp(name + n - m, ends[i]) == 0)
            return true;
    }
    return false;
}

static bool list_folder(struct db_run *run, const char *path, struct names *out)
{
    DIR *dir = opendir(path);
    struct diag_loc loc = {.file = path};
    if (dir == NULL)
        return diag_error(run->sink, loc, "db.folder",
                          "cannot read the folder: %s", strerror(errno));
    for (struct dirent *e = readdir(dir); e != NULL && out->len < MAX_FILES;
         e = readdir(dir))
        if (e->d_name[0] != '.')
            vec_push(out, arena_strdup(run->set->arena, e->d_name));
    (void)closedir(dir);
    if (out->len > 0)
        qsort(out->items, out->len, sizeof *out->items, by_name);
    return true;
}

static void search(struct db_run *run, const char *path, unsigned depth)
{
    struct names names = {0};
    struct diag_loc loc = {.file = path};
    bool deep =
        depth > MAX_FOLDERS_DEEP &&
        !diag_error(run->sink, loc, "db.folder", "folders nest too deeply");
    if (deep || !list_folder(run, path, &names))
        run->unread = true;
    for (size_t i = 0; i < names.len; i++) {
        const char *at = path_join(run->set->arena, path, names.items[i]);
        struct stat st;
        if (lstat(at, &st) != 0)
            continue; /* gone since the folder was read */
        if (S_ISDIR(st.st_mode))
            search(run, at, depth + 1);
        else if (is_log_name(at))
            read_file(run, at, false);
    }
    vec_fini(&names);
}

void db_read(struct db_run *run)
{
    for (size_t i = 0; i < run->options->noperands; i++) {
        const char *path = run->options->operands[i];
        struct stat st;
        if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
            S_ISDIR(st.st_mode)) {
            search(run, path, 0);
        } else {
            read_file(run, path, true);
            read_beside(run, path);
        }
    }
    audit_set_link(run->set);
}

/* ---- counting -------------------------------------------------------------------- */

/* Records that are counted between two looks at the clock. */
#define STRIDE 512u

struct share {
    struct audit_set *set;
    size_t from, to, parts;
    struct arena **arenas;
};

static void count_share(void *user, unsigned part)
{
    const struct share *s = user;
    for (size_t i = s->from + part; i < s->to; i += s->parts)
        audit_count(s->set, i, s->arenas[part]);
}

void db_count(struct db_run *run)
{
    size_t n = run->set->records.len;
    unsigned jobs = run->options->jobs > 0 ? run->options->jobs : 1;
    struct share share = {.set = run->set, .parts = jobs};
    struct batch_progress progress;
    share.arenas = dc_alloc(jobs * sizeof *share.arenas);
    for (unsigned i = 0; i < jobs; i++)
        share.arenas[i] = arena_new();
    batch_progress_begin(&progress, n, run->options->quiet);
    progress.what = "records";
    while (share.from < n) {
        share.to = share.from + STRIDE < n ? share.from + STRIDE : n;
        dc_parallel(jobs, count_share, &share);
        progress.done = share.from = share.to;
        batch_progress_show(&progress);
    }
    batch_progress_clear(&progress);
    for (unsigned i = 0; i < jobs; i++)
        arena_absorb(run->set->arena, share.arenas[i]);
    dc_release(share.arenas);
}
