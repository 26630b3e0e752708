/* SPDX-License-Identifier: Apache-2.0
 *
 * Running error bounds (rules B1 to B7) against the real value of the same
 * program, computed apart from the interpreter in 400 bits with MPFR: random
 * expressions of several types, casts left out there, and dot products.
 *
 * Checked of every element: a finite bound is at least the true error, and
 * means that the real value exists; the sum of terms is at least the exact
 * one. And of sums of products in one type, that the bound is no more than
 * the a-priori one, ((1 + u)^n - 1) times the sum of absolute terms for n
 * operations (Higham, Accuracy and Stability, 2nd ed., section 3.1).
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <mpfr.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRECISION 400
#define PROGRAMS  3000
#define INPUTS    4 /* elements of each parameter */
#define DEEPEST   6

enum type { F16, BF16, F32, F64, NTYPES };
static const char *const type_names[] = {"float16", "bfloat16", "float32",
                                         "float64"};
/* Half the distance of 1 to the next number. */
static const double units[] = {0x1p-11, 0x1p-8, 0x1p-24, 0x1p-53};

static struct dtype dtype_of(enum type t)
{
    static const unsigned bits[] = {16, 16, 32, 64};
    return dtype_make(t == BF16 ? DT_BFLOAT : DT_FLOAT, bits[t], 1);
}

/* ---- random programs -------------------------------------------------------------- */

enum op {
    LEAF,
    LITERAL,
    INTEGER, /* converted */
    ADD,
    SUB,
    MUL,
    DIV,
    MAX,
    MIN,
    NEG,
    ABS,
    SQRT,
    EXP,
    TANH,
    FMA,
    CAST,  /* from another type */
    SELECT /* a < b ? c : d */
};

struct node {
    enum op op;
    enum type type;
    struct node *arg[4];
    double number; /* LITERAL, INTEGER; LEAF: the element */
};

struct context {
    struct arena *arena;
    uint64_t seed, at;
    bool polynomial; /* + - x of one type only */
    size_t ops;
};

static uint64_t draw(struct context *c, uint64_t n)
{
    return hash_mix(c->seed, c->at++) % n;
}

static struct node *node_new(struct context *c, enum op op, enum type type)
{
    struct node *n = ARENA_NEW(c->arena, struct node);
    n->op = op;
    n->type = type;
    return n;
}

static struct node *leaf(struct context *c, enum type type)
{
    uint64_t kind = draw(c, 8);
    struct node *n = node_new(c,
                              kind == 0   ? LITERAL
                              : kind == 1 ? INTEGER
                                          : LEAF,
                              type);
    if (c->polynomial)
        n->op = LEAF;
    n->number = n->op == LITERAL   ? ((double)draw(c, 65) - 32) / 8
                : n->op == INTEGER ? (double)draw(c, 70000) - 35000
                                   : (double)draw(c, INPUTS);
    return n;
}

/* What the reader may fold to one literal, and so to one term. */
static bool is_constant(const struct node *n)
{
    if (n->op == LEAF)
        return false;
    for (int i = 0; i < 4 && n->arg[i]; i++)
        if (!is_constant(n->arg[i]))
            return false;
    return true;
}

static struct node *grow(struct context *c, enum type type, unsigned depth)
{
    static const unsigned counts[] = {
        [ADD] = 2,  [SUB] = 2, [MUL] = 2,  [DIV] = 2,   [MAX] = 2,
        [MIN] = 2,  [NEG] = 1, [ABS] = 1,  [SQRT] = 1,  [EXP] = 1,
        [TANH] = 1, [FMA] = 3, [CAST] = 1, [SELECT] = 4};
    if (depth == 0 || draw(c, 8) == 0)
        return leaf(c, type);
    enum op op = (enum op)(ADD + draw(c, c->polynomial ? 3 : SELECT - ADD + 1));
    struct node *n = node_new(c, op, type);
    enum type below = op == CAST ? (enum type)draw(c, NTYPES) : type;
    c->ops++;
    for (unsigned i = 0; i < counts[op]; i++)
        n->arg[i] = grow(c, below, depth - 1);
    if (is_constant(n))
        n->arg[0] = node_new(c, LEAF, below);
    return n;
}

