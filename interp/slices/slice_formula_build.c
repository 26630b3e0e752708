/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas of expressions: a load becomes what was last stored there, or an
 * element of a parameter, of a choice the side that is taken is kept, what reads
 * nothing is a number (slice_formula.c).
 */
#include "interp/slices/hooks.h"
#include "interp/slices/slice_formula.h"
#include "ir/walk.h"

/* ---- nodes ----------------------------------------------------------------------- */

const struct interp_form *slice_form_give_up(struct form_run *f)
{
    f->lost = true;
    return NULL;
}

struct interp_form *slice_form_node(struct form_run *f,
                                    enum interp_form_kind kind, struct dtype t)
{
    struct interp_form *n = ARENA_NEW(f->out->arena, struct interp_form);
    if (++f->nodes > f->out->max)
        f->lost = true;
    n->kind = kind;
    n->dtype = t;
    n->hash = hash_mix((uint64_t)kind + 11,
                       (uint64_t)t.code << 24 | (uint64_t)t.bits << 8);
    return n;
}

const struct interp_form *slice_form_number(struct form_run *f, struct dtype t,
                                            uint64_t bits)
{
    struct interp_form *n = slice_form_node(f, INTERP_FORM_NUMBER, t);
    n->bits = bits;
    n->hash = hash_mix(n->hash, bits);
    return n;
}

static const struct interp_form *atom(struct form_run *f, struct dtype t,
                                      uint32_t param, size_t element)
{
    struct interp_form *n = slice_form_node(f, INTERP_FORM_ATOM, t);
    n->param = param;
    n->element = element;
    n->hash = hash_mix(hash_mix(n->hash, param), element);
    return n;
}

const struct interp_form *slice_form_operation(struct form_run *f,
                                               enum ir_expr_kind op,
                                               const char *name, struct dtype t,
                                               uint32_t nargs,
                                               const struct interp_form **args)
{
    struct interp_form *n = slice_form_node(f, INTERP_FORM_OP, t);
    n->op = op;
    n->name = name;
    n->nargs = nargs;
    n->hash = hash_mix(n->hash, (uint64_t)op);
    for (const char *p = name; p != NULL && *p != '\0'; p++)
        n->hash = hash_mix(n->hash, (unsigned char)*p);
    for (uint32_t i = 0; i < nargs; i++) {
        if (args[i] == NULL)
            return slice_form_give_up(f);
        n->hash = hash_mix(n->hash, args[i]->hash);
    }
    n->args = arena_memdup(f->out->arena, args, (nargs + 1) * sizeof *args);
    return n;
}

/* What a load of the lane finds there. `lane` > 0: not what the statement that
 * runs now has stored itself. What is undefined was not written, by what is known
 * of the cell, or computed from what was not. */
const struct interp_form *
slice_form_loaded(struct form_run *f, const struct seen_load *l, uint32_t lane)
{
    const struct form_cell *c = slice_form_cell_find(f, l->key);
    if (!l->defined && !(c->key != 0 && c->undefined))
        return slice_form_node(f, INTERP_FORM_UNDEFINED, l->lane);
    if (c->key != 0 &&
        (!dtype_equal(c->lane, l->lane) || (lane > 0 && c->turn == f->turn)))
        return slice_form_give_up(f);
    if (c->key != 0)
        return c->form;
    if (l->alloc->param < 0)
        return slice_form_give_up(
            f); /* a constant, or stored under another width */
    return atom(f, l->lane, (uint32_t)l->alloc->param,
                l->offset / dtype_lane_bytes(l->lane));
}

/* ---- expressions ------------------------------------------------------------------- */

void slice_form_note_load(struct machine *m, struct alloc *a, size_t offset,
                          struct dtype lane, struct value v)
{
    struct form_run *f = slice_hooks_get(m)->formula;
    struct seen_load l = {a, offset, slice_form_key(m, a, offset), lane,
                          (v.flags & V_UNDEF) == 0};
    if (f->loads.len >= FORM_MAX_LOADS)
        f->lost = true;
    else
        vec_push(&f->loads, l);
}

/* Whether one of the first n loads read what the statement has stored by now:
 * it had read something else then. */
static bool reads_own(const struct form_run *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct seen_load *l = &f->loads.items[i];
        const struct form_cell *c = slice_form_cell_find(f, l->key);
        if (l->key == f->self || (c->key != 0 && c->turn == f->turn))
            return true;
    }
    return false;
}

/* The load is made once more to see where it goes; the last of what it reads
 * is it, what its indices read comes before. */
static const struct interp_form *
build_load(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    uint32_t lanes = e->dtype.lanes > 1 ? e->dtype.lanes : 1;
    struct value v = {0};
    if (e->predicate != NULL || e->dtype.scalable)
        return slice_form_give_up(f);
    f->loads.len = 0;
    bool fine = slice_evaluate(f->m, e, lane, slice_form_note_load, &v) ||
                (v.flags & V_UNDEF) != 0;
    if (!fine || f->loads.len < lanes)
        return slice_form_give_up(f);
    if (reads_own(f, f->loads.len - lanes))
        return slice_form_give_up(f);
    struct seen_load l =
        f->loads.items[f->loads.len - lanes + (lanes > 1 ? lane % lanes : 0)];
    return slice_form_loaded(f, &l, lane);
}

static const struct interp_form *
build_number(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    struct value v;
    if (!slice_evaluate(f->m, e, lane, NULL, &v))
        return slice_form_give_up(f);
    return slice_form_number(f, dtype_scalar(e->dtype), v.u.bits);
}

