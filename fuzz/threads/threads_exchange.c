/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchange through storage: each thread writes a cell and reads one, of another
 * thread mostly, with a barrier in between that is in its place or not.
 *
 * The untuned side writes for all threads, then reads for all of them. Or it
 * copies from the element that comes there, where that is an affine function of
 * the threads' numbers: found by going through all threads.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

/* How the threads wait between writing and reading. */
enum wait {
    WAIT_BOTH,        /* before reading, and before the next trip writes */
    WAIT_IMPLIED,     /* no barrier is written */
    WAIT_BEFORE,      /* before writing */
    WAIT_AFTER,       /* after reading */
    WAIT_ONCE,        /* not before the next trip writes */
    WAIT_IF,          /* under a condition */
    WAIT_LOOP,        /* in a loop that may not run */
    WAIT_ARMS,        /* in both arms */
    WAIT_WARP,        /* of the warp */
    WAIT_NEVER,       /* at the end, in a loop that does not run */
    WAIT_UNEVEN,      /* implied, in a loop of as many trips as threads want */
    WAIT_UNEVEN_LOOP, /* in such a loop */
    WAIT_LATER,       /* from the second trip on */
    NWAITS
};

struct exchange {
    int64_t cells;
    enum wait wait;
    const char *scope;
    struct place to, from, source, result;
    struct place writes, reads; /* conditions, or none */
    struct place when;          /* of a barrier: condition or trips */
    bool outside;               /* writing is not in the uneven loop */
};

/* ---- the serial side ------------------------------------------------------- */

static void write_serial(struct writer *w, const struct exchange *x)
{
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\")", x->cells,
           w->p->data);
    th_open_loops(w, BIT(VAR_BX) | BIT(VAR_K));
    unsigned level = w->level;
    for (unsigned k = 0; k < 2; k++) {
        w->level = level;
        th_open_loops(w, IN_BLOCK);
        th_open_if(w, k == 0 ? &x->writes : &x->reads);
        if (k == 0)
            th_put(w, "S[%s] = A[%s]", th_at(w, &x->to), th_at(w, &x->source));
        else
            th_put(w, "C[%s] = S[%s]", th_at(w, &x->result),
                   th_at(w, &x->from));
    }
}

/* The trips of the thread that last writes the cell that one reads. */
static bool writer_of(const struct plan *p, const struct exchange *x,
                      const int64_t reader[NVARS], int64_t found[NVARS])
{
    int64_t cell, other, trips[NVARS];
    bool any = false;
    if (!te_value(p, x->from.e[1], reader, false, &cell))
        return false;
    memcpy(trips, reader, sizeof trips);
    for (trips[VAR_TY] = 0;
         trips[VAR_TY] == 0 ||
         (p->vars[VAR_TY].used && trips[VAR_TY] < p->vars[VAR_TY].count);
         trips[VAR_TY]++)
        for (trips[VAR_TX] = 0; trips[VAR_TX] < p->vars[VAR_TX].count;
             trips[VAR_TX]++)
            if (te_value(p, x->to.e[1], trips, false, &other) &&
                other == cell) {
                memcpy(found, trips, sizeof trips);
                any = true;
            }
    return any;
}

/* Where its element comes from. */
static bool source_at(const struct plan *p, const struct exchange *x,
                      const int64_t trips[NVARS], int64_t *value)
{
    int64_t writer[NVARS];
    return writer_of(p, x, trips, writer) &&
           te_value(p, x->source.e[1], writer, false, value);
}

