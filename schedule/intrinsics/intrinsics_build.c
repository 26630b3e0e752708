/* SPDX-License-Identifier: Apache-2.0
 *
 * What descriptions and implementations of tensor intrinsics are put together
 * from.
 */
#include "schedule/intrinsics/intrinsics_private.h"

#include <string.h>

/* ---- operands -------------------------------------------------------------- */

struct dtype tensor_dtype(const char *text)
{
    struct dtype t;
    if (!dtype_parse(text, &t))
        DC_BUG("'%s' is no type", text);
    return t;
}

struct ir_var *tensor_var(struct tensor_making *k, const char *name)
{
    return ir_var_make(k->m, name, k->index);
}

struct ir_buffer *tensor_operand(struct tensor_making *k,
                                 struct tensor_operand what)
{
    struct ir_module *m = k->m;
    struct ir_expr *shape[] = {tensor_index(k, what.rows),
                               tensor_index(k, what.cols)};
    size_t rank = what.cols > 0 ? 2 : 1;
    struct ir_buffer *b = ir_buffer_make(m, what.name, tensor_dtype(what.dtype),
                                         rank, shape, NULL, what.scope);
    if (what.alignment > 0)
        b->alignment = what.alignment;
    if (what.factor > 0) {
        b->offset_factor = what.factor;
        b->elem_offset = ir_var_ref(
            m, tensor_var(k, arena_printf(m->arena, "%s_offset", what.name)));
    }
    if (what.strided && !k->describe) {
        b->nstrides = rank;
        b->strides = ARENA_ARRAY(m->arena, rank, struct ir_expr *);
        for (size_t i = 0; i < rank; i++)
            b->strides[i] = ir_var_ref(
                m,
                tensor_var(k, arena_printf(m->arena, "%s_s%zu", what.name, i)));
    }
    if (k->n == TENSOR_MAX_OPERANDS)
        DC_BUG("'%s' has too many operands", k->row->name);
    k->operands[k->n++] = b;
    return b;
}

/* ---- expressions ----------------------------------------------------------- */

struct ir_expr *tensor_index(struct tensor_making *k, int64_t value)
{
    return ir_int(k->m, k->index, value);
}

struct ir_expr *tensor_int32(struct tensor_making *k, int64_t value)
{
    return ir_int(k->m, DTYPE_INT32, value);
}

struct ir_expr *tensor_zero(struct tensor_making *k, const char *dtype)
{
    struct dtype t = tensor_dtype(dtype);
    return dtype_is_float(t) ? ir_float(k->m, t, 0) : ir_int(k->m, t, 0);
}

struct ir_expr *tensor_data(struct tensor_making *k, struct ir_buffer *b)
{
    return ir_var_ref(k->m, b->data);
}

/* sum = term { "+" term }; term = factor { ( "*" | "//" | "%" ) factor };
 * factor = number | letter | "(" sum ")" */
struct formula {
    struct tensor_making *k;
    const char *at;
    struct ir_expr *const *vars;
};

static struct ir_expr *sum(struct formula *f);

static struct ir_expr *factor(struct formula *f)
{
    int64_t number = 0;
    if (*f->at == '(') {
        f->at++;
        struct ir_expr *e = sum(f);
        if (*f->at++ != ')')
            DC_BUG("a formula of '%s' lacks ')'", f->k->row->name);
        return e;
    }
    if (*f->at >= 'a' && *f->at <= 'z')
        return f->vars[*f->at++ - 'a'];
    while (*f->at >= '0' && *f->at <= '9')
        number = 10 * number + (*f->at++ - '0');
    return tensor_index(f->k, number);
}

static struct ir_expr *term(struct formula *f)
{
    struct ir_expr *e = factor(f);
    for (;;) {
        enum ir_expr_kind kind;
        switch (*f->at) {
        case '*': kind = IR_MUL; break;
        case '/': kind = IR_FLOORDIV; break;
        case '%': kind = IR_FLOORMOD; break;
        default: return e;
        }
        f->at += kind == IR_FLOORDIV ? 2 : 1;
        e = ir_binary(f->k->m, kind, e, factor(f));
    }
}

static struct ir_expr *sum(struct formula *f)
{
    struct ir_expr *e = term(f);
    while (*f->at == '+') {
        f->at++;
        e = ir_binary(f->k->m, IR_ADD, e, term(f));
    }
    return e;
}

struct ir_expr *tensor_formula(struct tensor_making *k,
                               struct ir_expr *const *vars, const char *fmt,
                               ...)
{
    va_list args;
    va_start(args, fmt);
    struct formula f = {k, arena_vprintf(k->m->arena, fmt, args), vars};
    va_end(args);
    struct ir_expr *e = sum(&f);
    if (*f.at != '\0')
        DC_BUG("a formula of '%s' goes on: '%s'", k->row->name, f.at);
    return e;
}

