/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes that write a function as another arithmetic computes it, in the
 * order in which a compiler's would come: what an operation is made of, where
 * accumulators are kept, in which order their terms are added, then in which
 * type expressions are computed and what of them is fused.
 */
#include "interp/replay/replay.h"

#include <string.h>

/* Functions of more nodes than this are not rewritten: a shared expression is
 * copied wherever it occurs. */
#define MAX_NODES 4000000u

/* What is fused. Squares only where that makes another program: what follows
 * them costs time, and counts their factors otherwise. */
static void fuse(struct replay *r)
{
    unsigned forward = r->profile->set[NUM_T_FORWARD];
    struct ir_stmt *body = r->body;
    if (forward == NUM_FORWARD_SQUARES) {
        r->with_squares = true;
        replay_forward(r);
        replay_squares(r);
        replay_contract(r);
        if (r->used_squares)
            return;
        r->with_squares = false;
        r->body = body;
        r->nsquares = 0;
        r->nsums = 0;
    }
    if (forward != NUM_FORWARD_OFF)
        replay_forward(r);
    replay_contract(r);
}

static void run_passes(struct replay *r)
{
    const uint8_t *set = r->profile->set;
    if (set[NUM_T_DIVIDE] != 0 || set[NUM_T_SQRT] != 0)
        replay_divide(r);
    if (set[NUM_T_UNROLL] != 0)
        replay_unroll(r);
    if (set[NUM_T_KEEP] == NUM_KEEP_END)
        replay_keep_end(r);
    else if (set[NUM_T_KEEP] != NUM_KEEP_NONE)
        replay_keep_loops(r);
    if (set[NUM_T_ORDER] > NUM_ORDER_REVERSED)
        replay_grouping(r);
    else if (set[NUM_T_LANES] != 0 || set[NUM_T_INTERLEAVE] != 0 ||
             set[NUM_T_ORDER] != 0)
        replay_lanes(r);
    if (set[NUM_T_HALF] == NUM_HALF_BFLOAT ||
        set[NUM_T_HALF] == NUM_HALF_FLOAT8)
        replay_keep_own(r);
    if (set[NUM_T_HALF] != NUM_HALF_NATIVE)
        replay_half(r);
    if (replay_fuses(r->profile))
        fuse(r);
    else if (set[NUM_T_CONTRACT] != NUM_CONTRACT_OFF)
        replay_contract(r);
}

struct ir_module *replay_make(const struct ir_module *module,
                              const struct ir_func *func,
                              const struct num_profile *profile,
                              const struct ir_func **out, const char **why)
{
    if (func->kind != IR_FUNC_PRIM || func->prim.body == NULL) {
        *why = "the function has no body to rewrite";
        return NULL;
    }
    if (func->prim.body->size > MAX_NODES) {
        *why = "the function is too large to be rewritten";
        return NULL;
    }
    struct ir_module *m = ir_module_new();
    struct arena *arena = m->arena;
    *m = *module;
    m->arena = arena;
    struct ir_func *copy = arena_memdup(arena, func, sizeof *func);
    struct replay r;
    memset(&r, 0, sizeof r);
    r.m = m;
    r.profile = profile;
    r.func = copy;
    r.body = copy->prim.body;
    run_passes(&r);
    copy->prim.body = r.body;
    m->funcs = ARENA_ARRAY(arena, module->nfuncs + 1, struct ir_func *);
    for (size_t i = 0; i < module->nfuncs; i++)
        m->funcs[i] = module->funcs[i] == func ? copy : module->funcs[i];
    *out = copy;
    return m;
}
