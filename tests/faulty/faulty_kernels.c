/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of tests/faulty/kernels/, each operation rounded in the order
 * that is written there, as far as the job leaves it so.
 */
#include "tests/faulty/faulty.h"

#include <math.h>
#include <string.h>

#define LARGE_OPERAND 256.0f

static void at(struct job *j, size_t unit, size_t units)
{
    j->unit = unit;
    j->units = units;
    j->large = false;
}

static void look(struct job *j, const struct terms *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (!(fabsf(t->a[i]) <= LARGE_OPERAND) ||
            (t->products && !(fabsf(t->b[i]) <= LARGE_OPERAND)))
            j->large = true;
}

static void store(const struct job *j, struct array *out, size_t i, float x)
{
    x = result(j, x, out->type == 'h');
    if (acts(j, NOT_WRITTEN))
        return;
    out->f[i] = acts(j, NEIGHBOUR) && i > 0 ? out->f[i - 1] : x;
}

/* Another term of a sum of products, or with b = 0 of one without. */
static void put(struct terms *t, size_t i, float a, float b)
{
    t->a[i] = a;
    t->b[i] = b;
}

/* ---- sums of products --------------------------------------------------------------- */

static void gemm(struct job *j, struct array *x)
{
    struct terms t = {.n = 32, .products = true};
    for (size_t e = 0; e < 576; e++) {
        at(j, e, 576);
        memcpy(t.stale, t.a, sizeof t.stale);
        for (size_t k = 0; k <= 32; k++)
            put(&t, k, x[0].f[(e / 24 * 32 + k) % 768],
                x[1].f[(k * 24 + e % 24) % 768]);
        look(j, &t);
        store(j, &x[2], e, sum_of(j, &t));
    }
}

static void conv2d(struct job *j, struct array *x)
{
    struct terms t = {.n = 27, .products = true};
    for (size_t e = 0; e < 600; e++) {
        size_t f = e % 6, column = e / 6 % 10, row = e / 60;
        at(j, e, 600);
        memcpy(t.stale, t.a, sizeof t.stale);
        for (size_t k = 0; k <= 27; k++) {
            size_t r = k / 9, s = k / 3 % 3, c = k % 3;
            put(&t, k, x[0].f[(((row + r) * 12 + column + s) * 3 + c) % 432],
                x[1].f[(k * 6 + f) % 162]);
        }
        look(j, &t);
        store(j, &x[2], e, sum_of(j, &t));
    }
}

/* ---- rows ----------------------------------------------------------------------------- */

static void load_row(struct terms *t, const struct array *x, size_t row)
{
    memcpy(t->stale, t->a, sizeof t->stale);
    for (size_t k = 0; k <= t->n; k++)
        put(t, k, x->f[(row * t->n + k) % x->n], 0);
}

static void softmax(struct job *j, struct array *x)
{
    struct terms t = {.n = 16}, e = {.n = 16};
    for (size_t row = 0; row < 100; row++) {
        at(j, row, 100);
        load_row(&t, &x[0], row);
        look(j, &t);
        float most = maximum_of(j, &t);
        memcpy(e.stale, e.a, sizeof e.stale);
        for (size_t k = 0; k <= 16; k++)
            put(&e, k, exp_of(j, operand(j, t.a[k]) - most), 0);
        float sum = sum_of(j, &e);
        for (size_t k = 0; k < 16; k++)
            store(j, &x[1], row * 16 + k, divide(j, e.a[k], sum));
    }
}

/* Sum, then the sum of squares of what is left without the mean. */
static float moments(struct job *j, const struct terms *t, float n,
                     struct terms *d, float *mean)
{
    *mean = divide(j, sum_of(j, t), n);
    memcpy(d->stale, d->a, sizeof d->stale);
    for (size_t k = 0; k <= t->n; k++)
        put(d, k, t->a[k] - *mean, t->a[k] - *mean);
    return divide(j, sum_of(j, d), n);
}

static void layer_norm(struct job *j, struct array *x)
{
    struct terms t = {.n = 24}, d = {.n = 24, .products = true};
    for (size_t row = 0; row < 100; row++) {
        float mean;
        at(j, row, 100);
        load_row(&t, &x[0], row);
        look(j, &t);
        float variance = moments(j, &t, 24.0f, &d, &mean);
        float epsilon =
            acts(j, NO_EPSILON) ? 0.0f : literal(j, 1e-4f, 1.0001e-4f);
        for (size_t k = 0; k < 24; k++) {
            float q = divide_by_root(j, t.a[k] - mean, variance + epsilon);
            bool fused = j->variant == FMA_LEFT || j->variant == FMA_RIGHT ||
                         j->variant == LANES_8_FMA;
            float y = fused ? fmaf(q, x[1].f[k], x[2].f[k])
                            : q * x[1].f[k] + x[2].f[k];
            store(j, &x[3], row * 24 + k, y);
        }
    }
}

static void sum(struct job *j, struct array *x)
{
    struct terms t = {.n = 50, .half = true};
    for (size_t row = 0; row < 300; row++) {
        at(j, row, 300);
        load_row(&t, &x[0], row);
        look(j, &t);
        store(j, &x[1], row, sum_of(j, &t));
    }
}

