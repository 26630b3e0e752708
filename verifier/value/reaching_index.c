/* SPDX-License-Identifier: Apache-2.0
 *
 * Indices of parameters taken apart where a condition holds: a flat offset that
 * is put together again from rows and columns, of which some are one below zero
 * elsewhere (padding). Quotients there simplify only under the condition:
 *     floor((g h + l) / d) = floor(h / (d / g))  where 0 <= l < g, g | d
 * with 0 <= l < g proved.
 */
#include "verifier/value/reaching.h"

#define MAX_PARTS 8

/* g, and a = g h + l. */
struct parted {
    const struct aff *high, *low;
};

static struct parted part_by(struct vctx *c, const struct aff *a, int64_t g)
{
    struct aff_space *s = c->space;
    int64_t rest = a->constant % g;
    struct parted p = {aff_const(s, (a->constant - rest) / g),
                       aff_const(s, rest)};
    for (uint32_t i = 0; i < a->n; i++) {
        const struct aff_term *t = &a->terms[i];
        const struct aff *own = aff_of_atom(s, t->atom);
        if (t->coef % g == 0)
            p.high = aff_add(s, p.high, aff_scale(s, own, t->coef / g));
        else
            p.low = aff_add(s, p.low, aff_scale(s, own, t->coef));
    }
    return p;
}

static bool within(struct vctx *c, const struct form *ctx, const struct aff *a,
                   int64_t g)
{
    struct aff_space *s = c->space;
    const struct form *in =
        form_and2(s, form_ge0(s, a), form_le(s, a, aff_const(s, g - 1)));
    return vctx_proves(c, ctx, in, "part of an index in its range");
}

/* The smallest factor above `over` that some coefficient shares with d. */
static int64_t next_factor(const struct aff *a, int64_t d, int64_t over)
{
    int64_t best = d > over ? d : 0;
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t g = int_gcd(a->terms[i].coef, d);
        if (g > over && (best == 0 || g < best))
            best = g;
    }
    return best;
}

/* floor(a / d) under ctx; NULL: nothing is known beyond the quotient itself. */
static const struct aff *quotient(struct vctx *c, const struct form *ctx,
                                  const struct aff *a, int64_t d)
{
    for (unsigned depth = 0; depth < MAX_PARTS; depth++) {
        if (d == 1)
            return a;
        bool found = false;
        int64_t g = 1;
        for (unsigned i = 0; i < MAX_PARTS && !found; i++) {
            g = next_factor(a, d, g);
            if (g == 0)
                return NULL;
            struct parted p = part_by(c, a, g);
            found = within(c, ctx, p.low, g);
            if (found) {
                a = p.high;
                d /= g;
            }
        }
        if (!found)
            return NULL;
    }
    return NULL;
}

/* A dividend whose constant is in the upper half was below zero before it was
 * made positive: that is where a condition may help. */
static const struct aff *simpler(struct vctx *c, const struct form *ctx,
                                 const struct aff *a)
{
    struct aff_space *s = c->space;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(s, a->terms[i].atom);
        int64_t coef = a->terms[i].coef, d = t->divisor;
        if (t->kind != ATOM_FLOOR || d < 2 || t->def->constant < d / 2 ||
            t->def->constant >= d)
            continue;
        const struct aff *own = aff_of_atom(s, a->terms[i].atom);
        const struct aff *q = quotient(c, ctx, aff_addc(s, t->def, -d), d);
        if (q == NULL)
            continue;
        q = aff_addc(s, q, 1);
        return aff_add(s, a, aff_scale(s, aff_sub(s, q, own), coef));
    }
    return a;
}

const struct value *reaching_index(struct vctx *c, const struct form *ctx,
                                   const struct value *v)
{
    struct value out = *v;
    bool changed = false;
    if (v->kind != VALUE_INPUT || ctx->kind == FORM_TRUE)
        return v;
    out.index = ARENA_ARRAY(c->arena, v->nindex + 1, const struct aff *);
    for (size_t i = 0; i < v->nindex; i++) {
        const struct aff *a = v->index[i];
        for (unsigned round = 0; round < MAX_PARTS; round++) {
            const struct aff *b = simpler(c, ctx, a);
            if (b == a)
                break;
            a = b;
        }
        out.index[i] = a;
        changed = changed || a != v->index[i];
    }
    return changed ? value_make(c, &out) : v;
}
