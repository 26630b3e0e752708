/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two kinds of reductions across threads share (front_combine.h):
 * partial results with the threads as an index, loops over those threads, and
 * the update of all parts of a sum at once.
 */
#include "verifier/front/front_combine.h"

#include "verifier/affine/space.h"

#include <stdlib.h>

/* A scalar storage that each thread has. */
struct fstorage *combine_scalar_storage(struct front *f, const char *name,
                                        struct dtype t)
{
    return front_temporary(f, name, t, 0, NULL, 0);
}

struct ir_expr *combine_load_of(struct front *f, struct fstorage *s, size_t n,
                                struct ir_expr **index)
{
    front_list(f, s);
    return ir_load(f->m, s->pub.buffer, n, index, NULL);
}

/* Loops over the threads of the axes; their variables in out. */
size_t combine_open_threads(struct front *f, uint32_t axes,
                            struct ir_expr **out)
{
    size_t n = 0;
    for (size_t i = 0; f->launch != NULL && i < f->launch->naxes; i++) {
        const struct vloop *axis = f->launch->axes[i].loop;
        if ((axes >> i & 1) == 0)
            continue;
        struct vloop *loop = front_loop_make(f, "other", axis->var->dtype,
                                             fx_int(f, axis->var->dtype, 0),
                                             axis->extent, IR_FOR_SERIAL);
        loop->unordered = true;
        loop->combines = axes;
        front_loop_open(f, loop);
        out[n++] = ir_var_ref(f->m, loop->var);
    }
    return n;
}

size_t combine_own_threads(struct front *f, uint32_t axes, struct ir_expr **out)
{
    size_t n = 0;
    for (size_t i = 0; f->launch != NULL && i < f->launch->naxes; i++)
        if ((axes >> i & 1) != 0)
            out[n++] = front_axis_value(f, &f->launch->axes[i]);
    return n;
}

/* Whether a value changes nothing when it is combined in once more. */
bool combine_is_unit(enum ir_expr_kind op, const struct ir_expr *e)
{
    int64_t n = -1;
    while (e->kind == IR_CAST)
        e = e->args[0];
    bool is_int = ir_const_int(e, &n);
    double x = e->kind == IR_FLOAT_IMM ? e->u.float_value : (double)n;
    bool known = is_int || e->kind == IR_FLOAT_IMM;
    switch ((int)op) {
    case IR_ADD: return known && x == 0;
    case IR_MUL: return known && x == 1;
    case IR_MIN:
    case IR_MAX:
    case IR_AND:
    case IR_OR:
    case IR_SELECT:             /* argmax and its kin choose one of the two */
    case IR_CALL: return known; /* any value, as often as one likes */
    default: return false;
    }
}

struct fstorage *combine_partial_storage(struct front *f, const char *name,
                                         struct dtype t, uint32_t axes,
                                         size_t rank,
                                         struct ir_expr *const *shape)
{
    struct ir_expr **dims =
        ARENA_ARRAY(f->arena, FRONT_MAX_AXES + rank, struct ir_expr *);
    size_t n = 0;
    for (size_t i = 0; f->launch != NULL && i < f->launch->naxes; i++)
        if ((axes >> i & 1) != 0)
            dims[n++] = f->launch->axes[i].loop->extent;
    for (size_t i = 0; i < rank; i++)
        dims[n++] = shape[i];
    struct fstorage *s = front_temporary(f, name, t, n, dims, axes);
    struct ir_buffer *b = arena_memdup(f->arena, s->source, sizeof *b);
    b->scope = "reduction"; /* threads meet there, whichever they are (R27) */
    s->source = b;
    return s;
}

/* sum = results, which are over c->have and c->with: all at once. */
void combine_store_sums(struct front *f, const struct combination *c,
                        struct ir_expr *const *results)
{
    struct ir_expr *value[MAX_TARGETS];
    for (size_t i = 0; i < c->n; i++)
        value[i] = c->n > 1 ? front_let(f, "combined", results[i]) : results[i];
    for (size_t i = 0; i < c->n; i++) {
        size_t steps = f->steps.len;
        if (c->n > 1)
            front_part(f, (uint32_t)i);
        (void)front_store(f, c->sum[i], 0, NULL, value[i]);
        f->steps.len = steps;
    }
}

/* ---- threads that are told apart ------------------------------------------------ */

/* Expressions that are looked at, of all threads (FRONT_STEPS). */
#define PLACE_STEPS (UINT32_C(1) << 23)

/* A place as a function of the threads: number, which is known, and maybe
 * something that is added to it and is the same in all threads of the block. */
struct place {
    int64_t number;
    bool axis;  /* number depends on the thread */
    bool other; /* something is added */
};

struct indexer {
    const struct front *f;
    uint32_t axes; /* those that reduce: others share their place */
    const int64_t *at;
    uint32_t steps; /* left */
    bool failed;    /* some place is not understood */
};

static struct place place_at(struct indexer *x, const struct ir_expr *e);

