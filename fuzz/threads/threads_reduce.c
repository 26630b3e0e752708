/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions across threads: blocks whose reduction is bound to threads, and the
 * all-reduce that they are lowered to.
 *
 * The untuned side sums serially, for each place that threads reduce to one after
 * the other; loops on which nothing hangs are left out there. Threads that share
 * a place without meaning to have their terms in one sum.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

struct operation {
    const char *pattern, *combiner;
    const char *unit_int, *unit_float;
};
static const struct operation operations[] = {
    {"%s = %s + %s", "x0 + y0", "0", "T.float32(0)"},
    {"%s = %s + %s", "x0 + y0", "0", "T.float32(0)"},
    {"%s = T.max(%s, %s)", "T.max(x0, y0)", "T.int32(-2147483648)",
     "T.float32(\"-inf\")"},
    {"%s = %s * %s", "x0 * y0", "1", "T.float32(1)"},
};

struct reduction {
    const struct operation *op;
    const char *unit; /* where each sum begins */
    unsigned spatial; /* variables that tell sums apart */
    unsigned reduced; /* … and terms */
    int64_t rows;     /* results */
    int64_t terms;    /* of a row of A */
    struct place place, row, term;
    struct place cond; /* or none */
};

static const char *combine(struct writer *w, const struct operation *op,
                           const char *cell, const char *term)
{
    struct buf out = {0};
    const char *with[] = {cell, cell, term};
    unsigned n = 0;
    for (const char *c = op->pattern; *c != '\0'; c++) {
        if (*c == '%') {
            buf_puts(&out, with[n++]);
            c++;
        } else {
            buf_putc(&out, *c);
        }
    }
    const char *text = arena_strdup(w->p->arena, buf_text(&out));
    buf_fini(&out);
    return text;
}

static void draw_operation(struct plan *p, struct reduction *r)
{
    r->op = &operations[gen_below(p->b, DC_ARRAY_LEN(operations))];
    r->unit =
        strcmp(p->data, "int32") == 0 ? r->op->unit_int : r->op->unit_float;
}

/* ---- blocks ---------------------------------------------------------------- */

static const char *term_text(struct writer *w, const struct reduction *r)
{
    return arena_printf(w->p->arena, "A[(%s) * %" PRId64 " + %s]",
                        th_at(w, &r->row), r->terms, th_at(w, &r->term));
}

/* Loops that change nothing are not there. */
static unsigned needed(struct writer *w, const struct reduction *r)
{
    unsigned set = 0;
    const struct place *all[] = {&r->place, &r->row, &r->term, &r->cond};
    for (unsigned v = 0; v < NVARS; v++) {
        if (!(r->spatial & BIT(v)) || !w->p->vars[v].used)
            continue;
        for (unsigned i = 0; i < DC_ARRAY_LEN(all); i++)
            if (all[i]->e[0] != NULL &&
                te_mentions(all[i]->e[0], (enum var_kind)v))
                set |= BIT(v);
    }
    return set;
}

static void write_serial(struct writer *w, const struct reduction *r,
                         bool fewer)
{
    const char *cell = arena_printf(w->p->arena, "C[%s]", th_at(w, &r->place));
    th_open_loops(w, fewer ? needed(w, r) : r->spatial);
    th_put(w, "%s = %s", cell, r->unit);
    th_open_loops(w, r->reduced);
    th_open_if(w, &r->cond);
    th_put(w, "%s", combine(w, r->op, cell, term_text(w, r)));
}

