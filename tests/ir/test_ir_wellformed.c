/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formedness: each fault is found under its code, and only it; every file
 * in corpora/illformed is refused under the code in its first line; every real
 * module is accepted.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <dirent.h>
#include <string.h>

static struct ir_expr *i32(struct ir_module *m, int64_t value)
{
    return ir_int(m, DTYPE_INT32, value);
}

static struct ir_expr *f32(struct ir_module *m, double value)
{
    return ir_float(m, DTYPE_FLOAT32, value);
}

/* A function of parameters x, y: int32, l: int64, f: float32, b: bool and
 * A: Buffer((4, 8), float32). */
struct fixture {
    struct ir_module *m;
    struct ir_func *func;
    struct ir_expr *x, *y, *l, *f, *b;
    struct ir_buffer *a;
};

static struct ir_expr *param(struct fixture *t, size_t i, const char *name,
                             struct dtype type)
{
    struct ir_var *var = ir_var_make(t->m, name, type);
    t->func->prim.params[i].var = var;
    return ir_var_ref(t->m, var);
}

static void setup(struct fixture *t)
{
    t->m = ir_module_new();
    t->func = ARENA_NEW(t->m->arena, struct ir_func);
    t->func->name = "main";
    t->func->prim.nparams = 6;
    t->func->prim.params = ARENA_ARRAY(t->m->arena, 6, struct ir_param);
    t->x = param(t, 0, "x", DTYPE_INT32);
    t->y = param(t, 1, "y", DTYPE_INT32);
    t->l = param(t, 2, "l", DTYPE_INT64);
    t->f = param(t, 3, "f", DTYPE_FLOAT32);
    t->b = param(t, 4, "b", DTYPE_BOOL);
    struct ir_expr *shape[] = {i32(t->m, 4), i32(t->m, 8)};
    t->a = ir_buffer_make(t->m, "A", DTYPE_FLOAT32, 2, shape, NULL, "");
    t->func->prim.params[5].buffer = t->a;
    assert_true(ir_module_add(t->m, t->func));
}

/* ---- one expression each ------------------------------------------------- */

typedef struct ir_expr *(*build_expr)(struct fixture *t);

static struct ir_expr *sum_fine(struct fixture *t)
{
    return ir_binary(t->m, IR_ADD, t->x, t->y);
}

static struct ir_expr *sum_mixed(struct fixture *t)
{
    return ir_binary(t->m, IR_ADD, t->x, t->l);
}

static struct ir_expr *shift_float(struct fixture *t)
{
    return ir_binary(t->m, IR_SHL, t->f, t->f);
}

static struct ir_expr *and_int(struct fixture *t)
{
    return ir_binary(t->m, IR_AND, t->x, t->y);
}

static struct ir_expr *not_int(struct fixture *t)
{
    return ir_not(t->m, t->x);
}

static struct ir_expr *bitnot_float(struct fixture *t)
{
    return ir_bitnot(t->m, t->f);
}

static struct ir_expr *select_int(struct fixture *t)
{
    return ir_select(t->m, t->x, t->x, t->y);
}

static struct ir_expr *select_mixed(struct fixture *t)
{
    return ir_select(t->m, t->b, t->x, t->f);
}

static struct ir_expr *select_lanes(struct fixture *t)
{
    struct ir_expr *two = i32(t->m, 2), *four = i32(t->m, 4);
    struct ir_expr *cond = ir_broadcast(t->m, t->b, two);
    struct ir_expr *v = ir_broadcast(t->m, t->x, four);
    return ir_select(t->m, cond, v, v);
}

static struct ir_expr *ramp_float(struct fixture *t)
{
    return ir_ramp(t->m, t->f, t->f, i32(t->m, 4));
}

static struct ir_expr *broadcast_vector(struct fixture *t)
{
    struct ir_expr *v = ir_broadcast(t->m, t->x, i32(t->m, 2));
    return ir_broadcast(t->m, v, i32(t->m, 2));
}

