/* SPDX-License-Identifier: Apache-2.0
 *
 * Both programs side by side. Lines that say the same stand beside each other:
 * the longest common subsequence, where names are equal but for the numbers that
 * TVM adds to them. Of what is left over, equal statements were moved: they are
 * joined by a line and name each other. What a finding blames is marked.
 */
#include "reports/html/html.h"

#include <ctype.h>
#include <string.h>

enum { UNTUNED, TUNED };
#define NONE SIZE_MAX

struct line {
    const char *text;
    uint32_t number;
    uint64_t hash; /* of what it says; 0: nothing */
    bool weighty;  /* long enough to be told when it moves */
    bool guilty;
    size_t partner; /* on the other side: the same line, */
    size_t moved;   /* or the same, elsewhere; NONE */
    size_t row;
};

struct side {
    const struct report_source *source;
    size_t n;
    struct line lines[REPORT_LINES];
};

struct programs {
    struct side side[2];
    size_t rows;
    uint16_t length[REPORT_LINES + 1][REPORT_LINES + 1];
};

/* ---- lines ----------------------------------------------------------------------- */

/* Without blanks at its ends and without "_12" behind names. */
static uint64_t hash_of(const char *text, size_t *len)
{
    struct buf plain = {0};
    text += strspn(text, " \t");
    for (const char *c = text; *c && *c != '#'; c++) {
        bool name = c > text && (isalnum((unsigned char)c[-1]) || c[-1] == '_');
        if (*c == '_' && name && isdigit((unsigned char)c[1])) {
            size_t n = strspn(c + 1, "0123456789");
            if (!isalnum((unsigned char)c[n + 1]) && c[n + 1] != '_') {
                c += n;
                continue;
            }
        }
        buf_putc(&plain, *c);
    }
    while (plain.len > 0 && plain.data[plain.len - 1] == ' ')
        plain.len--;
    *len = plain.len;
    uint64_t hash = plain.len > 0 ? hash_bytes(1, plain.data, plain.len) : 0;
    buf_fini(&plain);
    return hash;
}

static void take_side(struct side *s, const struct report_source *source,
                      const struct report_origin *o, bool tuned)
{
    s->source = source;
    s->n = source->lines.n < REPORT_LINES ? source->lines.n : REPORT_LINES;
    for (size_t i = 0; i < s->n; i++) {
        struct line *l = &s->lines[i];
        size_t len;
        l->text = source->lines.items[i];
        l->number = source->first + (uint32_t)i;
        l->hash = hash_of(l->text, &len);
        l->weighty = len >= 10;
        l->partner = l->moved = NONE;
        for (size_t k = 0; o != NULL && k < o->nplaces; k++) {
            const struct report_place *p = &o->places[k];
            bool same = p->file == NULL
                            ? source->name == NULL
                            : source->name != NULL &&
                                  strcmp(p->file, source->name) == 0;
            l->guilty |= p->tuned == tuned && same && p->line == l->number;
        }
    }
}

static void align(struct programs *x)
{
    struct side *u = &x->side[UNTUNED], *t = &x->side[TUNED];
    for (size_t i = u->n; i-- > 0;)
        for (size_t k = t->n; k-- > 0;) {
            uint16_t a = x->length[i + 1][k], b = x->length[i][k + 1];
            x->length[i][k] = u->lines[i].hash == t->lines[k].hash
                                  ? (uint16_t)(x->length[i + 1][k + 1] + 1)
                                  : (a > b ? a : b);
        }
    for (size_t i = 0, k = 0; i < u->n && k < t->n;) {
        if (u->lines[i].hash == t->lines[k].hash) {
            u->lines[i].partner = k;
            t->lines[k++].partner = i++;
        } else if (x->length[i + 1][k] >= x->length[i][k + 1]) {
            i++;
        } else {
            k++;
        }
    }
}

static void find_moved(struct programs *x)
{
    struct side *u = &x->side[UNTUNED], *t = &x->side[TUNED];
    for (size_t k = 0; k < t->n; k++) {
        struct line *b = &t->lines[k];
        for (size_t i = 0;
             i < u->n && b->partner == NONE && b->moved == NONE && b->weighty;
             i++) {
            struct line *a = &u->lines[i];
            if (a->partner != NONE || a->moved != NONE || a->hash != b->hash)
                continue;
            a->moved = k;
            b->moved = i;
        }
    }
}

/* Equal lines in one row; what stands between them beside each other. */
static void place_rows(struct programs *x)
{
    struct side *u = &x->side[UNTUNED], *t = &x->side[TUNED];
    size_t i = 0, k = 0;
    while (i < u->n || k < t->n) {
        size_t from = x->rows, end = from;
        for (size_t row = from; i < u->n && u->lines[i].partner == NONE;
             end = ++row > end ? row : end)
            u->lines[i++].row = row;
        for (size_t row = from; k < t->n && t->lines[k].partner == NONE;
             end = ++row > end ? row : end)
            t->lines[k++].row = row;
        x->rows = end;
        if (i < u->n && k < t->n) {
            u->lines[i++].row = x->rows;
            t->lines[k++].row = x->rows++;
        }
    }
}

