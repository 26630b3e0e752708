/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances of stores: integers and conditions of the program evaluated with
 * an aff for each loop; domains; order in time; cells.
 *
 * Integers are mathematical ones. That each operation that reaches an address
 * fits its type is proved by safety.c; here veval_index refuses nothing on
 * that account, and evaluate.c checks ranges where an integer becomes a value.
 */
#include "verifier/obligation.h"
#include "verifier/value.h"

#include <string.h>

struct symbol_atom {
    const struct ir_var *var;
    const struct aff *aff;
};

struct eval_state {
    struct VEC(struct symbol_atom) symbols;
    size_t nchoices, cap; /* a hash table of choices; cap a power of two */
    struct vchoice **choices;
};

/* ---- symbols ---------------------------------------------------------------- */

static void range_of_type(struct dtype t, int64_t *lo, int64_t *hi)
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

static const struct aff *known_symbol(const struct vctx *c,
                                      const struct ir_var *var)
{
    for (size_t i = 0; i < c->eval->symbols.len; i++)
        if (c->eval->symbols.items[i].var == var)
            return c->eval->symbols.items[i].aff;
    return NULL;
}

static const struct aff *symbol_of(const struct vctx *c, size_t side, int param,
                                   int dim)
{
    const struct vprog *p = c->progs[side];
    for (size_t i = 0; i < p->nsymbols; i++)
        if (p->symbols[i].param == param && p->symbols[i].dim == dim)
            return known_symbol(c, p->symbols[i].var);
    return NULL;
}

/* Sizes are at least 1 (R16); scalars have the range of their type. */
static const struct aff *fresh_symbol(struct vctx *c, const struct vsymbol *s)
{
    int64_t lo, hi;
    range_of_type(s->var->dtype, &lo, &hi);
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
            if (known_symbol(c, s->var) != NULL)
                continue;
            const struct aff *a =
                side == 1 ? symbol_of(c, 0, s->param, s->dim) : NULL;
            if (a == NULL)
                a = fresh_symbol(c, s);
            struct symbol_atom entry = {s->var, a};
            vec_push(&c->eval->symbols, entry);
        }
    }
}

void vctx_unbind_symbols(struct vctx *c)
{
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
    inst->lets = ARENA_ARRAY(c->arena, nscopes + 1, struct vlet);
    return inst;
}

/* A fresh variable for a loop whose outer loops the instance has. */
static const struct aff *fresh_loop(struct vctx *c, struct vinst *inst,
                                    const struct vloop *l)
{
    int64_t lo, hi, a, b;
    range_of_type(l->var->dtype, &lo, &hi);
    const struct aff *min = NULL, *extent = NULL;
    if (vexpr_is_index(inst, l->min) && vexpr_is_index(inst, l->extent)) {
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
    scopes[inst->nscopes].steps = arena_memdup(
        c->arena, inst->steps, (inst->nsteps + 1) * sizeof *inst->steps);
    out->scopes = scopes;
    out->lets = ARENA_ARRAY(c->arena, inst->nscopes + 2, struct vlet);
    return out;
}

/* ---- variables -------------------------------------------------------------- */

const struct vscope *vinst_lookup(const struct vinst *inst,
                                  const struct ir_var *var, size_t *where)
{
    for (size_t i = inst->nscopes; i-- > 0;) {
        const struct vscope *s = &inst->scopes[i];
        if ((s->kind == VSCOPE_LOOP && s->loop->var == var) ||
            (s->kind == VSCOPE_LET && s->var == var)) {
            *where = i;
            return s;
        }
    }
    return NULL;
}

struct vinst *vinst_at_let(struct vctx *c, const struct vinst *inst,
                           size_t where)
{
    const struct vscope *s = &inst->scopes[where];
    return inst_outer(c, inst, where, s->nsteps, s->steps);
}

static const struct aff *eval_var(struct vctx *c, struct vinst *inst,
                                  const struct ir_var *var)
{
    size_t where;
    const struct vscope *s = vinst_lookup(inst, var, &where);
    if (s == NULL) {
        const struct aff *a = known_symbol(c, var);
        return a != NULL
                   ? a
                   : vctx_fail(c, "variable '%s' has no value here", var->name);
    }
    if (s->kind == VSCOPE_LOOP)
        return inst->loops[s->loop->id];
    struct vlet *let = &inst->lets[where];
    if (let->value == NULL || let->ctx != inst->ctx) {
        let->value = veval_index(c, vinst_at_let(c, inst, where), s->value);
        let->ctx = inst->ctx;
    }
    return let->value;
}

/* Whether a value depends on no data: only loops, lets and sizes. */
bool vexpr_is_index(const struct vinst *inst, const struct ir_expr *e)
{
    if (e->kind == IR_LOAD || e->kind == IR_STRING_IMM ||
        e->kind == IR_FLOAT_IMM || dtype_is_float(e->dtype))
        return false;
    if (e->kind == IR_VAR_REF) {
        size_t where;
        const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
        if (s != NULL && s->kind == VSCOPE_LET) {
            struct vinst outer = *inst;
            outer.nscopes = where;
            return vexpr_is_index(&outer, s->value);
        }
        return true;
    }
    if (e->kind == IR_CALL && e->u.call.op != IR_OP_LIKELY &&
        e->u.call.op != IR_OP_IF_THEN_ELSE)
        return false;
    if (e->kind == IR_LET)
        return false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!vexpr_is_index(inst, e->args[i]))
            return false;
    return true;
}