static void write_block(struct writer *w, const struct reduction *r)
{
    th_open_threads(w, ALL_VARS);
    th_put(w, "with T.sblock(\"c\"):");
    w->level++;
    th_put(w, "vi = T.axis.spatial(%" PRId64 ", T.Cast(\"int32\", %s))",
           r->rows, th_at(w, &r->place));
    th_put(w, "vr = T.axis.spatial(%" PRId64 ", T.Cast(\"int32\", %s))",
           th_count(w->p, r->spatial), th_at(w, &r->row));
    th_put(w, "vk = T.axis.reduce(%" PRId64 ", T.Cast(\"int32\", %s))",
           r->terms, th_at(w, &r->term));
    if (r->cond.e[1] != NULL)
        th_put(w, "T.where(%s)", th_at(w, &r->cond));
    th_put(w, "with T.init():");
    th_put(w, "    C[vi] = %s", r->unit);
    th_put(w, "%s",
           combine(w, r->op, "C[vi]",
                   arena_printf(w->p->arena, "A[vr * %" PRId64 " + vk]",
                                r->terms)));
}

bool th_draw_reduce(struct plan *p)
{
    struct reduction r = {.cond = {.e = {NULL, NULL}}};
    struct writer w;
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_BX) | BIT(VAR_K));
    if (th_chance(p, 7) && !p->vars[VAR_TY].used)
        th_draw_vars(p, BIT(VAR_TY), 0);
    draw_operation(p, &r);
    r.reduced = BIT(VAR_TX);
    if (th_chance(p, 2))
        r.reduced |= BIT(VAR_TY);
    if (th_chance(p, 6))
        r.reduced |= BIT(VAR_K);
    r.spatial = ALL_VARS & ~r.reduced;
    int64_t n = th_count(p, r.spatial);
    r.rows = n * (1 + (int64_t)gen_below(p->b, 2));
    r.terms = th_count(p, r.reduced);
    r.place = th_chance(p, 1) ? th_draw_flat(p, r.spatial)
                              : th_draw_place(p, r.spatial, r.rows);
    r.row = th_chance(p, 5)   ? th_plain(te_const(p, DTYPE_INT32, 0))
            : th_chance(p, 5) ? th_draw_flat(p, r.spatial)
                              : th_draw_place(p, r.spatial, n);
    r.term = th_chance(p, 8) ? th_draw_flat(p, r.reduced)
                             : th_draw_place(p, r.reduced, r.terms);
    if (th_chance(p, 3))
        r.cond =
            th_draw_condition(p, th_chance(p, 5) ? ALL_VARS : r.reduced, false);
    th_begin(&w, p, 0, n * r.terms, 1, r.rows);
    write_serial(&w, &r, th_chance(p, 7));
    th_begin(&w, p, 1, n * r.terms, 1, r.rows);
    write_block(&w, &r);
    return true;
}

/* ---- all-reduce ------------------------------------------------------------ */

struct allreduce {
    struct reduction of;
    const char *scope;
    bool summed;        /* threads sum their own terms first */
    bool wrong_unit;    /* of the combiner */
    bool first_stores;  /* one thread stores the result, not all */
    struct place guard; /* around it, or none */
    struct place store; /* condition of storing the result, or none */
};

static void write_all_serial(struct writer *w, const struct allreduce *a)
{
    const struct reduction *r = &a->of;
    th_put(w, "s = T.alloc_buffer((1,), \"%s\")", w->p->data);
    th_open_loops(w, r->spatial);
    unsigned level = w->level;
    th_put(w, "s[0] = %s", r->unit);
    th_open_loops(w, r->reduced);
    th_open_if(w, &r->cond);
    th_put(w, "%s", combine(w, r->op, "s[0]", term_text(w, r)));
    w->level = level;
    if (!a->first_stores)
        th_open_loops(w, r->reduced & IN_BLOCK);
    th_open_if(w, &a->store);
    th_put(w, "C[%s] = s[0]", th_at(w, &r->place));
}

