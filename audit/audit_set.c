/* SPDX-License-Identifier: Apache-2.0
 *
 * The set of all that was read: files line by line through the reader that knows
 * the line, so that logs of several formats, appended to one another, are read
 * as well; then each record with its workload or task. A comment, a blank line
 * and, in a file that is no log, everything is passed over.
 */
#include "audit/audit.h"
#include "audit/record/record.h"

#include <stdlib.h>
#include <string.h>

struct audit_set *audit_set_new(void)
{
    struct audit_set *set = dc_alloc(sizeof *set);
    set->arena = arena_new();
    return set;
}

void audit_set_free(struct audit_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->files.len; i++)
        buf_fini(&set->files.items[i].text);
    vec_fini(&set->files);
    vec_fini(&set->records);
    vec_fini(&set->workloads);
    vec_fini(&set->tasks);
    vec_fini(&set->faults);
    arena_free(set->arena);
    dc_release(set);
}

/* ---- reading ------------------------------------------------------------------ */

static const struct audit_reader *reader_of(const struct audit_cursor *c)
{
    const char *line = audit_cursor_line(c);
    for (size_t i = 0; audit_readers[i] != NULL; i++)
        if (audit_readers[i]->detect(line, c->len))
            return audit_readers[i];
    return NULL;
}

static bool is_blank(const struct audit_cursor *c)
{
    const char *line = audit_cursor_line(c);
    size_t i = 0;
    while (i < c->len && (line[i] == ' ' || line[i] == '\t'))
        i++;
    return i == c->len || line[i] == '#';
}

/* Whether a line that no reader knows was to be a record: it begins as one. */
static bool was_record(const struct audit_cursor *c)
{
    const char *line = audit_cursor_line(c);
    return c->len > 0 && (line[0] == '{' || line[0] == '[');
}

/* What a file is that is no log. */
static const char *what_else(const struct buf *text)
{
    static const struct {
        const char *begins, *what;
    } known[] = {
        {"\x80\x02", NULL},
        {"\x80\x03", NULL},
        {"\x80\x04", NULL},
        {"\x80\x05", NULL},
        {"\x1f\x8b", "compressed: unpack it first"},
        {"PK\x03\x04", "an archive: unpack it first"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(known); i++)
        if (text->len > 2 &&
            memcmp(text->data, known[i].begins, strlen(known[i].begins)) == 0)
            return known[i].what ? known[i].what
                                 : "a pickle, which is code: print the tasks "
                                   "with their keys and compute_dag from the "
                                   "TVM that wrote it";
    return NULL;
}

static bool knows_a_line(struct audit_cursor c)
{
    while (audit_cursor_next(&c))
        if (reader_of(&c) != NULL)
            return true;
    return false;
}

static void read_all(struct audit_cursor *c)
{
    while (audit_cursor_next(c)) {
        const struct audit_reader *reader = reader_of(c);
        if (reader != NULL)
            reader->read(c);
        else if (!is_blank(c) && was_record(c))
            audit_cursor_fault(c, "no record of a known format");
    }
}

bool audit_set_add(struct audit_set *set, const char *name, struct buf *text,
                   const char **why)
{
    struct audit_file file = {.name = arena_strdup(set->arena, name)};
    struct audit_cursor c = {.set = set,
                             .file = file.name,
                             .text = buf_text(text),
                             .size = text->len};
    if (why != NULL)
        *why = what_else(text);
    if (!knows_a_line(c))
        return false;
    size_t records = set->records.len, workloads = set->workloads.len,
           tasks = set->tasks.len;
    file.text = *text;
    *text = (struct buf){0};
    read_all(&c);
    file.nrecords = set->records.len - records;
    file.nworkloads = set->workloads.len - workloads;
    file.ntasks = set->tasks.len - tasks;
    vec_push(&set->files, file);
    return true;
}

/* ---- links -------------------------------------------------------------------- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool same_folder(const char *a, const char *b)
{
    size_t n = folder_length(a);
    return n == folder_length(b) && memcmp(a, b, n) == 0;
}

/* Whether the names differ in "tuning_record" and "workload" alone. */
static bool belongs(const char *records, const char *workloads)
{
    static const char one[] = "tuning_record", other[] = "workload";
    const char *at = records, *found = NULL;
    while ((at = strstr(at, one)) != NULL)
        found = at++;
    if (found == NULL)
        return false;
    size_t n = (size_t)(found - records);
    return strncmp(records, workloads, n) == 0 &&
           strncmp(workloads + n, other, sizeof other - 1) == 0 &&
           strcmp(found + sizeof one - 1, workloads + n + sizeof other - 1) ==
               0;
}

/* The first of the workloads of the file that goes with the records': by name, or
 * the only one of its folder. NULL: there is none. */
static const struct audit_workload *workloads_of(const struct audit_set *set,
                                                 const char *records, size_t *n)
{
    size_t at = 0, found = 0, files = 0;
    *n = 0;
    for (size_t i = 0; i < set->files.len; i++) {
        const struct audit_file *f = &set->files.items[i];
        size_t first = at;
        at += f->nworkloads;
        if (f->nworkloads == 0 || !same_folder(records, f->name))
            continue;
        *n = f->nworkloads;
        found = first;
        files++;
        if (belongs(records, f->name)) {
            files = 1;
            break;
        }
    }
    return files == 1 ? &set->workloads.items[found] : NULL;
}

static void link_workload(struct audit_set *set, struct audit_record *r,
                          const struct audit_workload *first, size_t n)
{
    long long number = strtoll(r->task + strlen("workload "), NULL, 10);
    if (first == NULL || number < 0 || (size_t)number >= n ||
        first[number].base64 == NULL) {
        r->key = arena_printf(set->arena, "%s of %s", r->task, r->file);
        return;
    }
    r->workload = &first[number];
    r->key = r->workload->hash;
}

/* What a task is found by: of a table its file and number, else its key without
 * brackets and blanks, in which versions differ. */
static uint64_t hash_task(const char *file, const char *id)
{
    return hash_bytes(hash_bytes(1, file, strlen(file)), id, strlen(id));
}

static const char passed[] = "[] ";

static uint64_t hash_key(const char *key)
{
    uint64_t hash = 2;
    for (; *key; key++)
        if (strchr(passed, *key) == NULL)
            hash = hash_mix(hash, (unsigned char)*key);
    return hash;
}

static bool same_key(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, passed);
        b += strspn(b, passed);
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
        a++;
        b++;
    }
}

