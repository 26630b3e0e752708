/* SPDX-License-Identifier: Apache-2.0
 *
 * A PrimFunc's result as an output. What a function returns is compared as
 * what it stores: a result that is more than the status code 0 goes into a
 * further parameter, a buffer of one element, where the return stands. So all
 * engines see it, and none needs to know.
 */
#include "diff/input/input.h"
#include "ir/base/limits.h"

#include <string.h>

#define RETURNED "returned" /* the buffer's name */

struct returns {
    struct ir_module *m;
    struct dtype dtype; /* of all results; DT_VOID: none yet */
    bool results;       /* one of them is not the constant 0 */
    bool odd;           /* no two results have one type, or none is a number */
    struct ir_buffer *buffer;
};

static bool see_return(void *user, struct ir_stmt *s)
{
    struct returns *r = user;
    if (s->kind != IR_RETURN || s->u.value == NULL)
        return true;
    struct dtype t = s->u.value->dtype;
    r->results = r->results || !ir_is_const_int(s->u.value, 0);
    r->odd = r->odd || t.lanes != 1 || dtype_is_handle(t) ||
             t.code == DT_VOID ||
             (r->dtype.code != DT_VOID && !dtype_equal(t, r->dtype));
    r->dtype = t;
    return true;
}

/* The return becomes a store and a return of nothing, in its place. */
static bool store_return(void *user, struct ir_stmt *s)
{
    struct returns *r = user;
    if (s->kind != IR_RETURN || s->u.value == NULL)
        return true;
    struct ir_expr *zero = ir_int(r->m, DTYPE_INT32, 0);
    struct ir_stmt *both[2] = {
        ir_store(r->m, r->buffer, s->u.value, 1, &zero, NULL),
        ir_stmt_make(r->m, IR_RETURN)};
    both[0]->pos = both[1]->pos = s->pos;
    ir_stmt_seal(both[1]);
    struct ir_pos pos = s->pos;
    *s = *ir_seq(r->m, 2, both);
    s->pos = pos;
    return false;
}

/* ---- returns that nothing follows ------------------------------------------ */

static bool always_returns(const struct ir_stmt *s)
{
    switch ((int)s->kind) {
    case IR_RETURN: return true;
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            if (always_returns(s->u.seq.items[i]))
                return true;
        return false;
    case IR_IF:
        return s->u.if_.else_ != NULL && always_returns(s->u.if_.then_) &&
               always_returns(s->u.if_.else_);
    case IR_ATTR: return always_returns(s->u.attr.body);
    default: return false;
    }
}

/* What follows an if that returns is its other arm. */
static void make_arm(struct ir_module *m, struct ir_stmt *seq)
{
    for (size_t i = 0; i + 1 < seq->u.seq.n; i++) {
        struct ir_stmt *s = seq->u.seq.items[i];
        if (s->kind != IR_IF || s->u.if_.else_ != NULL ||
            !always_returns(s->u.if_.then_))
            continue;
        s->u.if_.else_ =
            ir_seq(m, seq->u.seq.n - i - 1, seq->u.seq.items + i + 1);
        seq->u.seq.n = i + 1;
        return;
    }
}

/* s is the last thing that the function does: a return there does nothing, and
 * nothing behind a return is done. */
static void drop_last(struct ir_module *m, struct ir_stmt *s)
{
    switch ((int)s->kind) {
    case IR_RETURN: {
        struct ir_pos pos = s->pos;
        *s = *ir_seq(m, 0, NULL);
        s->pos = pos;
        return;
    }
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            if (always_returns(s->u.seq.items[i]))
                s->u.seq.n = i + 1;
        make_arm(m, s);
        if (s->u.seq.n > 0)
            drop_last(m, s->u.seq.items[s->u.seq.n - 1]);
        break;
    case IR_IF:
        drop_last(m, s->u.if_.then_);
        if (s->u.if_.else_ != NULL)
            drop_last(m, s->u.if_.else_);
        break;
    case IR_ATTR: drop_last(m, s->u.attr.body); break;
    default: return;
    }
    ir_stmt_seal(s);
}

/* ---- functions ---------------------------------------------------------------- */

static void add_result(struct ir_module *m, struct ir_prim_func *prim,
                       struct returns *r)
{
    struct ir_visitor store = {store_return, NULL, r};
    struct ir_expr *one = ir_int(m, DTYPE_INT32, 1);
    struct ir_param *params =
        ARENA_ARRAY(m->arena, prim->nparams + 1, struct ir_param);
    r->m = m;
    r->buffer = ir_buffer_make(m, RETURNED, r->dtype, 1, &one, NULL, "global");
    ir_visit_stmt(&store, prim->body);
    drop_last(m, prim->body);
    memcpy(params, prim->params, prim->nparams * sizeof *params);
    params[prim->nparams].buffer = r->buffer;
    params[prim->nparams].var = r->buffer->data;
    prim->params = params;
    prim->nparams++;
    prim->ret_type = NULL;
}

static void look_for_results(const struct ir_prim_func *prim,
                             struct returns *out)
{
    struct ir_visitor v = {see_return, NULL, out};
    *out = (struct returns){.dtype = DTYPE_VOID};
    ir_visit_stmt(&v, prim->body);
}

void diff_store_returned(struct ir_module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_RELAX)
            return; /* whose calls give as many arguments as there are */
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        struct returns r;
        if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL ||
            diff_is_called(m, f))
            continue;
        look_for_results(&f->prim, &r);
        if (r.results && !r.odd)
            add_result(m, &f->prim, &r);
    }
}

/* A parameter that TVM has goes by a variable of its own, not the buffer's. */
bool diff_is_returned(const struct ir_param *p)
{
    return p->buffer && p->var == p->buffer->data &&
           strcmp(p->buffer->name, RETURNED) == 0;
}

bool diff_returns_other(const struct ir_func *f)
{
    struct returns r;
    if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL)
        return false;
    look_for_results(&f->prim, &r);
    return r.results;
}
