/* SPDX-License-Identifier: Apache-2.0
 *
 * No two accesses that nothing orders meet in one cell, one of them a write.
 *
 * Two instances of each pair of accesses are taken, with atoms of their own
 * but for the loops in which they agree, and the solver shows that "both run,
 * same cell, other iteration" cannot be:
 *
 *  - parallel and vectorised loops: equal outer loops, other iteration;
 *  - lanes of one vector store: all reads come before the writes (R6);
 *  - threads of other blocks: nothing orders them (R18);
 *  - threads of one block: ordered where a barrier stands between them in the
 *    time of the block. Explicit ones are looked for at the first's iteration,
 *    the next one or the second's, at the first one of other loops. Implicit
 *    ones (R3) leave only accesses of one statement instance unordered, and
 *    the arms of one condition.
 *
 * Partial results of a reduction across threads do not race (R5).
 *
 * A cell holds the copies that a storage has (vcell_of): private storage never
 * meets, but for what iterations of a serial loop share (place_of). Writes of provably one value are no race (R4, R28); a read of what
 * another thread writes, equal bits or not, is not shown to be none.
 *
 * Source: the two-thread reduction of Betts et al., GPUVerify, OOPSLA 2012.
 */
#include "verifier/safety/races.h"

#include "verifier/smt/obligation.h"

#include <string.h>

bool vloop_is_block(const struct vloop *l)
{
    return l->kind == IR_FOR_THREAD && l->tag != NULL &&
           strncmp(l->tag, "blockIdx", 8) == 0;
}

static bool is_thread(const struct vloop *l)
{
    return l->kind == IR_FOR_THREAD;
}

static bool below(const struct snode *node, const struct vloop *l)
{
    for (; node->parent != NULL; node = node->parent)
        if (node->scope.kind == VSCOPE_LOOP && node->scope.loop == l)
            return true;
    return false;
}

static bool below_thread(const struct snode *node)
{
    for (; node->parent != NULL; node = node->parent)
        if (node->scope.kind == VSCOPE_LOOP && is_thread(node->scope.loop))
            return true;
    return false;
}

/* ---- two instances -------------------------------------------------------------- */

/* Vector stores have a loop of lanes each; those of one length can have one
 * variable, since no statement is under two of them. So accesses of unrolled
 * code become equal. */
static void share_lanes(struct safety *s, const struct snode *node,
                        const struct aff **loops)
{
    for (; node->parent != NULL; node = node->parent) {
        const struct vloop *l = node->scope.loop;
        int64_t n, k;
        if (node->scope.kind != VSCOPE_LOOP || !l->lanes ||
            loops[l->id] != NULL || !ir_const_int(l->extent, &n))
            continue;
        for (size_t i = 0; i < s->p->nloops && loops[l->id] == NULL; i++) {
            const struct vloop *o = s->p->loops[i];
            if (o != l && o->lanes && loops[o->id] != NULL &&
                ir_const_int(o->extent, &k) && k == n && !below(node, o) &&
                ir_is_const_int(o->min, 0) && ir_is_const_int(l->min, 0))
                loops[l->id] = loops[o->id];
        }
    }
}

/* The first instance of an access: one for all its pairs. */
static struct vinst *first_instance(struct safety *s, struct saccess *a)
{
    if (a->inst == NULL) {
        share_lanes(s, a->node, s->loops[0]);
        a->inst = safety_instance(s, a->node, a->nsteps, a->steps, s->loops[0]);
    }
    return a->inst;
}

/* The second: another iteration but for the loops in `shared` (by id). */
static struct vinst *second_instance(struct safety *s, const struct saccess *b,
                                     const bool *shared)
{
    size_t n = s->p->nloops;
    const struct aff **loops =
        ARENA_ARRAY(s->c->arena, n + 1, const struct aff *);
    share_lanes(s, b->node, s->loops[1]);
    for (size_t i = 0; i < n; i++)
        loops[i] = s->loops[shared[i] ? 0 : 1][i];
    struct vinst *inst =
        safety_instance(s, b->node, b->nsteps, b->steps, loops);
    for (size_t i = 0; i < n; i++)
        s->loops[shared[i] ? 0 : 1][i] = loops[i];
    return inst;
}

