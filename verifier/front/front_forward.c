/* SPDX-License-Identifier: Apache-2.0
 *
 * Values taken on: `v = C[i]; C[i] = v + t` adds to a cell as `C[i] = C[i] + t`
 * does, and so it is where v is a cell of a scratch buffer, or its lanes.
 *
 * What a store reads by way of a name is put in its place where that holds the
 * same number as it did when it was given the name: nothing that it reads was
 * stored to since, and no loop lies between. Only what comes from the very cell
 * that is stored to is taken on, so that the folds and recurrences that
 * reaching.c knows are seen; all other names stay.
 *
 * The accesses that become later ones are asked about where they are now, too:
 * where other threads store to what is read, that is a race. Values do not
 * depend on when other threads run, but for the store's own cell, which nobody
 * else may touch at this time.
 */
#include "verifier/front/front.h"
#include "verifier/smt/obligation.h"

#define MAX_BACK  64u   /* stores that are looked back at */
#define MAX_SIZE  2000u /* nodes that one store's value is looked through for */
#define MAX_DEPTH 16

struct forward {
    struct front *f;
    const struct faccess *to; /* the store */
    unsigned budget;
};

/* ---- what a value reads ------------------------------------------------------- */

struct reads {
    struct forward *w;
    size_t since;
    bool own;  /* the store's cell is among them */
    bool fine; /* nothing else of its storage is, and all is as it was */
};

static bool same_cell(const struct faccess *to, const struct ir_expr *load)
{
    if (load->nargs != to->n)
        return false;
    for (uint32_t i = 0; i < load->nargs; i++)
        if (!fx_same(load->args[i], to->index[i]))
            return false;
    return true;
}

static bool stored_since(const struct front *f, const struct ir_buffer *b,
                         size_t since)
{
    for (size_t i = since; i < f->stores.len; i++)
        if (f->stores.items[i]->target->buffer == b)
            return true;
    return false;
}

static void look(struct reads *r, const struct ir_expr *e, int depth)
{
    struct forward *w = r->w;
    if (!r->fine)
        return;
    if (w->budget == 0 || depth > MAX_DEPTH) {
        r->fine = false;
        return;
    }
    w->budget--;
    if (e->kind == IR_LOAD) {
        const struct ir_buffer *b = e->u.buffer;
        bool own = b == w->to->storage->pub.buffer;
        r->own |= own;
        if (own && !same_cell(w->to, e))
            r->fine = false;
        if (!OBLIGED_FRONT(w->f, "taken on: nothing it reads is stored to",
                           !stored_since(w->f, b, r->since)))
            r->fine = false;
    } else if (e->kind == IR_CALL || e->kind == IR_LET) {
        r->fine = false; /* what it does besides is not looked into */
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        look(r, e->args[i], depth + 1);
}

/* Whether e reads the store's own cell, and may be read now as it was when
 * `since` stores had been made. */
static bool taken_on(struct forward *w, const struct ir_expr *e, size_t since)
{
    struct reads r = {w, since, false, true};
    look(&r, e, 0);
    return r.fine && r.own;
}

/* ---- scopes ---------------------------------------------------------------------- */

static bool is_lanes(const struct vscope *s)
{
    return s->kind == VSCOPE_LOOP && s->loop->lanes;
}

/* No loop was opened behind the first n scopes but those of lanes. */
static bool no_loop_since(struct front *f, size_t n)
{
    bool none = true;
    for (size_t i = n < f->scopes.len ? n : f->scopes.len; i < f->scopes.len;
         i++)
        none = none && (f->scopes.items[i].kind != VSCOPE_LOOP ||
                        is_lanes(&f->scopes.items[i]));
    return OBLIGED_FRONT(f, "taken on: no loop lies between", none);
}

static bool same_scope(const struct vscope *a, const struct vscope *b)
{
    return a->kind == b->kind && a->loop == b->loop && a->var == b->var &&
           a->value == b->value && a->negated == b->negated;
}

/* The store's scopes but for its own lanes, which are all that is around it and
 * not around what is translated now. */
static bool around(struct front *f, const struct vstore *st, size_t *n)
{
    bool same = true;
    *n = st->nscopes;
    while (*n > 0 && is_lanes(&st->scopes[*n - 1]))
        --*n;
    for (size_t i = 0; i < *n; i++)
        same = same && i < f->scopes.len &&
               same_scope(&st->scopes[i], &f->scopes.items[i]);
    return OBLIGED_FRONT(f, "taken on: its conditions hold here", same);
}

/* ---- names --------------------------------------------------------------------------- */

/* Scope of the let that made the variable; false: none around. */
static bool find_let(const struct front *f, const struct ir_var *var,
                     size_t *at)
{
    for (size_t i = f->scopes.len; i-- > 0;)
        if (f->scopes.items[i].kind == VSCOPE_LET &&
            f->scopes.items[i].var == var) {
            *at = i;
            return true;
        }
    return false;
}

static bool reads_target(struct forward *w, const struct ir_expr *e, int depth)
{
    if (w->budget == 0)
        return true;
    w->budget--;
    if (e->kind == IR_LOAD && e->u.buffer == w->to->storage->pub.buffer)
        return true;
    for (uint32_t i = 0; i < e->nargs && depth < MAX_DEPTH; i++)
        if (reads_target(w, e->args[i], depth + 1))
            return true;
    return false;
}

/* Several values of one step, as an argmax has them, stay names: each is of the
 * state before all of them. */
static bool alone(struct forward *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->f->scopes.len; i++) {
        const struct vscope *s = &w->f->scopes.items[i];
        n += s->kind == VSCOPE_LET && reads_target(w, s->value, 0) ? 1 : 0;
    }
    return n == 1;
}

