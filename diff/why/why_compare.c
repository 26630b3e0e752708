/* SPDX-License-Identifier: Apache-2.0
 *
 * Where two formulas part. Both are gone down together as long as they are the
 * same operation and one operand alone differs; sums, products, minima and
 * maxima are compared as multisets of what they combine, whatever the grouping.
 * Equal parts are told by their hashes: a wrong one would cost a sentence, and
 * no verdict.
 */
#include "diff/why/why.h"
#include "diff/why/why_operands.h"

#include <string.h>

#define MAX_DOWN 4096u /* steps down */

struct comparing {
    struct arena *arena;
    struct why *why;
};

const struct interp_form *why_bare(const struct interp_form *form)
{
    while (form->kind == INTERP_FORM_COPY)
        form = form->args[0];
    return form;
}

/* ---- statements on the way ----------------------------------------------------- */

/* The last one comes first; the oldest are dropped. */
static void push_store(struct why *w, size_t side,
                       const struct interp_made *made)
{
    struct why_store *list = w->stores[side];
    if (made == NULL ||
        (w->nstores[side] > 0 && list[0].made->stmt == made->stmt))
        return;
    size_t keep = w->nstores[side] < WHY_MAX_STORES ? w->nstores[side]
                                                    : WHY_MAX_STORES - 1;
    memmove(list + 1, list, keep * sizeof *list);
    list[0] = (struct why_store){made, made->values, made->values};
    w->nstores[side] = keep + 1;
}

static const struct interp_form *go_through(struct why *w, size_t side,
                                            const struct interp_form *form)
{
    push_store(w, side, form->made);
    while (form->kind == INTERP_FORM_COPY) {
        form = form->args[0];
        push_store(w, side, form->made);
    }
    return form;
}

/* ---- operands ------------------------------------------------------------------ */

static bool take(struct comparing *c, const struct interp_form *form,
                 struct why_operands *out)
{
    return why_operands_take(c->arena, NULL, form, form, NULL, out);
}

static struct why_forms kept(struct arena *arena, const struct why_operands *o)
{
    size_t n = o->list.len;
    struct why_forms out = {
        n, ARENA_ARRAY(arena, n + 1, const struct interp_form *)};
    for (size_t i = 0; i < n; i++)
        out.items[i] = o->list.items[i].form;
    return out;
}

/* What is in one alone. */
static void subtract(struct comparing *c, struct why_operands *u,
                     struct why_operands *t)
{
    c->why->total[WHY_UNTUNED] = u->list.len;
    c->why->total[WHY_TUNED] = t->list.len;
    why_operands_subtract(u, t);
    c->why->missing = kept(c->arena, u);
    c->why->extra = kept(c->arena, t);
}

/* The first operand that is another one. */
static void find_order(struct why *w, const struct why_operands *u,
                       const struct why_operands *t)
{
    size_t n = u->list.len < t->list.len ? u->list.len : t->list.len;
    w->order = 0;
    for (size_t i = 0; i < n && w->order == 0; i++) {
        w->then[WHY_UNTUNED] = u->list.items[i].form;
        w->then[WHY_TUNED] = t->list.items[i].form;
        if (w->then[WHY_UNTUNED]->hash != w->then[WHY_TUNED]->hash)
            w->order = i + 1;
    }
}

/* The statement that combines them, with all of its turns. */
static void widen_store(struct comparing *c, size_t side,
                        const struct why_operands *o)
{
    struct why *w = c->why;
    if (o->made.len == 0)
        return;
    if (w->nstores[side] == 0)
        push_store(w, side, o->made.items[0]);
    why_store_widen(c->arena, o, &w->stores[side][0]);
}

/* The same of an operation that is compared as a whole. */
static void see_turns(struct comparing *c, size_t side)
{
    struct why_operands o = {0};
    if (take(c, c->why->at[side], &o))
        widen_store(c, side, &o);
    why_operands_fini(&o);
}

/* ---- going down ------------------------------------------------------------------ */

/* The one pair of operands of the same operation that differs; false: there is
 * none, or several. */
static bool one_differs(const struct interp_form *u,
                        const struct interp_form *t, uint32_t *at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->nargs; i++)
        if (u->args[i]->hash != t->args[i]->hash) {
            *at = i;
            n++;
        }
    return n == 1;
}

/* Whether it is worth to go on in a pair of operands: they are alike. */
static bool is_alike(const struct interp_form *u, const struct interp_form *t)
{
    u = why_bare(u);
    t = why_bare(t);
    return u->kind == t->kind &&
           (u->kind != INTERP_FORM_OP || why_is_same_operation(u, t));
}

static bool compare_lists(struct comparing *c, const struct interp_form **u,
                          const struct interp_form **t)
{
    struct why_operands a = {0}, b = {0};
    struct why *w = c->why;
    bool down = false, fits = take(c, *u, &a) && take(c, *t, &b);
    if (fits) {
        find_order(w, &a, &b);
        subtract(c, &a, &b);
        w->lists = true;
        if (w->missing.n > 0 || w->extra.n > 0)
            w->order = 0;
        widen_store(c, WHY_UNTUNED, &a);
        widen_store(c, WHY_TUNED, &b);
    }
    if (fits && w->missing.n == 1 && w->extra.n == 1 &&
        is_alike(w->missing.items[0], w->extra.items[0])) {
        *u = w->missing.items[0];
        *t = w->extra.items[0];
        down = true;
    }
    why_operands_fini(&a);
    why_operands_fini(&b);
    return down;
}

static void compare(const struct interp_form *untuned,
                    const struct interp_form *tuned, struct arena *arena,
                    struct why *out)
{
    struct comparing c = {arena, out};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < MAX_DOWN; i++) {
        uint32_t at;
        untuned = go_through(out, WHY_UNTUNED, untuned);
        tuned = go_through(out, WHY_TUNED, tuned);
        out->lists = false;
        out->at[WHY_UNTUNED] = untuned;
        out->at[WHY_TUNED] = tuned;
        if (!why_is_same_operation(untuned, tuned))
            break;
        if (why_is_nest(untuned)) {
            if (!compare_lists(&c, &untuned, &tuned))
                break;
        } else if (one_differs(untuned, tuned, &at) &&
                   is_alike(untuned->args[at], tuned->args[at])) {
            untuned = untuned->args[at];
            tuned = tuned->args[at];
        } else {
            break;
        }
    }
}

/* Several operands of a list are others: through which statements the first of
 * them came tells more than the statement that combines them. */
static void follow_first(struct comparing *c)
{
    struct why rest = {0};
    struct why *w = c->why;
    const struct interp_form *u, *t;
    if (!w->lists || w->missing.n < 2 || w->missing.n != w->extra.n)
        return;
    u = w->missing.items[0];
    t = w->extra.items[0];
    if (!is_alike(u, t))
        return;
    compare(u, t, c->arena, &rest);
    for (size_t side = 0; side < WHY_SIDES; side++)
        for (size_t i = rest.nstores[side]; i-- > 0;)
            push_store(w, side, rest.stores[side][i].made);
}

bool why_compare(const struct interp_form *untuned,
                 const struct interp_form *tuned, struct arena *arena,
                 struct why *out)
{
    struct comparing c = {arena, out};
    memset(out, 0, sizeof *out);
    if (untuned == NULL || tuned == NULL || untuned->hash == tuned->hash)
        return false;
    compare(untuned, tuned, arena, out);
    follow_first(&c);
    for (size_t side = 0; side < WHY_SIDES; side++)
        if (!out->lists && why_is_nest(out->at[side]))
            see_turns(&c, side);
    return true;
}
