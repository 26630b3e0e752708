/* SPDX-License-Identifier: Apache-2.0
 *
 * transform_layout: a buffer gets another layout, and with it all its accesses
 * other indices. A parameter changes too: the caller then has to pass it in
 * the new layout, as TVM has it.
 *
 * Legal where the index map is one to one over the buffer's shape. Where the
 * new layout has more elements a pad value is needed, of the buffer's type and
 * without loads; those elements then hold it (schedule/padding.c).
 * Stricter than TVM (s_tir/schedule/primitive/layout_transformation.cc): all
 * accesses in the function count, not those within the block's scope alone;
 * views of the buffer and pointers to it are refused, since TVM leaves views
 * the indices they had; an inverse that the map brings along is not believed,
 * nor is assume_injective_transform: what cannot be shown is refused.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct transform {
    struct schedule *s;
    struct sched_path path; /* to the block, then to what defines the buffer */
    struct ir_buffer *from, *to;
    size_t param; /* that has the buffer; or their number: none */
    struct sched_layout layout;
    struct sched_fill fill; /* value NULL: none is given */
};

/* ---- arguments ------------------------------------------------------------- */

/* path: to the block whose buffer it is, or to the root. */
static bool find_definition(struct transform *t)
{
    const struct ir_prim_func *f = &t->s->func->prim;
    size_t at = t->path.n;
    while (at > 0 && (t->path.nodes[at - 1]->kind != IR_BLOCK ||
                      !sched_is_own(t->path.nodes[at - 1], t->from)))
        at--;
    t->param = f->nparams;
    if (at > 0) {
        t->path.n = at;
        return true;
    }
    t->path.n = 1;
    for (t->param = 0; t->param < f->nparams; t->param++)
        if (f->params[t->param].buffer == t->from)
            return true;
    return sched_illegal(t->s,
                         "buffer '%s' is neither a parameter nor allocated by "
                         "a block",
                         t->from->name);
}

static bool holds_memory(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD || e->kind == IR_BUFFER_REF ||
           (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype)) ||
           (e->kind == IR_CALL &&
            !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE));
}

static struct ir_expr *number(struct transform *t, double real, int64_t whole)
{
    struct dtype type = t->from->dtype;
    if (dtype_is_float(type))
        return ir_float(t->s->m, type, real);
    return (double)whole == real ? ir_int(t->s->m, type, whole) : NULL;
}

static struct ir_expr *constant(struct transform *t, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_V_BOOL: return number(t, v->u.boolean, v->u.boolean);
    case IR_V_INT: return number(t, (double)v->u.integer, v->u.integer);
    case IR_V_FLOAT:
        if (v->u.number > -1e15 && v->u.number < 1e15)
            return number(t, v->u.number, (int64_t)v->u.number);
        return dtype_is_float(t->from->dtype) ? number(t, v->u.number, 0)
                                              : NULL;
    case IR_V_EXPR: return v->u.expr;
    default: return NULL;
    }
}

static bool pad_value(struct transform *t, const struct schedule_arg *arg)
{
    struct sched_fill *f = &t->fill;
    if (arg->kind == SCHEDULE_NONE)
        return true;
    if (arg->kind == SCHEDULE_MAP) {
        if (arg->u.map->nout != 1)
            return sched_bad(t->s, "a pad value of %zu results",
                             arg->u.map->nout);
        f->nvars = arg->u.map->nvars;
        f->vars = arg->u.map->vars;
        f->value = arg->u.map->out[0];
    } else if (arg->kind == SCHEDULE_INT) {
        f->value = number(t, (double)arg->u.integer, arg->u.integer);
    } else if (arg->kind == SCHEDULE_VALUE && arg->u.value) {
        f->value = constant(t, arg->u.value);
    }
    if (!f->value)
        return sched_bad(t->s, "expected a pad value: a number, or an index "
                               "map with one result");
    if (f->nvars > 0 && f->nvars != t->layout.nout)
        return sched_bad(t->s, "the pad value takes %zu indices, not %zu",
                         f->nvars, t->layout.nout);
    if (!dtype_equal(f->value->dtype, t->from->dtype))
        return sched_bad(t->s,
                         "the pad value is not of the type of buffer "
                         "'%s'",
                         t->from->name);
    return sched_require(t->s, !ir_expr_any(f->value, holds_memory, NULL),
                         "the pad value depends on memory");
}

