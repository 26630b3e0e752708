/* SPDX-License-Identifier: Apache-2.0
 *
 * What the untuned program's data-dependent accesses say of the data.
 *
 * The class of inputs of a claim is that on which the untuned program has no
 * fault. So where it reads B[A[f(i)]] for all i of a box, whatever the data,
 * each A[x] with x in the image of f is a valid index of B: a fact
 *     for all binders in the domain: condition on the data.
 * A fact is used for the tuned program at the one instance whose data are those
 * of an obligation; that the instance is in the domain is proved.
 */
#include "verifier/obligation.h"
#include "verifier/safety_private.h"

static bool aff_has_data(const struct aff_space *space, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(space, a->terms[i].atom);
        /* keys with the top bit set are bits of indices, not data */
        if (t->kind == ATOM_OPAQUE && !(t->key >> 63))
            return true;
        if (t->def != NULL && aff_has_data(space, t->def))
            return true;
        if (t->other != NULL && aff_has_data(space, t->other))
            return true;
    }
    return false;
}

bool form_has_data(const struct aff_space *space, const struct form *f)
{
    if (f->kind == FORM_PRED || (f->a != NULL && aff_has_data(space, f->a)))
        return true;
    for (uint32_t i = 0; i < f->n; i++)
        if (form_has_data(space, f->args[i]))
            return true;
    return false;
}

/* ---- facts -------------------------------------------------------------------- */

struct safety_fact {
    struct safety_fact *next;
    const struct form *ctx, *goal; /* for all binders: ctx implies goal */
    size_t nbinders;
    const atom_id *binders;
};

bool safety_remember(struct safety *s, const struct place *pl,
                     const struct form *goal)
{
    struct vctx *c = s->c;
    /* with a condition left out it would say too much */
    if (!OBLIGED(c->smt, "safety: a fact keeps its conditions",
                 pl->inst->nscopes == pl->node->depth))
        return false;
    struct safety_fact *fact = ARENA_NEW(c->arena, struct safety_fact);
    atom_id *binders = ARENA_ARRAY(c->arena, s->p->nloops + 1, atom_id);
    for (size_t i = 0; i < s->p->nloops; i++)
        if (pl->inst->loops[i] != NULL && pl->inst->loops[i]->n == 1)
            binders[fact->nbinders++] = pl->inst->loops[i]->terms[0].atom;
    fact->binders = binders;
    fact->ctx = pl->ctx;
    fact->goal = goal;
    fact->next = c->untuned;
    c->untuned = fact;
    return true;
}

/* Opaque atoms below a formula that are elements of parameters. */
struct reads {
    const struct aff_space *space;
    struct VEC(const struct value *) values;
};

static void list_reads(struct reads *r, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(r->space, a->terms[i].atom);
        const struct value *v = t->kind == ATOM_OPAQUE ? t->user : NULL;
        if (v != NULL && v->kind == VALUE_INPUT)
            vec_push(&r->values, v);
        if (t->def != NULL)
            list_reads(r, t->def);
        if (t->other != NULL)
            list_reads(r, t->other);
    }
}

static void list_form(struct reads *r, const struct form *f)
{
    if (f->a != NULL)
        list_reads(r, f->a);
    for (uint32_t i = 0; i < f->n; i++)
        list_form(r, f->args[i]);
}

/* The fact where its element `has` is the element `wants`; NULL: nowhere that
 * could be shown. */
static const struct form *instantiate(struct safety *s, const struct form *ctx,
                                      const struct safety_fact *fact,
                                      const struct value *has,
                                      const struct value *wants)
{
    struct vctx *c = s->c;
    struct aff_space *sp = c->space;
    const struct form *range = form_true(sp);
    size_t n = has->nindex;
    if (has->param != wants->param || n != wants->nindex)
        return NULL;
    const struct aff **eqs = ARENA_ARRAY(c->arena, n + 1, const struct aff *);
    const struct aff **to =
        ARENA_ARRAY(c->arena, fact->nbinders + 1, const struct aff *);
    for (size_t i = 0; i < n; i++)
        eqs[i] = aff_sub(sp, has->index[i], wants->index[i]);
    (void)aff_solve(sp, n, eqs, fact->nbinders, fact->binders, to);
    struct aff_map map = {.n = aff_natoms(sp)};
    map.to = ARENA_ARRAY(c->arena, map.n + 1, const struct aff *);
    for (size_t i = 0; i < fact->nbinders; i++) {
        atom_id b = fact->binders[i];
        const struct atom *info = aff_atom_info(sp, b);
        const struct aff *v = to[i];
        if (v == NULL)
            v = aff_const(sp, info->lo != AFF_NO_LOWER ? info->lo : 0);
        map.to[b] = v;
        /* the context leaves out constant ranges: they are the atoms' own */
        range = form_and2(sp, range, vatom_takes(c, fact->binders[i], v));
    }
    /* a fact holds for all values of the binders within its context */
    const struct form *there =
        form_and2(sp, range, vform_subst(c, fact->ctx, &map));
    if (safety_ask(s, ctx, there, "safety: the untuned program reads this") !=
        SMT_PROVED)
        return NULL;
    return vform_subst(c, fact->goal, &map);
}

const struct form *safety_recall(struct safety *s, const struct form *ctx,
                                 const struct form *goal)
{
    struct aff_space *sp = s->c->space;
    const struct form *all = form_true(sp);
    struct reads wants = {.space = sp};
    list_form(&wants, goal);
    for (const struct safety_fact *f = s->c->untuned; f; f = f->next) {
        struct reads has = {.space = sp};
        list_form(&has, f->goal);
        for (size_t i = 0; i < wants.values.len; i++) {
            for (size_t k = 0; k < has.values.len; k++) {
                const struct form *more = instantiate(
                    s, ctx, f, has.values.items[k], wants.values.items[i]);
                if (more != NULL)
                    all = form_and2(sp, all, more);
            }
        }
        vec_fini(&has.values);
    }
    vec_fini(&wants.values);
    return all;
}
