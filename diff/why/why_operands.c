/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, products, minima and maxima as multisets of what they combine, whatever
 * the grouping. A difference is a sum whose operands are negated; what an
 * operation begins with and has no say in it is left out. Operands are told by
 * their hashes: a wrong one would cost a sentence, and no verdict.
 */
#include "diff/why/why_operands.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OPERANDS 65536u /* of one flattened operation */

static bool combines(enum ir_expr_kind op)
{
    return op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_MIN ||
           op == IR_MAX || op == IR_BITAND || op == IR_BITOR ||
           op == IR_BITXOR || op == IR_AND || op == IR_OR;
}

bool why_is_nest(const struct interp_form *form)
{
    return form->kind == INTERP_FORM_OP && form->nargs == 2 &&
           combines(form->op);
}

static bool is_sum(const struct interp_form *f)
{
    return (f->op == IR_ADD || f->op == IR_SUB) && f->nargs == 2;
}

bool why_is_same_operation(const struct interp_form *a,
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

void why_operands_fini(struct why_operands *o)
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

bool why_is_neutral(const struct interp_form *of, const struct interp_form *f)
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
    const struct interp_made *by;
};

/* Who stored it last, of a copy the copied; `by` where nobody did. */
static const struct interp_made *stored_by(const struct interp_form *form,
                                           const struct interp_made *by)
{
    for (;;) {
        by = form->made != NULL ? form->made : by;
        if (form->kind != INTERP_FORM_COPY)
            return by;
        form = form->args[0];
    }
}

static void push_operand(struct arena *arena, struct why_bags *bags,
                         const struct open_form *f, struct why_operands *out)
{
    const struct interp_form *form =
        f->minus ? negated(arena, f->form) : f->form;
    struct why_operand o = {form,
                            bags != NULL ? why_bag(bags, form) : form->hash,
                            out->list.len, f->by};
    vec_push(&out->list, o);
}

bool why_operands_take(struct arena *arena, struct why_bags *bags,
                       const struct interp_form *form,
                       const struct interp_form *of,
                       const struct interp_made *by, struct why_operands *out)
{
    struct VEC(struct open_form) open = {0};
    struct open_form f = {form, false, by};
    size_t steps = 0;
    vec_push(&open, f);
    while (open.len > 0 && steps <= 4 * MAX_OPERANDS &&
           out->list.len <= MAX_OPERANDS) {
        f = open.items[--open.len];
        const struct interp_form *bare = why_bare(f.form);
        steps++;
        if (!why_is_same_operation(bare, of)) {
            if (!why_is_neutral(of, bare))
                push_operand(arena, bags, &f, out);
            continue;
        }
        if (bare->made != NULL)
            vec_push(&out->made, bare->made);
        const struct interp_made *own = stored_by(f.form, f.by);
        for (uint32_t i = bare->nargs; i-- > 0;) {
            bool flips = bare->op == IR_SUB && i > 0;
            struct open_form below = {bare->args[i], f.minus != flips, own};
            vec_push(&open, below);
        }
    }
    bool fine = open.len == 0;
    vec_fini(&open);
    return fine;
}

void why_store_widen(struct arena *arena, const struct why_operands *o,
                     struct why_store *store)
{
    size_t n = store->made->nvars, size = (n + 1) * sizeof(int64_t);
    int64_t *from = arena_memdup(arena, store->from, size);
    int64_t *to = arena_memdup(arena, store->to, size);
    for (size_t i = 0; i < o->made.len; i++) {
        const struct interp_made *m = o->made.items[i];
        for (size_t v = 0;
             m->stmt == store->made->stmt && v < n && v < m->nvars; v++) {
            from[v] = m->values[v] < from[v] ? m->values[v] : from[v];
            to[v] = m->values[v] > to[v] ? m->values[v] : to[v];
        }
    }
    store->from = from;
    store->to = to;
}

static int by_hash(const void *a, const void *b)
{
    const struct why_operand *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_place(const void *a, const void *b)
{
    const struct why_operand *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void sort(struct why_operands *o,
                 int (*order)(const void *, const void *))
{
    if (o->list.len > 0) /* what is neutral in a sum is left out */
        qsort(o->list.items, o->list.len, sizeof *o->list.items, order);
}

void why_operands_subtract(struct why_operands *u, struct why_operands *t)
{
    struct why_operand *a = u->list.items, *b = t->list.items;
    size_t na = 0, nb = 0, i = 0, k = 0, n = u->list.len, m = t->list.len;
    sort(u, by_hash);
    sort(t, by_hash);
    while (i < n || k < m) {
        if (k == m || (i < n && a[i].hash < b[k].hash)) {
            a[na++] = a[i++];
        } else if (i == n || b[k].hash < a[i].hash) {
            b[nb++] = b[k++];
        } else {
            i++;
            k++;
        }
    }
    u->list.len = na;
    t->list.len = nb;
    sort(u, by_place);
    sort(t, by_place);
}
