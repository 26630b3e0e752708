/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops: range, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding
 * and T.grid. A loop variable takes the wider type of its bounds, a constant
 * bound follows it; the extent of (start, stop) is their simplified difference.
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- loops -------------------------------------------------------------- */

struct loop_spec {
    enum ir_for_kind kind;
    struct ir_expr *min, *extent, *step;
    struct ir_value *annotations;
    const char *thread; /* of T.thread_binding */
};

static bool loop_kind(const char *name, enum ir_for_kind *out)
{
    static const struct {
        const char *name;
        enum ir_for_kind kind;
    } kinds[] = {
        {"range", IR_FOR_SERIAL},          {"serial", IR_FOR_SERIAL},
        {"grid", IR_FOR_SERIAL},           {"parallel", IR_FOR_PARALLEL},
        {"vectorized", IR_FOR_VECTORIZED}, {"unroll", IR_FOR_UNROLLED},
        {"unrolled", IR_FOR_UNROLLED},     {"thread_binding", IR_FOR_THREAD}};
    for (size_t i = 0; i < DC_ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *out = kinds[i].kind;
            return true;
        }
    }
    return false;
}

/* Gives the wider type to constants of the narrower one. */
static void widen_bounds(struct script *s, struct ir_expr **a,
                         struct ir_expr **b)
{
    if ((*a)->dtype.bits == (*b)->dtype.bits)
        return;
    struct ir_expr **narrow = (*a)->dtype.bits < (*b)->dtype.bits ? a : b;
    struct dtype t = narrow == a ? (*b)->dtype : (*a)->dtype;
    if ((*narrow)->kind == IR_INT_IMM)
        *narrow = script_cast(s, t, *narrow);
}

/* unroll=… of T.serial: sugar for an annotation. */
static struct ir_value *unroll_annotation(struct script *s,
                                          const struct sv_call *c,
                                          struct ir_value *annotations)
{
    struct sv *v = script_arg(c, SIZE_MAX, "unroll");
    if (!v)
        return annotations;
    size_t n = annotations ? annotations->n : 0;
    const char **keys = ARENA_ARRAY(s->m->arena, n + 1, const char *);
    struct ir_value **items =
        ARENA_ARRAY(s->m->arena, n + 1, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        keys[i] = annotations->keys[i];
        items[i] = annotations->items[i];
    }
    bool off = v->kind == SV_BOOL && !v->u.boolean;
    keys[n] = off ? "disable_unroll" : "pragma_unroll";
    items[n] = off ? ir_value_bool(s->m, true) : script_value_of(s, v);
    return items[n] ? ir_value_map(s->m, n + 1, keys, items) : NULL;
}

/* T.serial(start, stop), T.serial(stop), T.thread_binding(stop, "tag"), … */
static bool read_loop(struct script *s, const struct sv_call *c,
                      struct loop_spec *spec)
{
    struct sv *start = script_arg(c, 0, "start");
    struct sv *stop = script_arg(c, 1, "stop");
    struct sv *thread = script_arg(c, 2, "thread");
    bool is_range = strcmp(c->name, "range") == 0;
    struct sv *step = script_arg(c, is_range ? 2 : SIZE_MAX, "step");
    if (spec->kind == IR_FOR_THREAD && stop && stop->kind == SV_STRING) {
        thread = stop;
        stop = NULL;
    }
    struct ir_expr *from = start ? script_index_of(s, start) : NULL;
    if (!from) {
        script_fail(s, c->pos, "script.type",
                    "'%s' takes the bounds of the loop", c->name);
        return false;
    }
    struct ir_expr *to = stop ? script_index_of(s, stop) : from;
    if (!stop)
        from = ir_int(s->m, to->dtype, 0);
    if (!to)
        return false;
    widen_bounds(s, &from, &to);
    spec->min = from;
    spec->extent = script_difference(s, to, from);
    spec->step = step ? script_expr_as(s, step, from->dtype) : NULL;
    spec->annotations = unroll_annotation(
        s, c, script_map_of(s, script_arg(c, SIZE_MAX, "annotations")));
    if (spec->kind == IR_FOR_THREAD) {
        spec->thread = thread ? script_string_of(s, thread) : NULL;
        if (!spec->thread)
            script_fail(s, c->pos, "script.type",
                        "'T.thread_binding' needs a thread tag");
    }
    if (spec->step && ir_is_const_int(spec->step, 1))
        spec->step = NULL;
    return !s->failed && spec->extent;
}

