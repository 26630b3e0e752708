/* SPDX-License-Identifier: Apache-2.0
 *
 * Index arithmetic: linear forms over atoms, their bounds, and the
 * simplification that rests on both.
 *
 * An expression of scalar signed integers is a constant plus multiples of
 * atoms: variables, quotients and remainders by constants, and anything that is
 * not linear. Quotients and remainders are resolved as far as bounds allow,
 * with three facts (all for floor division, c, g > 0):
 *   (g A + B) // g c = A // c              if 0 <= B < g
 *   (g A + B) %  g c = g (A % c) + B       if 0 <= B < g
 *   c (x // c) + x % c = x
 * Bounds are found by replacing each variable, innermost first, by an end of
 * its range, which may itself be an expression; so `4 i + j < 4 n` is known for
 * i < n, j < 4 whatever n is.
 *
 * Intermediate results are taken to be exact: indices that overflow their type
 * are unsafe anyway (docs/semantics.md, rule 9).
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- folding constructors -------------------------------------------------- */

struct ir_expr *sched_true(struct schedule *s)
{
    return ir_int(s->m, DTYPE_BOOL, 1);
}

struct ir_expr *sched_and(struct schedule *s, struct ir_expr *a,
                          struct ir_expr *b)
{
    if (ir_is_true(a))
        return b;
    return ir_is_true(b) ? a : ir_binary(s->m, IR_AND, a, b);
}

static bool fold(enum ir_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
    bool divides = b != 0 && !(a == INT64_MIN && b == -1);
    switch ((int)kind) {
    case IR_ADD: return !__builtin_add_overflow(a, b, out);
    case IR_SUB: return !__builtin_sub_overflow(a, b, out);
    case IR_MUL: return !__builtin_mul_overflow(a, b, out);
    case IR_FLOORDIV: *out = divides ? int_floor_div(a, b) : 0; return divides;
    case IR_FLOORMOD: *out = divides ? int_floor_mod(a, b) : 0; return divides;
    case IR_MIN: *out = a < b ? a : b; return true;
    case IR_MAX: *out = a > b ? a : b; return true;
    default: return false;
    }
}

static bool is_int(const struct ir_expr *e, int64_t value)
{
    return e->kind == IR_INT_IMM && e->u.int_value == value;
}

struct ir_expr *sched_op(struct schedule *s, enum ir_expr_kind kind,
                         struct ir_expr *a, struct ir_expr *b)
{
    int64_t value;
    if (a->kind == IR_INT_IMM && b->kind == IR_INT_IMM &&
        fold(kind, a->u.int_value, b->u.int_value, &value))
        return ir_int(s->m, a->dtype, value);
    if ((kind == IR_ADD || kind == IR_SUB) && is_int(b, 0))
        return a;
    if (kind == IR_ADD && is_int(a, 0))
        return b;
    if (kind == IR_MUL && (is_int(a, 0) || is_int(b, 1)))
        return a;
    if (kind == IR_MUL && (is_int(b, 0) || is_int(a, 1)))
        return b;
    if (kind == IR_FLOORDIV && is_int(b, 1))
        return a;
    if (kind == IR_FLOORMOD && is_int(b, 1))
        return ir_int(s->m, a->dtype, 0);
    if ((kind == IR_MIN || kind == IR_MAX) && ir_expr_same(a, b))
        return a;
    return ir_binary(s->m, kind, a, b);
}

/* ---- environments ---------------------------------------------------------- */

void sched_env_add(struct sched_env *env, const struct ir_var *var,
                   struct ir_expr *min, struct ir_expr *extent)
{
    if (env->n < SCHED_MAX_ENV)
        env->items[env->n++] = (struct sched_range){var, min, extent};
}

void sched_env_path(struct schedule *s, const struct sched_path *path,
                    struct sched_env *env)
{
    (void)s;
    env->n = 0;
    for (size_t i = 0; i < path->n; i++) {
        const struct ir_stmt *stmt = path->nodes[i];
        if (stmt->kind == IR_FOR && !stmt->u.loop.step)
            sched_env_add(env, stmt->u.loop.var, stmt->u.loop.min,
                          stmt->u.loop.extent);
        if (stmt->kind != IR_BLOCK || i + 1 == path->n)
            continue;
        sched_env_domain(env, stmt->u.block);
    }
}

