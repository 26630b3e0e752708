/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops a cell's index determines.
 *
 * The loops are solved for from placeholders for the index, and a solution is
 * kept where it holds no other loop and putting the index itself for the
 * placeholders gives the loop's variable back, as an identity of affs over
 * their whole ranges. So
 *     index(x) = c  implies  x_k = solution_k(c)
 * without a solver: inverting sums of digits is what integer solvers are slow
 * at, and the canonical form of affs does it by cancellation.
 */
#include "verifier/value/value.h"

static void find(struct vctx *c, const struct aff *const *index,
                 const int64_t *base, struct vinverse *v,
                 const struct aff **solution)
{
    struct aff_space *s = c->space;
    const struct aff **eqs =
        ARENA_ARRAY(c->arena, v->rank + 1, const struct aff *);
    for (size_t i = 0; i < v->rank; i++) {
        eqs[i] = aff_sub(s, index[i], aff_of_atom(s, v->place[i]));
        if (base != NULL)
            eqs[i] = aff_addc(s, eqs[i], base[i] - index[i]->constant);
    }
    vaff_solve(c, v->rank, eqs, v->n, v->loops, base != NULL, solution);
    const struct aff **kept = v->solution;
    v->solution = solution;
    for (size_t k = 0; k < v->n; k++) {
        bool free = false;
        for (size_t j = 0; j < v->n && solution[k] != NULL && !free; j++)
            free = vaff_mentions(c, solution[k], v->loops[j]);
        if (solution[k] != NULL && (free || vinverse_at(c, v, k, index) !=
                                                aff_of_atom(s, v->loops[k])))
            solution[k] = NULL;
    }
    v->solution = kept;
}

static void start(struct vctx *c, size_t rank, const struct aff *const *index,
                  size_t n, const atom_id *loops, struct vinverse *out)
{
    *out = (struct vinverse){.rank = rank, .n = n, .loops = loops};
    out->place = ARENA_ARRAY(c->arena, rank + 1, atom_id);
    out->solution = ARENA_ARRAY(c->arena, n + 1, const struct aff *);
    for (size_t i = 0; i < rank; i++) {
        int64_t lo, hi;
        aff_range(c->space, index[i], &lo, &hi);
        out->place[i] = aff_var_make(c->space, "cell", lo, hi, NULL, NULL);
    }
}

void vinverse_find(struct vctx *c, size_t rank, const struct aff *const *index,
                   size_t n, const atom_id *loops, struct vinverse *out)
{
    /* Offsets of unrolled loops are multiples of a digit more often than not:
     * solutions that ignore them stay simple. */
    int64_t *zero = ARENA_ARRAY(c->arena, rank + 1, int64_t);
    const struct aff **plain = ARENA_ARRAY(c->arena, n + 1, const struct aff *);
    bool all = true;
    start(c, rank, index, n, loops, out);
    find(c, index, zero, out, out->solution);
    for (size_t k = 0; k < n; k++)
        all = all && out->solution[k] != NULL;
    if (all)
        return;
    find(c, index, NULL, out, plain);
    for (size_t k = 0; k < n; k++)
        if (out->solution[k] == NULL)
            out->solution[k] = plain[k];
}

void vinverse_find_common(struct vctx *c, size_t rank,
                          const struct aff *const *index, const int64_t *base,
                          size_t n, const atom_id *loops, struct vinverse *out)
{
    start(c, rank, index, n, loops, out);
    find(c, index, base, out, out->solution);
}

const struct aff *vinverse_at(struct vctx *c, const struct vinverse *v,
                              size_t k, const struct aff *const *index)
{
    if (v->solution[k] == NULL)
        return NULL;
    atom_id low = v->rank > 0 ? v->place[0] : 0, top = low;
    for (size_t i = 0; i < v->rank; i++) {
        low = v->place[i] < low ? v->place[i] : low;
        top = v->place[i] > top ? v->place[i] : top;
    }
    struct aff_map map = {.n = (size_t)(top - low) + 1, .first = low};
    map.to = (const struct aff **)dc_alloc((map.n + 1) * sizeof *map.to);
    for (size_t i = 0; i < v->rank; i++)
        map.to[v->place[i] - low] = index[i];
    const struct aff *out = vaff_subst(c, v->solution[k], &map);
    dc_release((void *)map.to);
    return out;
}
