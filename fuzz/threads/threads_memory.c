/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads do to memory beside loads and stores: atomic operations, copies
 * that are waited for; and sizes that are symbols of narrow types.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

/* ---- atomic operations ----------------------------------------------------- */

static const char *atomic_value(struct writer *w, unsigned how,
                                const struct place *source,
                                const struct place *other)
{
    struct plan *p = w->p;
    const char *a = arena_printf(p->arena, "A[%s]", th_at(w, source));
    const char *c = arena_printf(p->arena, "C[%s]", th_at(w, other));
    if (how == 0)
        return arena_printf(p->arena, "%s + %s", a, c);
    if (how == 1)
        return c;
    return how == 2 ? arena_printf(p->arena, "T.Cast(\"%s\", 1)", p->data) : a;
}

bool th_draw_atomic(struct plan *p)
{
    struct place cond = {.e = {NULL, NULL}};
    struct writer w;
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY) | BIT(VAR_BX) | BIT(VAR_K));
    int64_t all = th_count(p, ALL_VARS), n = all + (int64_t)gen_below(p->b, 8);
    p->data = "int32";
    if (all > 96) /* more take the solver minutes */
        return false;
    struct place cell = th_draw_place(p, ALL_VARS, n);
    struct place other = th_draw_place(p, ALL_VARS, n);
    struct place source = th_chance(p, 7) ? th_draw_flat(p, ALL_VARS)
                                          : th_draw_place(p, ALL_VARS, all);
    unsigned how = (unsigned)gen_below(p->b, 12);
    bool plain = th_chance(p, 1);
    if (th_chance(p, 2))
        cond = th_draw_condition(p, ALL_VARS, false);
    th_tell(p, "value %u%s", how, plain ? ", and a store" : "");
    for (unsigned side = 0; side < 2; side++) {
        th_begin(&w, p, side, all, 1, n);
        th_open_threads(&w, ALL_VARS);
        unsigned level = w.level;
        th_open_if(&w, &cond);
        const char *value = atomic_value(&w, how, &source, &other);
        if (side == 0)
            th_put(&w, "C[%s] = C[%s] + (%s)", th_at(&w, &cell),
                   th_at(&w, &cell), value);
        else
            th_put(&w, "T.evaluate(T.cuda.atomic_add(T.address_of(C[%s]), %s))",
                   th_at(&w, &cell), value);
        w.level = level;
        if (plain)
            th_put(&w, "C[%s] = A[%s]", th_at(&w, &other), th_at(&w, &source));
    }
    return true;
}

/* ---- asynchronous copies --------------------------------------------------- */

enum copied {
    COPIED,         /* committed and waited for */
    COPIED_IF,      /* … committed under a condition */
    COPIED_WAIT_IF, /* waited for under one */
    COPIED_ONE,     /* one group may be left */
    COPIED_NONE,    /* not committed */
    COPIED_LATE,    /* waited for after it is read */
    NCOPIED
};

struct copy {
    int64_t cells;
    enum copied how;
    bool empty; /* a group of nothing behind it */
    bool barrier;
    bool filled; /* has a predicate */
    bool twice;  /* two copies, two groups */
    struct place to, source, from, when, predicate;
};

static const char *zero_of(const struct plan *p)
{
    return strcmp(p->data, "int32") == 0 ? "T.int32(0)" : "T.float32(0)";
}

static void write_copied(struct writer *w, const struct copy *c)
{
    struct plan *p = w->p;
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\")", c->cells, p->data);
    unsigned level = w->level;
    th_open_loops(w, IN_BLOCK);
    const char *value = arena_printf(p->arena, "A[%s]", th_at(w, &c->source));
    if (c->filled)
        value = arena_printf(p->arena, "T.if_then_else(%s, %s, %s)",
                             th_at(w, &c->predicate), value, zero_of(p));
    th_put(w, "S[%s] = %s", th_at(w, &c->to), value);
    w->level = level;
    th_open_loops(w, IN_BLOCK);
    th_put(w, "C[%s] = S[%s]",
           te_text(p, th_flat(p, IN_BLOCK, p->wide), 0, true),
           th_at(w, &c->from));
}

