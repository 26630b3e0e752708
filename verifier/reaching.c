/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cell holds at a moment: the last store to it by guess and proof, and
 * the updates since.
 *
 * A store is an `update` where it combines the old content of its own cell
 * with something that does not read the storage (X[f] = X[f] + e); all others
 * are `plain`. A read finds the last plain store before it; the updates of one
 * operator that come after that and before the read are the terms of a
 * reduction. A plain store may read the cell itself: then its right-hand side
 * is a read at an earlier moment.
 *
 * The last plain store: candidates are tried latest first; an instance is
 * guessed (loops shared with the reader have its values, or one less; others
 * follow from the cell or are at their last iteration) and then proved, under
 * the context ctx: it runs, writes this cell, comes before, and no plain store
 * to the cell lies in between. Where it runs for a part of ctx only, the rest
 * is asked again: the value is a choice. Every claim used is an obligation of
 * smt.h; a guess that fails costs time, never truth.
 *
 * Sources: the obligations are those of Feautrier's array data flow analysis
 * (IJPP 1991), with the function guessed instead of computed.
 */
#include "verifier/value.h"

#include <string.h>

#define MAX_DEPTH   160
#define MAX_NESTED  3   /* times a store's value may need itself */
#define MAX_SPLITS  600 /* choices in one read */
#define MAX_UNKNOWN 64
#define MAX_TERMS   700

struct store_info {
    bool is_update, reduces; /* reduces: some loop is not in the cell */
    enum ir_expr_kind op;
    bool swapped;
    const struct ir_expr *term;
    struct vinst *probe; /* fresh atoms, for obligations only */
    const struct aff **cell;
    const struct form *dom;
    bool looked;
    struct vinverse inverse; /* of the probe's cell */
    unsigned active;         /* values of this store being read off */
};

struct memo {
    const struct vstorage *s;
    const struct aff **cell;
    const struct vstep *steps;
    size_t nread;
    const struct aff **loops;
    const struct form *ctx;
    const struct value *value;
};

struct flow_state {
    struct store_info *info[2]; /* by program and store id */
    struct VEC(struct memo) memos;
};

/* One question: what did the reader see in the cell? */
struct read {
    struct vctx *c;
    const struct vprog *prog;
    const struct vstorage *s;
    const struct aff *const *cell;
    size_t rank;
    struct vinst *reader; /* NULL: the end of the program */
    size_t nread;
    unsigned splits;
};

static const struct value *read_piece(struct read *r, const struct form *ctx);

void vflow_free(struct vctx *c)
{
    if (c->flow == NULL)
        return;
    vec_fini(&c->flow->memos);
    dc_release(c->flow->info[0]);
    dc_release(c->flow->info[1]);
    dc_release(c->flow);
}

/* ---- what kind of store ----------------------------------------------------- */

static bool reads_storage(const struct vprog *p, const struct ir_expr *e,
                          const struct vstorage *s)
{
    if (e->kind == IR_LOAD && vprog_storage(p, e->u.buffer) == s)
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (reads_storage(p, e->args[i], s))
            return true;
    return false;
}

static bool combines(enum ir_expr_kind k, struct dtype t)
{
    switch (k) {
    case IR_ADD:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: return true;
    case IR_AND:
    case IR_OR:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return !dtype_is_float(t);
    default: return false;
    }
}

/* A load of the very cell that is stored. */
static bool is_own_cell(struct vctx *c, struct store_info *k,
                        const struct vstore *st, const struct ir_expr *e)
{
    if (e->kind != IR_LOAD ||
        vprog_storage(k->probe->prog, e->u.buffer) != st->target)
        return false;
    const struct aff *cell[MAX_UNKNOWN];
    size_t rank = vcell_rank(st->target);
    if (rank > MAX_UNKNOWN ||
        !vcell_of(c, k->probe, st->target, e->nargs, e->args, cell))
        return false;
    for (size_t i = 0; i < rank; i++)
        if (cell[i] != k->cell[i])
            return false;
    return true;
}

/* Lets between the block's and the store: the value behind a variable. */
static const struct ir_expr *behind(const struct vinst *inst,
                                    const struct ir_expr *e)
{
    size_t where;
    while (e->kind == IR_VAR_REF) {
        const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
        if (s == NULL || s->kind != VSCOPE_LET)
            break;
        e = s->value;
    }
    return e;
}

static bool has_unordered(const struct vstore *st)
{
    for (size_t i = 0; i < st->nloops; i++)
        if (st->loops[i]->unordered)
            return true;
    return false;
}

/* Products of a tile instruction: its specification adds them by fma, in an
 * order that nobody states; they expand to their terms (R26). */