static struct ir_expr *cast_lanes(struct fixture *t)
{
    return ir_cast(t->m, dtype_make(DT_FLOAT, 32, 4), t->x);
}

static struct ir_expr *shuffle_index(struct fixture *t)
{
    struct ir_expr *v = ir_broadcast(t->m, t->x, i32(t->m, 2));
    struct ir_expr *index = i32(t->m, 2);
    return ir_shuffle(t->m, 1, &v, 1, &index);
}

static struct ir_expr *literal_int8(struct fixture *t)
{
    return ir_int(t->m, dtype_make(DT_INT, 8, 1), 128);
}

static struct ir_expr *literal_int8_fine(struct fixture *t)
{
    return ir_int(t->m, dtype_make(DT_INT, 8, 1), -128);
}

static struct ir_expr *literal_uint(struct fixture *t)
{
    return ir_int(t->m, dtype_make(DT_UINT, 16, 1), -1);
}

static struct ir_expr *literal_bool(struct fixture *t)
{
    return ir_int(t->m, DTYPE_BOOL, 2);
}

static struct ir_expr *load_rank(struct fixture *t)
{
    return ir_load(t->m, t->a, 1, &t->x, NULL);
}

static struct ir_expr *load_float_index(struct fixture *t)
{
    struct ir_expr *indices[] = {t->x, t->f};
    return ir_load(t->m, t->a, 2, indices, NULL);
}

static struct ir_expr *load_first_vector(struct fixture *t)
{
    struct ir_expr *indices[] = {
        ir_ramp(t->m, t->x, i32(t->m, 1), i32(t->m, 2)), t->y};
    return ir_load(t->m, t->a, 2, indices, NULL);
}

static struct ir_expr *load_vector_fine(struct fixture *t)
{
    struct ir_expr *indices[] = {
        t->y, ir_ramp(t->m, t->x, i32(t->m, 1), i32(t->m, 2))};
    return ir_load(t->m, t->a, 2, indices, NULL);
}

static struct ir_expr *load_predicate(struct fixture *t)
{
    struct ir_expr *indices[] = {
        t->y, ir_ramp(t->m, t->x, i32(t->m, 1), i32(t->m, 2))};
    return ir_load(t->m, t->a, 2, indices, t->b);
}

static struct ir_expr *call_arity(struct fixture *t)
{
    struct ir_expr *args[] = {t->f, t->f};
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.exp", 2, args);
}

static struct ir_expr *call_type(struct fixture *t)
{
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.exp", 1, &t->x);
}

static struct ir_expr *call_int_math(struct fixture *t)
{
    return ir_call(t->m, DTYPE_INT32, "tirx.exp", 1, &t->x);
}

static struct ir_expr *call_fine(struct fixture *t)
{
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.exp", 1, &t->f);
}

static struct ir_expr *choice_condition(struct fixture *t)
{
    struct ir_expr *args[] = {t->x, t->f, t->f};
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.if_then_else", 3, args);
}

static struct ir_expr *free_variable(struct fixture *t)
{
    return ir_var_ref(t->m, ir_var_make(t->m, "n", DTYPE_INT32));
}

static struct ir_expr *free_buffer(struct fixture *t)
{
    struct ir_expr *shape[] = {i32(t->m, 4)};
    struct ir_buffer *b =
        ir_buffer_make(t->m, "B", DTYPE_FLOAT32, 1, shape, NULL, "");
    return ir_load(t->m, b, 1, &t->x, NULL);
}

static struct ir_expr *let_fine(struct fixture *t)
{
    struct ir_var *v = ir_var_make(t->m, "v", DTYPE_INT32);
    return ir_let(t->m, v, t->x, ir_var_ref(t->m, v));
}

static struct ir_expr *let_scope(struct fixture *t)
{
    struct ir_var *v = ir_var_make(t->m, "v", DTYPE_INT32);
    struct ir_expr *let = ir_let(t->m, v, t->x, ir_var_ref(t->m, v));
    return ir_binary(t->m, IR_ADD, let, ir_var_ref(t->m, v));
}

