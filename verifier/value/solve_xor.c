/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses for equations in which unknowns stand below an exclusive or, as
 * swizzled layouts have them: x ^ k = v is x = v ^ k.
 *
 * The exclusive ors are unknowns of their own at first; where one is found and
 * one of its operands is known by then, the other is an equation more.
 */
#include "verifier/value/value.h"

#include <string.h>

#define MAX_XORS   16u
#define MAX_ROUNDS 4u

struct solving {
    struct vctx *c;
    size_t n;
    const atom_id *unknown;
    const struct aff **out;
    size_t nxors;
    atom_id xors[MAX_XORS];
    const struct aff *values[MAX_XORS]; /* NULL: not found */
    bool used[MAX_XORS];
};

static const struct vchoice *as_xor(const struct vctx *c, atom_id a)
{
    const struct atom *info = aff_atom_info(c->space, a);
    const struct vchoice *k = info->kind == ATOM_VAR ? info->user : NULL;
    return k != NULL && k->kind == IR_BITXOR ? k : NULL;
}

/* Whether it holds an unknown that is not found yet. */
static bool is_open(const struct solving *s, const struct aff *a)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->out[i] == NULL && vaff_mentions(s->c, a, s->unknown[i]))
            return true;
    return false;
}

static void find_xors(struct solving *s, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id id = a->terms[i].atom;
        const struct vchoice *k = as_xor(s->c, id);
        const struct atom *info = aff_atom_info(s->c->space, id);
        bool known = k == NULL || s->nxors == MAX_XORS;
        for (size_t j = 0; j < s->nxors; j++)
            known = known || s->xors[j] == id;
        if (!known && (is_open(s, k->a) || is_open(s, k->b)))
            s->xors[s->nxors++] = id;
        if (k != NULL) {
            find_xors(s, k->a);
            find_xors(s, k->b);
        }
        if (info->def != NULL)
            find_xors(s, info->def);
    }
}

/* With what is found put in. */
static const struct aff *settled(struct solving *s, const struct aff *a)
{
    struct aff_map map = {.n = aff_natoms(s->c->space)};
    map.to = ARENA_ARRAY(s->c->arena, map.n + 1, const struct aff *);
    for (size_t i = 0; i < s->n; i++)
        map.to[s->unknown[i]] = s->out[i];
    return vaff_subst(s->c, a, &map);
}

/* What xors that are found say of their operands, as equations. */
static size_t unfold(struct solving *s, const struct aff **eqs)
{
    size_t n = 0;
    for (size_t j = 0; j < s->nxors; j++) {
        const struct vchoice *k = as_xor(s->c, s->xors[j]);
        if (s->values[j] == NULL || s->used[j] || is_open(s, s->values[j]))
            continue;
        bool first = is_open(s, k->a), second = is_open(s, k->b);
        if (first == second)
            continue;
        const struct aff *known = settled(s, first ? k->b : k->a);
        const struct aff *value = settled(s, s->values[j]);
        s->used[j] = true;
        eqs[n++] = aff_sub(s->c->space, first ? k->a : k->b,
                           vchoice_bits(s->c, IR_BITXOR, value, known));
    }
    return n;
}

/* Solves for what is open and for the xors not found. */
static void solve_round(struct solving *s, size_t neqs,
                        const struct aff *const *eqs, bool wrapped)
{
    size_t room = s->n + s->nxors + 1, n = 0;
    atom_id *unknown = ARENA_ARRAY(s->c->arena, room, atom_id);
    const struct aff **found =
        ARENA_ARRAY(s->c->arena, room, const struct aff *);
    for (size_t i = 0; i < s->n; i++)
        if (s->out[i] == NULL)
            unknown[n++] = s->unknown[i];
    for (size_t j = 0; j < s->nxors; j++)
        if (s->values[j] == NULL)
            unknown[n++] = s->xors[j];
    if (wrapped)
        (void)aff_solve_wrapped(s->c->space, neqs, eqs, n, unknown, found);
    else
        (void)aff_solve(s->c->space, neqs, eqs, n, unknown, found);
    n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->out[i] == NULL)
            s->out[i] = found[n++];
    for (size_t j = 0; j < s->nxors; j++)
        if (s->values[j] == NULL)
            s->values[j] = found[n++];
}

void vaff_solve(struct vctx *c, size_t neqs, const struct aff *const *eqs,
                size_t n, const atom_id *unknown, bool wrapped,
                const struct aff **out)
{
    struct solving s = {.c = c, .n = n, .unknown = unknown, .out = out};
    const struct aff *more[MAX_XORS];
    for (size_t i = 0; i < n; i++)
        out[i] = NULL;
    for (size_t i = 0; i < neqs; i++)
        find_xors(&s, eqs[i]);
    solve_round(&s, neqs, eqs, wrapped);
    for (unsigned round = 0; s.nxors > 0 && round < MAX_ROUNDS; round++) {
        size_t nmore = unfold(&s, more);
        if (nmore == 0)
            return;
        solve_round(&s, nmore, more, wrapped);
    }
}
