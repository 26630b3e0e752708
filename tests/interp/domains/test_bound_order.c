/* SPDX-License-Identifier: Apache-2.0
 *
 * Error bounds that count other orders (rule B7): the same terms are added in
 * many orders and groupings, one operation of ir/num at a time, and each result
 * must be within the bound of the one run. The bound of the run's own order
 * (B2) does not hold for all of them, which shows that the rule is needed.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

#define MAX_TERMS 200
#define ORDERS    200

struct order_row {
    const char *label, *type;
    size_t n;
    double large;  /* the last term; the others are uniform in [0, 1) */
    bool products; /* of two inputs, else the inputs are added */
    bool exceeds;  /* some order is beyond the bound of the written one */
};

/* Of a large last term the written order rounds the sum once at that size,
 * others again and again. */
static const struct order_row rows[] = {
    {"float32 sum", "float32", 200, 0.5, false, false},
    {"float32 dot product", "float32", 200, 0.5, true, false},
    {"float16 sum", "float16", 200, 0.5, false, false},
    {"float16 dot product", "float16", 64, 0.5, true, false},
    {"bfloat16 sum", "bfloat16", 100, 0.5, false, false},
    {"float32 sum, the last term large", "float32", 200, 4096, false, true},
    {"float16 sum, the last term large", "float16", 200, 4096, false, true},
    {"bfloat16 sum, the last term large", "bfloat16", 100, 1024, false, true},
    {"float16 dot product, the last large", "float16", 64, 256, true, true},
};

struct sum {
    struct dtype t;
    size_t n;
    uint64_t terms[MAX_TERMS];
    long double exact;
};

static double value(struct dtype t, uint64_t bits)
{
    return num_to_double(t, bits);
}

static struct ir_module *read_sum(const struct order_row *row)
{
    struct buf text = {0};
    buf_printf(&text,
               "@T.prim_func(s_tir=True)\n"
               "def main(A: T.Buffer((%zu,), \"%s\"), B: T.Buffer((%zu,), "
               "\"%s\"), C: T.Buffer((1,), \"%s\")):\n"
               "    C[0] = T.%s(0)\n"
               "    for k in range(%zu):\n"
               "        C[0] = C[0] + A[k]%s\n",
               row->n, row->type, row->n, row->type, row->type, row->type,
               row->n, row->products ? " * B[k]" : "");
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(buf_text(&text), text.len, "case.py", sink);
    assert_non_null(m);
    diag_sink_free(sink);
    buf_fini(&text);
    return m;
}

/* The bound of the only element under these options. */
static struct interp_bound bound_of(const struct ir_module *m,
                                    struct interp_tensor *const in[2],
                                    struct dtype t, unsigned loose)
{
    const int64_t one = 1;
    struct interp_arg args[3] = {{.tensor = interp_tensor_clone(in[0])},
                                 {.tensor = interp_tensor_clone(in[1])},
                                 {.tensor = interp_tensor_new(t, 1, &one)}};
    struct interp_options o = interp_default_options();
    o.domain = INTERP_BOUND;
    o.loose = loose;
    struct interp_result r = interp_run(m, m->funcs[0], 3, args, &o);
    assert_int_equal(r.fault, INTERP_OK);
    interp_result_fini(&r);
    struct interp_bound b = args[2].tensor->box[0].bound;
    for (size_t i = 0; i < 3; i++)
        interp_tensor_free(args[i].tensor);
    return b;
}

static void make_terms(const struct order_row *row,
                       struct interp_tensor *const in[2], struct sum *s)
{
    unsigned flags = 0;
    s->t = dtype_scalar(in[0]->dtype);
    s->n = row->n;
    s->exact = 0;
    interp_tensor_set(in[0], row->n - 1,
                      num_from_double(s->t, row->large, &flags));
    for (size_t k = 0; k < row->n; k++) {
        uint64_t a = interp_tensor_get(in[0], k);
        uint64_t b = interp_tensor_get(in[1], k);
        s->exact += (long double)value(s->t, a) *
                    (row->products ? (long double)value(s->t, b) : 1);
        s->terms[k] =
            row->products ? num_binary(NUM_MUL, s->t, a, b, &flags) : a;
    }
}

/* Joins two of what is left until one is left: by the key any two, or always
 * the first two of an order. */