void sched_env_domain(struct sched_env *env, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].has_dom)
            sched_env_add(env, b->iters[i].var, b->iters[i].dom.min,
                          b->iters[i].dom.extent);
}

/* ---- linear forms ---------------------------------------------------------- */

static struct sched_linear constant(struct dtype dtype, int64_t value)
{
    struct sched_linear l;
    l.ok = true;
    l.dtype = dtype;
    l.base = value;
    l.n = 0;
    return l;
}

static void add_term(struct sched_linear *l, struct ir_expr *atom,
                     int64_t coeff)
{
    for (size_t i = 0; i < l->n; i++) {
        if (!ir_expr_same(l->terms[i].atom, atom))
            continue;
        if (__builtin_add_overflow(l->terms[i].coeff, coeff,
                                   &l->terms[i].coeff))
            l->ok = false;
        if (l->terms[i].coeff == 0) {
            l->n--;
            memmove(l->terms + i, l->terms + i + 1,
                    (l->n - i) * sizeof l->terms[0]);
        }
        return;
    }
    if (coeff == 0)
        return;
    if (l->n == SCHED_MAX_TERMS) {
        l->ok = false;
        return;
    }
    l->terms[l->n].atom = atom;
    l->terms[l->n++].coeff = coeff;
}

struct sched_linear sched_linear_add(const struct sched_linear *a,
                                     const struct sched_linear *b,
                                     int64_t factor)
{
    struct sched_linear l = *a;
    int64_t product;
    l.ok = a->ok && b->ok;
    if (__builtin_mul_overflow(b->base, factor, &product) ||
        __builtin_add_overflow(l.base, product, &l.base))
        l.ok = false;
    for (size_t i = 0; i < b->n && l.ok; i++) {
        if (__builtin_mul_overflow(b->terms[i].coeff, factor, &product))
            l.ok = false;
        else
            add_term(&l, b->terms[i].atom, product);
    }
    return l;
}

static struct ir_expr *scaled(struct schedule *s, struct ir_expr *atom,
                              int64_t coeff)
{
    return coeff == 1 ? atom
                      : ir_binary(s->m, IR_MUL, atom,
                                  ir_int(s->m, atom->dtype, coeff));
}

struct ir_expr *sched_linear_expr(struct schedule *s,
                                  const struct sched_linear *l)
{
    struct ir_expr *e = NULL;
    for (size_t i = 0; i < l->n; i++)
        if (l->terms[i].coeff > 0) {
            struct ir_expr *t = scaled(s, l->terms[i].atom, l->terms[i].coeff);
            e = e ? ir_binary(s->m, IR_ADD, e, t) : t;
        }
    bool base_first = !e && l->base != 0;
    if (base_first)
        e = ir_int(s->m, l->dtype, l->base);
    for (size_t i = 0; i < l->n; i++)
        if (l->terms[i].coeff < 0) {
            if (!e)
                e = ir_int(s->m, l->dtype, 0);
            e = ir_binary(s->m, IR_SUB, e,
                          scaled(s, l->terms[i].atom, -l->terms[i].coeff));
        }
    if (!e)
        return ir_int(s->m, l->dtype, l->base);
    if (base_first || l->base == 0)
        return e;
    if (l->base < 0)
        return ir_binary(s->m, IR_SUB, e, ir_int(s->m, l->dtype, -l->base));
    return ir_binary(s->m, IR_ADD, e, ir_int(s->m, l->dtype, l->base));
}

/* ---- bounds ---------------------------------------------------------------- */

static const struct sched_bounds unbounded = {INT64_MIN, INT64_MAX};

/* a + factor * b, saturating at "no bound". */
static int64_t add_bound(int64_t a, int64_t b, int64_t factor, int64_t none)
{
    int64_t product, sum;
    if (a == none || b == INT64_MIN || b == INT64_MAX ||
        __builtin_mul_overflow(b, factor, &product) ||
        __builtin_add_overflow(a, product, &sum))
        return none;
    return sum;
}