static void print(struct buf *out, const struct node *n)
{
    static const char *const forms[] = {
        [ADD] = "(%a + %b)",           [SUB] = "(%a - %b)",
        [MUL] = "(%a * %b)",           [DIV] = "(%a / %b)",
        [MAX] = "T.max(%a, %b)",       [MIN] = "T.min(%a, %b)",
        [NEG] = "(%a * %t(-1))",       [ABS] = "T.fabs(%a)",
        [SQRT] = "T.sqrt(%a)",         [EXP] = "T.exp(%a)",
        [TANH] = "T.tanh(%a)",         [FMA] = "T.fma(%a, %b, %c)",
        [CAST] = "T.Cast(\"%n\", %a)", [SELECT] = "T.Select(%a < %b, %c, %d)",
    };
    if (n->op == LEAF) {
        buf_printf(out, "P%d[%d]", (int)n->type, (int)n->number);
        return;
    }
    if (n->op == LITERAL) {
        buf_printf(out, "T.%s(%g)", type_names[n->type], n->number);
        return;
    }
    if (n->op == INTEGER) {
        buf_printf(out, "T.Cast(\"%s\", %d)", type_names[n->type],
                   (int)n->number);
        return;
    }
    for (const char *p = forms[n->op]; *p; p++) {
        if (*p != '%')
            buf_putc(out, *p);
        else if (*++p == 't')
            buf_printf(out, "T.%s", type_names[n->type]);
        else if (*p == 'n')
            buf_puts(out, type_names[n->type]);
        else
            print(out, n->arg[*p - 'a']);
    }
}

/* ---- the real value ------------------------------------------------------------------- */

/* Of one node: its value and the sum of its absolute terms (rule B4). */
struct real {
    mpfr_t value, terms;
};

static void real_init(struct real *r)
{
    mpfr_init2(r->value, PRECISION);
    mpfr_init2(r->terms, PRECISION);
}

static void real_clear(struct real *r)
{
    mpfr_clear(r->value);
    mpfr_clear(r->terms);
}

/* One term of its own. */
static void own_term(struct real *r)
{
    mpfr_abs(r->terms, r->value, MPFR_RNDN);
}

static void unary(enum op op, struct real *r, const struct real *a)
{
    if (op == NEG || op == CAST || op == ABS) {
        mpfr_set(r->value, a->value, MPFR_RNDN);
        mpfr_set(r->terms, a->terms, MPFR_RNDN);
        if (op == NEG)
            mpfr_neg(r->value, r->value, MPFR_RNDN);
        if (op == ABS)
            mpfr_abs(r->value, r->value, MPFR_RNDN);
        return;
    }
    if (op == SQRT)
        mpfr_sqrt(r->value, a->value, MPFR_RNDN);
    else if (op == EXP)
        mpfr_exp(r->value, a->value, MPFR_RNDN);
    else
        mpfr_tanh(r->value, a->value, MPFR_RNDN);
    own_term(r);
}

static void binary(enum op op, struct real *r, const struct real *a,
                   const struct real *b)
{
    bool less = mpfr_less_p(a->value, b->value) != 0;
    const struct real *chosen = less == (op == MIN) ? a : b;
    if (op == ADD || op == SUB) {
        mpfr_add(r->terms, a->terms, b->terms, MPFR_RNDN);
        if (op == ADD)
            mpfr_add(r->value, a->value, b->value, MPFR_RNDN);
        else
            mpfr_sub(r->value, a->value, b->value, MPFR_RNDN);
    } else if (op == MUL) {
        mpfr_mul(r->value, a->value, b->value, MPFR_RNDN);
        mpfr_mul(r->terms, a->terms, b->terms, MPFR_RNDN);
    } else if (op == DIV && mpfr_zero_p(b->value)) {
        mpfr_set_nan(r->value); /* no real number */
        mpfr_set_nan(r->terms);
    } else if (op == DIV) {
        mpfr_div(r->value, a->value, b->value, MPFR_RNDN);
        mpfr_div(r->terms, a->terms, b->value, MPFR_RNDN);
        mpfr_abs(r->terms, r->terms, MPFR_RNDN);
    } else {
        mpfr_set(r->value, chosen->value, MPFR_RNDN);
        mpfr_set(r->terms, chosen->terms, MPFR_RNDN);
    }
}

struct inputs {
    struct interp_tensor *t[NTYPES];
};