bool vexpr_index_list(const struct vinst *inst, size_t n,
                      struct ir_expr *const *list)
{
    for (size_t i = 0; i < n; i++)
        if (!vexpr_is_index(inst, list[i]))
            return false;
    return true;
}

/* ---- integers --------------------------------------------------------------- */

/* An integer that is data: opaque, equal where the values are. */
static const struct aff *eval_data(struct vctx *c, struct vinst *inst,
                                   const struct ir_expr *e)
{
    const struct form *ctx = inst->ctx;
    if (vexpr_is_index(inst, e)) /* no data: as a value it would come back */
        return vctx_fail(c, "an index with %s", ir_expr_kind_name(e->kind));
    if (ctx == NULL)
        ctx = vinst_dom(c, inst);
    const struct value *v = ctx == NULL ? NULL : veval_value(c, inst, e, ctx);
    if (v == NULL)
        return NULL;
    if (!OBLIGED(c->smt, "an address is defined", !value_has_undef(v)))
        return vctx_fail(c, "an address or a condition depends on what may be "
                            "uninitialised");
    if (v->kind == VALUE_INDEX)
        return v->index[0];
    uint64_t bits;
    if (value_is_const(v, &bits))
        return aff_const(c->space, num_to_int(v->dtype, bits));
    if (!dtype_is_int(v->dtype) && !dtype_is_bool(v->dtype))
        return vctx_fail(c, "an address depends on a float");
    int64_t lo, hi;
    range_of_type(v->dtype, &lo, &hi);
    struct buf text = {0};
    value_print(c, v, &text);
    atom_id a = aff_opaque_make(
        c->space, v->id, arena_strdup(c->arena, buf_text(&text)), lo, hi);
    buf_fini(&text);
    aff_atom_set_user(c->space, a, (void *)(uintptr_t)v);
    return aff_of_atom(c->space, a);
}

/* ---- choices ---------------------------------------------------------------- */

static uint64_t hash_choice(const struct vchoice *k)
{
    uint64_t h = hash_mix((uint64_t)k->kind, k->a->id);
    h = hash_mix(h, k->b->id);
    return hash_mix(h, k->cond != NULL ? k->cond->id + UINT64_C(1) : 0);
}

static void put_choice(struct eval_state *e, struct vchoice *k)
{
    size_t i = hash_choice(k) & (e->cap - 1);
    while (e->choices[i] != NULL)
        i = (i + 1) & (e->cap - 1);
    e->choices[i] = k;
}

static void grow_choices(struct eval_state *e)
{
    struct vchoice **old = e->choices;
    size_t n = e->cap;
    e->cap = n == 0 ? 64 : n * 2;
    e->choices = (struct vchoice **)dc_alloc(e->cap * sizeof(struct vchoice *));
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            put_choice(e, old[i]);
    dc_release((void *)old);
}

