/* SPDX-License-Identifier: Apache-2.0
 *
 * Random programs: one to five stages, each most often reading what the one
 * before it made.
 *
 * A stage is drawn as one of a few kinds that occur in tensor programs. The
 * kind fixes the domain and how the stage's main operand is read; random terms
 * (gen_term.c) are mixed in. Sizes are small and mostly odd, so that tiles do
 * not divide them and whole runs take milliseconds.
 */
#include "fuzz/gen_private.h"

#include <string.h>

/* ---- tensors and axes ------------------------------------------------------ */

bool gen_dim_same(struct gen_dim a, struct gen_dim b)
{
    return a.symbolic == b.symbolic && (a.symbolic || a.size == b.size);
}

struct ir_expr *gen_dim_expr(struct gen_program *p, struct gen_dim dim)
{
    return dim.symbolic ? ir_var_ref(p->m, p->size)
                        : ir_int(p->m, p->index, dim.size);
}

size_t gen_tensor_add(struct gen_program *p, const char *prefix,
                      struct dtype dtype, size_t rank,
                      const struct gen_dim *dims)
{
    struct ir_expr *shape[GEN_MAX_RANK];
    if (p->ntensors == GEN_MAX_TENSORS || rank > GEN_MAX_RANK)
        DC_BUG("too many tensors or dimensions");
    struct gen_tensor *t = &p->tensors[p->ntensors];
    memset(t, 0, sizeof *t);
    t->name = arena_printf(p->m->arena, "%s%zu", prefix, p->ntensors);
    t->dtype = dtype;
    t->rank = rank;
    for (size_t i = 0; i < rank; i++) {
        t->dims[i] = dims[i];
        shape[i] = gen_dim_expr(p, dims[i]);
    }
    t->buffer =
        ir_buffer_make(p->m, t->name, dtype, rank, shape, NULL, "global");
    if (t->buffer->id != p->ntensors)
        DC_BUG("tensor %zu has buffer %u", p->ntensors, t->buffer->id);
    return p->ntensors++;
}

struct ir_expr *gen_axis_add(struct gen_program *p, struct gen_stage *s,
                             const char *prefix, struct gen_dim dim)
{
    if (s->naxes == GEN_MAX_AXES)
        DC_BUG("too many axes");
    struct gen_axis *a = &s->axes[s->naxes];
    a->var = ir_var_make(
        p->m, arena_printf(p->m->arena, "%s%zu", prefix, s->naxes), p->index);
    a->dim = dim;
    s->naxes++;
    return ir_var_ref(p->m, a->var);
}

int64_t gen_stage_points(const struct gen_stage *s)
{
    int64_t n = 1;
    for (size_t i = 0; i < s->naxes; i++)
        n *= s->axes[i].dim.size;
    return n;
}

static struct gen_dim static_dim(const struct gen_program *p,
                                 struct gen_bytes *b)
{
    struct gen_dim dim = {0, false};
    dim.size = 1 + (int64_t)gen_below(b, p->options.max_extent);
    if (dim.size > 2 && gen_chance(b, 1, 2))
        dim.size |= 1;
    return dim;
}

/* For tensors that become parameters: a symbolic size is known from their
 * shapes. */
static struct gen_dim random_dim(const struct gen_program *p,
                                 struct gen_bytes *b)
{
    if (p->symbolic && gen_chance(b, 1, 3))
        return (struct gen_dim){GEN_SIZE, true};
    return static_dim(p, b);
}

/* ---- stages ---------------------------------------------------------------- */

struct drawing {
    struct gen_program *p;
    struct gen_bytes *b;
    struct gen_stage *s;
    size_t from;          /* main operand */
    struct ir_expr *read; /* how it is read */
    struct gen_dim shape[GEN_MAX_RANK];
    size_t rank;
};

static struct gen_tensor *operand(const struct drawing *d)
{
    return &d->p->tensors[d->from];
}

static struct ir_expr *spatial(struct drawing *d, struct gen_dim dim)
{
    d->shape[d->rank++] = dim;
    d->s->nspatial++;
    return gen_axis_add(d->p, d->s, "i", dim);
}

