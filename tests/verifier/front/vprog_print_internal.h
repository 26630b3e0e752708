/* SPDX-License-Identifier: Apache-2.0
 *
 * A vprog as text, for people: storages, then a line for each loop, let and
 * guard around a store and for the store itself.
 */
#ifndef DC_TESTS_VERIFIER_FRONT_VPROG_PRINT_INTERNAL_H
#define DC_TESTS_VERIFIER_FRONT_VPROG_PRINT_INTERNAL_H

#include "verifier/front/program.h"

static void put_loops(struct buf *out, size_t n, struct vloop *const *loops)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", loops[i]->var->name);
}

static void put_storage(struct buf *out, const struct vstorage *s)
{
    char type[48];
    buf_printf(out, "storage %u %s %s[", (unsigned)s->id, s->buffer->name,
               dtype_name(s->buffer->dtype, type));
    for (size_t d = 0; d < s->buffer->rank; d++) {
        if (d > 0)
            buf_puts(out, ", ");
        ir_print_expr(s->buffer->shape[d], out);
    }
    buf_printf(out, "] %s", s->buffer->scope);
    if (s->param >= 0)
        buf_printf(out, " param %d", s->param);
    if (s->nprivate > 0) {
        buf_puts(out, " private to ");
        put_loops(out, s->nprivate, s->privates);
    }
    buf_printf(out, "%s\n", s->written ? "" : " read only");
}

static void put_steps(struct buf *out, size_t n, const struct vstep *steps)
{
    buf_puts(out, " @(");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_puts(out, ", ");
        if (steps[i].loop != NULL)
            buf_puts(out, steps[i].loop->var->name);
        else
            buf_printf(out, "%u", (unsigned)steps[i].pos);
    }
    buf_putc(out, ')');
}

static void put_scopes(struct buf *out, size_t n, const struct vscope *scopes)
{
    for (size_t i = 0; i < n; i++) {
        const struct vscope *s = &scopes[i];
        buf_puts(out, "  ");
        if (s->kind == VSCOPE_LOOP) {
            buf_printf(out, "for %s in ", s->loop->var->name);
            ir_print_expr(s->loop->min, out);
            buf_puts(out, " .. + ");
            ir_print_expr(s->loop->extent, out);
            buf_printf(out, " %s%s%s",
                       s->loop->tag != NULL ? s->loop->tag
                                            : ir_for_kind_name(s->loop->kind),
                       s->loop->lanes ? " lanes" : "",
                       s->loop->unordered ? " unordered" : "");
        } else if (s->kind == VSCOPE_LET) {
            buf_printf(out, "let %s = ", s->var->name);
            ir_print_expr(s->value, out);
            put_steps(out, s->nsteps, s->steps);
        } else {
            buf_puts(out, s->negated ? "unless " : "if ");
            ir_print_expr(s->value, out);
            put_steps(out, s->nsteps, s->steps);
        }
        buf_putc(out, '\n');
    }
}

static void put_store(struct buf *out, const struct vstore *s)
{
    buf_printf(out, "store %u%s%s%s%s%s\n", (unsigned)s->id,
               s->name != NULL ? " of " : "", s->name != NULL ? s->name : "",
               s->init ? " init" : "", s->atomic ? " atomic" : "",
               s->async ? " async" : "");
    put_scopes(out, s->nscopes, s->scopes);
    buf_printf(out, "  %s[", s->target->buffer->name);
    for (size_t i = 0; i < s->nindex; i++) {
        if (i > 0)
            buf_puts(out, ", ");
        ir_print_expr(s->index[i], out);
    }
    buf_puts(out, "] = ");
    ir_print_expr(s->value, out);
    put_steps(out, s->nsteps, s->steps);
    buf_putc(out, '\n');
}

static void vprog_print(const struct vprog *p, struct buf *out)
{
    if (p->unsupported != NULL) {
        buf_printf(out, "unsupported: %s (line %u, column %u)\n",
                   p->unsupported, (unsigned)p->unsupported_pos.line,
                   (unsigned)p->unsupported_pos.col);
        return;
    }
    for (size_t i = 0; i < p->nstorages; i++)
        put_storage(out, p->storages[i]);
    for (size_t i = 0; i < p->nstores; i++)
        put_store(out, p->stores[i]);
    for (size_t i = 0; i < p->nasserts; i++) {
        buf_puts(out, "assert\n");
        put_scopes(out, p->asserts[i]->nscopes, p->asserts[i]->scopes);
        buf_puts(out, "  ");
        ir_print_expr(p->asserts[i]->cond, out);
        put_steps(out, p->asserts[i]->nsteps, p->asserts[i]->steps);
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < p->nbarriers; i++) {
        buf_printf(out, "barrier %s\n", p->barriers[i]->scope);
        put_scopes(out, p->barriers[i]->nscopes, p->barriers[i]->scopes);
        put_steps(out, p->barriers[i]->nsteps, p->barriers[i]->steps);
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < p->ngroups; i++) {
        buf_puts(out, p->groups[i]->pending == NULL ? "commit" : "wait ");
        if (p->groups[i]->pending != NULL)
            ir_print_expr(p->groups[i]->pending, out);
        buf_putc(out, '\n');
        put_scopes(out, p->groups[i]->nscopes, p->groups[i]->scopes);
        put_steps(out, p->groups[i]->nsteps, p->groups[i]->steps);
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < p->nevals; i++) {
        buf_puts(out, "evaluate\n");
        put_scopes(out, p->evals[i]->nscopes, p->evals[i]->scopes);
        buf_puts(out, "  ");
        ir_print_expr(p->evals[i]->value, out);
        buf_putc(out, '\n');
    }
}

#endif
