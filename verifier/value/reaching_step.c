/* SPDX-License-Identifier: Apache-2.0
 *
 * Recurrences in a cell: X[f] = g(X[f], e), also of several storages at once
 * (argmax keeps an index and a value). They are no terms of an operator that is
 * known, but steps of a fold: the state of the cell goes through each step in
 * the order of time. A step is read off with holes for the state before it.
 *
 * What is shown, so that the value at the reader is the state after the steps
 * of the domain, in their order:
 *   - each component has its last plain store, and none between it and the
 *     reader; no step follows another component's that does not follow that of
 *     the component which is read (same_steps);
 *   - what a step reads, where it stands, comes after those plain stores, so
 *     that what it stores does too;
 *   - of two steps the later reads after the earlier has stored (in_turn).
 * Every other read inside a step is one like any other, but neither its address
 * nor what holds there may depend on the state.
 */
#include "verifier/value/reaching.h"

#include <string.h>

#define MAX_PLACES 24

struct step {
    const struct step_system *system;
    const struct vstore *const *stores;
    struct vinst *at[MAX_STATE];        /* one instance, at each store */
    const struct aff *const *cell;      /* their own cell */
    const struct value *now[MAX_STATE]; /* the new state, as far as known */
    bool busy[MAX_STATE];
    const struct form *ctx;
};

/* ---- finding them ----------------------------------------------------------- */

/* Storages that an expression reads at the cell that the store writes. */
struct own_reads {
    struct vctx *c;
    const struct store_info *k;
    const struct vstore *st;
    unsigned visits;
    size_t n;
    const struct vstorage *found[MAX_STATE + 1];
};

static bool same_privates(const struct vstorage *a, const struct vstorage *b)
{
    if (a->nprivate != b->nprivate || a->buffer->rank != b->buffer->rank)
        return false;
    for (size_t i = 0; i < a->nprivate; i++)
        if (a->privates[i] != b->privates[i])
            return false;
    return true;
}

static void note_load(struct own_reads *o, const struct ir_expr *e)
{
    const struct vstorage *s = vprog_storage(o->k->probe->prog, e->u.buffer);
    const struct aff *cell[MAX_UNKNOWN];
    if (s == NULL || !s->written || !same_privates(s, o->st->target) ||
        vcell_rank(s) > MAX_UNKNOWN ||
        !vexpr_index_list(o->c, o->k->probe, e->nargs, e->args) ||
        !vcell_of(o->c, o->k->probe, s, e->nargs, e->args, cell))
        return;
    for (size_t i = 0; i < vcell_rank(s); i++)
        if (cell[i] != o->k->cell[i])
            return;
    for (size_t i = 0; i < o->n; i++)
        if (o->found[i] == s)
            return;
    if (o->n <= MAX_STATE)
        o->found[o->n++] = s;
}

static void find_own(struct own_reads *o, const struct ir_expr *e)
{
    size_t where;
    if (++o->visits > 2000)
        return;
    if (e->kind == IR_LOAD)
        note_load(o, e);
    if (e->kind == IR_VAR_REF) {
        const struct vscope *s = vinst_lookup(o->k->probe, e->u.var, &where);
        if (s != NULL && s->kind == VSCOPE_LET)
            find_own(o, s->value);
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        find_own(o, e->args[i]);
}

static struct own_reads own_reads_of(struct vctx *c, const struct store_info *k,
                                     const struct vstore *st)
{
    struct own_reads o = {.c = c, .k = k, .st = st};
    if (k->looked)
        find_own(&o, st->value);
    return o;
}

static bool reads(const struct own_reads *o, const struct vstorage *s)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->found[i] == s)
            return true;
    return false;
}

/* Under the same loops, lets and conditions. */
static bool same_nest(const struct vstore *a, const struct vstore *b)
{
    if (a->nscopes != b->nscopes)
        return false;
    for (size_t i = 0; i < a->nscopes; i++) {
        const struct vscope *x = &a->scopes[i], *y = &b->scopes[i];
        if (x->kind != y->kind || x->loop != y->loop || x->var != y->var ||
            x->value != y->value || x->negated != y->negated)
            return false;
    }
    return true;
}

