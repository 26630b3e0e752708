/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances of stores: integers and conditions of the program evaluated with
 * an aff for each loop; domains; order in time; cells.
 *
 * Integers and conditions themselves are in indices.c.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/eval_state.h"

#include <string.h>

/* ---- symbols ---------------------------------------------------------------- */

void vrange_of_type(struct dtype t, int64_t *lo, int64_t *hi)
{
    bool is_signed = t.code == DT_INT;
    if (t.bits >= 63) { /* beyond what affs hold */
        *lo = is_signed ? AFF_NO_LOWER : 0;
        *hi = AFF_NO_BOUND;
        return;
    }
    *lo = is_signed ? -((int64_t)1 << (t.bits - 1)) : 0;
    *hi = is_signed ? ((int64_t)1 << (t.bits - 1)) - 1
                    : ((int64_t)1 << t.bits) - 1;
    if (dtype_is_bool(t))
        *hi = 1;
}

const struct aff *vsymbol_aff(const struct vctx *c, const struct ir_var *var)
{
    for (size_t i = 0; i < c->eval->symbols.len; i++)
        if (c->eval->symbols.items[i].var == var)
            return c->eval->symbols.items[i].aff;
    return NULL;
}

/* The untuned side's symbol of the same place. Of another type it is the same
 * only where that is not narrow: an int8 does not hold all sizes. */
static const struct aff *symbol_of(const struct vctx *c,
                                   const struct vsymbol *s)
{
    const struct vprog *p = c->progs[0];
    for (size_t i = 0; i < p->nsymbols; i++) {
        const struct vsymbol *x = &p->symbols[i];
        if (x->param == s->param && x->dim == s->dim)
            return s->var->dtype.bits >= 32 ||
                           dtype_equal(x->var->dtype, s->var->dtype)
                       ? vsymbol_aff(c, x->var)
                       : NULL;
    }
    return NULL;
}

/* Sizes are at least 1 (R16); scalars have the range of their type. */
static const struct aff *fresh_symbol(struct vctx *c, const struct vsymbol *s)
{
    int64_t lo, hi;
    vrange_of_type(s->var->dtype, &lo, &hi);
    if (s->dim >= 0)
        lo = 1;
    return aff_of_atom(
        c->space, aff_var_make(c->space, s->var->name, lo, hi, NULL, NULL));
}

void vctx_bind_symbols(struct vctx *c)
{
    c->eval = dc_alloc(sizeof *c->eval);
    for (size_t side = 0; side < 2; side++) {
        const struct vprog *p = c->progs[side];
        for (size_t i = 0; p != NULL && i < p->nsymbols; i++) {
            const struct vsymbol *s = &p->symbols[i];
            if (vsymbol_aff(c, s->var) != NULL)
                continue;
            const struct aff *a = side == 1 ? symbol_of(c, s) : NULL;
            if (a == NULL)
                a = fresh_symbol(c, s);
            struct symbol_atom entry = {s->var, a};
            vec_push(&c->eval->symbols, entry);
        }
    }
}

void vctx_unbind_symbols(struct vctx *c)
{
    vgiven_free(c);
    vec_fini(&c->eval->symbols);
    dc_release((void *)c->eval->choices);
    dc_release(c->eval);
}

/* ---- instances -------------------------------------------------------------- */

static struct vinst *inst_make(struct vctx *c, const struct vprog *p,
                               size_t nscopes, const struct vscope *scopes,
                               size_t nsteps, const struct vstep *steps)
{
    struct vinst *inst = ARENA_NEW(c->arena, struct vinst);
    inst->prog = p;
    inst->nscopes = nscopes;
    inst->scopes = scopes;
    inst->nsteps = nsteps;
    inst->steps = steps;
    inst->loops = ARENA_ARRAY(c->arena, p->nloops + 1, const struct aff *);
    inst->lets = ARENA_ARRAY(c->arena, nscopes + 1, struct vlet *);
    return inst;
}