static const struct aff **cell_of(struct race_pair *p, const struct saccess *a,
                                  struct vinst *inst)
{
    const struct aff **cell = ARENA_ARRAY(
        p->s->c->arena, vcell_rank(a->storage) + 1, const struct aff *);
    return vcell_of(p->s->c, inst, a->storage, a->nindex, a->index, cell)
               ? cell
               : NULL;
}

/* R4: storage that threads share is the same in every iteration of a serial loop
 * that it is allocated in; what it holds is forgotten, but only barriers order the
 * accesses of two iterations. */
static bool is_reused(const struct safety *s, const struct vstorage *st,
                      const struct vloop *l)
{
    bool threads = strncmp(st->buffer->scope, "shared", 6) == 0 ||
                   strncmp(st->buffer->scope, "warp", 4) == 0;
    bool serial = l->kind == IR_FOR_SERIAL || l->kind == IR_FOR_UNROLLED;
    return threads && serial &&
           !OBLIGED(s->c->smt, "safety: iterations share their storage", false);
}

/* The place of the access, without the iterations that reuse it; n: how long. */
static const struct aff **place_of(struct race_pair *p, const struct saccess *a,
                                   struct vinst *inst, size_t *n)
{
    const struct vstorage *st = a->storage;
    const struct aff **cell = cell_of(p, a, inst);
    *n = 0;
    for (size_t i = 0; cell != NULL && i < vcell_rank(st); i++)
        if (i >= st->nprivate || !is_reused(p->s, st, st->privates[i]))
            cell[(*n)++] = cell[i];
    return cell;
}

static bool not_read(struct race_pair *p)
{
    const struct place pl = {.pos = p->a->pos, .name = p->a->name};
    return safety_fail(p->s, VSAFETY_NONE, &pl,
                       "an access of '%s' cannot be read: %s",
                       p->a->storage->buffer->name,
                       p->s->c->failed ? p->s->c->failed : "unknown form");
}

/* Instances of both that agree in the shared loops. False after a failure. */
bool race_pair_make(struct race_pair *p, const bool *shared)
{
    struct safety *s = p->s;
    struct aff_space *sp = s->c->space;
    p->ia = first_instance(s, p->a);
    p->ib = second_instance(s, p->b, shared);
    if (p->ia == NULL || p->ib == NULL)
        return not_read(p);
    p->da = vinst_dom(s->c, p->ia);
    p->db = vinst_dom(s->c, p->ib);
    if (p->da == NULL || p->db == NULL)
        return not_read(p);
    const struct aff **x = place_of(p, p->a, p->ia, &p->rank);
    const struct aff **y =
        x == NULL ? NULL : place_of(p, p->b, p->ib, &p->rank);
    if (y == NULL)
        return not_read(p);
    p->ca = x;
    p->cb = y;
    p->same_cell = form_true(sp);
    for (size_t i = 0; i < p->rank; i++)
        p->same_cell = form_and2(sp, p->same_cell, form_eq(sp, x[i], y[i]));
    return true;
}

/* Some loop in which they differ. A loop around one of them alone may have any
 * other value there. */
const struct form *race_other_iteration(struct race_pair *p, const bool *differ)
{
    struct aff_space *sp = p->s->c->space;
    const struct form *any = form_false(sp);
    for (size_t i = 0; i < p->s->p->nloops; i++) {
        if (!differ[i])
            continue;
        const struct aff *x = p->ia->loops[i], *y = p->ib->loops[i];
        if (x == NULL || y == NULL)
            return form_true(sp);
        any = form_or2(sp, any, form_not(sp, form_eq(sp, x, y)));
    }
    return any;
}

/* Whether the cell tells in which iteration of the marked loops it is accessed:
 * then equal cells mean equal iterations, without a solver (inverse.c). */
static bool determined_from(struct race_pair *p, const bool *differ,
                            const int64_t *base)
{
    struct vctx *c = p->s->c;
    size_t nloops = p->s->p->nloops, n = 0;
    atom_id *unknown = ARENA_ARRAY(c->arena, nloops + 1, atom_id);
    struct vinverse inv;
    for (size_t i = 0; i < nloops; i++)
        if (p->ia->loops[i] != NULL && p->ia->loops[i] != p->ib->loops[i])
            unknown[n++] = p->ia->loops[i]->terms[0].atom;
    vinverse_find_common(c, p->rank, p->ca, base, n, unknown, &inv);
    for (size_t i = 0; i < nloops; i++) {
        const struct aff *x = p->ia->loops[i], *y = p->ib->loops[i];
        bool same = false;
        if (!differ[i] || (x != NULL && x == y))
            continue;
        for (size_t k = 0; k < n && x != NULL && y != NULL && !same; k++)
            same = unknown[k] == x->terms[0].atom &&
                   vinverse_at(c, &inv, k, p->cb) == y;
        if (!same)
            return false;
    }
    return true;
}