static struct sched_bounds bounds_of(struct schedule *s,
                                     const struct sched_env *env,
                                     struct ir_expr *e, unsigned depth);

/* Bounds of a quotient or remainder by a positive constant. */
static struct sched_bounds divided(struct sched_bounds x, int64_t c, bool rest)
{
    if (rest) {
        if (x.min >= 0 && x.max < c)
            return x;
        return (struct sched_bounds){0, c - 1};
    }
    if (x.min != INT64_MIN)
        x.min = int_floor_div(x.min, c);
    if (x.max != INT64_MAX)
        x.max = int_floor_div(x.max, c);
    return x;
}

static struct sched_bounds atom_bounds(struct schedule *s,
                                       const struct sched_env *env,
                                       struct ir_expr *e, unsigned depth)
{
    int64_t c;
    if (depth == 0)
        return unbounded;
    if ((e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD) &&
        ir_const_int(e->args[1], &c) && c > 0)
        return divided(bounds_of(s, env, e->args[0], depth - 1), c,
                       e->kind == IR_FLOORMOD);
    if (e->kind == IR_MIN || e->kind == IR_MAX) {
        struct sched_bounds a = bounds_of(s, env, e->args[0], depth - 1);
        struct sched_bounds b = bounds_of(s, env, e->args[1], depth - 1);
        bool least = e->kind == IR_MIN;
        a.min = least == (a.min < b.min) ? a.min : b.min;
        a.max = least == (a.max < b.max) ? a.max : b.max;
        return a;
    }
    if (e->kind == IR_CAST && dtype_is_int(e->dtype) &&
        e->dtype.code == DT_INT && dtype_is_int(e->args[0]->dtype) &&
        e->args[0]->dtype.bits <= e->dtype.bits)
        return bounds_of(s, env, e->args[0], depth - 1);
    if (e->kind == IR_VAR_REF && e->u.var->is_size)
        return (struct sched_bounds){0, INT64_MAX};
    return unbounded;
}

static int64_t sum_atoms(struct schedule *s, const struct sched_env *env,
                         const struct sched_linear *l, bool upper,
                         unsigned depth)
{
    int64_t none = upper ? INT64_MAX : INT64_MIN, sum = l->base;
    for (size_t i = 0; i < l->n; i++) {
        struct sched_bounds b =
            atom_bounds(s, env, l->terms[i].atom, depth ? depth - 1 : 0);
        bool high = (l->terms[i].coeff > 0) == upper;
        sum = add_bound(sum, high ? b.max : b.min, l->terms[i].coeff, none);
    }
    return sum;
}

/* x - c + 1 <= c (x // c) <= x: quotients of what has no bounds give way to
 * it, so that it may cancel. Whether there were any. */
static bool open_quotients(struct schedule *s, struct sched_linear *l,
                           bool upper)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct ir_expr *e = l->terms[i].atom;
        int64_t c, coeff = l->terms[i].coeff;
        if (e->kind != IR_FLOORDIV || !ir_const_int(e->args[1], &c) || c <= 0 ||
            coeff % c != 0)
            continue;
        struct sched_linear x = sched_linear(s, NULL, e->args[0]);
        if ((coeff > 0) != upper)
            x.base -= c - 1;
        l->n--;
        memmove(l->terms + i, l->terms + i + 1,
                (l->n - i) * sizeof l->terms[0]);
        *l = sched_linear_add(l, &x, coeff / c);
        return l->ok;
    }
    return false;
}

/* One side of the range of a linear form: variables with a range give way to
 * its end, innermost first; what is left has bounds of its own. */