static void classify_products(struct vctx *c, struct store_info *k,
                              const struct vstore *st)
{
    const struct ir_expr *v = st->value;
    if (v->kind != IR_CALL || v->u.call.op != IR_OP_FMA || !has_unordered(st) ||
        !is_own_cell(c, k, st, v->args[2]))
        return;
    k->is_update = true;
    k->op = IR_ADD;
    k->term =
        ir_binary(k->probe->prog->scratch, IR_MUL, v->args[0], v->args[1]);
}

static void classify(struct vctx *c, struct store_info *k,
                     const struct vstore *st)
{
    const struct ir_expr *v = st->value;
    classify_products(c, k, st);
    if (!k->is_update && (v->nargs != 2 || !combines(v->kind, v->dtype)))
        return;
    for (uint32_t i = 0; i < 2 && !k->is_update; i++) {
        const struct ir_expr *other = behind(k->probe, v->args[1 - i]);
        if (!is_own_cell(c, k, st, v->args[i]) ||
            reads_storage(k->probe->prog, other, st->target))
            continue;
        k->is_update = true;
        k->op = v->kind;
        k->swapped = i == 1;
        k->term = v->args[1 - i];
        break;
    }
    if (!k->is_update)
        return;
    for (size_t i = 0; i < st->nloops; i++) {
        const struct aff *a = k->probe->loops[st->loops[i]->id];
        if (a->n != 1)
            continue;
        bool used = false;
        for (size_t d = 0; d < vcell_rank(st->target); d++)
            used |= aff_mentions(c->space, k->cell[d], a->terms[0].atom);
        const struct atom *info = aff_atom_info(c->space, a->terms[0].atom);
        if (!used && info->lo != info->hi)
            k->reduces = true;
    }
}

/* Updates that stand alone and repeat over no loop are plain stores that read
 * what was there; three or more of one kind are an unrolled reduction. */
static void settle_updates(struct store_info *all, const struct vprog *p)
{
    for (size_t i = 0; i < p->nstores; i++) {
        size_t same = 0;
        bool reduces = false;
        if (!all[i].is_update || all[i].reduces)
            continue;
        for (size_t j = 0; j < p->nstores; j++)
            if (all[j].is_update && all[j].op == all[i].op &&
                p->stores[j]->target == p->stores[i]->target) {
                same++;
                reduces |= all[j].reduces;
            }
        if (same < 3 && !p->stores[i]->atomic)
            all[i].is_update = false;
        (void)reduces;
    }
}

static struct store_info *infos(struct vctx *c, const struct vprog *p)
{
    size_t side = p == c->progs[1];
    if (c->flow == NULL)
        c->flow = dc_alloc(sizeof *c->flow);
    if (c->flow->info[side] != NULL)
        return c->flow->info[side];
    struct store_info *all = dc_alloc((p->nstores + 1) * sizeof *all);
    c->flow->info[side] = all;
    for (size_t i = 0; i < p->nstores; i++) {
        const struct vstore *st = p->stores[i];
        struct store_info *k = &all[i];
        k->probe = vinst_of_store(c, p, st);
        k->probe->probe = true;
        k->cell = ARENA_ARRAY(c->arena, vcell_rank(st->target) + 1,
                              const struct aff *);
        if (vexpr_index_list(k->probe, st->nindex, st->index) &&
            vcell_of(c, k->probe, st->target, st->nindex, st->index, k->cell)) {
            classify(c, k, st);
            k->looked = true;
        }
    }
    settle_updates(all, p);
    return all;
}

/* Domain and cell of a store's probe; data in them are read on demand. */
static const struct form *probe_dom(struct read *r, const struct vstore *st,
                                    struct store_info *k)
{
    if (!k->looked) {
        k->looked = vcell_of(r->c, k->probe, st->target, st->nindex, st->index,
                             k->cell);
        if (!k->looked)
            return NULL;
    }
    if (k->dom == NULL)
        k->dom = vinst_dom(r->c, k->probe);
    return k->dom;
}

/* ---- small helpers ---------------------------------------------------------- */

static const struct form *same_cell(struct read *r, const struct aff *const *a,
                                    const struct aff *const *b)
{
    const struct form *f = form_true(r->c->space);
    for (size_t i = 0; i < r->rank; i++)
        f = form_and2(r->c->space, f, form_eq(r->c->space, a[i], b[i]));
    return f;
}

static const struct form *before_reader(struct read *r, const struct vinst *i)
{
    if (r->reader == NULL)
        return form_true(r->c->space);
    return vtime_before(r->c, i, i->nsteps, r->reader, r->nread);
}

