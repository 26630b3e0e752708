/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether all of a box is stored: by a block each time it runs, and by loops
 * over boxes. A box that is known to hold all that is touched may be too
 * large; what copies it back must know that it is not.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* Digits of what varies, of one dimension or of all. */
struct digits {
    size_t n;
    struct {
        struct sched_digit digit;
        int64_t scale, count;
    } items[SCHED_MAX_ENV];
};

static bool varies(const struct sched_env *env, const struct ir_expr *e)
{
    for (size_t i = 0; i < env->n; i++)
        if (ir_uses_var(e, env->items[i].var))
            return true;
    return false;
}

/* How many values the digit takes, each as often as the others; 0: not known. */
static int64_t count_of(const struct sched_env *env,
                        const struct sched_digit *digit)
{
    for (size_t i = 0; i < env->n; i++) {
        int64_t n, whole = digit->lower;
        if (env->items[i].var != digit->var)
            continue;
        if (!ir_is_const_int(env->items[i].min, 0) ||
            !ir_const_int(env->items[i].extent, &n) || n <= 0 ||
            (digit->extent > 0 &&
             __builtin_mul_overflow(whole, digit->extent, &whole)) ||
            n % whole != 0)
            return 0;
        return digit->extent > 0 ? digit->extent : n / digit->lower;
    }
    return 0;
}

/* In their order by scale. */
static void put(struct digits *d, struct sched_digit digit, int64_t scale,
                int64_t count)
{
    size_t at = d->n++;
    for (; at > 0 && d->items[at - 1].scale > scale; at--)
        d->items[at] = d->items[at - 1];
    d->items[at].digit = digit;
    d->items[at].scale = scale;
    d->items[at].count = count;
}

/* What varies of one index, and the rest; false where it is no sum of digits. */
static bool digits_of(struct schedule *s, const struct sched_env *env,
                      struct ir_expr *index, struct digits *out,
                      struct sched_linear *rest)
{
    struct sched_linear l = sched_linear(s, env, index);
    out->n = 0;
    if (!l.ok)
        return false;
    *rest = l;
    rest->n = 0;
    for (size_t i = 0; i < l.n; i++) {
        struct sched_digit digit;
        int64_t count;
        if (!varies(env, l.terms[i].atom)) {
            rest->terms[rest->n++] = l.terms[i];
            continue;
        }
        if (!sched_digit_of(l.terms[i].atom, &digit) ||
            (count = count_of(env, &digit)) == 0 || l.terms[i].coeff <= 0)
            return false;
        put(out, digit, l.terms[i].coeff, count);
    }
    return true;
}

/* Whether two digits take all pairs of values. */
static bool are_apart(const struct sched_digit *a, const struct sched_digit *b)
{
    if (a->var != b->var)
        return true;
    if (a->lower > b->lower)
        return are_apart(b, a);
    return a->extent > 0 && b->lower % a->lower == 0 &&
           b->lower / a->lower >= a->extent &&
           b->lower / a->lower % a->extent == 0;
}

/* Each digit steps no further than what the smaller ones fill. */
static bool fill(const struct digits *d, int64_t *filled)
{
    for (size_t i = 0; i < d->n; i++) {
        int64_t more;
        if (d->items[i].scale > *filled ||
            __builtin_mul_overflow(d->items[i].scale, d->items[i].count - 1,
                                   &more) ||
            __builtin_add_overflow(*filled, more, filled))
            return false;
    }
    return true;
}

static bool same_size(struct schedule *s, struct ir_expr *a, struct ir_expr *b)
{
    int64_t off;
    return sched_difference(s, NULL, a, b, &off) && off == 0;
}

static bool covers_dimension(struct schedule *s, const struct sched_env *env,
                             const struct ir_range *r,
                             const struct ir_range *whole, struct digits *all)
{
    struct digits *mine = dc_alloc(sizeof *mine);
    struct sched_linear rest;
    int64_t filled = 0;
    bool good = digits_of(s, env, r->min, mine, &rest) &&
                !varies(env, r->extent) &&
                same_size(s, sched_linear_expr(s, &rest), whole->min);
    if (good && mine->n == 0)
        good = same_size(s, r->extent, whole->extent);
    else if (good)
        good = ir_const_int(r->extent, &filled) && fill(mine, &filled) &&
               ir_is_const_int(whole->extent, filled);
    for (size_t i = 0; i < mine->n && good; i++) {
        for (size_t j = 0; j < all->n && good; j++)
            good = are_apart(&mine->items[i].digit, &all->items[j].digit);
        good = good && all->n < SCHED_MAX_ENV;
        if (good)
            all->items[all->n++] = mine->items[i];
    }
    dc_release(mine);
    return good;
}

bool sched_covers(struct schedule *s, const struct sched_env *env,
                  const struct ir_region *box, const struct ir_region *whole)
{
    struct digits *all = dc_alloc(sizeof *all);
    bool good = box->nranges == whole->nranges;
    for (size_t d = 0; d < box->nranges && good; d++)
        good =
            covers_dimension(s, env, &box->ranges[d], &whole->ranges[d], all);
    dc_release(all);
    return good;
}

static bool claimed(struct schedule *s, struct ir_stmt *block,
                    const struct ir_buffer *buffer, struct ir_region *out)
{
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, block);
    sched_claim(s, copy->u.block);
    for (size_t i = 0; i < copy->u.block->nwrites; i++)
        if (copy->u.block->writes[i].buffer == buffer) {
            *out = copy->u.block->writes[i];
            return true;
        }
    return false;
}

/* Loops around one block that fills its box whenever it runs, which it always
 * does, and whose boxes fill that of the outer block. */
static bool inner_fills(struct schedule *s, struct ir_stmt *loop,
                        const struct ir_buffer *buffer,
                        const struct ir_region *whole)
{
    struct sched_path path = {.n = 0};
    struct sched_map map = {.s = s};
    struct ir_region r;
    struct ir_stmt *stmt = loop;
    for (;
         stmt->kind == IR_FOR && !stmt->u.loop.step && path.n < SCHED_MAX_PATH;
         stmt = stmt->u.loop.body)
        path.nodes[path.n++] = stmt;
    if (stmt->kind != IR_BLOCK || !ir_is_true(stmt->u.block->predicate) ||
        !sched_fills(s, stmt, buffer) || !claimed(s, stmt, buffer, &r))
        return false;
    const struct ir_block *b = stmt->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&map, b->iters[i].var, b->iter_values[i]);
    if (path.n < SCHED_MAX_PATH)
        path.nodes[path.n++] = stmt;
    sched_env_path(s, &path, env);
    r = sched_map_region(&map, r);
    bool good = sched_covers(s, env, &r, whole);
    dc_release(env);
    return good;
}

bool sched_fills(struct schedule *s, struct ir_stmt *block,
                 const struct ir_buffer *buffer)
{
    struct ir_stmt *body = block->u.block->body;
    struct ir_region whole;
    if (body->kind == IR_STORE)
        return body->u.store.buffer == buffer && !body->u.store.predicate;
    return (body->kind == IR_FOR || body->kind == IR_BLOCK) &&
           claimed(s, block, buffer, &whole) &&
           inner_fills(s, body, buffer, &whole);
}