/* ---- doing it -------------------------------------------------------------- */

static void new_indices(void *user, const struct sched_env *env,
                        struct ir_expr *const *old, struct ir_expr **out)
{
    struct transform *t = user;
    sched_layout_apply(t->s, env, &t->layout, old, out);
}

static bool finish(struct transform *t)
{
    struct schedule *s = t->s;
    struct ir_prim_func *f = &s->func->prim;
    struct sched_access access = {s, t->from, t->to, new_indices, t};
    struct ir_stmt *scope = sched_path_end(&t->path);
    struct ir_param *params = f->params;
    struct sched_env *env = dc_alloc(sizeof *env);
    if (t->layout.padding && t->fill.value)
        scope = sched_fill_padding(&t->fill, scope);
    sched_env_path(s, &t->path, env);
    scope = sched_access_map(&access, env, scope);
    dc_release(env);
    if (t->param < f->nparams) {
        params = arena_memdup(s->m->arena, params, f->nparams * sizeof *params);
        params[t->param].buffer = t->to;
        t->to->data->owner = t->to;
    }
    return sched_commit_params(s, sched_replace(s, &t->path, scope), params);
}

static bool is_bad(struct schedule *s)
{
    return sched_bad(s, "expected a block, a buffer, an index map, and perhaps "
                        "a pad value and whether the map may be taken to be "
                        "one to one");
}

/* What stands behind the buffer. */
static bool layout(struct transform *t, size_t nargs,
                   const struct schedule_arg *args)
{
    struct schedule *s = t->s;
    static const struct schedule_arg none = {.kind = SCHEDULE_NONE};
    if (nargs < 1 || nargs > 3 || args[0].kind != SCHEDULE_MAP)
        return is_bad(s);
    if (!sched_layout_make(s, args[0].u.map, t->from->rank, t->from->shape,
                           &t->layout) ||
        !pad_value(t, nargs > 1 ? &args[1] : &none))
        return false;
    return sched_require(s, !t->layout.padding || t->fill.value,
                         "the new layout of buffer '%s' has padding, for which "
                         "there is no pad value",
                         t->from->name);
}

static bool transform(struct transform *t, size_t nargs,
                      const struct schedule_arg *args)
{
    struct schedule *s = t->s;
    bool write;
    size_t index;
    if (!sched_find_block(s, args[0].u.ref, &t->path))
        return false;
    const struct ir_block *b = sched_path_end(&t->path)->u.block;
    size_t used = sched_arg_buffer(s, nargs - 1, &args[1], b, &write, &index);
    if (used == 0)
        return false;
    t->from = sched_claimed_buffer(b, write, index);
    if (!find_definition(t))
        return false;
    if (t->from->nseparators > 0 ||
        !sched_is_plain(sched_path_end(&t->path), t->from))
        return sched_unsupported(s,
                                 "buffer '%s' has strides, views, separators, "
                                 "or pointers to it",
                                 t->from->name);
    if (!layout(t, nargs - 1 - used, &args[1 + used]))
        return false;
    t->to = sched_buffer_shaped(s, t->from, t->from->name, NULL, t->layout.nout,
                                t->layout.shape);
    t->fill.s = s;
    t->fill.l = &t->layout;
    t->fill.from = t->from;
    t->fill.to = t->to;
    return finish(t);
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)out;
    *nout = 0;
    if (nargs < 1 || args[0].kind != SCHEDULE_REF)
        return is_bad(s);
    struct transform *t = dc_alloc(sizeof *t);
    t->s = s;
    bool good = transform(t, nargs, args);
    dc_release(t);
    return good;
}

extern const struct schedule_primitive primitive_transform_layout;
const struct schedule_primitive primitive_transform_layout = {
    .name = "transform_layout",
    .arguments = "block, buffer, index map, pad value or None, whether the map "
                 "may be taken to be one to one",
    .source = "layout_transformation.cc",
    .apply = apply,
};
