/* SPDX-License-Identifier: Apache-2.0
 *
 * Safety of a program, statement by statement: each scope's expressions once,
 * however many statements stand below it, then indices and values, assertions,
 * and at last what concerns pairs: races and barriers.
 */
#include "verifier/compare/facts.h"
#include "verifier/safety/safety_private.h"
#include "verifier/smt/obligation.h"

#include <string.h>

const char *vsafety_kind_name(enum vsafety_kind kind)
{
    switch (kind) {
    case VSAFETY_NONE: break;
    case VSAFETY_BOUNDS: return "out of bounds";
    case VSAFETY_DIVISION: return "division by zero";
    case VSAFETY_OVERFLOW: return "index overflow";
    case VSAFETY_ASSERT: return "failed assertion";
    case VSAFETY_RACE: return "race";
    case VSAFETY_DIVERGENCE: return "barrier divergence";
    case VSAFETY_UNDEFINED: return "undefined value";
    }
    return "not understood";
}

/* ---- outcomes ---------------------------------------------------------------- */

bool safety_fail(struct safety *s, enum vsafety_kind kind,
                 const struct place *pl, const char *fmt, ...)
{
    struct vsafety *out = s->out;
    struct buf text = {0}, where = {0};
    va_list args;
    if (s->trying > 0)
        s->try_failed = true;
    if (s->trying > 0 || out->reason != NULL)
        return false;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    if (pl->name != NULL)
        buf_printf(&text, " in '%s'", pl->name);
    struct diag_loc loc = ir_loc(s->p->module, pl->pos, &where);
    if (loc.line > 0)
        buf_printf(&text, " (line %u)", loc.line);
    out->reason = arena_strdup(s->c->arena, buf_text(&text));
    out->kind = kind;
    out->pos = pl->pos;
    buf_fini(&text);
    buf_fini(&where);
    return false;
}

bool safety_failed(const struct safety *s)
{
    return s->out->reason != NULL || s->try_failed;
}

static const struct aff *symbol_aff(struct safety *s, size_t i)
{
    struct vinst *root = vinst_fresh(s->c, s->p, 0, NULL, 0, NULL);
    return veval_index(s->c, root,
                       ir_var_ref(s->p->scratch, s->p->symbols[i].var));
}

void safety_candidate(struct safety *s, const struct vstorage *storage,
                      size_t nindex, const struct aff *const *index)
{
    struct vsafety *out = s->out;
    if (out->candidate || out->reason != NULL || s->trying > 0)
        return;
    out->candidate = true;
    out->storage = storage;
    out->nindex = nindex;
    out->index = ARENA_ARRAY(s->c->arena, nindex + 1, int64_t);
    for (size_t i = 0; i < nindex; i++)
        out->index[i] = smt_model_aff(s->c->smt, index[i]);
    out->nsizes = s->p->nsymbols;
    out->sizes = ARENA_ARRAY(s->c->arena, out->nsizes + 1, int64_t);
    for (size_t i = 0; i < out->nsizes; i++) {
        const struct aff *a = symbol_aff(s, i);
        if (a != NULL)
            out->sizes[i] = smt_model_aff(s->c->smt, a);
    }
}

/* ---- sizes ------------------------------------------------------------------- */

/* No size above 2^30, and no parameter whose size is symbolic with more
 * elements. What is given as a number is not assumed to be another one. */
