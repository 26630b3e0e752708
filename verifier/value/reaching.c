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
#include "verifier/value/reaching.h"

#include "verifier/smt/obligation.h"

#include <string.h>

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
    if (reaching_probe_dom(r, st, k) == NULL)
        return NULL;
    struct aff_map map = {0};
    reaching_put_inverse(r, st, k, k->probe, &map);
    struct vinst *at = vinst_with(c, k->probe, &map);
    const struct aff *cell[MAX_UNKNOWN];
    at->ctx = k->probe->ctx;
    const struct form *in = vinst_dom(c, at);
    if (in == NULL || !vcell_of(c, at, r->s, st->nindex, st->index, cell))
        return NULL;
    in = form_and2(c->space, in, reaching_same_cell(r, cell, r->cell));
    in = form_and2(c->space, in, reaching_before_reader(r, at));
    if (g != NULL)
        in = form_and2(c->space, in,
                       vtime_before(c, g, g->nsteps, at, at->nsteps));
    return in;
}

/* No plain store to the cell between g and the reader. */
static bool nothing_between(struct read *r, const struct vinst *g,
                            const struct form *ctx)
{
    struct store_info *all = reaching_infos(r->c, r->prog);
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

/* Tries one guess; NULL with *used false when it does not hold, *never if it
 * cannot where less is left of the context. */
static const struct value *try_guess(struct read *r, const struct vstore *st,
                                     struct vinst *g, const struct form *ctx,
                                     bool *used, bool *never)
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
    const struct form *runs =
        form_and2(c->space,
                  form_and2(c->space,
                            OBLIGED_FORM(c, "the last store's cell",
                                         reaching_same_cell(r, cell, r->cell)),
                            OBLIGED_FORM(c, "the last store comes before",
                                         reaching_before_reader(r, g))),
                  OBLIGED_FORM(c, "the last store's condition", dom));
    const struct form *all = runs;
    runs = reaching_remaining(c, ctx, runs, "the last store runs");
    const struct form *here = form_and2(c->space, ctx, runs);
    *never = runs->kind == FORM_FALSE ||
             (runs->kind != FORM_TRUE && vctx_unsat(c, here, "guess"));
    if (*never)
        return NULL;
    if (!nothing_between(r, g, here))
        return NULL;
    *used = true;
    const struct value *v = reaching_collect(r, here, st, g);
    if (v != NULL && (r->splits > 0 || runs->kind != FORM_TRUE))
        v = reaching_under(c, v, all);
    if (v == NULL || runs->kind == FORM_TRUE)
        return v;
    if (++r->splits > MAX_SPLITS)
        return vctx_fail(c, "too many cases for what '%s' holds",
                         r->s->buffer->name);
    const struct form *else_ =
        form_and2(c->space, ctx, form_not(c->space, runs));
    const struct value *w = read_piece(r, else_);
    if (w != NULL && reaching_same(c, v, w))
        return v;
    return w == NULL ? NULL : value_ite(c, runs, v, w);
}

/* A guess by its number: how it is made. */
enum { GUESS_HERE, GUESS_BACK, GUESS_FREE = GUESS_BACK + 3, NGUESSES };

static const struct value *try_number(struct read *r, const struct vstore *st,
                                      size_t common, unsigned number,
                                      const struct form *ctx, bool *used)
{
    struct store_info *k = &reaching_infos(r->c, r->prog)[st->id];
    uint8_t bit = (uint8_t)(1u << number);
    if ((r->spent[st->id] & bit) != 0)
        return NULL;
    struct vinst *g =
        number == GUESS_FREE
            ? reaching_guess(r, st, k, 0, 0, 0)
            : reaching_guess(
                  r, st, k, common,
                  number == GUESS_HERE ? 0 : (int64_t)number - GUESS_BACK + 1,
                  0);
    /* of what is left when it is used, it has no part */
    r->spent[st->id] |= bit;
    bool never = false;
    const struct value *v = try_guess(r, st, g, ctx, used, &never);
    if (!*used && !never)
        r->spent[st->id] &= (uint8_t)~bit;
    return v;
}

static const struct value *try_store(struct read *r, const struct vstore *st,
                                     const struct form *ctx, bool *used)
{
    struct store_info *k = &reaching_infos(r->c, r->prog)[st->id];
    if (reaching_probe_dom(r, st, k) == NULL)
        return NULL;
    if (r->spent == NULL)
        r->spent = ARENA_ARRAY(r->c->arena, r->prog->nstores + 1, uint8_t);
    size_t common = reaching_common_steps(r, st);
    bool loops = false;
    for (size_t i = 0; i < common; i++)
        loops |= st->steps[i].loop != NULL;
    const struct value *v = NULL;
    if (reaching_stands_before(r, st, common))
        v = try_number(r, st, common, GUESS_HERE, ctx, used);
    for (unsigned i = GUESS_BACK; loops && !*used && i < NGUESSES; i++)
        v = try_number(r, st, common, i, ctx, used);
    for (int64_t skip = 1; skip < MAX_RING && !*used; skip++) {
        struct vinst *g = reaching_guess(r, st, k, common, 0, skip);
        bool never;
        if (g == NULL)
            break;
        v = try_guess(r, st, g, ctx, used, &never);
    }
    return v;
}

