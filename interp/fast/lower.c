/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements into the nest. Scopes are resolved here: block iterators, lets
 * and buffers are gone afterwards, what is left are loops, guards, stores and
 * storages. Arguments are bound first, so that symbolic sizes are numbers.
 *
 * Rules of docs/semantics.md are named where the walker's behaviour is
 * followed; steps are charged as exec.c and eval.c count them.
 */
#include "interp/fast/lower.h"

#include "ir/base/limits.h"

#include <string.h>

#define MAX_TREE  3000000u           /* nodes of the function as a tree */
#define MAX_BYTES ((int64_t)1 << 30) /* of one storage */
#define MAX_REACH ((int64_t)1 << 40) /* elements */

struct node *lower_node(struct lower *l, enum node_kind kind)
{
    struct node *n = ARENA_NEW(l->e->arena, struct node);
    n->kind = kind;
    n->parent = l->loop;
    n->depth = l->loop == NULL ? 0 : l->loop->depth + 1;
    *l->tail = n;
    l->tail = &n->next;
    return n;
}

/* A number known before the run; steps as exec_eval would charge, none for a
 * literal (dim_value of view.c). */
static bool known_dim(struct lower *l, const struct ir_expr *e, int64_t *out,
                      uint64_t *cost)
{
    struct affine a;
    if (!lower_affine(l, e, &a) || a.n != 0)
        return lower_give_up(l->e, "a size that is not known before the run");
    if (l->data)
        return lower_give_up(l->e, "a size from a parameter's contents");
    if (e->kind != IR_INT_IMM)
        *cost += lower_expr_cost(e);
    *out = a.c;
    return true;
}

/* ---- buffers --------------------------------------------------------------------- */

static bool view_shape(struct lower *l, const struct ir_buffer *b,
                       struct fast_view *v, uint64_t *cost)
{
    int64_t step = 1, reach = 0, part;
    for (size_t d = 0; d < b->rank; d++)
        if (!known_dim(l, b->shape[d], &v->dim[d], cost))
            return false;
    for (size_t d = b->rank; d-- > 0;) {
        v->stride[d] = step;
        if (__builtin_mul_overflow(step, v->dim[d] > 1 ? v->dim[d] : 1,
                                   &step) ||
            step > MAX_REACH)
            return lower_give_up(l->e, "a buffer beyond any address");
    }
    for (size_t d = 0; d < b->rank && b->nstrides == b->rank; d++)
        if (!known_dim(l, b->strides[d], &v->stride[d], cost))
            return false;
    for (size_t d = 0; d < b->rank; d++) {
        int64_t last = v->dim[d] > 1 ? v->dim[d] - 1 : 0;
        if (__builtin_mul_overflow(last, v->stride[d], &part) ||
            part > MAX_REACH || part < -MAX_REACH)
            return lower_give_up(l->e, "a buffer beyond any address");
        reach += part < 0 ? -part : part;
    }
    if (reach > MAX_REACH)
        return lower_give_up(l->e, "a buffer beyond any address");
    v->base = affine_const(0);
    v->distinct = b->nstrides == 0;
    if (b->elem_offset == NULL)
        return true;
    int64_t offset = 0;
    if (!known_dim(l, b->elem_offset, &offset, cost))
        return false;
    v->base = affine_const(offset);
    return offset >= 0 && offset < MAX_REACH;
}

static struct fast_view *view_new(struct lower *l, const struct ir_buffer *b,
                                  uint64_t *cost)
{
    enum ftype type;
    if (!fast_ftype_of(b->dtype, &type) || b->dtype.lanes != 1 ||
        b->dtype.scalable || b->rank > DC_MAX_RANK) {
        lower_give_up(l->e, "a buffer's element type");
        return NULL;
    }
    struct fast_view *v = ARENA_NEW(l->e->arena, struct fast_view);
    v->dim = ARENA_ARRAY(l->e->arena, b->rank + 1, int64_t);
    v->stride = ARENA_ARRAY(l->e->arena, b->rank + 1, int64_t);
    bool outer = l->data;
    l->data = false;
    bool ok = view_shape(l, b, v, cost);
    l->data = outer;
    return ok ? v : NULL;
}