/* A fresh variable for a loop whose outer loops the instance has. */
static const struct aff *fresh_loop(struct vctx *c, struct vinst *inst,
                                    const struct vloop *l)
{
    int64_t lo, hi, a, b;
    vrange_of_type(l->var->dtype, &lo, &hi);
    const struct aff *min = NULL, *extent = NULL;
    if (vexpr_is_index(c, inst, l->min) && vexpr_is_index(c, inst, l->extent)) {
        min = veval_index(c, inst, l->min);
        extent = veval_index(c, inst, l->extent);
    }
    if (min != NULL && extent != NULL) {
        aff_range(c->space, min, &a, &b);
        if (a > lo && a != AFF_NO_LOWER)
            lo = a;
        aff_range(c->space, aff_add(c->space, min, extent), &a, &b);
        if (b != AFF_NO_BOUND && b - 1 < hi)
            hi = b - 1;
    }
    if (hi < lo)
        hi = lo; /* an empty loop: the domain says so */
    return aff_of_atom(
        c->space, aff_var_make(c->space, l->var->name, lo, hi, NULL, NULL));
}

struct vinst *vinst_from(struct vctx *c, const struct vprog *p, size_t nscopes,
                         const struct vscope *scopes, size_t nsteps,
                         const struct vstep *steps, const struct aff **loops)
{
    struct vinst *inst = inst_make(c, p, nscopes, scopes, nsteps, steps);
    for (size_t i = 0; i < nscopes; i++) {
        if (scopes[i].kind != VSCOPE_LOOP)
            continue;
        const struct vloop *l = scopes[i].loop;
        if (inst->loops[l->id] != NULL)
            continue;
        const struct aff *v = loops != NULL ? loops[l->id] : NULL;
        if (v == NULL)
            v = fresh_loop(c, inst, l);
        inst->loops[l->id] = v;
        if (loops != NULL)
            loops[l->id] = v;
    }
    return inst;
}

struct vinst *vinst_fresh(struct vctx *c, const struct vprog *p, size_t nscopes,
                          const struct vscope *scopes, size_t nsteps,
                          const struct vstep *steps)
{
    return vinst_from(c, p, nscopes, scopes, nsteps, steps, NULL);
}

struct vinst *vinst_of_store(struct vctx *c, const struct vprog *p,
                             const struct vstore *s)
{
    return vinst_fresh(c, p, s->nscopes, s->scopes, s->nsteps, s->steps);
}

struct vinst *vinst_with(struct vctx *c, const struct vinst *from,
                         const struct aff_map *map)
{
    struct vinst *inst = inst_make(c, from->prog, from->nscopes, from->scopes,
                                   from->nsteps, from->steps);
    inst->probe = from->probe;
    c->work++;
    for (size_t i = 0; i < from->prog->nloops; i++)
        if (from->loops[i] != NULL)
            inst->loops[i] = vaff_subst(c, from->loops[i], map);
    return inst;
}

/* The instance at an outer place: the first nscopes scopes, other steps. */
static struct vinst *inst_outer(struct vctx *c, const struct vinst *inst,
                                size_t nscopes, size_t nsteps,
                                const struct vstep *steps)
{
    struct vinst *out = ARENA_NEW(c->arena, struct vinst);
    *out = *inst;
    out->nscopes = nscopes;
    out->nsteps = nsteps;
    out->steps = steps;
    out->dom = NULL;
    return out;
}

struct vinst *vinst_with_let(struct vctx *c, const struct vinst *inst,
                             const struct ir_expr *let)
{
    struct vscope *scopes =
        ARENA_ARRAY(c->arena, inst->nscopes + 1, struct vscope);
    for (size_t i = 0; i < inst->nscopes; i++)
        scopes[i] = inst->scopes[i];
    scopes[inst->nscopes] = (struct vscope){.kind = VSCOPE_LET,
                                            .var = let->u.var,
                                            .value = let->args[0],
                                            .nsteps = inst->nsteps,
                                            .steps = NULL};
    struct vinst *out =
        inst_outer(c, inst, inst->nscopes + 1, inst->nsteps, inst->steps);
    struct vstep *steps = ARENA_ARRAY(c->arena, inst->nsteps + 1, struct vstep);
    for (size_t i = 0; i < inst->nsteps; i++)
        steps[i] = inst->steps[i];
    scopes[inst->nscopes].steps = steps;
    out->scopes = scopes;
    out->lets = ARENA_ARRAY(c->arena, inst->nscopes + 2, struct vlet *);
    for (size_t i = 0; i < inst->nscopes; i++)
        out->lets[i] = inst->lets[i];
    return out;
}

/* ---- variables -------------------------------------------------------------- */

