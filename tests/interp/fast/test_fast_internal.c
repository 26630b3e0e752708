/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of the fast engine by themselves.
 *
 * The dependence test: programs with and without a conflict between the
 * iterations of their first loop, most of the former made from one of the
 * latter by one change. A conflict must be seen; where the test could say
 * "independent" it should. What runs is then right, whatever was decided.
 *
 * The lane kernels: each table of the processor against num.h, all float16
 * values on one side and the boundary values on the other.
 */
#include "interp/fast/fast_engine.h"
#include "interp/fast/kernels.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

#define HEADER                             \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

/* ---- dependence ------------------------------------------------------------------ */

struct nest {
    const char *name, *params, *body;
    bool independent;
};

#define A64 "A: T.Buffer((64,), \"float32\")"
#define A8  "A: T.Buffer((8, 8), \"float32\")"

// clang-format off
static const struct nest nests[] = {
{"each its own", A64, "    for i in range(64):\n        A[i] = A[i] * A[i]\n", true},
{"the one before", A64, "    for i in range(63):\n        A[i + 1] = A[i] * A[i]\n", false},
{"the one behind", A64, "    for i in range(63):\n        A[i] = A[i + 1] * A[i]\n", false},
{"far behind", A64, "    for i in range(32):\n        A[i] = A[i + 32] * A[i]\n", true},
{"not quite so far behind", A64, "    for i in range(32):\n        A[i] = A[i + 31] * A[i]\n", false},
{"the even and the odd", A64, "    for i in range(32):\n        A[2 * i] = A[2 * i + 1]\n", true},
{"the even and the next even", A64, "    for i in range(31):\n        A[2 * i] = A[2 * i + 2]\n", false},
{"all into one", A64, "    for i in range(64):\n        A[0] = A[0] * A[0]\n", false},
{"mirrored", A64, "    for i in range(64):\n        A[i] = A[63 - i]\n", false},
{"rows", A8, "    for i in range(8):\n        for j in range(7):\n            A[i, j] = A[i, j + 1]\n", true},
{"columns of rows", A8, "    for i in range(7):\n        for j in range(8):\n            A[i, j] = A[i + 1, j]\n", false},
{"transposed", A8, "    for i in range(8):\n        for j in range(8):\n            A[i, j] = A[j, i]\n", false},
{"tiles", A64, "    for i in range(8):\n        for j in range(8):\n            A[i * 8 + j] = A[i * 8 + 7 - j]\n", true},
{"tiles that overlap", A64, "    for i in range(8):\n        for j in range(9):\n            A[i * 7 + j] = A[i * 7 + j] * A[i * 7]\n", false},
{"tiles one too wide", A64, "    for i in range(7):\n        for j in range(9):\n            A[i * 8 + j] = A[i * 8]\n", false},
{"a step", A64, "    for i in range(0, 64, 8):\n        for j in range(8):\n            A[i + j] = A[i]\n", true},
{"a step too short", A64, "    for i in range(0, 56, 4):\n        for j in range(8):\n            A[i + j] = A[i]\n", false},
{"digits in two dimensions", A8, "    for t in range(16):\n        for i, j in T.grid(2, 2):\n            A[t // 4 * 2 + i, t % 4 * 2 + j] = A[t // 4 * 2 + j, t % 4 * 2 + i]\n", true},
{"digits, one overlapping", A8, "    for t in range(16):\n        for i, j in T.grid(2, 3):\n            A[t // 4 * 2 + i, t % 4 * 2 + j - j // 2] = A[t // 4 * 2, t % 4 * 2]\n", false},
{"digits, one lost", A8, "    for t in range(16):\n        for i in range(8):\n            A[t // 2, i] = A[t // 2, i] * A[t // 2, 0]\n", false},
{"flat digits", A64, "    for t in range(16):\n        for i, j in T.grid(2, 2):\n            A[t // 4 * 16 + i * 8 + t % 4 * 2 + j] = A[t // 4 * 16 + j * 8 + t % 4 * 2 + i]\n", true},
{"flat digits, unrolled", A64, "    for t in range(16):\n        A[t // 4 * 16 + t % 4 * 2] = A[t // 4 * 16 + t % 4 * 2 + 9]\n        A[t // 4 * 16 + t % 4 * 2 + 8] = A[t // 4 * 16 + t % 4 * 2 + 1]\n", true},
{"flat digits with a carry", A64, "    for t in range(15):\n        for i, j in T.grid(2, 3):\n            A[t // 4 * 16 + i * 8 + t % 4 * 2 + j] = A[t // 4 * 16]\n", false},
{"storage within", A64, "    for i in range(8):\n        B = T.alloc_buffer((8,))\n        for j in range(8):\n            B[j] = A[i * 8 + j]\n        for j in range(8):\n            A[i * 8 + j] = B[7 - j]\n", true},
{"storage around", A64, "    B = T.alloc_buffer((8,))\n    for i in range(8):\n        for j in range(8):\n            B[j] = A[i * 8 + j]\n        for j in range(8):\n            A[i * 8 + j] = B[7 - j]\n", false},
{"a view that moves", A64, "    for i in range(8):\n        with T.sblock(\"b\"):\n            v = T.axis.spatial(8, i)\n            B = T.match_buffer(A[v * 8:v * 8 + 8], (8,), offset_factor=1)\n            B[3] = B[7] * B[3]\n", true},
{"a view that moves against its index", A64, "    for i in range(8):\n        with T.sblock(\"b\"):\n            v = T.axis.spatial(8, i)\n            B = T.match_buffer(A[16 - v:24 - v], (8,), offset_factor=1)\n            B[v] = B[v] * B[v]\n", false},
{"a square root of itself", A64, "    for i in range(64):\n        A[i * i % 64] = A[i]\n", false},
{"half as many places", A64, "    for i in range(64):\n        A[i // 2] = A[i // 2] * A[i // 2]\n", false},
};
// clang-format on