static bool determined(struct race_pair *p, const bool *differ)
{
    size_t rank = p->rank;
    int64_t *base = ARENA_ARRAY(p->s->c->arena, rank + 1, int64_t);
    bool zero = true;
    for (size_t i = 0; i < rank; i++) {
        int64_t x = p->ca[i]->constant, y = p->cb[i]->constant;
        base[i] = x < y ? x : y;
        zero = zero && base[i] == 0;
    }
    if (determined_from(p, differ, base))
        return true;
    memset(base, 0, rank * sizeof *base);
    return !zero && determined_from(p, differ, base);
}

/* ---- equal values ------------------------------------------------------------------ */

/* Whether all folds in no stated order combine the threads of the axis. One that
 * combines none is what the lanes of a warp do together (*warps). */
static bool is_combined(const struct vprog *p, const struct vloop *l,
                        bool *warps)
{
    bool all = is_thread(l) && !vloop_is_block(l);
    *warps = false;
    for (size_t i = 0; i < p->nloops; i++) {
        const struct vloop *m = p->loops[i];
        if (!m->unordered)
            continue;
        *warps |= m->combines == 0;
        all = all && (m->combines == 0 || (m->combines & l->axis) != 0);
    }
    return all && (!*warps || strcmp(l->tag, "threadIdx.x") == 0);
}

/* Instances of one statement that write one cell: whether every loop that the
 * value depends on is the same in both. A fold in no stated order has one
 * result for the threads that combine it (R27) and for the lanes of a warp
 * (R25), not for other rows of threads, warps or blocks, nor for other
 * iterations. */
static bool same_source(struct race_pair *p, const struct form *ctx,
                        const struct value *v)
{
    struct aff_space *sp = p->s->c->space;
    bool unordered = false;
    for (size_t i = 0; i < p->s->p->nloops; i++) {
        const struct vloop *l = p->s->p->loops[i];
        const struct aff *x = p->ia->loops[i], *y = p->ib->loops[i];
        if (x == NULL || x == y || x->n != 1)
            continue;
        bool depends = value_mentions(p->s->c, v, x->terms[0].atom, &unordered);
        if (!depends && !unordered)
            continue;
        bool warps = false;
        bool combined = !depends && is_combined(p->s->p, l, &warps);
        if (combined && !warps)
            continue;
        if (combined && y != NULL) { /* of one warp */
            x = aff_floordiv(sp, x, 32);
            y = aff_floordiv(sp, y, 32);
        }
        if (y == NULL ||
            safety_ask(p->s, ctx, form_eq(sp, x, y),
                       "safety: instances that write one cell") != SMT_PROVED)
            return false;
    }
    return true;
}

/* Writes of one value under ctx: the cells' equations, solved for the second
 * instance's atoms and proved, make its value the first's. */
static bool same_value(struct race_pair *p, const struct form *ctx)
{
    struct safety *s = p->s;
    struct vctx *c = s->c;
    struct aff_space *sp = c->space;
    if (!p->a->write || !p->b->write || p->a->store == NULL ||
        p->b->store == NULL || p->a->stands || p->b->stands ||
        p->a->store->async || p->b->store->async) /* whenever it lands (R23) */
        return false;
    const char *failed = c->failed;
    const struct value *va = veval_value(c, p->ia, p->a->store->value, p->da);
    if (va != NULL && p->a->store == p->b->store && !value_has_undef(va) &&
        OBLIGED(c->smt, "safety: writers store one value",
                same_source(p, ctx, va))) {
        c->failed = failed;
        return true;
    }
    const struct value *vb =
        va == NULL ? NULL : veval_value(c, p->ib, p->b->store->value, p->db);
    c->failed = failed;
    if (vb == NULL || value_has_undef(va) || va == vb)
        return vb != NULL && va == vb && !value_has_undef(va);
    size_t neqs = 0, n = 0;
    const struct aff **eqs =
        ARENA_ARRAY(c->arena, p->rank + 1, const struct aff *);
    for (size_t i = 0; i < p->rank; i++)
        eqs[neqs++] = aff_sub(sp, p->ca[i], p->cb[i]);
    atom_id *unknown = ARENA_ARRAY(c->arena, s->p->nloops + 1, atom_id);
    for (size_t i = 0; i < s->p->nloops; i++)
        if (p->ib->loops[i] != NULL && p->ib->loops[i]->n == 1 &&
            p->ib->loops[i] != p->ia->loops[i])
            unknown[n++] = p->ib->loops[i]->terms[0].atom;
    const struct aff **to = ARENA_ARRAY(c->arena, n + 1, const struct aff *);
    (void)aff_solve(sp, neqs, eqs, n, unknown, to);
    struct aff_map map = {.n = aff_natoms(sp)};
    map.to = ARENA_ARRAY(c->arena, map.n + 1, const struct aff *);
    for (size_t i = 0; i < n; i++)
        if (to[i] != NULL &&
            safety_ask(s, ctx, form_eq(sp, aff_of_atom(sp, unknown[i]), to[i]),
                       "safety: instances that write one cell") == SMT_PROVED)
            map.to[unknown[i]] = to[i];
    return OBLIGED(c->smt, "safety: writers store one value",
                   value_subst(c, vb, &map) == va);
}