static void read_at(struct drawing *d, struct ir_expr *const *indices)
{
    d->read = gen_tensor_load(d->p, d->from, indices);
}

static void draw_elementwise(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    for (size_t i = 0; i < operand(d)->rank; i++)
        at[i] = spatial(d, operand(d)->dims[i]);
    read_at(d, at);
}

/* What no earlier stage wrote, or a stage would be one with another. */
static void draw_in_place(struct drawing *d)
{
    draw_elementwise(d);
    if (operand(d)->param && !operand(d)->made)
        d->s->tensor = d->from;
    else
        d->s->kind = GEN_ELEMENTWISE;
}

static void draw_scan(struct drawing *d)
{
    draw_elementwise(d);
    d->s->scan = (size_t)gen_below(d->b, d->s->nspatial);
}

/* Some dimensions, at least one, are reduced. */
static void draw_reduce(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *t = operand(d);
    unsigned reduced = 1u << gen_below(d->b, t->rank);
    for (size_t i = 0; i < t->rank; i++)
        if (gen_chance(d->b, 1, 4))
            reduced |= 1u << i;
    for (size_t i = 0; i < t->rank; i++)
        if (!(reduced >> i & 1))
            at[i] = spatial(d, t->dims[i]);
    if (d->s->nspatial == 0)
        (void)spatial(d, (struct gen_dim){1, false});
    for (size_t i = 0; i < t->rank; i++)
        if (reduced >> i & 1)
            at[i] = gen_axis_add(d->p, d->s, "k", t->dims[i]);
    read_at(d, at);
}

/* out[i…, j] = sum over k of from[i…, k] * B[k, j] */
static void draw_matmul(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK], *other[2];
    const struct gen_tensor *t = operand(d);
    for (size_t i = 0; i + 1 < t->rank; i++)
        at[i] = spatial(d, t->dims[i]);
    struct gen_dim dims[2] = {t->dims[t->rank - 1], random_dim(d->p, d->b)};
    other[1] = spatial(d, dims[1]);
    other[0] = at[t->rank - 1] = gen_axis_add(d->p, d->s, "k", dims[0]);
    read_at(d, at);
    size_t b = gen_tensor_add(d->p, "B", t->dtype, 2, dims);
    d->p->tensors[b].param = true;
    d->read =
        ir_binary(d->p->m, IR_MUL, d->read, gen_tensor_load(d->p, b, other));
}

static size_t pick_static_dim(const struct drawing *d, int64_t least)
{
    const struct gen_tensor *t = operand(d);
    size_t turn = (size_t)gen_below(d->b, t->rank);
    for (size_t k = 0; k < t->rank; k++) {
        size_t i = (k + turn) % t->rank;
        if (!t->dims[i].symbolic && t->dims[i].size >= least)
            return i;
    }
    return SIZE_MAX;
}

static void draw_window(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *t = operand(d);
    size_t which = pick_static_dim(d, 2);
    if (which == SIZE_MAX) {
        draw_elementwise(d);
        return;
    }
    int64_t size = t->dims[which].size;
    int64_t window = 2 + (int64_t)gen_below(d->b, size > 3 ? 2 : 1);
    window = window > size ? size : window;
    int64_t stride = 1 + (int64_t)gen_below(d->b, 2);
    for (size_t i = 0; i < t->rank; i++)
        at[i] = spatial(
            d, i == which
                   ? (struct gen_dim){(size - window) / stride + 1, false}
                   : t->dims[i]);
    struct ir_expr *r =
        gen_axis_add(d->p, d->s, "r", (struct gen_dim){window, false});
    at[which] = gen_op(d->p->m, IR_ADD,
                       gen_op_int(d->p->m, IR_MUL, at[which], stride), r);
    read_at(d, at);
}