/* Whether b's cell is a's, for the same loops. */
static bool same_index(struct vctx *c, const struct store_info *ka,
                       const struct vstore *a, const struct vstore *b)
{
    const struct aff *cell[MAX_UNKNOWN];
    if (!same_privates(a->target, b->target) ||
        vcell_rank(b->target) > MAX_UNKNOWN ||
        !vexpr_index_list(c, ka->probe, b->nindex, b->index) ||
        !vcell_of(c, ka->probe, b->target, b->nindex, b->index, cell))
        return false;
    for (size_t i = 0; i < vcell_rank(b->target); i++)
        if (cell[i] != ka->cell[i])
            return false;
    return true;
}

struct members {
    size_t n;
    const struct vstore *stores[MAX_STATE];
    struct own_reads reads[MAX_STATE];
};

/* t belongs to the members: it reads one of their storages and they read its,
 * or it reads its own and one of theirs. */
static bool belongs(const struct members *m, const struct vstore *t,
                    const struct own_reads *o)
{
    bool read_by = false, reads_them = false;
    for (size_t i = 0; i < m->n; i++) {
        if (m->stores[i] == t || m->stores[i]->target == t->target)
            return false;
        read_by = read_by || reads(&m->reads[i], t->target);
        reads_them = reads_them || reads(o, m->stores[i]->target);
    }
    bool own = reads(o, t->target);
    return (read_by && (own || reads_them)) || (own && reads_them);
}

static bool gather_members(struct vctx *c, const struct vprog *p,
                           struct store_info *all, const struct vstore *seed,
                           struct members *m)
{
    *m = (struct members){.n = 1, .stores = {seed}};
    m->reads[0] = own_reads_of(c, &all[seed->id], seed);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < p->nstores; i++) {
            const struct vstore *t = p->stores[i];
            if (t == seed || t->target == seed->target || !same_nest(t, seed) ||
                !same_index(c, &all[seed->id], seed, t))
                continue;
            struct own_reads o = own_reads_of(c, &all[t->id], t);
            if (!belongs(m, t, &o))
                continue;
            if (m->n == MAX_STATE)
                return false;
            m->stores[m->n] = t;
            m->reads[m->n++] = o;
            more = true;
        }
    }
    return true;
}

static struct step_system *system_of(struct store_info *all,
                                     const struct vprog *p,
                                     const struct vstorage *s)
{
    for (size_t i = 0; i < p->nstores; i++)
        if (all[i].group != NULL)
            for (size_t k = 0; k < all[i].group->system->n; k++)
                if (all[i].group->system->parts[k] == s)
                    return all[i].group->system;
    return NULL;
}

const struct step_system *reaching_system(struct vctx *c, const struct vprog *p,
                                          const struct vstorage *s)
{
    return system_of(reaching_infos(c, p), p, s);
}

/* The members as a group of a system of their own or of one that is known;
 * stores of the group in the order of the system's parts. */
static void make_group(struct vctx *c, const struct vprog *p,
                       struct store_info *all, const struct members *m)
{
    struct step_group *g = ARENA_NEW(c->arena, struct step_group);
    struct step_system *sys = NULL;
    bool fits = true;
    for (size_t i = 0; i < m->n; i++) {
        struct step_system *s = system_of(all, p, m->stores[i]->target);
        fits = fits && (i == 0 || s == sys);
        sys = s != NULL ? s : sys;
        fits = fits && (!m->stores[i]->atomic || m->n == 1);
    }
    if (sys != NULL && (!fits || sys->n != m->n)) {
        sys->refused = true;
        return;
    }
    if (!fits)
        return;
    if (sys == NULL) {
        sys = ARENA_NEW(c->arena, struct step_system);
        /* in the program's order of stores */
        for (size_t i = 0; i < p->nstores; i++)
            for (size_t k = 0; k < m->n; k++)
                if (m->stores[k] == p->stores[i])
                    sys->parts[sys->n++] = p->stores[i]->target;
    }
    g->system = sys;
    for (size_t i = 0; i < sys->n; i++)
        for (size_t k = 0; k < m->n; k++)
            if (m->stores[k]->target == sys->parts[i])
                g->stores[i] = m->stores[k];
    for (size_t k = 0; k < m->n; k++)
        all[m->stores[k]->id].group = g;
}

