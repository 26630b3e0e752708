/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous copies (R23, G22 to G28). The program has a copy as a store at
 * its issue. In truth it reads and writes at some moment until the wait of its
 * thread that covers its group. That makes no difference if nobody touches its
 * target, or writes its source, meanwhile: each access that comes after the
 * issue t and meets the copy, at y, has a wait w of the copy's thread with
 *
 *     t < w < y   and   commits in (t, w) > groups that w leaves pending
 *
 * and, in another thread, a barrier between w and y. What comes before the
 * issue is ordered as races.c shows it for any store.
 *
 * Commits before a moment are counted, not searched for: a commit stands under
 * loops of known extents and no condition, so that their number is a sum over
 * the loops it shares with the moment, an integer expression (aff). The wait is
 * guessed in the iterations of the copy or of the access, or one later or earlier.
 * Where that does not do, the copy is not shown to be complete.
 */
#include "verifier/safety/races.h"

/* ---- counting ------------------------------------------------------------------ */

/* Iterations of the loops among steps from `first` on; false: not known. */
static bool runs_of(const struct vgroup *g, size_t first, int64_t *n)
{
    *n = 1;
    for (size_t i = first; i < g->nsteps; i++) {
        int64_t extent;
        const struct vloop *l = g->steps[i].loop;
        if (l == NULL)
            continue;
        if (!ir_const_int(l->extent, &extent) || extent < 0 ||
            extent > INT32_MAX || *n > INT32_MAX)
            return false;
        *n *= extent;
    }
    return true;
}

/* Commits at g strictly before the first nx steps of x; NULL: not known. */
static const struct aff *commits_at(struct vctx *c, const struct vgroup *g,
                                    struct vinst *x, size_t nx)
{
    const struct aff *sum = aff_const(c->space, 0);
    for (size_t i = 0; i < g->nsteps && i < nx; i++) {
        const struct vstep *a = &g->steps[i], *b = &x->steps[i];
        int64_t rest;
        if (a->loop != b->loop || !runs_of(g, i + 1, &rest))
            return NULL;
        if (a->loop != NULL) {
            const struct aff *at = x->loops[a->loop->id];
            const struct aff *min = veval_index(c, x, a->loop->min);
            if (at == NULL || min == NULL)
                return NULL;
            at = aff_sub(c->space, at, min);
            sum = aff_add(c->space, sum, aff_scale(c->space, at, rest));
        } else if (a->pos != b->pos) {
            return a->pos < b->pos ? aff_addc(c->space, sum, rest) : sum;
        }
    }
    return sum;
}

/* Commits in between, in the time of one thread. */
static const struct aff *commits_between(struct safety *s, struct vinst *x,
                                         size_t nx, struct vinst *y, size_t ny)
{
    struct vctx *c = s->c;
    const struct aff *sum = aff_const(c->space, 0);
    for (size_t i = 0; i < s->p->ngroups; i++) {
        const struct vgroup *g = s->p->groups[i];
        if (g->pending != NULL)
            continue;
        const struct aff *a = commits_at(c, g, x, nx);
        const struct aff *b = commits_at(c, g, y, ny);
        if (a == NULL || b == NULL)
            return NULL;
        sum = aff_add(c->space, sum, aff_sub(c->space, b, a));
    }
    return sum;
}

/* ---- waits --------------------------------------------------------------------- */

struct window {
    struct race_pair *p;
    size_t na, nb; /* steps of issue and access */
    bool threads;  /* the access is in another thread */
};

/* The iterations of `from` in the copy's thread. */
static struct vinst *in_own_thread(struct race_pair *p, struct vinst *from)
{
    struct safety *s = p->s;
    struct vinst *at = arena_memdup(s->c->arena, from, sizeof *from);
    at->loops = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, const struct aff *);
    for (size_t i = 0; i < s->p->nloops; i++)
        at->loops[i] = s->p->loops[i]->kind == IR_FOR_THREAD ? p->ia->loops[i]
                                                             : from->loops[i];
    return at;
}

/* Implies that this wait completes the copy before the access. NULL: cannot be
 * told. */
