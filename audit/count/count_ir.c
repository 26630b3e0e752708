/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations and compulsory traffic of a function, read off its statements.
 *
 * A statement is executed at the points of its loops at which its guards hold;
 * what it computes there is counted twice over: as it is written, and as little as
 * any schedule of it can do. The latter counts an operation once for all turns of
 * loops that nothing in it depends on, and nothing where memory decides whether
 * it is done. Indices and guards are no operations, a load that is guarded reads
 * only where the guard holds, and an index that is data (a gather) reaches one
 * element.
 *
 * Bytes are those of parameters alone, each element that is reached once: a
 * schedule may keep everything else on the chip.
 */
#include "audit/count/box_points.h"
#include "audit/count/count.h"
#include "ir/base/limits.h"

#include <string.h>

/* A parameter, and the most elements of it that one statement reaches. */
struct traffic {
    const struct ir_buffer *buffer;
    double elements; /* that are read, or of an output written */
    bool written, exact, touched;
};

struct counter {
    struct arena *arena;
    struct ir_module *module;
    struct audit_count *out;
    struct domain d;
    struct VEC(struct traffic) traffic;
    unsigned maybe; /* guards around that memory decides */
    unsigned index; /* indices around, which are no operations */
    const char *why;
};

static bool give_up(struct counter *c, const char *why)
{
    c->why = c->why ? c->why : why;
    return false;
}

/* ---- traffic ------------------------------------------------------------------- */

static struct traffic *traffic_of(struct counter *c, const struct ir_buffer *b)
{
    for (size_t i = 0; i < c->traffic.len; i++)
        if (c->traffic.items[i].buffer->data == b->data)
            return &c->traffic.items[i];
    return NULL;
}

static bool constant_shape(const struct ir_buffer *b, int64_t *shape)
{
    for (size_t i = 0; i < b->rank; i++)
        if (!ir_const_int(b->shape[i], &shape[i]) || shape[i] < 0)
            return false;
    return true;
}

static void touch(struct counter *c, const struct ir_buffer *b, size_t n,
                  struct ir_expr *const *index, bool write)
{
    struct traffic *t = traffic_of(c, b);
    int64_t shape[DC_MAX_RANK];
    if (t == NULL || n != b->rank || n > DC_MAX_RANK || b != t->buffer ||
        !constant_shape(b, shape)) {
        if (t != NULL)
            t->exact = false;
        return;
    }
    bool first = !t->touched || (write && !t->written);
    double all = 1;
    for (size_t i = 0; i < n; i++)
        all *= (double)shape[i];
    c->d.exact = true;
    double reached = c->maybe > 0 ? 0 : domain_reached(&c->d, n, index, shape);
    if (write && !t->written)
        t->elements = 0; /* what is read of an output may be on the chip */
    if (t->written && !write)
        return;
    /* Of several accesses the largest: they may reach the same elements. */
    t->exact = (c->d.exact && c->maybe == 0 && (first || reached == all)) ||
               (t->exact && t->elements == all);
    t->elements = reached > t->elements ? reached : t->elements;
    t->written = t->written || write;
    t->touched = true;
}

/* ---- operations ------------------------------------------------------------------- */

/* One operation of so many lanes, at all points: what it depends on is `axes`. */
static void add_op(struct counter *c, enum audit_op op, struct dtype t,
                   uint64_t axes)
{
    if (c->index > 0)
        return;
    double all = domain_points(&c->d, UINT64_MAX) * (double)t.lanes;
    double least =
        c->maybe > 0 ? 0 : domain_points(&c->d, axes) * (double)t.lanes;
    least = least < all ? least : all; /* where points were too many */
    if (dtype_is_float(t)) {
        c->out->ops[op] += all;
        if (op != AUDIT_CONVERT)
            c->out->least[audit_class_of(t)] += least;
    } else if (op != AUDIT_CONVERT) {
        c->out->ints += all;
        c->out->least[AUDIT_INT] += least;
    }
}

static uint64_t count_value(struct counter *c, const struct ir_expr *e);

static uint64_t count_operands(struct counter *c, const struct ir_expr *e)
{
    uint64_t axes = 0;
    for (uint32_t i = 0; i < e->nargs; i++)
        axes |= count_value(c, e->args[i]);
    return axes;
}