static double add_in_order(const struct sum *s, uint64_t key)
{
    uint64_t left[MAX_TERMS];
    unsigned flags = 0;
    size_t n = s->n;
    for (size_t i = 0; i < n; i++)
        left[i] = s->terms[key % 3 == 0 ? n - 1 - i : i];
    for (size_t k = 0; n > 1; n--, k++) {
        size_t i = key % 3 == 2 ? hash_mix(key, 2 * k) % n : 0;
        size_t j = key % 3 == 2 ? hash_mix(key, 2 * k + 1) % n : 1;
        if (key % 3 == 1) /* from the large end: the sum stays last */
            i = n - 1, j = n - 2;
        if (i == j)
            j = (i + 1) % n;
        uint64_t sum = num_binary(NUM_ADD, s->t, left[i], left[j], &flags);
        size_t low = i < j ? i : j, high = i < j ? j : i;
        left[low] = sum;
        for (size_t m = high; m + 1 < n; m++)
            left[m] = left[m + 1];
    }
    return value(s->t, left[0]);
}

static void order_row_run(void **state)
{
    const struct order_row *row = *state;
    struct ir_module *m = read_sum(row);
    struct dtype t = m->funcs[0]->prim.params[0].buffer->dtype;
    const int64_t n = (int64_t)row->n;
    struct interp_tensor *in[2] = {interp_tensor_new(t, 1, &n),
                                   interp_tensor_new(t, 1, &n)};
    struct sum s;
    size_t beyond = 0;
    for (size_t i = 0; i < 2; i++)
        interp_fill_tensor(in[i], INTERP_FILL_UNIT, 3, i, 1, 0);
    make_terms(row, in, &s);
    struct interp_bound own = bound_of(m, in, t, 0);
    struct interp_bound any = bound_of(m, in, t, INTERP_LOOSE_ORDER);
    assert_true(isfinite(any.error) && any.error >= own.error);
    for (uint64_t key = 0; key < ORDERS; key++) {
        double e = (double)fabsl((long double)add_in_order(&s, key) - s.exact);
        if (!(e <= any.error))
            fail_msg("order %llu: error %g, bound %g", (unsigned long long)key,
                     e, any.error);
        beyond += e > own.error;
    }
    assert_int_equal(beyond > 0, row->exceeds);
    interp_tensor_free(in[0]);
    interp_tensor_free(in[1]);
    ir_module_free(m);
}

/* Terms of both signs whose partial sums overflow in other orders than the one
 * that is written; what is divided afterwards does not look like it. */
static void order_overflows(void **state)
{
    (void)state;
    const char *text =
        "@T.prim_func(s_tir=True)\n"
        "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), "
        "\"float32\"), C: T.Buffer((1,), \"float32\")):\n"
        "    C[0] = (A[0] + A[1] + A[2] + A[3]) / T.float32(64)\n";
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "case.py", sink);
    assert_non_null(m);
    diag_sink_free(sink);
    struct dtype t = m->funcs[0]->prim.params[0].buffer->dtype;
    const int64_t n = 4;
    const struct {
        double size;
        bool fits;
    } sizes[] = {{0x1p127, false}, {0x1.8p126, false}, {0x1.8p125, true}};
    for (size_t k = 0; k < DC_ARRAY_LEN(sizes); k++) {
        struct interp_tensor *in[2] = {interp_tensor_new(t, 1, &n),
                                       interp_tensor_new(t, 1, &n)};
        unsigned flags = 0;
        for (size_t i = 0; i < 2; i++)
            interp_fill_tensor(in[i], INTERP_FILL_UNIT, 3, i, 1, 0);
        for (size_t i = 0; i < 4; i++)
            interp_tensor_set(
                in[0], i,
                num_from_double(t, i % 2 ? -sizes[k].size : sizes[k].size,
                                &flags));
        assert_true(isfinite(bound_of(m, in, t, 0).error));
        assert_int_equal(isfinite(bound_of(m, in, t, INTERP_LOOSE_ORDER).error),
                         sizes[k].fits);
        interp_tensor_free(in[0]);
        interp_tensor_free(in[1]);
    }
    ir_module_free(m);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 1];
    memset(tests, 0, sizeof tests);
    tests[DC_ARRAY_LEN(rows)].name = "another order may overflow";
    tests[DC_ARRAY_LEN(rows)].test_func = order_overflows;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct order_row *in;
            void *out;
        } row = {&rows[i]};
        tests[i].name = rows[i].label;
        tests[i].test_func = order_row_run;
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("order", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
