/* SPDX-License-Identifier: Apache-2.0
 *
 * Which statement is to blame for an element that differs.
 *
 * Both formulas are gone down together, from the statement that stored the
 * element to those that made what it is made of. Before it is entered what a
 * statement has read, it is asked whether the right value lay in another cell of
 * the same storage: then it was read from the wrong place, and the reader is to
 * blame, else who made it. Where an operation on many lacks operands, what held
 * them last and was overwritten tells who lost them; where nothing did, they were
 * never combined by the statement that combines their neighbours. An operand too
 * many that is a number is one that somebody stored: a start, a padding.
 *
 * All of this is a matter of formulas: it is said of one element on one input,
 * and of a reader and a maker that do not fit together one is as much to blame
 * as the other.
 */
#include "diff/why/why.h"
#include "diff/why/why_operands.h"

#define MAX_DOWN   4096u /* steps down */
#define MAX_LOOKED 64u   /* times that all stores are gone through */

struct blaming {
    struct arena *arena;
    struct why_bags bags;
    const struct interp_formula *all;
    const struct interp_form *at[WHY_SIDES];
    const struct interp_form *nest[WHY_SIDES]; /* the last that was compared */
    const struct interp_made *made[WHY_SIDES]; /* to blame so far */
    struct why_blame *out;
    unsigned looked;
};

/* ---- what else was stored --------------------------------------------------------- */

static bool is_same_cell(const struct interp_made *a,
                         const struct interp_made *b)
{
    return a->storage == b->storage && a->offset == b->offset;
}

/* Whether this is to be found in another cell of the storage. */
static bool lies_elsewhere(struct blaming *b, uint64_t hash,
                           const struct interp_made *where)
{
    if (b->all == NULL || b->looked++ >= MAX_LOOKED)
        return false;
    for (size_t i = 0; i < b->all->nstores; i++) {
        const struct interp_form *s = b->all->stores[i];
        if (s->made->storage == where->storage &&
            s->made->offset != where->offset && why_bag(&b->bags, s) == hash)
            return true;
    }
    return false;
}

/* ---- going down ------------------------------------------------------------------- */

static void blame(struct blaming *b, size_t side,
                  const struct interp_made *made)
{
    if (made != NULL)
        b->made[side] = made;
}

/* Goes to what copies copy; false: the tuned one was read from the wrong place,
 * by the statement that is blamed so far. */
static bool enter(struct blaming *b)
{
    const struct interp_form **u = &b->at[WHY_UNTUNED];
    const struct interp_form **t = &b->at[WHY_TUNED];
    const struct interp_made *reader = b->made[WHY_TUNED];
    uint64_t right = why_bag(&b->bags, *u);
    for (;; *t = (*t)->args[0]) {
        const struct interp_made *made = (*t)->made;
        if (made != NULL && made != reader && reader != NULL &&
            lies_elsewhere(b, right, made)) {
            b->out->taken_from = made;
            return false;
        }
        blame(b, WHY_TUNED, made);
        reader = b->made[WHY_TUNED];
        if ((*t)->kind != INTERP_FORM_COPY)
            break;
    }
    for (;; *u = (*u)->args[0]) {
        blame(b, WHY_UNTUNED, (*u)->made);
        if ((*u)->kind != INTERP_FORM_COPY)
            return true;
    }
}

static bool is_cast(const struct interp_form *f)
{
    return f->kind == INTERP_FORM_OP && f->op == IR_CAST;
}

/* Whether it is worth to go on in a pair of operands: they are alike, or but for
 * a conversion. */
static bool is_alike(const struct interp_form *u, const struct interp_form *t)
{
    u = why_bare(u);
    t = why_bare(t);
    return is_cast(u) || is_cast(t) ||
           (u->kind == t->kind &&
            (u->kind != INTERP_FORM_OP || why_is_same_operation(u, t)));
}

/* The first pair of operands of one operation that differs and is alike. */
static bool go_to_operand(struct blaming *b)
{
    const struct interp_form *u = b->at[WHY_UNTUNED], *t = b->at[WHY_TUNED];
    for (uint32_t i = 0; i < u->nargs; i++)
        if (why_bag(&b->bags, u->args[i]) != why_bag(&b->bags, t->args[i]) &&
            is_alike(u->args[i], t->args[i])) {
            b->at[WHY_UNTUNED] = u->args[i];
            b->at[WHY_TUNED] = t->args[i];
            return true;
        }
    return false;
}

/* One is converted and the other is not: below the conversion. */
static bool go_below_cast(struct blaming *b)
{
    bool u = is_cast(b->at[WHY_UNTUNED]), t = is_cast(b->at[WHY_TUNED]);
    size_t side = t ? WHY_TUNED : WHY_UNTUNED;
    if (u == t)
        return false;
    b->at[side] = b->at[side]->args[0];
    return true;
}

/* ---- operations on many ----------------------------------------------------------- */

