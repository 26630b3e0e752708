/* SPDX-License-Identifier: Apache-2.0
 *
 * loop_partition: a loop becomes several, one behind the other, over parts of
 * its range; each stands in a block of its own that binds nothing, and all of
 * these in one. Blocks below are copied, renamed, and an iterator bound to the
 * loop as it stands gets the part as its domain.
 *
 * Legal for a loop of constant range in steps of 1 without annotations and
 * thread around a chain of loops and one block; the lengths given are positive
 * and together below the loop's. Beyond TVM (s_tir/schedule/primitive/
 * loop_transformation.cc): a reduction with an init whose iterator is bound to
 * the loop is refused, since each part would begin it again, and so are blocks
 * below that make buffers or views, which the copies would share.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct parts {
    struct schedule *s;
    const struct ir_stmt *loop;
    size_t n;
    int64_t ends[SCHEDULE_MAX_LOOPS + 1];
    bool good;
    /* of the part that is made */
    struct sched_map map;
    struct ir_var *var;
    int64_t first, end;
};

/* ---- conditions ------------------------------------------------------------ */

static bool check_block(struct parts *p, const struct ir_block *b)
{
    const struct ir_var *var = p->loop->u.loop.var;
    if (b->nallocs + b->nmatches > 0)
        return sched_unsupported(p->s, "block '%s' makes buffers", b->name);
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_expr *e = b->iter_values[i];
        if (b->init && b->iters[i].type == IR_ITER_REDUCE &&
            e->kind == IR_VAR_REF && e->u.var == var &&
            !sched_require(p->s, false,
                           "block '%s': each part of loop '%s' would begin its "
                           "reduction again",
                           b->name, var->name))
            return false;
    }
    return true;
}

static bool check_below(void *user, struct ir_stmt *stmt)
{
    struct parts *p = user;
    switch ((int)stmt->kind) {
    case IR_BLOCK: p->good = p->good && check_block(p, stmt->u.block); break;
    case IR_SEQ:
    case IR_FOR:
    case IR_IF:
    case IR_EVALUATE:
    case IR_STORE: break;
    default:
        if (p->good)
            p->good = sched_unsupported(p->s, "a %s below loop '%s'",
                                        ir_stmt_kind_name(stmt->kind),
                                        p->loop->u.loop.var->name);
    }
    return p->good;
}

static bool settle(struct parts *p, int64_t first, int64_t size, size_t n,
                   const int64_t *lengths)
{
    int64_t sum = 0;
    size_t open = n;
    for (size_t i = 0; i < n; i++) {
        if (lengths[i] < 0)
            return sched_illegal(p->s, "length %zu is not positive", i + 1);
        if (lengths[i] == 0 && open < n)
            return sched_bad(p->s, "more than one length is left open");
        if (lengths[i] == 0)
            open = i;
        if (__builtin_add_overflow(sum, lengths[i], &sum) || sum >= size)
            return sched_illegal(p->s,
                                 "the lengths together are not below the "
                                 "extent of loop '%s'",
                                 p->loop->u.loop.var->name);
    }
    int64_t at = first;
    for (size_t i = 0; i < n; i++) {
        at += i == open ? size - sum : lengths[i];
        p->ends[i] = at;
    }
    p->n = n;
    if (open == n)
        p->ends[p->n++] = first + size;
    return true;
}

/* ---- copies ---------------------------------------------------------------- */

static void add_copy(struct parts *p, const struct ir_var *old)
{
    if (p->map.n == SCHED_MAX_ENV)
        p->good = false;
    else
        sched_map_add(
            &p->map, old,
            ir_var_ref(p->s->m, sched_var(p->s, old->dtype, "%s", old->name)));
}

/* Variables made below get others in their place. */
static bool see_made(void *user, struct ir_stmt *stmt)
{
    struct parts *p = user;
    if (stmt->kind == IR_FOR)
        add_copy(p, stmt->u.loop.var);
    for (size_t i = 0; stmt->kind == IR_BLOCK && i < stmt->u.block->niters; i++)
        add_copy(p, stmt->u.block->iters[i].var);
    return true;
}

static struct ir_var *copy_of(struct parts *p, struct ir_var *old)
{
    for (size_t i = 0; i < p->map.n; i++)
        if (p->map.vars[i].from == old)
            return p->map.vars[i].to->u.var;
    return old;
}

/* What the map leaves alone, in statements that are copies already. */
static bool rename_made(void *user, struct ir_stmt *stmt)
{
    struct parts *p = user;
    if (stmt->kind == IR_FOR)
        stmt->u.loop.var = copy_of(p, stmt->u.loop.var);
    if (stmt->kind != IR_BLOCK)
        return true;
    struct ir_block *b = stmt->u.block;
    b->name = sched_text(p->s, "%s_%s", b->name, p->var->name);
    for (size_t i = 0; i < b->niters; i++) {
        struct dtype t = b->iters[i].var->dtype;
        b->iters[i].var = copy_of(p, b->iters[i].var);
        if (b->iter_values[i]->kind == IR_VAR_REF &&
            b->iter_values[i]->u.var == p->var) {
            b->iters[i].dom.min = ir_int(p->s->m, t, p->first);
            b->iters[i].dom.extent = ir_int(p->s->m, t, p->end - p->first);
        }
    }
    return true;
}