/* ---- one obligation ------------------------------------------------------------------ */

static bool report(struct race_pair *p, enum smt_answer answer, const char *how)
{
    struct safety *s = p->s;
    const struct place pl = {.pos = p->b->pos, .name = p->b->name};
    if (answer == SMT_REFUTED &&
        !value_form_has_data(s->c->space, p->same_cell)) {
        size_t n = p->a->nindex;
        const struct aff **index =
            ARENA_ARRAY(s->c->arena, n + 1, const struct aff *);
        const struct aff **cell = cell_of(p, p->a, p->ia);
        for (size_t i = 0; cell != NULL && i < n; i++)
            index[i] = cell[p->a->storage->nprivate + i];
        if (cell != NULL)
            safety_candidate(s, p->a->storage, n, index);
    }
    return safety_fail(
        s, VSAFETY_RACE, &pl, "%s '%s' may meet %s it in%s%s%s %s",
        p->b->write ? "a write of" : "a read of", p->a->storage->buffer->name,
        p->a->write ? "a write of" : "a read of",
        p->a->name != NULL ? " '" : " a statement",
        p->a->name != NULL ? p->a->name : "", p->a->name != NULL ? "'" : "",
        how);
}

/* That both run, meet and `when` holds cannot be. */
static bool never(struct race_pair *p, const struct form *when,
                  const bool *differ, const char *how)
{
    struct safety *s = p->s;
    struct aff_space *sp = s->c->space;
    if (p->same_cell->kind == FORM_FALSE || when->kind == FORM_FALSE)
        return true;
    const struct form *meet = form_and2(sp, p->same_cell, when);
    const struct form *ctx = form_and2(sp, p->da, p->db);
    if (meet->kind == FORM_FALSE || ctx->kind == FORM_FALSE)
        return true;
    if (determined(p, differ))
        return true;
    enum smt_answer answer =
        safety_ask(s, ctx, form_not(sp, meet), "safety: no race");
    s->out->obligations++;
    if (answer == SMT_PROVED)
        return true;
    if (same_value(p, form_and2(sp, ctx, meet)))
        return true;
    return report(p, answer, how);
}

/* ---- parallel and vectorised loops, lanes ----------------------------------------------- */

static bool check_loop(struct safety *s, struct saccess *a, struct saccess *b,
                       const struct vloop *l)
{
    bool *shared = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    bool *differ = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    bool outside = false;
    for (size_t i = 0; i < a->storage->nprivate; i++)
        if (a->storage->privates[i] == l)
            return true;
    for (const struct snode *n = a->node; n->parent != NULL; n = n->parent) {
        if (n->scope.kind != VSCOPE_LOOP)
            continue;
        const struct vloop *x = n->scope.loop;
        if (outside && below(b->node, x))
            shared[x->id] = true;
        outside = outside || x == l;
    }
    differ[l->id] = true;
    shared[l->id] = false;
    struct race_pair p = {.s = s, .a = a, .b = b};
    return race_pair_make(&p, shared) &&
           never(&p, race_other_iteration(&p, differ), differ,
                 l->lanes ? "in another lane"
                 : l->kind == IR_FOR_PARALLEL
                     ? "in another iteration of the parallel loop"
                     : "in another iteration of the vectorised loop");
}

