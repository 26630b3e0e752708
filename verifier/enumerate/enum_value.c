/* SPDX-License-Identifier: Apache-2.0
 *
 * Terms on numbers: all terms below some roots are computed, operands first,
 * by enum_op.c, for one trial after the other.
 *
 * Trials tell terms of few inputs from one another. In a minimum of hundreds one
 * that was lost shows only where it is the least, which is rare: so nothing is
 * concluded from equal values of terms with many inputs.
 */
#include "verifier/enumerate/enum_value.h"

#include <string.h>

#define NO_SLOT UINT32_MAX

static void add_input(struct enum_support *s, enum_id id)
{
    unsigned at = s->n;
    for (unsigned i = 0; i < s->n && s->n <= ENUM_FEW_INPUTS; i++)
        if (s->inputs[i] == id)
            return;
    if (s->n > ENUM_FEW_INPUTS)
        return;
    if (at < ENUM_FEW_INPUTS)
        s->inputs[at] = id;
    s->n++;
}

/* Inputs of all terms, operands first. */
static void find_support(struct enum_values *v)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct enum_term *x = &v->t->items.items[v->ids[i]];
        struct enum_support *mine = &v->support[i];
        if (x->kind == ENUM_INPUT)
            add_input(mine, v->ids[i]);
        for (uint32_t k = 0; k < x->n; k++) {
            const struct enum_support *s = &v->support[v->slot[x->args[k]]];
            if (s->n > ENUM_FEW_INPUTS)
                mine->n = s->n;
            for (unsigned j = 0; j < s->n && s->n <= ENUM_FEW_INPUTS; j++)
                add_input(mine, s->inputs[j]);
        }
    }
}

void enum_values_init(struct enum_values *v, const struct enum_table *t,
                      size_t n, const enum_id *roots)
{
    size_t last = 0, count = 0;
    memset(v, 0, sizeof *v);
    v->t = t;
    for (size_t i = 0; i < n; i++)
        last = roots[i] > last ? roots[i] : last;
    v->slot = dc_alloc((last + 1) * sizeof *v->slot);
    for (size_t i = 0; i < n; i++)
        v->slot[roots[i]] = 1;
    /* operands are older than what is made of them */
    for (size_t i = last + 1; i-- > 0 && n > 0;) {
        const struct enum_term *x = &t->items.items[i];
        count += v->slot[i];
        for (uint32_t k = 0; k < x->n && v->slot[i] != 0; k++)
            v->slot[x->args[k]] = 1;
    }
    v->ids = dc_alloc((count + 1) * sizeof *v->ids);
    v->now = dc_alloc((count + 1) * sizeof *v->now);
    v->sign = dc_alloc((count + 1) * sizeof *v->sign);
    v->support = dc_alloc((count + 1) * sizeof *v->support);
    for (size_t i = 0; i <= last && n > 0; i++) {
        bool needed = v->slot[i] != 0;
        v->slot[i] = needed ? (uint32_t)v->n : NO_SLOT;
        if (needed)
            v->ids[v->n++] = (enum_id)i;
    }
    find_support(v);
}

void enum_values_fini(struct enum_values *v)
{
    dc_release(v->ids);
    dc_release(v->slot);
    dc_release(v->now);
    dc_release(v->sign);
    dc_release(v->support);
}

static struct enum_number operation(const struct enum_values *v,
                                    const struct enum_term *x)
{
    struct enum_number few[8], *args = few, out;
    struct dtype some[8], *types = some;
    const struct enum_operator o = {x->op, x->call, x->dtype};
    if (x->n > DC_ARRAY_LEN(few)) {
        args = dc_alloc(x->n * sizeof *args);
        types = dc_alloc(x->n * sizeof *types);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        args[i] = v->now[v->slot[x->args[i]]];
        types[i] = v->t->items.items[x->args[i]].dtype;
    }
    out = enum_apply(&o, x->n, types, args);
    if (args != few) {
        dc_release(args);
        dc_release(types);
    }
    return out;
}

void enum_values_try(struct enum_values *v, const struct enum_inputs *in)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct enum_term *x = &v->t->items.items[v->ids[i]];
        struct enum_number now = {0, ENUM_UNDEFINED};
        switch (x->kind) {
        case ENUM_CONST: now = (struct enum_number){x->bits, x->marks}; break;
        case ENUM_INPUT:
            now.bits = enum_input(in, (size_t)x->param, x->bits, x->dtype);
            now.marks = 0;
            break;
        case ENUM_OP: now = operation(v, x); break;
        case ENUM_BAG:
        case ENUM_HOLE:
        case ENUM_UNDEF: break;
        }
        v->now[i] = now;
    }
}

void enum_values_keep(struct enum_values *v)
{
    v->trials++;
    for (size_t i = 0; i < v->n; i++) {
        struct dtype t = v->t->items.items[v->ids[i]].dtype;
        const struct enum_number *x = &v->now[i];
        uint64_t what = x->marks & (ENUM_UNDEFINED | ENUM_TRAPPED);
        if (what == 0)
            what = num_is_nan(t, x->bits) ? UINT64_C(1) << 32
                                          : hash_mix(7, x->bits);
        v->sign[i] = hash_mix(v->sign[i], what);
    }
}

struct enum_number enum_value(const struct enum_values *v, enum_id id)
{
    return v->now[v->slot[id]];
}

uint64_t enum_sign(const struct enum_values *v, enum_id id)
{
    struct dtype t = v->t->items.items[id].dtype;
    uint64_t type = (uint64_t)t.code << 8 | t.bits;
    return hash_mix(v->sign[v->slot[id]], type);
}

bool enum_is_small(const struct enum_values *v, enum_id id)
{
    return v->support[v->slot[id]].n <= ENUM_FEW_INPUTS;
}
