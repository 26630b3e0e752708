/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a Relax function off into calls of PrimFuncs, as the interpreter would
 * make them: arguments, then outputs, then symbolic sizes. Calls of other
 * Relax functions of the module are put in their place, where arguments are of
 * the types that they declare (a run checks it). Operators that are not
 * legalised, conditions, closures, match_casts make it `unsupported`.
 */
#include "ir/base/limits.h"
#include "verifier/relax/chain.h"

#include <string.h>

#define MAX_CALLS  4096u /* in one function */
#define MAX_INLINE 32u   /* nested calls of Relax functions */
#define MAX_NESTED 4000u /* expressions in one another */
/* Expressions evaluated and values looked at, each as often as it occurs. */
#define MAX_STEPS 1000000u

struct reading {
    struct chain *out;
    struct VEC(struct chain_value *) vars;     /* by rx_var id */
    struct VEC(struct chain_object *) objects; /* of tensor parameters */
    unsigned inlined, nested, steps;
};

DC_PRINTF(3, 4)
static void *refuse(struct reading *r, struct ir_pos pos, const char *fmt, ...)
{
    va_list args;
    if (r->out->unsupported != NULL)
        return NULL;
    va_start(args, fmt);
    r->out->unsupported = arena_vprintf(r->out->arena, fmt, args);
    va_end(args);
    r->out->unsupported_pos = pos;
    return NULL;
}

/* One more step of the work that functions and tuples in one another can
 * multiply; false when it is too much. */
static bool step(struct reading *r, struct ir_pos pos)
{
    if (r->steps < MAX_STEPS) {
        r->steps++;
        return true;
    }
    return refuse(r, pos, "more than %u steps", MAX_STEPS) != NULL;
}

/* ---- values ----------------------------------------------------------------- */

static struct chain_value *make(struct reading *r, enum chain_value_kind kind)
{
    struct chain_value *v = ARENA_NEW(r->out->arena, struct chain_value);
    v->kind = kind;
    return v;
}

static struct chain_value *make_tensor(struct reading *r,
                                       const struct chain_term *term)
{
    struct chain_value *v = make(r, CHAIN_TENSOR);
    v->object = ARENA_NEW(r->out->arena, struct chain_object);
    v->object->now = term;
    return v;
}

static void set_var(struct reading *r, const struct rx_var *var,
                    struct chain_value *v)
{
    while (r->vars.len <= var->id)
        vec_push(&r->vars, NULL);
    r->vars.items[var->id] = v;
}

/* A parameter of this type. */
static struct chain_value *make_param(struct reading *r, const char *name,
                                      const struct ir_type *t,
                                      struct ir_pos pos)
{
    struct arena *arena = r->out->arena;
    struct chain_value *v;
    if (t != NULL && t->kind == IR_TYPE_TENSOR) {
        struct chain_term *term = ARENA_NEW(arena, struct chain_term);
        term->kind = CHAIN_PARAM;
        term->number = r->objects.len;
        term->name = name;
        term->type = t;
        v = make_tensor(r, term);
        vec_push(&r->objects, v->object);
        return v;
    }
    if (t != NULL && t->kind == IR_TYPE_SHAPE && t->has_dims) {
        v = make(r, CHAIN_SHAPE);
        v->n = t->ndim < 0 ? 0 : (size_t)t->ndim;
        v->dims = t->dims;
        return v;
    }
    if (t != NULL && t->kind == IR_TYPE_TUPLE) {
        v = make(r, CHAIN_TUPLE);
        v->n = t->nfields;
        v->items = ARENA_ARRAY(arena, v->n + 1, struct chain_value *);
        for (size_t i = 0; i < v->n; i++) {
            v->items[i] = make_param(r, name, t->fields[i], pos);
            if (v->items[i] == NULL)
                return NULL;
        }
        return v;
    }
    return refuse(r, pos, "a parameter of this type");
}

/* ---- callees ---------------------------------------------------------------- */

