/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops whose numbers are at the ends of their types: with steps, with ends that
 * depend on the loop around, threads that go through a range by strides, threads
 * and loops of every kind that begin elsewhere than at 0.
 *
 * The untuned side has the same loop in wide integers, or counts its trips.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>

#define CELLS INT64_C(640)

/* ---- steps ----------------------------------------------------------------- */

/* How the untuned side has the loop: as it is, or by counting its trips, in wide
 * integers or in the tuned side's, which may get that wrong. */
enum counted { LOOPED, COUNTED, COUNTED_NARROW, NCOUNTED };

struct step {
    enum var_kind around; /* a loop, or threads */
    struct place from, to;
    int64_t step;
    unsigned body;
    enum counted count;
};

static const char *converted(struct plan *p, const char *number)
{
    return arena_printf(p->arena, "T.Cast(\"%s\", %s)", te_type(p, p->wide),
                        number);
}

static void write_body(struct writer *w, const struct step *s, const char *i)
{
    const char *cell = w->p->vars[s->around].name;
    bool one = s->body < 3;
    if (s->body == 0)
        th_put(w, "C[%s] = C[%s] + T.Cast(\"%s\", 1)", cell, cell, w->p->data);
    else if (s->body == 1)
        th_put(w, "C[%s] = C[%s] + A[%s]", cell, cell, i);
    else if (one)
        th_put(w, "C[%s] = A[%s]", cell, i);
    else
        th_put(w, "C[%s] = A[%s]", i, i);
}

static void write_counted(struct writer *w, const struct step *s)
{
    struct plan *p = w->p;
    bool narrow = s->count == COUNTED_NARROW;
    struct dtype t = narrow ? s->to.e[0]->t : p->wide;
    const char *from = te_text(p, s->from.e[0], 0, !narrow && s->from.wide[0]);
    const char *to = te_text(p, s->to.e[0], 0, !narrow && s->to.wide[0]);
    if (!narrow && !s->from.wide[0]) {
        from = converted(p, from);
        to = converted(p, to);
    }
    const char *step = te_number(p, t, s->step);
    th_put(w,
           "for z in T.serial(%s, (%s - %s + %s) // %s):", te_number(p, t, 0),
           to, from, te_number(p, t, s->step - 1), step);
    w->level++;
    write_body(w, s, arena_printf(p->arena, "%s + z * %s", from, step));
}

static void write_stepped(struct writer *w, const struct step *s)
{
    struct plan *p = w->p;
    struct dtype t = s->to.e[w->side]->t;
    bool wide = s->to.wide[w->side];
    th_put(w, "for i in T.serial(%s, %s, step=%s):", th_at(w, &s->from),
           th_at(w, &s->to), te_number(p, wide ? p->wide : t, s->step));
    w->level++;
    write_body(w, s, "i");
}

/* The number that a loop ends before: a r + b, in some type. */
static const struct te *draw_end(struct plan *p, enum var_kind around,
                                 struct dtype t)
{
    static const int64_t factors[] = {1, 1, 1, 1, 2, 10, 30};
    static const int64_t bases[] = {0, 7, 40, 120, 127, 200, 247, 250, 255};
    const struct te *r = te_cast(p, t, te_var(p, around));
    return te_with(
        p, TE_ADD,
        te_with(p, TE_MUL, r, th_pick(p, DC_ARRAY_LEN(factors), factors)),
        th_pick(p, DC_ARRAY_LEN(bases), bases));
}

bool th_draw_step(struct plan *p)
{
    struct step s = {.around = th_chance(p, 4) ? VAR_TX : VAR_K};
    struct writer w;
    static const int64_t steps[] = {1, 2, 3, 7, 10, 32, 64, 100};
    th_draw_vars(p, BIT(s.around), 0);
    p->vars[s.around].step = 1;
    struct dtype t = th_chance(p, 3)   ? p->vars[s.around].t
                     : th_chance(p, 7) ? th_draw_narrow(p)
                                       : DTYPE_INT32;
    s.step = s.around == VAR_TX && th_chance(p, 5)
                 ? p->vars[VAR_TX].count
                 : th_pick(p, DC_ARRAY_LEN(steps), steps);
    if (!te_fits(t, s.step))
        return false;
    bool strided = s.around == VAR_TX && th_chance(p, 6);
    static const int64_t bases[] = {0, 0, 1, 3, 100, 200, 250, 127};
    static const int64_t ends[] = {40, 120, 127, 200, 250, 255};
    const struct te *from =
        te_const(p, t, th_pick(p, DC_ARRAY_LEN(bases), bases));
    const struct te *to = draw_end(p, s.around, t);
    if (strided) { /* its length is not said with a negative factor */
        from = te_cast(p, t, te_var(p, VAR_TX));
        to = te_const(p, t, th_pick(p, DC_ARRAY_LEN(ends), ends));
    }
    bool wide = th_chance(p, 7);
    s.from = (struct place){.e = {from, from}, .wide = {wide, false}};
    s.to = (struct place){.e = {to, to}, .wide = {wide, false}};
    if (!strided && th_chance(p, 3)) { /* as many numbers, past the last one */
        static const int64_t late[] = {100, 120, 200, 240, 250};
        static const int64_t early[] = {10, 20, 40, 127};
        int64_t first = te_wrap(t, th_pick(p, DC_ARRAY_LEN(late), late));
        int64_t last = th_pick(p, DC_ARRAY_LEN(early), early);
        s.from.e[0] = s.from.e[1] = te_const(p, t, first);
        s.to.e[1] = te_const(p, t, last);
        s.to.e[0] = te_const(p, DTYPE_INT64, first + te_wrap(t, last - first));
        s.to.wide[0] = s.from.wide[0] = true;
    }
    s.body = strided ? 3 : (unsigned)gen_below(p->b, 4);
    s.count = (enum counted)gen_below(p->b, NCOUNTED);
    th_tell(p, "step %" PRId64 " body %u%s", s.step, s.body,
            s.count != LOOPED ? " counted" : "");
    for (unsigned side = 0; side < 2; side++) {
        th_begin(&w, p, side, CELLS + 200, 1, CELLS);
        th_open_threads(&w, BIT(s.around));
        if (side == 0 && s.count != LOOPED)
            write_counted(&w, &s);
        else
            write_stepped(&w, &s);
    }
    return true;
}

