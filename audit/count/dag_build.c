/* SPDX-License-Identifier: Apache-2.0
 *
 * A ComputeDAG as a function of loops and stores, a nest a stage, so that it is
 * counted as every other function is. What the user gives and what no stage reads
 * are parameters. Numbers are float32 where the text says no type, indices and what
 * indexes int32; operands of different types are brought to the first one's. A sum
 * begins with whatever its element holds: the init is no operation.
 */
#include "audit/count/dag.h"

#include <string.h>

/* Of one stage, as a tree. */
#define MAX_NODES 1000000u

struct builder {
    struct dag *dag;
    struct ir_module *m;
    struct ir_buffer **buffers; /* by stage */
    const struct dag_stage *stage;
    struct ir_var *vars[2 * DC_MAX_RANK]; /* axes, then sums */
    size_t nlets;
    struct {
        const char *name;
        struct ir_expr *value;
    } lets[64];
};

static struct ir_expr *fail(struct builder *b, const char *what)
{
    if (b->dag->why == NULL)
        b->dag->why = arena_printf(b->dag->arena, "'%s' is not known", what);
    return NULL;
}

static struct ir_expr *as_type(struct builder *b, struct dtype t,
                               struct ir_expr *e)
{
    return dtype_equal(e->dtype, t) ? e : ir_cast(b->m, t, e);
}

static struct ir_expr *build(struct builder *b, const struct dag_expr *e,
                             bool index);

static struct ir_expr *build_number(struct builder *b, const struct dag_expr *e)
{
    struct dtype t;
    if (!dtype_parse(e->type, &t))
        return fail(b, e->type);
    if (dtype_is_float(t))
        return ir_float(b->m, t, e->number);
    return ir_int(b->m, DTYPE_INT32, e->value);
}

static struct ir_expr *build_var(struct builder *b, const struct dag_expr *e)
{
    const struct dag_stage *s = b->stage;
    for (size_t i = b->nlets; i-- > 0;)
        if (strcmp(b->lets[i].name, e->name) == 0)
            return b->lets[i].value;
    for (size_t i = 0; i < s->naxes; i++)
        if (strcmp(s->axes[i], e->name) == 0)
            return ir_var_ref(b->m, b->vars[i]);
    for (size_t i = 0; i < s->nsums; i++)
        if (strcmp(s->sums[i], e->name) == 0)
            return ir_var_ref(b->m, b->vars[DC_MAX_RANK + i]);
    return fail(b, e->name);
}

static struct ir_expr *build_read(struct builder *b, const struct dag_expr *e)
{
    struct ir_expr *at[DC_MAX_RANK];
    for (size_t i = 0; i < e->nargs; i++) {
        at[i] = build(b, e->args[i], true);
        if (at[i] == NULL)
            return NULL;
        at[i] = as_type(b, DTYPE_INT32, at[i]);
    }
    return ir_load(b->m, b->buffers[e->from - b->dag->stages], e->nargs, at,
                   NULL);
}

static bool find_kind(const char *name, enum ir_expr_kind *out)
{
    static const struct {
        const char *name;
        enum ir_expr_kind kind;
    } all[] = {
        {"+", IR_ADD},
        {"-", IR_SUB},
        {"*", IR_MUL},
        {"/", IR_DIV},
        {"%", IR_MOD},
        {"floordiv", IR_FLOORDIV},
        {"floormod", IR_FLOORMOD},
        {"min", IR_MIN},
        {"max", IR_MAX},
        {"==", IR_EQ},
        {"!=", IR_NE},
        {"<", IR_LT},
        {"<=", IR_LE},
        {">", IR_GT},
        {">=", IR_GE},
        {"&&", IR_AND},
        {"||", IR_OR},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++)
        if (strcmp(all[i].name, name) == 0) {
            *out = all[i].kind;
            return true;
        }
    return false;
}

