/* SPDX-License-Identifier: Apache-2.0
 *
 * What the untuned program's data-dependent accesses say of the data.
 *
 * The class of inputs of a claim is that on which the untuned program has no
 * fault. So where it reads B[A[f(i)]] for all i of a box, whatever the data,
 * each A[x] with x in the image of f is a valid index of B: a fact
 *     for all binders in the domain: condition on the data.
 * A fact is used for the tuned program at the one instance whose data are those
 * of an obligation; that the instance is in the domain is proved. A fact that a
 * value is clean (clean.c) is one of all equal values.
 */
#include "verifier/compare/facts.h"

#include "verifier/compare/match.h"
#include "verifier/value/clean.h"

/* ---- facts -------------------------------------------------------------------- */

struct vfact {
    struct vfact *next;
    const struct form *ctx, *goal; /* for all binders: ctx implies goal */
    size_t nbinders;
    const atom_id *binders;
};

void facts_add(struct vctx *c, size_t nbinders, const atom_id *binders,
               const struct form *ctx, const struct form *goal)
{
    struct vfact *fact = ARENA_NEW(c->arena, struct vfact);
    *fact = (struct vfact){c->untuned, ctx, goal, nbinders, binders};
    c->untuned = fact;
}

/* Elements of parameters that the data below a formula or a value come from, in
 * the order in which they stand there. */
#define MAX_READS 256u
struct reads {
    struct vctx *c;
    struct VEC(const struct value *) values;
    struct VEC(const struct value *) seen;
};

static void list_value(struct reads *r, const struct value *v);

static void list_aff(struct reads *r, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(r->c->space, a->terms[i].atom);
        if (t->kind == ATOM_OPAQUE && t->user != NULL)
            list_value(r, t->user);
        if (t->def != NULL)
            list_aff(r, t->def);
        if (t->other != NULL)
            list_aff(r, t->other);
    }
}

static void list_form(struct reads *r, const struct form *f)
{
    const struct value *v =
        f->kind == FORM_PRED ? vpred_value(r->c, f->key) : NULL;
    if (v != NULL)
        list_value(r, v);
    if (f->a != NULL)
        list_aff(r, f->a);
    for (uint32_t i = 0; i < f->n; i++)
        list_form(r, f->args[i]);
}

static void list_value(struct reads *r, const struct value *v)
{
    for (size_t i = 0; i < r->seen.len; i++)
        if (r->seen.items[i] == v)
            return;
    if (r->seen.len >= MAX_READS)
        return;
    vec_push(&r->seen, v);
    if (v->kind == VALUE_INPUT)
        vec_push(&r->values, v);
    for (size_t i = 0; i < v->nindex; i++)
        list_aff(r, v->index[i]);
    if (v->cond != NULL)
        list_form(r, v->cond);
    for (size_t i = 0; i < v->nargs; i++)
        list_value(r, v->args[i]);
    for (size_t i = 0; i < v->nparts; i++)
        list_value(r, v->parts[i].leaf);
}

static void reads_fini(struct reads *r)
{
    vec_fini(&r->values);
    vec_fini(&r->seen);
}

/* ---- one fact at one instance --------------------------------------------------- */

/* Where a fact is to be used: equations for its binders, and what they give. */
struct use {
    struct vctx *c;
    const struct facts_prover *by;
    const struct vfact *fact;
    size_t n, cap;
    const struct aff **eqs;
    struct aff_map map;
};

static void use_begin(struct use *u, struct vctx *c,
                      const struct facts_prover *by, const struct vfact *fact,
                      size_t cap)
{
    *u = (struct use){.c = c, .by = by, .fact = fact, .cap = cap};
    u->eqs = ARENA_ARRAY(c->arena, cap + 1, const struct aff *);
}

/* Their elements are one. */
static bool use_equate(struct use *u, const struct value *has,
                       const struct value *wants)
{
    struct aff_space *sp = u->c->space;
    if (has->param != wants->param || u->n + has->nindex >= u->cap)
        return false;
    if (!vinput_alike(has, wants)) {
        const struct aff *a = vinput_linear(u->c, has);
        const struct aff *b = vinput_linear(u->c, wants);
        if (a == NULL || b == NULL)
            return false;
        u->eqs[u->n++] = aff_sub(sp, a, b);
        return true;
    }
    for (size_t i = 0; i < has->nindex; i++)
        u->eqs[u->n++] = aff_sub(sp, has->index[i], wants->index[i]);
    return true;
}