static struct node *first_loop(struct node *list)
{
    while (list != NULL && list->kind != NODE_LOOP)
        list = list->next;
    return list;
}

static void run_both(const struct nest *c, const struct ir_module *m)
{
    struct interp_arg args[2];
    int64_t shape[] = {8, 8}, flat[] = {64};
    bool square = m->funcs[0]->prim.params[0].buffer->rank == 2;
    memset(args, 0, sizeof args);
    for (int i = 0; i < 2; i++) {
        struct interp_options o = interp_default_options();
        o.engine = i == 0 ? INTERP_ENGINE_FAST : INTERP_ENGINE_WALK;
        args[i].tensor = interp_tensor_new(DTYPE_FLOAT32, square ? 2 : 1,
                                           square ? shape : flat);
        interp_fill_tensor(args[i].tensor, INTERP_FILL_RANDOM, 3, 0, 1, 0);
        struct interp_result r = interp_run(m, m->funcs[0], 1, &args[i], &o);
        if (r.fault != INTERP_OK)
            print_error("%s: %s\n", c->name, r.message);
        assert_int_equal(r.fault, INTERP_OK);
        interp_result_fini(&r);
    }
    for (size_t i = 0; i < 64; i++) {
        if (interp_tensor_get(args[0].tensor, i) !=
            interp_tensor_get(args[1].tensor, i))
            print_error("%s: element %zu\n", c->name, i);
        assert_int_equal(interp_tensor_get(args[0].tensor, i),
                         interp_tensor_get(args[1].tensor, i));
        assert_int_equal(args[0].tensor->state[i], args[1].tensor->state[i]);
    }
    interp_tensor_free(args[0].tensor);
    interp_tensor_free(args[1].tensor);
}

static void free_nodes(struct node *list)
{
    for (struct node *n = list; n != NULL; n = n->next) {
        vec_fini(&n->first);
        free_nodes(n->body);
        free_nodes(n->other);
    }
}