static struct ir_expr *let_type(struct fixture *t)
{
    struct ir_var *v = ir_var_make(t->m, "v", DTYPE_INT32);
    return ir_let(t->m, v, t->l, t->x);
}

static struct ir_expr *missing_function(struct fixture *t)
{
    struct ir_expr *e = ir_call(t->m, DTYPE_INT32, "helper", 1, &t->x);
    e->u.call.op = IR_OP_GLOBAL;
    return e;
}

/* JSON states the type of each node; here it contradicts the operands. */
static struct ir_expr *sum_declared_int64(struct fixture *t)
{
    struct ir_expr *e = sum_fine(t);
    e->dtype = DTYPE_INT64;
    return e;
}

static struct ir_expr *load_declared_float16(struct fixture *t)
{
    struct ir_expr *at[] = {t->x, t->y};
    struct ir_expr *e = ir_load(t->m, t->a, 2, at, NULL);
    e->dtype = dtype_make(DT_FLOAT, 16, 1);
    return e;
}

static struct ir_expr *ramp_declared_lanes(struct fixture *t)
{
    struct ir_expr *e = ir_ramp(t->m, t->x, t->y, i32(t->m, 4));
    e->dtype = dtype_with_lanes(e->dtype, 8);
    return e;
}

static struct ir_expr *broadcast_float_lanes(struct fixture *t)
{
    return ir_broadcast(t->m, t->x, t->f);
}

static struct ir_expr *load_offset_factor(struct fixture *t)
{
    struct ir_expr *at[] = {t->x, t->y};
    t->a->offset_factor = 0;
    return ir_load(t->m, t->a, 2, at, NULL);
}

static const struct {
    const char *label;
    build_expr build;
    const char *code; /* NULL: fine */
} expressions[] = {
    {"int32 + int32", sum_fine, NULL},
    {"int32 + int32, declared int64", sum_declared_int64, "ir.type"},
    {"load declared float16", load_declared_float16, "ir.type"},
    {"ramp of 4, declared 8", ramp_declared_lanes, "ir.lanes"},
    {"lanes of float", broadcast_float_lanes, "ir.type"},
    {"offset factor 0", load_offset_factor, "ir.shape"},
    {"int32 + int64", sum_mixed, "ir.type"},
    {"float << float", shift_float, "ir.type"},
    {"int and int", and_int, "ir.type"},
    {"not int", not_int, "ir.type"},
    {"~float", bitnot_float, "ir.type"},
    {"Select by int", select_int, "ir.type"},
    {"Select of two types", select_mixed, "ir.type"},
    {"Select of 4 lanes by 2", select_lanes, "ir.lanes"},
    {"Ramp of floats", ramp_float, "ir.type"},
    {"Broadcast of a vector", broadcast_vector, "ir.type"},
    {"Cast changes lanes", cast_lanes, "ir.lanes"},
    {"Shuffle index beyond", shuffle_index, "ir.index"},
    {"int8(128)", literal_int8, "ir.literal"},
    {"int8(-128)", literal_int8_fine, NULL},
    {"uint16(-1)", literal_uint, "ir.literal"},
    {"bool(2)", literal_bool, "ir.literal"},
    {"one index for two dimensions", load_rank, "ir.rank"},
    {"float index", load_float_index, "ir.type"},
    {"vector in the first index", load_first_vector, "ir.lanes"},
    {"vector in the last index", load_vector_fine, NULL},
    {"scalar predicate of a vector", load_predicate, "ir.lanes"},
    {"exp of two", call_arity, "ir.arity"},
    {"exp of an int", call_type, "ir.type"},
    {"exp as int", call_int_math, "ir.type"},
    {"exp", call_fine, NULL},
    {"if_then_else by int", choice_condition, "ir.type"},
    {"free variable", free_variable, "ir.undefined-variable"},
    {"free buffer", free_buffer, "ir.undefined-buffer"},
    {"Let", let_fine, NULL},
    {"Let variable outside", let_scope, "ir.undefined-variable"},
    {"Let of another type", let_type, "ir.type"},
    {"function not in the module", missing_function, "ir.undefined-function"},
};