static const struct vscope *lookup(const struct vinst *inst, size_t nscopes,
                                   const struct ir_var *var, size_t *where)
{
    for (size_t i = nscopes; i-- > 0;) {
        const struct vscope *s = &inst->scopes[i];
        if ((s->kind == VSCOPE_LOOP && s->loop->var == var) ||
            (s->kind == VSCOPE_LET && s->var == var)) {
            *where = i;
            return s;
        }
    }
    return NULL;
}

const struct vscope *vinst_lookup(const struct vinst *inst,
                                  const struct ir_var *var, size_t *where)
{
    return lookup(inst, inst->nscopes, var, where);
}

struct vlet *vinst_let(struct vctx *c, const struct vinst *inst, size_t where)
{
    if (inst->lets[where] == NULL)
        inst->lets[where] = ARENA_NEW(c->arena, struct vlet);
    return inst->lets[where];
}

struct vinst *vinst_at_let(struct vctx *c, const struct vinst *inst,
                           size_t where)
{
    const struct vscope *s = &inst->scopes[where];
    return inst_outer(c, inst, where, s->nsteps, s->steps);
}

const struct aff *vinst_var(struct vctx *c, struct vinst *inst,
                            const struct ir_var *var)
{
    size_t where;
    const struct vscope *s = vinst_lookup(inst, var, &where);
    if (s == NULL) {
        const struct aff *a = vsymbol_aff(c, var);
        return a != NULL
                   ? a
                   : vctx_fail(c, "variable '%s' has no value here", var->name);
    }
    if (s->kind == VSCOPE_LOOP)
        return inst->loops[s->loop->id];
    struct vlet *let = vinst_let(c, inst, where);
    if (let->is[inst->exact].index == NULL ||
        let->is[inst->exact].index_ctx != inst->ctx) {
        let->is[inst->exact].index =
            veval_index(c, vinst_at_let(c, inst, where), s->value);
        let->is[inst->exact].index_ctx = inst->ctx;
    }
    return let->is[inst->exact].index;
}

static bool is_index(struct vctx *c, const struct vinst *inst, size_t nscopes,
                     const struct ir_expr *e);

/* The same of a let, which is looked at once. */
static bool let_is_index(struct vctx *c, const struct vinst *inst, size_t where)
{
    struct vlet *let = vinst_let(c, inst, where);
    if (let->holds == LET_NOT_SEEN)
        let->holds = is_index(c, inst, where, inst->scopes[where].value)
                         ? LET_OF_INDICES
                         : LET_OF_DATA;
    return let->holds == LET_OF_INDICES;
}

/* Below the first nscopes scopes. Where steps are spent nothing is proved any
 * more, whatever the answer. */
static bool is_index(struct vctx *c, const struct vinst *inst, size_t nscopes,
                     const struct ir_expr *e)
{
    if (e->kind == IR_LOAD || e->kind == IR_STRING_IMM ||
        e->kind == IR_FLOAT_IMM || dtype_is_float(e->dtype))
        return false;
    if (e->kind == IR_VAR_REF) {
        size_t where;
        const struct vscope *s = lookup(inst, nscopes, e->u.var, &where);
        return s == NULL || s->kind != VSCOPE_LET ||
               let_is_index(c, inst, where);
    }
    if (e->kind == IR_CALL && e->u.call.op != IR_OP_LIKELY &&
        e->u.call.op != IR_OP_IF_THEN_ELSE)
        return false;
    if (e->kind == IR_LET)
        return false;
    bool all = vctx_enter(c);
    for (uint32_t i = 0; all && i < e->nargs; i++)
        all = is_index(c, inst, nscopes, e->args[i]);
    vctx_leave(c);
    return all;
}

bool vexpr_is_index(struct vctx *c, const struct vinst *inst,
                    const struct ir_expr *e)
{
    return is_index(c, inst, inst->nscopes, e);
}

bool vexpr_index_list(struct vctx *c, const struct vinst *inst, size_t n,
                      struct ir_expr *const *list)
{
    for (size_t i = 0; i < n; i++)
        if (!vexpr_is_index(c, inst, list[i]))
            return false;
    return true;
}

/* ---- domains ---------------------------------------------------------------- */

/* Whether the conversion changes no number. */
static bool widens(const struct ir_expr *e)
{
    struct dtype to = e->dtype, from = e->args[0]->dtype;
    return dtype_is_int(to) && dtype_is_int(from) &&
           ((to.bits > from.bits &&
             (to.code == DT_INT || from.code == DT_UINT)) ||
            (to.bits == from.bits && to.code == from.code));
}