static void variance(struct job *j, struct array *x)
{
    struct terms t = {.n = 20}, d = {.n = 20, .products = true};
    for (size_t row = 0; row < 200; row++) {
        float mean;
        at(j, row, 200);
        load_row(&t, &x[0], row);
        look(j, &t);
        float v = moments(j, &t, 20.0f, &d, &mean);
        store(j, &x[1], row, mean);
        store(j, &x[2], row, v);
    }
}

/* ---- others --------------------------------------------------------------------------- */

static void max_pool(struct job *j, struct array *x)
{
    struct terms t = {.n = 9};
    for (size_t e = 0; e < 576; e++) {
        size_t row = e / 24, column = e % 24;
        at(j, e, 576);
        memcpy(t.stale, t.a, sizeof t.stale);
        for (size_t k = 0; k <= 9; k++)
            put(&t, k, x[0].f[((row + k / 3) * 26 + column + k % 3) % 676], 0);
        look(j, &t);
        store(j, &x[1], e, maximum_of(j, &t));
    }
}

static void chain(struct job *j, struct array *x)
{
    for (size_t e = 0; e < 600; e++) {
        at(j, e, 600);
        j->large = !(fabsf(x[0].f[e]) <= LARGE_OPERAND) ||
                   !(fabsf(x[1].f[e]) <= LARGE_OPERAND);
        size_t from = acts(j, SHIFTED) && e + 1 < 600 ? e + 1 : e;
        float a = operand(j, x[0].f[e]), w = operand(j, x[1].f[from]);
        float y = exp_of(j, a * literal(j, 1.0f / 24, 0.04167f));
        if (acts(j, LOST_LAST))
            w = 0;
        if (acts(j, WRONG_SIGN))
            w = -w;
        store(j, &x[2], e, blend(j, y, a, w, literal(j, 0.3f, 0.3001f)));
    }
}

static int16_t narrow(const struct job *j, int32_t x)
{
    if (acts(j, SATURATED))
        x = x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x;
    uint16_t low = (uint16_t)((uint32_t)x & 0xffffu);
    return (int16_t)(low >= 0x8000u ? (int32_t)low - 0x10000 : (int32_t)low);
}

/* Whole numbers so small that float holds their sums. */
static void integers(struct job *j, struct array *x)
{
    struct terms t = {.n = 16, .products = true};
    for (size_t e = 0; e < 576; e++) {
        at(j, e, 576);
        memcpy(t.stale, t.a, sizeof t.stale);
        for (size_t k = 0; k <= 16; k++)
            put(&t, k, (float)x[0].i[(e / 24 * 16 + k) % 384],
                (float)x[1].i[(k * 24 + e % 24) % 384]);
        look(j, &t);
        float total = truncf(result(j, sum_of(j, &t), false));
        if (acts(j, NOT_WRITTEN))
            continue;
        x[2].i[e] = acts(j, NEIGHBOUR) && e > 0 ? x[2].i[e - 1]
                                                : narrow(j, (int32_t)total);
    }
}

#define IN(t, count, ...)                                      \
    {                                                          \
        .type = t, .n = count, .shape = {__VA_ARGS__},         \
        .rank = sizeof(size_t[]){__VA_ARGS__} / sizeof(size_t) \
    }
#define OUT(t, count, ...)                                             \
    {                                                                  \
        .type = t, .n = count, .shape = {__VA_ARGS__}, .output = true, \
        .rank = sizeof(size_t[]){__VA_ARGS__} / sizeof(size_t)         \
    }

// clang-format off
const struct kernel kernels[] = {
    {"gemm", 3, {IN('f', 768, 24, 32), IN('f', 768, 32, 24),
                 OUT('f', 576, 24, 24)}, gemm},
    {"conv2d", 3, {IN('f', 432, 12, 12, 3), IN('f', 162, 3, 3, 3, 6),
                   OUT('f', 600, 10, 10, 6)}, conv2d},
    {"softmax", 2, {IN('f', 1600, 100, 16), OUT('f', 1600, 100, 16)}, softmax},
    {"layer_norm", 4, {IN('h', 2400, 100, 24), IN('h', 24, 24), IN('h', 24, 24),
                       OUT('h', 2400, 100, 24)}, layer_norm},
    {"max_pool", 2, {IN('f', 676, 26, 26), OUT('f', 576, 24, 24)}, max_pool},
    {"sum", 2, {IN('h', 15000, 300, 50), OUT('h', 300, 300)}, sum},
    {"chain", 3, {IN('f', 600, 600), IN('f', 600, 600), OUT('f', 600, 600)},
     chain},
    {"variance", 3, {IN('f', 4000, 200, 20), OUT('f', 200, 200),
                     OUT('f', 200, 200)}, variance},
    {"integers", 3, {IN('b', 384, 24, 16), IN('b', 384, 16, 24),
                     OUT('s', 576, 24, 24)}, integers},
};
// clang-format on
const size_t nkernels = sizeof kernels / sizeof *kernels;