/* ---- ranges ---------------------------------------------------------------- */

/* A number at the end of a narrow type, or near. */
static int64_t draw_minimum(struct plan *p, struct dtype t)
{
    static const int64_t any[] = {200, 250, 255, 100, 127, 120, 1, 40, 3};
    static const int64_t below[] = {-128, -100, -3, -1, 100, 120, 127};
    int64_t m = t.code == DT_INT && t.bits == 8 && th_chance(p, 5)
                    ? th_pick(p, DC_ARRAY_LEN(below), below)
                    : th_pick(p, DC_ARRAY_LEN(any), any);
    return te_wrap(t, m);
}

bool th_draw_range(struct plan *p)
{
    static const int64_t counts[] = {4, 8, 16, 32, 56, 57, 64, 100, 128};
    static const char *const loops[] = {"T.serial", "T.parallel", "T.unroll",
                                        "T.vectorized"};
    struct writer w;
    enum var_kind v = th_chance(p, 5) ? VAR_TX : VAR_K;
    th_draw_vars(p, BIT(v), 0);
    struct var *var = &p->vars[v];
    var->step = 1;
    var->t = th_chance(p, 7)
                 ? dtype_make(th_chance(p, 5) ? DT_UINT : DT_INT, 8, 1)
                 : th_draw_narrow(p);
    var->plain = th_chance(p, 8) ? p->wide : var->t;
    var->min = draw_minimum(p, var->t);
    var->count = th_pick(p, DC_ARRAY_LEN(counts), counts);
    if (var->t.bits == 8 && th_chance(p, 4)) /* about as many as there are */
        var->count = (var->t.code == DT_INT ? 128 : 256) - var->min +
                     (int64_t)gen_below(p->b, 3) - 1;
    if (var->count < 1 || var->count > 200)
        return false;
    unsigned kind = (unsigned)gen_below(p->b, DC_ARRAY_LEN(loops));
    if (kind == 3 && var->count > 32 && th_chance(p, 7))
        kind = 0;
    int64_t base = var->min < 0 ? -var->min : 0;
    const struct te *e = te_var(p, v);
    if (base != 0)
        e = te_with(p, TE_ADD, th_chance(p, 6) ? te_cast(p, DTYPE_INT32, e) : e,
                    base);
    if (th_chance(p, 3))
        e = th_decorate(p, e);
    if (th_chance(p, 3))
        e = te_cast(p, DTYPE_INT32, e);
    struct place cell = th_spell(p, e, 0, CELLS);
    struct place from =
        th_chance(p, 7) ? cell : th_draw_place(p, BIT(v), CELLS);
    if (cell.e[0] == NULL)
        return false;
    bool scratch = th_chance(p, 3); /* through memory on the tuned side */
    th_tell(p, "%" PRId64 " from %" PRId64, var->count, var->min);
    for (unsigned side = 0; side < 2; side++) {
        th_begin(&w, p, side, CELLS, 1, CELLS);
        if (side == 1 && scratch)
            th_put(&w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\")", CELLS,
                   p->data);
        if (side == 1 && v == VAR_K) {
            int64_t stop = te_wrap(var->t, var->min + var->count);
            th_put(&w, "for k in %s(%s, %s):", loops[kind],
                   te_number(p, var->t, var->min), te_number(p, var->t, stop));
            w.level++;
        } else {
            th_open_threads(&w, BIT(v));
        }
        if (side == 1 && scratch)
            th_put(&w, "S[%s] = A[%s]", th_at(&w, &cell), th_at(&w, &from));
        th_put(&w, "C[%s] = %s[%s]", th_at(&w, &cell),
               side == 1 && scratch ? "S" : "A",
               th_at(&w, side == 1 && scratch ? &cell : &from));
    }
    return true;
}