struct ir_expr *tensor_address(struct tensor_making *k, struct ir_buffer *b,
                               int mask)
{
    struct ir_expr *size[] = {b->strides[0], b->shape[0]};
    struct ir_expr *args[] = {
        ir_call(k->m, b->dtype, "tirx.type_annotation", 0, NULL),
        tensor_data(k, b),
        b->elem_offset,
        tensor_formula(k, size, "a*b"),
        tensor_int32(k, mask),
    };
    return ir_call(k->m, DTYPE_HANDLE, "tirx.tvm_access_ptr", 5, args);
}

struct ir_expr *tensor_tile(struct tensor_making *k, const struct ir_buffer *b,
                            int64_t rows, int64_t cols)
{
    struct ir_expr *vars[] = {b->elem_offset, b->strides[0]};
    return tensor_formula(k, vars, "a//b//%d*(b//%d)+a%%b//%d", (int)rows,
                          (int)cols, (int)cols);
}

struct ir_stmt *tensor_call(struct tensor_making *k, const char *dtype,
                            const char *name, size_t n,
                            struct ir_expr *const *args)
{
    struct dtype t = dtype ? tensor_dtype(dtype) : DTYPE_VOID;
    return ir_evaluate(k->m, ir_call(k->m, t, name, n, args));
}

struct ir_expr *tensor_load(struct tensor_making *k, struct ir_buffer *b,
                            struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *at[] = {i, j};
    return ir_load(k->m, b, j ? 2 : 1, at, NULL);
}

struct ir_stmt *tensor_store(struct tensor_making *k, struct ir_buffer *b,
                             struct ir_expr *i, struct ir_expr *j,
                             struct ir_expr *value)
{
    struct ir_expr *at[] = {i, j};
    return ir_store(k->m, b, value, j ? 2 : 1, at, NULL);
}

struct ir_expr *tensor_cast(struct tensor_making *k, const char *dtype,
                            struct ir_expr *e)
{
    struct dtype t = tensor_dtype(dtype);
    return dtype_equal(t, e->dtype) ? e : ir_cast(k->m, t, e);
}

/* ---- statements ------------------------------------------------------------ */

struct ir_stmt *tensor_loop(struct tensor_making *k, struct ir_var *var,
                            int64_t extent, enum ir_for_kind kind,
                            struct ir_stmt *body)
{
    struct ir_stmt *loop = ir_stmt_make(k->m, IR_FOR);
    loop->u.loop.var = var;
    loop->u.loop.min = tensor_index(k, 0);
    loop->u.loop.extent = tensor_index(k, extent);
    loop->u.loop.kind = kind;
    loop->u.loop.body = body;
    if (kind == IR_FOR_THREAD) {
        struct ir_iter_var *iter = ARENA_NEW(k->m->arena, struct ir_iter_var);
        iter->var = tensor_var(k, "threadIdx.x");
        iter->type = IR_ITER_THREAD;
        iter->thread_tag = "threadIdx.x";
        loop->u.loop.thread = iter;
    }
    ir_stmt_seal(loop);
    return loop;
}

void tensor_points(struct tensor_making *k, struct tensor_points *p,
                   const char *types, const int64_t *extents)
{
    static const char *const names[] = {"i", "j", "k"};
    p->n = strlen(types);
    for (size_t i = 0; i < p->n; i++) {
        p->loops[i] = tensor_var(k, names[i]);
        p->iters[i] = (struct ir_iter_var){
            .var = tensor_var(k, arena_printf(k->m->arena, "v%s", names[i])),
            .has_dom = true,
            .dom = {tensor_index(k, 0), tensor_index(k, extents[i])},
            .type = types[i] == 'R' ? IR_ITER_REDUCE : IR_ITER_SPATIAL,
            .thread_tag = "",
        };
        p->at[i] = ir_var_ref(k->m, p->iters[i].var);
    }
}

struct ir_stmt *tensor_at_points(struct tensor_making *k,
                                 const struct tensor_points *p,
                                 struct ir_stmt *store)
{
    struct arena *arena = k->m->arena;
    struct schedule s = {.m = k->m}; /* claims need nothing else of one */
    struct ir_stmt *stmt = ir_stmt_make(k->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(arena, struct ir_block);
    int64_t extent = 0;
    b->name = arena_strdup(arena, "point"); /* tells it from others */
    b->niters = p->n;
    b->iters = arena_memdup(arena, p->iters, p->n * sizeof *p->iters);
    b->iter_values = ARENA_ARRAY(arena, p->n, struct ir_expr *);
    for (size_t i = 0; i < p->n; i++)
        b->iter_values[i] = ir_var_ref(k->m, p->loops[i]);
    b->predicate = ir_int(k->m, DTYPE_BOOL, 1);
    b->body = store;
    sched_claim(&s, b);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    for (size_t i = p->n; i-- > 0;) {
        (void)ir_const_int(p->iters[i].dom.extent, &extent);
        stmt = tensor_loop(k, p->loops[i], extent, IR_FOR_SERIAL, stmt);
    }
    return stmt;
}
