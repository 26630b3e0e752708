/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs over shared storage as modules: parameters, views, loop nests one
 * after the other, or all of them in one launch with barriers between.
 */
#include "fuzz/ints/ints_stride.h"

struct writer {
    const struct prog *p;
    struct ir_module *m;
    struct ir_buffer *views[MAX_VIEWS];
    struct ir_stmt *items[MAX_VIEWS + 3 * MAX_NESTS];
    size_t n;
    struct ir_var *thread;
};

static struct ir_expr *index_of(struct writer *w, int64_t v)
{
    return ir_int(w->m, DTYPE_INT32, v);
}

static struct ir_expr *sum(struct writer *w, struct ir_expr *a,
                           struct ir_expr *b)
{
    return a == NULL ? b : b == NULL ? a : ir_binary(w->m, IR_ADD, a, b);
}

static struct ir_expr *times(struct writer *w, int64_t k, struct ir_expr *e)
{
    if (k == 0)
        return NULL;
    return k == 1 ? e : ir_binary(w->m, IR_MUL, e, ir_int(w->m, e->dtype, k));
}

static struct ir_expr *linear(struct writer *w, const struct affine *a,
                              struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *e = times(w, a->x, i);
    if (j != NULL)
        e = sum(w, e, times(w, a->y, j));
    if (a->c != 0 || e == NULL)
        e = sum(w, e, ir_int(w->m, i->dtype, a->c));
    return e;
}

/* The sum in its type, as an int32. */
static struct ir_expr *narrowed(struct writer *w, const struct affine *a,
                                struct ir_expr *i, struct ir_expr *j)
{
    struct dtype t = a->is_unsigned ? ints_uint(a->bits) : ints_int(a->bits);
    if (a->bits == 0)
        return linear(w, a, i, j);
    if (a->inside) {
        struct affine low = *a; /* coefficients are values of the type */
        low.c = (int64_t)ints_wrap(t, (uint64_t)a->c);
        low.x = (int64_t)ints_wrap(t, (uint64_t)a->x);
        low.y = (int64_t)ints_wrap(t, (uint64_t)a->y);
        i = ir_cast(w->m, t, i);
        j = j != NULL ? ir_cast(w->m, t, j) : NULL;
        return ir_cast(w->m, DTYPE_INT32, linear(w, &low, i, j));
    }
    struct ir_expr *e = linear(w, a, i, j);
    return ir_cast(w->m, DTYPE_INT32, ir_cast(w->m, t, e));
}

/* An index of a dimension of n. */
static struct ir_expr *affine_of(struct writer *w, const struct affine *a,
                                 int64_t n, struct ir_expr *i,
                                 struct ir_expr *j)
{
    struct ir_expr *e = narrowed(w, a, i, j);
    switch (a->bring) {
    case BRING_FLOORMOD: return ir_binary(w->m, IR_FLOORMOD, e, index_of(w, n));
    case BRING_TRUNCMOD: return ir_binary(w->m, IR_MOD, e, index_of(w, n));
    case BRING_MASK: return ir_binary(w->m, IR_BITAND, e, index_of(w, n - 1));
    case BRING_NOT:
    case NBRINGS: break;
    }
    return e;
}

static void make_view(struct writer *w, unsigned k, struct ir_var *data)
{
    const struct view *v = &w->p->views[k];
    struct ir_expr *shape[2], *strides[2];
    bool scratch = v->storage > 1;
    for (unsigned d = 0; d < v->rank; d++) {
        shape[d] = index_of(w, v->shape[d]);
        strides[d] = index_of(w, v->stride[d]);
    }
    char *name = v->storage == 0 && v->whole   ? arena_strdup(w->m->arena, "A")
                 : v->storage == 1 && v->whole ? arena_strdup(w->m->arena, "O")
                 : v->whole ? arena_printf(w->m->arena, "S%u", v->storage)
                            : arena_printf(w->m->arena, "V%u", k);
    struct ir_buffer *b =
        ir_buffer_make(w->m, name, w->p->t, v->rank, shape, data,
                       scratch && w->p->kernel ? "shared" : "global");
    if (v->strided) {
        b->nstrides = v->rank;
        b->strides =
            arena_memdup(w->m->arena, strides, v->rank * sizeof strides[0]);
    }
    if (v->offset != 0)
        b->elem_offset = index_of(w, v->offset);
    w->views[k] = b;
}