static bool take(struct blaming *b, const struct interp_form *form,
                 const struct interp_form *of, const struct interp_made *by,
                 struct why_operands *out)
{
    return why_operands_take(b->arena, &b->bags, form, of, by, out);
}

static const struct interp_form *without_sign(const struct interp_form *f)
{
    bool minus = f->kind == INTERP_FORM_OP && f->op == IR_SUB && f->nargs == 1;
    return minus ? f->args[0] : f;
}

/* The operand is there on the other side as well, with the other sign. */
static bool is_negated(struct blaming *b, const struct interp_form *form,
                       const struct why_operands *among)
{
    uint64_t hash = why_bag(&b->bags, without_sign(form));
    for (size_t i = 0; i < among->list.len; i++)
        if (why_bag(&b->bags, without_sign(among->list.items[i].form)) == hash)
            return true;
    return false;
}

/* Whether the formula has a part of this hash; each part is looked at once. */
static bool has_part(struct blaming *b, const struct interp_form *form,
                     uint64_t hash)
{
    struct VEC(const struct interp_form *) open = {0};
    struct ptr_map seen = {0};
    bool found = false;
    vec_push(&open, form);
    while (open.len > 0 && !found) {
        const struct interp_form *f = open.items[--open.len];
        found = why_bag(&b->bags, f) == hash;
        for (uint32_t i = 0; i < f->nargs && !found; i++)
            if (ptr_map_find(&seen, f->args[i], NULL) == NULL) {
                ptr_map_put(&seen, f->args[i], NULL, 1);
                vec_push(&open, f->args[i]);
            }
    }
    vec_fini(&open);
    ptr_map_fini(&seen);
    return found;
}

/* Whether the operation `of` takes an operand of this hash together in what was
 * stored. Asked of all stores in order, so that the answer for what was stored
 * before is known. */
static bool combines_it(struct blaming *b, const struct interp_form *form,
                        const struct interp_form *of, uint64_t hash,
                        struct ptr_map *known)
{
    struct VEC(const struct interp_form *) open = {0};
    bool found = false;
    vec_push(&open, form);
    while (open.len > 0 && !found) {
        const struct interp_form *f = open.items[--open.len];
        const uint64_t *before = ptr_map_find(known, f, NULL);
        if (before != NULL)
            found = *before != 0;
        else if (why_bag(&b->bags, f) == hash)
            found = true;
        else if (f->kind == INTERP_FORM_COPY || why_is_same_operation(f, of))
            for (uint32_t i = 0; i < f->nargs; i++)
                vec_push(&open, f->args[i]);
    }
    vec_fini(&open);
    ptr_map_put(known, form, NULL, found);
    return found;
}

static bool is_number(const struct interp_form *form)
{
    return why_bare(form)->kind == INTERP_FORM_NUMBER;
}

/* Of what had the operand in last and was overwritten: by whom, if an operation
 * on many was begun in that cell, or begins anew. NULL: nobody. */
static const struct interp_made *
find_loser(struct blaming *b, const struct interp_form *of, uint64_t hash)
{
    struct ptr_map known = {0};
    const struct interp_form *last = NULL;
    size_t at = 0, n = b->all != NULL ? b->all->nstores : 0;
    bool begun = false;
    for (size_t i = 0; i < n; i++)
        if (combines_it(b, b->all->stores[i], of, hash, &known)) {
            last = b->all->stores[i];
            at = i;
        }
    ptr_map_fini(&known);
    for (size_t i = 0; i < at; i++)
        begun |= is_number(b->all->stores[i]) &&
                 is_same_cell(b->all->stores[i]->made, last->made);
    for (size_t i = at + 1; last != NULL && i < n; i++) {
        const struct interp_form *s = b->all->stores[i];
        if (is_same_cell(s->made, last->made))
            return begun || is_number(s) ? s->made : NULL;
    }
    return NULL;
}

/* Operands that the tuned side never combined: by whom their neighbour is. */
static void blame_neighbour(struct blaming *b, const struct interp_form *of,
                            uint64_t missing)
{
    struct why_operands u = {0}, t = {0};
    const struct interp_made *by = NULL;
    bool passed = false;
    if (take(b, b->at[WHY_UNTUNED], of, NULL, &u) &&
        take(b, b->at[WHY_TUNED], of, NULL, &t))
        for (size_t i = 0; i < u.list.len && !(passed && by != NULL); i++) {
            passed = passed || u.list.items[i].hash == missing;
            for (size_t k = 0; k < t.list.len; k++)
                if (t.list.items[k].hash == u.list.items[i].hash)
                    by = t.list.items[k].by;
        }
    if (by == NULL && t.list.len == 0)
        b->out->began_only = true;
    blame(b, WHY_TUNED, by);
    why_operands_fini(&u);
    why_operands_fini(&t);
}

static void blame_lost(struct blaming *b, const struct interp_form *of,
                       const struct why_operands *missing)
{
    uint64_t hash = missing->list.items[0].hash;
    const struct interp_made *loser = find_loser(b, of, hash);
    if (loser != NULL)
        blame(b, WHY_TUNED, loser);
    else
        blame_neighbour(b, of, hash);
}

