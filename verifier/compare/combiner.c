/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps as a combiner: f(state, argument), both tuples of the same components;
 * and the laws of f, shown from its definition.
 *
 * What is understood are combiners that choose: components are compared and one
 * of them is taken (argmax and its kin). Integers are themselves; a float is an
 * integer variable of a wide range: f sees of floats only how they compare, any
 * finite set of numbers can be placed on the integers in its order, and ±0 is
 * one number. Of 62 bits and more, whose ends no range holds, any integer is a
 * state: what holds of all of them holds of those of the type. NaN is not, so
 * that laws of floats assume that there is none.
 * Equality of the results is proved for all states, component by component,
 * without quantifiers.
 */
#include "verifier/compare/match.h"
#include "verifier/smt/obligation.h"

#define FLOAT_RANGE ((int64_t)1 << 40)
#define MAX_NODES   4000

/* f applied: variables for the state and for the argument, and what the
 * variables made on the way mean. */
struct apply {
    const struct combiner *f;
    const struct aff *const *state, *const *arg;
    const struct form *facts;
    unsigned nodes;
    bool floats;
};

static const struct aff *value_in(struct apply *a, const struct value *v);
static const struct form *form_in(struct apply *a, const struct form *f);

static bool same(const struct combiner *f, const struct value *p,
                 const struct value *q)
{
    if (p == q)
        return true;
    if (p->kind != q->kind || p->param != q->param || p->has_hole ||
        q->has_hole)
        return false;
    struct match exact = {
        .c = f->m->c, .mode = MATCH_IDENTICAL, .work = f->m->work};
    bool equal = match_values(&exact, p, q, f->ctx);
    f->m->work = exact.work;
    return equal;
}

/* ---- reading it off ----------------------------------------------------------- */

/* What component i takes in place of the state: one value without holes. */
static bool find_arg(struct combiner *f, size_t i, const struct value *v,
                     unsigned depth)
{
    if (depth > 200)
        return false;
    if (v->kind == VALUE_HOLE)
        return v->param == (int)i;
    if (!v->has_hole) {
        if (f->arg[i] == NULL)
            f->arg[i] = v;
        return same(f, f->arg[i], v);
    }
    bool choice =
        v->kind == VALUE_ITE || (v->kind == VALUE_OP && v->nargs == 2 &&
                                 (v->op == IR_MIN || v->op == IR_MAX));
    return choice && find_arg(f, i, v->args[0], depth + 1) &&
           find_arg(f, i, v->args[1], depth + 1);
}

bool combiner_of(struct match *m, const struct value *leaf,
                 const struct form *ctx, struct combiner *out)
{
    *out =
        (struct combiner){.m = m, .n = leaf->nargs, .leaf = leaf, .ctx = ctx};
    if (out->n > MAX_COMBINED)
        return false;
    for (size_t i = 0; i < out->n; i++)
        if (!find_arg(out, i, leaf->args[i], 0) || out->arg[i] == NULL)
            return false;
    return true;
}

/* ---- applying it --------------------------------------------------------------- */

static const struct aff *variable(struct vctx *c, struct dtype t,
                                  const char *name)
{
    int64_t lo = -FLOAT_RANGE, hi = FLOAT_RANGE;
    if (!dtype_is_float(t)) {
        bool is_signed = t.code == DT_INT;
        bool wide = t.bits >= 62;
        unsigned bits = is_signed ? t.bits - 1u : t.bits;
        hi = wide ? AFF_NO_BOUND : ((int64_t)1 << bits) - 1;
        lo = !is_signed ? 0 : wide ? AFF_NO_LOWER : -hi - 1;
    }
    return aff_of_atom(c->space,
                       aff_var_make(c->space, name, lo, hi, NULL, NULL));
}

static const struct aff *choose(struct apply *a, const struct form *cond,
                                const struct aff *x, const struct aff *y)
{
    struct vctx *c = a->f->m->c;
    struct aff_space *s = c->space;
    if (cond == NULL || x == NULL || y == NULL)
        return NULL;
    if (x == y)
        return x;
    /* as wide as any operand */
    const struct aff *r = aff_of_atom(
        s, aff_var_make(s, "chosen", AFF_NO_LOWER, AFF_NO_BOUND, NULL, NULL));
    const struct form *yes = form_and2(s, cond, form_eq(s, r, x));
    const struct form *no = form_and2(s, form_not(s, cond), form_eq(s, r, y));
    a->facts = form_and2(s, a->facts, form_or2(s, yes, no));
    return r;
}