static void add(struct writer *w, struct ir_stmt *s)
{
    ir_stmt_seal(s);
    w->items[w->n++] = s;
}

static void declare(struct writer *w)
{
    for (unsigned k = 0; k < w->p->nviews; k++) {
        const struct view *v = &w->p->views[k];
        if (v->whole && v->storage > 1) {
            make_view(w, k, NULL);
            struct ir_stmt *s = ir_stmt_make(w->m, IR_ALLOC);
            s->u.alloc.buffer = w->views[k];
            add(w, s);
        } else if (!v->whole) {
            make_view(w, k, w->views[v->storage]->data);
            struct ir_stmt *s = ir_stmt_make(w->m, IR_DECL_BUFFER);
            s->u.decl.buffer = w->views[k];
            add(w, s);
        }
    }
}

static struct ir_expr *load_of(struct writer *w, const struct access *a,
                               struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *at[2];
    const struct view *v = &w->p->views[a->view];
    for (unsigned d = 0; d < v->rank; d++)
        at[d] = affine_of(w, &a->at[d], v->shape[d], i, j);
    return ir_load(w->m, w->views[a->view], v->rank, at, NULL);
}

static struct ir_stmt *point(struct writer *w, const struct nest *n,
                             struct ir_expr *i, struct ir_expr *j)
{
    struct ir_expr *at[2], *value = ir_int(w->m, w->p->t, n->value);
    const struct view *v = &w->p->views[n->to.view];
    if (n->reversed)
        i = ir_binary(w->m, IR_SUB, index_of(w, n->extent[0] - 1), i);
    if (n->nloads > 0)
        value = load_of(w, &n->from[0], i, j);
    if (n->nloads > 1)
        value = ir_binary(w->m, n->op, value, load_of(w, &n->from[1], i, j));
    for (unsigned d = 0; d < v->rank; d++)
        at[d] = affine_of(w, &n->to.at[d], v->shape[d], i, j);
    struct ir_stmt *s =
        ir_store(w->m, w->views[n->to.view], value, v->rank, at, NULL);
    if (!n->guarded)
        return s;
    struct ir_stmt *cond = ir_stmt_make(w->m, IR_IF);
    cond->u.if_.cond = ir_binary(w->m, IR_LT, narrowed(w, &n->guard, i, j),
                                 index_of(w, n->limit));
    cond->u.if_.then_ = s;
    ir_stmt_seal(cond);
    return cond;
}