static void draw_pad(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *t = operand(d);
    size_t which = pick_static_dim(d, 1);
    if (which == SIZE_MAX) {
        draw_elementwise(d);
        return;
    }
    struct ir_module *m = d->p->m;
    int64_t size = t->dims[which].size;
    int64_t lo = (int64_t)gen_below(d->b, 3), hi = (int64_t)gen_below(d->b, 3);
    for (size_t i = 0; i < t->rank; i++)
        at[i] = spatial(d, i == which ? (struct gen_dim){size + lo + hi, false}
                                      : t->dims[i]);
    struct ir_expr *i = at[which];
    at[which] = gen_op_int(m, IR_SUB, i, lo);
    struct ir_expr *conds[2] = {
        ir_binary(m, IR_LE, ir_int(m, i->dtype, lo), i),
        ir_binary(m, IR_LT, i, ir_int(m, i->dtype, size + lo))};
    read_at(d, at);
    d->read = gen_if(m, gen_all(m, 2, conds), d->read,
                     gen_number(m, t->dtype, gen_chance(d->b, 1, 4) ? 2 : 0));
}

static void draw_gather(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *t = operand(d);
    size_t which = (size_t)gen_below(d->b, t->rank);
    struct gen_dim count = random_dim(d->p, d->b);
    for (size_t i = 0; i < t->rank; i++)
        at[i] = spatial(d, i == which ? count : t->dims[i]);
    struct gen_dim from = t->dims[which];
    size_t list = gen_tensor_add(d->p, "I", d->p->index, 1, &count);
    d->p->tensors[list].param = true;
    at[which] =
        gen_op(d->p->m, IR_FLOORMOD, gen_tensor_load(d->p, list, &at[which]),
               gen_dim_expr(d->p, from));
    read_at(d, at);
}

/* Two dimensions seen as one, or one as two. */
static void draw_reshape(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    struct ir_module *m = d->p->m;
    const struct gen_tensor *t = operand(d);
    if (t->rank == 2 && !t->dims[0].symbolic && !t->dims[1].symbolic) {
        int64_t inner = t->dims[1].size;
        struct ir_expr *f =
            spatial(d, (struct gen_dim){t->dims[0].size * inner, false});
        at[0] = gen_op_int(m, IR_FLOORDIV, f, inner);
        at[1] = gen_op_int(m, IR_FLOORMOD, f, inner);
    } else if (t->rank == 1 && !t->dims[0].symbolic) {
        int64_t size = t->dims[0].size, inner = 1;
        for (int64_t k = 2; k < size; k++)
            if (size % k == 0)
                inner = k;
        struct ir_expr *i = spatial(d, (struct gen_dim){size / inner, false});
        struct ir_expr *j = spatial(d, (struct gen_dim){inner, false});
        at[0] = gen_op(m, IR_ADD, gen_op_int(m, IR_MUL, i, inner), j);
    } else {
        draw_elementwise(d);
        return;
    }
    read_at(d, at);
}

static void draw_broadcast(struct drawing *d)
{
    struct ir_expr *at[GEN_MAX_RANK];
    const struct gen_tensor *t = operand(d);
    size_t where = (size_t)gen_below(d->b, t->rank + 1);
    for (size_t i = 0; i < t->rank; i++) {
        if (i == where && t->rank < 3)
            (void)spatial(d, static_dim(d->p, d->b));
        at[i] = spatial(d, t->dims[i]);
    }
    read_at(d, at);
}

static void draw_domain(struct drawing *d)
{
    switch (d->s->kind) {
    case GEN_ELEMENTWISE: draw_elementwise(d); break;
    case GEN_REDUCE: draw_reduce(d); break;
    case GEN_MATMUL: draw_matmul(d); break;
    case GEN_WINDOW: draw_window(d); break;
    case GEN_PAD: draw_pad(d); break;
    case GEN_GATHER: draw_gather(d); break;
    case GEN_SCAN: draw_scan(d); break;
    case GEN_RESHAPE: draw_reshape(d); break;
    case GEN_BROADCAST: draw_broadcast(d); break;
    case GEN_IN_PLACE: draw_in_place(d); break;
    case GEN_NKINDS: break;
    }
}

/* ---- values of a stage ----------------------------------------------------- */