static const struct form *compare_in(struct apply *a, const struct value *v)
{
    struct aff_space *s = a->f->m->c->space;
    if (v->nargs != 2)
        return NULL;
    const struct aff *x = value_in(a, v->args[0]), *y = value_in(a, v->args[1]);
    if (x == NULL || y == NULL)
        return NULL;
    a->floats = a->floats || dtype_is_float(v->args[0]->dtype);
    switch (v->op) {
    case IR_EQ: return form_eq(s, x, y);
    case IR_NE: return form_not(s, form_eq(s, x, y));
    case IR_LT: return form_lt(s, x, y);
    case IR_LE: return form_le(s, x, y);
    case IR_GT: return form_lt(s, y, x);
    case IR_GE: return form_le(s, y, x);
    default: return NULL;
    }
}

/* The truth of data: a comparison, or such put together. */
static const struct form *truth_in(struct apply *a, const struct value *v)
{
    struct aff_space *s = a->f->m->c->space;
    if (v == NULL || ++a->nodes > MAX_NODES)
        return NULL;
    if (v->kind == VALUE_ITE) {
        uint64_t x, y;
        if (!value_is_const(v->args[0], &x) || !value_is_const(v->args[1], &y))
            return NULL;
        const struct form *f = form_in(a, v->cond);
        if (f == NULL || (x != 0) == (y != 0))
            return f == NULL ? NULL : x != 0 ? form_true(s) : form_false(s);
        return x != 0 ? f : form_not(s, f);
    }
    if (v->kind != VALUE_OP)
        return NULL;
    if (v->op == IR_NOT && v->nargs == 1) {
        const struct form *f = truth_in(a, v->args[0]);
        return f == NULL ? NULL : form_not(s, f);
    }
    if ((v->op == IR_AND || v->op == IR_OR) && v->nargs == 2) {
        const struct form *x = truth_in(a, v->args[0]);
        const struct form *y = x == NULL ? NULL : truth_in(a, v->args[1]);
        if (y == NULL)
            return NULL;
        return v->op == IR_AND ? form_and2(s, x, y) : form_or2(s, x, y);
    }
    return compare_in(a, v);
}

/* An integer of data and of indices; the indices have to be a multiple of an
 * argument's, but for a constant. */
static const struct aff *aff_in(struct apply *a, const struct aff *x)
{
    struct vctx *c = a->f->m->c;
    struct aff_space *s = c->space;
    const struct aff *out = aff_const(s, 0), *rest = aff_const(s, x->constant);
    int64_t k;
    for (uint32_t i = 0; i < x->n; i++) {
        atom_id id = x->terms[i].atom;
        const struct atom *t = aff_atom_info(s, id);
        const struct aff *own = aff_of_atom(s, id);
        if (t->kind == ATOM_OPAQUE && t->user != NULL) {
            const struct aff *y = value_in(a, t->user);
            if (y == NULL)
                return NULL;
            out = aff_add(s, out, aff_scale(s, y, x->terms[i].coef));
        } else {
            rest = aff_add(s, rest, aff_scale(s, own, x->terms[i].coef));
        }
    }
    for (size_t i = 0; i < a->f->n && !aff_is_const(rest, &k); i++) {
        const struct value *b = a->f->arg[i];
        if (b->kind != VALUE_INDEX || b->index[0]->n == 0)
            continue;
        const struct aff_term *lead = &b->index[0]->terms[0];
        int64_t has = aff_coef(rest, lead->atom);
        if (has == 0 || has % lead->coef != 0)
            continue;
        const struct aff *left =
            aff_sub(s, rest, aff_scale(s, b->index[0], has / lead->coef));
        if (!aff_is_const(left, &k))
            continue;
        out = aff_add(s, out, aff_scale(s, a->arg[i], has / lead->coef));
        rest = left;
    }
    return aff_is_const(rest, &k) ? aff_add(s, out, rest) : NULL;
}

