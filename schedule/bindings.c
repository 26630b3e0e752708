/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a block's bindings map its loops one to one, but for loops that are
 * not used.
 *
 * Each binding has to be a sum of parts (x // l) % e, each times a scale; x is
 * a loop variable or a sum of loop variables that counts them as digits. Then
 *   - parts of one x must not overlap: as digits, l0 = 1 … l(k+1) >= l(k) e(k)
 *     and a multiple of it;
 *   - the parts of one sum must be digits of it: scale(k+1) = scale(k) e(k),
 *     smallest first.
 * The idea is TVM's (arith/iter_affine_map.cc, DetectIterMap at level
 * "surjective").
 * Where that fails, as for splits of splits that do not divide, whose digits
 * are right only for points that pass the guard, small loops are counted out.
 * Sizes that are no constants are handled where a quotient and a remainder by
 * the same expression stand together, as fusing two loops leaves them.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct split {
    struct ir_expr *source;
    int64_t lower, extent;    /* extent 0: to the end, of no known size */
    struct ir_expr *symbolic; /* divisor that is no constant: quotient has
                                 extent 0, remainder extent 1 */
    int64_t scale;
};

struct splits {
    struct schedule *s;
    const struct sched_env *env;
    size_t n;
    struct split items[64];
    bool good;
};

/* Extent of a source: largest value + 1, 0 if not known; false if it may be
 * negative. */
static bool source_extent(struct splits *x, struct ir_expr *source,
                          int64_t *out)
{
    struct sched_linear l = sched_linear(x->s, x->env, source);
    struct sched_bounds b = sched_bounds(x->s, x->env, &l);
    *out = b.max == INT64_MAX ? 0 : b.max + 1;
    return l.ok;
}

static void add_split(struct splits *x, struct split split)
{
    if (x->n == DC_ARRAY_LEN(x->items))
        x->good = false;
    else
        x->items[x->n++] = split;
}

/* Whether scaled parts are digits. Those of one value do not count. */
static bool are_digits(struct split *parts, size_t all)
{
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        if (parts[i].extent != 1 || parts[i].symbolic)
            parts[n++] = parts[i];
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && parts[j].scale < parts[j - 1].scale; j--) {
            struct split t = parts[j];
            parts[j] = parts[j - 1];
            parts[j - 1] = t;
        }
    for (size_t i = 0; i + 1 < n; i++) {
        int64_t next;
        if (parts[i].extent == 0 || parts[i].symbolic ||
            __builtin_mul_overflow(parts[i].scale, parts[i].extent, &next) ||
            next != parts[i + 1].scale)
            return false;
    }
    return n == 0 || parts[0].scale > 0;
}

static bool is_source(struct splits *x, struct ir_expr *e);

/* atom = (source // lower) % extent */
static bool part_of(struct splits *x, struct ir_expr *atom, struct split *out)
{
    struct ir_expr *e = atom;
    int64_t c, size;
    out->lower = 1;
    out->extent = 0;
    out->symbolic = NULL;
    if (e->kind == IR_FLOORMOD && ir_const_int(e->args[1], &c) && c > 0) {
        out->extent = c;
        e = e->args[0];
    } else if (e->kind == IR_FLOORMOD || e->kind == IR_FLOORDIV) {
        if (!ir_const_int(e->args[1], &c)) {
            out->symbolic = e->args[1];
            out->extent = e->kind == IR_FLOORMOD;
            out->source = e->args[0];
            return is_source(x, out->source);
        }
    }
    if (e->kind == IR_FLOORDIV && ir_const_int(e->args[1], &c) && c > 0) {
        out->lower = c;
        e = e->args[0];
        int64_t m; /* (x % m) // c is (x // c) % (m / c) */
        if (out->extent == 0 && e->kind == IR_FLOORMOD &&
            ir_const_int(e->args[1], &m) && m > 0 && m % c == 0) {
            out->extent = m / c;
            e = e->args[0];
        }
    }
    out->source = e;
    if (!is_source(x, e) || !source_extent(x, e, &size))
        return false;
    if (out->extent == 0 && size > 0)
        out->extent = (size + out->lower - 1) / out->lower;
    return true;
}