static const struct form *assume_sizes(struct vctx *c, const struct vprog *p)
{
    struct aff_space *sp = c->space;
    const struct form *all = form_true(sp);
    const struct aff *most = aff_const(sp, VSAFETY_MAX_ELEMENTS);
    if (p->nsymbols == 0)
        return all;
    struct vinst *root = vinst_fresh(c, p, 0, NULL, 0, NULL);
    const char *failed = c->failed;
    for (size_t i = 0; i < p->nsymbols; i++) {
        const struct aff *a =
            p->symbols[i].dim < 0
                ? NULL
                : veval_index(c, root,
                              ir_var_ref(p->scratch, p->symbols[i].var));
        if (a != NULL)
            all = form_and2(sp, all, form_le(sp, a, most));
    }
    c->sizes = all; /* shapes may be converted */
    for (size_t i = 0; i < p->nparams; i++) {
        const struct vstorage *t = p->params[i];
        const struct aff *n = aff_const(sp, 1);
        for (size_t d = 0; t != NULL && n != NULL && d < t->buffer->rank; d++) {
            const struct aff *e = veval_index(c, root, t->buffer->shape[d]);
            n = e == NULL ? NULL : aff_mul(sp, n, e);
        }
        int64_t known; /* nothing is assumed of a shape that is given */
        if (t != NULL && n != NULL && !aff_is_const(n, &known))
            all = form_and2(sp, all, form_le(sp, n, most));
    }
    c->failed = failed;
    return all;
}

void vsafety_assume_sizes(struct vctx *c)
{
    const struct form *all = form_true(c->space);
    for (size_t side = 0; side < 2; side++)
        if (c->progs[side] != NULL)
            all = form_and2(c->space, all, assume_sizes(c, c->progs[side]));
    c->sizes = all;
}

/* ---- the solver --------------------------------------------------------------- */

struct factors {
    struct vctx *c;
    const struct form *all;
    struct VEC(
        const struct form *) bounds; /* conjuncts x >= 0 of the context */
};

static void list_bounds(struct factors *f, const struct form *g)
{
    if (g->kind == FORM_GE0)
        vec_push(&f->bounds, g);
    for (uint32_t i = 0; g->kind == FORM_AND && i < g->n; i++)
        list_bounds(f, g->args[i]);
}

/* For the product a * b: what bounds a, times b >= 0. */
static void multiply(struct factors *f, const struct aff *a,
                     const struct aff *b)
{
    struct aff_space *sp = f->c->space;
    int64_t lo, hi;
    aff_range(sp, b, &lo, &hi);
    if (lo < 0 || a->n != 1)
        return;
    for (size_t i = 0; i < f->bounds.len; i++) {
        const struct aff *g = f->bounds.items[i]->a;
        if (aff_coef(g, a->terms[0].atom) != 0 && g->n <= 4)
            f->all = form_and2(sp, f->all, form_ge0(sp, aff_mul(sp, g, b)));
    }
    aff_range(sp, a, &lo, &hi);
    if (lo >= 0)
        f->all = form_and2(sp, f->all, form_ge0(sp, aff_mul(sp, a, b)));
    if (hi != AFF_NO_BOUND && hi <= VSAFETY_MAX_ELEMENTS)
        f->all = form_and2(
            sp, f->all,
            form_ge0(sp, aff_sub(sp, aff_scale(sp, b, hi), aff_mul(sp, a, b))));
}

static void visit_products(struct factors *f, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(f->c->space, a->terms[i].atom);
        if (t->kind == ATOM_FLOOR)
            visit_products(f, t->def);
        if (t->kind != ATOM_PRODUCT)
            continue;
        multiply(f, t->def, t->other);
        multiply(f, t->other, t->def);
    }
}

static void visit_form(struct factors *f, const struct form *g)
{
    if (g->a != NULL)
        visit_products(f, g->a);
    for (uint32_t i = 0; i < g->n; i++)
        visit_form(f, g->args[i]);
}

/* The solver takes products as opaque: what a factor's bounds say of them. */
static const struct form *about_products(struct safety *s,
                                         const struct form *ctx,
                                         const struct form *goal)
{
    struct factors f = {.c = s->c, .all = form_true(s->c->space)};
    if (s->p->nsymbols == 0)
        return f.all;
    list_bounds(&f, ctx);
    visit_form(&f, goal);
    vec_fini(&f.bounds);
    return f.all;
}