static int64_t end_of(struct schedule *s, const struct sched_env *env,
                      struct sched_linear l, bool upper, unsigned depth)
{
    int64_t none = upper ? INT64_MAX : INT64_MIN;
    for (size_t i = env ? env->n : 0; i-- > 0 && l.ok && depth > 0;) {
        const struct sched_range *r = &env->items[i];
        for (size_t j = 0; j < l.n; j++) {
            if (l.terms[j].atom->kind != IR_VAR_REF ||
                l.terms[j].atom->u.var != r->var)
                continue;
            int64_t coeff = l.terms[j].coeff;
            struct sched_linear end = sched_linear(s, NULL, r->min);
            if ((coeff > 0) == upper) {
                struct sched_linear extent = sched_linear(s, NULL, r->extent);
                end = sched_linear_add(&end, &extent, 1);
                end.base -= 1;
            }
            l.n--;
            memmove(l.terms + j, l.terms + j + 1,
                    (l.n - j) * sizeof l.terms[0]);
            l = sched_linear_add(&l, &end, coeff);
            break;
        }
    }
    if (!l.ok)
        return none;
    int64_t sum = sum_atoms(s, env, &l, upper, depth);
    if (sum != none || !open_quotients(s, &l, upper))
        return sum;
    return sum_atoms(s, env, &l, upper, depth);
}

static struct sched_bounds bounds_of(struct schedule *s,
                                     const struct sched_env *env,
                                     struct ir_expr *e, unsigned depth)
{
    struct sched_linear l = sched_linear(s, NULL, e);
    if (!l.ok || depth == 0)
        return unbounded;
    return (struct sched_bounds){end_of(s, env, l, false, depth),
                                 end_of(s, env, l, true, depth)};
}

struct sched_bounds sched_bounds(struct schedule *s,
                                 const struct sched_env *env,
                                 const struct sched_linear *l)
{
    if (!l->ok)
        return unbounded;
    return (struct sched_bounds){end_of(s, env, *l, false, 6),
                                 end_of(s, env, *l, true, 6)};
}

/* ---- quotients and remainders ---------------------------------------------- */

/* l = g A + B: terms whose coefficient g divides go to A. */
static void part(const struct sched_linear *l, int64_t g,
                 struct sched_linear *a, struct sched_linear *b)
{
    *a = constant(l->dtype, int_floor_div(l->base, g));
    *b = constant(l->dtype, int_floor_mod(l->base, g));
    for (size_t i = 0; i < l->n; i++) {
        if (l->terms[i].coeff % g == 0)
            add_term(a, l->terms[i].atom, l->terms[i].coeff / g);
        else
            add_term(b, l->terms[i].atom, l->terms[i].coeff);
    }
}

static bool is_within(struct schedule *s, const struct sched_env *env,
                      const struct sched_linear *l, int64_t g)
{
    struct sched_bounds b = sched_bounds(s, env, l);
    return b.min >= 0 && b.max < g;
}

/* l // c or l % c as one atom, with what can be taken out of it: a quotient
 * of a quotient is one, a remainder of a multiple's remainder too. */
static struct sched_linear
atom_of(struct schedule *s, const struct sched_linear *l, int64_t c, bool rest)
{
    struct sched_linear out = constant(l->dtype, 0);
    struct ir_expr *x = sched_linear_expr(s, l);
    int64_t inner, product;
    if (l->n == 0) {
        out.base = rest ? int_floor_mod(l->base, c) : int_floor_div(l->base, c);
        return out;
    }
    bool alone = l->n == 1 && l->base == 0 && l->terms[0].coeff == 1;
    if (alone && x->kind == IR_FLOORDIV && !rest &&
        ir_const_int(x->args[1], &inner) && inner > 0 &&
        !__builtin_mul_overflow(inner, c, &product)) {
        x = x->args[0];
        c = product;
    }
    if (alone && x->kind == IR_FLOORMOD && rest &&
        ir_const_int(x->args[1], &inner) && inner > 0 && inner % c == 0)
        x = x->args[0];
    add_term(&out,
             ir_binary(s->m, rest ? IR_FLOORMOD : IR_FLOORDIV, x,
                       ir_int(s->m, l->dtype, c)),
             1);
    return out;
}

static struct sched_linear scale(const struct sched_linear *l, int64_t factor)
{
    struct sched_linear zero = constant(l->dtype, 0);
    return sched_linear_add(&zero, l, factor);
}

/* Splits l by the largest g that divides c and leaves B within [0, g). */
static int64_t common(struct schedule *s, const struct sched_env *env,
                      const struct sched_linear *l, int64_t c)
{
    struct sched_linear a, b;
    int64_t best = 1;
    for (size_t i = 0; i < l->n; i++) {
        int64_t g = int_gcd(l->terms[i].coeff, c);
        if (g <= best || g == c)
            continue;
        part(l, g, &a, &b);
        if (a.ok && b.ok && is_within(s, env, &b, g))
            best = g;
    }
    return best;
}