struct fast_view **lower_view_slot(struct lower *l, const struct ir_buffer *b)
{
    const struct ir_plan *p = l->e->plan;
    uint32_t i = b->id - p->buffer_base;
    return i < p->nbuffers ? &l->views[i] : NULL;
}

/* b as a view of what its data variable points to. */
static struct fast_view *view_bind(struct lower *l, const struct ir_buffer *b,
                                   uint64_t *cost)
{
    struct fast_view **slot = lower_view_slot(l, b);
    struct binding *data = lower_binding(l, b->data);
    enum ftype type;
    if (slot == NULL || data == NULL || data->kind != BOUND_STORE) {
        lower_give_up(l->e, "a buffer whose storage is not known");
        return NULL;
    }
    struct fast_view *v = view_new(l, b, cost);
    if (v == NULL)
        return NULL;
    if (!fast_ftype_of(b->dtype, &type) || type != data->store->type) {
        lower_give_up(l->e, "storage under two types");
        return NULL;
    }
    v->store = data->store;
    *slot = v;
    return v;
}

struct fast_view *lower_view(struct lower *l, const struct ir_buffer *buffer)
{
    struct fast_view **slot = lower_view_slot(l, buffer);
    struct binding *data = lower_binding(l, buffer->data);
    uint64_t cost = 0;
    if (slot != NULL && *slot != NULL && data != NULL &&
        data->kind == BOUND_STORE && data->store == (*slot)->store)
        return *slot;
    struct fast_view *v = view_bind(l, buffer, &cost);
    if (v != NULL && cost != 0) {
        lower_give_up(l->e, "a buffer without definition");
        return NULL;
    }
    return v;
}

struct store *lower_storage(struct lower *l, const struct ir_buffer *b,
                            uint64_t *cost)
{
    struct fast_view *v = view_new(l, b, cost);
    struct fast_view **slot = lower_view_slot(l, b);
    struct binding *data = lower_binding(l, b->data);
    if (v == NULL || slot == NULL || data == NULL) {
        lower_give_up(l->e, "a buffer");
        return NULL;
    }
    struct store *x = ARENA_NEW(l->e->arena, struct store);
    int64_t last = 0;
    bool empty = false;
    (void)fast_ftype_of(b->dtype, &x->type);
    for (size_t d = 0; d < b->rank; d++) {
        empty |= v->dim[d] <= 0;
        if (v->stride[d] > 0)
            last += (v->dim[d] - 1) * v->stride[d];
    }
    x->elements = (empty ? 0 : last + 1) + v->base.c;
    x->buffer = b;
    x->param = -1;
    x->home = l->loop;
    x->lanes = 1;
    x->scope = ir_scope_of(b->scope);
    x->id = (uint32_t)l->e->stores.len;
    if (x->elements * (int64_t)(fast_ftype_bytes(x->type) + 1) > MAX_BYTES) {
        lower_give_up(l->e, "a buffer of more than a gibibyte");
        return NULL;
    }
    if (!lower_share(l, x))
        return NULL;
    vec_push(&l->e->stores, x);
    v->store = x;
    *slot = v;
    data->kind = BOUND_STORE;
    data->store = x;
    return x;
}

/* The walker evaluates the shape for the storage and again for the view. */
static bool lower_alloc(struct lower *l, const struct ir_buffer *b,
                        struct ir_tensor *init)
{
    uint64_t cost = 0;
    struct store *x = lower_storage(l, b, &cost);
    if (x == NULL)
        return false;
    lower_cost(l, 2 * cost);
    if (init != NULL) {
        enum ftype type;
        if (!fast_ftype_of(init->dtype, &type) || type != x->type ||
            init->bytes / fast_ftype_bytes(type) > (size_t)x->elements)
            return lower_give_up(l->e, "a constant of another type");
        x->init = init;
    }
    lower_node(l, NODE_ALLOC)->store = x;
    return true;
}

static void unbind(struct lower *l, const struct ir_var *var)
{
    struct binding *b = lower_binding(l, var);
    if (b != NULL)
        b->kind = BOUND_NOT;
}

/* ---- sequences -------------------------------------------------------------------- */