static void check_nest(const struct nest *c)
{
    struct buf script = {0};
    struct diag_sink *sink = diag_sink_new();
    struct interp_options o = interp_default_options();
    struct interp_arg arg;
    struct engine e;
    struct machine plan;
    memset(&e, 0, sizeof e);
    memset(&plan, 0, sizeof plan);
    memset(&arg, 0, sizeof arg);
    buf_printf(&script, HEADER "%s):\n%s", c->params, c->body);
    struct ir_module *m = ir_read(buf_text(&script), script.len, c->name, sink);
    if (m == NULL)
        print_error("%s is not read\n%s", c->name, buf_text(&script));
    assert_non_null(m);
    const struct ir_buffer *b = m->funcs[0]->prim.params[0].buffer;
    int64_t shape[] = {b->rank == 2 ? 8 : 64, 8};
    arg.tensor = interp_tensor_new(DTYPE_FLOAT32, b->rank, shape);
    e.module = plan.module = m;
    e.func = plan.func = m->funcs[0];
    e.options = &o;
    e.nargs = 1;
    e.args = &arg;
    e.arena = plan.arena = arena_new();
    e.plan = exec_plan_get(&plan, e.func);
    if (!lower_function(&e))
        print_error("%s: %s\n", c->name, e.why);
    assert_null(e.why);
    struct node *loop = first_loop(e.top);
    assert_non_null(loop);
    if (fast_loop_independent(&e, loop) != c->independent)
        print_error("%s: taken for %s\n", c->name,
                    c->independent ? "dependent" : "independent");
    assert_int_equal(fast_loop_independent(&e, loop), c->independent);
    free_nodes(e.top);
    fast_stores_free(&e);
    vec_fini(&e.atoms);
    vec_fini(&plan.plans);
    arena_free(e.arena);
    interp_tensor_free(arg.tensor);
    run_both(c, m);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&script);
}

static void test_dependence(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(nests); i++)
        check_nest(&nests[i]);
}

/* ---- kernels -------------------------------------------------------------------------- */

#define N 65536

static const struct kernels *tables[KERNEL_TABLES];
static size_t ntables;

static int open_tables(void **state)
{
    (void)state;
    ntables = kernels_usable(tables);
    return 0;
}

static struct dtype type_of(unsigned t)
{
    return fast_ftype_dtype((enum ftype)t);
}

/* A float as the bits of its type, NaN canonical. */
static uint64_t bits_of(unsigned t, float x)
{
    unsigned flags = 0;
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return num_cast(DTYPE_FLOAT32, type_of(t), u, &flags);
}

static void values(unsigned t, float *out)
{
    for (uint32_t i = 0; i < N; i++) {
        unsigned flags = 0;
        uint64_t b = num_cast(type_of(t), DTYPE_FLOAT32, i, &flags);
        uint32_t u = (uint32_t)b;
        memcpy(&out[i], &u, sizeof u);
    }
}

static void test_memory(void **state)
{
    float *x = dc_alloc(N * sizeof *x), *y = dc_alloc(N * sizeof *y);
    uint16_t *h = dc_alloc(N * sizeof *h), *back = dc_alloc(N * sizeof *back);
    (void)state;
    for (unsigned t = T_F16; t <= T_BF16; t++)
        for (size_t k = 0; k < ntables; k++) {
            values(t, x);
            for (uint32_t i = 0; i < N; i++)
                h[i] = (uint16_t)i;
            tables[k]->load[t](y, h, N - 3); /* a part of a vector last */
            tables[k]->store[t](back, y, N - 3);
            for (uint32_t i = 0; i < N - 3; i++) {
                unsigned flags = 0;
                assert_true(x[i] == y[i] || (x[i] != x[i] && y[i] != y[i]));
                assert_int_equal(back[i],
                                 num_cast(type_of(t), type_of(t), i, &flags));
            }
        }
    dc_release(x);
    dc_release(y);
    dc_release(h);
    dc_release(back);
}

/* The same with which lanes rounded; in all lanes but a few, too, so that a
 * part of a vector comes last. */
static void check_narrow(const struct kernels *k, unsigned t, const float *x,
                         float *y, uint8_t *mask)
{
    for (uint32_t n = N - 3; n <= N; n += 3) {
        bool any = k->narrow[t](y, x, n, mask), seen = false;
        for (uint32_t i = 0; i < n; i++) {
            unsigned flags = 0;
            uint32_t u;
            memcpy(&u, &x[i], sizeof u);
            uint64_t want = num_cast(DTYPE_FLOAT32, type_of(t), u, &flags);
            bool rounds = (flags & NUM_INEXACT) != 0;
            assert_int_equal(bits_of(t, y[i]), want);
            assert_int_equal(any ? mask[i] : 0, rounds ? INTERP_INEXACT : 0);
            seen |= rounds;
        }
        assert_int_equal(any, seen);
    }
}

