/* SPDX-License-Identifier: Apache-2.0
 *
 * A race on a time line: a lane for each of the two threads, the statements of
 * the program from left to right, once for each iteration of the loop that the
 * accesses are in. Barriers are lines across both lanes; between the accesses
 * there is none, which is what a race is.
 */
#include "reports/html/html.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LANE_LEFT 210.0
#define STEP      96.0
#define LANE_A    62.0
#define LANE_B    132.0
#define MOST      40u /* events that are drawn */

enum kind { BARRIER, ACCESS };
struct event {
    enum kind kind;
    long long turn; /* of the loop that both are in */
    uint32_t line;
    size_t access; /* 0 or 1 */
};

/* The value of `name` in "k_0 = 1, vi = 2..3"; false: it is not there, or not one
 * number. */
static bool value_of(const char *vars, const char *name, size_t len,
                     long long *out)
{
    for (const char *p = vars; p != NULL && *p; p += strspn(p, ", ")) {
        if (strncmp(p, name, len) == 0 && strncmp(p + len, " = ", 3) == 0) {
            char *end;
            *out = strtoll(p + len + 3, &end, 10);
            return end != p + len + 3 && strncmp(end, "..", 2) != 0;
        }
        p += strcspn(p, ",");
    }
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the name is that of a thread's index, by the program: a line that
 * binds threads has it. */
static bool is_thread(const struct report_pair *pair, const char *name,
                      size_t len)
{
    const struct report_source *s = pair->sources;
    for (size_t i = 0; s != NULL && i < s[1].lines.n; i++) {
        const char *line = s[1].lines.items[i];
        if (strstr(line, "thread_binding(") == NULL &&
            strstr(line, "launch_thread(") == NULL &&
            strstr(line, "env_thread(") == NULL)
            continue;
        for (const char *at = strstr(line, name); at != NULL;
             at = strstr(at + 1, name))
            if ((at == line || !is_word(at[-1])) && !is_word(at[len]))
                return true;
    }
    return false;
}

/* The first loop that both accesses are in at different turns. */
static bool find_loop(const struct report_pair *pair, long long turns[2],
                      struct buf *name)
{
    const struct report_place *a = &pair->origin->places[0], *b = a + 1;
    for (const char *p = a->vars; p != NULL && *p; p += strspn(p, ", ")) {
        size_t len = strcspn(p, " ,");
        long long x, y;
        name->len = 0;
        buf_append(name, p, len);
        if (len > 0 && value_of(a->vars, p, len, &x) &&
            value_of(b->vars, p, len, &y) && x != y &&
            !is_thread(pair, buf_text(name), len)) {
            turns[0] = x;
            turns[1] = y;
            return true;
        }
        p += strcspn(p, ",");
    }
    buf_fini(name);
    *name = (struct buf){0};
    return false;
}

static int by_time(const void *x, const void *y)
{
    const struct event *a = x, *b = y;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->access < b->access ? -1 : a->access > b->access;
}

static size_t list_events(const struct report_pair *pair,
                          const long long turns[2], struct event *out)
{
    const struct report_place *places = pair->origin->places;
    size_t n = 0;
    for (size_t i = 0; i < 2; i++)
        out[n++] = (struct event){ACCESS, turns[i], places[i].line, i};
    for (size_t i = 0; i < pair->plots->nbarriers; i++) {
        const struct report_barrier *b = &pair->plots->barriers[i];
        out[n++] = (struct event){BARRIER, turns[0], b->line, 0};
        if (turns[0] != turns[1])
            out[n++] = (struct event){BARRIER, turns[1], b->line, 0};
        if (n + 2 > MOST)
            break;
    }
    qsort(out, n, sizeof *out, by_time);
    return n;
}

static void put_thread(struct buf *out, const char *thread)
{
    if (thread == NULL)
        buf_puts(out, "an iteration");
    else
        report_put_thread(out, thread);
}

static void put_lanes(struct buf *out, const struct report_place *places,
                      double right)
{
    for (size_t i = 0; i < 2; i++) {
        double y = i == 0 ? LANE_A : LANE_B;
        struct buf thread = {0};
        put_thread(&thread, places[i].thread);
        html_put_line(out, "lane", LANE_LEFT, y, right, y);
        html_put_label(out, 4, y - 8, "start", i == 0 ? "one" : "the other");
        html_put_label(out, 4, y + 6, "start", buf_text(&thread));
        buf_fini(&thread);
    }
}

static void put_event(struct buf *out, const struct event *e,
                      const struct report_place *places, double x)
{
    struct buf text = {0};
    double y = e->access == 0 ? LANE_A : LANE_B;
    buf_printf(&text, "line %u", e->line);
    if (e->kind == BARRIER) {
        html_put_line(out, "barrier", x, LANE_A - 26, x, LANE_B + 26);
        html_put_label(out, x, LANE_B + 42, "middle", "barrier");
        html_put_label(out, x, LANE_B + 56, "middle", buf_text(&text));
    } else {
        html_put_rect(out, "event", x - 7, y - 7, 14, 14);
        html_put_label(out, x, y - 13, "middle", places[e->access].access);
        html_put_label(out, x, y + 22, "middle", buf_text(&text));
    }
    buf_fini(&text);
}

static void put_words(struct buf *out, const struct report_pair *pair,
                      const char *loop, const long long turns[2])
{
    const struct report_place *p = pair->origin->places;
    for (size_t i = 0; i < 2; i++) {
        buf_printf(out, "%s: a %s at line %u in ",
                   i == 0 ? "One" : " The other", p[i].access, p[i].line);
        struct buf thread = {0};
        put_thread(&thread, p[i].thread);
        buf_puts(out, buf_text(&thread));
        buf_fini(&thread);
        if (*loop != '\0')
            buf_printf(out, ", in iteration %s = %lld", loop, turns[i]);
        buf_putc(out, '.');
    }
    size_t n = pair->plots->nbarriers;
    if (n == 0)
        buf_puts(out, " The tuned module has no barrier.");
    else
        buf_printf(out,
                   " The tuned module has %zu barrier%s; none orders the "
                   "two.",
                   n, n == 1 ? "" : "s");
    buf_puts(out, " Across: the program's lines, in order; not to scale.");
}

void html_put_race(struct buf *out, size_t number,
                   const struct report_pair *pair)
{
    const struct report_origin *o = pair->origin;
    struct event events[MOST + 4];
    long long turns[2] = {0, 0};
    struct buf loop = {0}, words = {0};
    if (pair->plots == NULL || !report_is_race(o))
        return;
    (void)find_loop(pair, turns, &loop);
    size_t n = list_events(pair, turns, events);
    double right = LANE_LEFT + STEP * (double)n + 20, at[2] = {0, 0};
    struct html_figure f = {number, "race", "Two threads and the barriers",
                            (int)right + 10, (int)LANE_B + 80};
    put_words(&words, pair, buf_text(&loop), turns);
    html_begin_figure(out, &f, buf_text(&words));
    put_lanes(out, o->places, right);
    for (size_t i = 0; i < n; i++) {
        double x = LANE_LEFT + STEP * ((double)i + 0.5);
        put_event(out, &events[i], o->places, x);
        if (events[i].kind == ACCESS)
            at[events[i].access] = x;
        if (loop.len > 0 && (i == 0 || events[i].turn != events[i - 1].turn)) {
            struct buf text = {0};
            buf_printf(&text, "%s = %lld", buf_text(&loop), events[i].turn);
            html_put_label(out, x, 14, "middle", buf_text(&text));
            if (i > 0)
                html_put_line(out, "turn", x - STEP / 2, 4, x - STEP / 2,
                              LANE_B + 26);
            buf_fini(&text);
        }
    }
    html_put_line(out, "conflict", at[0], LANE_A + 7, at[1], LANE_B - 7);
    html_put_label(out, (at[0] + at[1]) / 2, LANE_B + 70, "middle",
                   "dashed: nothing orders them");
    html_end_figure(out, &f, buf_text(&words));
    buf_fini(&words);
    buf_fini(&loop);
}
