/* SPDX-License-Identifier: Apache-2.0
 *
 * Structural hash that agrees with structural equality (equal.c): equal
 * modules have equal hashes. Variables and buffers count by the order in which
 * they are first met, pointers by what they stand for (equal_alias.c), maps as
 * sums over their entries, so that the order of keys does not matter. Inside
 * maps a variable counts by its dtype only, since entries are visited in key
 * order and that may depend on a namespace.
 *
 * Hashes of expressions are remembered by address: numbers never change once
 * given, so a shared expression hashes to the same word each time.
 */
#include "ir/base/limits.h"
#include "ir/equal_alias.h"

#include <string.h>

struct hasher {
    struct ptr_map numbers; /* variable or buffer -> order of first use */
    struct ptr_map exprs;   /* expression -> hash */
    struct ptr_map alias;
    uint64_t count;
    unsigned anonymous; /* > 0: variables have no numbers */
    unsigned depth;
};

static uint64_t hash_expr(struct hasher *h, const struct ir_expr *e);
static uint64_t hash_value(struct hasher *h, const struct ir_value *v);
static uint64_t hash_rx(struct hasher *h, const struct rx_expr *e);
static uint64_t hash_rx_func(struct hasher *h, const struct rx_func *f);

static uint64_t hash_text(uint64_t seed, const char *text)
{
    text = text ? text : "";
    return hash_bytes(seed, text, strlen(text));
}

static uint64_t hash_dtype(uint64_t seed, struct dtype t)
{
    return hash_mix(seed, ((uint64_t)t.code << 32) | ((uint64_t)t.bits << 24) |
                              ((uint64_t)t.lanes << 1) | t.scalable);
}

static uint64_t number_of(struct hasher *h, const void *object)
{
    if (!object || h->anonymous)
        return 0;
    const uint64_t *known = ptr_map_find(&h->numbers, object, NULL);
    if (known)
        return *known;
    ptr_map_put(&h->numbers, object, NULL, ++h->count);
    return h->count;
}

/* A definition gives a new number, as equality gives a new partner there. */
static void renumber(struct hasher *h, const void *object)
{
    if (!object || h->anonymous)
        return;
    if (ptr_map_find(&h->numbers, object, NULL))
        ptr_map_fini(&h->exprs);
    ptr_map_put(&h->numbers, object, NULL, ++h->count);
}

static uint64_t hash_var(struct hasher *h, const struct ir_var *var)
{
    var = equal_alias_find(&h->alias, var);
    if (!var)
        return 1;
    return hash_dtype(number_of(h, var), var->dtype);
}

static uint64_t hash_definition(struct hasher *h, const struct ir_var *var)
{
    renumber(h, equal_alias_find(&h->alias, var));
    return hash_var(h, var);
}

static uint64_t hash_exprs(struct hasher *h, uint64_t seed, size_t n,
                           struct ir_expr *const *list)
{
    seed = hash_mix(seed, n);
    for (size_t i = 0; i < n; i++)
        seed = hash_mix(seed, hash_expr(h, list[i]));
    return seed;
}

/* A buffer has the number of its storage: whether a generation names the
 * buffer or its pointer first makes no difference then. */
static uint64_t hash_buffer(struct hasher *h, const struct ir_buffer *b)
{
    if (!b)
        return 2;
    const struct ir_var *data = equal_alias_find(&h->alias, b->data);
    uint64_t n = data ? number_of(h, data) : number_of(h, b);
    uint64_t x = hash_mix(hash_dtype(n, b->dtype), b->rank);
    x = hash_text(x, equal_scope(b->scope));
    if (h->anonymous || ptr_map_find(&h->numbers, b, b))
        return x;
    ptr_map_put(&h->numbers, b, b, 1);
    /* Visiting the parts numbers the symbols in them. */
    (void)hash_exprs(h, 0, b->rank, b->shape);
    (void)hash_exprs(h, 0, b->nstrides, b->strides);
    if (b->elem_offset)
        (void)hash_expr(h, b->elem_offset);
    return x;
}

static uint64_t hash_own_buffer(struct hasher *h, const struct ir_buffer *b)
{
    const struct ir_var *data = equal_alias_find(&h->alias, b->data);
    renumber(h, data ? (const void *)data : b);
    return hash_buffer(h, b);
}

static uint64_t hash_range(struct hasher *h, const struct ir_range *r)
{
    return hash_mix(hash_expr(h, r->min), hash_expr(h, r->extent));
}