/* Float bit patterns around all boundaries of the narrow types. */
static void test_rounding(void **state)
{
    float *x = dc_alloc(N * sizeof *x), *y = dc_alloc(N * sizeof *y);
    uint8_t *mask = dc_alloc(N);
    (void)state;
    for (unsigned t = T_F16; t <= T_BF16; t++)
        for (size_t k = 0; k < ntables; k++)
            for (uint32_t low = 0; low < 8; low++) {
                static const uint32_t tails[8] = {
                    0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001};
                for (uint32_t i = 0; i < N; i++) {
                    uint32_t u = i << 16 | tails[low];
                    memcpy(&x[i], &u, sizeof u);
                }
                tables[k]->round[t](y, x, N);
                for (uint32_t i = 0; i < N; i++)
                    assert_int_equal(bits_of(t, x[i]), bits_of(t, y[i]));
                check_narrow(tables[k], t, x, y, mask);
            }
    dc_release(x);
    dc_release(y);
    dc_release(mask);
}

static void check_pair(const struct kernels *k, unsigned t, unsigned op,
                       const float *x, const uint64_t *xb, uint64_t other,
                       float *y, float *r, float *q, uint8_t *mask)
{
    unsigned none = 0;
    uint32_t u = (uint32_t)num_cast(type_of(t), DTYPE_FLOAT32, other, &none);
    for (size_t i = 0; i < N; i++)
        memcpy(&y[i], &u, sizeof u);
    bool any = k->checked[t][op](r, x, y, N, mask);
    k->quiet[t][op](q, x, y, N);
    for (size_t i = 0; i < N; i++) {
        unsigned flags = 0;
        uint64_t want = num_binary((enum num_op)(NUM_ADD + op), type_of(t),
                                   xb[i], other, &flags);
        /* what the table leaves to its callers */
        if (t == T_BF16 && op >= K_MUL && r[i] > -0x1p-125f && r[i] < 0x1p-125f)
            continue;
        bool bad = any && mask[i] != 0;
        if (bits_of(t, r[i]) != want || bits_of(t, q[i]) != want ||
            bad != ((flags & NUM_INEXACT) != 0)) {
            print_error("%s: type %u, operation %u, %llx and %llx: %llx, %llx, "
                        "inexact %d, expected %llx, %d\n",
                        k->name != NULL ? k->name : "kernels", t, op,
                        (unsigned long long)xb[i], (unsigned long long)other,
                        (unsigned long long)bits_of(t, r[i]),
                        (unsigned long long)bits_of(t, q[i]), bad,
                        (unsigned long long)want, (flags & NUM_INEXACT) != 0);
            fail();
        }
    }
}

static void test_arithmetic(void **state)
{
    static const uint64_t others[3][12] = {
        {0, 0x80000000, 1, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800001,
         0x7f7fffff, 0x7f800000, 0x7fc00000, 0x40490fdb, 0x34000001},
        {0, 0x8000, 1, 0x03ff, 0x0400, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0x7e00,
         0x4248, 0x1401},
        {0, 0x8000, 1, 0x007f, 0x0080, 0x3f80, 0xbf81, 0x7f7f, 0x7f80, 0x7fc0,
         0x4049, 0x3401}};
    float *x = dc_alloc(N * sizeof *x), *y = dc_alloc(N * sizeof *y);
    float *r = dc_alloc(N * sizeof *r), *q = dc_alloc(N * sizeof *q);
    uint64_t *xb = dc_alloc(N * sizeof *xb);
    uint8_t *mask = dc_alloc(N);
    (void)state;
    for (unsigned t = T_F32; t <= T_BF16; t++) {
        for (uint32_t i = 0; i < N; i++) {
            /* float32: every exponent and sign, a few significands */
            uint32_t u = i << 16 | (i * 40503u & 0xffffu);
            memcpy(&x[i], &u, sizeof u);
        }
        if (t != T_F32)
            values(t, x);
        for (size_t i = 0; i < N; i++)
            xb[i] = bits_of(t, x[i]);
        for (size_t k = 0; k < ntables; k++)
            for (unsigned op = 0; op < K_NOPS; op++)
                for (size_t j = 0; j < DC_ARRAY_LEN(others[t]); j++)
                    check_pair(tables[k], t, op, x, xb, others[t][j], y, r, q,
                               mask);
    }
    dc_release(x);
    dc_release(y);
    dc_release(r);
    dc_release(q);
    dc_release(xb);
    dc_release(mask);
}