/* Exactly one error, of this code; or none. */
static void expect(struct fixture *t, const char *label, const char *code)
{
    struct diag_sink *sink = diag_sink_new();
    bool fine = ir_wellformed(t->m, sink);
    bool right = code ? !fine && diag_error_count(sink) == 1 &&
                            strcmp(diag_at(sink, 0)->code, code) == 0
                      : fine && diag_count(sink) == 0;
    if (!right) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        print_error("case '%s':\n%s", label, buf_text(&text));
        buf_fini(&text);
    }
    assert_true(right);
    diag_sink_free(sink);
}

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(expressions); i++) {
        struct fixture t;
        setup(&t);
        t.func->prim.body = ir_evaluate(t.m, expressions[i].build(&t));
        expect(&t, expressions[i].label, expressions[i].code);
        ir_module_free(t.m);
    }
}

/* ---- one statement each -------------------------------------------------- */

typedef struct ir_stmt *(*build_stmt)(struct fixture *t);

static struct ir_stmt *loop(struct fixture *t, struct ir_var *var,
                            struct ir_expr *extent, const char *tag,
                            struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = ir_int(t->m, extent->dtype, 0);
    s->u.loop.extent = extent;
    if (tag) {
        s->u.loop.kind = IR_FOR_THREAD;
        s->u.loop.thread = ARENA_NEW(t->m->arena, struct ir_iter_var);
        s->u.loop.thread->var = ir_var_make(t->m, tag, DTYPE_INT32);
        s->u.loop.thread->type = IR_ITER_THREAD;
        s->u.loop.thread->thread_tag = tag;
    }
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *nothing(struct fixture *t)
{
    return ir_evaluate(t->m, i32(t->m, 0));
}

static struct ir_stmt *thread(struct fixture *t, const char *tag,
                              int64_t extent, struct ir_stmt *body)
{
    return loop(t, ir_var_make(t->m, "t", DTYPE_INT32), i32(t->m, extent), tag,
                body);
}

static struct ir_stmt *two(struct fixture *t, struct ir_stmt *a,
                           struct ir_stmt *b)
{
    struct ir_stmt *items[] = {a, b};
    return ir_seq(t->m, 2, items);
}

/* Rule 2: a nested binding of one axis is the same index. */
static struct ir_stmt *nested_same(struct fixture *t)
{
    return thread(t, "threadIdx.x", 8, thread(t, "threadIdx.x", 8, nothing(t)));
}

static struct ir_stmt *nested_other(struct fixture *t)
{
    return thread(t, "threadIdx.x", 8, thread(t, "threadIdx.x", 4, nothing(t)));
}

/* Rule 31: siblings in one kernel. */
static struct ir_stmt *siblings_other(struct fixture *t)
{
    return thread(t, "blockIdx.x", 8,
                  two(t, thread(t, "threadIdx.x", 4, nothing(t)),
                      thread(t, "threadIdx.x", 8, nothing(t))));
}

/* Two kernels may differ. */
static struct ir_stmt *kernels(struct fixture *t)
{
    return two(t, thread(t, "threadIdx.x", 4, nothing(t)),
               thread(t, "threadIdx.x", 8, nothing(t)));
}

/* Rule 30: each virtual thread is an index of its own. */
static struct ir_stmt *virtual_threads(struct fixture *t)
{
    return thread(t, "vthread", 2, thread(t, "vthread", 4, nothing(t)));
}

static struct ir_stmt *unknown_axis(struct fixture *t)
{
    return thread(t, "threadIdx.w", 4, nothing(t));
}

static struct ir_stmt *loop_types(struct fixture *t)
{
    return loop(t, ir_var_make(t->m, "i", DTYPE_INT32),
                ir_int(t->m, DTYPE_INT64, 4), NULL, nothing(t));
}

static struct ir_stmt *loop_step(struct fixture *t)
{
    struct ir_stmt *s = loop(t, ir_var_make(t->m, "i", DTYPE_INT32),
                             i32(t->m, 4), NULL, nothing(t));
    s->u.loop.step = i32(t->m, 0);
    return s;
}

static struct ir_stmt *loop_again(struct fixture *t)
{
    struct ir_var *i = ir_var_make(t->m, "i", DTYPE_INT32);
    return loop(t, i, i32(t->m, 4), NULL,
                loop(t, i, i32(t->m, 4), NULL, nothing(t)));
}

static struct ir_stmt *loop_variable_outside(struct fixture *t)
{
    struct ir_var *i = ir_var_make(t->m, "i", DTYPE_INT32);
    return two(t, loop(t, i, i32(t->m, 4), NULL, nothing(t)),
               ir_evaluate(t->m, ir_var_ref(t->m, i)));
}

static struct ir_stmt *bind(struct fixture *t, struct ir_var *var,
                            struct ir_expr *value)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_BIND);
    s->u.bind.var = var;
    s->u.bind.value = value;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *bind_fine(struct fixture *t)
{
    struct ir_var *v = ir_var_make(t->m, "v", DTYPE_INT32);
    return two(t, bind(t, v, t->x), ir_evaluate(t->m, ir_var_ref(t->m, v)));
}