/* ---- the tables -------------------------------------------------------------------- */

static void put_line(struct buf *out, const struct programs *x, size_t number,
                     size_t side, const struct line *l)
{
    const char *letter = side == TUNED ? "t" : "u";
    const char *name = l->guilty            ? "guilty"
                       : l->moved != NONE   ? "moved"
                       : l->partner == NONE ? "own"
                                            : "same";
    buf_printf(out,
               "<tr class=\"%s\" id=\"p%zu-%s%u\"><td class=\"ln\">%u</td>"
               "<td class=\"sg\">",
               name, number, letter, l->number, l->number);
    if (l->guilty)
        buf_puts(out, "<span title=\"a statement of the finding\">"
                      "\xe2\x96\xb6<span class=\"vh\"> of the finding"
                      "</span></span>");
    if (l->moved != NONE)
        buf_printf(out,
                   "<a href=\"#p%zu-%s%u\" title=\"the same statement on "
                   "the other side\">\xe2\x87\x84%u</a>",
                   number, side == TUNED ? "u" : "t",
                   x->side[1 - side].lines[l->moved].number,
                   x->side[1 - side].lines[l->moved].number);
    else if (l->partner == NONE && l->hash != 0 && !l->guilty)
        buf_puts(out, side == TUNED ? "+" : "\xe2\x88\x92");
    buf_puts(out, "</td><td><code>");
    html_put(out, l->text);
    buf_puts(out, "</code></td></tr>\n");
}

/* Every row has the same height, so that rows of both tables stand beside each
 * other. */
static void put_side(struct buf *out, const struct programs *x, size_t number,
                     size_t side)
{
    const struct side *s = &x->side[side];
    size_t next = 0;
    buf_printf(out,
               "<div class=\"scroll %s\" tabindex=\"0\" role=\"region\" "
               "aria-label=\"%s program\"><table class=\"code\"><tbody>\n",
               side == TUNED ? "at-t" : "at-u",
               side == TUNED ? "Tuned" : "Untuned");
    for (size_t row = 0; row < x->rows; row++)
        if (next < s->n && s->lines[next].row == row)
            put_line(out, x, number, side, &s->lines[next++]);
        else
            buf_puts(out, "<tr class=\"none\"><td></td><td></td><td></td>"
                          "</tr>\n");
    buf_puts(out, "</tbody></table></div>\n");
}

/* Curves from the row of a moved statement to that on the other side; the links
 * say the same. It is 2 em wide by the style sheet, so that a row of 145 is as
 * high as the rows of the tables, 1.45 em. */
static void put_joins(struct buf *out, const struct programs *x)
{
    const struct side *t = &x->side[TUNED];
    buf_printf(out,
               "<svg class=\"join\" aria-hidden=\"true\" "
               "viewBox=\"0 0 200 %zu\">",
               x->rows * 145);
    for (size_t k = 0; k < t->n; k++) {
        if (t->lines[k].moved == NONE)
            continue;
        size_t from = t->lines[k].row * 145 + 72;
        size_t to = x->side[UNTUNED].lines[t->lines[k].moved].row * 145 + 72;
        buf_printf(out, "<path d=\"M0 %zuC100 %zu 100 %zu 200 %zu\"/>", from,
                   from, to, to);
    }
    buf_puts(out, "</svg>\n");
}

static void put_name(struct buf *out, const struct report_source *s,
                     size_t side)
{
    buf_printf(out, "<p class=\"file %s\"><b>%s</b> ",
               side == TUNED ? "at-t" : "at-u",
               side == TUNED ? "tuned" : "untuned");
    html_put(out, s->name != NULL ? s->name
                                  : "as \xe2\x80\x98"
                                    "diffcheck show\xe2\x80\x99 prints it");
    if (s->cut)
        buf_printf(out, " (the first %zu lines)", s->lines.n);
    buf_puts(out, "</p>\n");
}

void html_put_programs(struct buf *out, size_t number,
                       const struct report_pair *pair)
{
    if (pair->sources == NULL) {
        html_put_absent(out, "The two programs side by side",
                        "the run that this result is from was not asked for "
                        "a page");
        return;
    }
    struct programs *x = dc_alloc(sizeof *x);
    take_side(&x->side[UNTUNED], &pair->sources[0], pair->origin, false);
    take_side(&x->side[TUNED], &pair->sources[1], pair->origin, true);
    align(x);
    find_moved(x);
    place_rows(x);
    buf_puts(out, "<p class=\"absent\">\xe2\x96\xb6 a statement of the "
                  "finding, \xe2\x87\x84 moved (its line on the other side), "
                  "+ in the tuned program alone, \xe2\x88\x92 in the untuned "
                  "one alone; numbers at the ends of names do not count."
                  "</p>\n<div class=\"programs\">\n");
    put_name(out, &pair->sources[1], TUNED);
    put_side(out, x, number, TUNED);
    put_joins(out, x);
    put_name(out, &pair->sources[0], UNTUNED);
    put_side(out, x, number, UNTUNED);
    buf_puts(out, "</div>\n");
    dc_release(x);
}