enum smt_answer safety_ask(struct safety *s, const struct form *ctx,
                           const struct form *goal, const char *what)
{
    struct aff_space *sp = s->c->space;
    if (goal->kind == FORM_TRUE)
        return SMT_PROVED;
    s->c->work += 4;
    if (vctx_spent(s->c))
        return SMT_UNKNOWN;
    const struct form *known =
        form_and2(sp, form_and2(sp, ctx, s->sizes), s->c->facts);
    known = form_and2(sp, known, about_products(s, ctx, goal));
    return smt_prove(s->c->smt, known, goal, what, true);
}

/* ---- facts --------------------------------------------------------------------- */

bool safety_remember(struct safety *s, const struct place *pl,
                     const struct form *goal)
{
    struct vctx *c = s->c;
    /* with a condition left out it would say too much */
    if (!OBLIGED(c->smt, "safety: a fact keeps its conditions",
                 pl->inst->nscopes == pl->node->depth))
        return false;
    atom_id *binders = ARENA_ARRAY(c->arena, s->p->nloops + 1, atom_id);
    size_t n = 0;
    for (size_t i = 0; i < s->p->nloops; i++)
        if (pl->inst->loops[i] != NULL && pl->inst->loops[i]->n == 1)
            binders[n++] = pl->inst->loops[i]->terms[0].atom;
    facts_add(c, n, binders, pl->ctx, goal);
    return true;
}

static bool is_shown(void *user, struct vctx *c, const struct form *ctx,
                     const struct form *goal, const char *what)
{
    (void)c;
    return safety_ask(user, ctx, goal, what) == SMT_PROVED;
}

const struct form *safety_recall(struct safety *s, const struct form *ctx,
                                 const struct form *goal)
{
    const struct facts_prover by = {is_shown, s};
    return facts_recall(s->c, &by, ctx, goal);
}

/* ---- places -------------------------------------------------------------------- */

void place_fini(struct place *pl)
{
    vec_fini(&pl->seen);
}

/* Scopes from the outermost to the node, in the context's arena. */
static struct vscope *safety_scopes(struct safety *s, const struct snode *node)
{
    struct vscope *out =
        ARENA_ARRAY(s->c->arena, node->depth + 1, struct vscope);
    for (const struct snode *n = node; n->parent != NULL; n = n->parent)
        out[n->depth - 1] = n->scope;
    return out;
}

struct vinst *safety_instance(struct safety *s, const struct snode *node,
                              size_t nsteps, const struct vstep *steps,
                              const struct aff **loops)
{
    struct vscope *scopes = safety_scopes(s, node);
    size_t n = node->depth;
    const char *failed = s->c->failed;
    struct vinst *inst =
        vinst_from(s->c, s->p, n, scopes, nsteps, steps, loops);
    if (vinst_dom(s->c, inst) != NULL)
        return inst;
    /* weaker, but something: without the conditions on what has no form */
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (scopes[i].kind == VSCOPE_GUARD) {
            inst->nscopes = i;
            inst->ctx = form_true(s->c->space);
            if (veval_cond(s->c, inst, scopes[i].value) == NULL)
                continue;
        }
        scopes[kept++] = scopes[i];
    }
    s->c->failed = failed;
    inst = vinst_from(s->c, s->p, kept, scopes, nsteps, steps, loops);
    return vinst_dom(s->c, inst) != NULL ? inst : NULL;
}

const struct form *place_ctx(struct safety *s, struct place *pl)
{
    if (pl->ctx != NULL)
        return pl->ctx;
    pl->inst = safety_instance(s, pl->node, pl->nread, pl->steps, s->loops[0]);
    if (pl->inst == NULL)
        return NULL;
    pl->ctx = vinst_dom(s->c, pl->inst);
    return pl->ctx;
}

/* ---- scopes ----------------------------------------------------------------------- */