/* base + a tx + b ty + …; NULL: it is none of that form. */
static const struct te *direct_source(struct plan *p, const struct exchange *x)
{
    int64_t trips[NVARS] = {0}, zero, value, a[NVARS] = {0};
    if (x->writes.e[0] != NULL || !source_at(p, x, trips, &zero))
        return NULL;
    const struct te *sum = te_const(p, DTYPE_INT64, zero);
    for (unsigned v = 0; v < NVARS; v++) {
        if (!p->vars[v].used || p->vars[v].min != 0 || p->vars[v].step != 1)
            continue;
        trips[v] = 1;
        if (!source_at(p, x, trips, &value))
            return NULL;
        trips[v] = 0;
        a[v] = value - zero;
        const struct te *one =
            te_cast(p, DTYPE_INT64, te_var(p, (enum var_kind)v));
        sum = te_binary(p, TE_ADD, sum, te_with(p, TE_MUL, one, a[v]));
    }
    do {
        int64_t want = zero;
        for (unsigned v = 0; v < NVARS; v++)
            want += a[v] * trips[v];
        if (!source_at(p, x, trips, &value) || value != want)
            return NULL;
    } while (te_next(p, trips));
    return sum;
}

static void write_direct(struct writer *w, const struct exchange *x,
                         const struct te *source)
{
    th_open_loops(w, ALL_VARS);
    th_open_if(w, &x->reads);
    th_put(w, "C[%s] = A[%s]", th_at(w, &x->result),
           te_text(w->p, source, 0, true));
}

/* ---- the threads' side ----------------------------------------------------- */

static void write_wait(struct writer *w, const struct exchange *x)
{
    unsigned level = w->level;
    switch ((int)x->wait) {
    case WAIT_BOTH:
    case WAIT_ONCE: th_barrier(w, x->scope); break;
    case WAIT_IF:
    case WAIT_LATER:
        th_open_if(w, &x->when);
        th_barrier(w, x->scope);
        break;
    case WAIT_LOOP:
        th_put(w, "for z in range(T.Cast(\"int32\", %s)):", th_at(w, &x->when));
        w->level++;
        th_barrier(w, x->scope);
        break;
    case WAIT_ARMS:
        th_open_if(w, &x->when);
        th_barrier(w, x->scope);
        w->level = level;
        th_put(w, "else:");
        w->level++;
        th_barrier(w, x->scope);
        break;
    case WAIT_WARP: th_barrier(w, "warp"); break;
    default: break;
    }
    w->level = level;
}

static void write_end(struct writer *w, const struct exchange *x)
{
    if (x->wait == WAIT_BOTH || x->wait == WAIT_AFTER || x->wait == WAIT_IF ||
        x->wait == WAIT_LOOP || x->wait == WAIT_ARMS || x->wait == WAIT_LATER)
        th_barrier(w, x->scope);
    if (x->wait == WAIT_NEVER) {
        th_put(w, "for z in range(0):");
        w->level++;
        th_barrier(w, x->scope);
        w->level--;
    }
}

static void open_uneven(struct writer *w, const struct exchange *x)
{
    th_put(w, "for z in range(T.Cast(\"int32\", %s)):", th_at(w, &x->when));
    w->level++;
}

static void write_threads(struct writer *w, const struct exchange *x)
{
    bool uneven = x->wait == WAIT_UNEVEN || x->wait == WAIT_UNEVEN_LOOP;
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\", scope=\"%s\")",
           x->cells, w->p->data, x->scope);
    th_open_threads(w, ALL_VARS);
    unsigned outer = w->level;
    if (x->wait == WAIT_BEFORE)
        th_barrier(w, x->scope);
    if (uneven && !x->outside)
        open_uneven(w, x);
    unsigned level = w->level;
    th_open_if(w, &x->writes);
    th_put(w, "S[%s] = A[%s]", th_at(w, &x->to), th_at(w, &x->source));
    w->level = level;
    if (uneven && x->outside)
        open_uneven(w, x);
    if (x->wait == WAIT_UNEVEN_LOOP)
        th_barrier(w, x->scope);
    write_wait(w, x);
    level = w->level;
    th_open_if(w, &x->reads);
    th_put(w, "C[%s] = S[%s]", th_at(w, &x->result), th_at(w, &x->from));
    w->level = x->wait == WAIT_UNEVEN_LOOP ? level : outer;
    if (x->wait == WAIT_UNEVEN_LOOP)
        th_barrier(w, x->scope);
    w->level = outer;
    write_end(w, x);
}

