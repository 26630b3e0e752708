/* SPDX-License-Identifier: Apache-2.0
 *
 * The nest into code. Registers are handed out as a stack; instructions stand
 * in the order in which they run, loops and guards as ranges of them.
 *
 * An address is a form in ready-to-run shape: what does not change in the
 * innermost loop around it is added up once outside, as an atom of the loop in
 * which it last changes.
 */
#include "interp/fast/fast_engine.h"
#include "interp/machine/arith.h"

#include <string.h>

#define MAX_REGS 400
#define MAX_CODE 4000000u

struct emit {
    struct engine *e;
    struct node *lanes; /* loop that runs in lanes around; NULL */
    struct node *loop;  /* innermost loop around; NULL */
    uint32_t next;      /* free register */
    uint32_t *slot_reg;
    bool *slot_uniform;
};

/* ---- code and registers ------------------------------------------------------------ */

static struct insn *insn_add(struct emit *m, enum fop op, enum ftype type)
{
    struct insn in;
    memset(&in, 0, sizeof in);
    in.op = (uint8_t)op;
    in.type = (uint8_t)type;
    if (m->e->code.len >= MAX_CODE)
        lower_give_up(m->e, "the function is too large");
    vec_push(&m->e->code, in);
    return &m->e->code.items[m->e->code.len - 1];
}

static uint32_t here(const struct emit *m)
{
    return (uint32_t)m->e->code.len;
}

static uint32_t reg_take(struct emit *m)
{
    if (m->next >= MAX_REGS) {
        lower_give_up(m->e, "an expression of too many parts");
        return 0;
    }
    uint32_t r = m->next++;
    if (m->next > m->e->nregs)
        m->e->nregs = m->next;
    return r;
}

/* ---- atoms and forms ------------------------------------------------------------------ */

static void need_form(struct emit *m, const struct affine *a);

/* Sees to it that the atom's value is there where its scope runs. */
static void need_atom(struct emit *m, uint32_t i)
{
    struct engine *e = m->e;
    struct atom *x = &e->atoms.items[i];
    if (x->kind == ATOM_LOOP || x->emitted)
        return;
    x->emitted = true;
    struct affine a = x->a, b = x->b;
    struct node *scope = x->scope;
    need_form(m, &a);
    need_form(m, &b);
    if (scope == NULL)
        vec_push(&e->first, i);
    else
        vec_push(&scope->first, i);
}

static void need_form(struct emit *m, const struct affine *a)
{
    for (uint32_t i = 0; i < a->n; i++)
        need_atom(m, a->t[i].atom);
}

/* The thread's number where threads run in lanes. */
static bool uses_thread(const struct emit *m, uint32_t atom)
{
    return affine_atom_uses(m->e, atom, m->lanes->atom);
}

/* The same for an atom's value in each thread of a kernel. */
static void need_vec(struct emit *m, uint32_t i)
{
    struct engine *e = m->e;
    if (e->atoms.items[i].vec != 0 || i == m->lanes->atom)
        return;
    e->atoms.items[i].vec = ++e->nvecs;
    const struct affine forms[2] = {e->atoms.items[i].a, e->atoms.items[i].b};
    struct node *scope = e->atoms.items[i].scope;
    for (size_t f = 0; f < 2; f++)
        for (uint32_t k = 0; k < forms[f].n; k++)
            if (uses_thread(m, forms[f].t[k].atom))
                need_vec(m, forms[f].t[k].atom);
            else
                need_atom(m, forms[f].t[k].atom);
    vec_push(&scope->first_vec, i);
}

/* The same value with the terms from outside of a loop as one atom. */
static struct affine hoisted(struct emit *m, const struct affine *a,
                             const struct node *scope)
{
    struct affine outer = affine_const(0), inner = affine_const(a->c);
    struct node *next = NULL;
    inner.lo = a->lo;
    inner.hi = a->hi;
    for (uint32_t i = 0; i < a->n; i++) {
        struct node *s = m->e->atoms.items[a->t[i].atom].scope;
        if (s == scope) {
            inner.t[inner.n++] = a->t[i];
            continue;
        }
        outer.t[outer.n++] = a->t[i];
        if (s != NULL && (next == NULL || s->depth > next->depth))
            next = s;
    }
    if (outer.n < 2)
        return *a;
    outer = hoisted(m, &outer, next);
    struct term t = {affine_atom_sum(m->e, &outer), 1};
    uint32_t at = inner.n;
    while (at > 0 && inner.t[at - 1].atom > t.atom)
        at--;
    memmove(&inner.t[at + 1], &inner.t[at], (inner.n - at) * sizeof inner.t[0]);
    inner.t[at] = t;
    inner.n++;
    return inner;
}