static uint64_t hash_region(struct hasher *h, const struct ir_region *r)
{
    uint64_t x = hash_mix(hash_buffer(h, r->buffer), r->nranges);
    for (size_t i = 0; i < r->nranges; i++) {
        const struct ir_expr *extent = r->ranges[i].extent;
        bool number = extent && extent->kind == IR_INT_IMM;
        x = hash_mix(x, hash_expr(h, r->ranges[i].min));
        x = hash_mix(x, number ? (uint64_t)extent->u.int_value
                               : hash_expr(h, extent));
    }
    return x;
}

/* The thread of a loop: what its variable's type is does not count. */
static uint64_t hash_thread(struct hasher *h, const struct ir_iter_var *iv)
{
    if (!iv)
        return 3;
    uint64_t x = hash_text(hash_mix(4, (uint64_t)iv->type), iv->thread_tag);
    return iv->has_dom ? hash_mix(x, hash_range(h, &iv->dom)) : x;
}

static uint64_t hash_iter_var(struct hasher *h, const struct ir_iter_var *iv)
{
    uint64_t x = hash_thread(h, iv);
    return iv ? hash_mix(x, hash_definition(h, iv->var)) : x;
}

static uint64_t hash_reducer(struct hasher *h, const struct ir_comm_reducer *r)
{
    uint64_t x = hash_mix(5, r->n);
    for (size_t i = 0; i < r->n; i++)
        x = hash_mix(x, hash_definition(h, r->lhs[i]));
    for (size_t i = 0; i < r->n; i++)
        x = hash_mix(x, hash_definition(h, r->rhs[i]));
    x = hash_exprs(h, x, r->n, r->result);
    return hash_exprs(h, x, r->n, r->identity);
}

static uint64_t hash_tensor(const struct ir_tensor *t)
{
    if (!t)
        return 6;
    uint64_t x = hash_dtype(hash_mix(7, t->rank), t->dtype);
    for (size_t i = 0; i < t->rank; i++)
        x = hash_mix(x, (uint64_t)t->shape[i]);
    return t->bytes ? hash_bytes(x, t->data, t->bytes) : x;
}

/* Types count by kind and element only: a coarse hash is a correct one. */
static uint64_t hash_type(const struct ir_type *t)
{
    if (equal_type_void(t))
        return 8;
    uint64_t x = hash_mix(9, (uint64_t)t->kind);
    if (t->kind == IR_TYPE_PRIM || t->kind == IR_TYPE_TENSOR)
        x = hash_dtype(x, t->dtype);
    if (t->kind == IR_TYPE_TENSOR || t->kind == IR_TYPE_SHAPE)
        x = hash_mix(x, (uint64_t)(int64_t)t->ndim);
    return hash_mix(x, t->nfields);
}

static uint64_t float_word(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : 0x7ff8000000000000u;
}

/* ---- expressions --------------------------------------------------------- */

static uint64_t hash_expr_head(struct hasher *h, const struct ir_expr *e)
{
    uint64_t x = hash_dtype(hash_mix(10, (uint64_t)e->kind), e->dtype);
    if (e->kind == IR_INT_IMM)
        return hash_mix(x, (uint64_t)e->u.int_value);
    if (e->kind == IR_FLOAT_IMM)
        return hash_mix(x, float_word(e->u.float_value));
    if (e->kind == IR_STRING_IMM)
        return hash_text(x, e->u.string.text);
    if (e->kind == IR_LET)
        return hash_mix(x, hash_var(h, e->u.var));
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        return hash_mix(x, hash_buffer(h, e->u.buffer));
    if (e->kind == IR_CALL) {
        x = hash_text(x, e->u.call.op == IR_OP_GLOBAL
                             ? e->u.call.name
                             : equal_last_component(e->u.call.name));
        if (!equal_value_empty(e->u.call.attrs))
            x = hash_mix(x, hash_value(h, e->u.call.attrs));
    }
    return x;
}

static uint64_t hash_expr(struct hasher *h, const struct ir_expr *e)
{
    if (!e)
        return 11;
    const struct ir_var *pointer = equal_pointer_of(&h->alias, e);
    if (pointer)
        return hash_mix(12, hash_var(h, pointer));
    if (e->kind == IR_VAR_REF)
        return hash_mix(13, hash_var(h, e->u.var));
    bool keep = e->nargs > 0 && !h->anonymous;
    const uint64_t *known = keep ? ptr_map_find(&h->exprs, e, NULL) : NULL;
    if (known)
        return *known;
    uint64_t x = hash_expr_head(h, e);
    x = hash_exprs(h, x, e->nargs, e->args);
    if (e->predicate)
        x = hash_mix(x, hash_expr(h, e->predicate));
    if (keep)
        ptr_map_put(&h->exprs, e, NULL, x);
    return x;
}