static const struct form *form_in(struct apply *a, const struct form *f)
{
    struct vctx *c = a->f->m->c;
    struct aff_space *s = c->space;
    const struct aff *x;
    const struct form *out;
    if (++a->nodes > MAX_NODES)
        return NULL;
    switch (f->kind) {
    case FORM_TRUE:
    case FORM_FALSE: return f;
    case FORM_GE0:
        x = aff_in(a, f->a);
        return x == NULL ? NULL : form_ge0(s, x);
    case FORM_EQ0:
    case FORM_NOT_EQ0:
        x = aff_in(a, f->a);
        if (x == NULL)
            return NULL;
        out = form_eq(s, x, aff_const(s, 0));
        return f->kind == FORM_EQ0 ? out : form_not(s, out);
    case FORM_PRED:
        out = truth_in(a, vpred_value(c, f->key));
        if (out == NULL)
            return NULL;
        return f->negated ? form_not(s, out) : out;
    case FORM_AND:
    case FORM_OR: break;
    }
    out = f->kind == FORM_AND ? form_true(s) : form_false(s);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct form *g = form_in(a, f->args[i]);
        if (g == NULL)
            return NULL;
        out = f->kind == FORM_AND ? form_and2(s, out, g) : form_or2(s, out, g);
    }
    return out;
}

static const struct aff *value_in(struct apply *a, const struct value *v)
{
    struct aff_space *s = a->f->m->c->space;
    if (++a->nodes > MAX_NODES)
        return NULL;
    if (v->kind == VALUE_HOLE)
        return a->state[v->param];
    for (size_t i = 0; i < a->f->n; i++)
        if (same(a->f, a->f->arg[i], v))
            return a->arg[i];
    if (v->kind == VALUE_ITE)
        return choose(a, form_in(a, v->cond), value_in(a, v->args[0]),
                      value_in(a, v->args[1]));
    if (v->kind != VALUE_OP || v->nargs != 2 ||
        (v->op != IR_MIN && v->op != IR_MAX))
        return NULL;
    const struct aff *x = value_in(a, v->args[0]), *y = value_in(a, v->args[1]);
    if (x == NULL || y == NULL)
        return NULL;
    a->floats = a->floats || dtype_is_float(v->dtype);
    return choose(a, v->op == IR_MAX ? form_lt(s, y, x) : form_lt(s, x, y), x,
                  y);
}

/* out = f(state, arg); facts gets what the variables of out mean. */
static bool apply(struct combiner *f, const struct aff *const *state,
                  const struct aff *const *arg, const struct aff **out,
                  const struct form **facts)
{
    struct apply a = {f, state, arg, *facts, 0, false};
    for (size_t i = 0; i < f->n; i++) {
        out[i] = value_in(&a, f->leaf->args[i]);
        if (out[i] == NULL)
            return false;
    }
    f->floats = f->floats || a.floats;
    *facts = a.facts;
    return true;
}

/* ---- laws ------------------------------------------------------------------------ */

static void states(const struct combiner *f, const char *name,
                   const struct aff **out)
{
    for (size_t i = 0; i < f->n; i++)
        out[i] = variable(f->m->c, f->leaf->args[i]->dtype, name);
}

static bool equal(const struct combiner *f, const struct form *facts,
                  const struct aff *const *x, const struct aff *const *y,
                  const char *what)
{
    struct vctx *c = f->m->c;
    for (size_t i = 0; i < f->n; i++)
        if (!vctx_proves(c, facts, form_eq(c->space, x[i], y[i]), what))
            return false;
    return true;
}

bool combiner_same(struct combiner *a, struct combiner *b)
{
    const struct aff *x[MAX_COMBINED], *y[MAX_COMBINED], *ra[MAX_COMBINED],
        *rb[MAX_COMBINED];
    const struct form *facts = form_true(a->m->c->space);
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!dtype_equal(a->leaf->args[i]->dtype, b->leaf->args[i]->dtype))
            return false;
    states(a, "x", x);
    states(a, "y", y);
    return apply(a, x, y, ra, &facts) && apply(b, x, y, rb, &facts) &&
           equal(a, facts, ra, rb, "the same combiner");
}

