/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches. The outermost thread binding is a kernel: all axes bound in it,
 * one for each tag (R2), become loops around the whole kernel. Bindings inside
 * then only name an axis; a statement that is not below the binding of some
 * axis runs in all of its threads.
 */
#include "verifier/front/front.h"

#include <string.h>

/* ---- the axes ------------------------------------------------------------------- */

static struct axis *axis_find(struct launch *k, const char *tag)
{
    for (size_t i = 0; i < k->naxes; i++)
        if (strcmp(k->axes[i].tag, tag) == 0)
            return &k->axes[i];
    return NULL;
}

static bool see_binding(void *user, struct ir_stmt *s)
{
    struct front *f = user;
    struct ir_thread_axis axis;
    if (front_failed(f) || !ir_thread_axis(s, &axis))
        return !front_failed(f);
    const char *tag = axis.tag;
    struct ir_expr *extent = front_scalar(f, axis.extent);
    struct axis *a = axis_find(f->launch, tag);
    if (a != NULL) {
        if (!fx_same(a->loop->extent, extent))
            front_refuse(f, s->pos, "thread axis '%s' of two extents", tag);
        return true;
    }
    if (f->launch->naxes == FRONT_MAX_AXES) {
        front_refuse(f, s->pos, "more than %d thread axes", FRONT_MAX_AXES);
        return false;
    }
    a = &f->launch->axes[f->launch->naxes];
    a->tag = tag;
    a->is_block = strncmp(tag, "blockIdx", 8) == 0;
    a->is_vthread = strncmp(tag, "vthread", 7) == 0;
    a->is_thread = strncmp(tag, "threadIdx", 9) == 0;
    a->loop = front_loop_make(f, tag[0] != '\0' ? tag : axis.var->name,
                              axis.var->dtype, fx_int(f, axis.var->dtype, 0),
                              extent, IR_FOR_THREAD);
    a->loop->tag = tag;
    int64_t n = 0;
    a->unit = ir_const_int(extent, &n) && n == 1;
    a->loop->axis = UINT32_C(1) << f->launch->naxes++;
    f->infos.items[a->loop->var->id - f->module->nvars].axes = a->loop->axis;
    return true;
}

/* Blocks, virtual threads, other tags, then z, y, x. */
static int axis_rank(const struct axis *a)
{
    if (a->is_block)
        return 0;
    if (a->is_vthread)
        return 1;
    static const char *const last[] = {"threadIdx.z", "threadIdx.y",
                                       "threadIdx.x"};
    for (int i = 0; i < 3; i++)
        if (strcmp(a->tag, last[i]) == 0)
            return 3 + i;
    return 2;
}

static void sort_axes(struct launch *k)
{
    for (int rank = 0; rank < 6; rank++)
        for (size_t i = 0; i < k->naxes; i++)
            if (axis_rank(&k->axes[i]) == rank && !k->axes[i].unit)
                k->order[k->norder++] = (int)i;
}

/* ---- warps (R20) ---------------------------------------------------------------- */

const struct axis *front_lane_axis(const struct front *f)
{
    for (size_t i = 0; f->launch != NULL && i < f->launch->naxes; i++)
        if (strcmp(f->launch->axes[i].tag, "threadIdx.x") == 0)
            return &f->launch->axes[i];
    return NULL;
}

/* Warps lie along x: its extent is a multiple of 32, or there is no other
 * thread axis. */
bool front_warps_along_x(const struct front *f)
{
    int64_t x = 1, other = 1, n;
    for (size_t i = 0; f->launch != NULL && i < f->launch->naxes; i++) {
        const struct axis *a = &f->launch->axes[i];
        if (a->is_block || a->is_vthread)
            continue;
        if (!ir_const_int(a->loop->extent, &n))
            return false;
        if (a == front_lane_axis(f))
            x = n;
        else if (n != 1)
            other = 2;
    }
    return x % 32 == 0 || other == 1;
}

