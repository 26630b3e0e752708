/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors and the generator of inputs. What is expected follows from the
 * header's words: exact fills hold nonzero small integers, no fill holds a
 * NaN, an element depends on (seed, parameter, index) alone.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

#define N 4000

static struct interp_tensor *filled(const char *dtype, enum interp_fill fill,
                                    uint64_t seed, size_t param, int64_t n,
                                    int64_t lo, int64_t hi)
{
    struct dtype t;
    assert_true(dtype_parse(dtype, &t));
    struct interp_tensor *x = interp_tensor_new(t, 1, &n);
    assert_non_null(x);
    interp_fill_tensor(x, fill, seed, param, lo, hi);
    return x;
}

static const char *const types[] = {
    "float64",       "float32",     "float16",        "bfloat16", "int8",
    "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "uint8",    "int16",
    "int32",         "int64",       "uint64",         "bool",     "int4"};

static double value_of(const struct interp_tensor *x, size_t i)
{
    return num_to_double(x->dtype, interp_tensor_get(x, i));
}

static void test_exact_is_nonzero_and_small(void **state)
{
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(types); k++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct interp_tensor *x =
                filled(types[k], INTERP_FILL_EXACT, seed, 1, N, 1, 0);
            for (size_t i = 0; i < N; i++) {
                double v = value_of(x, i);
                assert_int_equal(x->state[i], INTERP_DEFINED);
                if (dtype_is_bool(x->dtype)) {
                    assert_true(v == 0 || v == 1);
                    continue;
                }
                assert_true(v != 0 && v == floor(v) && fabs(v) <= 1000);
                if (dtype_is_float(x->dtype))
                    assert_true(fabs(v) <= 4);
            }
            interp_tensor_free(x);
        }
    }
}

/* 147 products of two fp16 inputs (the convolution of a ResNet stem) sum up
 * without rounding: every partial sum stays within 2048. */
static void test_exact_fp16_sums_stay_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct interp_tensor *a =
            filled("float16", INTERP_FILL_EXACT, seed, 0, 147 * 50, 1, 0);
        struct interp_tensor *b =
            filled("float16", INTERP_FILL_EXACT, seed, 1, 147 * 50, 1, 0);
        for (size_t r = 0; r < 50; r++) {
            double sum = 0;
            for (size_t i = 0; i < 147; i++) {
                sum += value_of(a, r * 147 + i) * value_of(b, r * 147 + i);
                assert_true(fabs(sum) <= 2048);
            }
        }
        interp_tensor_free(a);
        interp_tensor_free(b);
    }
}

static void test_fills_have_no_nan(void **state)
{
    static const enum interp_fill fills[] = {
        INTERP_FILL_EXACT,    INTERP_FILL_RANDOM, INTERP_FILL_UNIT,
        INTERP_FILL_BOUNDARY, INTERP_FILL_RANGE,  INTERP_FILL_TINY,
        INTERP_FILL_ZERO};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(types); k++) {
        for (size_t f = 0; f < DC_ARRAY_LEN(fills); f++) {
            struct interp_tensor *x = filled(types[k], fills[f], 5, 0, N, 1, 0);
            for (size_t i = 0; i < N; i++) {
                assert_false(num_is_nan(x->dtype, interp_tensor_get(x, i)));
                assert_false(num_is_inf(x->dtype, interp_tensor_get(x, i)));
            }
            interp_tensor_free(x);
        }
    }
}

static void test_random_and_unit_ranges(void **state)
{
    static const char *const floats[] = {"float64", "float32", "float16",
                                         "bfloat16", "float8_e4m3fn"};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(floats); k++) {
        struct interp_tensor *r =
            filled(floats[k], INTERP_FILL_RANDOM, 1, 0, N, 1, 0);
        struct interp_tensor *u =
            filled(floats[k], INTERP_FILL_UNIT, 1, 0, N, 1, 0);
        size_t negative = 0;
        for (size_t i = 0; i < N; i++) {
            double v = value_of(r, i), w = value_of(u, i);
            assert_true(v >= -1 && v < 1 && w >= 0 && w < 1);
            negative += v < 0;
        }
        assert_in_range(negative, N / 3, 2 * N / 3);
        interp_tensor_free(r);
        interp_tensor_free(u);
    }
}