static bool same_steps(const struct vscope *a, const struct vscope *b)
{
    if (a->nsteps != b->nsteps)
        return false;
    for (size_t i = 0; i < a->nsteps; i++)
        if (a->steps[i].loop != b->steps[i].loop ||
            (a->steps[i].loop == NULL && a->steps[i].pos != b->steps[i].pos))
            return false;
    return true;
}

static bool same_scope(const struct vscope *a, const struct vscope *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VSCOPE_LOOP: return a->loop == b->loop;
    case VSCOPE_LET:
        return a->var == b->var && a->value == b->value && same_steps(a, b);
    case VSCOPE_GUARD: break;
    }
    return a->value == b->value && a->negated == b->negated && same_steps(a, b);
}

static void check_scope(struct safety *s, struct snode *node,
                        struct place *outer)
{
    const struct vscope *scope = &node->scope;
    if (scope->kind == VSCOPE_LET) {
        node->span = safety_expr(s, outer, scope->value, false);
    } else if (scope->kind == VSCOPE_GUARD) {
        (void)safety_expr(s, outer, scope->value, true);
    } else {
        struct bounds min = safety_expr(s, outer, scope->loop->min, true);
        struct bounds n = safety_expr(s, outer, scope->loop->extent, true);
        struct bounds last = {min.lo, n.hi - 1};
        node->span = bounds_add(min, last);
        node->span.lo = min.lo;
        if (node->span.hi < node->span.lo) /* it never runs */
            node->span.hi = node->span.lo;
        if (!safety_failed(s) &&
            !bounds_fit(scope->loop->var->dtype, node->span))
            (void)safety_fail(s, VSAFETY_OVERFLOW, outer,
                              "loop variable '%s' may not fit its type",
                              scope->loop->var->name);
    }
}

struct snode *safety_enter(struct safety *s, struct snode *parent,
                           const struct vscope *scope, const char *name,
                           struct ir_pos pos)
{
    struct snode **link = &parent->child;
    bool quiet = s->quiet > 0;
    for (; *link != NULL; link = &(*link)->sibling)
        if (same_scope(&(*link)->scope, scope) && (*link)->quiet == quiet)
            break;
    if (*link != NULL && (*link)->checked)
        return *link;
    struct snode *node = *link;
    if (node == NULL) {
        node = *link = ARENA_NEW(s->c->arena, struct snode);
        node->parent = parent;
        node->scope = *scope;
        node->depth = parent->depth + 1;
        node->quiet = quiet;
    }
    struct place outer = {.node = parent,
                          .nsteps = scope->nsteps,
                          .steps = scope->steps,
                          .nread = scope->nsteps,
                          .pos = pos,
                          .name = name};
    check_scope(s, node, &outer);
    place_fini(&outer);
    node->checked = !safety_failed(s);
    return node->checked ? node : NULL;
}

static struct snode *enter_all(struct safety *s, size_t n,
                               const struct vscope *scopes, const char *name,
                               struct ir_pos pos)
{
    struct snode *node = &s->root;
    for (size_t i = 0; i < n && node != NULL; i++)
        node = safety_enter(s, node, &scopes[i], name, pos);
    return node;
}

/* ---- statements ------------------------------------------------------------------------ */

static void check_store(struct safety *s, const struct vstore *st)
{
    struct place pl = {.nsteps = st->nsteps,
                       .steps = st->steps,
                       .nread = st->read_steps,
                       .pos = st->pos,
                       .name = st->name};
    pl.node = enter_all(s, st->nscopes, st->scopes, st->name, st->pos);
    if (pl.node == NULL)
        return;
    size_t first = s->accesses.len;
    (void)safety_access(s, &pl, st->target, st->nindex, st->index, st, true);
    (void)safety_expr(s, &pl, st->value, false);
    for (size_t i = first; i < s->accesses.len; i++)
        s->accesses.items[i].store = st;
    place_fini(&pl);
}

/* What the untuned program asserts of sizes alone is given: where it does not
 * hold that program has a fault, and nothing is claimed. */