static void evaluate(const struct node *n, const struct inputs *in,
                     struct real *r)
{
    struct real arg[4];
    for (int i = 0; i < 4 && n->arg[i]; i++) {
        real_init(&arg[i]);
        evaluate(n->arg[i], in, &arg[i]);
    }
    if (n->op <= INTEGER) {
        double x = n->number;
        if (n->op == LEAF)
            x = num_to_double(
                dtype_of(n->type),
                interp_tensor_get(in->t[n->type], (size_t)n->number));
        mpfr_set_d(r->value, x, MPFR_RNDN);
        own_term(r);
    } else if (n->op == FMA) {
        struct real product;
        real_init(&product);
        binary(MUL, &product, &arg[0], &arg[1]);
        binary(ADD, r, &product, &arg[2]);
        real_clear(&product);
    } else if (n->op == SELECT) {
        /* B6: either side will do where a comparison has no real operands */
        bool less = mpfr_less_p(arg[0].value, arg[1].value) != 0;
        unary(CAST, r, &arg[less ? 2 : 3]);
    } else if (n->arg[1]) {
        binary(n->op, r, &arg[0], &arg[1]);
        if (mpfr_nan_p(arg[0].value) || mpfr_nan_p(arg[1].value))
            mpfr_set_nan(r->value);
    } else {
        unary(n->op, r, &arg[0]);
    }
    for (int i = 0; i < 4 && n->arg[i]; i++)
        real_clear(&arg[i]);
}

/* ---- runs ------------------------------------------------------------------------------- */

static struct interp_result run_text(const char *text, size_t nargs,
                                     struct interp_arg *args)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "case", sink);
    if (m == NULL) {
        struct buf why = {0};
        diag_render(sink, false, &why);
        print_error("%s\n%s\n", buf_text(&why), text);
        fail();
    }
    struct interp_options options = interp_default_options();
    options.domain = INTERP_BOUND;
    struct interp_result r = interp_run(m, m->funcs[0], nargs, args, &options);
    ir_module_free(m);
    diag_sink_free(sink);
    return r;
}

static struct interp_tensor *vector(enum type t, int64_t n)
{
    return interp_tensor_new(dtype_of(t), 1, &n);
}