static enum gen_reducer draw_reducer(const struct gen_stage *s,
                                     struct gen_bytes *b)
{
    static const enum gen_reducer choice[] = {GEN_SUM, GEN_SUM, GEN_SUM,
                                              GEN_MAX, GEN_MIN, GEN_PROD};
    if (s->kind == GEN_MATMUL)
        return GEN_SUM;
    return choice[gen_below(b, DC_ARRAY_LEN(choice))];
}

/* A wider type for sums of narrow floats, as kernels accumulate. */
static struct dtype result_type(struct gen_program *p, struct gen_bytes *b,
                                const struct gen_stage *s, struct dtype from)
{
    struct dtype t = from;
    bool reduces = s->naxes > s->nspatial;
    if (dtype_is_float(t) && t.bits < 32 &&
        (t.bits < 16 || gen_chance(b, 1, 2)))
        t = DTYPE_FLOAT32;
    else if (dtype_is_int(t) && t.bits < 32 && reduces && gen_chance(b, 1, 2))
        t = DTYPE_INT32;
    else if (!reduces && gen_chance(b, 1, 5) && gen_can_cast(t, p->main))
        t = p->main;
    return t;
}

static struct ir_expr *draw_init(struct gen_program *p, struct gen_stage *s,
                                 struct gen_bytes *b, struct dtype t)
{
    struct ir_expr *unit = gen_unit(p->m, s->reducer, t);
    if (s->reducer != GEN_SUM || !gen_chance(b, 1, 5))
        return unit;
    struct gen_stage over = *s; /* the bias depends on spatial axes only */
    over.naxes = s->nspatial;
    return gen_value(p, &over, b, t, 0);
}

static void draw_values(struct drawing *d)
{
    struct gen_program *p = d->p;
    struct gen_stage *s = d->s;
    bool in_place = s->tensor != SIZE_MAX;
    struct dtype t =
        in_place ? d->read->dtype : result_type(p, d->b, s, d->read->dtype);
    struct ir_expr *e = gen_cast(p->m, t, d->read);
    bool reduces = s->naxes > s->nspatial;
    if (!reduces || gen_chance(d->b, 1, 3)) {
        struct ir_expr *f =
            gen_value(p, s, d->b, t, (unsigned)gen_below(d->b, 3));
        enum ir_expr_kind kind = gen_chance(d->b, 1, 3) ? IR_MUL : IR_ADD;
        if (f->kind != IR_INT_IMM || f->u.int_value > 1)
            e = gen_op(p->m, kind, e, f);
    }
    s->term = e;
    if (reduces) {
        s->reducer = draw_reducer(s, d->b);
        s->init = draw_init(p, s, d->b, t);
    } else if (s->scan != SIZE_MAX) {
        s->reducer = gen_chance(d->b, 2, 3) ? GEN_SUM : GEN_MAX;
    }
    if (!in_place)
        s->tensor = gen_tensor_add(p, "C", t, d->rank, d->shape);
    p->tensors[s->tensor].made = true;
    if (!reduces && s->scan == SIZE_MAX && gen_chance(d->b, 1, 10)) {
        s->guard = gen_axis_condition(p, s, s->nspatial, d->b);
        p->tensors[s->tensor].param = true;
    }
}

/* ---- programs -------------------------------------------------------------- */

static size_t first_input(struct gen_program *p, struct gen_bytes *b)
{
    struct gen_dim dims[3];
    size_t rank = 1 + (size_t)gen_below(b, 3);
    int64_t room = 300;
    for (size_t i = 0; i < rank; i++) {
        dims[i] = random_dim(p, b);
        if (dims[i].size > room)
            dims[i] = (struct gen_dim){room, false};
        room /= dims[i].size;
        room = room < 1 ? 1 : room;
    }
    size_t t = gen_tensor_add(p, "A", p->main, rank, dims);
    p->tensors[t].param = true;
    return t;
}

static size_t main_operand(const struct gen_program *p, struct gen_bytes *b,
                           size_t input)
{
    if (p->nstages == 0)
        return input;
    size_t last = p->stages[p->nstages - 1].tensor;
    if (!gen_chance(b, 1, 5))
        return last;
    return gen_chance(b, 1, 2) ? input
                               : p->stages[gen_below(b, p->nstages)].tensor;
}

