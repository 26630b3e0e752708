/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether some step stores to the cell, whatever the data are: where they are
 * given to be a permutation X and the step's cell is X[f(i)], there is a k with
 * X[k] = cell, and an i with f(i) = k. A state that such a step forgets may have
 * begun as anything.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/reaching.h"

/* The element that is the cell, of rank 1; NULL: the cell is something else. */
static const struct value *element_of(const struct vctx *c, const struct aff *a)
{
    if (a->n != 1 || a->constant != 0 || a->terms[0].coef != 1)
        return NULL;
    const struct atom *t = aff_atom_info(c->space, a->terms[0].atom);
    const struct value *v = t->kind == ATOM_OPAQUE ? t->user : NULL;
    return v != NULL && v->nindex == 1 && vgiven_permutes(c, v) ? v : NULL;
}

/* The binders at which the index is k. False: not found. */
static bool solve(struct vctx *c, const struct value *element,
                  const struct value_part *p, const struct aff *k,
                  struct aff_map *map)
{
    struct vinverse inverse;
    vinverse_find(c, 1, element->index, p->nbinders, p->binders, &inverse);
    for (size_t i = 0; i < p->nbinders; i++) {
        const struct aff *x = vinverse_at(c, &inverse, i, &k);
        if (x == NULL)
            return false;
        vctx_map_set(c, map, p->binders[i], x);
    }
    return OBLIGED(c->smt, "a covering step is at the element",
                   vaff_subst(c, element->index[0], map) == k);
}

/* That the term at these binders is one: their own ranges are not in `where`. */
static const struct form *happens(struct vctx *c, const struct value_part *p,
                                  const struct aff_map *map)
{
    const struct form *f = vform_subst(c, p->where, map);
    for (size_t i = 0; i < p->nbinders; i++)
        f = form_and2(c->space, f,
                      vatom_takes(c, p->binders[i], map->to[p->binders[i]]));
    return f;
}

bool reaching_covers(struct read *r, const struct vstore *st, struct vinst *u,
                     const struct form *ctx, const struct value_part *p)
{
    struct vctx *c = r->c;
    struct aff_space *s = c->space;
    struct aff_map map = {0};
    const struct aff *cell[MAX_UNKNOWN], *n;
    if (c->given == NULL || r->rank != 1 ||
        !OBLIGED(c->smt, "a covering step forgets the state",
                 !value_holds_hole(c, p->leaf)) ||
        !vcell_of(c, u, st->target, st->nindex, st->index, cell))
        return false;
    const struct value *v = element_of(c, cell[0]);
    n = v == NULL ? NULL : vgiven_elements(c, v);
    if (n == NULL)
        return false;
    const struct aff *k =
        aff_of_atom(s, aff_var_make(s, "k", 0, AFF_NO_BOUND, NULL, NULL));
    if (!solve(c, v, p, k, &map))
        return false;
    const struct form *in = form_and2(
        s, form_le(s, aff_const(s, 0), r->cell[0]), form_lt(s, r->cell[0], n));
    const struct form *at =
        form_and2(s, form_lt(s, k, n),
                  form_eq(s, vaff_subst(c, cell[0], &map), r->cell[0]));
    return OBLIGED(c->smt, "the cell is in the permutation",
                   vctx_proves(c, ctx, in, "the cell is in the permutation")) &&
           OBLIGED(c->smt, "each element is stored to",
                   vctx_proves(c, form_and2(s, ctx, at), happens(c, p, &map),
                               "each element is stored to"));
}
