/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the elementary functions.
 *
 *   bench_elementary      one row a function: nanoseconds a call through the
 *                         array forms of float32 and float16, and a call of
 *                         num_unary or num_binary for float64, where MPFR does
 *                         all the work
 *
 * Processor time of one machine at one moment; docs/performance.md has the
 * figures. How many calls of float32 are left to MPFR is counted by
 * tests/ir/num/hardest_internal.c.
 */
#include "ir/num/num.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ARRAY   (1U << 16)
#define REPEATS 64
#define FEW     4096 /* calls for float64 */

/* Arguments for timing are spread evenly over first … last. */
static const struct row {
    enum num_op op;
    double first, last;
} rows[] = {
    {NUM_EXP, -20, 20},     {NUM_EXP2, -20, 20},   {NUM_EXP10, -20, 20},
    {NUM_LOG, 0.001, 20},   {NUM_LOG2, 0.001, 20}, {NUM_LOG10, 0.001, 20},
    {NUM_LOG1P, -0.9, 20},  {NUM_SIN, -20, 20},    {NUM_COS, -20, 20},
    {NUM_TAN, -20, 20},     {NUM_SINH, -8, 8},     {NUM_COSH, -8, 8},
    {NUM_TANH, -8, 8},      {NUM_ASIN, -1, 1},     {NUM_ACOS, -1, 1},
    {NUM_ATAN, -8, 8},      {NUM_ASINH, -20, 20},  {NUM_ACOSH, 1, 20},
    {NUM_ATANH, -1, 1},     {NUM_ERF, -4, 4},      {NUM_RSQRT, 0.001, 20},
    {NUM_SIGMOID, -20, 20},
};

static const enum num_op binary_ops[] = {NUM_POW, NUM_ATAN2, NUM_HYPOT};

struct arrays {
    float in[ARRAY], out[ARRAY];
    uint16_t in16[ARRAY], out16[ARRAY];
};

static double cpu_seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t double_pattern(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void fill(const struct row *row, struct arrays *a)
{
    struct dtype half = dtype_make(DT_FLOAT, 16, 1);
    double width = row->last - row->first;
    uint64_t state = 7;
    unsigned flags = 0;
    for (unsigned i = 0; i < ARRAY; i++) {
        double part = (double)(next_random(&state) >> 11) * 0x1p-53;
        a->in[i] = (float)(row->first + width * part);
        a->in16[i] = (uint16_t)num_from_double(half, (double)a->in[i], &flags);
    }
}

static double per_call(double start, double calls)
{
    return (cpu_seconds() - start) * 1e9 / calls;
}

static void time_unary(const struct row *row, struct arrays *a)
{
    struct dtype wide = dtype_make(DT_FLOAT, 64, 1);
    unsigned flags = 0;
    uint64_t sum = 0;
    fill(row, a);
    double start = cpu_seconds();
    for (unsigned k = 0; k < REPEATS; k++)
        num_unary_f32_array(row->op, a->in, a->out, NULL, ARRAY);
    double f32 = per_call(start, REPEATS * ARRAY);
    start = cpu_seconds();
    for (unsigned k = 0; k < REPEATS; k++)
        num_unary_f16_array(row->op, a->in16, a->out16, NULL, ARRAY);
    double f16 = per_call(start, REPEATS * ARRAY);
    start = cpu_seconds();
    for (unsigned i = 0; i < FEW; i++)
        sum +=
            num_unary(row->op, wide, double_pattern((double)a->in[i]), &flags);
    double f64 = per_call(start, FEW);
    printf("%-8s %8.1f %8.1f %8.0f%s\n", num_op_name(row->op), f32, f16, f64,
           sum == 0 ? " ?" : "");
}

/* num_binary on pairs of a positive and any number below 20. */
static double time_binary(enum num_op op, struct dtype t, unsigned calls)
{
    unsigned flags = 0;
    uint64_t state = 7, sum = 0;
    double start = cpu_seconds();
    for (unsigned i = 0; i < calls; i++) {
        uint64_t r = next_random(&state);
        double x = (double)((r & 0xffffff) + 1) * 0x1p-20;
        double y = (double)(r >> 40) * 0x1p-21 - 4;
        sum += num_binary(op, t, num_from_double(t, x, &flags),
                          num_from_double(t, y, &flags), &flags);
    }
    return per_call(start, sum == 0 ? 0 : calls);
}

int main(void)
{
    struct arrays *arrays = dc_alloc(sizeof *arrays);
    printf("%-8s %8s %8s %8s\n", "function", "f32 ns", "f16 ns", "f64 ns");
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        time_unary(&rows[i], arrays);
    for (size_t i = 0; i < DC_ARRAY_LEN(binary_ops); i++)
        printf("%-8s %8.1f %8.1f %8.0f\n", num_op_name(binary_ops[i]),
               time_binary(binary_ops[i], dtype_make(DT_FLOAT, 32, 1), 1 << 20),
               time_binary(binary_ops[i], dtype_make(DT_FLOAT, 16, 1), 1 << 20),
               time_binary(binary_ops[i], dtype_make(DT_FLOAT, 64, 1), FEW));
    dc_release(arrays);
    num_release_caches();
    return 0;
}