static struct sched_linear divide(struct schedule *s,
                                  const struct sched_env *env,
                                  const struct sched_linear *l, int64_t c,
                                  bool rest)
{
    struct sched_linear a, b;
    part(l, c, &a, &b);
    if (!a.ok || !b.ok || is_within(s, env, &b, c))
        return rest ? b : a;
    int64_t g = common(s, env, &b, c);
    if (g == 1) {
        struct sched_linear atom = atom_of(s, &b, c, rest);
        return rest ? atom : sched_linear_add(&a, &atom, 1);
    }
    struct sched_linear x, y;
    part(&b, g, &x, &y);
    struct sched_linear inner = divide(s, env, &x, c / g, rest);
    if (!rest)
        return sched_linear_add(&a, &inner, 1);
    inner = scale(&inner, g);
    return sched_linear_add(&inner, &y, 1);
}

/* ---- recombination --------------------------------------------------------- */

/* (x % cd) // c is (x // c) % d. */
static bool swaps(struct schedule *s, struct ir_expr *e, struct ir_expr **div,
                  struct ir_expr **mod)
{
    struct ir_expr *inner = e->args[0];
    int64_t c, m;
    if (!ir_const_int(e->args[1], &c) || !ir_const_int(inner->args[1], &m) ||
        c <= 0 || m <= 0 || m % c != 0)
        return false;
    *div = ir_binary(s->m, IR_FLOORDIV, inner->args[0], e->args[1]);
    *mod = ir_int(s->m, e->dtype, m / c);
    return true;
}

/* Term i is k (x // c) or k ((x // c) % d), term j is k' (x % c) with
 * k = k' c: together k' x or k' (x % (c d)). */
static bool recombines(struct schedule *s, const struct sched_linear *l,
                       size_t i, size_t j, struct ir_expr **out)
{
    struct ir_expr *p = l->terms[i].atom, *q = l->terms[j].atom;
    struct ir_expr *mod = NULL;
    int64_t c, d, e, product;
    if (p->kind == IR_FLOORMOD && p->args[0]->kind == IR_FLOORDIV) {
        mod = p->args[1];
        p = p->args[0];
    } else if (p->kind == IR_FLOORDIV && p->args[0]->kind == IR_FLOORMOD) {
        if (!swaps(s, p, &p, &mod))
            return false;
    }
    if (p->kind != IR_FLOORDIV || q->kind != IR_FLOORMOD ||
        !ir_const_int(p->args[1], &c) || !ir_const_int(q->args[1], &d) ||
        c != d || c <= 0 || !ir_expr_same(p->args[0], q->args[0]) ||
        __builtin_mul_overflow(l->terms[j].coeff, c, &product) ||
        product != l->terms[i].coeff)
        return false;
    *out = p->args[0];
    if (!mod)
        return true;
    if (!ir_const_int(mod, &e) || e <= 0 ||
        __builtin_mul_overflow(c, e, &product))
        return false;
    *out = ir_binary(s->m, IR_FLOORMOD, p->args[0],
                     ir_int(s->m, p->dtype, product));
    return true;
}

static struct sched_linear recombine(struct schedule *s, struct sched_linear l)
{
    for (size_t i = 0; i < l.n; i++)
        for (size_t j = 0; j < l.n; j++) {
            struct ir_expr *x;
            if (i == j || !recombines(s, &l, i, j, &x))
                continue;
            struct sched_linear out = constant(l.dtype, l.base);
            for (size_t k = 0; k < l.n; k++) {
                if (k == i) {
                    struct sched_linear inner = x->kind == IR_FLOORMOD
                                                    ? constant(l.dtype, 0)
                                                    : sched_linear(s, NULL, x);
                    if (x->kind == IR_FLOORMOD)
                        add_term(&inner, x, 1);
                    out = sched_linear_add(&out, &inner, l.terms[j].coeff);
                } else if (k != j) {
                    add_term(&out, l.terms[k].atom, l.terms[k].coeff);
                }
            }
            return out.ok ? recombine(s, out) : l;
        }
    return l;
}