/* Conjuncts that ctx does not imply. */
static const struct form *remaining(struct vctx *c, const struct form *ctx,
                                    const struct form *f, const char *what)
{
    if (f->kind != FORM_AND)
        return vctx_proves(c, ctx, f, what) ? form_true(c->space) : f;
    if (vctx_proves(c, ctx, f, what))
        return form_true(c->space);
    const struct form *out = form_true(c->space);
    for (uint32_t i = 0; i < f->n; i++)
        if (!vctx_proves(c, ctx, f->args[i], what))
            out = form_and2(c->space, out, f->args[i]);
    return out;
}

/* How many steps the store shares with the reader: same places, same loops. */
static size_t common_steps(const struct read *r, const struct vstore *st)
{
    size_t n = 0;
    if (r->reader == NULL)
        return 0;
    while (n < st->nsteps && n < r->nread &&
           st->steps[n].loop == r->reader->steps[n].loop &&
           (st->steps[n].loop != NULL ||
            st->steps[n].pos == r->reader->steps[n].pos))
        n++;
    return n;
}

/* Whether the store's place comes before the reader's in one iteration of the
 * loops they share. */
static bool stands_before(const struct read *r, const struct vstore *st,
                          size_t common)
{
    if (r->reader == NULL)
        return true;
    if (common >= st->nsteps || common >= r->nread)
        return false;
    const struct vstep *a = &st->steps[common], *b = &r->reader->steps[common];
    return a->loop == NULL && b->loop == NULL && a->pos < b->pos;
}

/* Atoms of all loops of an instance that has atoms. */
static atom_id *loop_atoms(struct vctx *c, const struct vstore *st,
                           const struct vinst *inst)
{
    atom_id *out = ARENA_ARRAY(c->arena, st->nloops + 1, atom_id);
    for (size_t i = 0; i < st->nloops; i++)
        out[i] = inst->loops[st->loops[i]->id]->terms[0].atom;
    return out;
}

static void store_inverse(struct read *r, const struct vstore *st,
                          struct store_info *k)
{
    if (k->inverse.loops == NULL)
        vinverse_find(r->c, r->rank, k->cell, st->nloops,
                      loop_atoms(r->c, st, k->probe), &k->inverse);
}

/* ---- guessing an instance --------------------------------------------------- */

/* EQ0 conjuncts of a domain help to find loops that the cell leaves free
 * (init under "all reduction iterators at their minimum"). */
static size_t add_equations(const struct form *f, size_t n, size_t room,
                            const struct aff **eqs)
{
    if (f->kind == FORM_EQ0 && n < room)
        eqs[n++] = f->a;
    else if (f->kind == FORM_AND)
        for (uint32_t i = 0; i < f->n; i++)
            n = add_equations(f->args[i], n, room, eqs);
    return n;
}

struct guess {
    struct aff_map map; /* probe atoms to affs */
    size_t n;
    atom_id unknown[MAX_UNKNOWN];
    const struct aff *found[MAX_UNKNOWN];
};

static void map_set(struct vctx *c, struct aff_map *m, atom_id a,
                    const struct aff *to)
{
    if (a >= m->n) {
        size_t n = aff_natoms(c->space) + 64;
        const struct aff **now = ARENA_ARRAY(c->arena, n, const struct aff *);
        for (size_t i = 0; i < m->n; i++)
            now[i] = m->to[i];
        m->to = now;
        m->n = n;
    }
    m->to[a] = to;
}

/* Loops of an instance of st with the given atoms that the cell determines. */
static void put_inverse(struct read *r, const struct vstore *st,
                        struct store_info *k, const struct vinst *u,
                        struct aff_map *map)
{
    struct vctx *c = r->c;
    struct aff_map rename = {0};
    store_inverse(r, st, k);
    for (size_t i = 0; u != k->probe && i < k->inverse.n; i++)
        map_set(c, &rename, k->inverse.loops[i], u->loops[st->loops[i]->id]);
    for (size_t i = 0; i < k->inverse.n; i++) {
        const struct aff *to = vinverse_at(c, &k->inverse, i, r->cell);
        if (to == NULL)
            continue;
        if (rename.n > 0)
            to = vaff_subst(c, to, &rename);
        map_set(c, map, u->loops[st->loops[i]->id]->terms[0].atom, to);
    }
}

/* Loops shared with the reader, at its iteration less `back` for the innermost
 * one; levels: how many of the common steps to use. */