/* The choice with these operands; a new one has aff NULL. */
static struct vchoice *choice_of(struct vctx *c, const struct vchoice *want)
{
    struct eval_state *e = c->eval;
    if ((e->nchoices + 1) * 2 > e->cap)
        grow_choices(e);
    size_t i = hash_choice(want) & (e->cap - 1);
    for (; e->choices[i] != NULL; i = (i + 1) & (e->cap - 1)) {
        struct vchoice *k = e->choices[i];
        if (k->kind == want->kind && k->a == want->a && k->b == want->b &&
            k->cond == want->cond)
            return k;
    }
    struct vchoice *k = arena_memdup(c->arena, want, sizeof *want);
    e->nchoices++;
    e->choices[i] = k;
    return k;
}

static const struct aff *choice_var(struct vctx *c, struct vchoice *k,
                                    const char *name, int64_t lo, int64_t hi)
{
    atom_id a = aff_var_make(c->space, name, lo, hi, NULL, NULL);
    aff_atom_set_user(c->space, a, k);
    k->aff = aff_of_atom(c->space, a);
    return k->aff;
}

const struct aff *vchoice_make(struct vctx *c, const struct form *cond,
                               const struct aff *x, const struct aff *y)
{
    struct aff_space *s = c->space;
    if (cond->kind == FORM_TRUE || x == y)
        return x;
    if (cond->kind == FORM_FALSE)
        return y;
    struct vchoice want = {IR_SELECT, x, y, cond, NULL};
    struct vchoice *k = choice_of(c, &want);
    if (k->aff != NULL)
        return k->aff;
    int64_t lo, hi, l2, h2;
    aff_range(s, x, &lo, &hi);
    aff_range(s, y, &l2, &h2);
    lo = l2 < lo ? l2 : lo;
    hi = h2 > hi ? h2 : hi;
    const struct aff *v = choice_var(c, k, "choice", lo, hi);
    const struct form *fact =
        form_or2(s, form_and2(s, cond, form_eq(s, v, x)),
                 form_and2(s, form_not(s, cond), form_eq(s, v, y)));
    c->facts = form_and2(s, c->facts, fact);
    return v;
}

static int64_t bits_of(enum ir_expr_kind kind, int64_t a, int64_t b)
{
    return kind == IR_BITAND ? a & b : kind == IR_BITOR ? a | b : a ^ b;
}

/* The exclusive or that the integer is alone, or NULL. */
static const struct vchoice *lone_xor(const struct vctx *c, const struct aff *a)
{
    if (a->n != 1 || a->constant != 0 || a->terms[0].coef != 1)
        return NULL;
    const struct atom *info = aff_atom_info(c->space, a->terms[0].atom);
    const struct vchoice *k = info->kind == ATOM_VAR ? info->user : NULL;
    return k != NULL && k->kind == IR_BITXOR ? k : NULL;
}

/* Where the operands decide; NULL: not so. */
static const struct aff *plain_bits(struct vctx *c, enum ir_expr_kind kind,
                                    const struct aff *a, const struct aff *b)
{
    int64_t x, y;
    if (aff_is_const(a, &x) && aff_is_const(b, &y))
        return x < 0 || y < 0 ? NULL : aff_const(c->space, bits_of(kind, x, y));
    if (a == b)
        return kind == IR_BITXOR ? aff_const(c->space, 0) : a;
    for (unsigned i = 0; i < 2; i++) {
        const struct aff *one = i == 0 ? a : b, *other = i == 0 ? b : a;
        const struct vchoice *k = kind == IR_BITXOR ? lone_xor(c, one) : NULL;
        if (aff_is_const(one, &x) && x == 0)
            return kind == IR_BITAND ? one : other;
        if (k != NULL && (k->a == other || k->b == other))
            return k->a == other ? k->b : k->a;
    }
    return NULL;
}