static const struct chain_callee *
find_callee(struct reading *r, const struct ir_func *func, struct ir_pos pos)
{
    struct chain *c = r->out;
    for (size_t i = 0; i < c->callees.len; i++)
        if (c->callees.items[i]->func == func)
            return c->callees.items[i];
    struct chain_callee *callee = ARENA_NEW(c->arena, struct chain_callee);
    callee->func = func;
    callee->prog = vprog_make(c->module, func);
    vec_push(&c->callees, callee);
    if (callee->prog->unsupported != NULL)
        return refuse(r, pos, "'%s': %s", func->name,
                      callee->prog->unsupported);
    chain_find_steering(callee, c->options);
    for (size_t i = 0; i < callee->prog->nstores; i++)
        callee->atomic |= callee->prog->stores[i]->atomic;
    return callee;
}

/* ---- call_tir --------------------------------------------------------------- */

/* A call that is being put together. */
struct making {
    const struct chain_callee *callee;
    struct VEC(struct chain_arg) args;
    struct VEC(struct chain_object *) objects; /* NULL: no tensor */
};

static void push(struct making *m, struct chain_arg arg,
                 struct chain_object *object)
{
    vec_push(&m->args, arg);
    vec_push(&m->objects, object);
}

static bool push_value(struct reading *r, struct making *m,
                       const struct chain_value *v, struct ir_pos pos)
{
    if (!step(r, pos))
        return false;
    if (v->kind == CHAIN_TENSOR) {
        push(m, (struct chain_arg){.term = v->object->now}, v->object);
        return true;
    }
    if (v->kind == CHAIN_SCALAR) {
        push(m, (struct chain_arg){.scalar = v->scalar}, NULL);
        return true;
    }
    for (size_t i = 0; v->kind == CHAIN_TUPLE && i < v->n; i++)
        if (!push_value(r, m, v->items[i], pos))
            return false;
    if (v->kind != CHAIN_TUPLE)
        refuse(r, pos, "an argument that is neither tensor nor scalar");
    return v->kind == CHAIN_TUPLE;
}

/* A fresh output of one tensor type. */
static struct chain_value *push_output(struct reading *r, struct making *m,
                                       const struct ir_type *t,
                                       struct ir_pos pos)
{
    if (t->kind != IR_TYPE_TENSOR || !t->has_dims || t->dtype.code == DT_VOID)
        return refuse(r, pos, "an output of unknown type");
    struct chain_value *v = make_tensor(r, NULL);
    push(m, (struct chain_arg){.fresh = t}, v->object);
    return v;
}

/* Argument k of the call in place, or NULL: output i is fresh. */
static struct chain_value *in_place(const struct rx_expr *e, size_t i,
                                    const struct chain_value *in)
{
    const struct ir_value *list = ir_value_find(e->attrs, "inplace_indices");
    int64_t index = -1;
    if (list != NULL && list->kind == IR_V_ARRAY && i < list->n)
        (void)ir_value_as_int(list->items[i], &index);
    else if (list != NULL && list->kind == IR_V_SHAPE && i < list->n)
        index = list->u.ints[i];
    if (index < 0)
        return NULL;
    if (in->kind == CHAIN_TUPLE)
        return (uint64_t)index < in->n ? in->items[index] : NULL;
    return NULL;
}

static struct chain_value *push_outputs(struct reading *r, struct making *m,
                                        const struct rx_expr *e,
                                        const struct chain_value *in,
                                        bool inplace)
{
    const struct ir_type *t = e->type_args[0];
    bool many = t->kind == IR_TYPE_TUPLE;
    struct chain_value *out = make(r, CHAIN_TUPLE);
    out->n = many ? t->nfields : 1;
    out->items = ARENA_ARRAY(r->out->arena, out->n + 1, struct chain_value *);
    for (size_t i = 0; i < out->n; i++) {
        out->items[i] = inplace ? in_place(e, i, in) : NULL;
        if (out->items[i] == NULL)
            out->items[i] = push_output(r, m, many ? t->fields[i] : t, e->pos);
        if (out->items[i] == NULL)
            return NULL;
    }
    return many ? out : out->items[0];
}

static bool same_arg(const struct chain_arg *a, const struct chain_arg *b)
{
    if (a->fresh != NULL || b->fresh != NULL)
        return a->fresh != NULL && b->fresh != NULL &&
               chain_same_type(NULL, a->fresh, b->fresh);
    if (a->scalar != NULL && b->scalar != NULL)
        return chain_same_size(NULL, a->scalar, b->scalar);
    return a->term == b->term && a->scalar == b->scalar;
}