/* Coefficient of the lane; false where the form is not linear in it. */
static bool lane_coef(const struct emit *m, const struct affine *a,
                      int64_t *coef)
{
    *coef = 0;
    if (m->lanes == NULL)
        return true;
    if (!affine_linear(m->e, a, m->lanes->atom, coef))
        return false;
    *coef *= m->lanes->step;
    return true;
}

/* A form that is not linear in the thread: what depends on threads in atoms of
 * a value for each, the rest apart. */
static bool lin_fill_vec(struct emit *m, const struct affine *a,
                         struct lin *out)
{
    struct affine same = affine_const(a->c), own = affine_const(0), ready;
    for (uint32_t i = 0; i < a->n; i++) {
        struct affine *to = uses_thread(m, a->t[i].atom) ? &own : &same;
        to->t[to->n++] = a->t[i];
    }
    own.lo = same.lo = -(INT64_C(1) << 59); /* not narrower than the terms */
    own.hi = same.hi = INT64_C(1) << 59;
    ready = hoisted(m, &same, m->loop);
    need_form(m, &ready);
    out->c = ready.c;
    out->n = ready.n;
    out->t = ARENA_ARRAY(m->e->arena, ready.n + 1, struct term);
    memcpy(out->t, ready.t, ready.n * sizeof *out->t);
    ready = hoisted(m, &own, m->loop);
    out->lane = 0;
    out->vec = ARENA_ARRAY(m->e->arena, ready.n + 1, struct term);
    for (uint32_t i = 0; i < ready.n; i++) {
        if (ready.t[i].atom == m->lanes->atom) {
            out->lane = ready.t[i].coef;
            continue;
        }
        need_vec(m, ready.t[i].atom);
        out->vec[out->nvec++] = ready.t[i];
    }
    for (uint32_t i = 0; i < out->nvec; i++)
        out->vec[i].atom = m->e->atoms.items[out->vec[i].atom].vec - 1;
    return true;
}

static bool lin_fill(struct emit *m, const struct affine *a, struct lin *out)
{
    if (!lane_coef(m, a, &out->lane))
        return m->lanes->coop && lin_fill_vec(m, a, out);
    if (a->n == 0) { /* unrolled code has little else */
        out->c = a->c;
        out->n = 0;
        return true;
    }
    struct affine ready = hoisted(m, a, m->loop);
    need_form(m, &ready);
    out->c = ready.c;
    out->n = ready.n;
    out->t = ARENA_ARRAY(m->e->arena, ready.n + 1, struct term);
    memcpy(out->t, ready.t, ready.n * sizeof *out->t);
    return true;
}

/* ---- what depends on the lane ------------------------------------------------------------ */

static bool own_lanes(const struct emit *m, const struct store *s)
{
    const struct node *n = s->home;
    if (m->lanes == NULL || s->share != SHARE_NOT)
        return false;
    while (n != NULL && n->depth > m->lanes->depth)
        n = n->parent;
    return n == m->lanes;
}

static uint32_t lane_copies(const struct emit *m)
{
    return m->lanes->coop ? (uint32_t)m->lanes->trips : STRIP;
}

static bool guard_varies(const struct emit *m, const struct guard *g)
{
    for (size_t i = 0; m->lanes != NULL && i < g->n; i++)
        if (affine_uses(m->e, &g->conds[i].at, m->lanes->atom))
            return true;
    return false;
}

static bool fx_varies(const struct emit *m, const struct fx *x);

static bool access_varies(const struct emit *m, const struct access *a)
{
    /* where races are looked for, each lane that reads is a reader of its own */
    if (own_lanes(m, a->store) || a->store->share == SHARE_WARP ||
        a->look != RACE_LOOK_NOT ||
        affine_uses(m->e, &a->offset, m->lanes->atom))
        return true;
    for (size_t d = 0; d < a->rank; d++)
        if (affine_uses(m->e, &a->index[d], m->lanes->atom) ||
            (a->gather && fx_varies(m, a->index_fx[d])))
            return true;
    return false;
}