static bool lower_decl(struct lower *l, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_expr *value = s->u.decl.value;
    uint64_t cost = 0;
    if (value != NULL) {
        struct binding *from =
            value->kind == IR_VAR_REF ? lower_binding(l, value->u.var) : NULL;
        struct binding *to = lower_binding(l, b->data);
        if (from == NULL || to == NULL || from->kind != BOUND_STORE)
            return lower_give_up(l->e, "a computed pointer");
        cost++;
        *to = *from;
    }
    if (view_bind(l, b, &cost) == NULL)
        return false;
    lower_cost(l, cost);
    return true;
}

static bool lower_bind(struct lower *l, const struct ir_stmt *s)
{
    struct binding *b = lower_binding(l, s->u.bind.var);
    const struct ir_expr *e = s->u.bind.value;
    if (b == NULL || e->dtype.lanes != 1 || dtype_is_handle(e->dtype))
        return lower_give_up(l->e, "a let of this kind");
    l->address++; /* may be used in one */
    struct fx *x = lower_expr(l, e);
    l->address--;
    if (x == NULL)
        return false;
    b->data = x->data == DATA_YES;
    if (x->kind == X_AFFINE ||
        (x->kind == X_CONST && !fast_ftype_is_float(x->type) &&
         x->type != T_BOOL)) {
        b->kind = BOUND_AFFINE;
        b->at = x->kind == X_AFFINE ? *x->at : affine_const((int64_t)x->bits);
        return true;
    }
    struct node *n = lower_node(l, NODE_SET);
    b->kind = BOUND_SLOT;
    b->value = x;
    b->slot = n->slot = l->e->nslots++;
    n->value = x;
    return true;
}

static bool lower_seq(struct lower *l, const struct ir_stmt *s)
{
    for (size_t i = 0; i < s->u.seq.n; i++) {
        lower_implicit_barrier(l, s, s->u.seq.items[i]);
        if (!lower_stmt(l, s->u.seq.items[i]))
            return false;
    }
    for (size_t i = s->u.seq.n; i-- > 0;) {
        const struct ir_stmt *x = s->u.seq.items[i];
        if (x->kind == IR_BIND)
            unbind(l, x->u.bind.var);
        else if (x->kind == IR_ALLOC || x->kind == IR_ALLOC_CONST)
            unbind(l, x->u.alloc.buffer->data);
        else if (x->kind == IR_DECL_BUFFER && x->u.decl.value != NULL)
            unbind(l, x->u.decl.buffer->data);
    }
    return true;
}

/* ---- stores ------------------------------------------------------------------------ */

struct node *lower_loop_node(struct lower *l)
{
    struct node *n = lower_node(l, NODE_LOOP);
    n->step = 1;
    n->min = affine_const(0);
    if (n->depth >= MAX_LOOPS) {
        lower_give_up(l->e, "too many loops in one another");
        return NULL;
    }
    return n;
}

static bool lower_store_lane(struct lower *l, const struct ir_stmt *s)
{
    struct fx *value = lower_expr(l, s->u.store.value);
    struct access *a =
        value == NULL ? NULL
                      : lower_access(l, s->u.store.buffer, s->u.store.nindices,
                                     s->u.store.indices);
    if (a == NULL)
        return false;
    if (a->gather)
        return lower_give_up(l->e, "a store to a computed address");
    if (a->store->read_only)
        return lower_give_up(l->e, "a store to a constant");
    struct node *n = lower_node(l, NODE_STORE);
    n->access = a;
    n->value = value;
    return true;
}

/* One statement on vectors is a loop over its lanes, to be run in lanes. */
static bool lower_store(struct lower *l, const struct ir_stmt *s)
{
    uint32_t lanes = s->u.store.value->dtype.lanes;
    for (size_t i = 0; i < s->u.store.nindices; i++)
        if (s->u.store.indices[i]->dtype.lanes > 1)
            lanes = s->u.store.indices[i]->dtype.lanes;
    if (s->u.store.predicate != NULL)
        return lower_give_up(l->e, "a predicated store");
    if (lanes <= 1)
        return lower_store_lane(l, s);
    if (lanes > LANES || s->u.store.value->dtype.scalable)
        return lower_give_up(l->e, "a long vector");
    struct node *n = lower_loop_node(l);
    if (n == NULL)
        return false;
    n->extent = affine_const(lanes);
    n->trips = n->most = lanes;
    n->vector = true;
    n->atom = affine_atom_loop(l->e, n, 0, (int64_t)lanes - 1);
    struct node **tail = l->tail;
    l->tail = &n->body;
    l->loop = l->vector = n;
    bool ok = lower_store_lane(l, s);
    l->vector = NULL;
    l->loop = n->parent;
    l->tail = tail;
    return ok;
}