static void check_fused(const struct kernels *k, unsigned t, const float *x,
                        const float *y, const float *z, float *r, double *odd)
{
    k->fused[t](r, x, y, z, odd, N);
    for (size_t i = 0; i < N; i++) {
        unsigned flags = 0;
        uint64_t want = num_fma(type_of(t), bits_of(t, x[i]), bits_of(t, y[i]),
                                bits_of(t, z[i]), &flags);
        uint64_t have = bits_of(t, r[i]);
        bool inexact = isfinite(odd[i]) && (double)r[i] != odd[i];
        if (have != want || inexact != ((flags & NUM_INEXACT) != 0)) {
            print_error("%s: type %u, fma of %a, %a, %a: %llx, expected %llx, "
                        "flags %u\n",
                        k->name != NULL ? k->name : "kernels", t, (double)x[i],
                        (double)y[i], (double)z[i], (unsigned long long)have,
                        (unsigned long long)want, flags);
            fail();
        }
    }
}

/* One rounding of x * y + z, z being anything, near -x * y, or far below it. */
static void test_fused(void **state)
{
    float *x = dc_alloc(N * sizeof *x), *y = dc_alloc(N * sizeof *y);
    float *z = dc_alloc(N * sizeof *z), *r = dc_alloc(N * sizeof *r);
    double *odd = dc_alloc(N * sizeof *odd);
    uint64_t seed = 3;
    (void)state;
    for (unsigned t = T_F32; t <= T_F16; t++)
        for (int kind = 0; kind < 6; kind++) {
            for (size_t i = 0; i < N; i++) {
                float *all[3] = {&x[i], &y[i], &z[i]};
                for (int j = 0; j < 3; j++) {
                    seed = hash_mix(seed, i);
                    uint64_t bits = seed >> (t == T_F16 ? 48 : 32);
                    unsigned none = 0;
                    uint32_t u = (uint32_t)num_cast(type_of(t), DTYPE_FLOAT32,
                                                    bits, &none);
                    memcpy(all[j], &u, sizeof u);
                }
                if (kind % 2 == 1)
                    z[i] = -(x[i] * y[i]);
                if (kind == 2 || kind == 3)
                    z[i] = z[i] * (t == T_F16 ? 0x1p-14f : 0x1p-60f);
                if (kind == 4)
                    x[i] = (float)(i % 9) - 4, y[i] = (float)(i % 7);
            }
            for (size_t k = 0; k < ntables; k++) {
                tables[k]->round[t](z, z, N);
                check_fused(tables[k], t, x, y, z, r, odd);
            }
        }
    dc_release(x);
    dc_release(y);
    dc_release(z);
    dc_release(r);
    dc_release(odd);
}

/* acc + x * x, two roundings. */
static void test_mac(void **state)
{
    float *x = dc_alloc(N * sizeof *x);
    uint16_t *acc = dc_alloc(N * sizeof *acc);
    struct dtype half = type_of(T_F16);
    (void)state;
    values(T_F16, x);
    for (size_t k = 0; k < ntables; k++) {
        for (uint32_t i = 0; i < N; i++)
            acc[i] = (uint16_t)(i * 40503u);
        tables[k]->mac[T_F16](acc, x, x, N - 5);
        for (uint32_t i = 0; i < N - 5; i++) {
            unsigned flags = 0;
            uint64_t p = num_binary(NUM_MUL, half, i, i, &flags);
            uint64_t want =
                num_binary(NUM_ADD, half, (uint16_t)(i * 40503u), p, &flags);
            assert_int_equal(acc[i], want);
        }
    }
    dc_release(x);
    dc_release(acc);
}

/* One random number in four is of a size near 1, where sums round. */
static float random_float(uint64_t *seed, unsigned t)
{
    unsigned flags = 0;
    *seed = hash_mix(*seed, t);
    uint64_t bits = *seed >> (t == T_F32 ? 32 : 48);
    if (*seed % 4 == 0 && t == T_F32)
        bits = (bits & 0x80ffffffu) | 0x3f000000u;
    if (*seed % 4 == 0 && t == T_F16)
        bits = (bits & 0x83ffu) | 0x3800u;
    uint32_t u = (uint32_t)num_cast(type_of(t), DTYPE_FLOAT32, bits, &flags);
    float x;
    memcpy(&x, &u, sizeof u);
    return x;
}

