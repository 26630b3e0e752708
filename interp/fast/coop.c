/* SPDX-License-Identifier: Apache-2.0
 *
 * What is worked out of a kernel whose threads run in lanes before there is
 * code for it.
 *
 * Races. Code falls into intervals, the pieces that may run between two barriers
 * of a scope: a barrier begins another one, and the end of a loop's body is in
 * the interval of its start. Within an interval in which a block's storage is
 * only read nothing can conflict, so that only its stores, and loads beside
 * stores, are looked at when they run (shadow.c). Global storage is what blocks
 * share, too, and no barrier is between them: there every access counts if the
 * kernel stores to it at all.
 *
 * Storage. Kernels that are not lowered yet declare what a block or thread has
 * for itself in the size of the whole problem. What all offsets into it have in
 * common and no one changes while it lives is taken off, and with it the size
 * shrinks to what is in use. The indices are still checked as they were.
 */
#include "interp/fast/fast_engine.h"

#include <string.h>

/* ---- intervals -------------------------------------------------------------------- */

struct use {
    struct access *access;
    uint32_t interval;
    bool stored;
};

struct intervals {
    const struct node *threads;
    struct VEC(uint32_t) parent; /* union-find */
    uint32_t now[IR_NSCOPES];
    struct VEC(struct use) uses;
    bool implied; /* some barrier is rule 3's */
};

static bool inside(const struct node *n, const struct node *loop)
{
    while (n != NULL && n->depth > loop->depth)
        n = n->parent;
    return n == loop;
}

static uint32_t interval_new(struct intervals *w)
{
    uint32_t made = (uint32_t)w->parent.len;
    vec_push(&w->parent, made);
    return made;
}

static uint32_t interval_find(struct intervals *w, uint32_t i)
{
    while (w->parent.items[i] != i) {
        w->parent.items[i] = w->parent.items[w->parent.items[i]];
        i = w->parent.items[i];
    }
    return i;
}

static void interval_join(struct intervals *w, const uint32_t *a)
{
    for (size_t s = 0; s < IR_NSCOPES; s++)
        w->parent.items[interval_find(w, a[s])] = interval_find(w, w->now[s]);
}

static bool see_use(void *user, struct access *a, bool stored)
{
    struct intervals *w = user;
    const struct store *s = a->store;
    if (s->read_only || (s->share == SHARE_NOT && inside(s->home, w->threads)))
        return true;
    struct use x = {a, w->now[s->scope], stored};
    vec_push(&w->uses, x);
    return true;
}

static void walk_intervals(struct intervals *w, struct node *list)
{
    for (struct node *n = list; n != NULL; n = n->next) {
        struct node alone = *n;
        uint32_t before[IR_NSCOPES], then[IR_NSCOPES];
        alone.next = alone.body = alone.other = NULL;
        (void)fast_nodes_accesses(&alone, see_use, w);
        memcpy(before, w->now, sizeof before);
        if (n->kind == NODE_BARRIER) {
            w->implied |= n->implied != NULL;
            for (unsigned s = 0; s < IR_NSCOPES; s++)
                if (n->scopes >> s & 1)
                    w->now[s] = interval_new(w);
        }
        walk_intervals(w, n->body);
        if (n->kind == NODE_LOOP)
            interval_join(w, before);
        if (n->kind != NODE_IF)
            continue;
        memcpy(then, w->now, sizeof then);
        memcpy(w->now, before, sizeof before);
        walk_intervals(w, n->other);
        interval_join(w, then);
    }
}

static bool is_global(const struct store *s)
{
    return s->share == SHARE_NOT;
}

/* Stores, of what blocks share in one interval. */
struct keys {
    struct VEC(uint64_t) list;
};

static uint64_t use_key(struct intervals *w, const struct use *u)
{
    const struct store *s = u->access->store;
    return (uint64_t)s->id << 32 |
           (is_global(s) ? 0 : interval_find(w, u->interval) + 1);
}

static bool has_key(const struct keys *keys, uint64_t key)
{
    for (size_t k = 0; k < keys->list.len; k++)
        if (keys->list.items[k] == key)
            return true;
    return false;
}