/* ---- from expressions ------------------------------------------------------ */

static bool is_index_type(struct dtype t)
{
    return t.code == DT_INT && t.lanes == 1 && !t.scalable;
}

static struct sched_linear from_expr(struct schedule *s,
                                     const struct sched_env *env,
                                     struct ir_expr *e, unsigned depth);

static struct sched_linear from_product(struct schedule *s,
                                        const struct sched_linear *a,
                                        const struct sched_linear *b)
{
    struct sched_linear out = constant(a->dtype, 0);
    if (b->n == 0)
        return scale(a, b->base);
    if (a->n == 0)
        return scale(b, a->base);
    add_term(&out,
             ir_binary(s->m, IR_MUL, sched_linear_expr(s, a),
                       sched_linear_expr(s, b)),
             1);
    return out;
}

static struct sched_linear from_atom(struct ir_expr *e)
{
    struct sched_linear l = constant(e->dtype, 0);
    add_term(&l, e, 1);
    return l;
}

/* min or max of a and b, of which one may be known to win. */
static struct sched_linear from_choice(struct schedule *s,
                                       const struct sched_env *env,
                                       enum ir_expr_kind kind,
                                       const struct sched_linear *a,
                                       const struct sched_linear *b)
{
    struct sched_linear d = sched_linear_add(a, b, -1);
    struct sched_bounds bounds = sched_bounds(s, env, &d);
    if (bounds.max <= 0)
        return kind == IR_MIN ? *a : *b;
    if (bounds.min >= 0)
        return kind == IR_MIN ? *b : *a;
    return from_atom(ir_binary(s->m, kind, sched_linear_expr(s, a),
                               sched_linear_expr(s, b)));
}

static struct sched_linear from_binary(struct schedule *s,
                                       const struct sched_env *env,
                                       struct ir_expr *e, unsigned depth)
{
    struct sched_linear a = from_expr(s, env, e->args[0], depth - 1);
    struct sched_linear b = from_expr(s, env, e->args[1], depth - 1);
    if (!a.ok || !b.ok)
        return from_atom(e);
    switch ((int)e->kind) {
    case IR_ADD: a = sched_linear_add(&a, &b, 1); break;
    case IR_SUB: a = sched_linear_add(&a, &b, -1); break;
    case IR_MUL: a = from_product(s, &a, &b); break;
    case IR_MIN:
    case IR_MAX: a = from_choice(s, env, e->kind, &a, &b); break;
    default:
        if (b.n == 0 && b.base > 0)
            a = divide(s, env, &a, b.base, e->kind == IR_FLOORMOD);
        else
            a = from_atom(ir_binary(s->m, e->kind, sched_linear_expr(s, &a),
                                    sched_linear_expr(s, &b)));
    }
    return a.ok ? a : from_atom(e);
}

static struct sched_linear from_expr(struct schedule *s,
                                     const struct sched_env *env,
                                     struct ir_expr *e, unsigned depth)
{
    int64_t value;
    if (!is_index_type(e->dtype)) {
        struct sched_linear none = constant(e->dtype, 0);
        none.ok = false;
        return none;
    }
    if (ir_const_int(e, &value))
        return constant(e->dtype, value);
    if (depth == 0)
        return from_atom(e);
    switch ((int)e->kind) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_MIN:
    case IR_MAX: return from_binary(s, env, e, depth);
    default: return from_atom(e);
    }
}

struct sched_linear sched_linear(struct schedule *s,
                                 const struct sched_env *env, struct ir_expr *e)
{
    struct sched_linear l = from_expr(s, env, e, 40);
    return l.ok && env ? recombine(s, l) : l;
}

/* ---- conditions ------------------------------------------------------------ */

bool sched_difference(struct schedule *s, const struct sched_env *env,
                      struct ir_expr *a, struct ir_expr *b, int64_t *out)
{
    struct sched_linear x = sched_linear(s, env, a);
    struct sched_linear y = sched_linear(s, env, b);
    if (!x.ok || !y.ok)
        return false;
    x = sched_linear_add(&x, &y, -1);
    *out = x.base;
    return x.ok && x.n == 0;
}