void reaching_find_steps(struct vctx *c, const struct vprog *p,
                         struct store_info *all)
{
    for (size_t i = 0; i < p->nstores; i++) {
        const struct vstore *st = p->stores[i];
        struct store_info *k = &all[st->id];
        struct members m;
        if (k->is_update || k->group != NULL || !k->looked ||
            !reaching_repeats(c, k, st))
            continue;
        struct own_reads o = own_reads_of(c, k, st);
        /* of stores to where data say, the last one counts: steps that forget
         * what was there */
        if ((k->scatters || reads(&o, st->target)) &&
            gather_members(c, p, all, st, &m))
            make_group(c, p, all, &m);
    }
    /* updates by an operator that do not belong to a group stand in its way */
    for (size_t i = 0; i < p->nstores; i++) {
        struct step_system *s = system_of(all, p, p->stores[i]->target);
        if (s != NULL && all[i].is_update && all[i].group == NULL)
            s->refused = true;
    }
    for (size_t i = 0; i < p->nstores; i++) {
        if (all[i].group != NULL && all[i].group->system->refused)
            all[i].group = NULL;
        else if (all[i].group != NULL)
            all[i].is_update = true;
    }
}

/* ---- places ----------------------------------------------------------------- */

/* The same iteration at another store of the same nest; lets are evaluated
 * anew: what they read depends on where one asks from. */
static struct vinst *at_store(struct vctx *c, const struct vstore *st,
                              const struct vinst *u, const struct form *ctx)
{
    struct vinst *out = ARENA_NEW(c->arena, struct vinst);
    *out = *u;
    out->nscopes = st->nscopes;
    out->scopes = st->scopes;
    out->nsteps = st->nsteps;
    out->steps = st->steps;
    out->ctx = ctx;
    out->dom = NULL;
    out->lets = ARENA_ARRAY(c->arena, st->nscopes + 1, struct vlet *);
    return out;
}

/* A place of a step where something is read. */
struct read_place {
    struct vinst *at;
    size_t nread;
};

static size_t places_of(struct vctx *c, const struct step_group *g,
                        const struct vinst *x, struct read_place *out)
{
    size_t n = 0;
    for (size_t i = 0; i < g->system->n; i++) {
        const struct vstore *st = g->stores[i];
        struct vinst *at = at_store(c, st, x, x->ctx);
        for (size_t k = 0; i == 0 && k < st->nscopes; k++) {
            if (st->scopes[k].kind != VSCOPE_LET ||
                vexpr_is_index(c, at, st->scopes[k].value))
                continue;
            if (n + g->system->n >= MAX_PLACES)
                return 0;
            struct vinst *let = vinst_at_let(c, at, k);
            out[n++] = (struct read_place){let, let->nsteps};
        }
        out[n++] = (struct read_place){at, st->read_steps};
    }
    return n;
}

static const struct form *since(struct step_read *s, size_t i,
                                const struct vinst *x, size_t n)
{
    struct vctx *c = s->r->c;
    return s->at[i] == NULL ? form_true(c->space)
                            : vtime_before(c, s->at[i], s->at[i]->nsteps, x, n);
}

/* The step's store to part i comes after the last plain one and before the
 * reader. */
static const struct form *counts(struct step_read *s,
                                 const struct step_group *g, size_t i,
                                 const struct vinst *x)
{
    struct vctx *c = s->r->c;
    const struct vinst *at = at_store(c, g->stores[i], x, x->ctx);
    return form_and2(c->space, since(s, i, at, at->nsteps),
                     reaching_before_reader(s->r, at));
}

