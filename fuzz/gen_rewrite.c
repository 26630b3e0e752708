/* SPDX-License-Identifier: Apache-2.0
 *
 * Equivalent programs: what schedules do to whole stages.
 *
 *   inline       a stage's term in place of loads of its tensor
 *   cache read   a tensor is copied, perhaps with its dimensions in another
 *                order, and read from the copy
 *   cache write  a stage writes to a scratch tensor, which is then copied
 *   rfactor      a reduction in parts, then a reduction of the parts; takes
 *                the terms in another order, all else keeps every bit
 */
#include "fuzz/gen_private.h"

#include <string.h>

#define MAX_TERM 120u /* nodes of a term after inlining */

static void note(struct gen_tuning *tuning, enum gen_step step)
{
    tuning->steps |= 1u << step;
}

static bool has_room(const struct gen_program *p)
{
    return p->nstages + 2 <= GEN_MAX_STAGES &&
           p->ntensors + 2 <= GEN_MAX_TENSORS;
}

/* A free stage at position i; those behind it move back. */
static struct gen_stage *insert_stage(struct gen_program *p, size_t i)
{
    memmove(&p->stages[i + 1], &p->stages[i],
            (p->nstages - i) * sizeof p->stages[0]);
    p->nstages++;
    memset(&p->stages[i], 0, sizeof p->stages[i]);
    p->stages[i].scan = SIZE_MAX;
    return &p->stages[i];
}

static void remove_stage(struct gen_program *p, size_t i)
{
    p->nstages--;
    memmove(&p->stages[i], &p->stages[i + 1],
            (p->nstages - i) * sizeof p->stages[0]);
}

/* ---- inline ---------------------------------------------------------------- */

/* Whether something that the producer reads is overwritten before the last
 * stage that reads the producer: then its term means something else there. */
static bool is_overtaken(const struct gen_program *p, size_t i)
{
    const struct gen_stage *s = &p->stages[i];
    for (size_t k = i + 1; k < p->nstages; k++)
        if (ir_loads(s->term, p->tensors[p->stages[k].tensor].buffer))
            return true;
    return false;
}

struct inlining {
    struct gen_program *p;
    const struct gen_stage *producer;
    bool failed; /* a constant index would fold in the producer's term */
};

static struct ir_expr *inline_load(void *user, struct ir_buffer *buffer,
                                   size_t n, struct ir_expr **indices)
{
    struct inlining *in = user;
    struct gen_map map = {.m = in->p->m};
    if (buffer->id != in->producer->tensor)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        in->failed |= indices[i]->kind == IR_INT_IMM;
        gen_map_add(&map, in->producer->axes[i].var, indices[i]);
    }
    return gen_map_expr(&map, in->producer->term);
}

static struct ir_expr *inlined(struct inlining *in, struct ir_expr *e)
{
    struct gen_map map = {.m = in->p->m, .load = inline_load, .user = in};
    struct ir_expr *result = e ? gen_map_expr(&map, e) : NULL;
    if (result && result->size > MAX_TERM)
        in->failed = true;
    return result;
}

static bool rewrite_inline(struct gen_program *p, size_t i)
{
    const struct gen_stage s = p->stages[i];
    struct inlining in = {p, &s, false};
    struct ir_expr *terms[GEN_MAX_STAGES], *inits[GEN_MAX_STAGES];
    if (s.reducer != GEN_NO_REDUCER || s.scan != SIZE_MAX || s.guard ||
        s.valid || p->tensors[s.tensor].param || is_overtaken(p, i))
        return false;
    for (size_t k = i + 1; k < p->nstages; k++) {
        terms[k] = inlined(&in, p->stages[k].term);
        inits[k] = inlined(&in, p->stages[k].init);
    }
    if (in.failed)
        return false;
    for (size_t k = i + 1; k < p->nstages; k++) {
        p->stages[k].term = terms[k];
        p->stages[k].init = inits[k];
    }
    p->tensors[s.tensor].gone = true;
    remove_stage(p, i);
    return true;
}