static void force_common(struct read *r, const struct vstore *st,
                         struct store_info *k, size_t common, int64_t back,
                         struct guess *g)
{
    size_t last = common;
    for (size_t i = 0; i < common; i++)
        if (st->steps[i].loop != NULL)
            last = i;
    for (size_t i = 0; i < common; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (l == NULL)
            continue;
        const struct aff *v = r->reader->loops[l->id];
        if (i == last && back != 0)
            v = aff_addc(r->c->space, v, -back);
        atom_id a = k->probe->loops[l->id]->terms[0].atom;
        if (a >= g->map.n || g->map.to[a] == NULL)
            map_set(r->c, &g->map, a, v);
    }
}

/* The last iteration for loops that nothing determines. */
static void leave_last(struct read *r, const struct vstore *st,
                       struct store_info *k, struct guess *g)
{
    struct vctx *c = r->c;
    for (size_t i = 0; i < st->nloops; i++) {
        atom_id a = k->probe->loops[st->loops[i]->id]->terms[0].atom;
        if (a < g->map.n && g->map.to[a] != NULL)
            continue;
        struct vinst *now = vinst_with(c, k->probe, &g->map);
        const struct aff *min = veval_index(c, now, st->loops[i]->min);
        const struct aff *ext = veval_index(c, now, st->loops[i]->extent);
        if (min != NULL && ext != NULL)
            map_set(c, &g->map, a,
                    aff_addc(c->space, aff_add(c->space, min, ext), -1));
    }
}

/* Solves cell equations (and those of guards) for the loops not yet known;
 * composes: a solution may hold loops that are found later. */
static void solve_rest(struct read *r, const struct vstore *st,
                       struct store_info *k, struct guess *g, bool guards)
{
    struct vctx *c = r->c;
    const struct aff *eqs[2 * MAX_UNKNOWN];
    size_t neqs = 0;
    for (size_t i = 0; i < r->rank && neqs < MAX_UNKNOWN; i++)
        eqs[neqs++] =
            aff_sub(c->space, vaff_subst(c, k->cell[i], &g->map), r->cell[i]);
    if (guards)
        neqs = add_equations(vform_subst(c, k->dom, &g->map), neqs,
                             2 * MAX_UNKNOWN, eqs);
    g->n = 0;
    for (size_t i = 0; i < st->nloops && g->n < MAX_UNKNOWN; i++) {
        atom_id a = k->probe->loops[st->loops[i]->id]->terms[0].atom;
        if (a >= g->map.n || g->map.to[a] == NULL)
            g->unknown[g->n++] = a;
    }
    (void)aff_solve(c->space, neqs, eqs, g->n, g->unknown, g->found);
}

/* Takes over what solve_rest found; solutions that hold free unknowns are
 * completed once those are known. */
static void take_found(struct read *r, struct guess *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->found[i] != NULL)
            map_set(r->c, &g->map, g->unknown[i], g->found[i]);
}

/* Puts the loops found into one another until none of the instance's own
 * variables is left that is itself determined. False: they go in circles. */
static bool complete(struct read *r, const struct vstore *st,
                     const struct vinst *inst, struct guess *g)
{
    const struct aff_map *m = &g->map;
    for (unsigned round = 0; round < 4; round++) {
        bool closed = true;
        for (size_t i = 0; i < st->nloops; i++) {
            atom_id a = inst->loops[st->loops[i]->id]->terms[0].atom;
            if (a >= m->n || m->to[a] == NULL)
                continue;
            const struct aff *now = vaff_subst(r->c, m->to[a], m);
            closed = closed && now == m->to[a];
            m->to[a] = now;
        }
        if (closed)
            return true;
    }
    return false;
}

static struct vinst *guess_plain(struct read *r, const struct vstore *st,
                                 struct store_info *k, size_t common,
                                 int64_t back)
{
    struct guess g = {{0}, 0, {0}, {0}};
    put_inverse(r, st, k, k->probe, &g.map);
    if (common > 0)
        force_common(r, st, k, common, back, &g);
    solve_rest(r, st, k, &g, true);
    take_found(r, &g);
    leave_last(r, st, k, &g);
    /* nothing of the probe may be left: its variables stand for any instance */
    if (!complete(r, st, k->probe, &g))
        return NULL;
    struct vinst *out = vinst_with(r->c, k->probe, &g.map);
    for (size_t i = 0; i < st->nloops; i++)
        for (size_t j = 0; j < st->nloops; j++)
            if (aff_mentions(r->c->space, out->loops[st->loops[i]->id],
                             k->probe->loops[st->loops[j]->id]->terms[0].atom))
                return NULL;
    out->probe = false;
    return out;
}

/* ---- the last plain store --------------------------------------------------- */

/* Instances of a plain store that come after g (NULL: any), before the reader,
 * and write the cell. Loops that the cell determines are put in. NULL: not
 * understood. */