/* "(i ^ 5)"; short, since it stands in messages. */
static const char *bits_name(struct vctx *c, const struct vchoice *k)
{
    struct buf text = {0};
    buf_putc(&text, '(');
    aff_print(c->space, k->a, &text);
    buf_puts(&text, k->kind == IR_BITAND  ? " & "
                    : k->kind == IR_BITOR ? " | "
                                          : " ^ ");
    aff_print(c->space, k->b, &text);
    buf_putc(&text, ')');
    const char *name =
        text.len > 80 ? "bits" : arena_strdup(c->arena, buf_text(&text));
    buf_fini(&text);
    return name;
}

const struct aff *vchoice_bits(struct vctx *c, enum ir_expr_kind kind,
                               const struct aff *a, const struct aff *b)
{
    const struct aff *plain = plain_bits(c, kind, a, b);
    if (plain != NULL)
        return plain;
    if (a->id > b->id) { /* all three commute */
        const struct aff *t = a;
        a = b;
        b = t;
    }
    struct vchoice want = {kind, a, b, NULL, NULL};
    struct vchoice *k = choice_of(c, &want);
    if (k->aff != NULL)
        return k->aff;
    int64_t la, ha, lb, hb, top = 1;
    aff_range(c->space, a, &la, &ha);
    aff_range(c->space, b, &lb, &hb);
    if (la < 0 || lb < 0 || ha > INT64_MAX / 4 || hb > INT64_MAX / 4)
        return choice_var(c, k, bits_name(c, k), AFF_NO_LOWER, AFF_NO_BOUND);
    while (top <= ha || top <= hb)
        top *= 2;
    return choice_var(c, k, bits_name(c, k), 0, top - 1);
}

/* ---- operators -------------------------------------------------------------- */

/* Quotient rounded down; trunc: the operator truncates, which is the same for
 * operands that are not negative. */
static const struct aff *divide(struct vctx *c, struct vinst *inst,
                                const struct aff *a, const struct aff *b,
                                bool trunc)
{
    int64_t k, lo, hi;
    if (trunc) {
        aff_range(c->space, a, &lo, &hi);
        if (lo < 0) {
            const struct form *ctx =
                inst->ctx != NULL ? inst->ctx : form_true(c->space);
            if (!vctx_proves(c, ctx, form_ge0(c->space, a), "dividend >= 0"))
                return vctx_fail(c, "a truncating division of what may be "
                                    "negative");
        }
    }
    if (aff_is_const(b, &k)) {
        if (k > 0)
            return aff_floordiv(c->space, a, k);
        if (k < 0 && k > INT64_MIN && !trunc)
            return aff_floordiv(c->space, aff_scale(c->space, a, -1), -k);
        return vctx_fail(c, "a division by %lld", (long long)k);
    }
    aff_range(c->space, b, &lo, &hi);
    if (!OBLIGED(c->smt, "divisor > 0", lo >= 1))
        return vctx_fail(c, "a division by what may be zero or negative");
    return aff_floordiv_sym(c->space, a, b);
}

static bool const_arg(struct vctx *c, struct vinst *inst,
                      const struct ir_expr *e, int64_t *out)
{
    const struct aff *a = veval_index(c, inst, e);
    return a != NULL && aff_is_const(a, out);
}

/* Shifts by and masks of constants are multiplications and divisions. */
static const struct aff *eval_bits(struct vctx *c, struct vinst *inst,
                                   const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    int64_t k;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    if (a == NULL)
        return NULL;
    if (const_arg(c, inst, e->args[1], &k)) {
        if (e->kind == IR_SHL && k >= 0 && k < 62)
            return aff_scale(s, a, (int64_t)1 << k);
        if (e->kind == IR_SHR && k >= 0 && k < 62)
            return aff_floordiv(s, a, (int64_t)1 << k);
        if (e->kind == IR_BITAND && k >= 0 && k < INT64_MAX / 2 &&
            (k & (k + 1)) == 0)
            return aff_mod(s, a, k + 1);
    }
    if (e->kind != IR_BITXOR && e->kind != IR_BITAND && e->kind != IR_BITOR)
        return vctx_fail(c, "a shift by what is not constant");
    const struct aff *b = veval_index(c, inst, e->args[1]);
    if (b == NULL)
        return NULL;
    int64_t la, ha, lb, hb;
    aff_range(s, a, &la, &ha);
    aff_range(s, b, &lb, &hb);
    if (la < 0 || lb < 0 || ha > INT64_MAX / 4 || hb > INT64_MAX / 4)
        return vctx_fail(c, "bits of what may be negative");
    return vchoice_bits(c, e->kind, a, b);
}