/* A bound name lasts to the end of its own sequence only. */
static struct ir_stmt *bind_inner(struct fixture *t)
{
    struct ir_var *v = ir_var_make(t->m, "v", DTYPE_INT32);
    return two(t, two(t, bind(t, v, t->x), nothing(t)),
               ir_evaluate(t->m, ir_var_ref(t->m, v)));
}

static struct ir_stmt *bind_type(struct fixture *t)
{
    return bind(t, ir_var_make(t->m, "v", DTYPE_INT32), t->l);
}

static struct ir_stmt *if_int(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_IF);
    s->u.if_.cond = t->x;
    s->u.if_.then_ = nothing(t);
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *while_float(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_WHILE);
    s->u.while_.cond = t->f;
    s->u.while_.body = nothing(t);
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *store_type(struct fixture *t)
{
    struct ir_expr *indices[] = {t->x, t->y};
    return ir_store(t->m, t->a, t->x, 2, indices, NULL);
}

static struct ir_stmt *store_lanes(struct fixture *t)
{
    struct ir_expr *indices[] = {
        t->y, ir_ramp(t->m, t->x, i32(t->m, 1), i32(t->m, 2))};
    return ir_store(t->m, t->a, t->f, 2, indices, NULL);
}

static struct ir_stmt *store_rank(struct fixture *t)
{
    struct ir_expr *indices[] = {t->x, t->y, t->x};
    return ir_store(t->m, t->a, t->f, 3, indices, NULL);
}

static struct ir_stmt *stray_break(struct fixture *t)
{
    return ir_stmt_make(t->m, IR_BREAK);
}