/* A loop variable, or digits of loop variables. */
static bool is_source(struct splits *x, struct ir_expr *e)
{
    struct split parts[SCHED_MAX_TERMS];
    if (e->kind == IR_VAR_REF) {
        for (size_t i = 0; i < x->env->n; i++)
            if (x->env->items[i].var == e->u.var)
                return ir_is_const_int(x->env->items[i].min, 0);
        return false;
    }
    struct sched_linear l = sched_linear(x->s, x->env, e);
    if (!l.ok || l.base != 0 || l.n < 2)
        return false;
    for (size_t i = 0; i < l.n; i++) {
        if (l.terms[i].atom->kind != IR_VAR_REF ||
            !part_of(x, l.terms[i].atom, &parts[i]))
            return false;
        parts[i].scale = l.terms[i].coeff;
    }
    return are_digits(parts, l.n);
}

/* Whether it depends on a loop; what does not is a constant. */
static bool varies(const struct splits *x, const struct ir_expr *e)
{
    for (size_t i = 0; i < x->env->n; i++)
        if (ir_uses_var(e, x->env->items[i].var))
            return true;
    return false;
}

/* The sum as one binding. A fused source keeps its loops as a whole: each of
 * them then may occur nowhere else, which overlap() sees by its terms. */
static void add_binding(struct splits *x, struct ir_expr *value)
{
    struct split parts[SCHED_MAX_TERMS];
    size_t n = 0;
    struct sched_linear l = sched_linear(x->s, x->env, value);
    if (!l.ok) {
        x->good = false;
        return;
    }
    for (size_t i = 0; i < l.n && x->good; i++) {
        if (!varies(x, l.terms[i].atom))
            continue;
        x->good = part_of(x, l.terms[i].atom, &parts[n]);
        parts[n].scale = l.terms[i].coeff;
        if (x->good)
            add_split(x, parts[n++]);
    }
    if (x->good && n > 1)
        x->good = are_digits(parts, n);
}

/* ---- independence ---------------------------------------------------------- */

static bool is_shared(const void *other, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && ir_uses_var(other, e->u.var);
}

static bool overlap(const struct split *a, const struct split *b)
{
    if ((a->extent == 1 && !a->symbolic) || (b->extent == 1 && !b->symbolic) ||
        !ir_expr_any(a->source, is_shared, b->source))
        return false;
    if (!ir_expr_same(a->source, b->source))
        return true;
    if (a->symbolic || b->symbolic)
        return !a->symbolic || !b->symbolic ||
               !ir_expr_same(a->symbolic, b->symbolic) ||
               a->extent == b->extent;
    if (a->lower > b->lower)
        return overlap(b, a);
    int64_t end;
    if (a->extent == 0 || __builtin_mul_overflow(a->lower, a->extent, &end))
        return true;
    return b->lower < end || b->lower % end != 0;
}

bool sched_is_affine_from(struct schedule *s, const struct sched_path *path,
                          size_t from)
{
    const struct ir_block *b = sched_path_end(path)->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    struct splits *x = dc_alloc(sizeof *x);
    struct sched_path loops;
    /* Only loops of the same scope: outer ones are constants. */
    loops.n = 0;
    size_t top = sched_path_scope(path);
    for (size_t i = (from > top ? from : top) + 1; i + 1 < path->n; i++)
        loops.nodes[loops.n++] = path->nodes[i];
    sched_env_path(s, &loops, env);
    *x = (struct splits){.s = s, .env = env, .good = true};
    for (size_t i = 0; i < b->niters && x->good; i++)
        add_binding(x, b->iter_values[i]);
    for (size_t i = 0; i < x->n && x->good; i++)
        for (size_t j = i + 1; j < x->n && x->good; j++)
            x->good = !overlap(&x->items[i], &x->items[j]);
    bool good = x->good;
    dc_release(x);
    dc_release(env);
    return good || (from == 0 && sched_runs_once(path));
}

bool sched_is_affine(struct schedule *s, const struct sched_path *path)
{
    return sched_is_affine_from(s, path, 0);
}