static struct ir_expr *of_let(struct forward *w, struct ir_expr *e)
{
    const struct var_info *info = front_info(w->f, e->u.var);
    size_t at;
    if (info == NULL || info->value == NULL || !find_let(w->f, e->u.var, &at) ||
        !taken_on(w, info->value, info->nstores) ||
        !no_loop_since(w->f, at + 1) || !alone(w))
        return e;
    return info->value;
}

/* ---- cells --------------------------------------------------------------------------- */

/* Where a store's lane goes to an element that is read, which lane that is. */
struct lane {
    const struct ir_var *var; /* NULL: it has no lanes */
    int64_t n;
    struct ir_expr *is; /* NULL: any so far */
};

static bool is_lane(const struct lane *l, const struct ir_expr *e)
{
    int64_t n;
    unsigned flags = 0;
    if (e->kind == IR_CAST && dtype_is_int(e->dtype)) {
        (void)num_from_int(e->dtype, l->n - 1, &flags); /* the last lane */
        return (flags & NUM_WRAPPED) == 0 && is_lane(l, e->args[0]);
    }
    if (e->kind == IR_FLOORMOD && ir_const_int(e->args[1], &n) && n >= l->n)
        return is_lane(l, e->args[0]);
    return l->var != NULL && e->kind == IR_VAR_REF && e->u.var == l->var;
}

/* Without conversions and remainders that change nothing. */
static struct ir_expr *plain(const struct front *f, struct ir_expr *e)
{
    int64_t n, lo, hi;
    for (;;) {
        bool cast = e->kind == IR_CAST && dtype_is_int(e->dtype) &&
                    dtype_is_int(e->args[0]->dtype) && fx_range(f, e, &lo, &hi);
        bool same = e->kind == IR_FLOORMOD && ir_const_int(e->args[1], &n) &&
                    fx_range(f, e->args[0], &lo, &hi) && lo >= 0 && hi < n;
        if (!cast && !same)
            return e;
        e = e->args[0];
    }
}

/* Whether `stored` is `read` for the lane in *l, which is found on the way. */
static bool meet(const struct front *f, struct lane *l,
                 const struct ir_expr *stored, struct ir_expr *read, int depth)
{
    int64_t lo, hi;
    if (is_lane(l, stored)) {
        read = plain(f, read);
        if (l->is != NULL)
            return fx_same(l->is, read);
        l->is = read;
        return fx_range(f, read, &lo, &hi) && lo >= 0 && hi < l->n;
    }
    if (stored->kind != read->kind || stored->nargs != read->nargs ||
        stored->nargs == 0 || depth > MAX_DEPTH)
        return fx_same(stored, read);
    for (uint32_t i = 0; i < stored->nargs; i++)
        if (!meet(f, l, stored->args[i], read->args[i], depth + 1))
            return false;
    return true;
}