/* ---- attribute values ---------------------------------------------------- */

static uint64_t hash_keyed(struct hasher *h, const struct ir_value *v)
{
    uint64_t sum = 0;
    h->anonymous++;
    for (size_t i = 0; i < v->n; i++)
        sum += hash_mix(hash_text(14, equal_bare_key(v->keys[i])),
                        hash_value(h, v->items[i]));
    h->anonymous--;
    return hash_mix(15, sum);
}

static uint64_t hash_list(struct hasher *h, const struct ir_value *v)
{
    uint64_t x = hash_mix(16, v->n);
    size_t n = v->kind == IR_V_MAP ? 2 * v->n : v->n;
    for (size_t i = 0; i < n; i++)
        x = hash_mix(x, hash_value(h, v->items[i]));
    return x;
}

static uint64_t hash_value_parts(struct hasher *h, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_V_NONE: return 17;
    case IR_V_BOOL: return hash_mix(18, v->u.boolean);
    case IR_V_INT: return hash_mix(19, (uint64_t)v->u.integer);
    case IR_V_FLOAT: return hash_mix(20, float_word(v->u.number));
    case IR_V_STRING: return hash_text(21, v->u.string);
    case IR_V_DTYPE: return hash_dtype(22, v->u.dtype);
    case IR_V_EXPR: return hash_expr(h, v->u.expr);
    case IR_V_BUFFER: return hash_buffer(h, v->u.buffer);
    case IR_V_ITER_VAR: return hash_iter_var(h, v->u.iter_var);
    case IR_V_RANGE: return hash_range(h, v->u.range);
    case IR_V_REGION: return hash_region(h, v->u.region);
    case IR_V_REDUCER: return hash_reducer(h, v->u.reducer);
    case IR_V_TENSOR: return hash_tensor(v->u.tensor);
    case IR_V_TYPE: return hash_type(v->u.type);
    case IR_V_SHAPE: return hash_mix(23, v->n);
    case IR_V_OBJECT:
        return hash_text(hash_keyed(h, v), equal_last_component(v->u.string));
    case IR_V_MAP: return v->keys || !v->n ? hash_keyed(h, v) : hash_list(h, v);
    case IR_V_ARRAY: return hash_list(h, v);
    }
    return 0;
}

static uint64_t hash_value(struct hasher *h, const struct ir_value *v)
{
    if (equal_value_empty(v))
        return 24;
    const struct ir_var *pointer = equal_value_pointer(&h->alias, v);
    if (pointer)
        return hash_mix(12, hash_var(h, pointer));
    if (h->depth >= DC_MAX_DEPTH)
        return 25;
    h->depth++;
    uint64_t x = hash_value_parts(h, v);
    h->depth--;
    return x;
}

/* ---- statements ---------------------------------------------------------- */

static bool is_one(const struct ir_expr *e)
{
    return !e || (e->kind == IR_INT_IMM && e->u.int_value == 1);
}

static uint64_t hash_stmt(struct hasher *h, const struct ir_stmt *s);

static uint64_t hash_loop(struct hasher *h, uint64_t x, const struct ir_stmt *s)
{
    x = hash_mix(x, (uint64_t)s->u.loop.kind);
    x = hash_mix(x, hash_definition(h, s->u.loop.var));
    x = hash_mix(x, hash_expr(h, s->u.loop.min));
    x = hash_mix(x, hash_expr(h, s->u.loop.extent));
    if (!is_one(s->u.loop.step))
        x = hash_mix(x, hash_expr(h, s->u.loop.step));
    x = hash_mix(x, hash_thread(h, s->u.loop.thread));
    x = hash_mix(x, hash_value(h, s->u.loop.annotations));
    return hash_mix(x, hash_stmt(h, s->u.loop.body));
}

static uint64_t hash_block(struct hasher *h, uint64_t x,
                           const struct ir_block *b)
{
    x = hash_exprs(h, x, b->niters, b->iter_values);
    x = hash_mix(x, hash_expr(h, b->predicate));
    for (size_t i = 0; i < b->niters; i++)
        x = hash_mix(x, hash_iter_var(h, &b->iters[i]));
    for (size_t i = 0; i < b->nallocs; i++)
        x = hash_mix(x, hash_own_buffer(h, b->allocs[i]));
    for (size_t i = 0; i < b->nmatches; i++) {
        x = hash_mix(x, hash_region(h, &b->matches[i].source));
        x = hash_mix(x, hash_own_buffer(h, b->matches[i].buffer));
    }
    for (size_t i = 0; i < b->nreads; i++)
        x = hash_mix(x, hash_region(h, &b->reads[i]));
    for (size_t i = 0; i < b->nwrites; i++)
        x = hash_mix(x, hash_region(h, &b->writes[i]));
    x = hash_mix(x, hash_value(h, b->annotations));
    x = hash_mix(x, hash_stmt(h, b->init));
    return hash_mix(x, hash_stmt(h, b->body));
}

