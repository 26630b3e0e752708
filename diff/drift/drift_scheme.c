/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums that are no tree of additions, told by replaying their terms: with the
 * error of each addition carried along (Kahan), and in groups of terms that are
 * added exactly and rounded once, as units for dot products do, the former sum
 * among them or added to the rounded group.
 *
 * Each scheme is tried on the elements traced (drift_tree_sum.c); it explains by
 * giving every bit of every element on all inputs, fresh ones too. Exact sums
 * are kept in fixed point that holds any product of float32.
 */
#include "diff/drift/drift_tree_private.h"

#include <math.h>
#include <string.h>

#define MAX_ELEMENTS 125000u /* of all outputs */
#define BATCH        512u

/* ---- exact sums ------------------------------------------------------------------- */

#define LIMBS 24u    /* of 32 bits */
#define LEAST (-352) /* exponent of the lowest bit */

struct exact {
    int64_t limb[LIMBS];
    double odd; /* NaN and infinities, summed; else 0 */
};

/* Products of two float32 and float32 themselves are exact as doubles. */
static void add_exact(struct exact *x, double value)
{
    int e;
    if (!isfinite(value)) {
        x->odd += value;
        return;
    }
    double m = frexp(value, &e);
    int64_t whole = (int64_t)ldexp(m, 53); /* value = whole * 2^(e - 53) */
    uint64_t size = (uint64_t)(whole < 0 ? -whole : whole);
    if (size == 0)
        return;
    unsigned at = (unsigned)(e - 53 - LEAST), shift = at % 32;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t part = k == 0   ? size << shift
                        : k == 1 ? size >> (32 - shift)
                                 : size >> 32 >> (32 - shift);
        int64_t piece = (int64_t)(part & UINT32_MAX);
        x->limb[at / 32 + k] += whole < 0 ? -piece : piece;
    }
}

/* Carries made; true: negative, and negated. */
static bool settle(struct exact *x)
{
    bool negative = false;
    for (unsigned turn = 0; turn < 2; turn++) {
        int64_t carry = 0;
        for (unsigned i = 0; i < LIMBS; i++) {
            int64_t v = x->limb[i] + carry;
            carry = v >> 32;
            x->limb[i] = v & UINT32_MAX;
        }
        if (carry >= 0)
            break;
        negative = true;
        for (unsigned i = 0; i < LIMBS; i++)
            x->limb[i] = i + 1 == LIMBS
                             ? -(x->limb[i] + carry * (INT64_C(1) << 32))
                             : -x->limb[i];
    }
    return negative;
}

/* To a double with the last bit set where any is lost, so that another rounding
 * to at most 32 bits is the only one. */
static double take_exact(struct exact *x)
{
    if (x->odd != 0)
        return x->odd;
    bool negative = settle(x), lost = false;
    unsigned top = LIMBS;
    while (top > 0 && x->limb[top - 1] == 0)
        top--;
    if (top == 0)
        return 0;
    uint64_t size = 0;
    int exponent = LEAST + 32 * (int)(top < 2 ? 0 : top - 2);
    size = (uint64_t)x->limb[top - 1];
    size = top >= 2 ? size << 32 | (uint64_t)x->limb[top - 2] : size;
    uint64_t below = top >= 3 ? (uint64_t)x->limb[top - 3] : 0;
    while (top >= 2 && size >> 63 == 0) {
        size = size << 1 | (below >> 31 & 1);
        below = below << 1 & UINT32_MAX;
        exponent--;
    }
    lost = below != 0;
    for (unsigned i = 0; i + 3 < top; i++)
        lost |= x->limb[i] != 0;
    lost |= (size & 0x7ff) != 0;
    size = (size & ~UINT64_C(0x7ff)) | (lost ? 0x800 : 0);
    double value = ldexp((double)size, exponent);
    return negative ? -value : value;
}

/* ---- schemes ----------------------------------------------------------------------- */

struct scheme {
    const char *name; /* the hypothesis */
    const char *text; /* of the terms: "are added ..." */
    bool carries;     /* Kahan */
    unsigned group;   /* of exact groups */
    bool inside;      /* the former sum is in them */
};

static const struct scheme schemes[] = {
    {"compensated", "with the error of each addition carried along (Kahan)",
     true, 0, false},
    {"dots=4", "4 at a time and the sum so far, exactly, rounded once", false,
     4, true},
    {"dots=8", "8 at a time and the sum so far, exactly, rounded once", false,
     8, true},
    {"dots=16", "16 at a time and the sum so far, exactly, rounded once", false,
     16, true},
    {"dots=2", "2 at a time and the sum so far, exactly, rounded once", false,
     2, true},
    {"dots=4 apart", "4 at a time exactly, rounded, then to the sum so far",
     false, 4, false},
    {"dots=8 apart", "8 at a time exactly, rounded, then to the sum so far",
     false, 8, false},
    {"dots=2 apart", "2 at a time exactly, rounded, then to the sum so far",
     false, 2, false},
};

struct replay {
    const struct sums *x;
    const struct sum_element *e;
    const struct drift_case *c;
};

static uint64_t atom_bits(const struct replay *r, uint64_t atom)
{
    return interp_tensor_get(r->c->in[atom >> 40].tensor,
                             (size_t)(atom & ((UINT64_C(1) << 40) - 1)));
}