static struct ir_stmt *alloc_negative(struct fixture *t)
{
    struct ir_expr *shape[] = {i32(t->m, -1)};
    struct ir_stmt *s = ir_stmt_make(t->m, IR_ALLOC);
    s->u.alloc.buffer =
        ir_buffer_make(t->m, "B", DTYPE_FLOAT32, 1, shape, NULL, "");
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *decl_data(struct fixture *t)
{
    struct ir_expr *shape[] = {i32(t->m, 4)};
    struct ir_stmt *s = ir_stmt_make(t->m, IR_DECL_BUFFER);
    s->u.decl.buffer =
        ir_buffer_make(t->m, "B", DTYPE_FLOAT32, 1, shape, NULL, "");
    s->u.decl.value = t->x;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *block(struct fixture *t, struct dtype axis,
                             struct ir_expr *value, struct ir_expr *predicate)
{
    struct ir_block *b = ARENA_NEW(t->m->arena, struct ir_block);
    b->name = "B";
    b->niters = 1;
    b->iters = ARENA_ARRAY(t->m->arena, 1, struct ir_iter_var);
    b->iters[0].var = ir_var_make(t->m, "v", axis);
    b->iters[0].has_dom = true;
    b->iters[0].dom = (struct ir_range){i32(t->m, 0), i32(t->m, 4)};
    b->iter_values = ARENA_ARRAY(t->m->arena, 1, struct ir_expr *);
    b->iter_values[0] = value;
    b->predicate = predicate ? predicate : ir_int(t->m, DTYPE_BOOL, 1);
    b->body = ir_evaluate(t->m, ir_var_ref(t->m, b->iters[0].var));
    struct ir_stmt *s = ir_stmt_make(t->m, IR_BLOCK);
    s->u.block = b;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *block_fine(struct fixture *t)
{
    return block(t, DTYPE_INT32, t->x, NULL);
}

static struct ir_stmt *block_binding(struct fixture *t)
{
    return block(t, DTYPE_INT32, t->l, NULL);
}

static struct ir_stmt *block_predicate(struct fixture *t)
{
    return block(t, DTYPE_INT32, t->x, t->y);
}

static struct ir_stmt *block_region(struct fixture *t)
{
    struct ir_stmt *s = block_fine(t);
    s->u.block->nreads = 1;
    s->u.block->reads = ARENA_ARRAY(t->m->arena, 1, struct ir_region);
    s->u.block->reads[0].buffer = t->a;
    return s;
}

/* A claim may name what is gone: here a variable and a buffer. */
static struct ir_stmt *block_claim_gone(struct fixture *t)
{
    struct ir_stmt *s = block_fine(t);
    struct ir_expr *k = ir_var_ref(t->m, ir_var_make(t->m, "k", DTYPE_INT32));
    struct ir_expr *four = i32(t->m, 4);
    struct ir_region *r = ARENA_ARRAY(t->m->arena, 1, struct ir_region);
    r->buffer =
        ir_buffer_make(t->m, "gone", DTYPE_FLOAT32, 1, &four, NULL, "global");
    r->nranges = 1;
    r->ranges = ARENA_ARRAY(t->m->arena, 1, struct ir_range);
    r->ranges[0] = (struct ir_range){k, i32(t->m, 1)};
    s->u.block->nwrites = 1;
    s->u.block->writes = r;
    return s;
}

/* The body's use of the same expression is one. */
static struct ir_stmt *block_claim_and_use(struct fixture *t)
{
    struct ir_stmt *s = block_claim_gone(t);
    s->u.block->body = ir_evaluate(t->m, s->u.block->writes[0].ranges[0].min);
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *assert_float(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_ASSERT);
    s->u.assert_.cond = f32(t->m, 1.0);
    s->u.assert_.error_kind = "ValueError";
    ir_stmt_seal(s);
    return s;
}

static const struct {
    const char *label;
    build_stmt build;
    const char *code;
} statements[] = {
    {"one axis twice, same extent", nested_same, NULL},
    {"one axis twice, other extent", nested_other, "ir.thread-extent"},
    {"siblings of other extent", siblings_other, "ir.thread-extent"},
    {"two kernels", kernels, NULL},
    {"virtual threads", virtual_threads, NULL},
    {"unknown axis", unknown_axis, "ir.thread-tag"},
    {"int32 loop of int64 extent", loop_types, "ir.type"},
    {"step 0", loop_step, "ir.loop-step"},
    {"loop variable used twice", loop_again, "ir.redefinition"},
    {"loop variable outside", loop_variable_outside, "ir.undefined-variable"},
    {"bind", bind_fine, NULL},
    {"bind in an inner sequence", bind_inner, "ir.undefined-variable"},
    {"bind of another type", bind_type, "ir.type"},
    {"if by int", if_int, "ir.type"},
    {"while by float", while_float, "ir.type"},
    {"store of another type", store_type, "ir.type"},
    {"store of too few lanes", store_lanes, "ir.type"},
    {"store with three indices", store_rank, "ir.rank"},
    {"break outside of a loop", stray_break, "ir.jump"},
    {"negative dimension", alloc_negative, "ir.shape"},
    {"data is no pointer", decl_data, "ir.type"},
    {"block", block_fine, NULL},
    {"block that claims what is gone", block_claim_gone, NULL},
    {"block that claims and uses it", block_claim_and_use,
     "ir.undefined-variable"},
    {"binding of another type", block_binding, "ir.type"},
    {"predicate is no bool", block_predicate, "ir.type"},
    {"region of another rank", block_region, "ir.rank"},
    {"assertion of a float", assert_float, "ir.type"},
};

static void test_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(statements); i++) {
        struct fixture t;
        setup(&t);
        t.func->prim.body = statements[i].build(&t);
        expect(&t, statements[i].label, statements[i].code);
        ir_module_free(t.m);
    }
}

/* All faults are reported, not only the first. */
static void test_all_reported(void **state)
{
    (void)state;
    struct fixture t;
    setup(&t);
    struct ir_stmt *items[] = {store_type(&t), if_int(&t), store_rank(&t)};
    t.func->prim.body = ir_seq(t.m, 3, items);
    struct diag_sink *sink = diag_sink_new();
    assert_false(ir_wellformed(t.m, sink));
    assert_int_equal(diag_error_count(sink), 3);
    diag_sink_free(sink);
    ir_module_free(t.m);
}

static void test_unknown_scope_is_a_warning(void **state)
{
    (void)state;
    struct fixture t;
    setup(&t);
    t.a->scope = "nowhere";
    t.func->prim.body = nothing(&t);
    struct diag_sink *sink = diag_sink_new();
    assert_true(ir_wellformed(t.m, sink));
    assert_int_equal(diag_count(sink), 1);
    assert_string_equal(diag_at(sink, 0)->code, "ir.scope");
    diag_sink_free(sink);
    ir_module_free(t.m);
}

/* In order of first use, each once. */
static void test_undefined_vars(void **state)
{
    (void)state;
    struct fixture t;
    setup(&t);
    struct ir_expr *q = ir_var_ref(t.m, ir_var_make(t.m, "q", DTYPE_INT32));
    struct ir_expr *p = ir_var_ref(t.m, ir_var_make(t.m, "p", DTYPE_INT32));
    struct ir_expr *e = ir_binary(t.m, IR_ADD, q, p);
    t.func->prim.body = ir_evaluate(
        t.m, ir_binary(t.m, IR_ADD, e, ir_binary(t.m, IR_ADD, q, t.x)));
    const char **names;
    assert_int_equal(ir_undefined_vars(t.func, t.m->arena, &names), 2);
    assert_string_equal(names[0], "q");
    assert_string_equal(names[1], "p");
    ir_module_free(t.m);
}

/* ---- files --------------------------------------------------------------- */

/* First line: "# expect: code". Refused by the reader or by the check. */
static bool refused_as_said(const char *path)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    static const char mark[] = "# expect: ";
    bool right = false;
    assert_true(file_read(path, 0, &text, sink));
    assert_int_equal(strncmp(buf_text(&text), mark, strlen(mark)), 0);
    const char *code = buf_text(&text) + strlen(mark);
    size_t len = strcspn(code, "\n");
    struct ir_module *m = ir_read(buf_text(&text), text.len, path, sink);
    if (m)
        (void)ir_wellformed(m, sink);
    for (size_t i = 0; i < diag_count(sink); i++)
        right = right || (strncmp(diag_at(sink, i)->code, code, len) == 0 &&
                          !diag_at(sink, i)->code[len]);
    if (!right || diag_error_count(sink) != 1) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        print_error("%s:\n%s", path, buf_text(&out));
        buf_fini(&out);
    }
    right = right && diag_error_count(sink) == 1;
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&text);
    return right;
}