/* A guess that stands for all of ctx. */
static bool holds(struct read *r, const struct vstore *st, struct vinst *g,
                  const struct form *ctx)
{
    struct vctx *c = r->c;
    const struct aff *cell[MAX_UNKNOWN];
    if (g == NULL)
        return false;
    g->ctx = ctx;
    const struct form *dom = vinst_dom(c, g);
    if (dom == NULL || !vcell_of(c, g, r->s, st->nindex, st->index, cell))
        return false;
    const struct form *runs =
        form_and2(c->space,
                  form_and2(c->space, reaching_same_cell(r, cell, r->cell),
                            reaching_before_reader(r, g)),
                  dom);
    return vctx_proves(c, ctx, runs, "the last store runs") &&
           nothing_between(r, g, ctx);
}

static struct vinst *last_of(struct read *r, const struct vstore *st,
                             const struct form *ctx)
{
    struct store_info *k = &reaching_infos(r->c, r->prog)[st->id];
    if (reaching_probe_dom(r, st, k) == NULL)
        return NULL;
    size_t common = reaching_common_steps(r, st);
    struct vinst *g = NULL;
    if (reaching_stands_before(r, st, common)) {
        g = reaching_guess(r, st, k, common, 0, 0);
        if (holds(r, st, g, ctx))
            return g;
    }
    for (int64_t back = 1; back <= 2; back++) {
        g = reaching_guess(r, st, k, back == 1 ? common : 0, 2 - back, 0);
        if (holds(r, st, g, ctx))
            return g;
    }
    return NULL;
}

