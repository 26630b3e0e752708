/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a variable occurs in an integer or a value, also where it is out of
 * sight: in what a choice chooses from, in the value behind an opaque integer.
 * And whether data do.
 */
#include "verifier/value/value.h"

/* How many nodes are looked at. */
#define MENTION_BUDGET 100000

struct mention {
    struct vctx *c;
    atom_id atom;
    long budget;
    bool unordered; /* a fold in no stated order was seen */
};

static bool in_value(struct mention *m, const struct value *v);
static bool in_form(struct mention *m, const struct form *f);

static bool in_aff(struct mention *m, const struct aff *a)
{
    if (--m->budget < 0)
        return true;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(m->c->space, a->terms[i].atom);
        if (a->terms[i].atom == m->atom ||
            (t->def != NULL && in_aff(m, t->def)) ||
            (t->other != NULL && in_aff(m, t->other)))
            return true;
        if (t->kind == ATOM_OPAQUE && (t->user == NULL || in_value(m, t->user)))
            return true;
        const struct vchoice *k = t->kind == ATOM_VAR ? t->user : NULL;
        if (k != NULL && (in_aff(m, k->a) || in_aff(m, k->b) ||
                          (k->cond != NULL && in_form(m, k->cond))))
            return true;
    }
    return false;
}

static bool in_form(struct mention *m, const struct form *f)
{
    if (f->kind == FORM_PRED || (f->a != NULL && in_aff(m, f->a)))
        return true;
    for (uint32_t i = 0; i < f->n; i++)
        if (in_form(m, f->args[i]))
            return true;
    return false;
}

static bool in_value(struct mention *m, const struct value *v)
{
    if (--m->budget < 0)
        return true;
    for (size_t i = 0; i < v->nindex; i++)
        if (in_aff(m, v->index[i]))
            return true;
    if (v->cond != NULL && in_form(m, v->cond))
        return true;
    for (size_t i = 0; i < v->nargs; i++)
        if (in_value(m, v->args[i]))
            return true;
    for (size_t i = 0; i < v->nparts; i++) {
        const struct value_part *p = &v->parts[i];
        m->unordered = m->unordered || p->unordered != 0;
        if ((p->where != NULL && in_form(m, p->where)) || in_value(m, p->leaf))
            return true;
    }
    return false;
}

bool vaff_mentions(struct vctx *c, const struct aff *a, atom_id atom)
{
    struct mention m = {c, atom, MENTION_BUDGET, false};
    return in_aff(&m, a);
}

bool value_mentions(struct vctx *c, const struct value *v, atom_id atom,
                    bool *unordered)
{
    struct mention m = {c, atom, MENTION_BUDGET, false};
    bool found = in_value(&m, v);
    *unordered = *unordered || m.unordered;
    return found;
}

/* ---- data ---- */

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

bool value_form_has_data(const struct aff_space *space, const struct form *f)
{
    if (f->kind == FORM_PRED || (f->a != NULL && aff_has_data(space, f->a)))
        return true;
    for (uint32_t i = 0; i < f->n; i++)
        if (value_form_has_data(space, f->args[i]))
            return true;
    return false;
}
