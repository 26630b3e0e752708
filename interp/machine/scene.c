/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a statement is when something happens: the variables that it mentions
 * and those of the loops around it, with their values, and the thread.
 */
#include "interp/machine/exec.h"
#include "ir/walk.h"

#include <string.h>

#define MAX_VARS 24u

struct sight {
    struct machine *m;
    const struct ir_stmt *stmt;
    size_t nvars, naround;
    const struct ir_var *vars[MAX_VARS], *around[MAX_VARS];
    bool found;
};

static bool see_expr(void *user, struct ir_expr *e)
{
    struct sight *s = user;
    if (e->kind != IR_VAR_REF || s->nvars == MAX_VARS)
        return true;
    for (size_t i = 0; i < s->nvars; i++)
        if (s->vars[i] == e->u.var)
            return true;
    s->vars[s->nvars++] = e->u.var;
    return true;
}

/* Leaves in `around` the loops on the way to the statement. */
static bool find_stmt(void *user, struct ir_stmt *at)
{
    struct sight *s = user;
    const struct ir_visitor below = {find_stmt, NULL, s};
    const struct ir_var *var =
        at->kind == IR_FOR ? at->u.loop.var : ir_thread_var(at, NULL);
    if (s->found)
        return false;
    s->found = at == s->stmt;
    if (var == NULL || s->found || s->naround == MAX_VARS)
        return !s->found;
    s->around[s->naround++] = var;
    ir_visit_below(&below, at);
    s->naround -= !s->found;
    return false;
}

static void put_var(struct sight *s, const struct ir_var *var, struct buf *out)
{
    int64_t value;
    if (exec_var_known(s->m, var, &value))
        buf_printf(out, "%s%s = %lld", out->len > 0 ? ", " : "", var->name,
                   (long long)value);
}

static bool is_listed(const struct sight *s, const struct ir_var *var)
{
    for (size_t i = 0; i < s->nvars; i++)
        if (s->vars[i] == var)
            return true;
    return false;
}

bool exec_put_thread(const struct machine *m, const char *between,
                     struct buf *out)
{
    size_t begun = out->len;
    if (m->kernel == NULL || m->thread == &m->host)
        return false;
    const struct ir_kernel *plan = m->kernel->plan;
    for (size_t i = 0; i < plan->naxes; i++)
        if (m->kernel->extent[i] != 1)
            buf_printf(out, "%s%s %lld", out->len > begun ? between : "",
                       plan->axes[i].tag, (long long)m->thread->index[i]);
    return true;
}

void exec_scene(struct machine *m, struct interp_scene *out)
{
    struct sight s = {.m = m, .stmt = m->stmt};
    interp_scene_fini(out);
    memset(out, 0, sizeof *out);
    if (m->stmt == NULL || m->frame == NULL)
        return;
    out->stmt = m->stmt;
    struct ir_visitor mentioned = {NULL, see_expr, &s};
    struct ir_visitor around = {find_stmt, NULL, &s};
    if (m->stmt->kind == IR_STORE || m->stmt->kind == IR_EVALUATE ||
        m->stmt->kind == IR_BIND || m->stmt->kind == IR_ASSERT)
        ir_visit_stmt(&mentioned, m->stmt);
    ir_visit_stmt(&around, m->func->prim.body);
    struct buf text = {0}, thread = {0};
    for (size_t i = 0; i < s.nvars; i++)
        put_var(&s, s.vars[i], &text);
    for (size_t i = 0; s.found && i < s.naround; i++)
        if (!is_listed(&s, s.around[i]))
            put_var(&s, s.around[i], &text);
    out->vars = text.data;
    (void)exec_put_thread(m, ", ", &thread);
    out->thread = thread.data;
}

void interp_scene_fini(struct interp_scene *scene)
{
    dc_release(scene->vars);
    dc_release(scene->thread);
    scene->vars = scene->thread = NULL;
}
