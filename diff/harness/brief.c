/* SPDX-License-Identifier: Apache-2.0
 *
 * A large kernel made short enough for an emulator.
 *
 * The outermost loop of the last stage runs fewer iterations (of a grid: it has
 * fewer blocks), so that a part of the output is computed by the very same
 * statements; the rest keeps what it held on entry. The program that results is
 * as good as any other: the interpreter and the target run it alike, and every
 * bit must agree. Where a later stage needs what is left out, the interpreter
 * says so, and the kernel is not shortened.
 *
 * Nodes on the way to that loop are copied; the module stays as it is.
 */
#include "diff/harness/measure.h"
#include "diff/input/input.h"

#include <string.h>

/* Steps of a kernel that the slowest emulator runs in about a second. */
#define BRIEF_WORK 1e7
/* A kernel of so many times that is still run whole. */
#define BRIEF_SLACK 4

/* ---- how long it is ---------------------------------------------------------- */

/* Of the longer side, on a target without tile instructions. */
static double target_work(const struct diff_side *sides,
                          const struct diff_case *c)
{
    double most = 1;
    for (size_t side = 0; side < NSIDES; side++) {
        double work = diff_scalar_work(sides[side].module, sides[side].func,
                                       c->symbols[side], c->nsymbols[side]);
        most = work > most ? work : most;
    }
    return most;
}

bool diff_is_long(const struct diff_side *sides, const struct diff_case *c)
{
    return target_work(sides, c) > BRIEF_SLACK * BRIEF_WORK;
}

double diff_brief_share(const struct diff_side *sides,
                        const struct diff_case *c)
{
    return BRIEF_WORK / target_work(sides, c);
}

/* ---- making it shorter ------------------------------------------------------- */

static struct ir_stmt *copy_stmt(const struct ir_stmt *s, struct arena *arena)
{
    return arena_memdup(arena, s, sizeof *s);
}

static struct ir_stmt *shorten(struct ir_stmt *s, double *share,
                               struct arena *arena);

/* Whether an extent may be less than it is: of serial loops, and of the grid,
 * whose blocks do not know of one another. */
static bool may_shrink(const struct ir_expr *extent,
                       const struct ir_iter_var *thread)
{
    return extent->kind == IR_INT_IMM &&
           (!thread || strncmp(thread->thread_tag, "blockIdx", 8) == 0);
}

/* The extent for about that share; *share is then what is still too much. */
static struct ir_expr *shrink(struct ir_expr *extent, double *share,
                              struct arena *arena)
{
    int64_t n = extent->u.int_value;
    double want = (double)n * *share;
    int64_t kept = want < 1 ? 1 : (int64_t)want;
    if (kept >= n)
        return extent;
    struct ir_expr *fewer = arena_memdup(arena, extent, sizeof *extent);
    fewer->u.int_value = kept;
    *share = want / (double)kept;
    return fewer;
}

/* Fewer iterations; where one is still too much, the body is shortened, too. */
static struct ir_stmt *shorten_loop(struct ir_stmt *s, double *share,
                                    struct arena *arena)
{
    if (s->u.loop.kind == IR_FOR_VECTORIZED)
        return s;
    struct ir_stmt *copy = copy_stmt(s, arena);
    if (may_shrink(s->u.loop.extent,
                   s->u.loop.kind == IR_FOR_THREAD ? s->u.loop.thread : NULL))
        copy->u.loop.extent = shrink(s->u.loop.extent, share, arena);
    if (*share < 0.5)
        copy->u.loop.body = shorten(s->u.loop.body, share, arena);
    return copy;
}

/* The iteration variable of a launch with that extent in its domain, too. */
static struct ir_value *launch(const struct ir_value *node,
                               struct ir_expr *extent, struct arena *arena)
{
    struct ir_value *copy = arena_memdup(arena, node, sizeof *node);
    struct ir_iter_var *iter =
        arena_memdup(arena, node->u.iter_var, sizeof *iter);
    if (iter->has_dom)
        iter->dom.extent = extent;
    copy->u.iter_var = iter;
    return copy;
}

/* A launch of threads is a loop, too. */
static struct ir_stmt *shorten_attr(struct ir_stmt *s, double *share,
                                    struct arena *arena)
{
    const struct ir_value *node = s->u.attr.node;
    struct ir_stmt *copy = copy_stmt(s, arena);
    if (strcmp(s->u.attr.key, "thread_extent") == 0 && node &&
        node->kind == IR_V_ITER_VAR && s->u.attr.value &&
        may_shrink(s->u.attr.value, node->u.iter_var)) {
        copy->u.attr.value = shrink(s->u.attr.value, share, arena);
        copy->u.attr.node = launch(node, copy->u.attr.value, arena);
    }
    if (*share < 0.5 && s->u.attr.body)
        copy->u.attr.body = shorten(s->u.attr.body, share, arena);
    return copy;
}

static struct ir_stmt *shorten_last(struct ir_stmt *s, double *share,
                                    struct arena *arena)
{
    struct ir_stmt *copy = copy_stmt(s, arena);
    size_t n = s->u.seq.n;
    if (n == 0)
        return s;
    copy->u.seq.items =
        arena_memdup(arena, s->u.seq.items, n * sizeof *s->u.seq.items);
    copy->u.seq.items[n - 1] = shorten(s->u.seq.items[n - 1], share, arena);
    return copy;
}

static struct ir_stmt *shorten_block(struct ir_stmt *s, double *share,
                                     struct arena *arena)
{
    struct ir_stmt *copy = copy_stmt(s, arena);
    copy->u.block = arena_memdup(arena, s->u.block, sizeof *s->u.block);
    copy->u.block->body = shorten(s->u.block->body, share, arena);
    return copy;
}

static struct ir_stmt *shorten(struct ir_stmt *s, double *share,
                               struct arena *arena)
{
    switch (s->kind) {
    case IR_FOR: return shorten_loop(s, share, arena);
    case IR_SEQ: return shorten_last(s, share, arena);
    case IR_BLOCK: return shorten_block(s, share, arena);
    case IR_ATTR: return shorten_attr(s, share, arena);
    case IR_WHILE:
    case IR_IF:
    case IR_BIND:
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_DECL_BUFFER:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_STORE:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: break;
    }
    return s;
}

/* The function, shortened; NULL: there is nothing to shorten. */
static struct ir_func *shorten_func(const struct ir_func *func, double share,
                                    struct arena *arena)
{
    if (func->kind != IR_FUNC_PRIM || !func->prim.body)
        return NULL;
    double left = share;
    struct ir_func *copy = arena_memdup(arena, func, sizeof *func);
    copy->prim.body = shorten(func->prim.body, &left, arena);
    return left > share ? copy : NULL;
}

bool diff_shorten(struct diff_side *side, double share, struct arena *arena)
{
    struct ir_func *func = shorten_func(side->func, share, arena);
    if (func)
        diff_put_func(side, func, arena);
    return func != NULL;
}

void diff_put_func(struct diff_side *side, struct ir_func *func,
                   struct arena *arena)
{
    struct ir_module *module =
        arena_memdup(arena, side->module, sizeof *side->module);
    module->funcs = arena_memdup(arena, module->funcs,
                                 module->nfuncs * sizeof(*module->funcs));
    for (size_t i = 0; i < module->nfuncs; i++)
        if (strcmp(module->funcs[i]->name, func->name) == 0)
            module->funcs[i] = func;
    side->module = module;
    side->func = func;
}