/* The same callee on the same contents gives the same again; with atomics, the
 * same but for an order, which no proof about them takes as known. */
static const struct chain_call *known_call(const struct chain *c,
                                           const struct making *m)
{
    const struct verifier_options *o = c->options;
    for (size_t i = c->calls.len; i-- > 0;) {
        const struct chain_call *old = c->calls.items[i];
        bool same = old->n == m->args.len &&
                    OBLIGED_CHAIN(o, "chain: a known call is of this callee",
                                  old->callee == m->callee);
        for (size_t k = 0; same && k < old->n; k++)
            same = OBLIGED_CHAIN(o, "chain: a known call was given the same",
                                 same_arg(&old->args[k], &m->args.items[k]));
        if (same)
            return old;
    }
    return NULL;
}

/* Whether the parameters are as many as the arguments and of their kinds, and
 * nothing that is written is another argument too. */
static bool fits(struct reading *r, const struct making *m, struct ir_pos pos)
{
    const struct vprog *p = m->callee->prog;
    const char *name = m->callee->func->name;
    if (m->args.len != p->nparams)
        return refuse(r, pos, "'%s' is given %zu arguments, expected %zu", name,
                      m->args.len, p->nparams) != NULL;
    for (size_t i = 0; i < p->nparams; i++) {
        const struct chain_object *o = m->objects.items[i];
        if ((p->params[i] == NULL) != (o == NULL))
            return refuse(r, pos, "argument %zu of '%s' is of another kind", i,
                          name) != NULL;
        bool once = true;
        for (size_t k = 0; o != NULL && k < p->nparams; k++)
            once &= k == i || m->objects.items[k] != o;
        if (!OBLIGED_CHAIN(r->out->options,
                           "chain: what is written is given once",
                           once || !p->params[i]->written))
            return refuse(r, pos, "'%s' writes a tensor that it is given twice",
                          name) != NULL;
    }
    return true;
}

static void add_call(struct reading *r, struct making *m, struct ir_pos pos)
{
    struct chain *c = r->out;
    const struct chain_call *call = known_call(c, m);
    if (call == NULL) {
        struct chain_call *made = ARENA_NEW(c->arena, struct chain_call);
        made->callee = m->callee;
        made->n = m->args.len;
        made->pos = pos;
        made->args = ARENA_ARRAY(c->arena, made->n + 1, struct chain_arg);
        made->after =
            ARENA_ARRAY(c->arena, made->n + 1, const struct chain_term *);
        for (size_t i = 0; i < made->n; i++) {
            const struct vstorage *s = m->callee->prog->params[i];
            made->args[i] = m->args.items[i];
            if (s == NULL || (!s->written && !made->args[i].fresh))
                continue;
            struct chain_term *t = ARENA_NEW(c->arena, struct chain_term);
            t->kind = CHAIN_OUTPUT;
            t->call = made;
            t->at = i;
            t->name = made->callee->func->name;
            t->type = made->args[i].fresh != NULL  ? made->args[i].fresh
                      : made->args[i].term != NULL ? made->args[i].term->type
                                                   : NULL;
            made->after[i] = t;
        }
        vec_push(&c->calls, made);
        call = made;
    }
    for (size_t i = 0; i < call->n; i++)
        if (call->after[i] != NULL)
            m->objects.items[i]->now = call->after[i];
}

static struct chain_value *eval(struct reading *r, const struct rx_expr *e);

static bool push_sizes(struct reading *r, struct making *m,
                       const struct chain_value *v, struct ir_pos pos)
{
    if (v->kind != CHAIN_SHAPE)
        return push_value(r, m, v, pos);
    for (size_t i = 0; i < v->n; i++)
        push(m, (struct chain_arg){.scalar = v->dims[i]}, NULL);
    return true;
}

