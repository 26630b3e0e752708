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

/* Whether an extent may be less than it is: of serial loops, and of the grid,
 * whose blocks do not know of one another. */
static bool may_shrink(const struct ir_expr *extent, const char *tag)
{
    return extent->kind == IR_INT_IMM &&
           (!tag || strncmp(tag, "blockIdx", 8) == 0);
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

static struct ir_stmt *shorten(struct ir_stmt *s, double *share,
                               struct arena *arena);

/* Fewer iterations; where one is still too much, the body is shortened, too. A
 * launch of threads is a loop, too. */
static void shorten_loop(struct ir_stmt *copy, double *share,
                         struct arena *arena)
{
    struct ir_thread_axis axis = {.tag = NULL};
    bool thread = ir_thread_axis(copy, &axis), loop = copy->kind == IR_FOR;
    struct ir_expr **extent = loop ? &copy->u.loop.extent : &copy->u.attr.value;
    struct ir_stmt **body = loop ? &copy->u.loop.body : &copy->u.attr.body;
    if (loop && copy->u.loop.kind == IR_FOR_VECTORIZED)
        return;
    if ((loop || (thread && !axis.is_virtual)) &&
        may_shrink(*extent, axis.tag)) {
        *extent = shrink(*extent, share, arena);
        if (!loop)
            copy->u.attr.node = launch(copy->u.attr.node, *extent, arena);
    }
    if (*share < 0.5)
        *body = shorten(*body, share, arena);
}

static struct ir_stmt *shorten(struct ir_stmt *s, double *share,
                               struct arena *arena)
{
    struct ir_stmt *copy = ir_stmt_copy(arena, s), **last = NULL;
    if (s->kind == IR_FOR || s->kind == IR_ATTR)
        shorten_loop(copy, share, arena);
    else if (s->kind == IR_SEQ && s->u.seq.n > 0)
        last = &copy->u.seq.items[s->u.seq.n - 1];
    else if (s->kind == IR_BLOCK)
        last = &copy->u.block->body;
    if (last != NULL)
        *last = shorten(*last, share, arena);
    return copy;
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