static struct place place_var(struct indexer *x, const struct ir_var *var)
{
    const struct launch *l = x->f->launch;
    const struct var_info *info = front_info(x->f, var);
    uint32_t threads = 0; /* that do not reduce */
    for (size_t i = 0; i < l->naxes; i++) {
        bool thread = !l->axes[i].is_block && (x->axes >> i & 1) == 0;
        threads |= (uint32_t)thread << i;
        if (info != NULL && l->axes[i].loop == info->loop)
            return (struct place){thread ? x->at[i] : 0, thread, !thread};
    }
    if (info != NULL && info->value != NULL)
        return place_at(x, info->value);
    if (info != NULL && (info->axes & threads) != 0)
        x->failed = true; /* a loop that begins or ends by thread */
    return (struct place){0, false, true}; /* a loop around, a size */
}

/* Of two known numbers; divisors are positive. */
static bool place_number(enum ir_expr_kind kind, int64_t a, int64_t b,
                         int64_t *out)
{
    bool divides = b > 0 && b <= INT32_MAX;
    switch ((int)kind) {
    case IR_ADD: return !__builtin_add_overflow(a, b, out);
    case IR_SUB: return !__builtin_sub_overflow(a, b, out);
    case IR_MUL: return !__builtin_mul_overflow(a, b, out);
    case IR_FLOORDIV: *out = divides ? int_floor_div(a, b) : 0; return divides;
    case IR_FLOORMOD:
        *out = divides ? a - b * int_floor_div(a, b) : 0;
        return divides;
    case IR_DIV: *out = divides ? a / b : 0; return divides;
    case IR_MOD: *out = divides ? a % b : 0; return divides;
    default: return false;
    }
}

static struct place place_binary(struct indexer *x, const struct ir_expr *e)
{
    struct place a = place_at(x, e->args[0]), b = place_at(x, e->args[1]);
    struct place p = {0, a.axis || b.axis, a.other || b.other};
    if (!p.axis && p.other) /* the same in all threads, whatever it is */
        return p;
    bool sum = e->kind == IR_ADD || e->kind == IR_SUB;
    if ((p.other && !sum) ||
        !place_number(e->kind, a.number, b.number, &p.number))
        x->failed = true;
    return p;
}

static struct place place_any(struct indexer *x, const struct ir_expr *e)
{
    if (e->kind == IR_INT_IMM)
        return (struct place){e->u.int_value, false, false};
    if (e->kind == IR_VAR_REF)
        return place_var(x, e->u.var);
    if (e->kind == IR_CAST)
        return place_at(x, e->args[0]);
    if (e->kind >= IR_ADD && e->kind <= IR_FLOORMOD && e->nargs == 2)
        return place_binary(x, e);
    x->failed = true;
    return (struct place){0, true, true};
}

/* As its type holds it. */
static struct place place_at(struct indexer *x, const struct ir_expr *e)
{
    struct place p = {0, true, true};
    if (x->steps == 0 || !dtype_is_int(e->dtype) || dtype_is_bool(e->dtype))
        x->failed = true;
    if (x->failed)
        return p;
    x->steps--;
    p = place_any(x, e);
    unsigned flags = 0;
    p.number = (int64_t)num_from_int(e->dtype, p.number, &flags);
    /* what is added may carry a sum beyond a type that wraps (R9) */
    bool wraps = e->dtype.bits < 32 || e->dtype.code == DT_UINT;
    x->failed = x->failed || (p.axis && p.other && wraps);
    return p;
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void combine_check_distinct(struct front *f, uint32_t axes, size_t n,
                            struct ir_expr *const *value)
{
    int64_t extent[FRONT_MAX_AXES], at[FRONT_MAX_AXES] = {0};
    int64_t threads = 1;
    for (size_t i = 0; i < f->launch->naxes; i++) {
        const struct axis *a = &f->launch->axes[i];
        extent[i] = 1;
        if (a->is_block || (axes >> i & 1) != 0)
            continue;
        if (!ir_const_int(a->loop->extent, &extent[i]) || extent[i] < 1 ||
            extent[i] > 65536 || (threads *= extent[i]) > 65536) {
            front_refuse(f, f->stmt->pos,
                         "a reduction across threads of unknown number");
            return;
        }
    }
    struct indexer x = {f, axes, at, PLACE_STEPS, false};
    uint64_t *hash = ARENA_ARRAY(f->arena, (size_t)threads, uint64_t);
    for (int64_t t = 0; t < threads; t++) {
        int64_t rest = t;
        for (size_t i = 0; i < f->launch->naxes; i++) {
            at[i] = rest % extent[i];
            rest /= extent[i];
        }
        for (size_t i = 0; i < n; i++)
            if (value[i] != NULL)
                hash[t] =
                    hash_mix(hash[t], (uint64_t)place_at(&x, value[i]).number);
    }
    if (x.failed) {
        front_refuse(f, f->stmt->pos,
                     "a reduction across threads whose places are not "
                     "understood");
        return;
    }
    qsort(hash, (size_t)threads, sizeof *hash, by_hash);
    for (int64_t t = 1; t < threads; t++)
        if (!OBLIGED_FRONT(f, "threads have terms of their own",
                           hash[t] != hash[t - 1])) {
            front_refuse(f, f->stmt->pos,
                         "a reduction across threads in which threads do the "
                         "same");
            return;
        }
}