static void write_reducer(struct writer *w, const struct allreduce *a,
                          const char *source)
{
    const struct reduction *r = &a->of;
    bool two = (r->reduced & BIT(VAR_TY)) && w->p->vars[VAR_TY].used;
    const char *unit =
        a->wrong_unit
            ? strcmp(w->p->data, "int32") == 0 ? "T.int32(3)" : "T.float32(3)"
            : r->unit;
    const char *cond =
        r->cond.e[1] == NULL ? "T.bool(True)" : th_at(w, &r->cond);
    if (strcmp(unit, "0") == 0 || strcmp(unit, "1") == 0)
        unit = arena_printf(w->p->arena, "T.int32(%s)", unit);
    th_put(w,
           "with T.attr(T.comm_reducer(lambda x0, y0: %s, [%s]), "
           "\"reduce_scope\", T.reinterpret(\"handle\", T.uint64(0))):",
           r->op->combiner, unit);
    th_put(w, "    T.tvm_thread_allreduce(T.uint32(1), %s, %s, red[0], tx%s)",
           source, cond, two ? ", ty" : "");
}

static void write_all(struct writer *w, const struct allreduce *a)
{
    const struct reduction *r = &a->of;
    const char *source = term_text(w, r);
    th_put(w, "red = T.alloc_buffer((1,), \"%s\", scope=\"%s\")", w->p->data,
           a->scope);
    th_put(w, "own = T.alloc_buffer((1,), \"%s\", scope=\"local\")",
           w->p->data);
    th_open_threads(w, ALL_VARS & ~(r->reduced & BIT(VAR_K)));
    unsigned level = w->level;
    if (a->summed) {
        th_put(w, "own[0] = %s", r->unit);
        th_open_loops(w, r->reduced & BIT(VAR_K));
        th_put(w, "%s", combine(w, r->op, "own[0]", source));
        w->level = level;
        source = "own[0]";
    }
    th_open_if(w, &a->guard);
    write_reducer(w, a, source);
    w->level = level;
    if (a->first_stores)
        th_put(w, "if %s:",
               (r->reduced & BIT(VAR_TY)) && w->p->vars[VAR_TY].used
                   ? "tx == 0 and ty == 0"
                   : "tx == 0");
    if (a->first_stores)
        w->level++;
    th_open_if(w, &a->store);
    th_put(w, "C[%s] = red[0]", th_at(w, &r->place));
}

bool th_draw_allreduce(struct plan *p)
{
    struct allreduce a = {.scope = "local"};
    struct reduction *r = &a.of;
    struct writer w;
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY) | BIT(VAR_BX) | BIT(VAR_K));
    draw_operation(p, r);
    r->reduced = BIT(VAR_TX);
    if (th_chance(p, 3))
        r->reduced |= BIT(VAR_TY);
    a.summed = p->vars[VAR_K].used && th_chance(p, 7);
    if (a.summed)
        r->reduced |= BIT(VAR_K);
    r->spatial = ALL_VARS & ~r->reduced;
    int64_t n = th_count(p, r->spatial), all = th_count(p, ALL_VARS);
    r->terms = th_count(p, r->reduced);
    r->rows = all;
    r->row = th_chance(p, 7) ? th_draw_flat(p, r->spatial)
                             : th_draw_place(p, r->spatial, n);
    r->term = th_chance(p, 8) ? th_draw_flat(p, r->reduced)
                              : th_draw_place(p, r->reduced, r->terms);
    a.first_stores =
        th_chance(p, 4) && p->vars[VAR_TX].min == 0 && p->vars[VAR_TY].min == 0;
    r->place = a.first_stores ? th_draw_flat(p, r->spatial)
                              : th_draw_flat(p, r->spatial | IN_BLOCK);
    if (th_chance(p, 5))
        r->cond = th_draw_condition(p, a.summed ? IN_BLOCK : ALL_VARS, true);
    if (th_chance(p, 1))
        a.guard = th_draw_condition(p, IN_BLOCK, false);
    if (th_chance(p, 1))
        a.store = th_draw_condition(p, r->spatial, false);
    a.wrong_unit = gen_chance(p->b, 1, 15);
    if (th_chance(p, 1))
        a.scope = "shared";
    th_begin(&w, p, 0, n * r->terms, 1, r->rows);
    write_all_serial(&w, &a);
    th_begin(&w, p, 1, n * r->terms, 1, r->rows);
    write_all(&w, &a);
    return true;
}