/* ---- loops ---------------------------------------------------------------------------- */

static bool loop_header(struct lower *l, const struct ir_stmt *s,
                        struct node *n)
{
    bool outer = l->data;
    struct affine step;
    l->data = false;
    bool ok = lower_affine(l, s->u.loop.min, &n->min);
    bool data = l->data;
    ok = ok && lower_affine(l, s->u.loop.extent, &n->extent);
    n->data = l->data;
    l->data = outer;
    if (!ok)
        return lower_give_up(l->e, "a loop with computed bounds");
    lower_cost(l, lower_expr_cost(s->u.loop.min));
    lower_cost(l, lower_expr_cost(s->u.loop.extent));
    if (s->u.loop.step != NULL) {
        if (!lower_affine(l, s->u.loop.step, &step) || step.n != 0 ||
            step.c <= 0 || l->data)
            return lower_give_up(l->e, "a loop with a computed step");
        lower_cost(l, lower_expr_cost(s->u.loop.step));
        n->step = step.c;
    }
    int64_t most = n->extent.hi > 0 ? (n->extent.hi - 1) / n->step + 1 : 0;
    n->most = most;
    n->trips = n->extent.n == 0 ? most : -1;
    if (n->trips < 0 && n->step != 1)
        return lower_give_up(l->e, "a loop with a step and computed bounds");
    int64_t last;
    if (__builtin_mul_overflow(most > 0 ? most - 1 : 0, n->step, &last) ||
        __builtin_add_overflow(n->min.hi, last, &last))
        return lower_give_up(l->e, "a loop variable that may overflow");
    unsigned flags = 0;
    (void)num_from_int(s->u.loop.var->dtype, last, &flags);
    if (flags & NUM_WRAPPED)
        return lower_give_up(l->e, "a loop variable that may overflow");
    n->atom = affine_atom_loop(l->e, n, n->min.lo, last);
    struct binding *b = lower_binding(l, s->u.loop.var);
    if (b == NULL)
        return lower_give_up(l->e, "a loop variable");
    b->kind = BOUND_AFFINE;
    b->at = affine_atom(l->e, n->atom);
    b->data = data;
    return true;
}

