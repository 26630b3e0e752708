/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands that are lines of a MetaSchedule database, FILE:LINE (the first is 1):
 * a line of the workloads is its module, a line of the records what its trace
 * makes of its workload, which stands in the file of workloads beside it, at the
 * place that the record says. Both are texts of modules like any other.
 *
 * Format: TVM 0.9 to 0.27, meta_schedule/database/json_database.cc: a workload is
 * ["hash", "base64"], eight bytes of length and the module in JSON.
 */
#include "diff/input/input.h"
#include "ir/base/json.h"
#include "schedule/recorded/recorded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH_BYTES 8u
#define WORKLOADS    "database_workload.json"

DC_PRINTF(3, 4)
static bool fail(struct diag_sink *sink, struct diag_loc at, const char *fmt,
                 ...)
{
    va_list args;
    va_start(args, fmt);
    bool ok = diag_report(sink, DIAG_ERROR, at, "record.line", fmt, args);
    va_end(args);
    return ok;
}

/* The file and the line of such an operand; a file of the whole name is that. */
static bool split(const char *path, struct buf *file, uint32_t *line)
{
    const char *colon = strrchr(path, ':');
    size_t n = colon ? strspn(colon + 1, "0123456789") : 0;
    if (n == 0 || n > 9 || colon[1 + n] != '\0' || access(path, F_OK) == 0)
        return false;
    *line = (uint32_t)strtoul(colon + 1, NULL, 10);
    buf_append(file, path, (size_t)(colon - path));
    return *line > 0 && access(buf_text(file), F_OK) == 0;
}

/* Line `line` of a text; NULL: it has fewer. */
static const char *line_of(const struct buf *text, uint32_t line, size_t *len)
{
    const char *at = buf_text(text), *end = at + text->len;
    for (uint32_t i = 1; at < end; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        *len = (size_t)((stop ? stop : end) - at);
        if (i == line)
            return at;
        at = stop ? stop + 1 : end;
    }
    return NULL;
}

static bool put_workload(const struct json_value *v, struct diag_loc at,
                         struct buf *out, struct diag_sink *sink)
{
    const char *text = json_string(v);
    struct buf bytes = {0};
    bool fine =
        base64_decode(text, strlen(text), &bytes) && bytes.len > LENGTH_BYTES;
    if (fine)
        buf_append(out, bytes.data + LENGTH_BYTES, bytes.len - LENGTH_BYTES);
    buf_fini(&bytes);
    return fine || fail(sink, at,
                        "the workload is no module in base64 behind a length");
}

static bool apply(const struct json_value *trace, const struct buf *workload,
                  struct diag_loc at, struct buf *out, struct diag_sink *sink)
{
    struct schedule_steps steps = {0};
    struct ir_module *m =
        ir_read(buf_text(workload), workload->len, at.file, sink);
    struct schedule *s = NULL;
    bool fine = m && ir_wellformed(m, sink) &&
                schedule_steps_of_trace(trace, at, sink, &steps) &&
                (s = schedule_new(m, NULL, sink)) != NULL;
    if (fine) {
        size_t done = schedule_steps_run(s, &steps, NULL, NULL, NULL);
        fine = done == steps.n ||
               fail(sink, at, "step %zu of its trace, '%s', is refused: %s",
                    done + 1, steps.items[done].text, schedule_message(s));
    }
    fine = fine && ir_write_json(schedule_module(s), IR_ERA_F, out, sink);
    schedule_free(s);
    schedule_steps_fini(&steps);
    ir_module_free(m);
    return fine;
}

/* Of `any` line, or of a workload alone: a record has no record for one. */
static bool read_line(const char *file, uint32_t line, size_t max, bool any,
                      struct buf *out, struct diag_sink *sink);

/* [workload, [trace, seconds, target, arguments]] */
static bool put_record(const struct json_value *root, struct diag_loc at,
                       size_t max, struct buf *out, struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    struct buf workload = {0};
    int64_t id = -1;
    const char *beside = path_beside(arena, at.file, WORKLOADS);
    bool fine =
        json_int(json_first(root), &id, NULL) && id >= 0 && id < INT32_MAX;
    if (!fine)
        (void)fail(sink, at, "a record begins with the number of its workload");
    fine = fine &&
           read_line(beside, (uint32_t)id + 1, max, false, &workload, sink) &&
           apply(json_first(json_next(json_first(root))), &workload, at, out,
                 sink);
    buf_fini(&workload);
    arena_free(arena);
    return fine;
}

static bool put_line(const char *text, size_t len, struct diag_loc at,
                     size_t max, bool any, struct buf *out,
                     struct diag_sink *sink)
{
    struct json_doc *doc = json_parse(text, len, at.file, sink);
    const struct json_value *root = doc ? json_root(doc) : NULL;
    const struct json_value *first = json_first(root);
    const struct json_value *second = first ? json_next(first) : NULL;
    bool fine = false;
    if (root && second && json_type(first) == JSON_STRING &&
        json_type(second) == JSON_STRING)
        fine = put_workload(second, at, out, sink);
    else if (any && root && second && json_type(first) == JSON_NUMBER &&
             json_type(second) == JSON_ARRAY && json_first(second))
        fine = put_record(root, at, max, out, sink);
    else if (root)
        (void)fail(sink, at, "expected a workload%s of a MetaSchedule database",
                   any ? " or a record" : "");
    json_free(doc);
    return fine;
}

static bool read_line(const char *file, uint32_t line, size_t max, bool any,
                      struct buf *out, struct diag_sink *sink)
{
    struct diag_loc at = {.file = file, .line = line};
    struct buf text = {0};
    size_t len = 0;
    bool fine = file_read(file, max, &text, sink);
    const char *found = fine ? line_of(&text, line, &len) : NULL;
    if (found)
        fine = put_line(found, len, at, max, any, out, sink);
    else if (fine)
        fine = fail(sink, at, "the file has fewer lines");
    buf_fini(&text);
    return fine;
}

bool diff_trace_read(const char *path, size_t max, struct buf *out,
                     struct diag_sink *sink)
{
    struct buf file = {0}, text = {0};
    uint32_t line;
    size_t len = 0;
    bool fine;
    if (!split(path, &file, &line)) {
        fine = file_read(path, max, out, sink);
    } else {
        struct diag_loc at = {.file = buf_text(&file), .line = line};
        const char *found = NULL;
        fine = file_read(buf_text(&file), max, &text, sink);
        if (fine && (found = line_of(&text, line, &len)) != NULL)
            buf_append(out, found, len);
        else if (fine)
            fine = fail(sink, at, "the file has fewer lines");
    }
    buf_fini(&text);
    buf_fini(&file);
    return fine;
}

bool diff_text_read(const char *path, size_t max, struct buf *out,
                    struct diag_sink *sink)
{
    struct buf file = {0};
    uint32_t line;
    bool fine = split(path, &file, &line)
                    ? read_line(buf_text(&file), line, max, true, out, sink)
                    : file_read(path, max, out, sink);
    buf_fini(&file);
    return fine;
}