static uint64_t hash_decl(struct hasher *h, uint64_t x, const struct ir_stmt *s)
{
    const struct ir_expr *value = s->u.decl.value;
    if (value && !equal_pointer_of(&h->alias, value))
        x = hash_mix(x, hash_expr(h, value));
    return hash_mix(x, hash_buffer(h, s->u.decl.buffer));
}

/* Nested sequences count as one, one of a single statement as that. */
static void hash_seq(struct hasher *h, const struct ir_stmt *s, uint64_t *x)
{
    if (equal_stmt_idle(s))
        return;
    if (s->kind != IR_SEQ) {
        *x = hash_mix(*x, hash_stmt(h, s));
        return;
    }
    for (size_t i = 0; i < s->u.seq.n; i++)
        hash_seq(h, s->u.seq.items[i], x);
}

/* Counts the statements of nested sequences; *last gets the last of them. */
static size_t count_items(const struct ir_stmt *s, const struct ir_stmt **last)
{
    if (s->kind != IR_SEQ) {
        if (equal_stmt_idle(s))
            return 0;
        *last = s;
        return 1;
    }
    size_t n = 0;
    for (size_t i = 0; i < s->u.seq.n; i++)
        n += count_items(s->u.seq.items[i], last);
    return n;
}

static uint64_t hash_stmt(struct hasher *h, const struct ir_stmt *s)
{
    if (!s)
        return 26;
    const struct ir_stmt *only = s;
    size_t n = count_items(s, &only);
    if (n == 0)
        return 31;
    if (n == 1)
        s = only;
    uint64_t x = hash_mix(27, (uint64_t)s->kind);
    switch (s->kind) {
    case IR_SEQ: hash_seq(h, s, &x); return x;
    case IR_FOR: return hash_loop(h, x, s);
    case IR_WHILE:
        x = hash_mix(x, hash_expr(h, s->u.while_.cond));
        return hash_mix(x, hash_stmt(h, s->u.while_.body));
    case IR_IF:
        x = hash_mix(x, hash_expr(h, s->u.if_.cond));
        x = hash_mix(x, hash_stmt(h, s->u.if_.then_));
        return hash_mix(x, hash_stmt(h, s->u.if_.else_));
    case IR_BIND:
        x = hash_mix(x, hash_expr(h, s->u.bind.value));
        return hash_mix(x, hash_definition(h, s->u.bind.var));
    case IR_ALLOC:
    case IR_ALLOC_CONST:
        x = hash_mix(x, hash_own_buffer(h, s->u.alloc.buffer));
        x = hash_mix(x, hash_value(h, s->u.alloc.annotations));
        return hash_mix(x, hash_tensor(s->u.alloc.data));
    case IR_DECL_BUFFER: return hash_decl(h, x, s);
    case IR_ATTR:
        x = hash_text(x, s->u.attr.key);
        x = hash_mix(x, hash_value(h, s->u.attr.node));
        x = hash_mix(x, hash_expr(h, s->u.attr.value));
        return hash_mix(x, hash_stmt(h, s->u.attr.body));
    case IR_ASSERT:
        x = hash_mix(x, hash_expr(h, s->u.assert_.cond));
        x = hash_text(x, s->u.assert_.error_kind);
        return hash_exprs(h, x, s->u.assert_.nparts, s->u.assert_.parts);
    case IR_EVALUATE:
    case IR_RETURN: return hash_mix(x, hash_expr(h, s->u.value));
    case IR_STORE:
        x = hash_mix(x, hash_buffer(h, s->u.store.buffer));
        x = hash_mix(x, hash_expr(h, s->u.store.value));
        x = hash_exprs(h, x, s->u.store.nindices, s->u.store.indices);
        return hash_mix(x, hash_expr(h, s->u.store.predicate));
    case IR_BLOCK: return hash_block(h, x, s->u.block);
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: return x;
    }
    return x;
}

/* ---- Relax --------------------------------------------------------------- */