/* ---- caches ---------------------------------------------------------------- */

/* to[permuted i] = from[i] as stage s. */
static void make_copy(struct gen_program *p, struct gen_stage *s, size_t from,
                      size_t to, const size_t *order)
{
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *source = &p->tensors[from];
    s->tensor = to;
    s->kind = GEN_ELEMENTWISE;
    s->nspatial = source->rank;
    for (size_t d = 0; d < source->rank; d++)
        at[order[d]] = gen_axis_add(p, s, "c", source->dims[order[d]]);
    s->term = gen_tensor_load(p, from, at);
}

struct redirect {
    struct gen_program *p;
    size_t from, to;
    const size_t *order; /* dimension d of `to` is order[d] of `from` */
};

static struct ir_expr *redirect_load(void *user, struct ir_buffer *buffer,
                                     size_t n, struct ir_expr **indices)
{
    struct redirect *r = user;
    struct ir_expr *at[GEN_MAX_RANK];
    if (buffer->id != r->from)
        return NULL;
    for (size_t d = 0; d < n; d++)
        at[d] = indices[r->order[d]];
    return gen_tensor_load(r->p, r->to, at);
}

/* Some tensor that the term reads; SIZE_MAX if none. */
static size_t read_tensor(const struct gen_program *p,
                          const struct ir_expr *term, struct gen_bytes *b)
{
    size_t turn = (size_t)gen_below(b, p->ntensors);
    for (size_t k = 0; k < p->ntensors; k++) {
        size_t t = (k + turn) % p->ntensors;
        if (!p->tensors[t].gone && p->tensors[t].rank <= 3 &&
            ir_loads(term, p->tensors[t].buffer))
            return t;
    }
    return SIZE_MAX;
}

static bool rewrite_cache_read(struct gen_program *p, size_t i,
                               struct gen_bytes *b)
{
    size_t from = read_tensor(p, p->stages[i].term, b);
    size_t order[GEN_MAX_RANK] = {0, 1, 2, 3};
    struct gen_dim dims[GEN_MAX_RANK];
    if (from == SIZE_MAX)
        return false;
    size_t rank = p->tensors[from].rank;
    if (rank > 1 && gen_chance(b, 1, 3)) { /* packed in another layout */
        size_t k = (size_t)gen_below(b, rank - 1);
        order[k] = k + 1;
        order[k + 1] = k;
    }
    for (size_t d = 0; d < rank; d++)
        dims[d] = p->tensors[from].dims[order[d]];
    size_t to = gen_tensor_add(p, "R", p->tensors[from].dtype, rank, dims);
    p->tensors[to].made = true;
    make_copy(p, insert_stage(p, i), from, to, order);
    struct redirect r = {p, from, to, order};
    struct gen_map map = {.m = p->m, .load = redirect_load, .user = &r};
    p->stages[i + 1].term = gen_map_expr(&map, p->stages[i + 1].term);
    return true;
}

static bool rewrite_cache_write(struct gen_program *p, size_t i)
{
    static const size_t order[GEN_MAX_RANK] = {0, 1, 2, 3};
    size_t to = p->stages[i].tensor;
    const struct gen_tensor *t = &p->tensors[to];
    size_t from = gen_tensor_add(p, "W", t->dtype, t->rank, t->dims);
    p->tensors[from].made = true;
    struct gen_stage *copy = insert_stage(p, i + 1);
    struct gen_stage *s = &p->stages[i];
    s->tensor = from;
    make_copy(p, copy, from, to, order);
    if (s->guard) { /* the scratch tensor is written everywhere */
        struct gen_map map = {.m = p->m};
        for (size_t d = 0; d < s->nspatial; d++)
            gen_map_add(&map, s->axes[d].var,
                        ir_var_ref(p->m, copy->axes[d].var));
        copy->guard = gen_map_expr(&map, s->guard);
        s->guard = NULL;
    }
    return true;
}

