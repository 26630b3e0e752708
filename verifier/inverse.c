/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops a cell's index determines.
 *
 * The loops are solved for from placeholders for the index, and a solution is
 * kept where putting the index itself for the placeholders gives the loop's
 * variable back, as an identity of affs over their whole ranges. So
 *     index(x) = c  implies  x_k = solution_k(c)
 * without a solver: inverting sums of digits is what integer solvers are slow
 * at, and the canonical form of affs does it by cancellation.
 */
#include "verifier/value.h"

static void find(struct vctx *c, size_t rank, const struct aff *const *index,
                 const int64_t *base, size_t n, const atom_id *loops,
                 struct vinverse *out)
{
    struct aff_space *s = c->space;
    const struct aff **eqs =
        ARENA_ARRAY(c->arena, rank + 1, const struct aff *);
    *out = (struct vinverse){.rank = rank, .n = n, .loops = loops};
    out->place = ARENA_ARRAY(c->arena, rank + 1, atom_id);
    out->solution = ARENA_ARRAY(c->arena, n + 1, const struct aff *);
    for (size_t i = 0; i < rank; i++) {
        int64_t lo, hi;
        aff_range(s, index[i], &lo, &hi);
        out->place[i] = aff_var_make(s, "cell", lo, hi, NULL, NULL);
        eqs[i] = aff_sub(s, index[i], aff_of_atom(s, out->place[i]));
        if (base != NULL)
            eqs[i] = aff_addc(s, eqs[i], base[i] - index[i]->constant);
    }
    if (base != NULL)
        (void)aff_solve_wrapped(s, rank, eqs, n, loops, out->solution);
    else
        (void)aff_solve(s, rank, eqs, n, loops, out->solution);
    for (size_t k = 0; k < n; k++)
        if (out->solution[k] != NULL &&
            vinverse_at(c, out, k, index) != aff_of_atom(s, loops[k]))
            out->solution[k] = NULL;
}

void vinverse_find(struct vctx *c, size_t rank, const struct aff *const *index,
                   size_t n, const atom_id *loops, struct vinverse *out)
{
    /* Offsets of unrolled loops are multiples of a digit more often than not:
     * solutions that ignore them stay simple. */
    int64_t *zero = ARENA_ARRAY(c->arena, rank + 1, int64_t);
    struct vinverse plain;
    find(c, rank, index, zero, n, loops, out);
    bool all = true;
    for (size_t k = 0; k < n; k++)
        all = all && out->solution[k] != NULL;
    if (all)
        return;
    find(c, rank, index, NULL, n, loops, &plain);
    size_t got = 0, had = 0;
    for (size_t k = 0; k < n; k++) {
        got += plain.solution[k] != NULL;
        had += out->solution[k] != NULL;
    }
    if (got > had)
        *out = plain;
}

void vinverse_find_common(struct vctx *c, size_t rank,
                          const struct aff *const *index, const int64_t *base,
                          size_t n, const atom_id *loops, struct vinverse *out)
{
    find(c, rank, index, base, n, loops, out);
}

const struct aff *vinverse_at(struct vctx *c, const struct vinverse *v,
                              size_t k, const struct aff *const *index)
{
    if (v->solution[k] == NULL)
        return NULL;
    atom_id top = 0;
    for (size_t i = 0; i < v->rank; i++)
        top = v->place[i] > top ? v->place[i] : top;
    struct aff_map map = {.n = (size_t)top + 1};
    map.to = (const struct aff **)dc_alloc((map.n + 1) * sizeof *map.to);
    for (size_t i = 0; i < v->rank; i++)
        map.to[v->place[i]] = index[i];
    const struct aff *out = vaff_subst(c, v->solution[k], &map);
    dc_release((void *)map.to);
    return out;
}
