/* SPDX-License-Identifier: Apache-2.0
 *
 * What is given of inputs: ranges of elements, scalars and sizes; that the
 * elements of an integer tensor are distinct, sorted or a permutation.
 *
 * An element is an opaque integer of the value that was read. A range is its
 * atom's; what ties two elements of one tensor is a fact about their atoms,
 * made when the later of them is: X[a] = X[b] gives a = b. Such facts are for
 * indices within the shape alone, since nothing else is an element: a model may
 * put an index outside where the program would not read.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/eval_state.h"
#include "verifier/verifier.h"

#include <string.h>

/* Elements of one tensor that are told apart; later ones are any. */
#define MAX_ELEMENTS 40u

struct element {
    atom_id atom;
    const struct value *value;
};

struct vgiven {
    const struct verifier_given *params;
    struct VEC(struct element) elements;
};

/* ---- ranges ----------------------------------------------------------------- */

static void bound(struct vctx *c, const struct aff *a, int64_t lo, int64_t hi)
{
    struct aff_space *s = c->space;
    if (a == NULL)
        return;
    c->facts = form_and2(s, c->facts, form_le(s, aff_const(s, lo), a));
    c->facts = form_and2(s, c->facts, form_le(s, a, aff_const(s, hi)));
}

static bool named(const struct verifier_given_size *size, const char *name)
{
    return strcmp(size->name, name) == 0;
}

static void bound_symbols(struct vctx *c, const struct vprog *p,
                          const struct verifier_options *o)
{
    for (size_t i = 0; i < p->nsymbols; i++) {
        const struct vsymbol *s = &p->symbols[i];
        const struct aff *a = vsymbol_aff(c, s->var);
        if (s->dim < 0 && o->given != NULL && o->given[s->param].ranged)
            bound(c, a, o->given[s->param].lo, o->given[s->param].hi);
        for (size_t k = 0; s->dim >= 0 && p == c->progs[0] && k < o->nsizes;
             k++)
            if (named(&o->sizes[k], s->var->name))
                bound(c, a, o->sizes[k].lo, o->sizes[k].hi);
    }
}

void vctx_give(struct vctx *c, const struct verifier_options *options)
{
    if (options->given == NULL && options->nsizes == 0)
        return;
    c->given = dc_alloc(sizeof *c->given);
    c->given->params = options->given;
    for (size_t side = 0; side < 2; side++)
        if (c->progs[side] != NULL)
            bound_symbols(c, c->progs[side], options);
}

void vgiven_free(struct vctx *c)
{
    if (c->given == NULL)
        return;
    vec_fini(&c->given->elements);
    dc_release(c->given);
}

/* ---- elements --------------------------------------------------------------- */

/* What is given of the tensor that v is an element of, as the caller has it;
 * NULL: nothing is. */
static const struct verifier_given *given_of(const struct vctx *c,
                                             const struct value *v)
{
    if (c->given == NULL || c->given->params == NULL ||
        v->kind != VALUE_INPUT || !dtype_is_int(v->dtype))
        return NULL;
    const struct vstorage *s = c->progs[0]->params[v->param];
    return s != NULL && !s->fresh && dtype_equal(s->buffer->dtype, v->dtype)
               ? &c->given->params[v->param]
               : NULL;
}

void vgiven_range(const struct vctx *c, const struct value *v, int64_t *lo,
                  int64_t *hi)
{
    const struct verifier_given *g = given_of(c, v);
    if (g == NULL || !g->ranged)
        return;
    if (g->lo > *lo || *lo == AFF_NO_LOWER)
        *lo = g->lo;
    if (g->hi < *hi || *hi == AFF_NO_BOUND)
        *hi = g->hi;
}

bool vgiven_permutes(const struct vctx *c, const struct value *v)
{
    const struct verifier_given *g = given_of(c, v);
    return g != NULL && (g->properties & VERIFIER_PERMUTATION) != 0;
}