static struct ir_stmt *loop_of(struct writer *w, struct ir_var *var,
                               struct ir_expr *extent, enum ir_for_kind kind,
                               struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(w->m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = index_of(w, 0);
    s->u.loop.extent = extent;
    s->u.loop.kind = kind;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *loop(struct writer *w, struct ir_var *var,
                            int64_t extent, enum ir_for_kind kind,
                            struct ir_stmt *body)
{
    return loop_of(w, var, index_of(w, extent), kind, body);
}

/* The loop over j, whose extent may depend on i. */
static struct ir_stmt *inner(struct writer *w, const struct nest *n,
                             struct ir_var *var, struct ir_expr *i,
                             struct ir_stmt *body)
{
    struct ir_expr *all = index_of(w, n->extent[1]), *e = all;
    const struct affine wraps = {
        .x = 100, .bits = 8, .is_unsigned = n->dependent == 4, .inside = true};
    switch (n->dependent) {
    case 0: break;
    case 1:
        e = ir_binary(w->m, IR_MIN, all,
                      ir_binary(w->m, IR_ADD, i, index_of(w, 1)));
        break;
    case 2: e = ir_binary(w->m, IR_SUB, all, i); break;
    default:
        e = ir_binary(w->m, IR_FLOORMOD, narrowed(w, &wraps, i, NULL),
                      index_of(w, n->extent[1] + 1));
        break;
    }
    return loop_of(w, var, e, IR_FOR_SERIAL, body);
}

static struct ir_stmt *written(struct writer *w, const struct nest *n)
{
    struct ir_var *vi = ir_var_make(w->m, "i", DTYPE_INT32);
    struct ir_var *vj = ir_var_make(w->m, "j", DTYPE_INT32);
    bool two = n->extent[1] > 0;
    struct ir_expr *i = ir_var_ref(w->m, vi);
    struct ir_expr *j = two ? ir_var_ref(w->m, vj) : NULL;
    struct ir_stmt *s = point(w, n, i, j);
    if (!two)
        return loop(w, vi, n->extent[0], n->kind, s);
    if (n->turned)
        return loop(w, vj, n->extent[1], n->kind,
                    loop(w, vi, n->extent[0], IR_FOR_SERIAL, s));
    return loop(w, vi, n->extent[0], n->kind, inner(w, n, vj, i, s));
}

/* Threads take every threads-th iteration of i. */
static struct ir_stmt *threaded(struct writer *w, const struct nest *n)
{
    struct ir_module *m = w->m;
    struct ir_var *vr = ir_var_make(m, "r", DTYPE_INT32);
    struct ir_var *vj = ir_var_make(m, "j", DTYPE_INT32);
    bool two = n->extent[1] > 0;
    int64_t threads = w->p->threads;
    int64_t rounds = (n->extent[0] + threads - 1) / threads;
    struct ir_expr *t = ir_var_ref(m, w->thread);
    struct ir_expr *i =
        rounds == 1 ? t : sum(w, times(w, threads, ir_var_ref(m, vr)), t);
    struct ir_stmt *s = point(w, n, i, two ? ir_var_ref(m, vj) : NULL);
    if (two)
        s = inner(w, n, vj, i, s);
    if (n->extent[0] % threads != 0) {
        struct ir_stmt *cond = ir_stmt_make(m, IR_IF);
        cond->u.if_.cond = ir_binary(m, IR_LT, i, index_of(w, n->extent[0]));
        cond->u.if_.then_ = s;
        ir_stmt_seal(cond);
        s = cond;
    }
    return rounds == 1 ? s : loop(w, vr, rounds, IR_FOR_SERIAL, s);
}

static struct ir_stmt *barrier(struct writer *w)
{
    struct ir_expr *scope = ir_string(w->m, "shared");
    return ir_evaluate(
        w->m, ir_call(w->m, DTYPE_INT32, "tirx.tvm_storage_sync", 1, &scope));
}

static struct ir_stmt *launch(struct writer *w, struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(w->m, IR_ATTR);
    struct ir_iter_var *iv = ARENA_NEW(w->m->arena, struct ir_iter_var);
    iv->var = w->thread;
    iv->has_dom = true;
    iv->dom.min = index_of(w, 0);
    iv->dom.extent = index_of(w, w->p->threads);
    iv->type = IR_ITER_THREAD;
    iv->thread_tag = "threadIdx.x";
    s->u.attr.node = ir_value_make(w->m, IR_V_ITER_VAR);
    s->u.attr.node->u.iter_var = iv;
    s->u.attr.key = "thread_extent";
    s->u.attr.value = iv->dom.extent;
    s->u.attr.body = body;
    ir_stmt_seal(s);
    return s;
}

static void write_nests(struct writer *w)
{
    bool first = true;
    for (unsigned k = 0; k < w->p->nnests; k++) {
        const struct nest *n = &w->p->nests[k];
        if (n->gone)
            continue;
        if (w->p->kernel && !first && k != w->p->barrier)
            add(w, barrier(w));
        first = false;
        add(w, w->p->kernel ? threaded(w, n) : written(w, n));
    }
}

struct ir_module *stride_write(const struct prog *p)
{
    struct writer w = {.p = p, .m = ir_module_new()};
    static const char *const keys[] = {"tirx.noalias"};
    struct ir_value *noalias = ir_value_bool(w.m, true);
    struct ir_func *f = ARENA_NEW(w.m->arena, struct ir_func);
    w.m->source = "generated";
    f->kind = IR_FUNC_PRIM;
    f->name = "main";
    f->attrs = ir_value_map(w.m, 1, keys, &noalias);
    f->prim.params = ARENA_ARRAY(w.m->arena, 2, struct ir_param);
    for (unsigned k = 0; k < 2; k++) {
        make_view(&w, k, NULL);
        f->prim.params[k].var =
            ir_var_make(w.m, k == 0 ? "a" : "o", DTYPE_HANDLE);
        f->prim.params[k].buffer = w.views[k];
    }
    f->prim.nparams = 2;
    w.thread = ir_var_make(w.m, "tx", DTYPE_INT32);
    declare(&w);
    write_nests(&w);
    f->prim.body = w.n == 1 ? w.items[0] : ir_seq(w.m, w.n, w.items);
    if (p->kernel)
        f->prim.body = launch(&w, f->prim.body);
    if (!ir_module_add(w.m, f))
        DC_BUG("a new module already has a function");
    return w.m;
}