/* A Relax function whose body calls the operator `op` with the attribute
 * `key`; the code that comes first, or NULL. */
static const char *relax_call_code(const char *op, const char *key,
                                   struct diag_sink *sink)
{
    struct ir_module *m = ir_module_new();
    struct ir_func *func = ARENA_NEW(m->arena, struct ir_func);
    struct rx_expr *call = rx_expr_make(m, RX_CALL);
    struct ir_value *one = ir_value_int(m, 1);
    func->kind = IR_FUNC_RELAX;
    func->name = "main";
    func->relax = ARENA_NEW(m->arena, struct rx_func);
    func->relax->body = call;
    call->callee = rx_expr_make(m, RX_OP);
    call->callee->text = op;
    call->attrs = ir_value_map(m, 1, &key, &one);
    rx_expr_seal(call);
    assert_true(ir_module_add(m, func));
    bool fine = ir_wellformed(m, sink);
    ir_module_free(m);
    assert_true(fine == (diag_error_count(sink) == 0));
    return fine ? NULL : diag_at(sink, 0)->code;
}

static void test_relax_calls(void **state)
{
    (void)state;
    static const struct {
        const char *op, *key, *code;
    } cases[] = {
        {"relax.nn.relu", "axis", NULL},
        {"relu", "axis", "ir.operator"},
        {"relax.", "axis", "ir.operator"},
        {"relax.a b", "axis", "ir.operator"},
        {"relax.nn.relu", "a b", "ir.attribute"},
        {"relax.nn.relu", "", "ir.attribute"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct diag_sink *sink = diag_sink_new();
        const char *code = relax_call_code(cases[i].op, cases[i].key, sink);
        if (cases[i].code) {
            assert_non_null(code);
            assert_string_equal(code, cases[i].code);
        } else {
            assert_null(code);
        }
        diag_sink_free(sink);
    }
}

static void test_corpus(void **state)
{
    (void)state;
    DIR *dir = opendir("corpora/illformed");
    assert_non_null(dir);
    size_t n = 0;
    bool right = true;
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        const char *dot = strrchr(d->d_name, '.');
        if (!dot || strcmp(dot, ".py") != 0)
            continue;
        struct buf path = {0};
        buf_printf(&path, "corpora/illformed/%s", d->d_name);
        right = refused_as_said(buf_text(&path)) && right;
        buf_fini(&path);
        n++;
    }
    closedir(dir);
    assert_true(right);
    assert_true(n > 10);
}

