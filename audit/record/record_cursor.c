/* SPDX-License-Identifier: Apache-2.0
 *
 * A log read line by line: logs are appended to, so that a line that was cut off
 * or overwritten is a fault of its own and the rest is as good as before.
 */
#include "audit/record/record.h"

#include <string.h>

const char *audit_cursor_line(const struct audit_cursor *c)
{
    return c->text + c->from;
}

static void find_end(struct audit_cursor *c)
{
    const char *nl = memchr(c->text + c->from, '\n', c->size - c->from);
    c->len = nl ? (size_t)(nl - (c->text + c->from)) : c->size - c->from;
    if (c->len > 0 && c->text[c->from + c->len - 1] == '\r')
        c->len--;
}

bool audit_cursor_next(struct audit_cursor *c)
{
    if (c->line > 0) {
        const char *nl = memchr(c->text + c->from, '\n', c->size - c->from);
        c->from = nl ? (size_t)(nl - c->text) + 1 : c->size;
    }
    if (c->from >= c->size)
        return false;
    c->line++;
    find_end(c);
    return true;
}

void audit_cursor_fault(struct audit_cursor *c, const char *fmt, ...)
{
    struct audit_fault fault = {.file = c->file, .line = c->line};
    va_list args;
    va_start(args, fmt);
    fault.message = arena_vprintf(c->set->arena, fmt, args);
    va_end(args);
    vec_push(&c->set->faults, fault);
}

struct json_doc *audit_cursor_parse(struct audit_cursor *c)
{
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc = NULL;
    if (c->len > AUDIT_MAX_LINE)
        audit_cursor_fault(c, "a line of more than %zu bytes", AUDIT_MAX_LINE);
    else if ((doc = json_parse(audit_cursor_line(c), c->len, c->file, sink)) ==
             NULL) {
        const struct diag *d = diag_count(sink) ? diag_at(sink, 0) : NULL;
        audit_cursor_fault(c, "no whole record: %s, at column %u",
                           d ? d->message : "no JSON", d ? d->col : 1u);
    }
    diag_sink_free(sink);
    return doc;
}

struct audit_record audit_cursor_record(const struct audit_cursor *c)
{
    return (struct audit_record){.file = c->file,
                                 .line = c->line,
                                 .text = audit_cursor_line(c),
                                 .len = c->len,
                                 .task = "",
                                 .key = "",
                                 .target = "",
                                 .count = {.saving = 1}};
}