static void test_boundary_has_the_special_values(void **state)
{
    struct interp_tensor *x =
        filled("float16", INTERP_FILL_BOUNDARY, 1, 0, N, 1, 0);
    /* +0, -0, smallest subnormal, 65504, -65504, 1, -1 */
    static const uint64_t want[] = {0,      0x8000, 1,     0x7bff,
                                    0xfbff, 0x3c00, 0xbc00};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(want); k++) {
        size_t found = 0;
        for (size_t i = 0; i < N; i++)
            found += interp_tensor_get(x, i) == want[k];
        assert_true(found > 0);
    }
    interp_tensor_free(x);
}

static void test_range_covers_exponents(void **state)
{
    struct interp_tensor *x =
        filled("float32", INTERP_FILL_RANGE, 1, 0, N, 1, 0);
    double least = (double)INFINITY, most = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        double v = fabs(value_of(x, i));
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    assert_true(least < 1e-35 && most > 1e35);
    interp_tensor_free(x);
}

/* Of every type with arithmetic there are products of two inputs that are
 * subnormal and not 0, and inputs that are subnormal themselves. */
static void test_tiny_gives_subnormals(void **state)
{
    static const struct {
        const char *type;
        double normal; /* the least */
    } rows[] = {{"float64", 0x1p-1022},
                {"float32", 0x1p-126},
                {"bfloat16", 0x1p-126},
                {"float16", 0x1p-14}};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(rows); k++) {
        struct interp_tensor *a =
            filled(rows[k].type, INTERP_FILL_TINY, 1, 0, N, 1, 0);
        struct interp_tensor *b =
            filled(rows[k].type, INTERP_FILL_TINY, 1, 1, N, 1, 0);
        size_t products = 0, inputs = 0;
        for (size_t i = 0; i < N; i++) {
            double x = fabs(value_of(a, i)), p = x * fabs(value_of(b, i));
            assert_true(x > 0);
            inputs += x < rows[k].normal;
            products += p > 0 && p < rows[k].normal && p > rows[k].normal / 8;
        }
        assert_true(inputs > N / 8 && products > N / 4);
        interp_tensor_free(a);
        interp_tensor_free(b);
    }
}

/* Of odd seeds, extremes of integers have negative products, all of them: the
 * roots are those of 2^7, 2^15, 2^31 and 2^63, rounded up. Even seeds, ranges
 * and floats keep the ends. */
static void test_extremes_with_negative_products(void **state)
{
    static const struct {
        const char *type;
        int64_t root;
    } rows[] = {{"int8", 12},
                {"int16", 182},
                {"int32", 46341},
                {"int64", INT64_C(3037000500)}};

    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(rows); k++) {
        for (unsigned low = 0; low < 2; low++) {
            enum interp_fill fill =
                low ? INTERP_FILL_LOWEST : INTERP_FILL_HIGHEST;
            struct interp_tensor *odd =
                filled(rows[k].type, fill, 1, 0, 3, 1, 0);
            struct interp_tensor *even =
                filled(rows[k].type, fill, 2, 0, 3, 1, 0);
            struct interp_tensor *ranged =
                filled(rows[k].type, fill, 1, 0, 3, -5, 6);
            int64_t x = (int64_t)interp_tensor_get(odd, 2);
            assert_int_equal(x, low ? -rows[k].root : rows[k].root);
            uint64_t bits = odd->dtype.bits;
            uint64_t square = (uint64_t)x * (uint64_t)x;
            assert_int_equal(square >> (bits - 1) & 1, 1);
            double end = ldexp(1, (int)bits - 1);
            assert_true(value_of(even, 2) == (low ? -end : (double)(end - 1)));
            assert_true(value_of(ranged, 2) == (low ? -5 : 6));
            interp_tensor_free(odd);
            interp_tensor_free(even);
            interp_tensor_free(ranged);
        }
    }
}

static void test_limits_hold_for_integers(void **state)
{
    static const enum interp_fill fills[] = {
        INTERP_FILL_EXACT, INTERP_FILL_RANDOM, INTERP_FILL_BOUNDARY,
        INTERP_FILL_RANGE, INTERP_FILL_INDEX,  INTERP_FILL_ZERO};
    (void)state;
    for (size_t f = 0; f < DC_ARRAY_LEN(fills); f++) {
        struct interp_tensor *x = filled("int64", fills[f], 3, 2, 500, 2, 6);
        for (size_t i = 0; i < 500; i++)
            assert_in_range(interp_tensor_get(x, i), 2, 6);
        interp_tensor_free(x);
    }
    /* all of lo..hi occurs */
    struct interp_tensor *x =
        filled("int32", INTERP_FILL_INDEX, 3, 2, 500, -1, 1);
    int seen[3] = {0};
    for (size_t i = 0; i < 500; i++)
        seen[num_to_int(x->dtype, interp_tensor_get(x, i)) + 1]++;
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    interp_tensor_free(x);
}