#define DATA "../shared/data"

struct tally {
    size_t accepted, refused;
};

static void check_file(const char *path, struct tally *tally)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (m && ir_wellformed(m, sink)) {
        tally->accepted++;
    } else {
        struct buf out = {0};
        tally->refused++;
        diag_render(sink, false, &out);
        print_error("%s:\n%s", path, buf_text(&out));
        buf_fini(&out);
    }
    ir_module_free(m);
    diag_sink_free(sink);
}

/* Two schedules that TVM 0.27 leaves with a free variable; that is the fault
 * that they document. */
static bool is_known_bad(const char *path)
{
    return strstr(path, "/transform-block-layout-guard/tuned.json") ||
           strstr(path, "/transform-layout-permuted-block/tuned.json");
}

static void walk(const char *path, struct tally *tally)
{
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        struct buf sub = {0};
        if (d->d_name[0] == '.')
            continue;
        buf_printf(&sub, "%s/%s", path, d->d_name);
        if (strncmp(d->d_name, "tuned", 5) != 0 &&
            strncmp(d->d_name, "untuned", 7) != 0)
            walk(buf_text(&sub), tally);
        else if (strstr(d->d_name, ".json") && !is_known_bad(buf_text(&sub)))
            check_file(buf_text(&sub), tally);
        buf_fini(&sub);
    }
    closedir(dir);
}

static void test_real_modules(void **state)
{
    (void)state;
    DIR *dir = opendir(DATA);
    if (!dir) {
        print_message("skipped: " DATA " not there\n");
        skip();
        return;
    }
    closedir(dir);
    struct tally tally = {0, 0};
    walk(DATA "/tvm", &tally);
    walk(DATA "/live-bugs", &tally);
    walk(DATA "/models", &tally);
    print_message("%zu real modules accepted\n", tally.accepted);
    assert_int_equal(tally.refused, 0);
    assert_true(tally.accepted > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_all_reported),
        cmocka_unit_test(test_unknown_scope_is_a_warning),
        cmocka_unit_test(test_undefined_vars),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_relax_calls),
        cmocka_unit_test(test_real_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
