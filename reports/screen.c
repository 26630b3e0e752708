/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines for people: labels, wrapping, cutting. Widths are counted in characters
 * (UTF-8), which is right for what modules are made of.
 */
#include "reports/screen.h"

#include <ctype.h>
#include <string.h>

#define PLAIN_WIDTH 80u
#define MIN_WIDTH   40u

struct screen screen_make(struct buf *out, struct report_style style)
{
    size_t width = style.columns != 0 ? style.columns : PLAIN_WIDTH;
    return (struct screen){.out = out,
                           .style = style,
                           .width = width < MIN_WIDTH ? MIN_WIDTH : width};
}

size_t screen_columns(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++) {
        if (*text == '\033') {
            while (*text != '\0' && *text != 'm')
                text++;
            if (*text == '\0')
                break;
        } else {
            n += ((unsigned char)*text & 0xC0) != 0x80;
        }
    }
    return n;
}

/* Bytes of the text's first so many columns. */
static size_t bytes_of(const char *text, size_t columns)
{
    size_t at = 0;
    while (text[at] != '\0' && columns > 0) {
        at++;
        while (((unsigned char)text[at] & 0xC0) == 0x80)
            at++;
        columns--;
    }
    return at;
}

static void put_spaces(struct screen *s, size_t n)
{
    while (n-- > 0)
        buf_putc(s->out, ' ');
}

/* The label; returns the column that it leaves. */
static size_t put_label(struct screen *s, const char *label, size_t indent)
{
    size_t used = screen_columns(label);
    buf_puts(s->out, label);
    if (used < indent) {
        put_spaces(s, indent - used);
        used = indent;
    }
    return used;
}

/* Where to break: before the last space that fits; at the width where there is
 * none, and behind the word where `words` are not to be broken. */
static size_t break_at(const char *text, size_t room, bool words)
{
    size_t most = bytes_of(text, room);
    if (text[most] == '\0')
        return most;
    size_t at = most;
    while (at > 0 && text[at] != ' ')
        at--;
    if (at > 0)
        return at;
    if (!words)
        return most;
    return strcspn(text, " ");
}

static void put_wrapped(struct screen *s, const char *label, size_t indent,
                        const char *text, const char *more)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "");
    const char *p = buf_text(&clean);
    size_t column = put_label(s, label, indent), tail = strlen(more);
    for (bool first = true; first || *p != '\0'; first = false) {
        size_t room = s->width > column + tail ? s->width - column : tail + 1;
        size_t n = screen_columns(p) <= room
                       ? strlen(p)
                       : break_at(p, room - tail, tail > 0);
        if (!first)
            put_spaces(s, indent);
        buf_append(s->out, p, n);
        p += n;
        p += strspn(p, " ");
        if (*p != '\0')
            buf_puts(s->out, more);
        buf_putc(s->out, '\n');
        column = indent;
    }
    buf_fini(&clean);
}

void screen_put(struct screen *s, const char *label, size_t indent,
                const char *text)
{
    put_wrapped(s, label, indent, text, "");
}

void screen_put_command(struct screen *s, const char *label, const char *text)
{
    put_wrapped(s, label, SCREEN_LABEL, text, " \\");
}

size_t screen_put_fit(struct buf *out, const char *text, size_t room)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "");
    size_t columns = screen_columns(buf_text(&clean));
    bool cut = columns > room;
    buf_append(out, buf_text(&clean),
               cut ? bytes_of(buf_text(&clean), room - 1) : clean.len);
    buf_puts(out, cut ? "…" : "");
    buf_fini(&clean);
    return cut ? room : columns;
}

void screen_put_cut(struct screen *s, const char *label, size_t indent,
                    const char *text)
{
    size_t used = put_label(s, label, indent);
    size_t room = s->width > used + 1 ? s->width - used : 2;
    (void)screen_put_fit(s->out, text, s->style.verbose ? SIZE_MAX : room);
    buf_putc(s->out, '\n');
}

void screen_put_head(struct screen *s, const char *colour, const char *verdict,
                     const char *left, const char *right)
{
    size_t used = strlen(verdict) + screen_columns(left);
    size_t wide = screen_columns(right);
    buf_printf(s->out, "%s%s%s%s", s->style.colour ? colour : "", verdict,
               s->style.colour ? "\033[0m" : "", left);
    if (used + 2 + wide <= s->width)
        put_spaces(s, s->width - used - wide);
    else
        buf_puts(s->out, "\n  ");
    buf_printf(s->out, "%s\n", right);
}

void screen_put_judged(struct screen *s, const char *verdict, const char *name,
                       int exit_code)
{
    struct buf left = {0}, right = {0};
    const char *colour = exit_code == REPORT_EXIT_NOTHING     ? SCREEN_GREEN
                         : exit_code == REPORT_EXIT_UNDECIDED ? SCREEN_YELLOW
                                                              : SCREEN_RED;
    if (exit_code == REPORT_EXIT_NOTHING)
        buf_puts(&right, "no finding, exit 0");
    else
        buf_printf(&right, "%sexit status %d",
                   exit_code == REPORT_EXIT_FINDING ? "finding, " : "",
                   exit_code);
    buf_puts(&left, "  ");
    buf_put_visible(&left, name, strlen(name), "");
    screen_put_head(s, colour, verdict, buf_text(&left), buf_text(&right));
    buf_fini(&left);
    buf_fini(&right);
}

void screen_put_sentence(struct screen *s, const char *text, bool name)
{
    struct buf line = {0};
    size_t n = strlen(text);
    if (n == 0)
        return;
    buf_append(&line, text, n);
    if (!name)
        line.data[0] = (char)toupper((unsigned char)line.data[0]);
    if (text[n - 1] != '.')
        buf_putc(&line, '.');
    screen_put(s, "", 0, buf_text(&line));
    buf_fini(&line);
}

void screen_put_list(struct screen *s, const char *label,
                     const struct report_list *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        screen_put(s, i == 0 ? label : "", SCREEN_LABEL, list->items[i]);
}

void screen_put_lines(struct screen *s, const char *label, const char *text)
{
    for (bool first = true; text != NULL && *text; first = false) {
        size_t len = strcspn(text, "\n");
        (void)put_label(s, first ? label : "", SCREEN_LABEL);
        buf_put_visible(s->out, text, len, "");
        buf_putc(s->out, '\n');
        text += len + (text[len] ? 1 : 0);
    }
}