static struct chain_value *call_tir(struct reading *r, const struct rx_expr *e,
                                    bool inplace)
{
    if (e->nitems < 2 || e->items[0]->kind != RX_GLOBAL || e->ntype_args < 1)
        return refuse(r, e->pos, "a call_tir of this form");
    const struct ir_func *func =
        ir_module_find(r->out->module, e->items[0]->text);
    if (func == NULL || func->kind != IR_FUNC_PRIM || !func->prim.body)
        return refuse(r, e->pos, "'%s' is no PrimFunc of the module",
                      e->items[0]->text);
    if (r->out->calls.len >= MAX_CALLS)
        return refuse(r, e->pos, "more than %u calls", MAX_CALLS);
    struct making m = {.callee = find_callee(r, func, e->pos)};
    struct chain_value *out = NULL, *sizes = NULL;
    const struct chain_value *in = m.callee ? eval(r, e->items[1]) : NULL;
    /* which may change what the arguments hold */
    if (in != NULL && e->nitems > 2 && (sizes = eval(r, e->items[2])) == NULL)
        in = NULL;
    if (in != NULL && push_value(r, &m, in, e->pos))
        out = push_outputs(r, &m, e, in, inplace);
    if (out != NULL && sizes != NULL && !push_sizes(r, &m, sizes, e->pos))
        out = NULL;
    if (out != NULL && fits(r, &m, e->pos))
        add_call(r, &m, e->pos);
    else
        out = NULL;
    vec_fini(&m.args);
    vec_fini(&m.objects);
    return out;
}

/* ---- expressions ------------------------------------------------------------ */

/* The sizes that the types of a function's parameters bind. */
struct sizes {
    struct reading *reading;
    struct ir_pos pos;
    struct VEC(const struct ir_var *) vars;
    struct VEC(const struct ir_expr *) given;
};

static bool size_fits(struct sizes *s, const struct ir_expr *declared,
                      const struct ir_expr *given)
{
    int64_t n;
    if (declared->kind != IR_VAR_REF)
        return ir_const_int(declared, &n) &&
               chain_same_size(NULL, declared, given);
    for (size_t i = 0; i < s->vars.len; i++)
        if (s->vars.items[i] == declared->u.var)
            return chain_same_size(NULL, s->given.items[i], given);
    vec_push(&s->vars, declared->u.var);
    vec_push(&s->given, given);
    return true;
}

static bool dims_fit(struct sizes *s, const struct ir_type *t, size_t n,
                     struct ir_expr *const *dims)
{
    bool fine = t->ndim < 0 || (size_t)t->ndim == n;
    for (size_t i = 0; fine && t->has_dims && i < n; i++)
        fine = size_fits(s, t->dims[i], dims[i]);
    return fine;
}

static bool constant_fits(const struct ir_type *t, const struct ir_tensor *c)
{
    int64_t size;
    bool fine = (t->dtype.code == DT_VOID || dtype_equal(t->dtype, c->dtype)) &&
                (t->ndim < 0 || (size_t)t->ndim == c->rank);
    for (size_t i = 0; fine && t->has_dims && i < c->rank; i++)
        fine = ir_const_int(t->dims[i], &size) && size == c->shape[i];
    return fine;
}

static bool tensor_fits(struct sizes *s, const struct ir_type *t,
                        const struct chain_term *now)
{
    if (now->kind == CHAIN_CONSTANT)
        return constant_fits(t, now->constant);
    return now->type != NULL && now->type->has_dims &&
           (t->dtype.code == DT_VOID ||
            dtype_equal(t->dtype, now->type->dtype)) &&
           now->type->ndim >= 0 &&
           dims_fit(s, t, (size_t)now->type->ndim, now->type->dims);
}

/* Whether a run takes the value as one of the type: relax_match of the
 * interpreter, where sizes are expressions. */
static bool value_fits(struct sizes *s, const struct ir_type *t,
                       const struct chain_value *v)
{
    if (!step(s->reading, s->pos))
        return false;
    if (t == NULL || t->kind == IR_TYPE_NONE || t->kind == IR_TYPE_OBJECT)
        return true;
    if (t->kind == IR_TYPE_TENSOR && v->kind == CHAIN_TENSOR)
        return tensor_fits(s, t, v->object->now);
    if (t->kind == IR_TYPE_SHAPE && v->kind == CHAIN_SHAPE)
        return dims_fit(s, t, v->n, v->dims);
    if (t->kind == IR_TYPE_PRIM && v->kind == CHAIN_SCALAR)
        return t->prim_value == NULL || size_fits(s, t->prim_value, v->scalar);
    bool fine = t->kind == IR_TYPE_TUPLE && v->kind == CHAIN_TUPLE &&
                t->nfields == v->n;
    for (size_t i = 0; fine && i < v->n; i++)
        fine = value_fits(s, t->fields[i], v->items[i]);
    return fine;
}

