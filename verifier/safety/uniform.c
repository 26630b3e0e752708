/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers are reached by all threads of the block equally often (R21): under
 * the same iterations of serial loops, the conditions and loop bounds around a
 * barrier hold for one thread exactly when they hold for another. The same holds
 * where partial results of threads are combined (R5, R27).
 */
#include "verifier/safety/safety_private.h"

#include <string.h>

/* Threads, not blocks. */
static bool is_lane(const struct vscope *s)
{
    return s->kind == VSCOPE_LOOP && s->loop->kind == IR_FOR_THREAD &&
           !vloop_is_block(s->loop);
}

/* The instance of another thread of the block. */
static struct vinst *another_thread(struct safety *s, const struct vinst *from,
                                    const struct vbarrier *b)
{
    struct vinst *other =
        vinst_fresh(s->c, s->p, b->nscopes, b->scopes, b->nsteps, b->steps);
    struct aff_map map = {.n = aff_natoms(s->c->space)};
    map.to = ARENA_ARRAY(s->c->arena, map.n + 1, const struct aff *);
    for (size_t i = 0; i < b->nscopes; i++) {
        if (!is_lane(&b->scopes[i]))
            continue;
        const struct vloop *l = b->scopes[i].loop;
        if (from->loops[l->id]->n == 1)
            map.to[from->loops[l->id]->terms[0].atom] = other->loops[l->id];
    }
    return vinst_with(s->c, from, &map);
}

/* Only that its thread indices are in range. */
static const struct form *thread_ranges(struct safety *s,
                                        const struct vbarrier *b,
                                        const struct vinst *inst)
{
    struct vscope *scopes =
        ARENA_ARRAY(s->c->arena, b->nscopes + 1, struct vscope);
    size_t n = 0;
    for (size_t i = 0; i < b->nscopes; i++)
        if (is_lane(&b->scopes[i]))
            scopes[n++] = b->scopes[i];
    struct vinst *only = vinst_fresh(s->c, s->p, n, scopes, 0, NULL);
    struct aff_map map = {.n = aff_natoms(s->c->space)};
    map.to = ARENA_ARRAY(s->c->arena, map.n + 1, const struct aff *);
    for (size_t i = 0; i < n; i++) {
        const struct vloop *l = scopes[i].loop;
        if (only->loops[l->id]->n == 1)
            map.to[only->loops[l->id]->terms[0].atom] = inst->loops[l->id];
    }
    return vinst_dom(s->c, vinst_with(s->c, only, &map));
}

static bool check_barrier(struct safety *s, const struct vbarrier *b)
{
    const struct place pl = {.pos = b->pos};
    struct vinst *one =
        vinst_fresh(s->c, s->p, b->nscopes, b->scopes, b->nsteps, b->steps);
    const struct form *here = vinst_dom(s->c, one);
    if (here == NULL)
        return safety_fail(s, VSAFETY_NONE, &pl,
                           "the conditions around a barrier cannot be read");
    if (here->kind == FORM_TRUE)
        return true;
    struct vinst *two = another_thread(s, one, b);
    const struct form *there = vinst_dom(s->c, two);
    const struct form *ranges = thread_ranges(s, b, two);
    if (there == NULL || ranges == NULL)
        return safety_fail(s, VSAFETY_NONE, &pl,
                           "the conditions around a barrier cannot be read");
    if (there == here)
        return true;
    enum smt_answer answer =
        safety_ask(s, form_and2(s->c->space, here, ranges), there,
                   "safety: barrier is reached by all threads");
    s->out->obligations++;
    if (answer == SMT_PROVED)
        return true;
    if (answer == SMT_REFUTED && !value_form_has_data(s->c->space, there))
        safety_candidate(s, NULL, 0, NULL);
    return safety_fail(s, VSAFETY_DIVERGENCE, &pl,
                       "a barrier may be reached by some threads only");
}

/* Whether it is a partial result of another thread. */
static bool is_partial(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD && strcmp(e->u.buffer->scope, "reduction") == 0;
}

bool safety_barriers(struct safety *s)
{
    for (size_t i = 0; i < s->p->nbarriers; i++)
        if (!check_barrier(s, s->p->barriers[i]))
            return false;
    for (size_t i = 0; i < s->p->nstores; i++) {
        const struct vstore *st = s->p->stores[i];
        const struct vbarrier meeting = {.nscopes = st->nscopes,
                                         .scopes = st->scopes,
                                         .nsteps = st->nsteps,
                                         .steps = st->steps,
                                         .pos = st->pos};
        bool update = strcmp(st->target->buffer->scope, "reduction") == 0;
        if (!update && ir_expr_any(st->value, is_partial, NULL) &&
            !check_barrier(s, &meeting))
            return false;
    }
    return true;
}