/* acc + (a * b), the product rounded to type p, the sum to float, then to the
 * accumulator's type. */
static uint64_t mac_of(unsigned t, unsigned p, uint64_t acc, float a, float b)
{
    unsigned flags = 0;
    struct dtype one = DTYPE_FLOAT32;
    uint64_t product =
        num_binary(NUM_MUL, type_of(p), bits_of(p, a), bits_of(p, b), &flags);
    uint64_t sum =
        num_binary(NUM_ADD, one, num_cast(type_of(t), one, acc, &flags),
                   num_cast(type_of(p), one, product, &flags), &flags);
    return num_cast(one, type_of(t), sum, &flags);
}

static void test_mac_mixed(void **state)
{
    float *a = dc_alloc(N * sizeof *a), *b = dc_alloc(N * sizeof *b);
    float *kept = dc_alloc(N * sizeof *kept);
    uint16_t *acc = dc_alloc(N * sizeof *acc);
    uint64_t seed = 5;
    (void)state;
    for (unsigned t = T_F16; t <= T_BF16; t++)
        for (unsigned from = T_F32; from <= t; from += t) {
            for (uint32_t i = 0; i < N; i++) {
                a[i] = random_float(&seed, from);
                b[i] = random_float(&seed, from);
            }
            for (size_t k = 0; k < ntables; k++) {
                for (uint32_t i = 0; i < N; i++)
                    acc[i] = (uint16_t)(i * 40503u);
                tables[k]->mac_wide[t](acc, a, b, N - 5);
                for (uint32_t i = 0; i < N - 5; i++)
                    assert_int_equal(
                        acc[i],
                        mac_of(t, T_F32, (uint16_t)(i * 40503u), a[i], b[i]));
            }
        }
    for (size_t k = 0; k < ntables; k++) {
        for (uint32_t i = 0; i < N; i++) {
            a[i] = random_float(&seed, T_F16);
            b[i] = random_float(&seed, T_F16);
            kept[i] = random_float(&seed, T_F32);
        }
        uint64_t *want = dc_alloc(N * sizeof *want);
        for (uint32_t i = 0; i < N; i++)
            want[i] = mac_of(T_F32, T_F16, bits_of(T_F32, kept[i]), a[i], b[i]);
        tables[k]->mac_kept(kept, a, b, N - 5);
        for (uint32_t i = 0; i < N - 5; i++)
            assert_int_equal(bits_of(T_F32, kept[i]), want[i]);
        dc_release(want);
    }
    dc_release(a);
    dc_release(b);
    dc_release(kept);
    dc_release(acc);
}

/* "May have rounded" has to be said wherever num.h says "has". */
static void test_double(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < 200000; i++) {
        uint64_t a = hash_mix(seed, 2 * i), b = hash_mix(seed, 2 * i + 1);
        if (i % 3 == 0) { /* few significant bits: exact ones, too */
            a &= ~(((uint64_t)1 << 30) - 1);
            b &= ~(((uint64_t)1 << 30) - 1);
        }
        if (i % 2 == 0) /* of like magnitude */
            b = (b & ~((uint64_t)0x7ff << 52)) | (a & (uint64_t)0x7ff << 52);
        double x, y, r;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        for (size_t k = 0; k < ntables; k++)
            for (int op = 0; op < 2; op++) {
                unsigned flags = 0;
                uint64_t bits;
                bool may = (op == 0 ? tables[k]->dadd : tables[k]->dmul)(&r, &x,
                                                                         &y, 1);
                uint64_t want = num_binary(op == 0 ? NUM_ADD : NUM_MUL,
                                           type_of(T_F64), a, b, &flags);
                memcpy(&bits, &r, sizeof bits);
                assert_true(bits == want || r != r);
                assert_true(may || !(flags & NUM_INEXACT));
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependence), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_rounding),   cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_fused),      cmocka_unit_test(test_mac),
        cmocka_unit_test(test_mac_mixed),  cmocka_unit_test(test_double),
    };
    return cmocka_run_group_tests(tests, open_tables, NULL);
}