/* ---- drawing --------------------------------------------------------------- */

static enum wait draw_wait(struct plan *p)
{
    if (th_chance(p, 3))
        return WAIT_BOTH;
    if (th_chance(p, 3))
        return WAIT_IMPLIED;
    return (enum wait)gen_below(p->b, NWAITS);
}

static void draw_when(struct plan *p, struct exchange *x)
{
    unsigned set = th_chance(p, 5) ? BIT(VAR_K) : IN_BLOCK | BIT(VAR_K);
    x->when = (struct place){.e = {NULL, NULL}};
    if (x->wait == WAIT_IF || x->wait == WAIT_ARMS)
        x->when = th_draw_condition(p, set, false);
    else if (x->wait == WAIT_LATER)
        x->when = th_plain(te_with(p, TE_LT, te_const(p, DTYPE_INT32, 0),
                                   0) /* replaced where there is a loop */);
    else if (x->wait == WAIT_LOOP || x->wait == WAIT_UNEVEN ||
             x->wait == WAIT_UNEVEN_LOOP)
        x->when = th_draw_place(p, set, 3);
    if (x->wait == WAIT_LATER && p->vars[VAR_K].used)
        x->when = th_plain(te_binary(
            p, TE_LT, te_const(p, p->vars[VAR_K].t, 0),
            te_with(p, TE_SUB, te_var(p, VAR_K), p->vars[VAR_K].min)));
}

bool th_draw_exchange(struct plan *p)
{
    struct exchange x = {.writes = {.e = {NULL, NULL}}};
    struct writer w;
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY) | BIT(VAR_BX) | BIT(VAR_K));
    int64_t threads = th_count(p, IN_BLOCK), all = th_count(p, ALL_VARS);
    unsigned set = th_chance(p, 2) ? IN_BLOCK | BIT(VAR_K) : IN_BLOCK;
    x.cells = threads * (1 + (int64_t)gen_below(p->b, 3));
    x.wait = draw_wait(p);
    x.scope = th_chance(p, 8)   ? "shared"
              : th_chance(p, 5) ? "shared.dyn"
                                : "warp";
    x.to = th_chance(p, 3) ? th_draw_flat(p, IN_BLOCK)
                           : th_draw_place(p, set, x.cells);
    x.from = th_draw_place(p, set, x.cells);
    x.source = th_chance(p, 6) ? th_draw_flat(p, ALL_VARS)
                               : th_draw_place(p, ALL_VARS, all);
    x.result = th_draw_flat(p, ALL_VARS);
    if (th_chance(p, 1))
        x.writes = th_draw_condition(p, ALL_VARS, false);
    if (th_chance(p, 2))
        x.reads = th_draw_condition(p, ALL_VARS, false);
    x.outside = th_chance(p, 3);
    draw_when(p, &x);
    const struct te *source = th_chance(p, 6) ? direct_source(p, &x) : NULL;
    th_tell(p, "wait %d%s", (int)x.wait, source != NULL ? ", direct" : "");
    th_begin(&w, p, 0, all, 1, all);
    if (source != NULL)
        write_direct(&w, &x, source);
    else
        write_serial(&w, &x);
    th_begin(&w, p, 1, all, 1, all);
    write_threads(&w, &x);
    return true;
}

/* ---- spreading ------------------------------------------------------------- */

/* Each thread writes a cell in each trip of a loop, whose trips depend on it
 * or not; what other threads write in other trips is ordered by barriers, which
 * may be implied. The untuned side goes by trips, then by threads. */
struct spread {
    int64_t cells;
    bool reads; /* one of the cells, not what it is given */
    bool waits; /* a barrier ends a trip */
    bool uneven;
    unsigned loop;
    struct place to, from, source, trips, goes_on;
};