static struct ir_stmt *wrap(struct schedule *s, const char *name,
                            struct ir_stmt *body)
{
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(s->m->arena, struct ir_block);
    b->name = sched_text(s, "%s", name);
    b->predicate = sched_true(s);
    b->body = body;
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    return stmt;
}

static struct ir_stmt *part(struct parts *p, size_t i, const char *name)
{
    struct schedule *s = p->s;
    const struct ir_stmt *old = p->loop;
    struct ir_visitor made = {see_made, NULL, p};
    struct ir_visitor renamed = {rename_made, NULL, p};
    p->map = (struct sched_map){.s = s};
    p->var =
        sched_var(s, old->u.loop.var->dtype, "%s%zu", old->u.loop.var->name, i);
    p->end = p->ends[i];
    sched_map_add(&p->map, old->u.loop.var, ir_var_ref(s->m, p->var));
    ir_visit_stmt(&made, old->u.loop.body);
    struct ir_stmt *body = sched_map_stmt(&p->map, old->u.loop.body);
    ir_visit_stmt(&renamed, body);
    struct ir_stmt *loop = sched_loop_make(
        s, p->var, ir_int(s->m, p->var->dtype, p->end - p->first), body);
    loop->u.loop.min = ir_int(s->m, p->var->dtype, p->first);
    p->first = p->end;
    struct buf text = {0};
    buf_printf(&text, "%s%zu_partition", name, i);
    struct ir_stmt *block = wrap(s, buf_text(&text), loop);
    buf_fini(&text);
    return block;
}

/* The block below a chain of loops; NULL: it is none. */
static const char *only_block(const struct ir_stmt *stmt)
{
    while (stmt->kind == IR_FOR)
        stmt = stmt->u.loop.body;
    return stmt->kind == IR_BLOCK ? stmt->u.block->name : NULL;
}

static bool begin(struct parts *p, size_t n, const int64_t *lengths)
{
    const struct ir_stmt *loop = p->loop;
    struct ir_visitor visitor = {check_below, NULL, p};
    const char *name = loop->u.loop.var->name;
    int64_t first, size;
    if (loop->u.loop.annotations || loop->u.loop.kind == IR_FOR_THREAD)
        return sched_illegal(p->s, "loop '%s' has annotations or a thread",
                             name);
    if (loop->u.loop.step || !ir_const_int(loop->u.loop.min, &first) ||
        !ir_const_int(loop->u.loop.extent, &size) || first < -(INT64_MAX / 4) ||
        first > INT64_MAX / 4 || size > INT64_MAX / 4)
        return sched_illegal(p->s, "the range of loop '%s' is not constant",
                             name);
    if (!only_block(loop->u.loop.body))
        return sched_unsupported(p->s, "loop '%s' is not around one block",
                                 name);
    p->first = first;
    p->good = settle(p, first, size, n, lengths);
    if (p->good)
        ir_visit_stmt(&visitor, loop->u.loop.body);
    return p->good;
}

bool schedule_loop_partition(struct schedule *s, schedule_ref ref, size_t n,
                             const int64_t *lengths, schedule_ref *out)
{
    struct ir_stmt *body = NULL;
    struct sched_path path;
    sched_begin(s);
    if (n == 0 || n >= SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "no lengths, or more than %u",
                         SCHEDULE_MAX_LOOPS - 1);
    if (!sched_find_loop(s, ref, &path))
        return false;
    struct parts *p = dc_alloc(sizeof *p);
    struct ir_var *vars[SCHEDULE_MAX_LOOPS + 1];
    p->s = s;
    p->loop = sched_path_end(&path);
    bool good = begin(p, n, lengths);
    size_t count = p->n;
    if (good) {
        struct buf name = {0};
        buf_printf(&name, "%s_%s", only_block(p->loop->u.loop.body),
                   p->loop->u.loop.var->name);
        for (size_t i = 0; i < count; i++) {
            body = sched_seq(s, body, part(p, i, buf_text(&name)));
            vars[i] = p->var;
        }
        buf_puts(&name, "_common");
        body = wrap(s, buf_text(&name), body);
        buf_fini(&name);
        good = p->good || sched_unsupported(s, "too many loops below");
    }
    dc_release(p);
    if (!good || !sched_commit(s, sched_replace(s, &path, body)))
        return false;
    for (size_t i = 0; i < count; i++)
        out[i] = sched_ref_loop(s, vars[i]);
    return true;
}

/* loop_partition(loop, length or None, …) or (loop, [length, …], flag); the
 * flag is for nothing, as in TVM */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t lengths[SCHEDULE_MAX_LOOPS + 1], flags[1] = {1};
    size_t n;
    if (!sched_arg_factors(s, nargs, args, &n, lengths, 1, flags) ||
        !schedule_loop_partition(s, args[0].u.ref, n, lengths, out))
        return false;
    *nout = n;
    for (size_t i = 0; i < n; i++)
        if (lengths[i] == 0)
            return true;
    (*nout)++;
    return true;
}

extern const struct schedule_primitive primitive_loop_partition;
const struct schedule_primitive primitive_loop_partition = {
    .name = "loop_partition",
    .arguments = "loop, length or None, ...",
    .source = "loop_transformation.cc",
    .apply = apply,
};