static const struct aff *first_bound(const struct form *f)
{
    while (f->kind == FORM_AND)
        f = f->args[0];
    return f->kind == FORM_GE0 ? f->a : NULL;
}

/* Binders that the equations leave open are found by equating what the fact and
 * the goal say of the data, else they are the least ones. */
static void use_solve(struct use *u, const struct form *goal)
{
    struct vctx *c = u->c;
    struct aff_space *sp = c->space;
    size_t n = u->fact->nbinders;
    const struct aff **to = ARENA_ARRAY(c->arena, n + 1, const struct aff *);
    (void)aff_solve(sp, u->n, u->eqs, n, u->fact->binders, to);
    u->map.n = aff_natoms(sp);
    u->map.to = ARENA_ARRAY(c->arena, u->map.n + 1, const struct aff *);
    atom_id *open = ARENA_ARRAY(c->arena, n + 1, atom_id);
    size_t nopen = 0;
    for (size_t i = 0; i < n; i++) {
        u->map.to[u->fact->binders[i]] = to[i];
        if (to[i] == NULL)
            open[nopen++] = u->fact->binders[i];
    }
    const struct aff *has = first_bound(u->fact->goal);
    const struct aff *wants = goal != NULL ? first_bound(goal) : NULL;
    if (nopen > 0 && has != NULL && wants != NULL) {
        const struct aff *eq = aff_sub(sp, vaff_subst(c, has, &u->map), wants);
        (void)aff_solve(sp, 1, &eq, nopen, open, to);
        for (size_t i = 0; i < nopen; i++)
            u->map.to[open[i]] = to[i];
    }
    for (size_t i = 0; i < nopen; i++) {
        const struct atom *info = aff_atom_info(sp, open[i]);
        if (u->map.to[open[i]] == NULL)
            u->map.to[open[i]] =
                aff_const(sp, info->lo != AFF_NO_LOWER ? info->lo : 0);
    }
}

/* A fact holds for all values of its binders within its context: whether these
 * are. */
static bool use_holds(struct use *u, const struct form *ctx)
{
    struct vctx *c = u->c;
    const struct form *range = form_true(c->space);
    /* the context leaves out constant ranges: they are the atoms' own */
    for (size_t i = 0; i < u->fact->nbinders; i++)
        range = form_and2(c->space, range,
                          vatom_takes(c, u->fact->binders[i],
                                      u->map.to[u->fact->binders[i]]));
    const struct form *there =
        form_and2(c->space, range, vform_subst(c, u->fact->ctx, &u->map));
    return u->by->proves(u->by->user, c, ctx, there,
                         "safety: the untuned program reads this");
}

/* The fact where its element `has` is the element `wants`; NULL: nowhere that
 * could be shown. */
static const struct form *
instantiate(struct vctx *c, const struct facts_prover *by,
            const struct form *ctx, const struct vfact *fact,
            const struct value *has, const struct value *wants,
            const struct form *goal)
{
    struct use u;
    use_begin(&u, c, by, fact, has->nindex + 1);
    if (fact->nbinders > 0 && !use_equate(&u, has, wants))
        return NULL;
    use_solve(&u, goal);
    return use_holds(&u, ctx) ? vform_subst(c, fact->goal, &u.map) : NULL;
}

/* ---- values that are clean --------------------------------------------------------- */

/* Whether the fact says that `wants` is clean: the same operations in the same
 * order on the same elements. */
static bool says_clean(struct vctx *c, const struct facts_prover *by,
                       const struct form *ctx, const struct vfact *fact,
                       const struct value *wants, const struct reads *reads)
{
    const struct value *has = vclean_value(c, fact->goal);
    struct reads own = {.c = c};
    struct use u;
    if (has == NULL || has->kind != wants->kind)
        return false;
    list_value(&own, has);
    bool ok = own.values.len == reads->values.len;
    size_t room = 0;
    for (size_t i = 0; i < own.values.len; i++)
        room += own.values.items[i]->nindex + 1;
    use_begin(&u, c, by, fact, room);
    for (size_t i = 0; ok && i < own.values.len; i++)
        ok = use_equate(&u, own.values.items[i], reads->values.items[i]);
    reads_fini(&own);
    if (!ok)
        return false;
    use_solve(&u, NULL);
    if (!use_holds(&u, ctx))
        return false;
    struct match m = {.c = c, .mode = MATCH_IDENTICAL, .in_order = true};
    return match_values(&m, value_subst(c, has, &u.map), wants, ctx);
}