static uint64_t count_load(struct counter *c, const struct ir_expr *e)
{
    uint64_t axes = 0;
    bool data = false, open = false;
    touch(c, e->u.buffer, e->nargs, e->args, false);
    for (uint32_t i = 0; i < e->nargs; i++) {
        axes |= domain_axes(&c->d, e->args[i], &data, &open);
        if (!ir_has_load(e->args[i]))
            continue;
        c->index++; /* what it reads counts */
        axes |= count_value(c, e->args[i]);
        c->index--;
    }
    return axes;
}

/* Under a guard, or its opposite. */
static uint64_t count_under(struct counter *c, const struct ir_expr *guard,
                            bool negated, const struct ir_expr *e)
{
    struct domain_mark mark = domain_mark(&c->d);
    bool known = domain_require(&c->d, guard, negated);
    c->maybe += !known;
    uint64_t axes = count_value(c, e);
    c->maybe -= !known;
    domain_return(&c->d, mark);
    return axes;
}

static uint64_t count_choice(struct counter *c, const struct ir_expr *e)
{
    bool data = false, open = false;
    uint64_t axes = domain_axes(&c->d, e->args[0], &data, &open);
    if (data)
        axes |= count_value(c, e->args[0]);
    axes |= count_under(c, e->args[0], false, e->args[1]);
    return axes | count_under(c, e->args[0], true, e->args[2]);
}

static uint64_t count_call(struct counter *c, const struct ir_expr *e)
{
    enum ir_op op = ir_call_op(e);
    if (op == IR_OP_IF_THEN_ELSE && e->nargs == 3)
        return count_choice(c, e);
    uint64_t axes = count_operands(c, e);
    if (ir_is_identity(e) || ir_op_info(op)->flags & IR_OPF_NOTHING ||
        op == IR_OP_REINTERPRET)
        return axes;
    if (op == IR_OP_FMA) {
        add_op(c, AUDIT_MUL, e->dtype, axes);
        add_op(c, AUDIT_ADD, e->dtype, axes);
        return axes;
    }
    add_op(c, AUDIT_CALL, e->dtype, axes);
    return axes;
}

/* The value of an expression: its operations at the points of the domain. What is
 * given back is what it depends on. */
static uint64_t count_value(struct counter *c, const struct ir_expr *e)
{
    bool data = false, open = false;
    uint64_t axes;
    switch (e->kind) {
    case IR_LEAF_KINDS: return domain_axes(&c->d, e, &data, &open);
    case IR_LOAD: return count_load(c, e);
    case IR_CALL: return count_call(c, e);
    case IR_CAST:
        axes = count_operands(c, e);
        if (dtype_is_float(e->dtype) || dtype_is_float(e->args[0]->dtype))
            add_op(c, AUDIT_CONVERT, DTYPE_FLOAT32, axes);
        return axes;
    case IR_MUL:
        axes = count_operands(c, e);
        add_op(c, AUDIT_MUL, e->dtype, axes);
        return axes;
    case IR_ADD:
    case IR_SUB:
        axes = count_operands(c, e);
        add_op(c, AUDIT_ADD, e->dtype, axes);
        return axes;
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
        axes = count_operands(c, e);
        add_op(c, AUDIT_DIV, e->dtype, axes);
        return axes;
    case IR_MIN:
    case IR_MAX:
    case IR_COMPARE_KINDS:
    case IR_SELECT:
        axes = count_operands(c, e);
        add_op(c, AUDIT_COMPARE,
               e->kind == IR_SELECT ? e->dtype : e->args[0]->dtype, axes);
        return axes;
    case IR_BITWISE_KINDS:
    case IR_BITNOT:
    case IR_AND:
    case IR_OR:
    case IR_NOT:
        axes = count_operands(c, e);
        if (!dtype_is_bool(e->dtype))
            add_op(c, AUDIT_ADD, e->dtype, axes); /* of integers */
        return axes;
    case IR_LET:
        axes = count_value(c, e->args[0]);
        domain_bind(&c->d, e->u.var, e->args[0]);
        return axes | count_value(c, e->args[1]);
    case IR_VECTOR_KINDS: return count_operands(c, e);
    case IR_NKINDS: break;
    }
    return 0;
}