/* ---- rfactor --------------------------------------------------------------- */

/* The last reduction axis k becomes ko * f + kf; part[kf, …] reduces over ko,
 * the stage over kf. */
static bool rewrite_rfactor(struct gen_program *p, size_t i,
                            struct gen_bytes *b)
{
    struct gen_stage whole = p->stages[i];
    if (whole.naxes == whole.nspatial || whole.valid)
        return false;
    const struct gen_axis last = whole.axes[whole.naxes - 1];
    if (last.dim.symbolic || last.dim.size < 2 || whole.nspatial > 3)
        return false;
    int64_t most = last.dim.size < 4 ? last.dim.size : 4;
    int64_t f = 2 + (int64_t)gen_below(b, (uint64_t)(most - 1));
    struct gen_dim inner = {f, false};
    struct gen_dim outer = {(last.dim.size + f - 1) / f, false};
    struct gen_dim dims[GEN_MAX_RANK] = {inner};
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *t = &p->tensors[whole.tensor];
    memcpy(dims + 1, t->dims, t->rank * sizeof dims[0]);
    size_t part = gen_tensor_add(p, "P", t->dtype, t->rank + 1, dims);
    p->tensors[part].made = true;

    struct gen_stage *s = insert_stage(p, i);
    s->kind = whole.kind;
    s->tensor = part;
    struct ir_expr *kf = gen_axis_add(p, s, "f", inner);
    for (size_t a = 0; a + 1 < whole.naxes; a++)
        s->axes[s->naxes++] = whole.axes[a];
    struct ir_expr *ko = gen_axis_add(p, s, "o", outer);
    s->nspatial = whole.nspatial + 1;
    struct ir_expr *k =
        gen_op(p->m, IR_ADD, gen_op_int(p->m, IR_MUL, ko, f), kf);
    struct gen_map map = {.m = p->m};
    gen_map_add(&map, last.var, k);
    s->term = gen_map_expr(&map, whole.term);
    s->reducer = whole.reducer;
    s->init = gen_unit(p->m, whole.reducer, t->dtype);
    if (last.dim.size % f != 0)
        s->valid =
            ir_binary(p->m, IR_LT, k, ir_int(p->m, p->index, last.dim.size));

    struct gen_stage *sum = &p->stages[i + 1];
    sum->naxes = sum->nspatial;
    at[0] = gen_axis_add(p, sum, "f", inner);
    for (size_t d = 0; d < sum->nspatial; d++)
        at[d + 1] = ir_var_ref(p->m, sum->axes[d].var);
    sum->term = gen_tensor_load(p, part, at);
    return true;
}

/* ---- which ----------------------------------------------------------------- */

static void rewrite_one(struct gen_program *p, struct gen_bytes *b,
                        struct gen_tuning *tuning)
{
    size_t i = (size_t)gen_below(b, p->nstages);
    struct dtype t = p->tensors[p->stages[i].tensor].dtype;
    switch (gen_below(b, 5)) {
    case 0:
    case 1:
        if (p->nstages > 1 && rewrite_inline(p, i))
            note(tuning, GEN_STEP_INLINE);
        break;
    case 2:
        if (has_room(p) && rewrite_cache_read(p, i, b))
            note(tuning, GEN_STEP_CACHE_READ);
        break;
    case 3:
        if (has_room(p) && rewrite_cache_write(p, i))
            note(tuning, GEN_STEP_CACHE_WRITE);
        break;
    default:
        if (!has_room(p) || !rewrite_rfactor(p, i, b))
            break;
        note(tuning, GEN_STEP_RFACTOR);
        if (dtype_is_float(t))
            tuning->claim = GEN_ORDER_ONLY;
        break;
    }
}

void gen_rewrite(struct gen_program *p, struct gen_bytes *b,
                 struct gen_tuning *tuning)
{
    size_t n = (size_t)gen_below(b, 4);
    for (size_t i = 0; i < n; i++)
        rewrite_one(p, b, tuning);
}