static const struct form *completes(struct window *w, const struct vgroup *g,
                                    struct vinst *at, int64_t later)
{
    struct race_pair *p = w->p;
    struct safety *s = p->s;
    struct aff_space *sp = s->c->space;
    struct vinst *m = race_instance_at(s, g->nscopes, g->scopes, g->nsteps,
                                       g->steps, in_own_thread(p, at), later);
    const struct form *all = m == NULL ? NULL : vinst_dom(s->c, m);
    if (all == NULL)
        return NULL;
    const struct aff *n = commits_between(s, p->ia, w->na, m, g->nsteps);
    const struct aff *left = veval_index(s->c, m, g->pending);
    if (n == NULL || left == NULL)
        return NULL;
    all = form_and2(sp, all, form_lt(sp, left, n));
    all = form_and2(sp, all, form_ge0(sp, aff_addc(sp, n, -1)));
    all = form_and2(sp, all, vtime_before(s->c, p->ia, w->na, m, g->nsteps));
    return form_and2(sp, all,
                     w->threads
                         ? race_barrier_between(p, m, g->nsteps, p->ib, w->nb)
                         : vtime_before(s->c, m, g->nsteps, p->ib, w->nb));
}

static const struct form *is_complete(struct window *w)
{
    struct safety *s = w->p->s;
    struct aff_space *sp = s->c->space;
    const struct form *any = form_false(sp);
    const char *failed = s->c->failed;
    for (size_t i = 0; i < s->p->ngroups; i++) {
        struct vinst *at[] = {w->p->ia, w->p->ib, w->p->ia, w->p->ib};
        static const int64_t later[] = {0, 0, 1, -1};
        for (size_t k = 0; k < 4 && s->p->groups[i]->pending != NULL; k++) {
            const struct form *f =
                completes(w, s->p->groups[i], at[k], later[k]);
            if (f != NULL)
                any = form_or2(sp, any, f);
        }
    }
    s->c->failed = failed;
    return any;
}

/* ---- pairs ----------------------------------------------------------------------- */

static bool report(struct race_pair *p, enum smt_answer answer, bool threads)
{
    const struct place pl = {.pos = p->b->pos, .name = p->b->name};
    if (answer == SMT_REFUTED &&
        !value_form_has_data(p->s->c->space, p->same_cell))
        safety_candidate(p->s, NULL, 0, NULL);
    return safety_fail(
        p->s, VSAFETY_RACE, &pl,
        "%s '%s'%s may meet an asynchronous copy %s it that no wait%s has "
        "completed",
        p->b->write ? "a write of" : "a read of", p->a->storage->buffer->name,
        threads ? " in another thread" : "", p->a->write ? "to" : "from",
        threads ? " with a barrier after it" : "");
}

/* The copy `a` is complete before `b` when that comes later, in the same
 * thread or in another one. */
static bool check_window(struct safety *s, struct saccess *a, struct saccess *b,
                         bool threads)
{
    bool *shared = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    bool *differ = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    struct race_pair p = {.s = s, .a = a, .b = b};
    struct aff_space *sp = s->c->space;
    race_share_host_loops(s, a, b, shared);
    (void)race_mark_threads(a, b, true, shared); /* the same block */
    if (!race_mark_threads(a, b, false, threads ? differ : shared) && threads)
        return true; /* each thread has its own */
    if (!race_pair_make(&p, shared))
        return false;
    struct window w = {.p = &p,
                       .na = race_block_steps(a->nsteps, a->steps),
                       .nb = race_block_steps(b->nsteps, b->steps),
                       .threads = threads};
    const struct form *when = vtime_before(s->c, p.ia, w.na, p.ib, w.nb);
    if (threads)
        when = form_and2(sp, when, race_other_iteration(&p, differ));
    when = form_and2(sp, p.same_cell, when);
    if (when->kind == FORM_FALSE)
        return true;
    if (!threads || !race_implicit_barriers(s, a->storage->buffer->scope))
        when = form_and2(sp, when, form_not(sp, is_complete(&w)));
    enum smt_answer answer =
        safety_ask(s, form_and2(sp, p.da, p.db), form_not(sp, when),
                   "safety: copy is complete");
    s->out->obligations++;
    return answer == SMT_PROVED || report(&p, answer, threads);
}

static bool is_copy(const struct saccess *a)
{
    return a->store != NULL && a->store->async;
}

bool safety_copies(struct safety *s, struct saccess *a, struct saccess *b)
{
    struct saccess *both[] = {a, b};
    if (!race_one_launch(a, b)) /* a kernel ends with its copies (R18) */
        return true;
    for (size_t i = 0; i < (a == b ? 1 : 2); i++)
        if (is_copy(both[i]) &&
            (!check_window(s, both[i], both[1 - i], false) ||
             !check_window(s, both[i], both[1 - i], true)))
            return false;
    return true;
}