/* A term before any rounding. */
static double term_value(const struct replay *r, size_t i)
{
    const struct sum_term *t = &r->e->terms[i];
    double v = num_to_double(r->x->atom, atom_bits(r, t->atoms[0]));
    return t->natoms == 1
               ? v
               : v * num_to_double(r->x->atom, atom_bits(r, t->atoms[1]));
}

static uint64_t rounded(const struct replay *r, double value)
{
    unsigned flags = 0;
    return num_from_double(r->x->cell, value, &flags);
}

static uint64_t two(const struct replay *r, enum num_op op, uint64_t a,
                    uint64_t b)
{
    unsigned flags = 0;
    return num_binary(op, r->x->cell, a, b, &flags);
}

/* Past the end of the type nothing is carried. */
static uint64_t play_kahan(const struct replay *r)
{
    uint64_t zero = rounded(r, 0), sum = zero, lost = zero;
    for (size_t i = 0; i < r->e->n; i++) {
        uint64_t y = two(r, NUM_SUB, rounded(r, term_value(r, i)), lost);
        uint64_t next = two(r, NUM_ADD, sum, y);
        lost = two(r, NUM_SUB, two(r, NUM_SUB, next, sum), y);
        if (!isfinite(num_to_double(r->x->cell, lost)))
            lost = zero;
        sum = next;
    }
    return sum;
}

static uint64_t play_groups(const struct replay *r, const struct scheme *s)
{
    uint64_t sum = rounded(r, 0);
    for (size_t from = 0; from < r->e->n; from += s->group) {
        struct exact x = {{0}, 0};
        if (s->inside)
            add_exact(&x, num_to_double(r->x->cell, sum));
        for (size_t i = from; i < r->e->n && i < from + s->group; i++)
            add_exact(&x, term_value(r, i));
        uint64_t group = rounded(r, take_exact(&x));
        sum = s->inside ? group : two(r, NUM_ADD, sum, group);
    }
    return sum;
}

static bool gives(const struct replay *r, const struct scheme *s)
{
    unsigned flags = 0;
    uint64_t v = s->carries ? play_kahan(r) : play_groups(r, s);
    v = num_cast(r->x->cell, r->x->result, v, &flags);
    return num_same(
        r->x->result, v,
        interp_tensor_get(r->c->out[r->x->param].tensor, r->e->element));
}

/* ---- elements ----------------------------------------------------------------------- */

static bool element_counts(const struct drift_study *s, size_t param, size_t i)
{
    for (size_t k = 0; k < s->ncases; k++)
        if (study_counts(s->cases[k].want[param].tensor, i, false))
            return true;
    return false;
}

/* The schemes, as bits, that give all elements of a batch. */
static unsigned narrow_batch(struct drift_study *s, size_t param, size_t n,
                             const size_t *elements, unsigned left)
{
    struct sums x;
    const char *why;
    if (!sums_trace(s, param, n, elements, &x, &why) || x.cell.bits > 32 ||
        x.atom.bits > 32)
        return 0;
    for (size_t i = 0; i < n && left != 0; i++)
        for (size_t k = 0; k < s->ncases && left != 0; k++) {
            struct replay r = {&x, &x.elements[i], &s->cases[k]};
            if (r.e->why != NULL)
                return 0;
            for (size_t w = 0; w < DC_ARRAY_LEN(schemes); w++)
                if ((left >> w & 1u) && !gives(&r, &schemes[w]))
                    left &= ~(1u << w);
        }
    return left;
}

static unsigned narrow_output(struct drift_study *s, size_t param,
                              unsigned left, size_t *compared)
{
    const struct interp_tensor *t = s->cases[0].in[param].tensor;
    struct arena *kept = s->arena;
    size_t batch[BATCH];
    if (!dtype_is_float(t->dtype))
        return 0;
    for (size_t i = 0; i < t->elements && left != 0;) {
        size_t n = 0;
        for (; i < t->elements && n < BATCH; i++)
            if (element_counts(s, param, i))
                batch[n++] = i;
        if (n == 0)
            break;
        s->arena = arena_new();
        left = narrow_batch(s, param, n, batch, left);
        arena_free(s->arena);
        s->arena = kept;
        *compared += n * s->ncases;
    }
    return left;
}

bool drift_scheme_explain(struct drift_study *s, struct drift_answer *a)
{
    unsigned left = (1u << DC_ARRAY_LEN(schemes)) - 1;
    size_t compared = 0, all = 0, which = 0;
    const char *error = s->error;
    for (size_t o = 0; o < s->noutputs; o++)
        all += s->cases[0].in[s->outputs[o]].tensor->elements;
    if (s->q->run == NULL || all > MAX_ELEMENTS || !study_freshen(s))
        return false;
    for (size_t o = 0; o < s->noutputs; o++)
        left = narrow_output(s, s->outputs[o], left, &compared);
    s->error = error;
    if (left == 0 || compared == 0)
        return false;
    while (!(left >> which & 1u))
        which++;
    bool declared = drift_may(&s->q->declared, NUM_T_ORDER);
    a->scheme = schemes[which].name;
    a->outcome = declared ? DRIFT_EXPLAINED : DRIFT_DEVIATES;
    a->explained = a->stats.differ;
    a->everywhere = true;
    a->fresh_runs = s->nfresh_done;
    a->reason = arena_printf(
        a->arena,
        "terms are added %s%s: reproduces every bit of the %zu elements "
        "compared, fresh inputs included",
        schemes[which].text,
        declared ? "" : ", which the target does not declare", compared);
    return true;
}
