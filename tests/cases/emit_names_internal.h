/* SPDX-License-Identifier: Apache-2.0
 *
 * Names are no identity: one name for all variables and buffers of a module,
 * which is the same program as before.
 */
#ifndef DC_TESTS_EMIT_NAMES_H
#define DC_TESTS_EMIT_NAMES_H

#include "ir/ir.h"

static inline void rename_buffer(struct ir_buffer *b)
{
    b->name = b->data->name = "x";
}

static inline bool rename_stmt(void *user, struct ir_stmt *s)
{
    (void)user;
    if (s->kind == IR_FOR)
        s->u.loop.var->name = "x";
    else if (s->kind == IR_BIND)
        s->u.bind.var->name = "x";
    else if (s->kind == IR_STORE)
        rename_buffer(s->u.store.buffer);
    else if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        rename_buffer(s->u.alloc.buffer);
    else if (s->kind == IR_DECL_BUFFER)
        rename_buffer(s->u.decl.buffer);
    else if (s->kind == IR_BLOCK) {
        for (size_t i = 0; i < s->u.block->niters; i++)
            s->u.block->iters[i].var->name = "x";
        for (size_t i = 0; i < s->u.block->nallocs; i++)
            rename_buffer(s->u.block->allocs[i]);
        for (size_t i = 0; i < s->u.block->nmatches; i++)
            rename_buffer(s->u.block->matches[i].buffer);
    }
    return true;
}

static inline bool rename_expr(void *user, struct ir_expr *e)
{
    (void)user;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        rename_buffer(e->u.buffer);
    else if (e->kind == IR_VAR_REF || e->kind == IR_LET)
        e->u.var->name = "x";
    return true;
}

static inline void emit_rename_all(struct ir_module *module)
{
    struct ir_visitor v = {rename_stmt, rename_expr, NULL};

    for (size_t i = 0; i < module->nfuncs; i++) {
        struct ir_func *f = module->funcs[i];

        if (f->kind != IR_FUNC_PRIM || !f->prim.body)
            continue;
        for (size_t k = 0; k < f->prim.nparams; k++) {
            f->prim.params[k].var->name = "x";
            if (f->prim.params[k].buffer)
                rename_buffer(f->prim.params[k].buffer);
        }
        ir_visit_stmt(&v, f->prim.body);
    }
}

#endif
