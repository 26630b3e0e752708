/* SPDX-License-Identifier: Apache-2.0
 *
 * set_scope: a buffer that the block writes moves to another storage scope.
 *
 * Legal where a block allocates the buffer and TVM knows the scope
 * (s_tir/schedule/primitive/block_annotate.cc asks no more). Beyond it, since a
 * scope says which threads share a copy (docs/semantics.md, rule 4): where an
 * access stands below a loop that is bound to threads, the old and the new
 * scope must agree on whether those threads have a copy each, or the new one
 * gives each a copy, the loop is around all accesses, and no iteration reads
 * what another one wrote. Views of the buffer are not handled.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* Of which threads each has a copy of its own. */
enum { EACH_BLOCK = 1, EACH_THREAD = 2, EACH_VTHREAD = 4, EACH_WARP = 8 };

static unsigned copies(const char *scope)
{
    if (!strncmp(scope, "global", 6) || !strncmp(scope, "texture", 7))
        return 0;
    if (!strncmp(scope, "shared", 6))
        return EACH_BLOCK;
    if (!strcmp(scope, "local"))
        return EACH_BLOCK | EACH_THREAD | EACH_VTHREAD;
    /* warp, and fragments of a warp */
    return EACH_BLOCK | EACH_WARP | EACH_VTHREAD;
}

/* Which of them a loop on that axis counts. */
static unsigned counted(const char *tag)
{
    if (!strncmp(tag, "blockIdx", 8))
        return EACH_BLOCK;
    return strncmp(tag, "threadIdx", 9) ? EACH_VTHREAD
                                        : EACH_THREAD | EACH_WARP;
}

struct scoping {
    struct schedule *s;
    struct sched_path site;
    const struct ir_buffer *buffer;
    unsigned old, now;
    bool good;
};

static bool is_access_expr(const void *user, const struct ir_expr *e)
{
    const struct ir_buffer *b = user;
    return ((e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
            e->u.buffer->data == b->data) ||
           (e->kind == IR_VAR_REF && e->u.var == b->data);
}

static bool is_access(const void *user, const struct ir_stmt *stmt)
{
    const struct ir_buffer *b = user;
    return stmt->kind == IR_STORE && stmt->u.store.buffer->data == b->data;
}

static bool check_loop(struct scoping *x, const struct ir_stmt *loop)
{
    const char *tag = loop->u.loop.thread->thread_tag;
    unsigned threads = counted(tag);
    struct sched_path path;
    if ((x->old & threads) == (x->now & threads))
        return true;
    bool narrows = !(x->old & threads) && !(x->now & EACH_WARP);
    return sched_require(
               x->s,
               narrows && !sched_accesses_outside(
                              sched_path_end(&x->site)->u.block->body, loop,
                              x->buffer),
               "threads of loop '%s', bound to '%s', would share buffer "
               "'%s' otherwise",
               loop->u.loop.var->name, tag, x->buffer->name) &&
           sched_find_stmt(x->s, loop, &path) &&
           sched_require_iterations_apart(x->s, &path);
}

/* Loops bound to threads, with an access below. */
static bool see_loop(void *user, struct ir_stmt *stmt)
{
    struct scoping *x = user;
    if (stmt->kind == IR_FOR && stmt->u.loop.kind == IR_FOR_THREAD &&
        ir_stmt_any(stmt, is_access, is_access_expr, x->buffer))
        x->good = x->good && check_loop(x, stmt);
    return x->good;
}

bool schedule_set_scope(struct schedule *s, schedule_ref ref, int64_t index,
                        const char *scope)
{
    struct scoping x = {.s = s, .good = true};
    struct ir_visitor visitor = {see_loop, NULL, &x};
    struct sched_path path;
    struct ir_buffer *buffer;
    sched_begin(s);
    if (!sched_accessed(s, ref, index, true, &path, &buffer))
        return false;
    if (!strcmp(buffer->scope, scope))
        return true;
    if (!sched_is_scope(scope))
        return sched_bad(s, "no storage scope is called '%s'", scope);
    if (!sched_alloc_site(s, &path, buffer, &x.site))
        return false;
    x.buffer = buffer;
    x.old = copies(buffer->scope);
    x.now = copies(scope);
    ir_visit_stmt(&visitor, sched_path_end(&x.site)->u.block->body);
    if (!x.good)
        return false;
    struct sched_map map = {.s = s, .from = buffer};
    map.to = sched_buffer_copy(s, buffer, buffer->dtype, scope);
    return sched_exchange(s, &x.site, &map);
}

/* set_scope(block, index, "scope") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "ris") &&
           schedule_set_scope(s, args[0].u.ref, args[1].u.integer,
                              args[2].u.string);
}

extern const struct schedule_primitive primitive_set_scope;
const struct schedule_primitive primitive_set_scope = {
    .name = "set_scope",
    .arguments = "block, index of a write, \"scope\"",
    .source = "block_annotate.cc",
    .apply = apply,
};
