/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses lie in their storage.
 *
 * A cell is an address (R4): an access is out of bounds where its address is, and
 * what leaves its row only to land in another one is no fault. A proof names
 * cells by their indices, and an access whose indices stay in the shape needs no
 * more. Where they are data, all that the untuned program's silence says is that
 * the address fits; so that is what is taken and shown of the address as a whole.
 * For storage that the program writes to, that every index is in the shape has to
 * follow: two tuples could be one cell otherwise.
 */
#include "verifier/safety/safety_private.h"
#include "verifier/smt/obligation.h"

struct access {
    struct safety *s;
    struct place *pl;
    const struct vstorage *storage;
    size_t nindex;
    struct ir_expr *const *index;
};

static const char in_bounds[] = "safety: access in bounds";

/* ---- in the shape ------------------------------------------------------------- */

static const struct form *in_shape(struct access *a, size_t d,
                                   const struct aff **index)
{
    struct safety *s = a->s;
    struct aff_space *sp = s->c->space;
    const struct aff *i = safety_integer(s, a->pl, a->index[d]);
    const struct aff *n =
        i == NULL ? NULL
                  : safety_integer(s, a->pl, a->storage->buffer->shape[d]);
    *index = i;
    return n == NULL ? NULL : form_and2(sp, form_ge0(sp, i), form_lt(sp, i, n));
}

static void note_candidate(struct access *a)
{
    const struct aff **all =
        ARENA_ARRAY(a->s->c->arena, a->nindex + 1, const struct aff *);
    for (size_t k = 0; k < a->nindex; k++) {
        all[k] = safety_integer(a->s, a->pl, a->index[k]);
        if (all[k] == NULL)
            return;
    }
    safety_candidate(a->s, a->storage, a->nindex, all);
}

static bool outside(struct access *a, size_t d, bool refuted)
{
    struct safety *s = a->s;
    struct buf text = {0};
    const struct aff *i = safety_integer(s, a->pl, a->index[d]);
    if (refuted)
        note_candidate(a);
    if (i != NULL)
        aff_print(s->c->space, i, &text);
    (void)safety_fail(s, VSAFETY_BOUNDS, a->pl,
                      "index %zu of '%s', %s, may be out of bounds", d,
                      a->storage->buffer->name, buf_text(&text));
    buf_fini(&text);
    return false;
}

/* ---- the address ---------------------------------------------------------------- */

/* 0 <= address < elements; NULL: not known. */
static const struct form *address_fits(struct access *a)
{
    struct safety *s = a->s;
    struct aff_space *sp = s->c->space;
    const struct aff *at = aff_const(sp, 0), *total = aff_const(sp, 1);
    for (size_t d = 0; d < a->nindex; d++) {
        const struct aff *i = safety_integer(s, a->pl, a->index[d]);
        const struct aff *n =
            safety_integer(s, a->pl, a->storage->buffer->shape[d]);
        if (i == NULL || n == NULL)
            return NULL;
        at = aff_add(sp, aff_mul(sp, at, n), i);
        total = aff_mul(sp, total, n);
    }
    return form_and2(sp, form_ge0(sp, at), form_lt(sp, at, total));
}

/* Indices that are data, in one dimension (open) at least. */
static bool check_address(struct access *a, const bool *open)
{
    struct safety *s = a->s;
    struct aff_space *sp = s->c->space;
    const struct form *fits = address_fits(a);
    bool refuted;
    size_t first = 0;
    while (!open[first])
        first++;
    if (fits == NULL)
        return safety_not_understood(s, a->pl, "an index");
    if (!OBLIGED(s->c->smt, "safety: rows are one after the other",
                 a->storage->param < 0 || a->storage->strides == NULL) ||
        !safety_oblige(s, a->pl, fits, in_bounds, true, &refuted))
        return outside(a, first, false);
    s->out->trusts_access |= s->untuned && s->leaned;
    s->out->leans_access |= !s->untuned && s->leaned;
    if (!a->storage->written)
        return true;
    const struct form *known = form_and2(sp, a->pl->ctx, fits);
    for (size_t d = first; d < a->nindex && a->nindex > 1; d++) {
        const struct aff *i;
        const struct form *goal = open[d] ? in_shape(a, d, &i) : NULL;
        if (goal != NULL &&
            safety_ask(s, known, goal, "safety: an index stays in its row") !=
                SMT_PROVED)
            return safety_fail(s, VSAFETY_NONE, a->pl,
                               "index %zu of '%s' is data and may leave its "
                               "row: which cell it is was not found",
                               d, a->storage->buffer->name);
    }
    return true;
}

/* ---- both ----------------------------------------------------------------------- */

/* A read out of bounds would be a fault of both sides, and what is read inside
 * of them is an element of an input, wherever it is. */
static bool may_fault(const struct access *a)
{
    const struct vstorage *v = a->storage;
    return a->s->c->alike &&
           OBLIGED(a->s->c->smt, "what may be read anywhere is an input",
                   v->param >= 0 && !v->written && !v->fresh &&
                       v->strides == NULL);
}

/* Dimension d, by interval arithmetic or a solver; *open if it hangs on data. */
static bool check_index(struct access *a, size_t d, bool *open)
{
    struct safety *s = a->s;
    int64_t n;
    const struct aff *i;
    struct bounds span = safety_expr(s, a->pl, a->index[d], true);
    if (safety_failed(s))
        return false;
    if (ir_const_int(a->storage->buffer->shape[d], &n) && span.lo >= 0 &&
        span.hi < n)
        return true;
    const struct form *goal = in_shape(a, d, &i);
    if (goal == NULL)
        return safety_not_understood(s, a->pl, "an index");
    if (goal->kind == FORM_TRUE)
        return true;
    s->out->obligations++;
    enum smt_answer answer = safety_ask(s, a->pl->ctx, goal, in_bounds);
    if (answer == SMT_PROVED)
        return true;
    *open = value_form_has_data(s->c->space, goal);
    return *open || may_fault(a) || outside(a, d, answer == SMT_REFUTED);
}

bool safety_access(struct safety *s, struct place *pl,
                   const struct vstorage *storage, size_t nindex,
                   struct ir_expr *const *index, const struct vstore *store,
                   bool write)
{
    struct access a = {s, pl, storage, nindex, index};
    bool *open = ARENA_ARRAY(s->c->arena, nindex + 1, bool), any = false;
    for (size_t d = 0; d < nindex; d++) {
        if (!check_index(&a, d, &open[d]))
            return false;
        any = any || open[d];
    }
    if (any && !check_address(&a, open))
        return false;
    if (storage->written && s->quiet == 0) {
        struct saccess access = {.storage = storage,
                                 .node = pl->node,
                                 .nsteps = pl->nsteps,
                                 .steps = pl->steps,
                                 .nindex = nindex,
                                 .index = index,
                                 .write = write,
                                 .store = store,
                                 .pos = pl->pos,
                                 .name = pl->name};
        vec_push(&s->accesses, access);
    }
    return true;
}