static bool is_uniform(const struct front *f, const struct axis *x,
                       const struct ir_expr *e, unsigned *steps)
{
    int64_t n;
    if (*steps == 0)
        return false;
    --*steps;
    if (e->kind == IR_VAR_REF) {
        uint32_t bit = UINT32_C(1) << (x - f->launch->axes);
        const struct var_info *info = front_info(f, e->u.var);
        if (info != NULL && info->value != NULL)
            return is_uniform(f, x, info->value, steps);
        return info == NULL || (info->axes & bit) == 0;
    }
    if ((e->kind == IR_FLOORDIV || e->kind == IR_DIV) &&
        e->args[0]->kind == IR_VAR_REF && ir_const_int(e->args[1], &n) &&
        n > 0 && n % 32 == 0 && e->args[0]->u.var == x->loop->var)
        return true;
    if (e->kind == IR_LOAD || e->kind == IR_CALL)
        return false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!is_uniform(f, x, e->args[i], steps))
            return false;
    return true;
}

/* Whether all lanes of a warp have the same value: it does not depend on x, or
 * through x floordiv 32 c alone. */
bool front_is_uniform(const struct front *f, const struct ir_expr *e)
{
    const struct axis *x = front_lane_axis(f);
    unsigned steps = FRONT_STEPS;
    int64_t n;
    if (x == NULL || (ir_const_int(x->loop->extent, &n) && n == 1))
        return true;
    return is_uniform(f, x, e, &steps);
}

struct ir_expr *front_axis_value(struct front *f, const struct axis *a)
{
    return a->unit ? fx_int(f, a->loop->var->dtype, 0)
                   : ir_var_ref(f->m, a->loop->var);
}

/* ---- launches ---------------------------------------------------------------------- */

/* Views and pointers to a storage of the host lead to the launch's. */
static void redirect(struct front *f, const struct fstorage *from,
                     struct fstorage *to)
{
    for (uint32_t i = 0; i < f->module->nbuffers; i++) {
        if (f->views[i] == NULL || f->views[i]->storage != from)
            continue;
        struct fview *v = arena_memdup(f->arena, f->views[i], sizeof *v);
        v->storage = to;
        front_set_view(f, v->buffer, v);
    }
    for (uint32_t i = 0; i < f->module->nvars; i++) {
        struct binding b = f->env[i];
        const struct ir_var var = {.id = i};
        if (b.kind != BOUND_POINTER || b.pointer.storage != from)
            continue;
        b.pointer.storage = to;
        front_bind(f, &var, b);
    }
}

/* What the host has allocated in a scope that threads own begins anew with
 * each launch, once for each of its owners. */
static void own_again(struct front *f)
{
    for (size_t i = 0; i < f->live.len; i++) {
        const struct ir_buffer *b = f->live.items[i];
        const struct fview *v = f->views[b->id];
        if (v != NULL && front_scope_class(b->scope) != CLASS_GLOBAL)
            redirect(f, v->storage, front_storage(f, b));
    }
}

static void launch(struct front *f, struct ir_stmt *s)
{
    struct front_mark mark = front_mark(f);
    f->launch = ARENA_NEW(f->arena, struct launch);
    f->launch->number = ++f->nlaunches;
    struct ir_visitor v = {see_binding, NULL, f};
    ir_visit_stmt(&v, s);
    sort_axes(f->launch);
    for (size_t i = 0; i < f->launch->norder; i++)
        front_loop_open(f, f->launch->axes[f->launch->order[i]].loop);
    own_again(f);
    front_thread(f, s);
    f->launch = NULL;
    front_reset(f, mark);
}

void front_thread(struct front *f, struct ir_stmt *s)
{
    if (f->launch == NULL) {
        launch(f, s);
        return;
    }
    struct front_mark mark = front_mark(f);
    struct ir_thread_axis axis = {.tag = ""};
    (void)ir_thread_axis(s, &axis);
    const struct ir_var *var = axis.var;
    const struct axis *a = axis_find(f->launch, axis.tag);
    if (front_failed(f) || a == NULL)
        return;
    struct ir_expr *value = front_axis_value(f, a);
    if (s->kind == IR_FOR) {
        front_eval_if(f, s->u.loop.min);
        struct ir_expr *min =
            front_fixed(f, var->name, front_scalar(f, s->u.loop.min));
        if (var->dtype.bits < 32 && !ir_is_const_int(min, 0))
            front_refuse(f, s->pos,
                         "a thread's variable that may not fit its type");
        value = fx_add(f, min, value);
    }
    front_bind_expr(f, var, fx_cast(f, var->dtype, value));
    front_par_body(f, s, axis.body);
    front_reset(f, mark);
}