static bool fx_varies(const struct emit *m, const struct fx *x)
{
    if (x == NULL || m->lanes == NULL)
        return false;
    switch (x->kind) {
    case X_CONST: return false;
    case X_AFFINE: return affine_uses(m->e, x->at, m->lanes->atom);
    case X_LOAD: return access_varies(m, x->access);
    case X_SLOT: return !m->slot_uniform[x->slot];
    case X_GUARD:
        if (guard_varies(m, x->guard) || fx_varies(m, x->guard->value))
            return true;
        break;
    case X_UNARY:
    case X_BINARY:
    case X_FMA:
    case X_CAST:
    case X_SELECT: break;
    }
    return fx_varies(m, x->a) || fx_varies(m, x->b) || fx_varies(m, x->c);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static uint32_t emit_fx(struct emit *m, const struct fx *x, bool uniform);

static void addr_checks(struct emit *m, const struct access *a,
                        struct addr *out)
{
    out->nchecks = a->nchecks;
    out->form_checks = a->checks;
    out->dims = ARENA_ARRAY(m->e->arena, a->nchecks + 1, int64_t);
    out->checks = ARENA_ARRAY(m->e->arena, a->nchecks + 1, struct lin);
    for (size_t i = 0; i < a->nchecks; i++) {
        out->dims[i] = a->checks[i].dim;
        if (!out->varying && !lin_fill(m, &a->checks[i].at, &out->checks[i]))
            out->varying = true;
    }
}

static void addr_gather(struct emit *m, const struct access *a,
                        struct addr *out)
{
    out->reg = ARENA_ARRAY(m->e->arena, a->rank, uint32_t);
    out->reg_uniform = ARENA_ARRAY(m->e->arena, a->rank, bool);
    out->reg_type = ARENA_ARRAY(m->e->arena, a->rank, enum ftype);
    out->dim = ARENA_ARRAY(m->e->arena, a->rank, int64_t);
    out->stride = ARENA_ARRAY(m->e->arena, a->rank, int64_t);
    for (size_t d = 0; d < a->rank; d++) {
        const struct fx *x = a->index_fx[d];
        if (x == NULL)
            continue;
        size_t k = out->ngather++;
        out->reg_uniform[k] = !fx_varies(m, x);
        out->reg[k] = emit_fx(m, x, out->reg_uniform[k]);
        out->reg_type[k] = x->type;
        out->dim[k] = a->dim[d];
        out->stride[k] = a->stride[d];
    }
}

static struct addr *addr_make(struct emit *m, const struct access *a)
{
    struct addr *out = ARENA_NEW(m->e->arena, struct addr);
    out->store = a->store;
    out->own_lanes = own_lanes(m, a->store);
    if (out->own_lanes)
        a->store->lanes = lane_copies(m);
    out->own_warps = a->store->share == SHARE_WARP;
    out->look = (uint8_t)a->look;
    out->form = &a->offset;
    out->varying = !lin_fill(m, &a->offset, &out->at);
    addr_checks(m, a, out);
    if (a->store->read_only && out->at.lane != 0 && out->at.lane != 1 &&
        !out->varying && !a->gather && !m->lanes->coop &&
        m->e->ncolumns < MAX_COLUMNS)
        out->column = ++m->e->ncolumns;
    if (a->gather)
        addr_gather(m, a, out);
    return out;
}

static struct lin *guard_lins(struct emit *m, const struct guard *g)
{
    struct lin *out = ARENA_ARRAY(m->e->arena, g->n + 1, struct lin);
    for (size_t i = 0; i < g->n; i++)
        if (!lin_fill(m, &g->conds[i].at, &out[i]))
            lower_give_up(m->e, "a guard that is not linear in the lane");
    return out;
}

/* Whether the threads for which a guard holds need not stand side by side. */
static bool guard_is_mask(const struct emit *m, const struct guard *g)
{
    if (m->lanes == NULL || !m->lanes->coop)
        return false;
    for (size_t i = 0; i < g->n; i++) {
        const struct cond *c = &g->conds[i];
        int64_t coef;
        if (affine_uses(m->e, &c->at, m->lanes->atom) &&
            (c->kind != COND_GE || c->cost != 0 ||
             !affine_linear(m->e, &c->at, m->lanes->atom, &coef)))
            return true;
    }
    return fx_varies(m, g->value);
}

/* The head of a guard; the caller fills in mid and end. */
static uint32_t emit_guard(struct emit *m, const struct guard *g)
{
    uint32_t r = 0, mark = m->next;
    bool any = guard_is_mask(m, g);
    if (g->value != NULL)
        r = emit_fx(m, g->value, !any);
    struct lin *lins = guard_lins(m, g);
    uint32_t at = here(m);
    struct insn *in = insn_add(m,
                               any                  ? F_MASK
                               : guard_varies(m, g) ? F_RANGE
                                                    : F_IF,
                               T_BOOL);
    in->guard = g;
    in->conds = lins;
    in->a = r;
    in->data = g->data;
    m->next = mark;
    return at;
}

static void emit_arm(struct emit *m, const struct fx *x, uint32_t d,
                     bool uniform)
{
    uint32_t mark = m->next, r = emit_fx(m, x, uniform);
    struct insn *in = insn_add(m, F_MOVE, x->type);
    in->d = d;
    in->a = r;
    in->uniform = uniform;
    m->next = mark;
}

static uint32_t emit_choice(struct emit *m, const struct fx *x, bool uniform)
{
    uint32_t d = reg_take(m);
    uint32_t at = emit_guard(m, x->guard);
    m->e->code.items[at].d = d;
    m->e->code.items[at].c = 1; /* merges into d */
    m->e->code.items[at].uniform = uniform;
    emit_arm(m, x->b, d, uniform);
    m->e->code.items[at].mid = here(m);
    emit_arm(m, x->c, d, uniform);
    m->e->code.items[at].end = here(m);
    return d;
}

static uint32_t emit_leaf(struct emit *m, const struct fx *x, bool uniform)
{
    struct addr *addr = NULL;
    struct lin *lin = NULL;
    if (x->kind == X_LOAD) {
        addr = addr_make(m, x->access);
    } else if (x->kind == X_AFFINE) {
        addr = ARENA_NEW(m->e->arena, struct addr);
        addr->form = x->at;
        addr->varying = !lin_fill(m, x->at, &addr->at);
    }
    uint32_t d = reg_take(m);
    struct insn *in = insn_add(m,
                               x->kind == X_LOAD     ? F_LOAD
                               : x->kind == X_AFFINE ? F_AFFINE
                                                     : F_CONST,
                               x->type);
    in->d = d;
    in->addr = addr;
    in->lin = lin;
    in->bits = x->bits;
    in->uniform = uniform;
    in->data = x->kind == X_LOAD && x->access->data;
    return d;
}

/* Operand x in a register, or, where *from gets an address, to be looked at in
 * memory by the instruction itself. Only kernels that take each lane before
 * they write it do so, and no loop whose lanes may overlap. */
static uint32_t emit_operand(struct emit *m, const struct fx *x, bool uniform,
                             struct addr **from)
{
    bool direct = x->kind == X_LOAD && x->type == T_F32 && !uniform &&
                  m->lanes != NULL && !m->lanes->vector && !m->lanes->coop &&
                  m->e->options->domain == INTERP_IEEE && !x->access->gather;
    *from = NULL;
    if (!direct)
        return emit_fx(m, x, uniform);
    *from = addr_make(m, x->access);
    return reg_take(m);
}

static bool takes_memory(const struct emit *m, const struct fx *x)
{
    return m->e->scalar == NULL && x->kind == X_BINARY && x->type == T_F32 &&
           x->a->type == T_F32 && x->op >= NUM_ADD && x->op <= NUM_DIV;
}

/* A short float or integer that the register holds widened to 32 bits
 * already. */
static bool changes_nothing(const struct emit *m, const struct fx *x)
{
    return x->kind == X_CAST && m->e->options->domain == INTERP_IEEE &&
           (m->e->scalar == NULL || fast_ftype_class(x->type) == C_INT) &&
           ((x->type == T_I32 && fast_ftype_class(x->a->type) == C_INT) ||
            (x->type == T_F32 && fast_ftype_class(x->a->type) == C_FLOAT));
}

/* Whether a wrap in the operation ends the run (rule 9). */
static bool may_not_wrap(const struct emit *m, const struct fx *x)
{
    return (x->check_wrap || m->e->watch) &&
           exec_arith_may_not_wrap(fast_ftype_dtype(x->type));
}

static uint32_t emit_operation(struct emit *m, const struct fx *x, bool uniform)
{
    static const uint8_t ops[] = {
        [X_UNARY] = F_UNARY, [X_BINARY] = F_BINARY, [X_FMA] = F_FMA,
        [X_CAST] = F_CAST,   [X_SELECT] = F_SELECT,
    };
    /* the result's own register: lanes of another width must not overlap */
    uint32_t d = reg_take(m), mark = m->next;
    struct addr *from_a = NULL, *from_b = NULL;
    bool memory = takes_memory(m, x);
    uint32_t a = memory ? emit_operand(m, x->a, uniform, &from_a)
                        : emit_fx(m, x->a, uniform);
    uint32_t b = memory         ? emit_operand(m, x->b, uniform, &from_b)
                 : x->b != NULL ? emit_fx(m, x->b, uniform)
                                : 0;
    uint32_t c = x->c != NULL ? emit_fx(m, x->c, uniform) : 0;
    m->next = mark;
    struct insn *in = insn_add(m, (enum fop)ops[x->kind], x->type);
    in->from = (uint8_t)(x->kind == X_SELECT ? x->type : x->a->type);
    in->num = (uint8_t)x->op;
    in->d = d;
    in->a = a;
    in->b = b;
    in->c = c;
    in->from_a = from_a;
    in->from_b = from_b;
    in->data = (from_a != NULL && x->a->access->data) ||
               (from_b != NULL && x->b->access->data);
    in->uniform = uniform;
    in->check_wrap = may_not_wrap(m, x);
    return d;
}

/* Register with the value, in all lanes unless `uniform`. A uniform operation
 * of a varying place is done once and spread. */
static uint32_t emit_fx(struct emit *m, const struct fx *x, bool uniform)
{
    if (m->e->why != NULL)
        return 0;
    bool leaf = x->kind == X_CONST || x->kind == X_AFFINE || x->kind == X_LOAD;
    if (x->kind == X_SLOT &&
        (uniform || !m->slot_uniform[x->slot] || m->lanes == NULL))
        return m->slot_reg[x->slot];
    if (!uniform && !leaf && !fx_varies(m, x)) {
        /* two registers: the value lies in lane 0, which may not be among the
         * lanes that run */
        uint32_t d = reg_take(m), mark = m->next, r = emit_fx(m, x, true);
        m->next = mark;
        struct insn *in = insn_add(m, F_SPREAD, x->type);
        in->d = d;
        in->a = r;
        return d;
    }
    if (leaf)
        return emit_leaf(m, x, uniform);
    if (x->kind == X_GUARD)
        return emit_choice(m, x, uniform);
    if (changes_nothing(m, x))
        return emit_fx(m, x->a, uniform);
    return emit_operation(m, x, uniform);
}

/* ---- stores --------------------------------------------------------------------------------------- */

static bool same_place(const struct access *a, const struct access *b)
{
    return a->store == b->store && !a->gather && !b->gather &&
           affine_same(&a->offset, &b->offset);
}

/* Whether what is checked for b is checked for a: one place may be named by
 * indices that are in range and by others that are not. */
static bool checks_cover(const struct access *a, const struct access *b)
{
    bool all = true;
    for (size_t i = 0; i < b->nchecks && all; i++) {
        bool found = false;
        for (size_t k = 0; k < a->nchecks && !found; k++)
            found = a->checks[k].dim == b->checks[i].dim &&
                    affine_same(&a->checks[k].at, &b->checks[i].at);
        all = found;
    }
    return all;
}

static bool is_load_of(const struct fx *x, const struct access *a)
{
    return x != NULL && x->kind == X_LOAD && same_place(x->access, a);
}

static bool is_product(const struct fx *x)
{
    return x->kind == X_BINARY && x->op == NUM_MUL && x->type <= T_BF16;
}

/* A float in the other form of a short one: x but for a conversion from
 * `type`. */
static const struct fx *before_cast(const struct emit *m, const struct fx *x,
                                    enum ftype to, enum ftype from)
{
    bool is_cast = x->kind == X_CAST && x->type == to && x->a->type == from &&
                   m->e->options->domain == INTERP_IEEE;
    return is_cast ? x->a : x;
}

/* The product where target = load + product; the sum is of the type `sum`. */
static const struct fx *product_in(const struct emit *m, const struct node *n,
                                   const struct fx *load, const struct fx *x,
                                   enum ftype sum)
{
    enum ftype target = n->access->store->type;
    load = before_cast(m, load, T_F32, target);
    if (!is_load_of(load, n->access) || load->type != target ||
        !checks_cover(n->access, load->access))
        return NULL;
    if (target == T_F32)
        x = before_cast(m, x, T_F32, T_F16);
    else if (x->type != sum)
        return NULL;
    return is_product(x) ? x : NULL;
}

/* target = target + p * q, for the float types with kernels: all in the
 * target's type, or a short float's sum in float32, or a float32's product in
 * float16. */
static const struct fx *product_of(const struct emit *m, const struct node *n)
{
    enum ftype target = n->access->store->type;
    const struct fx *x = n->value;
    if (n->access->look != RACE_LOOK_NOT || target > T_BF16 ||
        m->e->scalar != NULL)
        return NULL;
    x = before_cast(m, x, target, T_F32);
    if (x->kind != X_BINARY || x->op != NUM_ADD || x->type == T_BF16 ||
        (x->type != target && x->type != T_F32))
        return NULL;
    const struct fx *p = product_in(m, n, x->a, x->b, x->type);
    return p != NULL ? p : product_in(m, n, x->b, x->a, x->type);
}

/* Whether the value surely depends on the old value of its target, so that it
 * is inexact where that was. */
static bool hangs_on(const struct fx *x, const struct access *target)
{
    if (x == NULL || x->kind == X_SELECT || x->kind == X_GUARD ||
        x->kind == X_SLOT)
        return false;
    if (x->kind == X_LOAD)
        return is_load_of(x, target);
    return hangs_on(x->a, target) || hangs_on(x->b, target) ||
           hangs_on(x->c, target);
}

/* Whether it computes an address or a condition, in which rounding has to be
 * noticed. */
static bool computes_address(const struct fx *x)
{
    return x != NULL && x->kind != X_SLOT &&
           ((x->kind == X_LOAD && x->access->gather) ||
            (x->kind == X_GUARD && x->guard->value != NULL) ||
            computes_address(x->a) || computes_address(x->b) ||
            computes_address(x->c));
}

static void emit_store(struct emit *m, const struct node *n)
{
    const struct fx *p = product_of(m, n), *x = n->value;
    uint32_t mark = m->next, quiet = UINT32_MAX, a = 0, b = 0;
    struct addr *from_a = NULL, *from_b = NULL;
    bool uniform = m->lanes == NULL, data = n->access->data;
    if (p != NULL) {
        a = emit_operand(m, p->a, uniform, &from_a);
        b = emit_operand(m, p->b, uniform, &from_b);
        data |= from_a != NULL && p->a->access->data;
        data |= from_b != NULL && p->b->access->data;
        reg_take(m); /* two for the steps apart */
        reg_take(m);
    } else if (x->kind == X_LOAD && !x->access->gather &&
               x->access->store != n->access->store &&
               x->access->look == RACE_LOOK_NOT &&
               n->access->look == RACE_LOOK_NOT) {
        struct addr *from = addr_make(m, x->access);
        struct addr *to = addr_make(m, n->access);
        struct insn *in = insn_add(m, F_COPY, x->type);
        in->addr = to;
        in->addr2 = from;
        in->data = n->access->data || x->access->data;
        return;
    } else {
        if (fast_ftype_is_float(x->type) && hangs_on(x, n->access) &&
            !computes_address(x)) {
            struct addr *to = addr_make(m, n->access);
            quiet = here(m);
            insn_add(m, F_QUIET, x->type)->addr = to;
        }
        a = emit_fx(m, x, uniform);
    }
    struct addr *to = addr_make(m, n->access);
    struct insn *in = insn_add(m, p != NULL ? F_MAC : F_STORE, x->type);
    in->from = (uint8_t)(p != NULL ? p->type : x->type);
    in->addr = to;
    in->a = a;
    in->b = b;
    in->d = m->next - 1;
    in->c = m->next - 2;
    in->from_a = from_a;
    in->from_b = from_b;
    in->data = data;
    if (quiet != UINT32_MAX)
        m->e->code.items[quiet].end = here(m);
    m->next = mark;
}

/* ---- statements ---------------------------------------------------------------------------------------- */

static void emit_list(struct emit *m, struct node *list);
static void emit_loop(struct emit *m, struct node *n);

/* A loop that the lanes of the one around run one after the other. */
static void emit_apart(struct emit *m, struct node *n)
{
    struct node *lanes = m->lanes;
    uint32_t at = here(m);
    insn_add(m, F_APART, T_BOOL)->node = lanes;
    m->lanes = NULL;
    emit_loop(m, n);
    m->lanes = lanes;
    m->e->code.items[at].end = here(m);
}

static void emit_loop(struct emit *m, struct node *n)
{
    struct lin *bounds = ARENA_ARRAY(m->e->arena, 2, struct lin);
    struct node *lanes = m->lanes, *loop = m->loop;
    if (!lin_fill(m, &n->min, &bounds[0]) ||
        !lin_fill(m, &n->extent, &bounds[1]))
        lower_give_up(m->e, "a loop's bounds");
    uint32_t at = here(m);
    struct insn *in = insn_add(m, n->lanes ? F_LANES : F_LOOP, T_BOOL);
    in->node = n;
    in->lin = bounds;
    in->data = n->data;
    m->loop = n;
    if (n->lanes)
        m->lanes = n;
    emit_list(m, n->body);
    m->loop = loop;
    m->lanes = lanes;
    m->e->code.items[at].end = here(m);
}

static void emit_if(struct emit *m, struct node *n)
{
    uint32_t at = emit_guard(m, &n->guard);
    emit_list(m, n->body);
    m->e->code.items[at].mid = here(m);
    emit_list(m, n->other);
    m->e->code.items[at].end = here(m);
}

static void emit_set(struct emit *m, const struct node *n)
{
    bool uniform = m->lanes == NULL || !fx_varies(m, n->value);
    uint32_t d = reg_take(m), mark = m->next;
    uint32_t r = emit_fx(m, n->value, uniform);
    struct insn *in = insn_add(m, F_MOVE, n->value->type);
    in->d = d;
    in->a = r;
    in->c = 1; /* whole register */
    in->uniform = uniform;
    m->slot_reg[n->slot] = d;
    m->slot_uniform[n->slot] = uniform;
    m->next = mark;
}

static void emit_tile(struct emit *m, const struct tile *t)
{
    struct tile_code *code = ARENA_NEW(m->e->arena, struct tile_code);
    bool data = false;
    code->tile = t;
    for (size_t i = 0; i < DC_ARRAY_LEN(t->frag) && t->frag[i] != NULL; i++) {
        code->frag[i] = addr_make(m, t->frag[i]);
        data |= t->frag[i]->data;
    }
    if (t->memory != NULL) {
        code->memory = addr_make(m, t->memory);
        data |= t->memory->data;
    }
    struct insn *in = insn_add(m, F_TILE, t->frag[0]->store->type);
    in->tile = code;
    in->data = data;
}

static void emit_list(struct emit *m, struct node *list)
{
    uint32_t mark = m->next;
    for (struct node *n = list; n != NULL && m->e->why == NULL; n = n->next)
        switch (n->kind) {
        case NODE_LOOP:
            if (n->apart)
                emit_apart(m, n);
            else
                emit_loop(m, n);
            break;
        case NODE_IF: emit_if(m, n); break;
        case NODE_STORE: emit_store(m, n); break;
        case NODE_SET: emit_set(m, n); break;
        case NODE_ALLOC:
            insn_add(m, F_ALLOC, n->store->type)->store = n->store;
            if (own_lanes(m, n->store))
                n->store->lanes = lane_copies(m);
            break;
        case NODE_LAUNCH: insn_add(m, F_LAUNCH, T_BOOL)->node = n; break;
        case NODE_BARRIER: insn_add(m, F_BARRIER, T_BOOL)->node = n; break;
        case NODE_TILE: emit_tile(m, n->tile); break;
        }
    m->next = mark;
}

bool fast_emit_code(struct engine *e)
{
    struct emit m;
    memset(&m, 0, sizeof m);
    m.e = e;
    m.slot_reg = ARENA_ARRAY(e->arena, e->nslots + 1, uint32_t);
    m.slot_uniform = ARENA_ARRAY(e->arena, e->nslots + 1, bool);
    emit_list(&m, e->top);
    return e->why == NULL;
}
