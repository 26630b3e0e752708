/* SPDX-License-Identifier: Apache-2.0
 *
 * Holes: what stands for the state before a step of a fold. A hole means the
 * state of the fold around it, so a formula with holes must not be carried from
 * one fold to another: contexts are stripped of them on the way.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/value.h"

/* How many nodes are looked at; then the answer is yes. */
#define HOLE_BUDGET 100000

struct search {
    struct vctx *c;
    long budget;
};

static bool in_form(struct search *s, const struct form *f);

static bool in_aff(struct search *s, const struct aff *a)
{
    if (--s->budget < 0)
        return true;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(s->c->space, a->terms[i].atom);
        if ((t->def != NULL && in_aff(s, t->def)) ||
            (t->other != NULL && in_aff(s, t->other)))
            return true;
        const struct value *v = t->kind == ATOM_OPAQUE ? t->user : NULL;
        if (v != NULL && v->has_hole)
            return true;
        const struct vchoice *k = t->kind == ATOM_VAR ? t->user : NULL;
        if (k != NULL && (in_aff(s, k->a) || in_aff(s, k->b) ||
                          (k->cond != NULL && in_form(s, k->cond))))
            return true;
    }
    return false;
}

static bool in_form(struct search *s, const struct form *f)
{
    if (--s->budget < 0)
        return true;
    if (f->kind == FORM_PRED) {
        const struct value *v = vpred_value(s->c, f->key);
        return v != NULL && v->has_hole;
    }
    if (f->a != NULL && in_aff(s, f->a))
        return true;
    for (uint32_t i = 0; i < f->n; i++)
        if (in_form(s, f->args[i]))
            return true;
    return false;
}

bool vaff_has_hole(struct vctx *c, const struct aff *a)
{
    struct search s = {c, HOLE_BUDGET};
    return c->holes && in_aff(&s, a);
}

static bool vform_has_hole(struct vctx *c, const struct form *f)
{
    struct search s = {c, HOLE_BUDGET};
    return c->holes && in_form(&s, f);
}

const struct form *vform_without_holes(struct vctx *c, const struct form *f)
{
    if (!c->holes || OBLIGED(c->smt, "a context says nothing of the state",
                             !vform_has_hole(c, f)))
        return f;
    const struct form *out = form_true(c->space);
    if (f->kind == FORM_AND)
        for (uint32_t i = 0; i < f->n; i++)
            if (!vform_has_hole(c, f->args[i]))
                out = form_and2(c->space, out, f->args[i]);
    return out;
}

/* A fold closes the holes of its steps, not those of where it begins. */
bool value_holds_hole(struct vctx *c, const struct value *v)
{
    if (v->kind == VALUE_HOLE)
        return true;
    if (!c->holes)
        return false;
    if (v->cond != NULL && vform_has_hole(c, v->cond))
        return true;
    for (size_t i = 0; i < v->nindex; i++)
        if (vaff_has_hole(c, v->index[i]))
            return true;
    for (size_t i = 0; i < v->nargs; i++)
        if (v->args[i]->has_hole)
            return true;
    for (size_t i = 0; i < v->nparts && v->kind != VALUE_FOLD; i++)
        if (v->parts[i].leaf->has_hole)
            return true;
    for (size_t i = 0; i < v->nparts; i++)
        if (vform_has_hole(c, v->parts[i].where))
            return true;
    return false;
}

const struct value *value_hole(struct vctx *c, struct dtype t, size_t component)
{
    struct value v = {.kind = VALUE_HOLE, .dtype = t, .param = (int)component};
    c->holes = true;
    return value_make(c, &v);
}

const struct value *value_tuple(struct vctx *c, size_t n,
                                const struct value *const *args)
{
    struct value v = {.kind = VALUE_TUPLE, .dtype = DTYPE_INT32, .nargs = n};
    v.args = ARENA_ARRAY(c->arena, n + 1, const struct value *);
    for (size_t i = 0; i < n; i++)
        v.args[i] = args[i];
    return value_make(c, &v);
}