static const struct aff *eval_binary(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    const struct aff *b = a != NULL ? veval_index(c, inst, e->args[1]) : NULL;
    const struct aff *q;
    if (b == NULL)
        return NULL;
    switch (e->kind) {
    case IR_ADD: return aff_add(s, a, b);
    case IR_SUB: return aff_sub(s, a, b);
    case IR_MUL: return aff_mul(s, a, b);
    case IR_FLOORDIV:
    case IR_DIV: return divide(c, inst, a, b, e->kind == IR_DIV);
    case IR_FLOORMOD:
    case IR_MOD:
        q = divide(c, inst, a, b, e->kind == IR_MOD);
        return q == NULL ? NULL : aff_sub(s, a, aff_mul(s, b, q));
    case IR_MIN: return vchoice_make(c, form_le(s, a, b), a, b);
    case IR_MAX: return vchoice_make(c, form_le(s, b, a), a, b);
    default:
        return vctx_fail(c, "an index with %s", ir_expr_kind_name(e->kind));
    }
}

const struct aff *veval_index(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e)
{
    const struct form *cond;
    const struct aff *a, *b;
    switch (e->kind) {
    case IR_INT_IMM: return aff_const(c->space, e->u.int_value);
    case IR_VAR_REF: return eval_var(c, inst, e->u.var);
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_FLOORDIV:
    case IR_DIV:
    case IR_FLOORMOD:
    case IR_MOD:
    case IR_MIN:
    case IR_MAX:
        if (dtype_is_float(e->dtype))
            return eval_data(c, inst, e);
        return eval_binary(c, inst, e);
    case IR_SHL:
    case IR_SHR:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return eval_bits(c, inst, e);
    case IR_CAST:
        if (dtype_is_int(e->dtype) && dtype_is_bool(e->args[0]->dtype) &&
            vexpr_is_index(inst, e)) {
            cond = veval_cond(c, inst, e->args[0]);
            return cond == NULL ? NULL
                                : vchoice_make(c, cond, aff_const(c->space, 1),
                                               aff_const(c->space, 0));
        }
        if (!dtype_is_int(e->args[0]->dtype) || !dtype_is_int(e->dtype))
            return eval_data(c, inst, e);
        return veval_index(c, inst, e->args[0]);
    case IR_LET: return veval_index(c, vinst_with_let(c, inst, e), e->args[1]);
    case IR_SELECT: break;
    case IR_CALL:
        if (e->u.call.op == IR_OP_LIKELY)
            return veval_index(c, inst, e->args[0]);
        if (e->u.call.op == IR_OP_IF_THEN_ELSE)
            break;
        return eval_data(c, inst, e);
    default: return eval_data(c, inst, e);
    }
    cond = veval_cond(c, inst, e->args[0]);
    a = cond != NULL ? veval_index(c, inst, e->args[1]) : NULL;
    b = a != NULL ? veval_index(c, inst, e->args[2]) : NULL;
    return b == NULL ? NULL : vchoice_make(c, cond, a, b);
}

/* ---- conditions ------------------------------------------------------------- */

static const struct form *eval_compare(struct vctx *c, struct vinst *inst,
                                       const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    const struct aff *b = a != NULL ? veval_index(c, inst, e->args[1]) : NULL;
    if (b == NULL)
        return NULL;
    switch (e->kind) {
    case IR_EQ: return form_eq(s, a, b);
    case IR_NE: return form_not(s, form_eq(s, a, b));
    case IR_LT: return form_lt(s, a, b);
    case IR_LE: return form_le(s, a, b);
    case IR_GT: return form_lt(s, b, a);
    default: return form_le(s, b, a);
    }
}