static const struct form *stores_between(struct read *r,
                                         const struct vstore *st,
                                         struct store_info *k,
                                         const struct vinst *g)
{
    struct vctx *c = r->c;
    if (probe_dom(r, st, k) == NULL)
        return NULL;
    struct aff_map map = {0};
    put_inverse(r, st, k, k->probe, &map);
    struct vinst *at = vinst_with(c, k->probe, &map);
    const struct aff *cell[MAX_UNKNOWN];
    at->ctx = k->probe->ctx;
    const struct form *in = vinst_dom(c, at);
    if (in == NULL || !vcell_of(c, at, r->s, st->nindex, st->index, cell))
        return NULL;
    in = form_and2(c->space, in, same_cell(r, cell, r->cell));
    in = form_and2(c->space, in, before_reader(r, at));
    if (g != NULL)
        in = form_and2(c->space, in,
                       vtime_before(c, g, g->nsteps, at, at->nsteps));
    return in;
}

/* No plain store to the cell between g and the reader. */
static bool nothing_between(struct read *r, const struct vinst *g,
                            const struct form *ctx)
{
    struct store_info *all = infos(r->c, r->prog);
    for (size_t i = 0; i < r->prog->nstores; i++) {
        const struct vstore *st = r->prog->stores[i];
        struct store_info *k = &all[st->id];
        if (st->target != r->s || k->is_update)
            continue;
        const struct form *in = stores_between(r, st, k, g);
        if (in == NULL ||
            !vctx_unsat(r->c, form_and2(r->c->space, ctx, in),
                        g != NULL ? "no store in between" : "no store before"))
            return false;
    }
    return true;
}

static const struct value *collect(struct read *r, const struct form *ctx,
                                   const struct vstore *st, struct vinst *w0);

/* Tries one guess; NULL with *tried false when it does not hold. */
static const struct value *try_guess(struct read *r, const struct vstore *st,
                                     struct vinst *g, const struct form *ctx,
                                     bool *used)
{
    struct vctx *c = r->c;
    const struct aff *cell[MAX_UNKNOWN];
    if (g == NULL)
        return NULL;
    g->ctx = ctx;
    const struct form *dom = vinst_dom(c, g);
    if (dom == NULL || dom->kind == FORM_FALSE ||
        !vcell_of(c, g, r->s, st->nindex, st->index, cell))
        return NULL;
    const struct form *runs = form_and2(
        c->space,
        form_and2(c->space, same_cell(r, cell, r->cell), before_reader(r, g)),
        dom);
    runs = remaining(c, ctx, runs, "the last store runs");
    if (runs->kind == FORM_FALSE)
        return NULL;
    const struct form *here = form_and2(c->space, ctx, runs);
    if (runs->kind != FORM_TRUE && vctx_unsat(c, here, "guess"))
        return NULL;
    if (!nothing_between(r, g, here))
        return NULL;
    *used = true;
    const struct value *v = collect(r, here, st, g);
    if (v == NULL || runs->kind == FORM_TRUE)
        return v;
    if (++r->splits > MAX_SPLITS)
        return vctx_fail(c, "too many cases for what '%s' holds",
                         r->s->buffer->name);
    const struct form *else_ =
        form_and2(c->space, ctx, form_not(c->space, runs));
    const struct value *w = read_piece(r, else_);
    return w == NULL ? NULL : value_ite(c, runs, v, w);
}

static const struct value *try_store(struct read *r, const struct vstore *st,
                                     const struct form *ctx, bool *used)
{
    struct store_info *k = &infos(r->c, r->prog)[st->id];
    if (probe_dom(r, st, k) == NULL)
        return NULL;
    size_t common = common_steps(r, st);
    bool loops = false;
    for (size_t i = 0; i < common; i++)
        loops |= st->steps[i].loop != NULL;
    const struct value *v = NULL;
    if (stands_before(r, st, common)) {
        v = try_guess(r, st, guess_plain(r, st, k, common, 0), ctx, used);
        if (*used)
            return v;
    }
    if (loops) {
        for (int64_t back = 1; back <= 3 && !*used; back++)
            v = try_guess(r, st, guess_plain(r, st, k, common, back), ctx,
                          used);
        if (!*used)
            v = try_guess(r, st, guess_plain(r, st, k, 0, 0), ctx, used);
    }
    return v;
}