/* Kinds that do not fit the operand become elementwise. */
static enum gen_kind draw_kind(const struct gen_tensor *t, struct gen_bytes *b)
{
    static const enum gen_kind choice[] = {
        GEN_ELEMENTWISE, GEN_ELEMENTWISE, GEN_REDUCE,  GEN_REDUCE,   GEN_REDUCE,
        GEN_MATMUL,      GEN_MATMUL,      GEN_WINDOW,  GEN_WINDOW,   GEN_PAD,
        GEN_GATHER,      GEN_SCAN,        GEN_RESHAPE, GEN_BROADCAST};
    enum gen_kind kind = choice[gen_below(b, DC_ARRAY_LEN(choice))];
    if (kind == GEN_ELEMENTWISE && t->param && !t->made && gen_chance(b, 1, 5))
        kind = GEN_IN_PLACE;
    if (kind == GEN_BROADCAST && t->rank >= 3)
        kind = GEN_ELEMENTWISE;
    return kind;
}

static bool draw_stage(struct gen_program *p, struct gen_bytes *b, size_t input)
{
    struct gen_stage *s = &p->stages[p->nstages];
    size_t mark = p->ntensors;
    memset(s, 0, sizeof *s);
    s->scan = SIZE_MAX;
    s->tensor = SIZE_MAX;
    struct drawing d = {p, b, s, main_operand(p, b, input), NULL, {{0}}, 0};
    s->kind = draw_kind(operand(&d), b);
    draw_domain(&d);
    if (gen_stage_points(s) > GEN_MAX_POINTS) {
        p->ntensors = mark;
        p->m->nbuffers = (uint32_t)mark;
        return false;
    }
    draw_values(&d);
    p->kinds |= 1u << s->kind;
    p->nstages++;
    return true;
}

static bool is_read(const struct gen_program *p, size_t tensor)
{
    const struct ir_buffer *buffer = p->tensors[tensor].buffer;
    for (size_t i = 0; i < p->nstages; i++) {
        const struct gen_stage *s = &p->stages[i];
        if (ir_loads(s->term, buffer) || (s->init && ir_loads(s->init, buffer)))
            return true;
    }
    return false;
}

/* What nobody reads is an output, and so is the last stage. */
static void choose_outputs(struct gen_program *p, struct gen_bytes *b)
{
    for (size_t i = 0; i < p->nstages; i++) {
        size_t tensor = p->stages[i].tensor;
        p->tensors[tensor].param |=
            i + 1 == p->nstages || !is_read(p, tensor) || gen_chance(b, 1, 6);
    }
}

struct gen_program *gen_program_new(struct gen_bytes *b,
                                    const struct gen_options *options)
{
    struct gen_program *p = dc_alloc(sizeof *p);
    p->m = ir_module_new();
    p->options = *options;
    p->main = gen_data_type(b);
    p->symbolic = options->symbolic && gen_chance(b, 1, 5);
    p->index = !p->symbolic && gen_chance(b, 1, 8) ? DTYPE_INT64 : DTYPE_INT32;
    p->size = ir_var_make(p->m, "n", p->index);
    size_t input = first_input(p, b);
    size_t stages = 1 + (size_t)gen_below(b, options->max_stages);
    for (size_t tries = 0; p->nstages < stages && tries < 2 * stages; tries++)
        (void)draw_stage(p, b, input);
    while (p->nstages == 0)
        (void)draw_stage(p, b, input);
    choose_outputs(p, b);
    if (p->symbolic) {
        bool known = false;
        for (size_t i = 0; i < p->ntensors; i++)
            for (size_t d = 0; d < p->tensors[i].rank; d++)
                known |= p->tensors[i].param && p->tensors[i].dims[d].symbolic;
        p->symbolic = known;
    }
    return p;
}

void gen_program_free(struct gen_program *program)
{
    if (!program)
        return;
    ir_module_free(program->m);
    dc_release(program);
}