/* Whether |v - real| <= bound, and |v - real| itself as far as a double goes. */
static bool holds(double v, const mpfr_t real, double limit, double *distance)
{
    mpfr_t d;
    mpfr_init2(d, 4 * PRECISION); /* the difference is exact */
    mpfr_set_d(d, v, MPFR_RNDN);
    mpfr_sub(d, d, real, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    bool fine = mpfr_cmp_d(d, limit) <= 0;
    *distance = mpfr_get_d(d, MPFR_RNDN);
    mpfr_clear(d);
    return fine;
}

struct tally {
    size_t finite, infinite, rounded;
    double tightest; /* largest true error over bound */
};

static void check_element(const char *text, const struct interp_tensor *out,
                          const struct real *real, struct tally *tally)
{
    struct interp_bound b = out->box[0].bound;
    double v = num_to_double(out->dtype, b.bits), distance = 0;
    if (isinf(b.error)) {
        tally->infinite++;
        return;
    }
    tally->finite++;
    assert_int_equal(b.bits, interp_tensor_get(out, 0));
    if (mpfr_nan_p(real->value) || !holds(v, real->value, b.error, &distance) ||
        mpfr_cmp_d(real->terms, b.terms) > 0) {
        print_error("%s\nvalue %a, error %a, terms %a; real ", text, v, b.error,
                    b.terms);
        print_error("%a, its terms %a\n", mpfr_get_d(real->value, MPFR_RNDN),
                    mpfr_get_d(real->terms, MPFR_RNDN));
        fail();
    }
    if (b.error > 0 && distance / b.error > tally->tightest)
        tally->tightest = distance / b.error;
    tally->rounded += distance > 0;
}

/* Of a polynomial: the bound is no worse than the a-priori one. */
static void check_tight(const char *text, const struct node *top, size_t ops,
                        const struct interp_tensor *out,
                        const struct real *real)
{
    struct interp_bound b = out->box[0].bound;
    double terms = mpfr_get_d(real->terms, MPFR_RNDU);
    double most = expm1((double)ops * log1p(units[top->type])) * terms;
    /* an underflow has an absolute error */
    double floor = num_to_double(out->dtype, num_min_positive(out->dtype)) *
                   (double)ops * (1 + terms);
    if (top->type == F16 && terms > 60000) /* may have overflowed */
        return;
    if (b.error > 1.001 * most + floor || b.terms > terms * (1 + 1e-12)) {
        print_error("%s\nerror %a over %a, terms %a over %a\n", text, b.error,
                    most, b.terms, terms);
        fail();
    }
}

static void one_program(uint64_t seed, bool polynomial, struct tally *tally)
{
    struct context c = {arena_new(), hash_mix(17, seed), 0, polynomial, 0};
    enum type type = (enum type)draw(&c, NTYPES);
    struct node *top = grow(&c, type, 2 + (unsigned)draw(&c, DEEPEST - 1));
    struct buf text = {0};
    struct interp_arg args[NTYPES + 1];
    struct inputs in;
    struct real real;
    memset(args, 0, sizeof args);
    buf_puts(&text, "from tvm.script import tirx as T\n\n"
                    "@T.prim_func(s_tir=True)\ndef main(");
    for (int t = 0; t < NTYPES; t++) {
        buf_printf(&text, "P%d: T.Buffer((%d,), \"%s\"), ", t, INPUTS,
                   type_names[t]);
        in.t[t] = args[t].tensor = vector((enum type)t, INPUTS);
        interp_fill_tensor(
            in.t[t], seed % 3 == 0 ? INTERP_FILL_EXACT : INTERP_FILL_RANDOM,
            seed, (size_t)t, 1, 0);
    }
    buf_printf(&text,
               "C: T.Buffer((1,), \"%s\")):\n    C[0] = ", type_names[type]);
    args[NTYPES].tensor = vector(type, 1);
    interp_fill_tensor(args[NTYPES].tensor, INTERP_FILL_ZERO, 1, 0, 1, 0);
    print(&text, top);
    buf_putc(&text, '\n');
    real_init(&real);
    evaluate(top, &in, &real);
    struct interp_result r = run_text(buf_text(&text), NTYPES + 1, args);
    if (r.fault != INTERP_OK) {
        print_error("%s%s\n", buf_text(&text), r.message);
        fail();
    }
    check_element(buf_text(&text), args[NTYPES].tensor, &real, tally);
    if (polynomial)
        check_tight(buf_text(&text), top, c.ops, args[NTYPES].tensor, &real);
    real_clear(&real);
    interp_result_fini(&r);
    for (int t = 0; t <= NTYPES; t++)
        interp_tensor_free(args[t].tensor);
    buf_fini(&text);
    arena_free(c.arena);
}

static void test_expressions(void **state)
{
    struct tally tally = {0, 0, 0, 0};
    (void)state;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        one_program(seed, false, &tally);
    print_message("%zu bounded, %zu without a bound, %zu rounded; largest true "
                  "error %.3f of its bound\n",
                  tally.finite, tally.infinite, tally.rounded, tally.tightest);
    /* most expressions have a value, and most of them round */
    assert_true(tally.finite > PROGRAMS * 6 / 10);
    assert_true(tally.rounded > PROGRAMS / 4);
    assert_true(tally.tightest > 0.5);
}

static void test_polynomials(void **state)
{
    struct tally tally = {0, 0, 0, 0};
    (void)state;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        one_program(seed, true, &tally);
    assert_true(tally.finite > PROGRAMS * 9 / 10);
    assert_true(tally.rounded > PROGRAMS / 4);
}

/* ---- a reduction -------------------------------------------------------------------------- */

#define LENGTH 200

static const char dot_text[] =
    "from tvm.script import tirx as T\n\n"
    "@T.prim_func(s_tir=True)\n"
    "def main(A: T.Buffer((200,), \"float16\"), "
    "B: T.Buffer((200,), \"float16\"), C: T.Buffer((1,), \"float16\")):\n"
    "    S = T.alloc_buffer((1,), \"float32\")\n"
    "    S[0] = T.float32(0)\n"
    "    for k in range(200):\n"
    "        S[0] = S[0] + T.Cast(\"float32\", A[k]) * "
    "T.Cast(\"float32\", B[k])\n"
    "    C[0] = T.Cast(\"float16\", S[0])\n";

/* Products of float16 are exact in float32, so that the only errors are those
 * of 199 sums and of the conversion. */
static void test_dot(void **state)
{
    struct interp_arg args[3];
    mpfr_t sum, terms, product;
    double distance, u = 0x1p-24;
    (void)state;
    memset(args, 0, sizeof args);
    for (size_t i = 0; i < 3; i++) {
        args[i].tensor = vector(F16, i < 2 ? LENGTH : 1);
        interp_fill_tensor(args[i].tensor, INTERP_FILL_RANDOM, 5, i, 1, 0);
    }
    mpfr_inits2(PRECISION, sum, terms, product, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(terms, 1);
    for (size_t i = 0; i < LENGTH; i++) {
        struct dtype t = dtype_of(F16);
        mpfr_set_d(product,
                   num_to_double(t, interp_tensor_get(args[0].tensor, i)),
                   MPFR_RNDN);
        mpfr_mul_d(product, product,
                   num_to_double(t, interp_tensor_get(args[1].tensor, i)),
                   MPFR_RNDN);
        mpfr_add(sum, sum, product, MPFR_RNDN);
        mpfr_abs(product, product, MPFR_RNDN);
        mpfr_add(terms, terms, product, MPFR_RNDN);
    }
    struct interp_result r = run_text(dot_text, 3, args);
    assert_int_equal(r.fault, INTERP_OK);
    struct interp_bound b = args[2].tensor->box[0].bound;
    double v = num_to_double(args[2].tensor->dtype, b.bits);
    double all = mpfr_get_d(terms, MPFR_RNDN);
    assert_true(holds(v, sum, b.error, &distance));
    assert_true(fabs(b.terms - all) <= 1e-12 * all);
    assert_true(b.error <= (LENGTH - 1) * u * all * 1.0001 + 0x1p-11 * fabs(v));
    interp_result_fini(&r);
    mpfr_clears(sum, terms, product, (mpfr_ptr)0);
    for (size_t i = 0; i < 3; i++)
        interp_tensor_free(args[i].tensor);
}

/* ---- single rules -------------------------------------------------------------------------- */

/* A one-line program over A = {3, 1/3, -2, 1e30} of float32. */
static struct interp_bound bound_of(const char *expression,
                                    enum interp_fault_kind want)
{
    static const double values[] = {3, 1.0 / 3, -2, 1e30};
    struct buf text = {0};
    struct interp_arg args[2];
    unsigned flags = 0;
    memset(args, 0, sizeof args);
    args[0].tensor = vector(F32, 4);
    args[1].tensor = vector(F32, 1);
    interp_fill_tensor(args[1].tensor, INTERP_FILL_ZERO, 1, 0, 1, 0);
    for (size_t i = 0; i < 4; i++) {
        interp_tensor_set(args[0].tensor, i,
                          num_from_double(DTYPE_FLOAT32, values[i], &flags));
        args[0].tensor->state[i] = INTERP_DEFINED;
    }
    buf_printf(&text,
               "from tvm.script import tirx as T\n\n"
               "@T.prim_func(s_tir=True)\n"
               "def main(A: T.Buffer((4,), \"float32\"), "
               "C: T.Buffer((1,), \"float32\")):\n%s\n",
               expression);
    struct interp_result r = run_text(buf_text(&text), 2, args);
    struct interp_bound b = {0, 0, 0};
    assert_int_equal(r.fault, want);
    if (want == INTERP_OK)
        b = args[1].tensor->box[0].bound;
    interp_result_fini(&r);
    interp_tensor_free(args[0].tensor);
    interp_tensor_free(args[1].tensor);
    buf_fini(&text);
    return b;
}

static void test_rules(void **state)
{
    (void)state;
    /* B1: parameters and literals have no error; exact operations add none */
    struct interp_bound b = bound_of("    C[0] = A[0] * A[2] + A[0]", 0);
    assert_true(b.error == 0 && b.terms == 9);
    /* B2: one rounding is half a unit in the last place: 3 + 1/3 is below 4 */
    b = bound_of("    C[0] = A[0] + A[1]", 0);
    assert_true(b.error == 0x1p-23);
    /* B3: what a cast moved is part of the error, exactly */
    b = bound_of("    C[0] = T.Cast(\"float32\", T.Cast(\"float16\", A[1]))",
                 0);
    double third = (double)(1.0f / 3);
    assert_true(b.error == third - 0x1.554p-2 || b.error == 0x1.558p-2 - third);
    /* B5: overflow, 0 in a divisor, roots that may be of a negative number */
    assert_true(isinf(bound_of("    C[0] = A[3] * A[3]", 0).error));
    assert_true(isinf(bound_of("    C[0] = A[0] / (A[0] - A[0])", 0).error));
    assert_true(isinf(bound_of("    C[0] = T.sqrt(A[2])", 0).error));
    assert_true(isinf(
        bound_of("    C[0] = A[0] / (A[1] * A[0] - T.float32(1))", 0).error));
    /* B5: -inf as a start of max is exact, and drops out */
    b = bound_of("    C[0] = T.max(T.float32(\"-inf\"), A[0])", 0);
    assert_true(b.error == 0 && b.terms == 3);
    /* B6: an open choice counts the distance to the other side */
    b = bound_of("    C[0] = T.Select(A[1] * A[0] < T.float32(1), A[0], A[2])",
                 0);
    assert_true(b.error == 5);
    (void)bound_of("    if A[1] * A[0] < T.float32(1):\n        C[0] = A[0]",
                   INTERP_UNDECIDED);
    b = bound_of("    C[0] = T.Select(not (A[1] * A[0] < T.float32(1)), A[0], "
                 "A[2])",
                 0);
    assert_true(b.error == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_rules),
    };
    int failures = cmocka_run_group_tests_name("bound", tests, NULL, NULL);
    mpfr_free_cache();
    return failures;
}