/* Looked at when it runs if a store may be concurrent with it. */
static void look_at(struct intervals *w)
{
    struct keys stored = {{0}};
    for (size_t i = 0; i < w->uses.len; i++) {
        const struct use *u = &w->uses.items[i];
        if (u->stored && !has_key(&stored, use_key(w, u)))
            vec_push(&stored.list, use_key(w, u));
    }
    for (size_t i = 0; i < w->uses.len; i++) {
        struct use *u = &w->uses.items[i];
        const struct store *s = u->access->store;
        bool found = has_key(&stored, use_key(w, u));
        u->access->look = found                         ? RACE_LOOK_ALL
                          : w->implied && !is_global(s) ? RACE_LOOK_BARRIER
                                                        : RACE_LOOK_NOT;
    }
    vec_fini(&stored.list);
}

static void find_looks(struct node *threads)
{
    struct intervals w;
    memset(&w, 0, sizeof w);
    w.threads = threads;
    for (size_t s = 0; s < IR_NSCOPES; s++)
        w.now[s] = interval_new(&w);
    walk_intervals(&w, threads->body);
    look_at(&w);
    vec_fini(&w.uses);
    vec_fini(&w.parent);
}

/* ---- smaller storage ----------------------------------------------------------------- */

struct shrink {
    const struct engine *e;
    const struct node *threads;
    struct store *store;
    struct affine common; /* of all offsets so far */
    bool seen, failed;
    int64_t lo, hi; /* of what is left */
};

/* Whether all threads of a warp agree on the atom: the thread's number comes in
 * divided by a multiple of the warp's size only. */
static bool warp_agrees(const struct shrink *s, uint32_t atom);

static bool form_agrees(const struct shrink *s, const struct affine *a)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (!warp_agrees(s, a->t[i].atom))
            return false;
    return true;
}

static bool warp_agrees(const struct shrink *s, uint32_t atom)
{
    const struct atom *x = &s->e->atoms.items[atom];
    if (!affine_atom_uses(s->e, atom, s->threads->atom))
        return true;
    if (x->kind == ATOM_LOOP)
        return false;
    if (x->kind == ATOM_FLOORDIV && x->divisor % EXEC_WARP_SIZE == 0 &&
        x->a.c == 0 && x->a.n == 1 && x->a.t[0].atom == s->threads->atom &&
        x->a.t[0].coef == 1)
        return true;
    return form_agrees(s, &x->a) && form_agrees(s, &x->b);
}

/* Whether an atom keeps its value while a copy of the storage lives. */
static bool stays(const struct shrink *s, uint32_t atom)
{
    const struct atom *x = &s->e->atoms.items[atom];
    const struct node *life = s->store->kept ? s->threads : s->store->home;
    if (x->scope != NULL && x->scope->depth > life->depth)
        return false;
    return s->store->share == SHARE_NOT ||
           (s->store->share == SHARE_WARP
                ? warp_agrees(s, atom)
                : !affine_atom_uses(s->e, atom, s->threads->atom));
}

static bool see_common(void *user, struct access *a, bool stored)
{
    struct shrink *s = user;
    uint32_t n = 0;
    (void)stored;
    if (a->store != s->store)
        return true;
    s->failed |= a->gather;
    if (!s->seen) {
        for (uint32_t i = 0; i < a->offset.n; i++)
            if (stays(s, a->offset.t[i].atom))
                s->common.t[s->common.n++] = a->offset.t[i];
        s->seen = true;
        return !s->failed;
    }
    for (uint32_t i = 0; i < s->common.n; i++)
        for (uint32_t k = 0; k < a->offset.n; k++)
            if (a->offset.t[k].atom == s->common.t[i].atom &&
                a->offset.t[k].coef == s->common.t[i].coef)
                s->common.t[n++] = s->common.t[i];
    s->common.n = n;
    return !s->failed;
}

/* The offset without the common terms. */
static struct affine without(const struct shrink *s, const struct affine *a)
{
    struct affine rest = affine_const(0), out;
    for (uint32_t i = 0; i < a->n; i++) {
        bool common = false;
        for (uint32_t k = 0; k < s->common.n; k++)
            common |= s->common.t[k].atom == a->t[i].atom;
        if (!common)
            rest.t[rest.n++] = a->t[i];
    }
    /* the interval follows from the terms when a constant is added */
    struct affine c = affine_const(a->c);
    rest.lo = -(INT64_C(1) << 59);
    rest.hi = INT64_C(1) << 59;
    if (!affine_add(s->e, &rest, &c, &out))
        out = *a;
    return out;
}