/* The shape that the element's index is of; NULL: not known. */
static const struct aff **shape_of(struct vctx *c, const struct value *v,
                                   size_t *rank)
{
    const struct vprog *p = c->progs[v->bits != 0];
    const struct ir_buffer *b = p->params[v->param]->buffer;
    if (c->params != NULL) {
        *rank = c->params[v->param].rank[v->bits != 0];
        return c->params[v->param].shape[v->bits != 0];
    }
    struct vinst *at = vinst_fresh(c, p, 0, NULL, 0, NULL);
    const struct aff **shape =
        ARENA_ARRAY(c->arena, b->rank + 1, const struct aff *);
    *rank = b->rank;
    for (size_t i = 0; i < b->rank; i++) {
        shape[i] = veval_index(c, at, b->shape[i]);
        if (shape[i] == NULL)
            return NULL;
    }
    return shape;
}

/* That the element is one; NULL: not known. *n: how many there are. */
static const struct form *within(struct vctx *c, const struct value *v,
                                 const struct aff **n)
{
    struct aff_space *s = c->space;
    size_t rank;
    const struct aff **shape = shape_of(c, v, &rank);
    const struct form *in = form_true(s);
    if (shape == NULL || rank != v->nindex)
        return NULL;
    *n = aff_const(s, 1);
    for (size_t i = 0; i < rank; i++) {
        *n = aff_mul(s, *n, shape[i]);
        in = form_and2(s, in, form_le(s, aff_const(s, 0), v->index[i]));
        in = form_and2(s, in, form_lt(s, v->index[i], shape[i]));
    }
    return OBLIGED_FORM(c, "an element is of its tensor", in);
}

const struct aff *vgiven_elements(struct vctx *c, const struct value *v)
{
    const struct aff *n = NULL;
    return within(c, v, &n) != NULL ? n : NULL;
}

static void imply(struct vctx *c, const struct form *where,
                  const struct form *what)
{
    struct aff_space *s = c->space;
    c->facts = form_and2(s, c->facts, form_or2(s, form_not(s, where), what));
}

/* Lower indices have lower values, in rank 1. */
static void order(struct vctx *c, const struct form *in,
                  const struct element *p, const struct element *q)
{
    struct aff_space *s = c->space;
    const struct aff *a = p->value->index[0], *b = q->value->index[0];
    const struct aff *x = aff_of_atom(s, p->atom), *y = aff_of_atom(s, q->atom);
    imply(c, form_and2(s, in, form_le(s, a, b)), form_le(s, x, y));
    imply(c, form_and2(s, in, form_le(s, b, a)), form_le(s, y, x));
}

static void tie(struct vctx *c, const struct verifier_given *g,
                const struct element *p, const struct element *q)
{
    struct aff_space *s = c->space;
    const struct aff *n;
    const struct form *a = within(c, p->value, &n),
                      *b = within(c, q->value, &n);
    if (a == NULL || b == NULL || p->value->bits != q->value->bits)
        return;
    const struct form *in = form_and2(s, a, b), *same = form_true(s);
    for (size_t i = 0; i < p->value->nindex; i++)
        same = form_and2(s, same,
                         form_eq(s, p->value->index[i], q->value->index[i]));
    if ((g->properties & (VERIFIER_DISTINCT | VERIFIER_PERMUTATION)) != 0)
        imply(c,
              form_and2(
                  s, in,
                  form_eq(s, aff_of_atom(s, p->atom), aff_of_atom(s, q->atom))),
              same);
    if ((g->properties & VERIFIER_SORTED) != 0 && p->value->nindex == 1)
        order(c, in, p, q);
}

void vgiven_note(struct vctx *c, atom_id opaque, const struct value *v)
{
    const struct verifier_given *g = given_of(c, v);
    const struct aff *n;
    if (g == NULL || g->properties == 0)
        return;
    struct element now = {opaque, v};
    size_t known = 0;
    for (size_t i = 0; i < c->given->elements.len; i++) {
        if (c->given->elements.items[i].atom == opaque)
            return;
        known += c->given->elements.items[i].value->param == v->param;
    }
    if (known >= MAX_ELEMENTS)
        return;
    const struct form *in = within(c, v, &n);
    if (in != NULL && vgiven_permutes(c, v)) {
        struct aff_space *s = c->space;
        const struct aff *x = aff_of_atom(s, opaque);
        imply(c, in,
              form_and2(s, form_le(s, aff_const(s, 0), x), form_lt(s, x, n)));
    }
    for (size_t i = 0; i < c->given->elements.len; i++)
        if (c->given->elements.items[i].value->param == v->param)
            tie(c, g, &c->given->elements.items[i], &now);
    vec_push(&c->given->elements, now);
}
