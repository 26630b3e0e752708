/* SPDX-License-Identifier: Apache-2.0
 *
 * Construction of IR nodes. Each constructor allocates from the module's
 * arena, derives the result type where the IR defines one, and records two
 * figures that make later recursion safe: `depth`, the longest path below the
 * node, and `size`, the number of nodes when the DAG is unfolded to a tree
 * (saturating). Readers refuse modules whose figures pass DC_MAX_DEPTH or
 * DC_MAX_TREE_NODES, so every walk may recurse and ends.
 *
 * Nothing here checks meaning: a fuzzer's module may add a bool to a handle.
 * wellformed.c reports that; constructors only must not misbehave.
 */
#include "ir/ir.h"

#include <string.h>

/* ---- modules, variables, types, buffers ---------------------------------------- */

struct ir_module *ir_module_new(void)
{
    struct arena *arena = arena_new();
    struct ir_module *m = ARENA_NEW(arena, struct ir_module);
    m->arena = arena;
    return m;
}

void ir_module_free(struct ir_module *module)
{
    if (module)
        arena_free(module->arena);
}

struct ir_type *ir_type_make(struct ir_module *m, enum ir_type_kind kind)
{
    struct ir_type *type = ARENA_NEW(m->arena, struct ir_type);
    type->kind = kind;
    type->dtype = DTYPE_VOID;
    type->ndim = -1;
    return type;
}

struct ir_var *ir_var_make(struct ir_module *m, const char *name,
                           struct dtype dtype)
{
    struct ir_var *var = ARENA_NEW(m->arena, struct ir_var);
    var->name = arena_strdup(m->arena, name);
    var->dtype = dtype;
    var->id = m->nvars++;
    return var;
}

struct ir_var *ir_pointer_make(struct ir_module *m, const char *name,
                               struct dtype element, const char *scope)
{
    struct ir_type *prim = ir_type_make(m, IR_TYPE_PRIM);
    prim->dtype = element;
    struct ir_type *pointer = ir_type_make(m, IR_TYPE_POINTER);
    pointer->element = prim;
    pointer->dtype = DTYPE_HANDLE;
    pointer->scope = arena_strdup(m->arena, scope);
    struct ir_var *var = ir_var_make(m, name, DTYPE_HANDLE);
    var->type = pointer;
    return var;
}

static struct ir_expr **copy_exprs(struct ir_module *m, size_t n,
                                   struct ir_expr *const *items)
{
    if (!n)
        return NULL;
    return arena_memdup(m->arena, items, n * sizeof *items);
}

struct ir_buffer *ir_buffer_make(struct ir_module *m, const char *name,
                                 struct dtype dtype, size_t rank,
                                 struct ir_expr *const *shape,
                                 struct ir_var *data, const char *scope)
{
    struct ir_buffer *buffer = ARENA_NEW(m->arena, struct ir_buffer);
    buffer->name = arena_strdup(m->arena, name);
    buffer->dtype = dtype;
    buffer->rank = rank;
    buffer->shape = copy_exprs(m, rank, shape);
    buffer->scope = arena_strdup(m->arena, scope && *scope ? scope : "global");
    buffer->alignment = 64;
    buffer->offset_factor = 1;
    buffer->id = m->nbuffers++;
    if (!data) {
        data = ir_pointer_make(m, name, dtype_scalar(dtype), buffer->scope);
        data->implicit_data = true;
        data->owner = buffer;
    }
    buffer->data = data;
    return buffer;
}

/* ---- expressions -------------------------------------------------------------------- */

static void add_size(uint32_t *size, uint16_t *depth, uint32_t child_size,
                     uint16_t child_depth)
{
    *size = *size > UINT32_MAX - child_size ? UINT32_MAX : *size + child_size;
    uint16_t d =
        child_depth < UINT16_MAX ? (uint16_t)(child_depth + 1) : UINT16_MAX;
    if (*depth < d)
        *depth = d;
}

static void seal_expr(struct ir_expr *e)
{
    e->size = 1;
    e->depth = 1;
    for (uint32_t i = 0; i < e->nargs; i++)
        add_size(&e->size, &e->depth, e->args[i]->size, e->args[i]->depth);
    if (e->predicate)
        add_size(&e->size, &e->depth, e->predicate->size, e->predicate->depth);
}