/* Any instance that steps through the cell, and is one of those that count. */
static struct vinst *any_step(struct step_read *s, const struct step_group *g,
                              const struct form **in, const struct form **where)
{
    struct vctx *c = s->r->c;
    const struct vstore *st = g->stores[s->root];
    const struct aff *cell[MAX_UNKNOWN];
    struct vinst *x = vinst_of_store(c, s->r->prog, st);
    x->ctx = s->ctx;
    const struct form *dom = vinst_dom(c, x);
    if (dom == NULL || !vcell_of(c, x, st->target, st->nindex, st->index, cell))
        return NULL;
    *in = form_and2(c->space, form_and2(c->space, s->ctx, dom),
                    reaching_same_cell(s->r, cell, s->r->cell));
    *where = form_and2(c->space, *in, counts(s, g, s->root, x));
    return x;
}

static bool same_steps(struct step_read *s, const struct step_group *g)
{
    struct vctx *c = s->r->c;
    const struct form *in, *where;
    struct vinst *x = any_step(s, g, &in, &where);
    struct read_place places[MAX_PLACES];
    if (x == NULL)
        return false;
    const struct form *root = counts(s, g, s->root, x);
    for (size_t i = 0; i < g->system->n; i++)
        if (i != s->root &&
            !vctx_proves(c, form_and2(c->space, in, counts(s, g, i, x)), root,
                         "no component takes another step"))
            return false;
    size_t n = places_of(c, g, x, places);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < g->system->n; i++)
            if (!vctx_proves(c, where,
                             since(s, i, places[k].at, places[k].nread),
                             "a step reads what stands before it"))
                return false;
    return n > 0;
}

static bool in_turn(struct step_read *s, const struct step_group *g,
                    const struct step_group *h)
{
    struct vctx *c = s->r->c;
    const struct form *in, *where_x, *where_y;
    struct vinst *x = any_step(s, g, &in, &where_x);
    struct vinst *y = any_step(s, h, &in, &where_y);
    struct read_place places[MAX_PLACES];
    if (x == NULL || y == NULL)
        return false;
    const struct vinst *rx = at_store(c, g->stores[s->root], x, s->ctx);
    const struct vinst *ry = at_store(c, h->stores[s->root], y, s->ctx);
    const struct form *both =
        form_and2(c->space, form_and2(c->space, where_x, where_y),
                  vtime_before(c, rx, rx->nsteps, ry, ry->nsteps));
    size_t n = places_of(c, h, y, places);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < g->system->n; i++) {
            const struct vinst *st = at_store(c, g->stores[i], x, s->ctx);
            if (!vctx_proves(c, both,
                             vtime_before(c, st, st->nsteps, places[k].at,
                                          places[k].nread),
                             "steps come one after the other"))
                return false;
        }
    return n > 0;
}

/* ---- reading them off ------------------------------------------------------- */

static bool steps_sound(struct step_read *s)
{
    const struct vprog *p = s->r->prog;
    struct store_info *all = reaching_infos(s->r->c, p);
    const struct step_group *groups[32];
    size_t n = 0;
    for (size_t i = 0; i < p->nstores; i++) {
        const struct step_group *g = all[i].group;
        if (g == NULL || g->system != s->system || g->stores[0] != p->stores[i])
            continue;
        if (n == DC_ARRAY_LEN(groups))
            return false;
        groups[n++] = g;
    }
    for (size_t i = 0; i < n; i++) {
        if (!same_steps(s, groups[i]))
            return false;
        for (size_t k = 0; k < n; k++)
            if (!in_turn(s, groups[i], groups[k]))
                return false;
    }
    return true;
}