/* 1: holds, 0: does not, -1: not known. */
static int decide(struct schedule *s, const struct sched_env *env,
                  const struct ir_expr *e)
{
    struct sched_linear a = sched_linear(s, env, e->args[0]);
    struct sched_linear b = sched_linear(s, env, e->args[1]);
    struct sched_bounds d;
    if (!a.ok || !b.ok)
        return -1;
    a = sched_linear_add(&a, &b, -1);
    d = sched_bounds(s, env, &a);
    switch ((int)e->kind) {
    case IR_LT: return d.max < 0 ? 1 : d.min >= 0 ? 0 : -1;
    case IR_LE: return d.max <= 0 ? 1 : d.min > 0 ? 0 : -1;
    case IR_GT: return d.min > 0 ? 1 : d.max <= 0 ? 0 : -1;
    case IR_GE: return d.min >= 0 ? 1 : d.max < 0 ? 0 : -1;
    case IR_EQ:
        return d.min > 0 || d.max < 0 ? 0 : d.min == 0 && d.max == 0 ? 1 : -1;
    case IR_NE:
        return d.min > 0 || d.max < 0 ? 1 : d.min == 0 && d.max == 0 ? 0 : -1;
    default: return -1;
    }
}

static struct ir_expr *simplify(struct schedule *s, const struct sched_env *env,
                                struct ir_expr *e, unsigned depth);

static struct ir_expr *simplify_args(struct schedule *s,
                                     const struct sched_env *env,
                                     struct ir_expr *e, unsigned depth)
{
    bool changed = false;
    if (e->nargs == 0)
        return e;
    struct ir_expr **args =
        ARENA_ARRAY(s->m->arena, e->nargs, struct ir_expr *);
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = simplify(s, env, e->args[i], depth - 1);
        changed |= args[i] != e->args[i];
    }
    return changed ? ir_rebuild(s->m, e, args, e->predicate) : e;
}

static struct ir_expr *simplify_logic(struct schedule *s,
                                      const struct sched_env *env,
                                      struct ir_expr *e, unsigned depth)
{
    struct ir_expr *a = simplify(s, env, e->args[0], depth - 1);
    struct ir_expr *b = simplify(s, env, e->args[1], depth - 1);
    bool and_ = e->kind == IR_AND;
    struct ir_expr *sides[] = {a, b};
    for (size_t i = 0; i < 2; i++)
        if (sides[i]->kind == IR_INT_IMM && sides[i]->dtype.lanes == 1)
            return (sides[i]->u.int_value != 0) == and_ ? sides[1 - i]
                                                        : sides[i];
    return a == e->args[0] && b == e->args[1] ? e
                                              : ir_binary(s->m, e->kind, a, b);
}

static struct ir_expr *simplify(struct schedule *s, const struct sched_env *env,
                                struct ir_expr *e, unsigned depth)
{
    if (depth == 0)
        return e;
    if (is_index_type(e->dtype)) {
        struct sched_linear l = sched_linear(s, env, e);
        bool plain = l.ok && l.base == 0 && l.n == 1 && l.terms[0].coeff == 1;
        if (l.ok && !(plain && l.terms[0].atom == e))
            return sched_linear_expr(s, &l);
        return simplify_args(s, env, e, depth);
    }
    if (e->kind == IR_AND || e->kind == IR_OR)
        return simplify_logic(s, env, e, depth);
    if (e->kind >= IR_EQ && e->kind <= IR_GE && e->dtype.lanes == 1) {
        int known = decide(s, env, e);
        if (known >= 0)
            return ir_int(s->m, e->dtype, known);
    }
    return simplify_args(s, env, e, depth);
}

struct ir_expr *sched_simplify(struct schedule *s, const struct sched_env *env,
                               struct ir_expr *e)
{
    return simplify(s, env, e, 100);
}

bool sched_proves(struct schedule *s, const struct sched_env *env,
                  struct ir_expr *cond)
{
    return ir_is_true(sched_simplify(s, env, cond));
}