/* One extent of T.grid: n, or (start, extent). */
static bool read_grid(struct script *s, struct sv *v, struct loop_spec *spec)
{
    struct sv *const *items;
    size_t n = script_items(v, &items);
    spec->kind = IR_FOR_SERIAL;
    if (n == 2) {
        spec->min = script_index_of(s, items[0]);
        spec->extent = script_index_of(s, items[1]);
        if (spec->min && spec->extent)
            widen_bounds(s, &spec->min, &spec->extent);
        return spec->min && spec->extent;
    }
    spec->extent = script_index_of(s, v);
    if (!spec->extent)
        return false;
    spec->min = ir_int(s->m, spec->extent->dtype, 0);
    return true;
}

static struct ir_iter_var *thread_iter(struct script *s, const char *tag,
                                       struct dtype t)
{
    struct ir_iter_var *iv = ARENA_NEW(s->m->arena, struct ir_iter_var);
    iv->var = ir_var_make(s->m, tag, t);
    iv->type = IR_ITER_THREAD;
    iv->thread_tag = tag;
    return iv;
}

static struct ir_stmt *wrap_loop(struct script *s, const struct loop_spec *spec,
                                 struct ir_var *var, struct ir_stmt *body,
                                 struct ir_pos pos)
{
    struct ir_stmt *loop = ir_stmt_make(s->m, IR_FOR);
    loop->u.loop.var = var;
    loop->u.loop.min = spec->min;
    loop->u.loop.extent = spec->extent;
    loop->u.loop.step = spec->step;
    loop->u.loop.kind = spec->kind;
    loop->u.loop.annotations = spec->annotations;
    loop->u.loop.body = body;
    if (spec->kind == IR_FOR_THREAD)
        loop->u.loop.thread = thread_iter(s, spec->thread, var->dtype);
    return script_checked_stmt(s, loop, pos);
}

/* for := "for" NAME ("," NAME)* "in" call suite */
struct ir_stmt *script_for(struct script *s, size_t n, const uint32_t *targets,
                           struct sv_call *c)
{
    enum ir_for_kind kind;
    if (!loop_kind(c->name, &kind))
        return script_fail(s, c->pos, "script.unsupported",
                           "expected a loop such as 'range' or 'T.grid', not "
                           "'T.%s'",
                           c->name);
    bool grid = strcmp(c->name, "grid") == 0;
    if (n != (grid ? c->nargs : 1) || n > 1024)
        return script_fail(s, c->pos, "script.type",
                           "%zu loop variables do not match this loop", n);
    struct loop_spec *specs = ARENA_ARRAY(s->m->arena, n, struct loop_spec);
    struct ir_var **vars = ARENA_ARRAY(s->m->arena, n, struct ir_var *);
    size_t mark = script_scope(s), nloops = s->func->loops.len;
    for (size_t i = 0; i < n; i++) {
        specs[i].kind = kind;
        if (!(grid ? read_grid(s, c->args[i], &specs[i])
                   : read_loop(s, c, &specs[i])))
            return NULL;
        struct dtype t = specs[i].extent->dtype;
        if (specs[i].min->dtype.bits > t.bits)
            t = specs[i].min->dtype;
        vars[i] = ir_var_make(s->m, script_symbol_text(s, targets[i]), t);
        script_bind(s, targets[i],
                    sv_expr(s, ir_var_ref(s->m, vars[i]), c->pos));
        struct script_loop loop = {vars[i], {specs[i].min, specs[i].extent}};
        vec_push(&s->func->loops, loop);
    }
    struct ir_stmt *body = script_parse_suite(s);
    s->func->loops.len = nloops;
    script_scope_close(s, mark);
    for (size_t i = n; body && i-- > 0;)
        body = wrap_loop(s, &specs[i], vars[i], body, c->pos);
    return body;
}
