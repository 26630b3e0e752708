/* SPDX-License-Identifier: Apache-2.0
 *
 * Diagnostics: messages about the user's input, with the place they belong to.
 *
 * A sink copies everything it is given into its own arena, keeps the first
 * DC_MAX_DIAGS messages and counts the rest, so that hostile input cannot grow
 * it without bound. The text of a source may be registered; the line that a
 * message points to is then copied into it, and rendering shows it with a
 * caret, as compilers do.
 */
#include "ir/base/base.h"
#include "ir/base/limits.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct source {
    const char *file, *text;
    size_t len;
};

struct diag_sink {
    struct arena *arena;
    struct VEC(struct diag) diags;
    struct VEC(struct source) sources;
    size_t errors, dropped;
};

struct diag_sink *diag_sink_new(void)
{
    struct diag_sink *sink = dc_alloc(sizeof *sink);
    sink->arena = arena_new();
    return sink;
}

void diag_sink_free(struct diag_sink *sink)
{
    if (!sink)
        return;
    vec_fini(&sink->diags);
    vec_fini(&sink->sources);
    arena_free(sink->arena);
    dc_release(sink);
}

size_t diag_count(const struct diag_sink *sink)
{
    return sink->diags.len;
}

const struct diag *diag_at(const struct diag_sink *sink, size_t index)
{
    return &sink->diags.items[index];
}

size_t diag_error_count(const struct diag_sink *sink)
{
    return sink->errors;
}

void diag_clear(struct diag_sink *sink)
{
    sink->diags.len = 0;
    sink->errors = sink->dropped = 0;
}

void diag_set_source(struct diag_sink *sink, const char *file, const char *text,
                     size_t len)
{
    if (!sink)
        return;
    struct source source = {arena_strdup(sink->arena, file),
                            arena_strndup(sink->arena, text, len), len};
    vec_push(&sink->sources, source);
}

/* Copy of one line of a registered source, at most 400 bytes of it. */
static const char *source_line(struct diag_sink *sink, const char *file,
                               uint32_t line)
{
    if (!file || !line)
        return NULL;
    for (size_t i = sink->sources.len; i-- > 0;) {
        const struct source *s = &sink->sources.items[i];
        if (strcmp(s->file, file) != 0)
            continue;
        const char *p = s->text, *end = s->text + s->len;
        for (uint32_t n = 1; n < line && p; n++) {
            p = memchr(p, '\n', (size_t)(end - p));
            p = p ? p + 1 : NULL;
        }
        if (!p)
            return NULL;
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((stop ? stop : end) - p);
        return arena_strndup(sink->arena, p, len < 400 ? len : 400);
    }
    return NULL;
}

bool diag_report(struct diag_sink *sink, enum diag_severity severity,
                 struct diag_loc loc, const char *code, const char *fmt,
                 va_list args)
{
    if (!sink)
        return false;
    if (severity == DIAG_ERROR)
        sink->errors++;
    if (sink->diags.len >= DC_MAX_DIAGS) {
        sink->dropped++;
        return false;
    }
    struct diag d = {
        .severity = severity,
        .code = arena_strdup(sink->arena, code),
        .message = arena_vprintf(sink->arena, fmt, args),
        .file = loc.file ? arena_strdup(sink->arena, loc.file) : NULL,
        .line = loc.line,
        .col = loc.col,
        .path = loc.path ? arena_strdup(sink->arena, loc.path) : NULL,
        .source = source_line(sink, loc.file, loc.line),
    };
    vec_push(&sink->diags, d);
    return false;
}

bool diag_error(struct diag_sink *sink, struct diag_loc loc, const char *code,
                const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_report(sink, DIAG_ERROR, loc, code, fmt, args);
    va_end(args);
    return false;
}

void diag_warn(struct diag_sink *sink, struct diag_loc loc, const char *code,
               const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_report(sink, DIAG_WARNING, loc, code, fmt, args);
    va_end(args);
}

static const char *severity_name(enum diag_severity severity)
{
    switch (severity) {
    case DIAG_ERROR: return "error";
    case DIAG_WARNING: return "warning";
    case DIAG_NOTE: return "note";
    }
    return "?";
}

static const char *severity_colour(enum diag_severity severity)
{
    switch (severity) {
    case DIAG_ERROR: return "\033[1;31m";
    case DIAG_WARNING: return "\033[1;35m";
    case DIAG_NOTE: return "\033[1;36m";
    }
    return "";
}

/* Messages and places quote the input: a message is one line, and says nothing
 * to the terminal. */
static void put_plain(struct buf *out, const char *text)
{
    buf_put_visible(out, text, strlen(text), "\t");
}

/* Source line and a caret below column col; tabs are kept so that the caret
 * lines up. Each byte that is not visible is shown as '?'. */
static void render_caret(const struct diag *d, struct buf *out)
{
    size_t left = strlen(d->source);
    buf_puts(out, "    ");
    for (const char *p = d->source; left > 0;) {
        size_t n = text_visible(p, left, "\t");
        buf_append(out, p, n);
        if (n < left) {
            buf_putc(out, '?');
            n++;
        }
        p += n;
        left -= n;
    }
    buf_puts(out, "\n    ");
    size_t len = strlen(d->source);
    for (uint32_t i = 1; i < d->col && i <= len; i++)
        buf_putc(out, d->source[i - 1] == '\t' ? '\t' : ' ');
    buf_puts(out, "^\n");
}

void diag_render(const struct diag_sink *sink, bool colour, struct buf *out)
{
    for (size_t i = 0; i < sink->diags.len; i++) {
        const struct diag *d = &sink->diags.items[i];
        if (d->file) {
            put_plain(out, d->file);
            buf_putc(out, ':');
        }
        if (d->line)
            buf_printf(out, "%u:", d->line);
        if (d->line && d->col)
            buf_printf(out, "%u:", d->col);
        if (d->file)
            buf_putc(out, ' ');
        buf_printf(out, "%s%s:%s ", colour ? severity_colour(d->severity) : "",
                   severity_name(d->severity), colour ? "\033[0m" : "");
        put_plain(out, d->message);
        if (d->path) {
            buf_puts(out, " (at ");
            put_plain(out, d->path);
            buf_putc(out, ')');
        }
        buf_printf(out, " [%s]\n", d->code);
        if (d->source && d->col)
            render_caret(d, out);
    }
    if (sink->dropped)
        buf_printf(out, "(%zu more messages not shown)\n", sink->dropped);
}

bool diag_has_escapes(int descriptor)
{
    const char *term = getenv("TERM");
    return isatty(descriptor) && term && *term && strcmp(term, "dumb") != 0;
}