static const struct form *recall_clean(struct vctx *c,
                                       const struct facts_prover *by,
                                       const struct form *ctx,
                                       const struct form *goal,
                                       const struct value *wants)
{
    struct reads reads = {.c = c};
    list_value(&reads, wants);
    bool found = false;
    for (const struct vfact *f = c->untuned; f && !found; f = f->next)
        found = says_clean(c, by, ctx, f, wants, &reads);
    reads_fini(&reads);
    return found ? goal : form_true(c->space);
}

/* ---- all facts ----------------------------------------------------------------------- */

#define USE_STEPS 16u /* that one use of a fact counts as */

/* The fact wherever an element of it is one of the goal. Without binders it says
 * the same wherever that is. */
static const struct form *
recall_one(struct vctx *c, const struct facts_prover *by,
           const struct form *ctx, const struct vfact *f,
           const struct reads *has, const struct reads *wants,
           const struct form *goal)
{
    const struct form *all = form_true(c->space);
    for (size_t i = 0; i < wants->values.len; i++) {
        for (size_t k = 0; k < has->values.len; k++) {
            const struct value *from = has->values.items[k];
            const struct value *to = wants->values.items[i];
            if (from->param != to->param)
                continue;
            if (!vctx_step(c, USE_STEPS))
                return all;
            const struct form *more =
                instantiate(c, by, ctx, f, from, to, goal);
            if (more != NULL)
                all = form_and2(c->space, all, more);
            if (f->nbinders == 0)
                return all;
        }
    }
    return all;
}

const struct form *facts_recall(struct vctx *c, const struct facts_prover *by,
                                const struct form *ctx, const struct form *goal)
{
    struct aff_space *sp = c->space;
    const struct value *clean = vclean_value(c, goal);
    if (clean != NULL)
        return recall_clean(c, by, ctx, goal, clean);
    const struct form *all = form_true(sp);
    struct reads wants = {.c = c};
    list_form(&wants, goal);
    for (const struct vfact *f = c->untuned; f; f = f->next) {
        struct reads has = {.c = c};
        if (vclean_value(c, f->goal) == NULL)
            list_form(&has, f->goal);
        const struct form *more = recall_one(c, by, ctx, f, &has, &wants, goal);
        all = form_and2(sp, all, more);
        reads_fini(&has);
    }
    reads_fini(&wants);
    return all;
}

#define MAX_USES 24u

static bool by_context(void *user, struct vctx *c, const struct form *ctx,
                       const struct form *goal, const char *what)
{
    (void)user;
    return vctx_proves(c, form_and2(c->space, ctx, c->sizes), goal, what);
}

const struct form *facts_about(struct vctx *c, const struct form *ctx,
                               const struct value *p, const struct value *q)
{
    const struct form *all = form_true(c->space);
    const struct facts_prover by = {by_context, NULL};
    struct reads wants = {.c = c};
    unsigned uses = 0;
    list_value(&wants, p);
    list_value(&wants, q);
    for (const struct vfact *f = c->untuned; f; f = f->next) {
        struct reads has = {.c = c};
        list_form(&has, f->goal);
        for (size_t i = 0; i < wants.values.len && uses < MAX_USES; i++) {
            for (size_t k = 0; k < has.values.len && uses < MAX_USES; k++) {
                if (has.values.items[k]->param != wants.values.items[i]->param)
                    continue;
                uses++;
                const struct form *more =
                    instantiate(c, &by, ctx, f, has.values.items[k],
                                wants.values.items[i], NULL);
                if (more != NULL)
                    all = form_and2(c->space, all, more);
            }
        }
        reads_fini(&has);
    }
    reads_fini(&wants);
    return all;
}