static bool see_rest(void *user, struct access *a, bool stored)
{
    struct shrink *s = user;
    (void)stored;
    if (a->store != s->store)
        return true;
    struct affine rest = without(s, &a->offset);
    s->lo = rest.lo < s->lo ? rest.lo : s->lo;
    s->hi = rest.hi + a->span > s->hi ? rest.hi + a->span : s->hi;
    return true;
}

static bool move_access(void *user, struct access *a, bool stored)
{
    struct shrink *s = user;
    struct affine base = affine_const(-s->lo), rest;
    (void)stored;
    if (a->store != s->store || a->moved)
        return true;
    rest = without(s, &a->offset);
    a->moved = true;
    if (!affine_add(s->e, &rest, &base, &a->offset))
        s->failed = true;
    return true;
}

static void shrink_store(struct engine *e, struct node *threads,
                         struct store *store)
{
    struct shrink s;
    memset(&s, 0, sizeof s);
    s.e = e;
    s.threads = threads;
    s.store = store;
    s.lo = INT64_MAX;
    s.hi = INT64_MIN;
    (void)fast_nodes_accesses(threads->body, see_common, &s);
    if (s.failed || !s.seen || store->init != NULL)
        return;
    (void)fast_nodes_accesses(threads->body, see_rest, &s);
    if (s.lo < -(INT64_C(1) << 58) || s.hi > INT64_C(1) << 58 ||
        s.hi - s.lo + 1 >= store->elements)
        return;
    (void)fast_nodes_accesses(threads->body, move_access, &s);
    if (s.failed)
        lower_give_up(e, "the offsets of a buffer");
    store->elements = s.hi - s.lo + 1;
}

/* A block's storage that is made in a loop is cleared there each time. */
#define MAX_KEPT (INT64_C(1) << 20)

void fast_coop_finish(struct engine *e, struct node *threads)
{
    find_looks(threads);
    for (size_t i = 0; i < e->stores.len; i++) {
        struct store *s = e->stores.items[i];
        if (s->home == NULL || !inside(s->home, threads))
            continue;
        s->kept =
            s->share == SHARE_BLOCK && !fast_store_is_fresh(e, threads, s);
        if (s->elements > 64)
            shrink_store(e, threads, s);
        if (s->kept && s->elements > MAX_KEPT)
            lower_give_up(e, "large shared storage that is made in a loop");
    }
}

/* ---- whether it can run so ---------------------------------------------------------------- */

static bool holds_tile(const struct node *list)
{
    for (const struct node *n = list; n != NULL; n = n->next)
        if (n->kind == NODE_TILE || holds_tile(n->body) || holds_tile(n->other))
            return true;
    return false;
}

static bool loop_fits(struct engine *e, struct node *threads, struct node *n)
{
    if (affine_uses(e, &n->min, threads->atom) ||
        affine_uses(e, &n->extent, threads->atom))
        return lower_give_up(e, "a loop of a kernel");
    bool promise = n->promise || n->vector;
    n->vector = false;
    if (!promise || fast_loop_independent(e, n))
        return true;
    n->ticks = true;
    return (!holds_tile(n->body) && fast_loop_look(e, n)) ||
           lower_give_up(e, fast_why_not_independent);
}

static bool list_fits(struct engine *e, struct node *threads, struct node *list)
{
    for (struct node *n = list; n != NULL; n = n->next) {
        if (n->kind == NODE_LOOP && !loop_fits(e, threads, n))
            return false;
        if (n->kind == NODE_ALLOC && n->store->init != NULL &&
            n->store->share == SHARE_NOT)
            return lower_give_up(e, "a constant of a kernel");
        if (!list_fits(e, threads, n->body) || !list_fits(e, threads, n->other))
            return false;
    }
    return true;
}

bool fast_coop_fits(struct engine *e, struct node *threads)
{
    return list_fits(e, threads, threads->body);
}