static struct ir_expr *expr_make(struct ir_module *m, enum ir_expr_kind kind,
                                 struct dtype dtype, size_t nargs,
                                 struct ir_expr *const *args)
{
    if (nargs > UINT32_MAX)
        DC_BUG("expression with %zu operands", nargs);
    struct ir_expr *e = ARENA_NEW(m->arena, struct ir_expr);
    e->kind = kind;
    e->dtype = dtype;
    e->nargs = (uint32_t)nargs;
    e->args = copy_exprs(m, nargs, args);
    seal_expr(e);
    return e;
}

struct ir_expr *ir_int(struct ir_module *m, struct dtype t, int64_t value)
{
    struct ir_expr *e = expr_make(m, IR_INT_IMM, t, 0, NULL);
    e->u.int_value = value;
    return e;
}

struct ir_expr *ir_float(struct ir_module *m, struct dtype t, double value)
{
    struct ir_expr *e = expr_make(m, IR_FLOAT_IMM, t, 0, NULL);
    e->u.float_value = value;
    return e;
}

struct ir_expr *ir_string(struct ir_module *m, const char *text)
{
    struct ir_expr *e = expr_make(m, IR_STRING_IMM, DTYPE_HANDLE, 0, NULL);
    e->u.string.text = arena_strdup(m->arena, text);
    return e;
}

struct ir_expr *ir_var_ref(struct ir_module *m, struct ir_var *var)
{
    struct ir_expr *e = expr_make(m, IR_VAR_REF, var->dtype, 0, NULL);
    e->u.var = var;
    return e;
}

struct ir_expr *ir_buffer_ref(struct ir_module *m, struct ir_buffer *buffer)
{
    struct ir_expr *e = expr_make(m, IR_BUFFER_REF, DTYPE_HANDLE, 0, NULL);
    e->u.buffer = buffer;
    return e;
}

static bool gives_bool(enum ir_expr_kind kind)
{
    return kind >= IR_EQ && kind <= IR_OR;
}

static struct dtype bool_like(struct dtype t)
{
    struct dtype b = DTYPE_BOOL;
    b.lanes = t.lanes;
    b.scalable = t.scalable;
    return b;
}

struct ir_expr *ir_binary(struct ir_module *m, enum ir_expr_kind kind,
                          struct ir_expr *a, struct ir_expr *b)
{
    struct ir_expr *args[] = {a, b};
    struct dtype t = gives_bool(kind) ? bool_like(a->dtype) : a->dtype;
    return expr_make(m, kind, t, 2, args);
}

struct ir_expr *ir_not(struct ir_module *m, struct ir_expr *a)
{
    return expr_make(m, IR_NOT, bool_like(a->dtype), 1, &a);
}

struct ir_expr *ir_bitnot(struct ir_module *m, struct ir_expr *a)
{
    return expr_make(m, IR_BITNOT, a->dtype, 1, &a);
}

struct ir_expr *ir_cast(struct ir_module *m, struct dtype t, struct ir_expr *a)
{
    return expr_make(m, IR_CAST, t, 1, &a);
}

struct ir_expr *ir_select(struct ir_module *m, struct ir_expr *cond,
                          struct ir_expr *t, struct ir_expr *f)
{
    struct ir_expr *args[] = {cond, t, f};
    return expr_make(m, IR_SELECT, t->dtype, 3, args);
}

/* The type of `base` spread over the lanes that an expression gives: a constant
 * k, or vscale() * k in either order. Anything else counts as one lane, which
 * the well-formedness check refuses. */
static struct dtype spread(struct dtype base, const struct ir_expr *lanes)
{
    int64_t n = 1;
    if (ir_const_int(lanes, &n)) {
        base.lanes = n > 0 && n <= UINT16_MAX ? (uint16_t)n : 1;
        return base;
    }
    base.scalable = true;
    base.lanes = 1;
    if (lanes->kind == IR_MUL) {
        for (int i = 0; i < 2; i++) {
            if (ir_const_int(lanes->args[i], &n) && n > 0 && n <= UINT16_MAX)
                base.lanes = (uint16_t)n;
        }
    }
    return base;
}

