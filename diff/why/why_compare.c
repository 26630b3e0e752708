/* SPDX-License-Identifier: Apache-2.0
 *
 * Where two formulas part. Both are gone down together as long as they are the
 * same operation and one operand alone differs; sums, products, minima and
 * maxima are compared as multisets of what they combine, whatever the grouping.
 * Equal parts are told by their hashes: a wrong one would cost a sentence, and
 * no verdict.
 */
#include "diff/why/why.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OPERANDS 65536u /* of one flattened operation */
#define MAX_DOWN     4096u  /* steps down */

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

static bool combines(enum ir_expr_kind op)
{
    return op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_MIN ||
           op == IR_MAX || op == IR_BITAND || op == IR_BITOR ||
           op == IR_BITXOR || op == IR_AND || op == IR_OR;
}

static bool is_sum(const struct interp_form *f)
{
    return (f->op == IR_ADD || f->op == IR_SUB) && f->nargs == 2;
}

/* Sums and differences are one operation. */
static bool is_same_operation(const struct interp_form *a,
                              const struct interp_form *b)
{
    if (a->kind != INTERP_FORM_OP || b->kind != INTERP_FORM_OP ||
        !dtype_equal(a->dtype, b->dtype))
        return false;
    if (is_sum(a) && is_sum(b))
        return true;
    if (a->op != b->op || a->nargs != b->nargs)
        return false;
    return a->op != IR_CALL || strcmp(a->name, b->name) == 0;
}

struct operand {
    const struct interp_form *form;
    size_t at; /* position */
};

struct operands {
    struct VEC(struct operand) list;
    struct VEC(const struct interp_made *) made; /* by updates of the sum */
};

static void operands_fini(struct operands *o)
{
    vec_fini(&o->list);
    vec_fini(&o->made);
}

static const struct interp_form *negated(struct arena *arena,
                                         const struct interp_form *form)
{
    struct interp_form *n = ARENA_NEW(arena, struct interp_form);
    *n = (struct interp_form){.kind = INTERP_FORM_OP,
                              .dtype = form->dtype,
                              .hash = hash_mix(form->hash, 0x5b),
                              .op = IR_SUB,
                              .nargs = 1};
    n->args = arena_memdup(arena, &form, sizeof form);
    return n;
}

/* What a sum, product, minimum or maximum begins with. */
static bool is_neutral(const struct interp_form *of,
                       const struct interp_form *f)
{
    struct dtype t = dtype_scalar(f->dtype);
    if (f->kind != INTERP_FORM_NUMBER)
        return false;
    switch ((int)of->op) {
    case IR_ADD:
    case IR_SUB: return num_to_double(t, f->bits) == 0;
    case IR_MUL: return num_to_double(t, f->bits) == 1;
    case IR_MIN: return f->bits == num_max_value(t);
    case IR_MAX: return f->bits == num_min_value(t);
    default: return false;
    }
}

struct open_form {
    const struct interp_form *form;
    bool minus;
};

/* All that the operation combines, in order; false: too many. */
static bool flatten(struct arena *arena, const struct interp_form *form,
                    struct operands *out)
{
    struct VEC(struct open_form) open = {0};
    struct open_form f = {form, false};
    size_t steps = 0;
    vec_push(&open, f);
    while (open.len > 0 && steps <= 4 * MAX_OPERANDS &&
           out->list.len <= MAX_OPERANDS) {
        f = open.items[--open.len];
        const struct interp_form *bare = why_bare(f.form);
        steps++;
        if (!is_same_operation(bare, form)) {
            if (is_neutral(form, bare))
                continue;
            struct operand o = {f.minus ? negated(arena, f.form) : f.form,
                                out->list.len};
            vec_push(&out->list, o);
            continue;
        }
        if (bare->made != NULL)
            vec_push(&out->made, bare->made);
        for (uint32_t i = bare->nargs; i-- > 0;) {
            bool flips = bare->op == IR_SUB && i > 0;
            struct open_form below = {bare->args[i], f.minus != flips};
            vec_push(&open, below);
        }
    }
    bool fine = open.len == 0;
    vec_fini(&open);
    return fine;
}