/* Latest first: longest common nest, standing before the reader, last. */
static size_t order_candidates(struct read *r, const struct vstore **out,
                               size_t room)
{
    struct store_info *all = infos(r->c, r->prog);
    size_t n = 0;
    for (size_t i = r->prog->nstores; i-- > 0 && n < room;) {
        const struct vstore *st = r->prog->stores[i];
        if (st->target == r->s && !all[st->id].is_update)
            out[n++] = st;
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0; j--) {
            size_t a = common_steps(r, out[j - 1]), b = common_steps(r, out[j]);
            bool ab = stands_before(r, out[j - 1], a),
                 bb = stands_before(r, out[j], b);
            if (b < a || (a == b && bb <= ab))
                break;
            const struct vstore *t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    return n;
}

/* What the cell holds before the program stores to it. */
static const struct value *initial(struct read *r)
{
    if (r->s->constant != NULL)
        return vctx_fail(r->c, "constant storage '%s'", r->s->buffer->name);
    if (r->s->param < 0)
        return value_undef(r->c, r->s->buffer->dtype);
    struct value v = {
        .kind = VALUE_INPUT,
        .dtype = r->s->buffer->dtype,
        .param = r->s->param,
        .nindex = r->rank,
        .index = ARENA_ARRAY(r->c->arena, r->rank + 1, const struct aff *)};
    for (size_t i = 0; i < r->rank; i++)
        v.index[i] = r->cell[i];
    return value_make(r->c, &v);
}

static const struct value *read_piece(struct read *r, const struct form *ctx)
{
    const struct vstore *candidates[256];
    size_t n = order_candidates(r, candidates, DC_ARRAY_LEN(candidates));
    if (n == DC_ARRAY_LEN(candidates))
        return vctx_fail(r->c, "too many stores to '%s'", r->s->buffer->name);
    if (r->c->depth > MAX_DEPTH)
        return vctx_fail(r->c,
                         "values of '%s' depend on one another in a "
                         "recurrence or too deeply",
                         r->s->buffer->name);
    for (size_t i = 0; i < n; i++) {
        bool used = false;
        const struct value *v = try_store(r, candidates[i], ctx, &used);
        if (used)
            return v;
    }
    if (n == 0 || nothing_between(r, NULL, ctx))
        return collect(r, ctx, NULL, NULL);
    return vctx_fail(r->c, "which store '%s' is read from was not found",
                     r->s->buffer->name);
}

/* ---- updates since ---------------------------------------------------------- */

static const struct value *stored_value(struct read *r, const struct vstore *st,
                                        struct vinst *w, const struct form *ctx,
                                        const struct ir_expr *e)
{
    struct vinst reading = *w;
    struct store_info *k = &infos(r->c, r->prog)[st->id];
    if (k->active >= MAX_NESTED)
        return vctx_fail(r->c, "'%s' is computed by a recurrence",
                         r->s->buffer->name);
    reading.nsteps = st->read_steps;
    reading.dom = NULL;
    r->c->depth++;
    k->active++;
    const struct value *v = veval_value(r->c, &reading, e, ctx);
    k->active--;
    r->c->depth--;
    return v;
}

/* All conditions on an instance u of an update, as far as it has been told
 * apart. */
static const struct form *update_dom(struct read *r, const struct vstore *st,
                                     struct vinst *u, struct vinst *w0)
{
    struct vctx *c = r->c;
    const struct aff *cell[MAX_UNKNOWN];
    const struct form *dom = vinst_dom(c, u);
    if (dom == NULL || !vcell_of(c, u, r->s, st->nindex, st->index, cell))
        return NULL;
    const struct form *f =
        form_and2(c->space, dom, same_cell(r, cell, r->cell));
    f = form_and2(c->space, f, before_reader(r, u));
    if (w0 != NULL)
        f = form_and2(c->space, f,
                      vtime_before(c, w0, w0->nsteps, u, u->nsteps));
    return f;
}

/* Loops around the update, the plain store and the reader alike, at which the
 * latter two are in one iteration: so is the update, being between them. */
static void force_between(struct read *r, const struct vstore *st,
                          const struct vinst *u, const struct vinst *w0,
                          struct guess *g)
{
    if (w0 == NULL || r->reader == NULL)
        return;
    size_t common = common_steps(r, st);
    for (size_t i = 0; i < common && i < w0->nsteps; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (w0->steps[i].loop != l)
            return;
        if (l == NULL) {
            if (w0->steps[i].pos != st->steps[i].pos)
                return;
            continue;
        }
        if (w0->loops[l->id] != r->reader->loops[l->id])
            return;
        atom_id a = u->loops[l->id]->terms[0].atom;
        if (a >= g->map.n || g->map.to[a] == NULL)
            map_set(r->c, &g->map, a, w0->loops[l->id]);
    }
}

/* Whether the cell is updated at all; asked of the probe, so that most of many
 * unrolled updates cost little. */
static bool has_terms(struct read *r, const struct vstore *st,
                      struct store_info *k, const struct form *ctx,
                      struct vinst *w0)
{
    struct vctx *c = r->c;
    struct aff_map map = {0};
    if (probe_dom(r, st, k) == NULL)
        return true;
    put_inverse(r, st, k, k->probe, &map);
    struct vinst *u = vinst_with(c, k->probe, &map);
    u->ctx = ctx;
    const struct form *where = update_dom(r, st, u, w0);
    return where == NULL ||
           !vctx_unsat(c, form_and2(c->space, ctx, where), "no such term");
}

/* Finds more loops of u, by what stands around it and by guesses, and proves
 * that no other instance qualifies; all: what holds of those that do. False: g
 * is left as it was. */
static bool narrow(struct read *r, const struct vstore *st, struct vinst *u,
                   struct vinst *w0, const struct form *ctx,
                   const struct form *all, struct guess *g)
{
    struct vctx *c = r->c;
    struct store_info k = {.probe = u};
    const struct aff *cell[MAX_UNKNOWN];
    struct guess before = *g;
    if (!vcell_of(c, u, r->s, st->nindex, st->index, cell))
        return false;
    before.map.to = ARENA_ARRAY(c->arena, g->map.n + 1, const struct aff *);
    for (size_t i = 0; i < g->map.n; i++)
        before.map.to[i] = g->map.to[i];
    k.cell = cell;
    k.dom = form_true(c->space);
    force_between(r, st, u, w0, g);
    solve_rest(r, st, &k, g, false);
    take_found(r, g);
    if (!complete(r, st, u, g)) {
        *g = before;
        return false;
    }
    const struct form *unique = form_true(c->space);
    for (size_t a = 0; a < g->map.n; a++)
        if (g->map.to[a] != NULL &&
            (a >= before.map.n || before.map.to[a] == NULL))
            unique =
                form_and2(c->space, unique,
                          form_eq(c->space, aff_of_atom(c->space, (atom_id)a),
                                  g->map.to[a]));
    if (vctx_proves(c, form_and2(c->space, ctx, all), unique,
                    "the cell determines these loops"))
        return true;
    *g = before;
    return false;
}

static void set_time(struct vctx *c, struct value_part *p,
                     const struct vinst *u, bool atomic)
{
    const struct aff **time =
        ARENA_ARRAY(c->arena, u->nsteps + 1, const struct aff *);
    p->ntime = u->nsteps;
    for (size_t i = 0; i < u->nsteps; i++) {
        const struct vloop *l = u->steps[i].loop;
        time[i] =
            l != NULL ? u->loops[l->id] : aff_const(c->space, u->steps[i].pos);
        if (i < 64 && l != NULL && (l->unordered || atomic))
            p->unordered |= (uint64_t)1 << i;
    }
    if (atomic)
        p->unordered |= 1;
    p->time = time;
}

static void set_binders(struct vctx *c, struct value_part *p,
                        const struct vstore *st, const struct vinst *fresh,
                        const struct guess *g)
{
    p->binders = ARENA_ARRAY(c->arena, st->nloops + 1, atom_id);
    for (size_t i = 0; i < st->nsteps; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (l == NULL)
            continue;
        atom_id a = fresh->loops[l->id]->terms[0].atom;
        if (a < g->map.n && g->map.to[a] != NULL)
            continue;
        p->binders[p->nbinders++] = a;
    }
}

/* One update statement's terms. False on failure; *any tells if there are. */
static bool make_part(struct read *r, const struct vstore *st,
                      struct store_info *k, const struct form *ctx,
                      struct vinst *w0, struct value_part *p, bool *any)
{
    struct vctx *c = r->c;
    *any = has_terms(r, st, k, ctx, w0);
    if (!*any)
        return true;
    struct vinst *fresh = vinst_of_store(c, r->prog, st);
    struct guess g = {{0}, 0, {0}, {0}};
    fresh->ctx = ctx;
    put_inverse(r, st, k, fresh, &g.map);
    if (!complete(r, st, fresh, &g))
        memset(&g, 0, sizeof g);
    struct vinst *u = vinst_with(c, fresh, &g.map);
    u->ctx = ctx;
    const struct form *where = update_dom(r, st, u, w0);
    if (where == NULL)
        return false;
    if (narrow(r, st, fresh, w0, ctx, where, &g)) {
        u = vinst_with(c, fresh, &g.map);
        u->ctx = ctx;
        where = update_dom(r, st, u, w0);
        if (where == NULL)
            return false;
    }
    p->where = remaining(c, ctx, where, "the domain of terms");
    const struct form *here = form_and2(c->space, ctx, p->where);
    p->leaf = stored_value(r, st, u, here, k->term);
    if (p->leaf == NULL)
        return false;
    set_time(c, p, u, st->atomic);
    set_binders(c, p, st, fresh, &g);
    return true;
}

/* The value of plain store st at w0 (NULL: what was there at the start) with
 * the updates since then. */
static const struct value *collect(struct read *r, const struct form *ctx,
                                   const struct vstore *st, struct vinst *w0)
{
    struct vctx *c = r->c;
    struct store_info *all = infos(c, r->prog);
    struct value_part *parts = NULL;
    struct value v = {.kind = VALUE_REDUCE, .dtype = r->s->buffer->dtype};
    for (size_t i = 0; i < r->prog->nstores; i++) {
        const struct vstore *u = r->prog->stores[i];
        struct store_info *k = &all[u->id];
        if (u->target != r->s || !k->is_update)
            continue;
        struct value_part p = {0};
        bool any = false;
        if (!make_part(r, u, k, ctx, w0, &p, &any))
            return NULL;
        if (!any)
            continue;
        if (v.nparts > 0 && (v.op != k->op || v.swapped != k->swapped))
            return vctx_fail(c, "'%s' is updated by two operators in turn",
                             r->s->buffer->name);
        if (v.nparts >= MAX_TERMS)
            return vctx_fail(c, "too many updates of '%s'", r->s->buffer->name);
        if (parts == NULL)
            parts = ARENA_ARRAY(c->arena, r->prog->nstores, struct value_part);
        v.op = k->op;
        v.swapped = k->swapped;
        parts[v.nparts++] = p;
    }
    const struct value *base =
        st != NULL ? stored_value(r, st, w0, ctx, st->value) : initial(r);
    if (base == NULL || v.nparts == 0)
        return base;
    v.nargs = 1;
    v.args = &base;
    v.parts = parts;
    return value_make(c, &v);
}

/* ---- entry ------------------------------------------------------------------ */

static bool memo_fits(const struct memo *m, const struct read *r,
                      const struct form *ctx)
{
    if (m->s != r->s || m->ctx != ctx || m->nread != r->nread ||
        m->steps != (r->reader != NULL ? r->reader->steps : NULL))
        return false;
    for (size_t i = 0; i < r->rank; i++)
        if (m->cell[i] != r->cell[i])
            return false;
    for (size_t i = 0; i < r->nread; i++) {
        const struct vloop *l = m->steps[i].loop;
        if (l != NULL && m->loops[l->id] != r->reader->loops[l->id])
            return false;
    }
    return true;
}

static const struct value *read_memo(struct read *r, const struct form *ctx)
{
    (void)infos(r->c, r->prog);
    struct flow_state *f = r->c->flow;
    for (size_t i = 0; i < f->memos.len; i++)
        if (memo_fits(&f->memos.items[i], r, ctx))
            return f->memos.items[i].value;
    r->c->depth++;
    const struct value *v = read_piece(r, ctx);
    r->c->depth--;
    if (v != NULL) {
        struct memo m = {
            r->s,
            ARENA_ARRAY(r->c->arena, r->rank + 1, const struct aff *),
            r->reader != NULL ? r->reader->steps : NULL,
            r->nread,
            r->reader != NULL ? r->reader->loops : NULL,
            ctx,
            v};
        for (size_t i = 0; i < r->rank; i++)
            m.cell[i] = r->cell[i];
        vec_push(&r->c->flow->memos, m);
    }
    return v;
}

const struct value *vflow_read(struct vctx *c, const struct vstorage *s,
                               const struct aff *const *cell,
                               struct vinst *reader, size_t nread,
                               const struct form *ctx)
{
    struct read r = {c, reader->prog, s, cell, vcell_rank(s), reader, nread, 0};
    if (r.rank > MAX_UNKNOWN)
        return vctx_fail(c, "'%s' has too many dimensions", s->buffer->name);
    if (reader->probe && s->written)
        return vctx_fail(c,
                         "whether a store happens depends on '%s', which the "
                         "program computes",
                         s->buffer->name);
    return read_memo(&r, ctx);
}

const struct value *vflow_final(struct vctx *c, const struct vprog *p,
                                const struct vstorage *s,
                                const struct aff *const *cell,
                                const struct form *ctx)
{
    struct read r = {c, p, s, cell, vcell_rank(s), NULL, 0, 0};
    if (r.rank > MAX_UNKNOWN)
        return vctx_fail(c, "'%s' has too many dimensions", s->buffer->name);
    return read_memo(&r, ctx);
}