static bool check_loops(struct safety *s, struct saccess *a, struct saccess *b)
{
    for (const struct snode *n = a->node; n->parent != NULL; n = n->parent) {
        if (n->scope.kind != VSCOPE_LOOP)
            continue;
        const struct vloop *l = n->scope.loop;
        if (l->kind != IR_FOR_PARALLEL && l->kind != IR_FOR_VECTORIZED &&
            !l->lanes)
            continue;
        /* a vector store evaluates all lanes before it writes any */
        if ((l->lanes && !(a->write && b->write)) || l->unordered ||
            !below(b->node, l))
            continue;
        if (!OBLIGED(s->c->smt, "safety: iterations do not race",
                     check_loop(s, a, b, l)))
            return false;
    }
    return true;
}

/* ---- threads ---------------------------------------------------------------------------- */

/* Steps before the threads' loops. */
size_t race_block_steps(size_t n, const struct vstep *steps)
{
    while (n > 0 && steps[n - 1].loop != NULL && is_thread(steps[n - 1].loop))
        n--;
    return n;
}

/* Loops around the launch: one launch after another (R18). */
void race_share_host_loops(struct safety *s, const struct saccess *a,
                           const struct saccess *b, bool *shared)
{
    bool above = false;
    (void)s;
    for (const struct snode *n = a->node; n->parent != NULL; n = n->parent) {
        if (n->scope.kind != VSCOPE_LOOP)
            continue;
        const struct vloop *l = n->scope.loop;
        if (is_thread(l)) {
            above = !below_thread(n->parent);
            continue;
        }
        if (above && below(b->node, l))
            shared[l->id] = true;
    }
}

static bool private_to(const struct vstorage *st, const struct vloop *l)
{
    for (size_t i = 0; i < st->nprivate; i++)
        if (st->privates[i] == l)
            return true;
    return false;
}

/* Marks the thread loops (blocks or threads) around either; false when the
 * storage has a copy for each iteration of all of them: nothing to show. */
bool race_mark_threads(const struct saccess *a, const struct saccess *b,
                       bool blocks, bool *marks)
{
    bool any = false;
    const struct saccess *both[] = {a, b};
    for (size_t k = 0; k < 2; k++) {
        for (const struct snode *n = both[k]->node; n->parent != NULL;
             n = n->parent) {
            if (n->scope.kind != VSCOPE_LOOP || !is_thread(n->scope.loop) ||
                vloop_is_block(n->scope.loop) != blocks)
                continue;
            marks[n->scope.loop->id] = true;
            any = any || !private_to(a->storage, n->scope.loop);
        }
    }
    return any;
}

static bool check_blocks(struct safety *s, struct saccess *a, struct saccess *b)
{
    bool *shared = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    bool *differ = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    struct race_pair p = {.s = s, .a = a, .b = b};
    if (!race_mark_threads(a, b, true, differ))
        return true;
    race_share_host_loops(s, a, b, shared);
    return race_pair_make(&p, shared) &&
           never(&p, race_other_iteration(&p, differ), differ,
                 "in another thread block");
}

struct vinst *race_instance_at(struct safety *s, size_t nscopes,
                               const struct vscope *scopes, size_t nsteps,
                               const struct vstep *steps,
                               const struct vinst *at, int64_t later)
{
    struct vinst *fresh =
        vinst_fresh(s->c, s->p, nscopes, scopes, nsteps, steps);
    struct aff_map map = {.n = aff_natoms(s->c->space)};
    map.to = ARENA_ARRAY(s->c->arena, map.n + 1, const struct aff *);
    for (size_t i = nscopes; i-- > 0;) {
        if (scopes[i].kind != VSCOPE_LOOP)
            continue;
        const struct vloop *l = scopes[i].loop;
        const struct aff *own = fresh->loops[l->id];
        const struct aff *to = at->loops[l->id];
        if (to == NULL) {
            to = veval_index(s->c, fresh, l->min);
        } else if (later != 0 && !is_thread(l)) {
            to = aff_addc(s->c->space, to, later);
            later = 0;
        }
        if (own == NULL || own->n != 1 || to == NULL)
            return NULL;
        if (own->terms[0].atom < map.n)
            map.to[own->terms[0].atom] = to;
    }
    if (later != 0) /* it is in no loop of theirs */
        return NULL;
    return vinst_with(s->c, fresh, &map);
}