bool lower_moved(struct lower *l, const struct ir_stmt *s, bool make)
{
    const struct ir_plan_info *info = ir_plan_info(l->e->plan, s);
    bool ok = true;
    for (size_t i = 0; info != NULL && i < info->nmoved && ok; i++)
        if (make)
            ok = lower_alloc(l, info->moved[i], NULL);
        else
            unbind(l, info->moved[i]->data);
    return ok;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void loop_cost(struct lower *l, const struct node *n)
{
    lower_cost(l, times(n->cost, (uint64_t)n->trips));
    if (l->group != NULL &&
        __builtin_add_overflow(*l->group, times(n->group, (uint64_t)n->trips),
                               l->group))
        *l->group = UINT64_MAX;
}

static bool lower_loop(struct lower *l, const struct ir_stmt *s)
{
    enum ir_for_kind kind = s->u.loop.kind;
    if (kind == IR_FOR_THREAD)
        return lower_thread(l, s);
    struct node *n = lower_loop_node(l);
    if (n == NULL || !loop_header(l, s, n))
        return false;
    n->promise = kind == IR_FOR_PARALLEL || kind == IR_FOR_VECTORIZED;
    struct node **tail = l->tail;
    uint64_t *cost = l->cost;
    uint64_t *group = l->group;
    l->tail = &n->body;
    l->loop = n;
    l->cost = &n->cost;
    l->group = group != NULL ? &n->group : NULL;
    bool ok = lower_moved(l, s, true) && lower_stmt(l, s->u.loop.body);
    (void)lower_moved(l, s, false);
    lower_implicit_barrier(l, s, s);
    l->tail = tail;
    l->loop = n->parent;
    l->cost = cost;
    l->group = group;
    unbind(l, s->u.loop.var);
    n->dynamic_cost = n->trips < 0;
    if (!n->dynamic_cost)
        loop_cost(l, n);
    return ok;
}

/* ---- guards ---------------------------------------------------------------------------- */

typedef bool lower_part(struct lower *l, const void *what);

/* One arm of a guard: the node's body, or what runs otherwise. */
static bool lower_arm(struct lower *l, struct node *n, bool other,
                      lower_part *part, const void *what)
{
    struct node **tail = l->tail;
    uint64_t *cost = l->cost, *group = l->group;
    bool varies = lower_guard_varies(l, &n->guard);
    l->tail = other ? &n->other : &n->body;
    l->cost = other ? &n->guard.cost_else : &n->guard.cost_then;
    if (group != NULL)
        l->group = other ? &n->guard.group_else : &n->guard.group_then;
    l->varying += varies;
    bool ok = part(l, what);
    l->varying -= varies;
    l->tail = tail;
    l->cost = cost;
    l->group = group;
    return ok;
}

static bool part_stmt(struct lower *l, const void *what)
{
    return lower_stmt(l, what);
}

static bool lower_if(struct lower *l, const struct ir_stmt *s)
{
    struct guard g;
    if (!lower_guard(l, s->u.if_.cond, &g))
        return false;
    if (lower_guard_is_true(&g) && !g.data)
        return lower_stmt(l, s->u.if_.then_);
    struct node *n = lower_node(l, NODE_IF);
    n->guard = g;
    return lower_arm(l, n, false, part_stmt, s->u.if_.then_) &&
           (s->u.if_.else_ == NULL ||
            lower_arm(l, n, true, part_stmt, s->u.if_.else_));
}

/* ---- blocks (rule 1) ---------------------------------------------------------------------- */

static bool lower_init(struct lower *l, const struct ir_block *b)
{
    struct guard g;
    memset(&g, 0, sizeof g);
    g.conds = ARENA_ARRAY(l->e->arena, b->niters + 1, struct cond);
    for (size_t i = 0; i < b->niters; i++) {
        struct affine min;
        if (b->iters[i].type != IR_ITER_REDUCE || !b->iters[i].has_dom)
            continue;
        const struct binding *v = lower_binding(l, b->iters[i].var);
        struct cond *c = &g.conds[g.n++];
        bool outer = l->data;
        l->data = false;
        if (v == NULL || v->kind != BOUND_AFFINE ||
            !lower_affine(l, b->iters[i].dom.min, &min) ||
            !affine_sub(l->e, &v->at, &min, &c->at))
            return lower_give_up(l->e, "a computed block domain");
        g.data |= l->data | v->data;
        l->data = outer;
        c->kind = COND_EQ;
        c->cost = lower_expr_cost(b->iters[i].dom.min);
    }
    if (g.n == 0)
        return lower_stmt(l, b->init);
    struct node *n = lower_node(l, NODE_IF);
    n->guard = g;
    return lower_arm(l, n, false, part_stmt, b->init);
}

static bool lower_block_body(struct lower *l, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++)
        if (!l->e->plan->moved[b->allocs[i]->id] &&
            !lower_alloc(l, b->allocs[i], NULL))
            return false;
    bool ok = true;
    for (size_t i = 0; i < b->nmatches && ok; i++)
        ok = lower_match(l, &b->matches[i]);
    ok = ok && (b->init == NULL || lower_init(l, b));
    if (b->init != NULL)
        lower_implicit_barrier(l, NULL, b->body);
    ok = ok && lower_stmt(l, b->body);
    for (size_t i = 0; i < b->nmatches; i++)
        lower_unmatch(l, &b->matches[i]);
    for (size_t i = 0; i < b->nallocs; i++)
        if (!l->e->plan->moved[b->allocs[i]->id])
            unbind(l, b->allocs[i]->data);
    return ok;
}

static bool part_block(struct lower *l, const void *what)
{
    return lower_block_body(l, what);
}