/* ---- statements -------------------------------------------------------------------- */

static bool count_stmt(struct counter *c, const struct ir_stmt *s);

/* A loop from min, so long: an extent that is not constant is the most that it is,
 * with a guard. */
static bool push_loop(struct counter *c, struct ir_var *var,
                      struct ir_expr *min, struct ir_expr *extent)
{
    int64_t from = 0, n, least;
    if (min != NULL && !ir_const_int(min, &from))
        return give_up(c,
                       arena_printf(c->arena, "loop '%s' has no constant start",
                                    var->name));
    if (ir_const_int(extent, &n))
        return domain_push(&c->d, var, from, n) ||
               give_up(c, "loops are too many or too long");
    if (!domain_bounds(&c->d, extent, &least, &n))
        return give_up(c, arena_printf(c->arena,
                                       "the extent of loop '%s' is not known",
                                       var->name));
    if (!domain_push(&c->d, var, from, n))
        return give_up(c, "loops are too many or too long");
    struct ir_expr *at = ir_var_ref(c->module, var);
    struct ir_expr *end = ir_binary(c->module, IR_ADD, extent,
                                    ir_int(c->module, extent->dtype, from));
    if (!dtype_equal(at->dtype, end->dtype))
        end = ir_cast(c->module, at->dtype, end);
    return domain_require(&c->d, ir_binary(c->module, IR_LT, at, end), false) ||
           give_up(c, "the extent of a loop is data");
}

/* The init runs where all iterators of the reduction are at their start. */
static bool count_init(struct counter *c, const struct ir_block *b)
{
    struct domain_mark mark = domain_mark(&c->d);
    unsigned unknown = 0;
    if (b->init == NULL)
        return true;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        if (iter->type != IR_ITER_REDUCE || !iter->has_dom ||
            !dtype_equal(iter->var->dtype, iter->dom.min->dtype))
            continue;
        struct ir_expr *first = ir_binary(
            c->module, IR_EQ, ir_var_ref(c->module, iter->var), iter->dom.min);
        unknown += !domain_require(&c->d, first, false);
    }
    c->maybe += unknown;
    bool fine = count_stmt(c, b->init);
    c->maybe -= unknown;
    domain_return(&c->d, mark);
    return fine;
}

static bool count_block(struct counter *c, const struct ir_block *b)
{
    struct domain_mark mark = domain_mark(&c->d);
    for (size_t i = 0; i < b->niters; i++)
        domain_bind(&c->d, b->iters[i].var, b->iter_values[i]);
    bool known = domain_require(&c->d, b->predicate, false);
    c->maybe += !known;
    bool fine = count_init(c, b);
    fine = fine && count_stmt(c, b->body);
    c->maybe -= !known;
    domain_return(&c->d, mark);
    return fine;
}

static bool count_guarded(struct counter *c, const struct ir_expr *guard,
                          bool negated, const struct ir_stmt *s)
{
    struct domain_mark mark = domain_mark(&c->d);
    if (s == NULL)
        return true;
    bool known = domain_require(&c->d, guard, negated);
    c->maybe += !known;
    bool fine = count_stmt(c, s);
    c->maybe -= !known;
    domain_return(&c->d, mark);
    return fine;
}

static bool count_loop(struct counter *c, const struct ir_stmt *s)
{
    struct domain_mark mark = domain_mark(&c->d);
    if (s->u.loop.step != NULL && !ir_is_const_int(s->u.loop.step, 1))
        return give_up(c, "a loop with a step");
    bool fine = push_loop(c, s->u.loop.var, s->u.loop.min, s->u.loop.extent) &&
                count_stmt(c, s->u.loop.body);
    domain_return(&c->d, mark);
    return fine;
}

static bool count_attr(struct counter *c, const struct ir_stmt *s)
{
    struct ir_thread_axis axis;
    struct domain_mark mark = domain_mark(&c->d);
    int64_t n;
    bool fine = true;
    if (ir_thread_axis(s, &axis) && axis.extent != NULL)
        fine = (ir_const_int(axis.extent, &n) &&
                domain_push(&c->d, axis.var, 0, n)) ||
               give_up(c, "how many threads there are is not known");
    fine = fine && count_stmt(c, s->u.attr.body);
    domain_return(&c->d, mark);
    return fine;
}

