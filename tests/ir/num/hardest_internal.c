/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the hardest arguments of float32 functions; a program built on request.
 *
 *   hardest_internal FUNCTION…   all 2^32 arguments (only positive ones where
 *                                the function is odd or even): how many the
 *                                approximation leaves to MPFR, and the eight
 *                                whose value is nearest to the middle between
 *                                two floats, with the least n such that it is
 *                                nearer than 2^n units in the last place
 *
 * Any argument whose value is nearer to a middle than the bound of its
 * approximation is left to MPFR, so only those need to be looked at closely.
 * This is the source of hard_cases in test_num_math_internal.c.
 */
#include "ir/num/math_private.h"
#include "tests/ir/num/oracle.h"

#include <stdio.h>

#define HARDEST 8

struct point {
    double x;
    long nearness; /* the n above */
};

static const enum num_op symmetric[] = {
    NUM_SIN,  NUM_COS,  NUM_TAN,   NUM_SINH,  NUM_COSH, NUM_TANH,
    NUM_ASIN, NUM_ATAN, NUM_ASINH, NUM_ATANH, NUM_ERF};

static bool is_symmetric(enum num_op op)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(symmetric); i++)
        if (symmetric[i] == op)
            return true;
    return false;
}

static long nearness(const struct oracle_function *function, double x)
{
    mpfr_t in, value;
    mpfr_init2(in, 53);
    mpfr_init2(value, 300);
    mpfr_set_d(in, x, MPFR_RNDN);
    function->exact(value, in, MPFR_RNDN);
    double below = (double)mpfr_get_flt(value, MPFR_RNDD);
    double above = (double)mpfr_get_flt(value, MPFR_RNDU);
    mpfr_sub_d(value, value, (below + above) / 2, MPFR_RNDN);
    mpfr_div_d(value, value, above - below, MPFR_RNDN);
    long n = mpfr_zero_p(value) ? -300 : (long)mpfr_get_exp(value);
    mpfr_clear(in);
    mpfr_clear(value);
    return isfinite(below) && isfinite(above) ? n : 0;
}

static void keep(struct point *best, struct point p)
{
    for (int i = 0; i < HARDEST; i++) {
        if (p.nearness < best[i].nearness) {
            struct point moved = best[i];
            best[i] = p;
            p = moved;
        }
    }
}

static void search(const struct oracle_function *function)
{
    math_function approximate = math_fast_function(function->op);
    struct point best[HARDEST] = {{0, 0}};
    unsigned long count = 0;
    uint64_t end = is_symmetric(function->op) ? 0x7f800000 : 0xff800000;
    for (uint64_t a = 0; a < end; a++) {
        double x = (double)float_from_bits(a);
        uint64_t bits;
        unsigned flags = 0;
        if (isnan(x) ||
            math_settle(&float_format_fp32, approximate(x), &bits, &flags))
            continue;
        count++;
        keep(best, (struct point){x, nearness(function, x)});
    }
    printf("%-8s %lu left to MPFR\n", num_op_name(function->op), count);
    for (int i = 0; i < HARDEST && best[i].nearness < 0; i++)
        printf("    %-16a 2^%ld\n", best[i].x, best[i].nearness);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (size_t k = 1; k < oracle_function_count; k++)
            if (strcmp(argv[i], num_op_name(oracle_functions[k].op)) == 0)
                search(&oracle_functions[k]);
    num_release_caches();
    return 0;
}