struct ir_expr *ir_ramp(struct ir_module *m, struct ir_expr *base,
                        struct ir_expr *stride, struct ir_expr *lanes)
{
    struct ir_expr *args[] = {base, stride, lanes};
    return expr_make(m, IR_RAMP, spread(base->dtype, lanes), 3, args);
}

struct ir_expr *ir_broadcast(struct ir_module *m, struct ir_expr *value,
                             struct ir_expr *lanes)
{
    struct ir_expr *args[] = {value, lanes};
    return expr_make(m, IR_BROADCAST, spread(value->dtype, lanes), 2, args);
}

struct ir_expr *ir_shuffle(struct ir_module *m, size_t nvectors,
                           struct ir_expr *const *vectors, size_t nindices,
                           struct ir_expr *const *indices)
{
    size_t n = nvectors + nindices;
    struct ir_expr **args = ARENA_ARRAY(m->arena, n, struct ir_expr *);
    if (nvectors)
        memcpy(args, vectors, nvectors * sizeof *args);
    if (nindices)
        memcpy(args + nvectors, indices, nindices * sizeof *args);
    struct dtype t = nvectors ? dtype_scalar(vectors[0]->dtype) : DTYPE_VOID;
    t.lanes = nindices && nindices <= UINT16_MAX ? (uint16_t)nindices : 1;
    struct ir_expr *e = expr_make(m, IR_SHUFFLE, t, n, args);
    e->u.nvectors = nvectors;
    return e;
}

struct ir_expr *ir_load(struct ir_module *m, struct ir_buffer *buffer,
                        size_t nindices, struct ir_expr *const *indices,
                        struct ir_expr *predicate)
{
    struct dtype t = buffer->dtype;
    if (nindices) {
        struct dtype last = indices[nindices - 1]->dtype;
        t = dtype_with_lanes(t, (unsigned)t.lanes * last.lanes);
        t.scalable = last.scalable;
    }
    struct ir_expr *e = expr_make(m, IR_LOAD, t, nindices, indices);
    e->u.buffer = buffer;
    e->predicate = predicate;
    seal_expr(e);
    return e;
}

struct ir_expr *ir_call(struct ir_module *m, struct dtype t, const char *name,
                        size_t nargs, struct ir_expr *const *args)
{
    struct ir_expr *e = expr_make(m, IR_CALL, t, nargs, args);
    e->u.call.name = arena_strdup(m->arena, name);
    e->u.call.op = ir_op_find(name);
    return e;
}

struct ir_expr *ir_let(struct ir_module *m, struct ir_var *var,
                       struct ir_expr *value, struct ir_expr *body)
{
    struct ir_expr *args[] = {value, body};
    struct ir_expr *e = expr_make(m, IR_LET, body->dtype, 2, args);
    e->u.var = var;
    return e;
}

struct ir_expr *ir_rebuild(struct ir_module *m, const struct ir_expr *e,
                           struct ir_expr *const *args,
                           struct ir_expr *predicate)
{
    struct ir_expr *out = NULL;
    switch ((int)e->kind) {
    case IR_NOT: out = ir_not(m, args[0]); break;
    case IR_BITNOT: out = ir_bitnot(m, args[0]); break;
    case IR_CAST: out = ir_cast(m, e->dtype, args[0]); break;
    case IR_SELECT: out = ir_select(m, args[0], args[1], args[2]); break;
    case IR_RAMP: out = ir_ramp(m, args[0], args[1], args[2]); break;
    case IR_BROADCAST: out = ir_broadcast(m, args[0], args[1]); break;
    case IR_SHUFFLE:
        out = ir_shuffle(m, e->u.nvectors, args, e->nargs - e->u.nvectors,
                         args + e->u.nvectors);
        break;
    case IR_LOAD:
        out = ir_load(m, e->u.buffer, e->nargs, args, predicate);
        break;
    case IR_CALL:
        out = expr_make(m, IR_CALL, e->dtype, e->nargs, args);
        out->u.call = e->u.call;
        break;
    case IR_LET: out = ir_let(m, e->u.var, args[0], args[1]); break;
    default:
        if (e->nargs != 2)
            DC_BUG("a %s has no operands", ir_expr_kind_name(e->kind));
        out = ir_binary(m, e->kind, args[0], args[1]);
    }
    out->pos = e->pos;
    return out;
}