/* v < min + extent, taking minima apart. */
static const struct form *below(struct vctx *c, struct vinst *inst,
                                const struct aff *v, const struct ir_expr *e)
{
    if (e->kind == IR_MIN || e->kind == IR_MAX) {
        const struct form *a = below(c, inst, v, e->args[0]);
        const struct form *b = a != NULL ? below(c, inst, v, e->args[1]) : NULL;
        if (b == NULL)
            return NULL;
        return e->kind == IR_MIN ? form_and2(c->space, a, b)
                                 : form_or2(c->space, a, b);
    }
    if (e->kind == IR_CAST &&
        OBLIGED(c->smt, "a conversion of an extent widens", widens(e)))
        return below(c, inst, v, e->args[0]);
    const struct aff *x = veval_index(c, inst, e);
    return x == NULL ? NULL : form_lt(c->space, v, x);
}

const struct form *vinst_dom(struct vctx *c, struct vinst *inst)
{
    if (inst->dom != NULL)
        return inst->dom;
    const struct form *dom = form_true(c->space);
    for (size_t i = 0; i < inst->nscopes; i++) {
        const struct vscope *s = &inst->scopes[i];
        const struct form *more = NULL;
        if (s->kind == VSCOPE_LET)
            continue;
        struct vinst *outer =
            inst_outer(c, inst, i, s->kind == VSCOPE_GUARD ? s->nsteps : 0,
                       s->kind == VSCOPE_GUARD ? s->steps : NULL);
        outer->ctx = inst->ctx != NULL ? inst->ctx : dom;
        if (s->kind == VSCOPE_GUARD) {
            more = veval_cond(c, outer, s->value);
            if (more != NULL && s->negated)
                more = form_not(c->space, more);
        } else {
            /* data in bounds would be read when the loop starts, a place in time
             * that the program does not keep */
            if (!OBLIGED(c->smt, "loop bounds hold no data",
                         vexpr_is_index(c, outer, s->loop->min) &&
                             vexpr_is_index(c, outer, s->loop->extent)))
                return vctx_fail(c, "bounds of loop '%s' depend on data",
                                 s->loop->var->name);
            const struct aff *v = inst->loops[s->loop->id];
            const struct aff *min = veval_index(c, outer, s->loop->min);
            if (min != NULL)
                more =
                    below(c, outer, aff_sub(c->space, v, min), s->loop->extent);
            if (more != NULL)
                more = form_and2(c->space, form_le(c->space, min, v), more);
        }
        if (more == NULL)
            return NULL;
        dom = form_and2(c->space, dom, more);
    }
    inst->dom = dom;
    return dom;
}

/* ---- time and place --------------------------------------------------------- */

static const struct aff *step_value(struct vctx *c, const struct vinst *inst,
                                    size_t i)
{
    const struct vstep *s = &inst->steps[i];
    return s->loop != NULL ? inst->loops[s->loop->id]
                           : aff_const(c->space, s->pos);
}

const struct form *vtime_before(struct vctx *c, const struct vinst *a,
                                size_t na, const struct vinst *b, size_t nb)
{
    struct aff_space *s = c->space;
    const struct form *before = form_false(s), *tie = form_true(s);
    size_t n = na < nb ? na : nb;
    for (size_t i = 0; i < n && tie->kind != FORM_FALSE; i++) {
        const struct aff *x = step_value(c, a, i), *y = step_value(c, b, i);
        before = form_or2(s, before, form_and2(s, tie, form_lt(s, x, y)));
        tie = form_and2(s, tie, form_eq(s, x, y));
    }
    return before;
}

size_t vcell_rank(const struct vstorage *s)
{
    return s->nprivate + s->buffer->rank;
}

bool vcell_of(struct vctx *c, struct vinst *inst, const struct vstorage *s,
              size_t nindex, struct ir_expr *const *index,
              const struct aff **out)
{
    for (size_t i = 0; i < s->nprivate; i++) {
        out[i] = inst->loops[s->privates[i]->id];
        if (out[i] == NULL) {
            vctx_fail(c, "'%s' is used outside the loop that it belongs to",
                      s->buffer->name);
            return false;
        }
    }
    for (size_t i = 0; i < nindex; i++) {
        out[s->nprivate + i] = veval_index(c, inst, index[i]);
        if (out[s->nprivate + i] == NULL)
            return false;
    }
    return true;
}