/* What is there in place of, or beside, what should be; true: go on below. */
static bool blame_extra(struct blaming *b, const struct why_operands *missing,
                        const struct why_operand *extra)
{
    const struct interp_form *t = extra->form, *bare = why_bare(t);
    const struct interp_form *u =
        missing->list.len > 0 ? missing->list.items[0].form : NULL;
    blame(b, WHY_TUNED, extra->by);
    if (u != NULL && is_negated(b, t, missing))
        return false;
    if (u != NULL && is_alike(u, t)) {
        b->at[WHY_UNTUNED] = u;
        b->at[WHY_TUNED] = t;
        return true;
    }
    b->at[WHY_UNTUNED] = u != NULL ? u : b->at[WHY_UNTUNED];
    b->at[WHY_TUNED] = t;
    b->out->undefined = bare->kind == INTERP_FORM_UNDEFINED;
    if (bare->kind == INTERP_FORM_NUMBER || bare->kind == INTERP_FORM_UNDEFINED)
        enter(b);
    else if (bare->made != NULL && u != NULL &&
             has_part(b, bare, missing->list.items[0].hash))
        blame(b, WHY_TUNED, bare->made);
    return false;
}

/* What is read before it was written says more than what hangs on it. */
static const struct why_operand *first_extra(const struct why_operands *extra)
{
    for (size_t i = 0; i < extra->list.len; i++)
        if (why_bare(extra->list.items[i].form)->kind == INTERP_FORM_UNDEFINED)
            return &extra->list.items[i];
    return &extra->list.items[0];
}

/* Whether one of what `form` takes together has this hash. */
static bool has_operand(struct blaming *b, const struct interp_form *form,
                        uint64_t hash)
{
    struct why_operands o = {0};
    bool found = false;
    if (take(b, form, form, NULL, &o))
        for (size_t i = 0; i < o.list.len && !found; i++)
            found = o.list.items[i].hash == hash;
    why_operands_fini(&o);
    return found;
}

/* Both are, or one is, an operation on many; true: go on below. */
static bool blame_lists(struct blaming *b)
{
    const struct interp_form *u = b->at[WHY_UNTUNED], *t = b->at[WHY_TUNED];
    const struct interp_form *of = u;
    b->nest[WHY_UNTUNED] = u;
    b->nest[WHY_TUNED] = t;
    if (!why_is_nest(u) ||
        (why_is_nest(t) && has_operand(b, t, why_bag(&b->bags, u))))
        of = t;
    struct why_operands m = {0}, e = {0};
    bool down = false;
    if (take(b, u, of, b->made[WHY_UNTUNED], &m) &&
        take(b, t, of, b->made[WHY_TUNED], &e)) {
        why_operands_subtract(&m, &e);
        if (m.list.len > 0)
            blame(b, WHY_UNTUNED, m.list.items[0].by);
        if (e.list.len > 0)
            down = blame_extra(b, &m, first_extra(&e));
        else if (m.list.len > 0)
            blame_lost(b, of, &m);
    }
    why_operands_fini(&m);
    why_operands_fini(&e);
    return down;
}

/* Who is to blame, with all turns in which it took the operands together. */
static void put_stores(struct blaming *b)
{
    for (size_t side = 0; side < WHY_SIDES; side++) {
        const struct interp_made *made = b->made[side];
        struct why_store *store = &b->out->store[side];
        struct why_operands o = {0};
        if (made == NULL)
            continue;
        *store = (struct why_store){made, made->values, made->values};
        const struct interp_form *nest =
            b->nest[side] != NULL ? b->nest[side] : b->at[side];
        if (why_is_nest(nest) && take(b, nest, nest, NULL, &o))
            why_store_widen(b->arena, &o, store);
        why_operands_fini(&o);
    }
}

bool why_find_blame(const struct interp_form *untuned,
                    const struct interp_form *tuned,
                    const struct interp_formula *all, struct arena *arena,
                    struct why_blame *out)
{
    struct blaming b = {
        .arena = arena, .all = all, .at = {untuned, tuned}, .out = out};
    bool equal = why_bag(&b.bags, untuned) == why_bag(&b.bags, tuned);
    bool down = !equal;
    *out = (struct why_blame){0};
    for (size_t i = 0; i < MAX_DOWN && down && enter(&b); i++) {
        const struct interp_form *u = b.at[WHY_UNTUNED], *t = b.at[WHY_TUNED];
        out->undefined = t->kind == INTERP_FORM_UNDEFINED;
        if (out->undefined || why_bag(&b.bags, u) == why_bag(&b.bags, t))
            break;
        if (go_below_cast(&b))
            continue;
        if (why_is_nest(u) || why_is_nest(t))
            down = blame_lists(&b);
        else
            down = why_is_same_operation(u, t) && go_to_operand(&b);
    }
    put_stores(&b);
    why_bags_fini(&b.bags);
    return !equal;
}