/* ---- statements ------------------------------------------------------------------------ */

struct ir_stmt *ir_stmt_make(struct ir_module *m, enum ir_stmt_kind kind)
{
    struct ir_stmt *s = ARENA_NEW(m->arena, struct ir_stmt);
    s->kind = kind;
    s->size = 1;
    s->depth = 1;
    return s;
}

static void seal_expr_at(void *user, struct ir_expr **at)
{
    struct ir_stmt *s = user;
    add_size(&s->size, &s->depth, (*at)->size, (*at)->depth);
}

static void seal_stmt_at(void *user, struct ir_stmt **at)
{
    struct ir_stmt *s = user;
    add_size(&s->size, &s->depth, (*at)->size, (*at)->depth);
}

void ir_stmt_seal(struct ir_stmt *s)
{
    struct ir_parts all = {.stmt = seal_stmt_at,
                           .expr = seal_expr_at,
                           .user = s,
                           .buffers = true,
                           .claims = true};
    s->size = 1;
    s->depth = 1;
    ir_stmt_parts(&all, s);
}

struct ir_stmt *ir_seq(struct ir_module *m, size_t n,
                       struct ir_stmt *const *items)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_SEQ);
    s->u.seq.n = n;
    s->u.seq.items = arena_memdup(m->arena, items, n * sizeof *items);
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *ir_store(struct ir_module *m, struct ir_buffer *buffer,
                         struct ir_expr *value, size_t nindices,
                         struct ir_expr *const *indices,
                         struct ir_expr *predicate)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_STORE);
    s->u.store.buffer = buffer;
    s->u.store.value = value;
    s->u.store.nindices = nindices;
    s->u.store.indices = copy_exprs(m, nindices, indices);
    s->u.store.predicate = predicate;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *ir_evaluate(struct ir_module *m, struct ir_expr *value)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_EVALUATE);
    s->u.value = value;
    ir_stmt_seal(s);
    return s;
}

/* ---- Relax --------------------------------------------------------------------------------- */

struct rx_expr *rx_expr_make(struct ir_module *m, enum rx_kind kind)
{
    struct rx_expr *e = ARENA_NEW(m->arena, struct rx_expr);
    e->kind = kind;
    e->dtype = DTYPE_VOID;
    e->size = 1;
    e->depth = 1;
    return e;
}

void rx_expr_seal(struct rx_expr *e)
{
    e->size = 1;
    e->depth = 1;
    for (size_t i = 0; i < e->nitems; i++)
        add_size(&e->size, &e->depth, e->items[i]->size, e->items[i]->depth);
    if (e->callee)
        add_size(&e->size, &e->depth, e->callee->size, e->callee->depth);
    for (size_t i = 0; i < e->ndims; i++)
        add_size(&e->size, &e->depth, e->dims[i]->size, e->dims[i]->depth);
    if (e->prim)
        add_size(&e->size, &e->depth, e->prim->size, e->prim->depth);
    for (size_t i = 0; i < e->nblocks; i++) {
        for (size_t j = 0; j < e->blocks[i].n; j++) {
            const struct rx_expr *v = e->blocks[i].bindings[j].value;
            add_size(&e->size, &e->depth, v->size, v->depth);
        }
    }
    if (e->func && e->func->body)
        add_size(&e->size, &e->depth, e->func->body->size,
                 e->func->body->depth);
}

struct rx_var *rx_var_make(struct ir_module *m, const char *name,
                           const struct ir_type *type, bool dataflow)
{
    struct rx_var *var = ARENA_NEW(m->arena, struct rx_var);
    var->name = arena_strdup(m->arena, name);
    var->type = type;
    var->dataflow = dataflow;
    var->id = m->nvars++;
    return var;
}