static int by_hash(const void *a, const void *b)
{
    const struct operand *x = a, *y = b;
    if (x->form->hash != y->form->hash)
        return x->form->hash < y->form->hash ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_place(const void *a, const void *b)
{
    const struct operand *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static struct why_forms kept(struct arena *arena, struct operand *list,
                             size_t n)
{
    struct why_forms out = {
        n, ARENA_ARRAY(arena, n + 1, const struct interp_form *)};
    if (n > 0)
        qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; i < n; i++)
        out.items[i] = list[i].form;
    return out;
}

/* What is in one alone. Both lists are left in another order. */
static void subtract(struct comparing *c, struct operands *u,
                     struct operands *t)
{
    struct operand *a = u->list.items, *b = t->list.items;
    size_t na = 0, nb = 0, i = 0, k = 0, n = u->list.len, m = t->list.len;
    if (n > 0) /* what is neutral in a sum is left out: there may be none */
        qsort(a, n, sizeof *a, by_hash);
    if (m > 0)
        qsort(b, m, sizeof *b, by_hash);
    while (i < n || k < m) {
        if (k == m || (i < n && a[i].form->hash < b[k].form->hash)) {
            a[na++] = a[i++];
        } else if (i == n || b[k].form->hash < a[i].form->hash) {
            b[nb++] = b[k++];
        } else {
            i++;
            k++;
        }
    }
    c->why->total[WHY_UNTUNED] = n;
    c->why->total[WHY_TUNED] = m;
    c->why->missing = kept(c->arena, a, na);
    c->why->extra = kept(c->arena, b, nb);
}

/* The first operand that is another one. */
static void find_order(struct why *w, const struct operands *u,
                       const struct operands *t)
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
                        const struct operands *o)
{
    struct why *w = c->why;
    if (o->made.len == 0)
        return;
    if (w->nstores[side] == 0)
        push_store(w, side, o->made.items[0]);
    struct why_store *s = &w->stores[side][0];
    size_t n = s->made->nvars, size = (n + 1) * sizeof(int64_t);
    int64_t *from = arena_memdup(c->arena, s->from, size);
    int64_t *to = arena_memdup(c->arena, s->to, size);
    for (size_t i = 0; i < o->made.len; i++) {
        const struct interp_made *m = o->made.items[i];
        for (size_t v = 0; m->stmt == s->made->stmt && v < n && v < m->nvars;
             v++) {
            from[v] = m->values[v] < from[v] ? m->values[v] : from[v];
            to[v] = m->values[v] > to[v] ? m->values[v] : to[v];
        }
    }
    s->from = from;
    s->to = to;
}

static bool is_nest(const struct interp_form *form)
{
    return form->kind == INTERP_FORM_OP && form->nargs == 2 &&
           combines(form->op);
}

/* The same of an operation that is compared as a whole. */
static void see_turns(struct comparing *c, size_t side)
{
    struct operands o = {0};
    if (flatten(c->arena, c->why->at[side], &o))
        widen_store(c, side, &o);
    operands_fini(&o);
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
           (u->kind != INTERP_FORM_OP || is_same_operation(u, t));
}

static bool compare_lists(struct comparing *c, const struct interp_form **u,
                          const struct interp_form **t)
{
    struct operands a = {0}, b = {0};
    struct why *w = c->why;
    bool down = false,
         fits = flatten(c->arena, *u, &a) && flatten(c->arena, *t, &b);
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
    operands_fini(&a);
    operands_fini(&b);
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
        if (!is_same_operation(untuned, tuned))
            break;
        if (is_nest(untuned)) {
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
        if (!out->lists && is_nest(out->at[side]))
            see_turns(&c, side);
    return true;
}