/* The same of a barrier; NULL: it does not order the storage either. */
static struct vinst *barrier_at(struct race_pair *p,
                                const struct vbarrier *barrier,
                                const struct vinst *at, int64_t later)
{
    bool warp = strncmp(p->a->storage->buffer->scope, "warp", 4) == 0;
    if (!warp && strncmp(barrier->scope, "warp", 4) == 0)
        return NULL;
    return race_instance_at(p->s, barrier->nscopes, barrier->scopes,
                            barrier->nsteps, barrier->steps, at, later);
}

const struct form *race_barrier_between(struct race_pair *p,
                                        const struct vinst *x, size_t nx,
                                        const struct vinst *y, size_t ny)
{
    struct safety *s = p->s;
    struct aff_space *sp = s->c->space;
    const struct form *any = form_false(sp);
    const char *failed = s->c->failed;
    for (size_t i = 0; i < s->p->nbarriers; i++) {
        const struct vbarrier *barrier = s->p->barriers[i];
        const struct vinst *at[] = {x, y, x};
        for (size_t k = 0; k < 3; k++) {
            struct vinst *m = barrier_at(p, barrier, at[k], k == 2 ? 1 : 0);
            const struct form *dom = m == NULL ? NULL : vinst_dom(s->c, m);
            if (dom == NULL)
                continue;
            const struct form *between =
                form_and2(sp, vtime_before(s->c, x, nx, m, barrier->nsteps),
                          vtime_before(s->c, m, barrier->nsteps, y, ny));
            any = form_or2(sp, any, form_and2(sp, dom, between));
        }
    }
    s->c->failed = failed;
    return any;
}

static bool check_phases(struct race_pair *p, const struct form *other,
                         const bool *differ)
{
    struct vctx *c = p->s->c;
    struct aff_space *sp = c->space;
    size_t na = race_block_steps(p->a->nsteps, p->a->steps);
    size_t nb = race_block_steps(p->b->nsteps, p->b->steps);
    const struct form *a_first =
        form_not(sp, vtime_before(c, p->ib, nb, p->ia, na));
    const struct form *b_first =
        form_not(sp, vtime_before(c, p->ia, na, p->ib, nb));
    const struct form *when =
        form_and2(sp, form_and2(sp, other, a_first),
                  form_not(sp, race_barrier_between(p, p->ia, na, p->ib, nb)));
    const char *how = "in another thread, with no barrier between";
    if (!never(p, when, differ, how))
        return false;
    if (p->a == p->b)
        return true;
    when =
        form_and2(sp, form_and2(sp, other, b_first),
                  form_not(sp, race_barrier_between(p, p->ib, nb, p->ia, na)));
    return never(p, when, differ, how);
}

/* ---- implicit barriers -------------------------------------------------------------------- */

/* Whether the two stand in the two arms of one condition. */
static bool in_two_arms(const struct snode *a, const struct snode *b)
{
    for (const struct snode *x = a; x->parent != NULL; x = x->parent) {
        if (x->scope.kind != VSCOPE_GUARD)
            continue;
        for (const struct snode *y = b; y->parent != NULL; y = y->parent)
            if (y->scope.kind == VSCOPE_GUARD && y->parent == x->parent &&
                y->scope.value == x->scope.value &&
                y->scope.negated != x->scope.negated)
                return true;
    }
    return false;
}

/* Names that are used twice each make a tree of what is a chain: so many
 * expressions are looked at. */
#define ON_THREADS_STEPS 4000u