static struct ir_expr *build_binary(struct builder *b, enum ir_expr_kind kind,
                                    const struct dag_expr *e, bool index)
{
    struct ir_expr *x = build(b, e->args[0], index),
                   *y = x ? build(b, e->args[1], index) : NULL;
    if (y == NULL)
        return NULL;
    bool logic = kind == IR_AND || kind == IR_OR;
    struct dtype t = logic                      ? DTYPE_BOOL
                     : dtype_is_float(y->dtype) ? y->dtype
                                                : x->dtype;
    if (dtype_is_bool(t) && !logic)
        t = DTYPE_INT32;
    if ((kind == IR_FLOORDIV || kind == IR_FLOORMOD || kind == IR_MOD) &&
        dtype_is_float(t))
        t = DTYPE_INT32;
    return ir_binary(b->m, kind, as_type(b, t, x), as_type(b, t, y));
}

static struct ir_expr *build_call(struct builder *b, const struct dag_expr *e,
                                  bool index)
{
    enum ir_expr_kind kind;
    struct dtype t;
    struct ir_expr *args[8];
    if (e->nargs == 2 && find_kind(e->name, &kind))
        return build_binary(b, kind, e, index);
    if (e->nargs == 0 || e->nargs > DC_ARRAY_LEN(args))
        return fail(b, e->name);
    for (size_t i = 0; i < e->nargs; i++)
        if ((args[i] = build(b, e->args[i], index)) == NULL)
            return NULL;
    if (e->nargs == 1 && dtype_parse(e->name, &t) && t.lanes == 1)
        return as_type(b, t, args[0]);
    bool choice = strcmp(e->name, "tir.if_then_else") == 0 ||
                  strcmp(e->name, "select") == 0;
    if (choice && e->nargs == 3) {
        args[0] = as_type(b, DTYPE_BOOL, args[0]);
        t = dtype_is_float(args[2]->dtype) ? args[2]->dtype : args[1]->dtype;
        args[1] = as_type(b, t, args[1]);
        args[2] = as_type(b, t, args[2]);
        return *e->name == 's' ? ir_select(b->m, args[0], args[1], args[2])
                               : ir_call(b->m, t, "tir.if_then_else", 3, args);
    }
    return ir_call(b->m, args[0]->dtype, e->name, e->nargs, args);
}

static struct ir_expr *build(struct builder *b, const struct dag_expr *e,
                             bool index)
{
    enum ir_expr_kind kind;
    struct ir_expr *x;
    switch (e->kind) {
    case DAG_NUMBER: return build_number(b, e);
    case DAG_VAR: return build_var(b, e);
    case DAG_READ: return build_read(b, e);
    case DAG_CALL: return build_call(b, e, index);
    case DAG_BINARY:
        return find_kind(e->name, &kind) ? build_binary(b, kind, e, index)
                                         : fail(b, e->name);
    case DAG_NOT:
        x = build(b, e->args[0], index);
        return x ? ir_not(b->m, as_type(b, DTYPE_BOOL, x)) : NULL;
    case DAG_LET:
        x = build(b, e->args[0], index);
        if (x == NULL || b->nlets == DC_ARRAY_LEN(b->lets))
            return fail(b, e->name);
        b->lets[b->nlets].name = e->name;
        b->lets[b->nlets++].value = x;
        x = build(b, e->args[1], index);
        b->nlets--;
        return x;
    case DAG_UNKNOWN: break;
    }
    return fail(b, e->name);
}

/* ---- stages -------------------------------------------------------------------- */

/* What indexes is whole. */
static void mark_indices(const struct dag_expr *e, bool index)
{
    if (e->kind == DAG_READ && index)
        e->from->indexes = true;
    for (size_t i = 0; i < e->nargs; i++)
        mark_indices(e->args[i], index || e->kind == DAG_READ);
}

static struct ir_buffer *make_buffer(struct builder *b, struct dag_stage *s)
{
    struct ir_expr *shape[DC_MAX_RANK];
    for (size_t i = 0; i < s->naxes; i++)
        shape[i] = ir_int(b->m, DTYPE_INT32, s->extent[i]);
    return ir_buffer_make(b->m, s->name,
                          s->indexes ? DTYPE_INT32 : DTYPE_FLOAT32, s->naxes,
                          shape, NULL, "global");
}

