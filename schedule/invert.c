/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps that can be turned round: the places at which a block indexes a buffer, if
 * they are all of its elements, once each, in whatever order and shape. The number
 * of an element, in the order of memory, is then one of digits of the iterators,
 * and these are read off the number of another place.
 */
#include "schedule/schedule_private.h"

/* The number of an element in the order of memory, strides of a compact buffer;
 * not ok where a dimension is not constant. */
static struct sched_linear number_of(struct schedule *s,
                                     const struct sched_env *env,
                                     const struct ir_buffer *buffer,
                                     struct ir_expr *const *indices)
{
    int64_t stride = 1, dim;
    struct ir_expr *sum = NULL;
    struct sched_linear none = {.ok = false};
    for (size_t d = buffer->rank; d-- > 0;) {
        struct ir_expr *part =
            sched_op(s, IR_MUL, sched_simplify(s, env, indices[d]),
                     ir_int(s->m, indices[d]->dtype, stride));
        sum = sum ? sched_op(s, IR_ADD, part, sum) : part;
        if (!ir_const_int(buffer->shape[d], &dim) || dim <= 0 ||
            __builtin_mul_overflow(stride, dim, &stride) || stride > INT32_MAX)
            return none;
    }
    return sum ? sched_linear(s, env, sum) : none;
}

/* The extent of an iterator from 0; 0: it is none, or no constant. */
static int64_t extent_of(const struct ir_iter_var *iter)
{
    int64_t extent;
    return iter->has_dom && ir_is_const_int(iter->dom.min, 0) &&
                   ir_const_int(iter->dom.extent, &extent) && extent > 0
               ? extent
               : 0;
}

/* A digit of an iterator, (v // low) % base, and what one of it weighs in the
 * number of the element. */
struct digit {
    size_t iter;
    int64_t low, base, weight;
};

static bool constant_operand(const struct ir_expr *e, enum ir_expr_kind kind,
                             int64_t *out)
{
    return e->kind == kind && ir_const_int(e->args[1], out) && *out > 0;
}

/* v, v // a, v % b, (v % b) // a and (v // a) % b, as simplification leaves
 * them. */
static bool read_digit(const struct ir_block *b, const struct ir_expr *e,
                       struct digit *out)
{
    int64_t low = 1, base = 0, c;
    if (constant_operand(e, IR_FLOORMOD, &c)) {
        base = c;
        e = e->args[0];
        if (constant_operand(e, IR_FLOORDIV, &low))
            e = e->args[0];
    } else if (constant_operand(e, IR_FLOORDIV, &low)) {
        e = e->args[0];
        if (constant_operand(e, IR_FLOORMOD, &c)) {
            base = c % low == 0 ? c / low : -1;
            e = e->args[0];
        }
    }
    for (out->iter = 0; out->iter < b->niters && e->kind == IR_VAR_REF;
         out->iter++)
        if (b->iters[out->iter].var == e->u.var) {
            int64_t extent = extent_of(&b->iters[out->iter]);
            out->low = low;
            out->base = base > 0 ? base : extent / low;
            return base >= 0 && extent > 0 && extent % low == 0 &&
                   (extent / low) % out->base == 0;
        }
    return false;
}

/* The digits of each iterator say all of it once: each begins where the one below
 * ends, from 1 up to the extent. */
static bool say_iterators(const struct ir_block *b, const struct digit *digits,
                          size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < b->niters; i++) {
        int64_t below = 1, extent = extent_of(&b->iters[i]);
        for (size_t k = 0; k < n && below < extent; k++)
            for (size_t d = 0; d < n; d++)
                if (digits[d].iter == i && digits[d].low == below &&
                    digits[d].base > 1) {
                    below *= digits[d].base;
                    used++;
                    break;
                }
        if (below != extent)
            return false;
    }
    return used == n;
}

/* The number is one of digits: each weighs as much as all that weigh less can
 * say, and one more; together they say every element once. */
static bool read_digits(const struct ir_block *b, const struct sched_linear *l,
                        const struct ir_buffer *buffer, struct digit *digits)
{
    int64_t below = 1, size = 1, dim;
    for (size_t d = 0; d < buffer->rank; d++)
        size *= ir_const_int(buffer->shape[d], &dim) ? dim : 0;
    for (size_t found = 0; found < l->n; found++) {
        size_t k = 0;
        while (k < l->n && l->terms[k].coeff != below)
            k++;
        if (k == l->n || !read_digit(b, l->terms[k].atom, &digits[found]) ||
            digits[found].base < 2)
            return false;
        digits[found].weight = below;
        below *= digits[found].base;
    }
    return l->ok && l->base == 0 && below == size &&
           say_iterators(b, digits, l->n);
}

/* What an iterator is where the number of the element is known. */
static struct ir_expr *value_of(struct schedule *s, const struct sched_env *env,
                                struct ir_expr *number, size_t iter,
                                const struct digit *digits, size_t n)
{
    struct dtype t = number->dtype;
    struct ir_expr *sum = ir_int(s->m, t, 0);
    for (size_t d = 0; d < n; d++) {
        if (digits[d].iter != iter)
            continue;
        struct ir_expr *e =
            sched_op(s, IR_FLOORDIV, number, ir_int(s->m, t, digits[d].weight));
        e = sched_op(s, IR_FLOORMOD, e, ir_int(s->m, t, digits[d].base));
        e = sched_op(s, IR_MUL, e, ir_int(s->m, t, digits[d].low));
        sum = sched_op(s, IR_ADD, sum, e);
    }
    return sched_simplify(s, env, sum);
}

bool sched_invert(struct schedule *s, const struct ir_block *b,
                  const struct ir_buffer *buffer,
                  struct ir_expr *const *indices, const struct sched_env *env,
                  struct ir_expr *const *place, struct ir_expr **values)
{
    struct sched_env *own = dc_alloc(sizeof *own);
    struct sched_map *units = dc_alloc(sizeof *units);
    struct digit digits[SCHED_MAX_TERMS];
    struct ir_expr **plain =
        ARENA_ARRAY(s->m->arena, buffer->rank + 1, struct ir_expr *);
    bool good = b->niters <= SCHED_MAX_ENV;
    units->s = s;
    for (size_t i = 0; i < b->niters && good; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        good = extent_of(iter) > 0;
        if (good && extent_of(iter) == 1)
            sched_map_add(units, iter->var, iter->dom.min);
        else if (good)
            sched_env_add(own, iter->var, iter->dom.min, iter->dom.extent);
    }
    for (size_t d = 0; d < buffer->rank && good; d++)
        plain[d] = sched_map_expr(units, indices[d]);
    struct sched_linear l = {.ok = false}, n = {.ok = false};
    if (good)
        l = number_of(s, own, buffer, plain);
    if (l.ok && read_digits(b, &l, buffer, digits))
        n = number_of(s, env, buffer, place);
    for (size_t i = 0; i < b->niters && n.ok; i++) {
        struct dtype t = b->iters[i].var->dtype;
        values[i] = value_of(s, env, sched_linear_expr(s, &n), i, digits, l.n);
        if (!dtype_equal(values[i]->dtype, t))
            values[i] = ir_cast(s->m, t, values[i]);
    }
    dc_release(own);
    dc_release(units);
    return n.ok;
}