static bool arguments_fit(struct reading *r, const struct rx_func *func,
                          struct chain_value *const *args, struct ir_pos pos)
{
    struct sizes s = {.reading = r, .pos = pos};
    bool fine = true;
    for (size_t i = 0; fine && i < func->nparams; i++)
        fine = value_fits(&s, func->params[i]->type, args[i]);
    vec_fini(&s.vars);
    vec_fini(&s.given);
    return fine;
}

static struct chain_value *call_function(struct reading *r,
                                         const struct rx_func *func, size_t n,
                                         struct chain_value **args,
                                         struct ir_pos pos)
{
    if (func == NULL || func->body == NULL || func->nparams != n)
        return refuse(r, pos, "a call of a function without a body");
    if (r->inlined >= MAX_INLINE)
        return refuse(r, pos, "calls nested deeper than %u", MAX_INLINE);
    if (!OBLIGED_CHAIN(r->out->options, "chain: arguments are of their types",
                       arguments_fit(r, func, args, pos)))
        return refuse(r, pos,
                      "a call of a function whose parameters are not "
                      "of the types of its arguments");
    r->inlined++;
    for (size_t i = 0; i < n; i++)
        set_var(r, func->params[i], args[i]);
    struct chain_value *v = eval(r, func->body);
    r->inlined--;
    return v;
}

static struct chain_value *eval_call(struct reading *r, const struct rx_expr *e)
{
    const struct rx_expr *callee = e->callee;
    if (callee != NULL && callee->kind == RX_OP) {
        const char *name = callee->text;
        if (strcmp(name, "relax.call_tir") == 0)
            return call_tir(r, e, false);
        if (strcmp(name, "relax.call_tir_inplace") == 0)
            return call_tir(r, e, true);
        if (strcmp(name, "relax.hint_on_device") == 0 && e->nitems > 0)
            return eval(r, e->items[0]);
        return refuse(r, e->pos, "operator '%s'", name);
    }
    const struct ir_func *f = callee != NULL && callee->kind == RX_GLOBAL
                                  ? ir_module_find(r->out->module, callee->text)
                                  : NULL;
    if (f == NULL || f->kind != IR_FUNC_RELAX)
        return refuse(r, e->pos, "a call of something else than call_tir");
    struct chain_value **args =
        ARENA_ARRAY(r->out->arena, e->nitems + 1, struct chain_value *);
    for (size_t i = 0; i < e->nitems; i++) {
        args[i] = eval(r, e->items[i]);
        if (args[i] == NULL)
            return NULL;
    }
    return call_function(r, f->relax, e->nitems, args, e->pos);
}

static struct chain_value *eval_seq(struct reading *r, const struct rx_expr *e)
{
    for (size_t i = 0; i < e->nblocks; i++)
        for (size_t j = 0; j < e->blocks[i].n; j++) {
            const struct rx_binding *b = &e->blocks[i].bindings[j];
            if (b->match_type != NULL)
                return refuse(r, e->pos, "a match_cast");
            struct chain_value *v = eval(r, b->value);
            if (v == NULL)
                return NULL;
            if (b->var != NULL)
                set_var(r, b->var, v);
        }
    return eval(r, e->items[0]);
}

static struct chain_value *eval_tuple(struct reading *r,
                                      const struct rx_expr *e)
{
    struct chain_value *v = make(r, CHAIN_TUPLE);
    v->n = e->nitems;
    v->items = ARENA_ARRAY(r->out->arena, v->n + 1, struct chain_value *);
    for (size_t i = 0; i < v->n; i++) {
        v->items[i] = eval(r, e->items[i]);
        if (v->items[i] == NULL)
            return NULL;
    }
    return v;
}

static struct chain_value *eval_get(struct reading *r, const struct rx_expr *e)
{
    struct chain_value *v = eval(r, e->items[0]);
    if (v == NULL)
        return NULL;
    if (v->kind != CHAIN_TUPLE || e->index < 0 || (uint64_t)e->index >= v->n)
        return refuse(r, e->pos, "a field of something that is no tuple");
    return v->items[e->index];
}