static const struct form *cond_data(struct vctx *c, struct vinst *inst,
                                    const struct ir_expr *e)
{
    const struct form *ctx = inst->ctx;
    if (vexpr_is_index(inst, e)) /* no data: as a value it would come back */
        return vctx_fail(c, "a condition with %s", ir_expr_kind_name(e->kind));
    if (ctx == NULL)
        ctx = form_true(c->space);
    const struct value *v = veval_value(c, inst, e, ctx);
    if (v != NULL &&
        !OBLIGED(c->smt, "a condition is defined", !value_has_undef(v)))
        return vctx_fail(c, "a condition depends on what may be uninitialised");
    return v == NULL ? NULL : vpred_of(c, v);
}

/* (a and b) or not (a or b): of two truths, whether they are equal. */
static const struct form *same_truth(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct form *a = veval_cond(c, inst, e->args[0]);
    const struct form *b = a != NULL ? veval_cond(c, inst, e->args[1]) : NULL;
    if (b == NULL)
        return NULL;
    const struct form *same = form_or2(
        s, form_and2(s, a, b), form_and2(s, form_not(s, a), form_not(s, b)));
    return e->kind == IR_EQ ? same : form_not(s, same);
}

static const struct form *chosen_truth(struct vctx *c, struct vinst *inst,
                                       const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct form *cond = veval_cond(c, inst, e->args[0]);
    const struct form *a =
        cond != NULL ? veval_cond(c, inst, e->args[1]) : NULL;
    const struct form *b = a != NULL ? veval_cond(c, inst, e->args[2]) : NULL;
    return b == NULL ? NULL
                     : form_or2(s, form_and2(s, cond, a),
                                form_and2(s, form_not(s, cond), b));
}

const struct form *veval_cond(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e)
{
    const struct form *a, *b;
    switch (e->kind) {
    case IR_INT_IMM:
        return e->u.int_value != 0 ? form_true(c->space) : form_false(c->space);
    case IR_AND:
    case IR_OR:
        a = veval_cond(c, inst, e->args[0]);
        b = a != NULL ? veval_cond(c, inst, e->args[1]) : NULL;
        if (b == NULL)
            return NULL;
        return e->kind == IR_AND ? form_and2(c->space, a, b)
                                 : form_or2(c->space, a, b);
    case IR_NOT:
        a = veval_cond(c, inst, e->args[0]);
        return a == NULL ? NULL : form_not(c->space, a);
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
        if (dtype_is_int(e->args[0]->dtype))
            return eval_compare(c, inst, e);
        if ((e->kind == IR_EQ || e->kind == IR_NE) && vexpr_is_index(inst, e))
            return same_truth(c, inst, e);
        return cond_data(c, inst, e);
    case IR_SELECT:
        return vexpr_is_index(inst, e) ? chosen_truth(c, inst, e)
                                       : cond_data(c, inst, e);
    case IR_CAST:
        if (dtype_is_bool(e->args[0]->dtype))
            return veval_cond(c, inst, e->args[0]);
        if (dtype_is_int(e->args[0]->dtype)) {
            const struct aff *x = veval_index(c, inst, e->args[0]);
            return x == NULL
                       ? NULL
                       : form_not(c->space,
                                  form_eq(c->space, x, aff_const(c->space, 0)));
        }
        return cond_data(c, inst, e);
    case IR_CALL:
        if (e->u.call.op == IR_OP_LIKELY)
            return veval_cond(c, inst, e->args[0]);
        if (e->u.call.op == IR_OP_IF_THEN_ELSE && vexpr_is_index(inst, e))
            return chosen_truth(c, inst, e);
        return cond_data(c, inst, e);
    case IR_VAR_REF: {
        size_t where;
        const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
        if (s != NULL && s->kind == VSCOPE_LET)
            return veval_cond(c, vinst_at_let(c, inst, where), s->value);
        const struct aff *x = eval_var(c, inst, e->u.var);
        return x == NULL ? NULL
                         : form_not(c->space, form_eq(c->space, x,
                                                      aff_const(c->space, 0)));
    }
    default: return cond_data(c, inst, e);
    }
}

/* ---- domains ---------------------------------------------------------------- */

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
    if (e->kind == IR_CAST && dtype_is_int(e->args[0]->dtype))
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
                         vexpr_is_index(outer, s->loop->min) &&
                             vexpr_is_index(outer, s->loop->extent)))
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