/* Latest first: longest common nest, standing before the reader, last. */
static size_t order_candidates(struct read *r, const struct vstore **out,
                               size_t room)
{
    struct store_info *all = reaching_infos(r->c, r->prog);
    size_t n = 0;
    for (size_t i = r->prog->nstores; i-- > 0 && n < room;) {
        const struct vstore *st = r->prog->stores[i];
        if (st->target == r->s && !all[st->id].is_update)
            out[n++] = st;
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0; j--) {
            size_t a = reaching_common_steps(r, out[j - 1]),
                   b = reaching_common_steps(r, out[j]);
            bool ab = reaching_stands_before(r, out[j - 1], a),
                 bb = reaching_stands_before(r, out[j], b);
            if (b < a || (a == b && bb <= ab))
                break;
            const struct vstore *t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    return n;
}

bool reaching_last(struct read *r, const struct form *ctx,
                   const struct vstore **st, struct vinst **w)
{
    const struct vstore *candidates[256];
    size_t n = order_candidates(r, candidates, DC_ARRAY_LEN(candidates));
    *st = NULL;
    *w = NULL;
    for (size_t i = 0; i < n && n < DC_ARRAY_LEN(candidates); i++) {
        *w = last_of(r, candidates[i], ctx);
        if (*w != NULL) {
            *st = candidates[i];
            return true;
        }
    }
    return n < DC_ARRAY_LEN(candidates) &&
           (n == 0 || nothing_between(r, NULL, ctx));
}

/* What the cell holds before the program stores to it. */
const struct value *reaching_initial(struct read *r)
{
    if (r->s->constant != NULL)
        return vctx_fail(r->c, "constant storage '%s'", r->s->buffer->name);
    if (r->s->param < 0 || r->s->fresh)
        r->c->unset = r->s;
    if (r->s->param < 0 || r->s->fresh)
        return value_undef(r->c, r->s->buffer->dtype);
    struct value v = {
        .kind = VALUE_INPUT,
        .dtype = r->s->buffer->dtype,
        .param = r->s->param,
        .nindex = r->rank,
        .index = ARENA_ARRAY(r->c->arena, r->rank + 1, const struct aff *)};
    if (r->c->params != NULL && r->prog == r->c->progs[1])
        v.bits = r->c->params[r->s->param].differs;
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
    const struct vstore *st = NULL;
    struct vinst *w = NULL;
    /* a state begins in one place, as a rule */
    if (reaching_system(r->c, r->prog, r->s) != NULL &&
        reaching_last(r, ctx, &st, &w))
        return reaching_collect(r, ctx, st, w);
    for (size_t i = 0; i < n; i++) {
        bool used = false;
        const struct value *v = try_store(r, candidates[i], ctx, &used);
        if (used)
            return v;
    }
    if (n == 0 || nothing_between(r, NULL, ctx))
        return reaching_collect(r, ctx, NULL, NULL);
    const struct value *any = reaching_any(r, ctx, n, candidates);
    if (any != NULL)
        return any;
    return vctx_fail(r->c, "which store '%s' is read from was not found",
                     r->s->buffer->name);
}

/* ---- entry ------------------------------------------------------------------ */

static bool has_conjunct(const struct form *f, const struct form *part)
{
    for (uint32_t i = 0; f->kind == FORM_AND && i < f->n; i++)
        if (f->args[i] == part)
            return true;
    return f == part;
}

/* ctx says what the memo's context says, word for word. A fold is kept for all
 * such: it is long to find, and its condition may be what ctx adds. */
static bool under(const struct memo *m, const struct form *ctx)
{
    if (m->ctx == ctx)
        return true;
    if (m->value->kind != VALUE_FOLD)
        return false;
    if (m->ctx->kind != FORM_AND)
        return m->ctx->kind == FORM_TRUE || has_conjunct(ctx, m->ctx);
    for (uint32_t i = 0; i < m->ctx->n; i++)
        if (!has_conjunct(ctx, m->ctx->args[i]))
            return false;
    return true;
}

static bool memo_fits(const struct memo *m, const struct read *r,
                      const struct form *ctx)
{
    if (m->s != r->s || m->nread != r->nread ||
        m->steps != (r->reader != NULL ? r->reader->steps : NULL) ||
        !under(m, ctx))
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

static void remember(struct read *r, const struct vstorage *s,
                     const struct form *ctx, const struct value *v)
{
    struct memo m = {s,
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

/* All components of the state that v is one of. */
static void remember_state(struct read *r, const struct form *ctx,
                           const struct value *v)
{
    const struct step_system *s = reaching_system(r->c, r->prog, r->s);
    for (size_t i = 0; s != NULL && i < s->n; i++) {
        struct value part = *v;
        part.param = (int)i;
        part.dtype = s->parts[i]->buffer->dtype;
        remember(r, s->parts[i], ctx, value_make(r->c, &part));
    }
}

static const struct value *read_memo(struct read *r, const struct form *ctx)
{
    (void)reaching_infos(r->c, r->prog);
    if (vctx_spent(r->c))
        return NULL;
    struct flow_state *f = r->c->flow;
    for (size_t i = 0; i < f->memos.len; i++)
        if (memo_fits(&f->memos.items[i], r, ctx))
            return f->memos.items[i].value;
    r->c->depth++;
    const struct value *v = read_piece(r, ctx);
    r->c->depth--;
    if (v != NULL && v->kind == VALUE_FOLD)
        remember_state(r, ctx, v);
    else if (v != NULL)
        remember(r, r->s, ctx, v);
    return v;
}

const struct value *vflow_read(struct vctx *c, const struct vstorage *s,
                               const struct aff *const *cell,
                               struct vinst *reader, size_t nread,
                               const struct form *ctx)
{
    struct read r = {c,      reader->prog, s, cell, vcell_rank(s),
                     reader, nread,        0, NULL};
    if (r.rank > MAX_UNKNOWN)
        return vctx_fail(c, "'%s' has too many dimensions", s->buffer->name);
    if (!OBLIGED(c->smt, "a store's condition is not computed",
                 !reader->probe || !s->written))
        return vctx_fail(c,
                         "whether a store happens depends on '%s', which the "
                         "program computes",
                         s->buffer->name);
    struct flow_state *f = c->flow;
    if (f == NULL || f->step == NULL)
        return read_memo(&r, ctx);
    bool own = false;
    const struct value *v = reaching_own(c, s, cell, reader, nread, &own);
    if (own)
        return v;
    /* elsewhere, holes would be those of another fold */
    for (size_t i = 0; i < r.rank; i++)
        if (!OBLIGED(c->smt, "no address is of a state",
                     !vaff_has_hole(c, cell[i])))
            return vctx_fail(c,
                             "an address of '%s' depends on the state of a "
                             "recurrence",
                             s->buffer->name);
    struct step *step = f->step;
    f->step = NULL;
    v = read_memo(&r, vform_without_holes(c, ctx));
    f->step = step;
    return v;
}

const struct value *vflow_final(struct vctx *c, const struct vprog *p,
                                const struct vstorage *s,
                                const struct aff *const *cell,
                                const struct form *ctx)
{
    struct read r = {c, p, s, cell, vcell_rank(s), NULL, 0, 0, NULL};
    if (r.rank > MAX_UNKNOWN)
        return vctx_fail(c, "'%s' has too many dimensions", s->buffer->name);
    return read_memo(&r, ctx);
}