static bool give_assertion(struct safety *s, const struct place *pl,
                           const struct form *goal)
{
    struct vctx *c = s->c;
    const struct form *all = form_and2(c->space, c->facts, goal);
    /* of data nobody else says anything to a program by itself */
    if (!(s->untuned || (c->lone && !value_form_has_data(c->space, goal))) ||
        pl->node->depth > 0 ||
        smt_unsat(c->smt, form_and2(c->space, all, s->sizes),
                  "safety: assertion", false) != SMT_REFUTED)
        return false;
    c->facts = all;
    s->out->gives_assertion = true;
    return true;
}

static void check_assert(struct safety *s, const struct vassert *a)
{
    struct place pl = {.nsteps = a->nsteps,
                       .steps = a->steps,
                       .nread = a->nsteps,
                       .pos = a->pos};
    bool refuted = false;
    pl.node = enter_all(s, a->nscopes, a->scopes, NULL, a->pos);
    if (pl.node == NULL)
        return;
    (void)safety_expr(s, &pl, a->cond, true);
    if (s->out->reason == NULL) {
        const struct form *goal = place_ctx(s, &pl) == NULL
                                      ? NULL
                                      : veval_cond(s->c, pl.inst, a->cond);
        bool shown =
            goal != NULL &&
            (safety_oblige(s, &pl, goal, "safety: assertion", true, &refuted) ||
             give_assertion(s, &pl, goal));
        if (!shown && refuted)
            safety_candidate(s, NULL, 0, NULL);
        if (!shown)
            (void)safety_fail(s, VSAFETY_ASSERT, &pl,
                              "an assertion may not hold");
    }
    place_fini(&pl);
}

static void check_eval(struct safety *s, const struct veval *e)
{
    struct place pl = {.nsteps = e->nsteps,
                       .steps = e->steps,
                       .nread = e->nsteps,
                       .pos = e->pos};
    pl.node = enter_all(s, e->nscopes, e->scopes, NULL, e->pos);
    if (pl.node != NULL)
        (void)safety_expr(s, &pl, e->value, false);
    place_fini(&pl);
}

static void check_statements(struct safety *s)
{
    const struct vprog *p = s->p;
    /* first what may be given to all that follows */
    for (size_t i = 0; i < p->nasserts && s->out->reason == NULL; i++)
        check_assert(s, p->asserts[i]);
    for (size_t i = 0; i < p->nstores && s->out->reason == NULL; i++)
        check_store(s, p->stores[i]);
    for (size_t i = 0; i < p->nevals && s->out->reason == NULL; i++)
        check_eval(s, p->evals[i]);
    for (size_t i = 0; i < p->nbarriers && s->out->reason == NULL; i++)
        (void)enter_all(s, p->barriers[i]->nscopes, p->barriers[i]->scopes,
                        NULL, p->barriers[i]->pos);
}

bool vsafety_prove(struct vctx *c, const struct vprog *p, struct vsafety *out)
{
    struct safety s = {.c = c, .p = p, .out = out};
    memset(out, 0, sizeof *out);
    s.untuned = p == c->progs[0] && !c->lone;
    for (size_t i = 0; i < 2; i++)
        s.loops[i] = ARENA_ARRAY(c->arena, p->nloops + 1, const struct aff *);
    if (c->sizes == NULL)
        vsafety_assume_sizes(c);
    s.sizes = out->assumed = c->sizes;
    check_statements(&s);
    out->proved = out->reason == NULL && safety_barriers(&s) &&
                  safety_races(&s) && out->reason == NULL;
    if (out->proved &&
        !OBLIGED(c->smt, "indices fit the prover", !aff_overflowed(c->space))) {
        struct place none = {0};
        out->proved = safety_fail(&s, VSAFETY_NONE, &none,
                                  "coefficients of an index are too large");
    }
    vec_fini(&s.accesses);
    return out->proved;
}
