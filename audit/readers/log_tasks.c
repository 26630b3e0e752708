/* SPDX-License-Identifier: Apache-2.0
 *
 * What Ansor prints of its tasks: for each a heading with its key and the text of
 * its ComputeDAG, and while it tunes a table with a row a task.
 *
 *   ========== Task 5  (workload key: ["65de44bf…", [1, 348, 12, 12], …]) ==========
 *   placeholder = PLACEHOLDER [1, 348, 12, 12]
 *   …
 *   |  ID  | Latency (ms) | Speed (GFLOPS) | Trials |
 *   |    5 |        0.029 |        7122.14 |     64 |
 *
 * The text may be what a forum made of it: lines between which blank ones stand,
 * logs in between. A comment `# target: TARGET` says what the rows below it were
 * measured on, which the table itself does not.
 *
 * Follows python/tvm/auto_scheduler/task_scheduler.py (PrintTableInfo) and
 * search_task.py of TVM 0.7 to 0.18.
 */
#include "audit/record/record.h"

#include <stdlib.h>
#include <string.h>

static const char heading[] = "workload key: ";
static const char comment[] = "# target:";

static bool starts(const char *line, size_t len, const char *with)
{
    return len >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* Where `what` stands in the line; NULL: nowhere. */
static const char *find(const char *line, size_t len, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= len; i++)
        if (memcmp(line + i, what, n) == 0)
            return line + i;
    return NULL;
}

static bool is_heading(const char *line, size_t len)
{
    return starts(line, len, "=====") && find(line, len, " Task ") != NULL &&
           find(line, len, heading) != NULL;
}

/* | 5 | 0.029 | 7122.14 | 64 |, with - for what is not measured yet. */
static bool is_row(const char *line, size_t len)
{
    size_t bars = 0;
    for (size_t i = 0; i < len; i++) {
        if (strchr("| 0123456789.+-e\t", line[i]) == NULL || line[i] == '\0')
            return false;
        bars += line[i] == '|';
    }
    return bars == 5 && line[0] == '|';
}

static bool detect(const char *line, size_t len)
{
    return is_heading(line, len) || is_row(line, len) ||
           starts(line, len, comment);
}

/* A line of the text: a placeholder, or NAME(axes) = …, NAME(axes) += …. */
static bool is_dag(const char *line, size_t len)
{
    const char *mark = find(line, len, " = PLACEHOLDER");
    size_t name = 0;
    while (name < len && strchr("=| (#", line[name]) == NULL)
        name++;
    if (name == 0 || name >= len)
        return false;
    return mark == line + name ||
           (line[name] == '(' && memchr(line, ')', len) != NULL &&
            (find(line, len, "= ") != NULL ||
             find(line, len, ")reduce") != NULL || find(line, len, ")= ")));
}

static void read_heading(struct audit_cursor *c)
{
    struct arena *arena = c->set->arena;
    const char *line = audit_cursor_line(c), *end = line + c->len;
    const char *key = find(line, c->len, heading) + strlen(heading),
               *id = find(line, c->len, " Task ") + strlen(" Task ");
    struct audit_task task = {.file = c->file, .line = c->line};
    struct buf dag = {0};
    const char *close = end;
    while (close > key && *close != ']')
        close--;
    task.id = arena_strndup(arena, id, strspn(id, "0123456789"));
    task.key = arena_strndup(arena, key,
                             close > key ? (size_t)(close - key) + 1
                                         : (size_t)(end - key));
    for (;;) {
        struct audit_cursor ahead = *c;
        if (!audit_cursor_next(&ahead))
            break;
        const char *next = audit_cursor_line(&ahead);
        if (ahead.len > 0 && !is_dag(next, ahead.len))
            break;
        *c = ahead;
        if (ahead.len > 0) {
            buf_append(&dag, next, ahead.len);
            buf_putc(&dag, '\n');
        }
    }
    task.dag = arena_strdup(arena, buf_text(&dag));
    buf_fini(&dag);
    vec_push(&c->set->tasks, task);
}

/* The number of a column, from 1; false: there is none. */
static bool column(const char *line, size_t len, size_t which, double *out)
{
    char word[64];
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        if (line[i] == '|') {
            which--;
            if (which == SIZE_MAX)
                break;
        } else if (which == 0 && line[i] != ' ' && n + 1 < sizeof word) {
            word[n++] = line[i];
        }
    }
    word[n] = '\0';
    char *end = word;
    *out = strtod(word, &end);
    return n > 0 && *end == '\0' && end != word;
}

static void read_row(struct audit_cursor *c)
{
    struct arena *arena = c->set->arena;
    const char *line = audit_cursor_line(c);
    struct audit_record r = audit_cursor_record(c);
    double id = 0, ms = 0, speed = 0;
    if (!column(line, c->len, 1, &id) || id < 0 || id > 1e9) {
        audit_cursor_fault(c, "a row of Ansor's table without the number of "
                              "its task");
        return;
    }
    if (!column(line, c->len, 2, &ms))
        return; /* not measured yet */
    r.format = AUDIT_TABLE;
    r.task = arena_printf(arena, "task %.0f", id);
    r.key = r.task;
    r.seconds = ARENA_ARRAY(arena, 1, double);
    r.seconds[0] = ms / 1000;
    r.nseconds = 1;
    r.said_gflops = column(line, c->len, 3, &speed) ? speed : 0;
    r.target = c->target ? c->target : "";
    vec_push(&c->set->records, r);
}

static void read_text(struct audit_cursor *c)
{
    const char *line = audit_cursor_line(c);
    size_t skip = strlen(comment);
    if (is_row(line, c->len)) {
        read_row(c);
    } else if (is_heading(line, c->len)) {
        read_heading(c);
    } else {
        while (skip < c->len && line[skip] == ' ')
            skip++;
        c->target = arena_strndup(c->set->arena, line + skip, c->len - skip);
    }
}

const struct audit_reader log_tasks = {
    .name = "tasks", .detect = detect, .read = read_text};