static void test_element_depends_on_its_place_alone(void **state)
{
    struct interp_tensor *a =
        filled("float32", INTERP_FILL_RANDOM, 9, 1, 100, 1, 0);
    struct interp_tensor *b =
        filled("float32", INTERP_FILL_RANDOM, 9, 1, 1000, 1, 0);
    struct interp_tensor *c =
        filled("float32", INTERP_FILL_RANDOM, 9, 2, 100, 1, 0);
    struct interp_tensor *d =
        filled("float32", INTERP_FILL_RANDOM, 10, 1, 100, 1, 0);
    (void)state;
    assert_memory_equal(a->cells, b->cells, 400);
    assert_memory_not_equal(a->cells, c->cells, 400);
    assert_memory_not_equal(a->cells, d->cells, 400);
    interp_tensor_free(a);
    interp_tensor_free(b);
    interp_tensor_free(c);
    interp_tensor_free(d);
}

static void test_tensor_sizes(void **state)
{
    struct dtype f32x4 = dtype_with_lanes(DTYPE_FLOAT32, 4);
    int64_t shape[] = {2, 3}, empty[] = {0, INT64_MAX};
    int64_t negative[] = {-1}, huge[] = {INT64_MAX, INT64_MAX};
    (void)state;
    struct interp_tensor *t = interp_tensor_new(f32x4, 2, shape);
    assert_int_equal(t->elements, 24);
    struct buf text = {0};
    interp_put_index(&text, t, 4 * 5 + 3);
    assert_string_equal(buf_text(&text), "[1, 2] lane 3");
    buf_fini(&text);
    interp_tensor_set(t, 7, 42);
    interp_tensor_to_box(t);
    struct interp_tensor *copy = interp_tensor_clone(t);
    assert_int_equal(interp_tensor_get(copy, 7), 42);
    assert_non_null(copy->box);
    interp_tensor_free(t);
    interp_tensor_free(copy);
    t = interp_tensor_new(DTYPE_INT32, 0, NULL);
    assert_int_equal(t->elements, 1);
    interp_tensor_free(t);
    t = interp_tensor_new(DTYPE_INT32, 2, empty);
    assert_int_equal(t->elements, 0);
    interp_tensor_free(t);
    assert_null(interp_tensor_new(DTYPE_INT32, 1, negative));
    assert_null(interp_tensor_new(DTYPE_INT32, 2, huge));
}

/* ---- signatures ------------------------------------------------------------- */