struct step_read *reaching_steps(struct read *r, const struct form *ctx,
                                 const struct vstore *st, struct vinst *w,
                                 const struct step_group *g)
{
    struct step_read *s = ARENA_NEW(r->c->arena, struct step_read);
    s->r = r;
    s->system = g->system;
    s->ctx = ctx;
    for (size_t i = 0; i < g->system->n; i++) {
        struct read other = *r;
        other.s = g->system->parts[i];
        if (other.s == r->s) {
            s->root = i;
            s->plain[i] = st;
            s->at[i] = w;
        } else if (!reaching_last(&other, ctx, &s->plain[i], &s->at[i])) {
            return vctx_fail(r->c, "which store '%s' begins with was not found",
                             other.s->buffer->name);
        }
    }
    if (!steps_sound(s))
        return vctx_fail(r->c, "'%s' is computed by a recurrence",
                         r->s->buffer->name);
    return s;
}

const struct value *reaching_steps_begin(struct step_read *s)
{
    const struct value *begin[MAX_STATE];
    for (size_t i = 0; i < s->system->n; i++) {
        struct read r = *s->r;
        r.s = s->system->parts[i];
        if (s->covered && s->system->n == 1)
            begin[i] = value_const(s->r->c, r.s->buffer->dtype, 0);
        else
            begin[i] = s->plain[i] == NULL
                           ? reaching_initial(&r)
                           : reaching_stored(&r, s->plain[i], s->at[i], s->ctx,
                                             s->plain[i]->value);
        if (begin[i] == NULL)
            return NULL;
    }
    return value_tuple(s->r->c, s->system->n, begin);
}

/* Component i of the new state. */
static const struct value *component(struct vctx *c, struct step *s, size_t i)
{
    if (s->now[i] != NULL)
        return s->now[i];
    if (s->busy[i])
        return vctx_fail(c, "a step of '%s' reads its own result",
                         s->system->parts[i]->buffer->name);
    s->busy[i] = true;
    struct vinst reading = *s->at[i];
    reading.nsteps = s->stores[i]->read_steps;
    s->now[i] = veval_value(c, &reading, s->stores[i]->value, s->ctx);
    s->busy[i] = false;
    return s->now[i];
}

const struct value *reaching_step(struct step_read *r,
                                  const struct step_group *g, struct vinst *u,
                                  const struct form *here)
{
    struct vctx *c = r->r->c;
    struct step *outer = c->flow->step;
    const struct vstore *root = g->stores[r->root];
    struct store_info *k = &reaching_infos(c, r->r->prog)[root->id];
    const struct aff *cell[MAX_UNKNOWN];
    struct step s = {.system = g->system, .stores = g->stores, .ctx = here};
    if (k->active >= MAX_NESTED)
        return vctx_fail(c, "'%s' is computed by a recurrence",
                         r->r->s->buffer->name);
    if (!vcell_of(c, u, root->target, root->nindex, root->index, cell))
        return NULL;
    s.cell = cell;
    for (size_t i = 0; i < g->system->n; i++)
        s.at[i] = at_store(c, g->stores[i], u, here);
    bool ok = true;
    k->active++;
    c->depth++;
    c->flow->step = &s;
    for (size_t i = 0; i < g->system->n && ok; i++)
        ok = component(c, &s, i) != NULL;
    c->flow->step = outer;
    c->depth--;
    k->active--;
    return ok ? value_tuple(c, g->system->n, s.now) : NULL;
}

const struct value *reaching_own(struct vctx *c, const struct vstorage *s,
                                 const struct aff *const *cell,
                                 const struct vinst *reader, size_t nread,
                                 bool *own)
{
    struct step *step = c->flow->step;
    size_t i = 0;
    while (i < step->system->n && step->system->parts[i] != s)
        i++;
    /* the reader is of this step if it has its loops: the very array */
    if (i == step->system->n || reader->loops != step->at[i]->loops)
        return NULL;
    for (size_t d = 0; d < vcell_rank(s); d++)
        if (cell[d] != step->cell[d])
            return NULL;
    *own = true;
    const struct form *stored =
        vtime_before(c, step->at[i], step->at[i]->nsteps, reader, nread);
    if (stored->kind == FORM_FALSE)
        return value_hole(c, s->buffer->dtype, i);
    if (stored->kind == FORM_TRUE)
        return component(c, step, i);
    return vctx_fail(c, "'%s' is read amid a step", s->buffer->name);
}