struct entry {
    uint64_t hash;
    size_t task;
};

static int by_hash(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Two entries a task, sorted. */
static struct entry *index_tasks(const struct audit_set *set)
{
    size_t n = set->tasks.len;
    struct entry *out = dc_alloc((2 * n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const struct audit_task *t = &set->tasks.items[i];
        out[2 * i] = (struct entry){hash_task(t->file, t->id), i};
        out[2 * i + 1] = (struct entry){hash_key(t->key), i};
    }
    qsort(out, 2 * n, sizeof *out, by_hash);
    return out;
}

static bool is_task_of(const struct audit_task *t, const struct audit_record *r)
{
    return r->format == AUDIT_TABLE
               ? t->file == r->file &&
                     strcmp(t->id, r->task + strlen("task ")) == 0
               : same_key(t->key, r->key);
}

static void link_task(struct audit_set *set, const struct entry *entries,
                      struct audit_record *r)
{
    uint64_t hash = r->format == AUDIT_TABLE
                        ? hash_task(r->file, r->task + strlen("task "))
                        : hash_key(r->key);
    size_t lo = 0, hi = 2 * set->tasks.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (entries[mid].hash < hash)
            lo = mid + 1;
        else
            hi = mid;
    }
    /* The first in the order of the files. */
    for (; lo < 2 * set->tasks.len && entries[lo].hash == hash; lo++) {
        const struct audit_task *t = &set->tasks.items[entries[lo].task];
        if (!is_task_of(t, r))
            continue;
        r->dag = t;
        if (r->format == AUDIT_TABLE)
            r->key = t->key;
        return;
    }
}

void audit_set_link(struct audit_set *set)
{
    const struct audit_workload *first = NULL;
    const char *of = NULL;
    size_t n = 0;
    struct entry *entries = index_tasks(set);
    for (size_t i = 0; i < set->records.len; i++) {
        struct audit_record *r = &set->records.items[i];
        if (r->format == AUDIT_METASCHEDULE) {
            if (of != r->file)
                first = workloads_of(set, r->file, &n);
            of = r->file;
            link_workload(set, r, first, n);
        } else if (r->format != AUDIT_AUTOTVM) {
            link_task(set, entries, r);
        }
    }
    dc_release(entries);
}