/* Whether an expression there may differ from thread to thread. */
static bool may_differ(const struct safety *s, const struct snode *node,
                       const struct ir_expr *e, unsigned *steps)
{
    if (*steps == 0)
        return true;
    --*steps;
    if (e->kind == IR_VAR_REF) {
        for (const struct snode *n = node; n->parent; n = n->parent) {
            const struct vscope *x = &n->scope;
            if (x->kind == VSCOPE_LOOP && x->loop->var == e->u.var)
                return is_thread(x->loop)
                           ? !vloop_is_block(x->loop)
                           : may_differ(s, n->parent, x->loop->min, steps) ||
                                 may_differ(s, n->parent, x->loop->extent,
                                            steps);
            if (x->kind == VSCOPE_LET && x->var == e->u.var)
                return may_differ(s, n->parent, x->value, steps);
        }
        return false;
    }
    if (e->kind == IR_LOAD) {
        const struct vstorage *st = vprog_storage(s->p, e->u.buffer);
        if (st == NULL || st->written)
            return true;
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        if (may_differ(s, node, e->args[i], steps))
            return true;
    return false;
}

static bool on_threads(const struct safety *s, const struct snode *node,
                       const struct ir_expr *e)
{
    unsigned steps = ON_THREADS_STEPS;
    return may_differ(s, node, e, &steps);
}

/* Whether the scopes around both depend on the thread: a barrier that stands
 * between the two then is not reached by all. */
static bool diverges(const struct safety *s, const struct snode *a,
                     const struct snode *b)
{
    while (a != b) {
        if (a->depth >= b->depth)
            a = a->parent;
        else
            b = b->parent;
    }
    for (; a->parent != NULL; a = a->parent) {
        const struct vscope *x = &a->scope;
        if (x->kind == VSCOPE_GUARD && on_threads(s, a->parent, x->value))
            return true;
        if (x->kind == VSCOPE_LOOP && !is_thread(x->loop) &&
            (on_threads(s, a->parent, x->loop->min) ||
             on_threads(s, a->parent, x->loop->extent)))
            return true;
    }
    return false;
}

/* Whether the barrier at the end of each iteration is met by all threads. */
static bool has_back_edge(const struct safety *s, const struct snode *node,
                          const struct vloop *loop)
{
    if (is_thread(loop))
        return true;
    if (loop->kind != IR_FOR_SERIAL && loop->kind != IR_FOR_UNROLLED)
        return false;
    while (node->parent != NULL &&
           (node->scope.kind != VSCOPE_LOOP || node->scope.loop != loop))
        node = node->parent;
    return !diverges(s, node, node);
}

/* Whether no barrier that TVM inserts orders the two: they are parts of one
 * statement, or of the two arms of a condition. Marks loops that have one
 * value. */
static bool one_statement(const struct safety *s, const struct saccess *a,
                          const struct saccess *b, bool *shared)
{
    size_t na = race_block_steps(a->nsteps, a->steps);
    size_t nb = race_block_steps(b->nsteps, b->steps);
    bool arms = in_two_arms(a->node, b->node);
    for (size_t i = 0; i < na && i < nb; i++) {
        const struct vstep *x = &a->steps[i], *y = &b->steps[i];
        if (x->loop != y->loop || (x->loop == NULL && x->pos != y->pos))
            return arms || (x->part && y->part);
        if (x->loop != NULL)
            shared[x->loop->id] = has_back_edge(s, a->node, x->loop);
    }
    return true;
}

bool race_implicit_barriers(const struct safety *s, const char *scope)
{
    if (strncmp(scope, "shared", 6) == 0)
        return !s->p->explicit_shared;
    return strncmp(scope, "warp", 4) == 0 && !s->p->explicit_warp;
}

static bool check_threads(struct safety *s, struct saccess *a,
                          struct saccess *b)
{
    bool *shared = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    bool *differ = ARENA_ARRAY(s->c->arena, s->p->nloops + 1, bool);
    struct race_pair p = {.s = s, .a = a, .b = b};
    const char *scope = a->storage->buffer->scope;
    bool implicit = race_implicit_barriers(s, scope);
    /* partial results of a reduction across threads: no race (R5, R27) */
    if (strcmp(scope, "reduction") == 0 ||
        !race_mark_threads(a, b, false, differ))
        return true;
    race_share_host_loops(s, a, b, shared);
    (void)race_mark_threads(a, b, true, shared); /* the same block */
    bool ordered = implicit && !one_statement(s, a, b, shared);
    if (ordered && OBLIGED(s->c->smt, "safety: implicit barriers are met",
                           !diverges(s, a->node, b->node)))
        return true;
    if (ordered) { /* the barrier that orders them is not reached by all */
        memset(shared, 0, s->p->nloops * sizeof *shared);
        race_share_host_loops(s, a, b, shared);
        (void)race_mark_threads(a, b, true, shared);
    }
    if (!race_pair_make(&p, shared))
        return false;
    const struct form *other = race_other_iteration(&p, differ);
    if (implicit)
        return never(&p, other, differ,
                     ordered ? "in another thread, below a condition that "
                               "not all threads meet"
                             : "in another thread, as a part of one statement");
    return check_phases(&p, other, differ);
}

/* ---- all pairs -------------------------------------------------------------------------------- */

/* The cell that an atomic operation changes; what else its value reads is read
 * as by any statement. */
static bool atomic(const struct saccess *a)
{
    if (a->store == NULL || !a->store->atomic || a->storage != a->store->target)
        return false;
    bool same = a->write || a->nindex == a->store->nindex;
    for (size_t i = 0; same && !a->write && i < a->nindex; i++)
        same = ir_expr_same(a->index[i], a->store->index[i]);
    return same;
}

bool race_one_launch(const struct saccess *a, const struct saccess *b)
{
    for (const struct snode *n = a->node; n->parent != NULL; n = n->parent)
        if (n->scope.kind == VSCOPE_LOOP && is_thread(n->scope.loop) &&
            below(b->node, n->scope.loop))
            return true;
    return !below_thread(a->node) && !below_thread(b->node);
}

static bool check_pair(struct safety *s, struct saccess *a, struct saccess *b)
{
    if (atomic(a) && atomic(b))
        return true;
    if (!check_loops(s, a, b))
        return false;
    if (!below_thread(a->node) || !below_thread(b->node))
        return true;
    return !race_one_launch(a, b) ||
           (OBLIGED(s->c->smt, "safety: blocks do not race",
                    check_blocks(s, a, b)) &&
            OBLIGED(s->c->smt, "safety: threads do not race",
                    check_threads(s, a, b)));
}

static bool same_loops(const struct snode *a, const struct snode *b)
{
    for (;;) {
        while (a->parent != NULL && a->scope.kind != VSCOPE_LOOP)
            a = a->parent;
        while (b->parent != NULL && b->scope.kind != VSCOPE_LOOP)
            b = b->parent;
        if (a->parent == NULL || b->parent == NULL)
            return a->parent == b->parent;
        const struct vloop *x = a->scope.loop, *y = b->scope.loop;
        if (x != y && !(x->lanes && y->lanes))
            return false;
        a = a->parent;
        b = b->parent;
    }
}

/* Without threads only loops, cells and domains matter, not places in time:
 * of equal accesses (unrolled code has hundreds) one is looked at, of those
 * that store or do not. */
static void mark_repeated(struct safety *s)
{
    size_t n = s->accesses.len;
    for (size_t i = 0; i < n; i++) {
        struct saccess *a = &s->accesses.items[i];
        struct vinst *inst = first_instance(s, a);
        const struct aff **cell = ARENA_ARRAY(
            s->c->arena, vcell_rank(a->storage) + 1, const struct aff *);
        if (inst == NULL ||
            !vcell_of(s->c, inst, a->storage, a->nindex, a->index, cell))
            continue;
        a->cell = cell;
        for (size_t k = 0; k < i && !a->repeated; k++) {
            struct saccess *b = &s->accesses.items[k];
            if (b->repeated || b->cell == NULL || b->storage != a->storage ||
                b->write != a->write || b->inst->dom != inst->dom ||
                !same_loops(a->node, b->node))
                continue;
            size_t d = 0;
            while (d < vcell_rank(a->storage) && b->cell[d] == cell[d])
                d++;
            a->repeated = d == vcell_rank(a->storage);
            if (a->repeated && b->store != a->store)
                b->stands = true;
        }
    }
}

bool safety_races(struct safety *s)
{
    bool concurrent = false, threads = false, copies = false;
    for (size_t i = 0; i < s->p->nstores; i++)
        copies = copies || s->p->stores[i]->async;
    for (size_t i = 0; i < s->p->nloops; i++) {
        const struct vloop *l = s->p->loops[i];
        threads = threads || is_thread(l);
        concurrent = concurrent || is_thread(l) || l->lanes ||
                     l->kind == IR_FOR_PARALLEL || l->kind == IR_FOR_VECTORIZED;
    }
    if (!concurrent && !copies)
        return true;
    if (!threads && !copies)
        mark_repeated(s);
    for (size_t i = 0; i < s->accesses.len; i++) {
        for (size_t k = i; k < s->accesses.len; k++) {
            struct saccess *a = &s->accesses.items[i];
            struct saccess *b = &s->accesses.items[k];
            if (a->repeated || b->repeated)
                continue;
            if (a->storage != b->storage || !(a->write || b->write))
                continue;
            if (!check_pair(s, a, b) || !safety_copies(s, a, b))
                return false;
        }
    }
    return true;
}