static struct chain_value *eval_kind(struct reading *r, const struct rx_expr *e)
{
    struct chain_value *v;
    struct chain_term *t;
    switch (e->kind) {
    case RX_VAR:
        v = e->var->id < r->vars.len ? r->vars.items[e->var->id] : NULL;
        return v ? v : refuse(r, e->pos, "variable '%s'", e->var->name);
    case RX_CONSTANT:
        t = ARENA_NEW(r->out->arena, struct chain_term);
        t->kind = CHAIN_CONSTANT;
        t->name = "constant";
        t->constant = e->tensor;
        return e->tensor ? make_tensor(r, t)
                         : refuse(r, e->pos, "a constant without contents");
    case RX_SHAPE:
        v = make(r, CHAIN_SHAPE);
        v->n = e->ndims;
        v->dims = e->dims;
        return v;
    case RX_TUPLE: return eval_tuple(r, e);
    case RX_TUPLE_GET: return eval_get(r, e);
    case RX_CALL: return eval_call(r, e);
    case RX_SEQ: return eval_seq(r, e);
    case RX_PRIM_VALUE:
        v = make(r, CHAIN_SCALAR);
        v->scalar = e->prim;
        return e->prim ? v : refuse(r, e->pos, "a scalar without a value");
    case RX_IF: return refuse(r, e->pos, "a condition between calls");
    case RX_FUNCTION: return refuse(r, e->pos, "a closure");
    case RX_STRING:
    case RX_DTYPE:
    case RX_GLOBAL:
    case RX_EXTERN:
    case RX_OP: return make(r, CHAIN_NOTHING);
    }
    return NULL;
}

static struct chain_value *eval(struct reading *r, const struct rx_expr *e)
{
    if (r->out->unsupported != NULL)
        return NULL;
    if (!step(r, e->pos))
        return NULL;
    if (r->nested >= MAX_NESTED)
        return refuse(r, e->pos, "expressions nested too deeply");
    r->nested++;
    struct chain_value *v = eval_kind(r, e);
    r->nested--;
    return v;
}

/* ---- entry ------------------------------------------------------------------ */

static void collect(struct reading *r, const struct chain_value *v)
{
    struct chain *c = r->out;
    if (!step(r, c->func->pos))
        return;
    switch (v->kind) {
    case CHAIN_TENSOR:
        vec_push(&c->results, (struct chain_result){.term = v->object->now});
        return;
    case CHAIN_SCALAR:
        vec_push(&c->results, (struct chain_result){.scalar = v->scalar});
        return;
    case CHAIN_SHAPE:
        vec_push(&c->results, (struct chain_result){.shape = v});
        return;
    case CHAIN_TUPLE:
        for (size_t i = 0; i < v->n && c->unsupported == NULL; i++)
            collect(r, v->items[i]);
        return;
    case CHAIN_NOTHING: break;
    }
    refuse(r, c->func->pos, "a result that is no tensor");
}

void chain_read(struct chain *out, const struct verifier_options *options,
                const struct ir_module *module, const struct ir_func *func,
                struct arena *arena)
{
    struct reading r = {.out = out};
    const struct rx_func *f = func->relax;
    *out = (struct chain){
        .options = options, .module = module, .func = func, .arena = arena};
    if (f == NULL || f->body == NULL) {
        refuse(&r, func->pos, "a function without a body");
        return;
    }
    for (size_t i = 0; i < f->nparams; i++)
        set_var(
            &r, f->params[i],
            make_param(&r, f->params[i]->name, f->params[i]->type, func->pos));
    const struct chain_value *v = eval(&r, f->body);
    if (v != NULL)
        collect(&r, v);
    out->nreturned = out->results.len;
    for (size_t i = 0; i < r.objects.len; i++)
        vec_push(&out->results,
                 (struct chain_result){.term = r.objects.items[i]->now});
    vec_fini(&r.vars);
    vec_fini(&r.objects);
}

void chain_fini(struct chain *c)
{
    for (size_t i = 0; i < c->callees.len; i++)
        vprog_free(c->callees.items[i]->prog);
    vec_fini(&c->callees);
    vec_fini(&c->calls);
    vec_fini(&c->results);
}