static uint64_t hash_rx_blocks(struct hasher *h, uint64_t x,
                               const struct rx_expr *e)
{
    for (size_t i = 0; i < e->nblocks; i++) {
        const struct rx_block *b = &e->blocks[i];
        x = hash_mix(hash_mix(x, b->dataflow), b->n);
        for (size_t j = 0; j < b->n; j++) {
            x = hash_mix(x, hash_rx(h, b->bindings[j].value));
            x = hash_mix(x, hash_type(b->bindings[j].match_type));
            x = hash_mix(x, number_of(h, b->bindings[j].var));
        }
    }
    return x;
}

static uint64_t hash_rx_head(struct hasher *h, const struct rx_expr *e)
{
    uint64_t x = hash_mix(28, (uint64_t)e->kind);
    switch (e->kind) {
    case RX_VAR: return hash_mix(x, number_of(h, e->var));
    case RX_CONSTANT: return hash_mix(x, hash_tensor(e->tensor));
    case RX_SHAPE: return hash_exprs(h, x, e->ndims, e->dims);
    case RX_TUPLE_GET: return hash_mix(x, (uint64_t)e->index);
    case RX_CALL:
        x = hash_mix(x, hash_rx(h, e->callee));
        return hash_mix(x, e->ntype_args);
    case RX_SEQ: return hash_rx_blocks(h, x, e);
    case RX_PRIM_VALUE: return hash_mix(x, hash_expr(h, e->prim));
    case RX_STRING:
    case RX_GLOBAL:
    case RX_EXTERN:
    case RX_OP: return hash_text(x, e->text);
    case RX_DTYPE: return hash_dtype(x, e->dtype);
    case RX_FUNCTION: return hash_mix(x, hash_rx_func(h, e->func));
    case RX_TUPLE:
    case RX_IF: return x;
    }
    return x;
}

static uint64_t hash_rx(struct hasher *h, const struct rx_expr *e)
{
    e = equal_rx_bare(e);
    if (!e)
        return 29;
    const uint64_t *known = ptr_map_find(&h->exprs, e, NULL);
    if (known)
        return *known;
    uint64_t x = hash_mix(hash_rx_head(h, e), e->nitems);
    for (size_t i = 0; i < e->nitems; i++)
        x = hash_mix(x, hash_rx(h, e->items[i]));
    ptr_map_put(&h->exprs, e, NULL, x);
    return x;
}

static uint64_t hash_rx_func(struct hasher *h, const struct rx_func *f)
{
    uint64_t x = hash_mix(hash_mix(30, f->pure), f->nparams);
    for (size_t i = 0; i < f->nparams; i++)
        x = hash_mix(x, number_of(h, f->params[i]));
    x = hash_mix(x, hash_type(f->ret_type));
    return hash_mix(x, hash_rx(h, f->body));
}

/* ---- functions and modules ----------------------------------------------- */

/* Without "s_tir", which may be missing on one side of an equality. */
static uint64_t hash_attrs(struct hasher *h, const struct ir_value *attrs)
{
    if (!attrs || attrs->kind != IR_V_MAP || !attrs->keys)
        return hash_mix(34, 0);
    uint64_t sum = 0;
    h->anonymous++;
    for (size_t i = 0; i < attrs->n; i++)
        if (strcmp(attrs->keys[i], "s_tir") != 0)
            sum += hash_mix(hash_text(14, equal_bare_key(attrs->keys[i])),
                            hash_value(h, attrs->items[i]));
    h->anonymous--;
    return hash_mix(34, sum);
}

uint64_t ir_func_hash(const struct ir_func *f)
{
    struct hasher h = {0};
    uint64_t x = hash_mix(31, (uint64_t)f->kind);
    if (f->kind == IR_FUNC_PRIM) {
        equal_alias_collect(&h.alias, f->prim.body);
        x = hash_mix(x, f->prim.nparams);
        for (size_t i = 0; i < f->prim.nparams; i++) {
            const struct ir_param *p = &f->prim.params[i];
            x = hash_mix(x, p->buffer ? hash_own_buffer(&h, p->buffer)
                                      : hash_definition(&h, p->var));
        }
        x = hash_mix(x, hash_stmt(&h, f->prim.body));
    } else if (f->kind == IR_FUNC_RELAX && f->relax) {
        x = hash_mix(x, hash_rx_func(&h, f->relax));
    }
    x = hash_mix(x, hash_attrs(&h, f->attrs));
    ptr_map_fini(&h.numbers);
    ptr_map_fini(&h.exprs);
    ptr_map_fini(&h.alias);
    return x;
}

uint64_t ir_module_hash(const struct ir_module *m)
{
    uint64_t x = hash_mix(32, m->nfuncs);
    for (size_t i = 0; i < m->nfuncs; i++)
        x = hash_mix(hash_text(x, m->funcs[i]->name),
                     ir_func_hash(m->funcs[i]));
    return x;
}