static void commit(struct writer *w, const struct copy *c)
{
    unsigned level = w->level;
    if (c->how == COPIED_NONE)
        return;
    if (c->how == COPIED_IF)
        th_open_if(w, &c->when);
    th_put(w, "T.evaluate(T.ptx_commit_group())");
    w->level = level;
}

static void wait_for(struct writer *w, const struct copy *c)
{
    unsigned level = w->level;
    if (c->how == COPIED_WAIT_IF)
        th_open_if(w, &c->when);
    th_put(w, "T.evaluate(T.ptx_wait_group(%d))",
           c->twice != (c->how == COPIED_ONE));
    w->level = level;
}

static void copy(struct writer *w, const char *to, const char *from,
                 const char *predicate)
{
    th_put(w,
           "T.evaluate(T.ptx_cp_async(S.data, %s, A.data, %s, 4%s, "
           "dtype=\"%s\"))",
           to, from, predicate, w->p->data);
}

static void write_copies(struct writer *w, const struct copy *c)
{
    struct plan *p = w->p;
    const char *predicate = "";
    const char *own = te_text(p, th_flat(p, IN_BLOCK, DTYPE_INT32), 1, false);
    th_put(w, "S = T.alloc_buffer((%" PRId64 ",), \"%s\", scope=\"shared\")",
           c->cells * 2, p->data);
    th_open_threads(w, IN_BLOCK);
    if (c->filled)
        predicate = arena_printf(p->arena, ", %s", th_at(w, &c->predicate));
    copy(w, th_at(w, &c->to), th_at(w, &c->source), predicate);
    if (c->twice) { /* one more, in a group of its own */
        th_put(w, "T.evaluate(T.ptx_commit_group())");
        copy(w, arena_printf(p->arena, "%s + %" PRId64, own, c->cells), own,
             "");
    }
    commit(w, c);
    if (c->empty)
        th_put(w, "T.evaluate(T.ptx_commit_group())");
    if (c->how != COPIED_LATE)
        wait_for(w, c);
    if (c->barrier)
        th_barrier(w, "shared");
    th_put(w, "C[%s] = S[%s]", own, th_at(w, &c->from));
    if (c->how == COPIED_LATE)
        wait_for(w, c);
}

bool th_draw_async(struct plan *p)
{
    struct copy c = {.how = COPIED};
    struct writer w;
    th_draw_vars(p, BIT(VAR_TX), BIT(VAR_TY));
    int64_t n = th_count(p, IN_BLOCK);
    c.cells = n * (1 + (int64_t)gen_below(p->b, 2));
    if (th_chance(p, 4))
        c.how =
            th_chance(p, 3) ? COPIED_IF : (enum copied)gen_below(p->b, NCOPIED);
    bool own = th_chance(p, 5);
    c.to =
        own ? th_draw_flat(p, IN_BLOCK) : th_draw_place(p, IN_BLOCK, c.cells);
    c.from = th_chance(p, 6) ? c.to : th_draw_place(p, IN_BLOCK, c.cells);
    c.source = th_chance(p, 7) ? th_draw_flat(p, IN_BLOCK)
                               : th_draw_place(p, IN_BLOCK, n);
    c.barrier = th_chance(p, 6);
    c.filled = th_chance(p, 5);
    c.empty = th_chance(p, 2);
    c.twice = th_chance(p, c.how == COPIED_IF ? 6 : 2);
    c.when = th_draw_condition(p, IN_BLOCK, false);
    c.predicate = th_draw_condition(p, IN_BLOCK, true);
    th_tell(p, "copied %d", (int)c.how);
    th_begin(&w, p, 0, n, 1, n);
    write_copied(&w, &c);
    th_begin(&w, p, 1, n, 1, n);
    write_copies(&w, &c);
    return true;
}

/* ---- sizes ----------------------------------------------------------------- */

/* A loop over all elements, by parts of so many with a guard, or as threads; no
 * parts: the size itself. */