static const struct interp_form *
build_choice(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    struct value c = {0};
    f->loads.len = 0;
    bool fine =
        slice_evaluate(f->m, e->args[0], lane, slice_form_note_load, &c) ||
        (c.flags & V_UNDEF) != 0;
    if (e->nargs != 3 || !fine || (c.flags & V_MAYBE) ||
        reads_own(f, f->loads.len))
        return slice_form_give_up(f);
    if (c.flags & V_UNDEF)
        return slice_form_node(f, INTERP_FORM_UNDEFINED,
                               dtype_scalar(e->dtype));
    return slice_form_build(f, e->args[c.u.bits ? 1 : 2], lane);
}

/* A parameter, a variable of a Let, one that a statement binds to something
 * that reads: what it was bound to, if that still has its value. */
static const struct interp_form *
build_var(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    const struct ir_prim_func *prim = &f->m->func->prim;
    for (size_t i = f->nlets; i-- > 0;)
        if (f->lets[i].var == e->u.var)
            return f->lets[i].form;
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].buffer == NULL && prim->params[i].var == e->u.var)
            return atom(f, dtype_scalar(e->dtype), (uint32_t)i, 0);
    const uint64_t *at = ptr_map_find(&f->bound, e->u.var, NULL);
    if (at == NULL)
        return build_number(f, e, lane);
    const struct ir_stmt *bind = (const struct ir_stmt *)(uintptr_t)*at;
    struct value now = {0}, then = {0};
    if (!ir_has_load(bind->u.bind.value))
        return build_number(f, e, lane);
    bool fine = slice_evaluate(f->m, e, lane, NULL, &now);
    bool same = slice_evaluate(f->m, bind->u.bind.value, lane, NULL, &then)
                    ? fine && now.u.bits == then.u.bits
                    : (now.flags & then.flags & V_UNDEF) != 0;
    if (!same)
        return slice_form_give_up(f);
    return slice_form_build(f, bind->u.bind.value, lane);
}

static const struct interp_form *
build_let(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    struct value v;
    if (e->nargs != 2 || f->nlets == FORM_MAX_LETS ||
        e->args[0]->dtype.lanes > 1 ||
        !slice_evaluate(f->m, e->args[0], lane, NULL, &v))
        return slice_form_give_up(f);
    const struct interp_form *value = slice_form_build(f, e->args[0], lane);
    f->lets[f->nlets].var = e->u.var;
    f->lets[f->nlets++].form = value;
    var_set(f->m, e->u.var, v);
    const struct interp_form *body = slice_form_build(f, e->args[1], lane);
    var_unset(f->m, e->u.var);
    f->nlets--;
    return body;
}

static bool is_input(const void *user, const struct ir_expr *e)
{
    const struct form_run *f = user;
    const struct ir_prim_func *prim = &f->m->func->prim;
    if (e->kind == IR_LOAD || e->kind == IR_CALL || e->kind == IR_LET)
        return true;
    if (e->kind != IR_VAR_REF)
        return false;
    if (ptr_map_find(&f->bound, e->u.var, NULL) != NULL)
        return true;
    for (size_t i = 0; i < f->nlets; i++)
        if (f->lets[i].var == e->u.var)
            return true;
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].buffer == NULL && prim->params[i].var == e->u.var)
            return true;
    return false;
}

static const struct interp_form *
build_operands(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    const struct interp_form *args[8];
    if (e->nargs > DC_ARRAY_LEN(args) - 1 || f->lost)
        return slice_form_give_up(f);
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = slice_form_build(f, e->args[i], lane);
        if (args[i] == NULL)
            return NULL;
    }
    args[e->nargs] = NULL;
    return slice_form_operation(f, e->kind,
                                e->kind == IR_CALL ? e->u.call.name : NULL,
                                dtype_scalar(e->dtype), e->nargs, args);
}

static const struct interp_form *
build_call(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    unsigned flags = ir_op_info(e->u.call.op)->flags;
    if (e->u.call.op == IR_OP_IF_THEN_ELSE)
        return build_choice(f, e, lane);
    if (!(flags & IR_OPF_PURE) || (flags & IR_OPF_LAZY))
        return slice_form_give_up(f);
    return build_operands(f, e, lane);
}

const struct interp_form *
slice_form_build(struct form_run *f, const struct ir_expr *e, uint32_t lane)
{
    if (f->lost)
        return NULL;
    if (!ir_expr_any(e, is_input, f))
        return build_number(f, e, lane);
    switch (e->kind) {
    case IR_LOAD: return build_load(f, e, lane);
    case IR_VAR_REF: return build_var(f, e, lane);
    case IR_LET: return build_let(f, e, lane);
    case IR_SELECT: return build_choice(f, e, lane);
    case IR_CALL: return build_call(f, e, lane);
    case IR_BROADCAST: {
        uint32_t inner = e->args[0]->dtype.lanes;
        return slice_form_build(f, e->args[0], inner > 1 ? lane % inner : 0);
    }
    case IR_BINARY_KINDS:
    case IR_UNARY_KINDS: return build_operands(f, e, lane);
    case IR_INT_IMM:
    case IR_FLOAT_IMM: return build_number(f, e, lane);
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
    case IR_RAMP:
    case IR_SHUFFLE:
    case IR_NKINDS: break;
    }
    return slice_form_give_up(f);
}
