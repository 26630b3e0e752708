/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of products as matrix units make them (docs/semantics.md, A21): a group of
 * products and the accumulator are aligned to the largest exponent among them, cut
 * off behind so many bits, and added as integers. All of it is exact in double:
 * products have 22 bits, a group less than 2^33 units.
 */
#include "ir/num/num_private.h"
#include "ir/num/profile.h"

#include <math.h>

#define MAX_GROUP 16

struct terms {
    size_t n;
    double value[MAX_GROUP + 1];
    int exponent[MAX_GROUP + 1]; /* of a product those of its factors added */
};

static void add_term(struct terms *x, double value, int exponent)
{
    if (value == 0)
        return;
    x->value[x->n] = value;
    x->exponent[x->n++] = exponent;
}

/* The sum in units of 2^*unit; *lost: some bits of the terms were not kept. */
static double aligned_sum(const struct terms *x, int bits, int *unit,
                          bool *lost)
{
    double sum = 0;
    int most = x->exponent[0];
    for (size_t i = 1; i < x->n; i++)
        most = x->exponent[i] > most ? x->exponent[i] : most;
    *unit = most - bits;
    for (size_t i = 0; i < x->n; i++) {
        double whole = trunc(ldexp(x->value[i], -*unit));
        *lost = *lost || ldexp(whole, *unit) != x->value[i];
        sum += whole;
    }
    return sum;
}

/* sum * 2^unit, cut off behind 24 bits or at the last place of subnormals. */
static double cut_to_single(double sum, int unit, bool *lost)
{
    int exponent;
    (void)frexp(sum, &exponent);
    int drop = exponent > 24 ? exponent - 24 : 0;
    if (unit + drop < -149)
        drop = -149 - unit;
    double kept = ldexp(trunc(ldexp(sum, -drop)), drop);
    *lost = *lost || kept != sum;
    return ldexp(kept, unit);
}

static bool concerns(struct dtype acc, struct dtype in)
{
    bool half = in.code == DT_FLOAT && in.bits == 16;
    return (half || (in.code == DT_BFLOAT && in.bits == 16)) &&
           acc.code == DT_FLOAT && (acc.bits == 32 || (half && acc.bits == 16));
}

bool num_profile_dot(const struct num_profile *p, struct dtype acc,
                     struct dtype in, size_t k, const uint64_t *a,
                     const uint64_t *b, uint64_t c, uint64_t *out,
                     unsigned *flags)
{
    unsigned setting = p->set[NUM_T_MATRIX];
    double sum = num_to_double(acc, c);
    bool lost = false, fine = isfinite(sum);
    if (setting == 0 || setting >= NUM_NMATRIX || !concerns(acc, in))
        return false;
    for (size_t i = 0; i < k && fine; i++)
        fine = isfinite(num_to_double(in, a[i])) &&
               isfinite(num_to_double(in, b[i]));
    if (!fine)
        return false;
    size_t group = (size_t)4 << ((setting - 1) / NUM_NMATRIX_BITS);
    int bits = 23 + (int)((setting - 1) % NUM_NMATRIX_BITS);
    for (size_t from = 0; from < k; from += group) {
        struct terms x = {.n = 0};
        int unit;
        for (size_t i = from; i < k && i < from + group; i++) {
            double u = num_to_double(in, a[i]), v = num_to_double(in, b[i]);
            add_term(&x, u * v, u * v != 0 ? ilogb(u) + ilogb(v) : 0);
        }
        add_term(&x, sum, sum != 0 ? ilogb(sum) : 0);
        sum = 0; /* of zeros, of either sign */
        if (x.n == 0)
            continue;
        sum = aligned_sum(&x, bits, &unit, &lost);
        bool last = from + group >= k;
        sum = last && acc.bits == 16 ? ldexp(sum, unit)
                                     : cut_to_single(sum, unit, &lost);
    }
    *out = num_from_double(acc, sum, flags);
    if (lost)
        *flags |= NUM_INEXACT;
    return true;
}