static struct ir_expr *at_lane(struct forward *w, const struct lane *l,
                               struct ir_expr *e, int depth)
{
    if (l->var == NULL || depth > MAX_DEPTH || w->budget == 0)
        return e;
    w->budget--;
    if (e->kind == IR_VAR_REF)
        return e->u.var == l->var ? fx_cast(w->f, e->dtype, l->is) : e;
    if (e->nargs == 0)
        return e;
    struct ir_expr **args =
        ARENA_ARRAY(w->f->arena, e->nargs, struct ir_expr *);
    for (uint32_t i = 0; i < e->nargs; i++)
        args[i] = at_lane(w, l, e->args[i], depth + 1);
    return e->kind == IR_LOAD
               ? ir_load(w->f->m, e->u.buffer, e->nargs, args, NULL)
               : fx_rebuild(w->f, e, e->dtype, e->nargs, args);
}

/* Whether at_lane can put it together again. */
static bool rebuilds(struct forward *w, const struct ir_expr *e, int depth)
{
    if (w->budget == 0 || depth > MAX_DEPTH)
        return false;
    w->budget--;
    if (e->kind == IR_LET || e->kind == IR_CALL || e->kind == IR_SHUFFLE ||
        e->predicate != NULL)
        return false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!rebuilds(w, e->args[i], depth + 1))
            return false;
    return true;
}

static struct ir_expr *of_cell(struct forward *w, struct ir_expr *e)
{
    struct front *f = w->f;
    const struct vstore *st = NULL;
    size_t k = f->stores.len, n;
    for (size_t i = 0; i < MAX_BACK && k > 0 && st == NULL; i++)
        if (f->stores.items[--k]->target->buffer == e->u.buffer)
            st = f->stores.items[k];
    if (st == NULL || st->atomic || st->async || st->nindex != e->nargs ||
        !around(f, st, &n) || !no_loop_since(f, n))
        return e;
    struct lane l = {NULL, 0, NULL};
    if (st->nscopes == n + 1) {
        const struct vloop *loop = st->scopes[n].loop;
        l.var = loop->var;
        if (!ir_const_int(loop->extent, &l.n))
            return e;
    } else if (st->nscopes != n) {
        return e;
    }
    bool met = true; /* what an index reads may have been stored to since */
    for (uint32_t i = 0; i < e->nargs && met; i++)
        met = !ir_has_load(st->index[i]) && !ir_has_load(e->args[i]) &&
              meet(f, &l, st->index[i], e->args[i], 0);
    if (l.var != NULL && l.is == NULL)
        return e;
    if (!OBLIGED_FRONT(f, "taken on: the element is the one stored", met) ||
        !rebuilds(w, st->value, 0))
        return e;
    struct ir_expr *value = at_lane(w, &l, st->value, 0);
    if (w->budget == 0) /* it may not be whole */
        return e;
    return taken_on(w, value, k) ? value : e;
}

/* ---- all --------------------------------------------------------------------------------- */

static struct ir_expr *forward(struct forward *w, struct ir_expr *e, int depth)
{
    if (w->budget == 0 || depth > MAX_DEPTH)
        return e;
    w->budget--;
    if (e->kind == IR_VAR_REF)
        return of_let(w, e);
    if (e->kind == IR_LOAD)
        return e->u.buffer == w->to->storage->pub.buffer ? e : of_cell(w, e);
    if (e->nargs == 0 || e->kind == IR_LET)
        return e;
    struct ir_expr **args =
        ARENA_ARRAY(w->f->arena, e->nargs, struct ir_expr *);
    bool changed = false;
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = forward(w, e->args[i], depth + 1);
        changed |= args[i] != e->args[i];
    }
    return changed ? fx_rebuild(w->f, e, e->dtype, e->nargs, args) : e;
}

struct ir_expr *front_taken_on(struct front *f, const struct faccess *to,
                               struct ir_expr *value)
{
    struct forward w = {f, to, MAX_SIZE};
    if (f->again || front_failed(f))
        return value;
    return forward(&w, value, 0);
}