static void write_spread_serial(struct writer *w, const struct spread *s)
{
    struct plan *p = w->p;
    const char *own = te_text(p, th_flat(p, IN_BLOCK, p->wide), 0, true);
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\")", s->cells, p->data);
    th_open_loops(w, BIT(VAR_K));
    th_open_loops(w, IN_BLOCK);
    if (s->uneven)
        th_open_if(w, &s->goes_on);
    th_put(w, "S[%s] = A[%s]", th_at(w, &s->to), th_at(w, &s->source));
    w->level = 1;
    th_open_loops(w, IN_BLOCK);
    th_put(w, "C[%s] = %s[%s]", own, s->reads ? "S" : "A",
           s->reads ? th_at(w, &s->from) : own);
}

static void write_spread_threads(struct writer *w, const struct spread *s)
{
    static const char *const loops[] = {"T.serial", "T.serial", "T.unroll",
                                        "T.vectorized"};
    struct plan *p = w->p;
    const struct var *k = &p->vars[VAR_K];
    const char *own = te_text(p, th_flat(p, IN_BLOCK, DTYPE_INT32), 1, false);
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\", scope=\"shared\")",
           s->cells, p->data);
    th_open_threads(w, IN_BLOCK);
    unsigned level = w->level;
    if (s->uneven)
        th_put(w, "for k in %s(%s, T.Cast(\"%s\", %s)):", loops[s->loop % 3],
               te_number(p, k->t, 0), te_type(p, k->t), th_at(w, &s->trips));
    else
        th_put(w, "for k in %s(%s, %s):", loops[s->loop], te_number(p, k->t, 0),
               te_number(p, k->t, k->count));
    w->level++;
    th_put(w, "S[%s] = A[%s]", th_at(w, &s->to), th_at(w, &s->source));
    if (s->waits)
        th_barrier(w, "shared");
    w->level = level;
    if (s->waits)
        th_barrier(w, "shared");
    th_put(w, "C[%s] = %s[%s]", own, s->reads ? "S" : "A",
           s->reads ? th_at(w, &s->from) : own);
}

bool th_draw_spread(struct plan *p)
{
    struct spread s = {.uneven = th_chance(p, 5)};
    struct writer w;
    th_draw_vars(p, BIT(VAR_TX) | BIT(VAR_K), BIT(VAR_TY));
    p->vars[VAR_K].min = 0;
    p->vars[VAR_K].step = 1;
    int64_t n = th_count(p, IN_BLOCK), trips = p->vars[VAR_K].count;
    unsigned set = IN_BLOCK | BIT(VAR_K);
    s.cells = th_chance(p, 5) ? n * trips : n + trips;
    s.reads = th_chance(p, 5);
    s.loop = (unsigned)gen_below(p->b, 4);
    s.waits = s.loop < 3 && th_chance(p, 2);
    s.to = th_draw_place(p, set, s.cells);
    if (th_chance(p, 4)) /* cells of neighbours */
        s.to = th_plain(te_binary(p, TE_ADD, th_flat(p, IN_BLOCK, DTYPE_INT32),
                                  te_cast(p, DTYPE_INT32, te_var(p, VAR_K))));
    if (s.to.e[0] == s.to.e[1] && s.to.wide[0])
        s.cells = n * trips + n;
    s.source = th_draw_flat(p, set);
    s.from = th_draw_place(p, IN_BLOCK, n);
    s.trips = th_draw_place(p, IN_BLOCK, trips + 1);
    s.goes_on = s.trips;
    s.goes_on.e[0] = te_binary(
        p, TE_LT, te_cast(p, s.trips.e[0]->t, te_var(p, VAR_K)), s.trips.e[0]);
    th_tell(p, "%s%s", s.uneven ? "uneven" : "even", s.waits ? ", waits" : "");
    th_begin(&w, p, 0, n * trips, 1, n);
    write_spread_serial(&w, &s);
    th_begin(&w, p, 1, n * trips, 1, n);
    write_spread_threads(&w, &s);
    return true;
}