static struct ir_stmt *wrap_loop(struct builder *b, struct ir_var *var,
                                 int64_t extent, struct ir_stmt *body)
{
    struct ir_stmt *loop = ir_stmt_make(b->m, IR_FOR);
    loop->u.loop.var = var;
    loop->u.loop.min = ir_int(b->m, DTYPE_INT32, 0);
    loop->u.loop.extent = ir_int(b->m, DTYPE_INT32, extent);
    loop->u.loop.body = body;
    ir_stmt_seal(loop);
    return loop;
}

static struct ir_stmt *build_stage(struct builder *b, size_t index)
{
    struct dag_stage *s = &b->dag->stages[index];
    struct ir_buffer *out = b->buffers[index];
    struct ir_expr *at[DC_MAX_RANK];
    b->stage = s;
    for (size_t i = 0; i < s->naxes; i++) {
        b->vars[i] = ir_var_make(b->m, s->axes[i], DTYPE_INT32);
        at[i] = ir_var_ref(b->m, b->vars[i]);
    }
    for (size_t i = 0; i < s->nsums; i++)
        b->vars[DC_MAX_RANK + i] = ir_var_make(b->m, s->sums[i], DTYPE_INT32);
    struct ir_expr *value = build(b, s->value, false);
    if (value == NULL)
        return NULL;
    if (value->size > MAX_NODES) { /* what lets repeat */
        (void)fail(b, s->name);
        return NULL;
    }
    value = as_type(b, out->dtype, value);
    if (strcmp(s->how, "=") != 0)
        value = ir_binary(b->m,
                          *s->how == '+'                ? IR_ADD
                          : strcmp(s->how, "min=") == 0 ? IR_MIN
                                                        : IR_MAX,
                          ir_load(b->m, out, s->naxes, at, NULL), value);
    struct ir_stmt *body = ir_store(b->m, out, value, s->naxes, at, NULL);
    for (size_t i = s->nsums; i-- > 0;)
        body = wrap_loop(b, b->vars[DC_MAX_RANK + i], s->sum_extent[i], body);
    for (size_t i = s->naxes; i-- > 0;)
        body = wrap_loop(b, b->vars[i], s->extent[i], body);
    return body;
}

static void add_param(struct builder *b, struct ir_prim_func *f,
                      struct ir_buffer *buffer)
{
    f->params[f->nparams++] = (struct ir_param){
        .var = ir_var_make(b->m, buffer->name, DTYPE_HANDLE), .buffer = buffer};
}

struct ir_module *dag_build(struct dag *dag)
{
    struct builder b = {.dag = dag, .m = ir_module_new()};
    struct arena *arena = b.m->arena;
    struct ir_func *f = ARENA_NEW(arena, struct ir_func);
    struct ir_stmt **items = ARENA_ARRAY(arena, dag->n, struct ir_stmt *);
    size_t n = 0;
    f->kind = IR_FUNC_PRIM;
    f->name = "main";
    f->prim.params = ARENA_ARRAY(arena, dag->n, struct ir_param);
    b.buffers = ARENA_ARRAY(arena, dag->n, struct ir_buffer *);
    for (size_t i = 0; i < dag->n; i++)
        if (dag->stages[i].value != NULL)
            mark_indices(dag->stages[i].value, false);
    for (size_t i = 0; i < dag->n; i++) {
        struct dag_stage *s = &dag->stages[i];
        b.buffers[i] = make_buffer(&b, s);
        if (s->placeholder || !s->read)
            add_param(&b, &f->prim, b.buffers[i]);
    }
    for (size_t i = 0; i < dag->n; i++) {
        if (dag->stages[i].value == NULL)
            continue;
        items[n] = build_stage(&b, i);
        if (items[n++] == NULL) {
            ir_module_free(b.m);
            return NULL;
        }
    }
    f->prim.body = ir_seq(b.m, n, items);
    if (!ir_module_add(b.m, f))
        DC_BUG("a new module has a function");
    return b.m;
}
