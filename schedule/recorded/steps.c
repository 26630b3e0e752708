/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that hold steps, and running steps one after the other: the first
 * character that is no blank tells a trace in JSON from steps as text.
 */
#include "schedule/recorded/recorded_private.h"

#include <string.h>

#define MAX_STEPS 20000u /* names are looked up one by one */

bool schedule_steps_are_few(const struct schedule_steps *steps,
                            struct diag_loc at, struct diag_sink *sink)
{
    return steps->n <= MAX_STEPS || diag_error(sink, at, "schedule.trace",
                                               "more than %u steps", MAX_STEPS);
}

void schedule_steps_fini(struct schedule_steps *steps)
{
    arena_free(steps->arena);
    *steps = (struct schedule_steps){0};
}

/* The list doubles in the arena. */
void schedule_steps_add(struct schedule_steps *steps, struct buf *text,
                        uint32_t line, uint32_t instruction)
{
    size_t n = steps->n;
    if ((n & (n - 1)) == 0) {
        struct schedule_step *items =
            ARENA_ARRAY(steps->arena, n == 0 ? 1 : 2 * n, struct schedule_step);
        if (n > 0)
            memcpy(items, steps->items, n * sizeof *items);
        steps->items = items;
    }
    steps->items[n] = (struct schedule_step){
        arena_strdup(steps->arena, buf_text(text)), line, instruction};
    steps->n = n + 1;
}

static void read_lines(const char *text, size_t len, struct schedule_steps *out)
{
    uint32_t line = 1;
    for (size_t i = 0; i < len; line++) {
        const char *end = memchr(text + i, '\n', len - i);
        size_t n = end ? (size_t)(end - (text + i)) : len - i;
        size_t blank = 0;
        struct buf one = {0};
        while (blank < n && strchr(" \t\r", text[i + blank]))
            blank++;
        if (blank < n && text[i + blank] != '#') {
            buf_append(&one, text + i + blank, n - blank);
            schedule_steps_add(out, &one, line, 0);
        }
        buf_fini(&one);
        i += n + 1;
    }
}

/* Lines of one language or of the other: a file with one line of tensor
 * expressions is all that. */
static bool read_text(const char *text, size_t len, const char *file,
                      struct diag_sink *sink, struct schedule_steps *out)
{
    struct schedule_steps lines = {.arena = out->arena};
    struct diag_loc at = {.file = file};
    bool te = false;
    read_lines(text, len, &lines);
    if (lines.n == 0)
        return diag_error(sink, at, "schedule.trace", "holds no steps");
    for (size_t i = 0; i < lines.n && !te; i++)
        te = sched_is_te(lines.items[i].text);
    if (!schedule_steps_are_few(&lines, at, sink))
        return false;
    if (!te) {
        *out = lines;
        return true;
    }
    return sched_te_read(&lines, arena_strndup(out->arena, text, len), file,
                         sink, out);
}

/* The trace in a record [workload, [trace, seconds, target, arguments]], that
 * of an object, or the value itself. */
static const struct json_value *trace_of(const struct json_value *root)
{
    const struct json_value *id = json_first(root);
    const struct json_value *record = id ? json_next(id) : NULL;
    if (json_find(root, "trace"))
        return json_find(root, "trace");
    return id && json_type(id) == JSON_NUMBER && record && json_first(record)
               ? json_first(record)
               : root;
}

bool schedule_steps_read(const char *text, size_t len, const char *file,
                         struct diag_sink *sink, struct schedule_steps *out)
{
    struct diag_loc at = {.file = file};
    size_t start = 0, bad;
    out->arena = arena_new();
    out->n = 0;
    while (start < len && strchr(" \t\r\n", text[start]))
        start++;
    if (start < len && (text[start] == '[' || text[start] == '{')) {
        struct json_doc *doc = json_parse(text, len, file, sink);
        bool good = doc && schedule_steps_of_trace(trace_of(json_root(doc)), at,
                                                   sink, out);
        json_free(doc);
        return good;
    }
    if (memchr(text, '\0', len) || !utf8_valid(text, len, &bad))
        return diag_error(sink, at, "schedule.trace",
                          "neither a trace in JSON nor steps as text");
    return read_text(text, len, file, sink, out);
}

void schedule_step_put_place(struct buf *out, const struct schedule_step *step,
                             const char *file)
{
    if (step->line > 0)
        buf_printf(out, "%s:%u", file, step->line);
    else
        buf_printf(out, "%s, instruction %u (the first is 0)", file,
                   step->instruction);
}

size_t schedule_steps_run(struct schedule *s,
                          const struct schedule_steps *steps, const bool *skip,
                          bool (*each)(void *user, size_t step), void *user)
{
    struct schedule_names *names = schedule_names_new();
    size_t i = 0;
    for (; i < steps->n; i++) {
        if (skip && skip[i])
            continue;
        if (!schedule_run_line(s, names, steps->items[i].text))
            break;
        if (each && !each(user, i))
            break;
    }
    schedule_names_free(names);
    return i;
}