static void write_sized(struct writer *w, struct dtype t, int64_t part,
                        bool threads, bool strided)
{
    struct plan *p = w->p;
    const char *one = te_number(p, t, part), *less = te_number(p, t, part - 1);
    const char *type = te_type(p, t);
    th_put(w, "@T.prim_func(s_tir=True)");
    th_put(w, "def main(a: T.handle, c: T.handle):");
    w->level = 1;
    th_put(w, "n = T.%s()", type);
    if (strided)
        th_put(w, "s = T.%s()", type);
    th_put(w, "A = T.match_buffer(a, (n,), \"%s\")", p->data);
    th_put(w, "C = T.match_buffer(c, (n,), \"%s\"%s)", p->data,
           strided ? ", strides=(s,)" : "");
    if (part == 0) {
        th_put(w, "C[0] = A[0] + T.Cast(\"%s\", n)", p->data);
        return;
    }
    if (part == 1) {
        th_put(w, "for i in T.serial(%s, n):", te_number(p, t, 0));
        th_put(w, "    C[i] = A[i]");
        return;
    }
    th_put(w, "for o in T.serial(%s, (n + %s) // %s):", te_number(p, t, 0),
           less, one);
    w->level++;
    if (threads)
        th_put(w, "for i in T.thread_binding(%s, %s, thread=\"threadIdx.x\"):",
               te_number(p, t, 0), one);
    else
        th_put(w, "for i in T.serial(%s, %s):", te_number(p, t, 0), one);
    w->level++;
    th_put(w, "if o * %s + i < n:", one);
    th_put(w, "    C[o * %s + i] = A[o * %s + i]", one, one);
}

/* The stride of rows, which is what C gets, as a symbol. */
static bool draw_strides(struct plan *p)
{
    static const int64_t pitches[] = {8,   100, 127, 128, 200,
                                      255, 256, 300, 400};
    int64_t pitch = th_pick(p, DC_ARRAY_LEN(pitches), pitches);
    struct dtype t = th_draw_narrow(p);
    int64_t want = th_chance(p, 5) ? pitch : te_wrap(t, pitch);
    struct writer w;
    th_tell(p, "stride %" PRId64 " as %s", pitch, te_type(p, t));
    th_begin(&w, p, 0, 8, 1, 1);
    th_put(&w, "C[0] = A[0] + T.%s(%" PRId64 ")", p->data, want);
    th_begin(&w, p, 1, 8, 1, 1);
    th_put(&w, "S = T.alloc_buffer((2, %" PRId64 "), \"%s\")", pitch, p->data);
    th_put(&w, "for i, j in T.grid(2, %" PRId64 "):", pitch);
    th_put(&w, "    S[i, j] = A[j %% 8]");
    th_put(&w, "with T.sblock(\"s\"):");
    w.level++;
    th_put(&w, "s = T.%s()", te_type(p, t));
    th_put(&w,
           "X = T.match_buffer(S[0:2, 0:%" PRId64 "], (2, %" PRId64
           "), \"%s\", strides=[s, 1], offset_factor=1)",
           pitch, pitch, p->data);
    th_put(&w, "C[0] = X[1, 0] + T.Cast(\"%s\", s)", p->data);
    return true;
}

bool th_draw_size(struct plan *p)
{
    static const int64_t parts[] = {1, 2, 3, 4, 8, 16, 32, 100};
    struct writer w = {.p = p};
    p->data = "int32";
    if (th_chance(p, 2))
        return draw_strides(p);
    bool alone = th_chance(p, 3);
    for (unsigned side = 0; side < 2; side++) {
        struct dtype t = th_chance(p, 5) ? DTYPE_INT32 : th_draw_narrow(p);
        int64_t part = alone ? 0
                       : side == 0 && th_chance(p, 6)
                           ? 1
                           : th_pick(p, DC_ARRAY_LEN(parts), parts);
        w = (struct writer){.p = p, .side = side};
        write_sized(&w, t, part, side == 1 && th_chance(p, 4), th_chance(p, 2));
        th_tell(p, "%s by %" PRId64, te_type(p, t), part);
    }
    return true;
}