static bool block_bindings(struct lower *l, const struct ir_block *b)
{
    struct binding *v = ARENA_ARRAY(l->e->arena, b->niters + 1, struct binding);
    for (size_t i = 0; i < b->niters; i++) {
        bool outer = l->data;
        l->data = false;
        if (!lower_affine(l, b->iter_values[i], &v[i].at))
            return lower_give_up(l->e, "a computed block binding");
        v[i].kind = BOUND_AFFINE;
        v[i].data = l->data;
        l->data = outer;
        lower_cost(l, lower_expr_cost(b->iter_values[i]));
    }
    for (size_t i = 0; i < b->niters; i++) {
        struct binding *to = lower_binding(l, b->iters[i].var);
        if (to == NULL)
            return lower_give_up(l->e, "a block iterator");
        *to = v[i];
    }
    return true;
}

static bool lower_block(struct lower *l, const struct ir_block *b)
{
    struct guard g;
    bool ok;
    memset(&g, 0, sizeof g);
    /* the predicate does not see the iterators */
    if ((!ir_is_true(b->predicate) && !lower_guard(l, b->predicate, &g)) ||
        !block_bindings(l, b))
        return false;
    if (lower_guard_is_true(&g) && !g.data) {
        ok = lower_block_body(l, b);
    } else {
        struct node *n = lower_node(l, NODE_IF);
        n->guard = g;
        ok = lower_arm(l, n, false, part_block, b);
    }
    for (size_t i = 0; i < b->niters; i++)
        unbind(l, b->iters[i].var);
    return ok;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static bool lower_assert(struct lower *l, const struct ir_stmt *s)
{
    struct guard g;
    if (!lower_guard(l, s->u.assert_.cond, &g))
        return false;
    return (lower_guard_is_true(&g) && !g.data) ||
           lower_give_up(l->e, "an assertion that is not plainly true");
}

static bool lower_attr(struct lower *l, const struct ir_stmt *s)
{
    if (ir_thread_axis(s, NULL))
        return lower_thread(l, s);
    if (strncmp(s->u.attr.key, "async_", 6) == 0)
        return lower_give_up(l->e, "a queue of asynchronous copies");
    return lower_stmt(l, s->u.attr.body);
}

static bool lower_evaluate(struct lower *l, const struct ir_stmt *s)
{
    struct affine a;
    bool known = false;
    if (s->u.value->kind == IR_CALL && !lower_collective(l, s->u.value, &known))
        return false;
    if (known)
        return true;
    if (!lower_affine(l, s->u.value, &a))
        return lower_give_up(l->e, s->u.value->kind == IR_CALL
                                       ? s->u.value->u.call.name
                                       : "an evaluated expression");
    lower_cost(l, lower_expr_cost(s->u.value));
    return true;
}

bool lower_stmt(struct lower *l, const struct ir_stmt *s)
{
    if (l->e->why != NULL)
        return false;
    lower_stmt_cost(l, s);
    switch (s->kind) {
    case IR_SEQ: return lower_seq(l, s);
    case IR_FOR: return lower_loop(l, s);
    case IR_IF: return lower_if(l, s);
    case IR_BIND: return lower_bind(l, s);
    case IR_ALLOC: return lower_alloc(l, s->u.alloc.buffer, NULL);
    case IR_ALLOC_CONST:
        if (s->u.alloc.data == NULL)
            break;
        return lower_alloc(l, s->u.alloc.buffer, s->u.alloc.data);
    case IR_DECL_BUFFER: return lower_decl(l, s);
    case IR_ATTR: return lower_attr(l, s);
    case IR_ASSERT: return lower_assert(l, s);
    case IR_EVALUATE: return lower_evaluate(l, s);
    case IR_STORE: return lower_store(l, s);
    case IR_BLOCK: return lower_block(l, s->u.block);
    default: break;
    }
    return lower_give_up(l->e, ir_stmt_kind_name(s->kind));
}

bool lower_function(struct engine *e)
{
    struct lower l;
    memset(&l, 0, sizeof l);
    if (e->func->prim.body->size > MAX_TREE)
        return lower_give_up(e, "the function is too large");
    if (e->plan->launches)
        return lower_give_up(e, "a kernel that begins outside of its threads");
    l.e = e;
    l.vars = ARENA_ARRAY(e->arena, e->plan->nvars + 1, struct binding);
    l.views = ARENA_ARRAY(e->arena, e->plan->nbuffers + 1, struct fast_view *);
    l.tail = &e->top;
    l.cost = &e->cost;
    return lower_args(&l) && lower_stmt(&l, e->func->prim.body);
}
