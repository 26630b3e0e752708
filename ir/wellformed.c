/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formedness: what every engine may rely on. One pass per function in
 * program order reports every fault it meets: operands of wrong types, wrong
 * numbers of operands and indices, literals out of range, names that are used
 * where they are not defined, thread extents that contradict each other.
 *
 * What TVM 0.27 writes is the measure: all its own modules pass, but for those
 * with free variables. So the parts that TVM itself does not look at, such as
 * the node of an attribute, are not checked.
 *
 * Scopes follow ir.h: a flat statement's name lasts to the end of the
 * enclosing sequence. Symbols in the shapes of parameters are bound by the
 * arguments, those in the strides and offset of a matched buffer by the match.
 */
#include "ir/base/limits.h"
#include "ir/wellformed_private.h"

#include <string.h>

/* ---- messages ------------------------------------------------------------ */

DC_PRINTF(5, 0)
static void report(struct check *c, enum diag_severity severity,
                   struct ir_pos pos, const char *code, const char *fmt,
                   va_list args)
{
    struct diag_loc loc = {0};
    if (c->module)
        loc = ir_loc(c->module, pos, &c->scratch);
    (void)diag_report(c->sink, severity, loc, code, fmt, args);
}

void check_error(struct check *c, struct ir_pos pos, const char *code,
                 const char *fmt, ...)
{
    c->fine = false;
    if (!c->sink)
        return;
    va_list args;
    va_start(args, fmt);
    report(c, DIAG_ERROR, pos, code, fmt, args);
    va_end(args);
}

void check_warning(struct check *c, struct ir_pos pos, const char *code,
                   const char *fmt, ...)
{
    if (!c->sink)
        return;
    va_list args;
    va_start(args, fmt);
    report(c, DIAG_WARNING, pos, code, fmt, args);
    va_end(args);
}

/* ---- scopes -------------------------------------------------------------- */

static uint64_t state_of(const struct check *c, const void *object)
{
    const uint64_t *state = ptr_map_find(&c->state, object, NULL);
    return state ? *state : 0;
}

size_t check_scope_open(const struct check *c)
{
    return c->scope.len;
}

void check_scope_close(struct check *c, size_t mark)
{
    if (c->scope.len > mark)
        c->epoch++;
    while (c->scope.len > mark) {
        const void *object = c->scope.items[--c->scope.len];
        uint64_t state = state_of(c, object);
        ptr_map_put(&c->state, object, NULL, state & ~(uint64_t)CHECK_IN_SCOPE);
    }
}

bool check_in_scope(const struct check *c, const void *object)
{
    return state_of(c, object) & CHECK_IN_SCOPE;
}

void check_bind(struct check *c, const void *object)
{
    if (!object || check_in_scope(c, object))
        return;
    ptr_map_put(&c->state, object, NULL, state_of(c, object) | CHECK_IN_SCOPE);
    vec_push(&c->scope, object);
}

void check_define(struct check *c, const struct ir_var *var, struct ir_pos pos)
{
    if (check_in_scope(c, var))
        check_error(c, pos, "ir.redefinition",
                    "'%s' is defined again inside its own scope",
                    var->name ? var->name : "");
    check_bind(c, var);
}

void check_define_buffer(struct check *c, const struct ir_buffer *buffer)
{
    if (check_in_scope(c, buffer))
        check_error(c, buffer->pos, "ir.redefinition",
                    "buffer '%s' is defined again inside its own scope",
                    buffer->name ? buffer->name : "");
    check_bind(c, buffer);
    check_bind(c, buffer->data);
}

static bool report_once(struct check *c, const void *object)
{
    uint64_t state = state_of(c, object);
    if (state & CHECK_REPORTED)
        return false;
    ptr_map_put(&c->state, object, NULL, state | CHECK_REPORTED);
    return true;
}

void check_undefined(struct check *c, const void *object, const char *name,
                     struct ir_pos pos)
{
    if (!report_once(c, object))
        return;
    name = name ? name : "";
    vec_push(&c->undefined, name);
    check_error(c, pos, "ir.undefined-variable",
                "'%s' is used where it is not defined", name);
}

void check_use(struct check *c, const struct ir_var *var, struct ir_pos pos)
{
    if (!check_in_scope(c, var) && !c->any_var && !c->claims)
        check_undefined(c, var, var->name, pos);
}

/* Before 0.24 a buffer needs no declaration when its storage has one and a
 * statement uses it. */
void check_use_buffer(struct check *c, const struct ir_buffer *buffer,
                      struct ir_pos pos)
{
    if (check_in_scope(c, buffer) || c->claims ||
        (!c->any_var && buffer->data && check_in_scope(c, buffer->data)) ||
        !report_once(c, buffer))
        return;
    check_error(c, pos, "ir.undefined-buffer",
                "buffer '%s' is used where it is not defined",
                buffer->name ? buffer->name : "");
}

/* ---- functions ----------------------------------------------------------- */

static void bind_symbols(struct check *c, size_t n, struct ir_expr *const *list)
{
    for (size_t i = 0; i < n; i++)
        if (list[i]->kind == IR_VAR_REF)
            check_bind(c, list[i]->u.var);
}

static void check_params(struct check *c, const struct ir_prim_func *f,
                         struct ir_pos pos)
{
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_param *p = &f->params[i];
        if (p->var && !p->buffer)
            check_define(c, p->var, pos);
        else
            check_bind(c, p->var);
    }
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        if (!b)
            continue;
        check_define_buffer(c, b);
        bind_symbols(c, b->rank, b->shape);
        bind_symbols(c, b->nstrides, b->strides);
        if (b->elem_offset)
            bind_symbols(c, 1, &b->elem_offset);
    }
    for (size_t i = 0; i < f->nparams; i++)
        if (f->params[i].buffer)
            check_layout(c, f->params[i].buffer);
}

static void check_func(struct check *c, const struct ir_func *f)
{
    switch (f->kind) {
    case IR_FUNC_PRIM:
        check_params(c, &f->prim, f->pos);
        check_value(c, f->attrs, f->pos);
        check_stmt(c, f->prim.body);
        break;
    case IR_FUNC_RELAX:
        check_value(c, f->attrs, f->pos);
        if (f->relax)
            check_rx_func(c, f->relax);
        break;
    case IR_FUNC_EXTERN: break;
    }
}

static void check_fini(struct check *c)
{
    buf_fini(&c->scratch);
    ptr_map_fini(&c->state);
    ptr_map_fini(&c->seen);
    vec_fini(&c->scope);
    vec_fini(&c->undefined);
}

bool ir_wellformed(const struct ir_module *m, struct diag_sink *sink)
{
    bool fine = true;
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct check c = {.module = m, .sink = sink, .fine = true, .epoch = 1};
        check_func(&c, m->funcs[i]);
        fine = fine && c.fine;
        check_fini(&c);
    }
    return fine;
}

size_t ir_undefined_vars(const struct ir_func *f, struct arena *arena,
                         const char ***names)
{
    struct check c = {.fine = true, .epoch = 1};
    check_func(&c, f);
    size_t n = c.undefined.len;
    *names = ARENA_ARRAY(arena, n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        (*names)[i] = arena_strdup(arena, c.undefined.items[i]);
    check_fini(&c);
    return n;
}