static void print_state(const struct combiner *f, const struct aff *const *x,
                        struct buf *out)
{
    for (size_t i = 0; i < f->n; i++)
        buf_printf(out, "%s%lld", i > 0 ? ", " : "(",
                   (long long)smt_model_aff(f->m->c->smt, x[i]));
    buf_putc(out, ')');
}

/* Notes an instance at which a law fails: numbers stand for floats of that
 * order. */
static bool refused(const struct combiner *f, const struct form *facts,
                    const struct aff *const *x, const struct aff *const *y,
                    size_t n, const struct aff *const *const *of,
                    const char *law)
{
    struct vctx *c = f->m->c;
    const struct form *differ = form_false(c->space);
    for (size_t i = 0; i < f->n; i++)
        differ = form_or2(c->space, differ,
                          form_not(c->space, form_eq(c->space, x[i], y[i])));
    if (smt_unsat(c->smt, form_and2(c->space, facts, differ), "law", false) !=
        SMT_REFUTED)
        return false;
    struct buf text = {0};
    buf_printf(&text, "steps combine in a way that is not %s: of ", law);
    for (size_t i = 0; i < n; i++) {
        buf_puts(&text, i == 0 ? "" : i + 1 < n ? ", " : " and ");
        print_state(f, of[i], &text);
    }
    buf_puts(&text, " comes ");
    print_state(f, x, &text);
    buf_puts(&text, " or ");
    print_state(f, y, &text);
    f->m->why = arena_strdup(c->arena, buf_text(&text));
    f->m->why_depth = UINT32_MAX;
    buf_fini(&text);
    return false;
}

static bool commutative(struct combiner *f)
{
    const struct aff *x[MAX_COMBINED], *y[MAX_COMBINED], *xy[MAX_COMBINED],
        *yx[MAX_COMBINED];
    const struct form *facts = form_true(f->m->c->space);
    states(f, "x", x);
    states(f, "y", y);
    if (!apply(f, x, y, xy, &facts) || !apply(f, y, x, yx, &facts))
        return false;
    const struct aff *const *of[] = {x, y};
    return equal(f, facts, xy, yx, "the combiner is commutative") ||
           refused(f, facts, xy, yx, 2, of, "commutative");
}

static bool associative(struct combiner *f)
{
    const struct aff *x[MAX_COMBINED], *y[MAX_COMBINED], *z[MAX_COMBINED],
        *xy[MAX_COMBINED], *yz[MAX_COMBINED], *l[MAX_COMBINED],
        *r[MAX_COMBINED];
    const struct form *facts = form_true(f->m->c->space);
    states(f, "x", x);
    states(f, "y", y);
    states(f, "z", z);
    if (!apply(f, x, y, xy, &facts) || !apply(f, xy, z, l, &facts) ||
        !apply(f, y, z, yz, &facts) || !apply(f, x, yz, r, &facts))
        return false;
    const struct aff *const *of[] = {x, y, z};
    return equal(f, facts, l, r, "the combiner is associative") ||
           refused(f, facts, l, r, 3, of, "associative");
}

/* The laws are those of numbers, also for the state that folds begin with. */
static bool has_nan(const struct value *begin)
{
    for (size_t i = 0; i < begin->nargs; i++) {
        const struct value *v = begin->args[i];
        if (dtype_is_float(v->dtype) && num_is_nan(v->dtype, v->bits))
            return true;
    }
    return false;
}

/* f(e, e) = e needs no proof. Component i of f(x, y) is x_i or y_j, whatever
 * decides, j the first component with the same argument (find_arg, value_in).
 * Were j not i, then x_i = y_j = 0, y_i = x_j = 1 would give 0, and 1 with the
 * sides exchanged: f would not be commutative. */
bool combiner_laws(struct combiner *f, const struct value *begin)
{
    return commutative(f) && associative(f) &&
           OBLIGED(f->m->c->smt, "the initial state is no NaN",
                   !has_nan(begin));
}