static const char module_text[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import tir as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def main(a: T.handle, I0: T.Buffer((8,), \"int32\"), k: T.int32,\n"
    "             C: T.Buffer((8,), \"float32\"), c: T.handle):\n"
    "        n = T.int32()\n"
    "        A = T.match_buffer(a, (n, n * 2), \"float32\")\n"
    "        U = T.match_buffer(c, (4,), \"float16\")\n"
    "        for i in range(8):\n"
    "            with T.block(\"b\"):\n"
    "                vi = T.axis.spatial(8, i)\n"
    "                C[vi] = A[I0[vi], k]\n";

static void test_signature(void **state)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m =
        ir_read(module_text, sizeof module_text - 1, "m.py", sink);
    struct arena *arena = arena_new();
    struct interp_signature s;
    struct interp_symbol n = {"n", 16};
    (void)state;
    assert_non_null(m);
    assert_true(interp_signature(m, m->funcs[0], NULL, 0, arena, &s, sink));
    assert_int_equal(s.nparams, 5);
    assert_string_equal(s.params[0].name, "A");
    assert_int_equal(s.params[0].rank, 2);
    assert_int_equal(s.params[0].shape[0], -1);
    assert_string_equal(s.params[0].dim_names[0], "n");
    assert_null(s.params[0].dim_names[1]);
    assert_true(s.params[0].loaded && !s.params[0].stored);
    assert_false(s.params[0].indexes);
    assert_true(s.params[1].loaded && s.params[1].indexes);
    assert_false(s.params[2].is_tensor);
    assert_true(s.params[2].indexes);
    assert_true(s.params[3].stored && !s.params[3].loaded);
    assert_false(s.params[4].stored || s.params[4].loaded);
    assert_int_equal(s.nsymbols, 2);
    assert_string_equal(s.symbols[0], "n");
    assert_string_equal(s.symbols[1], "k");
    assert_true(interp_signature(m, m->funcs[0], &n, 1, arena, &s, sink));
    assert_int_equal(s.params[0].shape[0], 16);
    assert_int_equal(s.params[0].shape[1], 32);
    arena_free(arena);
    ir_module_free(m);
    diag_sink_free(sink);
}

/* Which of X (float), K and J (integers) a statement finds partial, as letters;
 * those that index in lower case behind them. */
static void check_partial(const char *statement, const char *expected)
{
    struct diag_sink *sink = diag_sink_new();
    struct arena *arena = arena_new();
    struct interp_signature s;
    struct buf text = {0}, found = {0};
    buf_printf(&text,
               "@T.prim_func\n"
               "def main(X: T.Buffer((8,), \"float32\"),\n"
               "         K: T.Buffer((8,), \"int32\"),\n"
               "         J: T.Buffer((8,), \"int32\"),\n"
               "         C: T.Buffer((8,), \"int32\")):\n"
               "    S = T.alloc_buffer((8,), \"int32\")\n"
               "    for i in range(8):\n"
               "        %s\n",
               statement);
    struct ir_module *m = ir_read(buf_text(&text), text.len, "m.py", sink);
    if (m == NULL)
        fail_msg("%s: not read", statement);
    assert_true(interp_signature(m, m->funcs[0], NULL, 0, arena, &s, sink));
    for (size_t i = 0; i < 3; i++)
        if (s.params[i].partial)
            buf_puts(&found, s.params[i].name);
    for (size_t i = 0; i < 3; i++)
        if (s.params[i].indexes)
            buf_puts(&found, i == 0 ? "x" : i == 1 ? "k" : "j");
    if (strcmp(buf_text(&found), expected) != 0)
        fail_msg("%s: '%s' instead of '%s'", statement, buf_text(&found),
                 expected);
    buf_fini(&found);
    buf_fini(&text);
    arena_free(arena);
    ir_module_free(m);
    diag_sink_free(sink);
}

static void test_partial_parameters(void **state)
{
    static const struct {
        const char *statement, *expected;
    } rows[] = {
        {"C[i] = J[i] + K[i]", ""},
        {"C[i] = T.truncdiv(J[i], K[i])", "K"},
        {"C[i] = T.truncmod(J[i], K[i])", "K"},
        {"C[i] = J[i] // K[i]", "K"},
        {"C[i] = J[i] % (K[i] + 1)", "K"},
        {"C[i] = T.Cast(\"int32\", X[i] / T.Cast(\"float32\", K[i]))", "XK"},
        {"C[i] = T.Cast(\"int32\", X[i] > T.float32(1))", ""},
        {"C[i] = T.Cast(\"int32\", T.Cast(\"int8\", J[i]))", ""},
        {"C[i] = J[i] << K[i]", "K"},
        {"C[i] = J[i] >> K[i]", "K"},
        {"C[i] = T.clz(J[i])", "J"},
        {"C[i] = J[T.Cast(\"int32\", X[i])]", "Xx"},
        {"C[i] = J[T.clz(K[i]) // 8]", "Kk"},
        {"C[i] = T.if_then_else(X[i] > T.float32(1), 1, 2)", "x"},
        {"assert X[i] > T.float32(1), \"more\"", "Xx"},
        {"T.evaluate(T.assume(K[i] < 8))", "Kk"},
        {"S[i] = K[i]\n        C[i] = J[i] << S[i]", "K"},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        check_partial(rows[i].statement, rows[i].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_is_nonzero_and_small),
        cmocka_unit_test(test_exact_fp16_sums_stay_exact),
        cmocka_unit_test(test_fills_have_no_nan),
        cmocka_unit_test(test_random_and_unit_ranges),
        cmocka_unit_test(test_boundary_has_the_special_values),
        cmocka_unit_test(test_range_covers_exponents),
        cmocka_unit_test(test_tiny_gives_subnormals),
        cmocka_unit_test(test_extremes_with_negative_products),
        cmocka_unit_test(test_limits_hold_for_integers),
        cmocka_unit_test(test_element_depends_on_its_place_alone),
        cmocka_unit_test(test_tensor_sizes),
        cmocka_unit_test(test_signature),
        cmocka_unit_test(test_partial_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