static bool count_stmt(struct counter *c, const struct ir_stmt *s)
{
    bool fine = true;
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n && fine; i++)
            fine = count_stmt(c, s->u.seq.items[i]);
        return fine;
    case IR_FOR: return count_loop(c, s);
    case IR_BLOCK: return count_block(c, s->u.block);
    case IR_ATTR: return count_attr(c, s);
    case IR_IF:
        return count_guarded(c, s->u.if_.cond, false, s->u.if_.then_) &&
               count_guarded(c, s->u.if_.cond, true, s->u.if_.else_);
    case IR_WHILE: return give_up(c, "how often a while loop turns is data");
    case IR_BIND:
        (void)count_value(c, s->u.bind.value);
        domain_bind(&c->d, s->u.bind.var, s->u.bind.value);
        return true;
    case IR_STORE:
        (void)count_value(c, s->u.store.value);
        touch(c, s->u.store.buffer, s->u.store.nindices, s->u.store.indices,
              true);
        return true;
    case IR_EVALUATE:
        if (s->u.value != NULL && s->u.value->kind == IR_CALL)
            return (ir_op_info(ir_call_op(s->u.value))->flags &
                    (IR_OPF_NOTHING | IR_OPF_SYNC)) != 0 ||
                   give_up(c, "it calls what is not in it");
        return true;
    case IR_STORAGE_STMTS:
    case IR_ASSERT:
    case IR_JUMP_STMTS: return true;
    case IR_NSTMTS: break;
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------ */

static const struct ir_func *choose_function(const struct ir_module *m)
{
    const struct ir_func *f = ir_definition(m, "main"), *only = NULL;
    for (size_t i = 0; i < m->nfuncs && f == NULL; i++)
        if (m->funcs[i]->kind == IR_FUNC_PRIM && m->funcs[i]->prim.body) {
            if (only != NULL)
                return NULL;
            only = m->funcs[i];
        }
    return f != NULL ? f : only;
}

static void sum_traffic(struct counter *c)
{
    c->out->has_bytes = true;
    c->out->exact_bytes = true;
    for (size_t i = 0; i < c->traffic.len; i++) {
        const struct traffic *t = &c->traffic.items[i];
        c->out->exact_bytes = c->out->exact_bytes && t->exact;
        c->out->bytes +=
            t->elements * (double)(dtype_lane_bytes(t->buffer->dtype) *
                                   t->buffer->dtype.lanes);
    }
}

static const char *describe(const struct counter *c)
{
    static const char *const names[AUDIT_NOPS] = {
        "multiplications", "additions", "divisions", "comparisons", "calls"};
    struct buf text = {0};
    for (size_t i = 0; i < AUDIT_CONVERT; i++)
        if (c->out->ops[i] > 0)
            buf_printf(&text, "%s%.0f %s", text.len ? " + " : "",
                       c->out->ops[i], names[i]);
    if (text.len == 0 && c->out->ints > 0)
        buf_printf(&text, "%.0f operations on integers", c->out->ints);
    if (text.len == 0)
        buf_puts(&text, "it moves data alone");
    if (c->d.cut)
        buf_puts(&text, ", at least: guards are over too many points");
    const char *out = arena_strdup(c->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

bool audit_count_module(struct ir_module *module, struct arena *arena,
                        struct audit_count *out)
{
    struct counter c = {.arena = arena, .module = module, .out = out};
    const struct ir_func *f = choose_function(module);
    bool fine = f != NULL && f->kind == IR_FUNC_PRIM;
    if (!fine)
        c.why = "its module has no function 'main'";
    for (size_t i = 0; fine && i < f->prim.nparams; i++)
        if (f->prim.params[i].buffer != NULL)
            vec_push(&c.traffic,
                     ((struct traffic){.buffer = f->prim.params[i].buffer,
                                       .exact = true}));
    fine = fine && count_stmt(&c, f->prim.body);
    if (fine) {
        sum_traffic(&c);
        out->source = AUDIT_IR;
        out->how = describe(&c);
    } else {
        *out = (struct audit_count){.saving = 1, .how = c.why};
    }
    vec_fini(&c.traffic);
    domain_fini(&c.d);
    return fine;
}
