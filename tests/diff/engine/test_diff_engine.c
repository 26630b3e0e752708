/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison as a whole on small modules built here: each case is one
 * change to a correct loop, and the verdict follows from the definitions in
 * docs/verdicts.md.
 */
#include "diff/diff.h"
#include "tests/test.h"

#include <string.h>

#define N 8

/* One way to write the function; the fields that differ from the plain form
 * make the case. Plain: for i in 0..N: C[i] = A[i] * B[i]. */
struct form {
    const char *name; /* function; NULL: "main" */
    int extent;       /* of the loop; 0: N */
    int shift;        /* added to the index of A */
    int add;          /* added to the value */
    bool sum;         /* C[0] = sum of A[i] instead */
    bool reversed;    /* the sum runs downwards */
    bool scratch;     /* the value comes from memory nothing wrote */
    bool free_var;    /* an index nobody defines */
    bool symbolic;    /* size n instead of N */
    bool drop_tail;   /* symbolic: the loop covers whole tiles of 4 only */
    bool flat;        /* parameters of shape [2, N / 2] read as [N] */
    int nparams;      /* 0: 3 */
    bool doubles;     /* float64 parameters */
    bool second;      /* another function "other" beside it */
    bool index_param; /* A[B[i]], B int32 */
    bool swapped;     /* B[i] * A[i] */
    bool minus_zero;  /* -0 is added to the value */
};

struct build {
    struct ir_module *m;
    const struct form *form;
    struct dtype type;
    struct ir_buffer *a, *b, *c;
    struct ir_expr *size;
};

static struct ir_expr *number(struct build *x, int64_t value)
{
    return ir_int(x->m, DTYPE_INT32, value);
}

static struct ir_buffer *param(struct build *x, const char *name,
                               struct dtype type)
{
    struct ir_expr *shape[2] = {x->size, NULL};
    size_t rank = 1;
    if (x->form->flat) {
        shape[0] = number(x, 2);
        shape[1] = number(x, N / 2);
        rank = 2;
    }
    return ir_buffer_make(x->m, name, type, rank, shape, NULL, "global");
}

static struct ir_expr *load(struct build *x, struct ir_buffer *buffer,
                            struct ir_expr *index)
{
    struct ir_expr *at[2] = {index, NULL};
    if (buffer->rank == 2) {
        struct ir_expr *half = number(x, N / 2);
        at[0] = ir_binary(x->m, IR_FLOORDIV, index, half);
        at[1] = ir_binary(x->m, IR_FLOORMOD, index, half);
    }
    return ir_load(x->m, buffer, buffer->rank, at, NULL);
}

static struct ir_stmt *put(struct build *x, struct ir_expr *index,
                           struct ir_expr *value)
{
    struct ir_expr *at[2] = {index, NULL};
    if (x->c->rank == 2) {
        struct ir_expr *half = number(x, N / 2);
        at[0] = ir_binary(x->m, IR_FLOORDIV, index, half);
        at[1] = ir_binary(x->m, IR_FLOORMOD, index, half);
    }
    return ir_store(x->m, x->c, value, x->c->rank, at, NULL);
}

static struct ir_stmt *loop(struct build *x, struct ir_var *var,
                            struct ir_expr *extent, struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = number(x, 0);
    s->u.loop.extent = extent;
    s->u.loop.kind = IR_FOR_SERIAL;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

static struct ir_expr *value(struct build *x, struct ir_expr *i)
{
    const struct form *f = x->form;
    struct ir_expr *at = i, *v;
    if (f->shift)
        at = ir_binary(x->m, IR_ADD, i, number(x, f->shift));
    if (f->free_var)
        at = ir_var_ref(x->m, ir_var_make(x->m, "ghost", DTYPE_INT32));
    if (f->index_param)
        v = load(x, x->a, load(x, x->b, at));
    else if (f->swapped)
        v = ir_binary(x->m, IR_MUL, load(x, x->b, i), load(x, x->a, at));
    else
        v = ir_binary(x->m, IR_MUL, load(x, x->a, at), load(x, x->b, i));
    if (f->minus_zero)
        v = ir_binary(x->m, IR_ADD, v, ir_float(x->m, x->type, -0.0));
    if (f->add)
        v = ir_binary(x->m, IR_ADD, v, ir_float(x->m, x->type, f->add));
    return v;
}

static struct ir_stmt *sum_body(struct build *x)
{
    struct ir_var *i = ir_var_make(x->m, "i", DTYPE_INT32);
    struct ir_expr *at = ir_var_ref(x->m, i), *zero = number(x, 0);
    if (x->form->reversed)
        at = ir_binary(x->m, IR_SUB, number(x, N - 1), at);
    struct ir_expr *v =
        ir_binary(x->m, IR_ADD, load(x, x->c, zero), load(x, x->a, at));
    struct ir_stmt *items[2] = {
        put(x, zero, ir_float(x->m, x->type, 0)),
        loop(x, i, number(x, N), put(x, zero, v)),
    };
    return ir_seq(x->m, 2, items);
}

static struct ir_stmt *body(struct build *x)
{
    const struct form *f = x->form;
    struct ir_var *i = ir_var_make(x->m, "i", DTYPE_INT32);
    struct ir_expr *at = ir_var_ref(x->m, i);
    struct ir_expr *extent = f->extent ? number(x, f->extent) : number(x, N);
    if (f->sum)
        return sum_body(x);
    if (f->symbolic)
        extent = x->size;
    if (f->drop_tail)
        extent = ir_binary(x->m, IR_MUL,
                           ir_binary(x->m, IR_FLOORDIV, x->size, number(x, 4)),
                           number(x, 4));
    if (!f->scratch)
        return loop(x, i, extent, put(x, at, value(x, at)));
    struct ir_expr *shape[1] = {number(x, N)};
    struct ir_stmt *alloc = ir_stmt_make(x->m, IR_ALLOC);
    alloc->u.alloc.buffer =
        ir_buffer_make(x->m, "S", x->type, 1, shape, NULL, "global");
    ir_stmt_seal(alloc);
    struct ir_stmt *items[2] = {
        alloc,
        loop(x, i, extent, put(x, at, load(x, alloc->u.alloc.buffer, at)))};
    return ir_seq(x->m, 2, items);
}

static void add_function(struct ir_module *m, const struct form *form,
                         const char *name)
{
    struct build x = {.m = m, .form = form};
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    size_t n = form->nparams ? (size_t)form->nparams : 3;
    x.type = form->doubles ? dtype_make(DT_FLOAT, 64, 1) : DTYPE_FLOAT32;
    x.size = form->symbolic ? ir_var_ref(m, ir_var_make(m, "n", DTYPE_INT32))
                            : number(&x, N);
    x.a = param(&x, "A", x.type);
    x.b = param(&x, "B", form->index_param ? DTYPE_INT32 : x.type);
    x.c = param(&x, "C", x.type);
    struct ir_buffer *order[4] = {x.a, x.b, x.c, x.c};
    if (n == 4)
        order[3] = param(&x, "D", x.type);
    f->kind = IR_FUNC_PRIM;
    f->name = arena_strdup(m->arena, name);
    f->prim.nparams = n;
    f->prim.params = ARENA_ARRAY(m->arena, n, struct ir_param);
    for (size_t i = 0; i < n; i++) {
        f->prim.params[i].var = ir_var_make(m, "p", DTYPE_HANDLE);
        f->prim.params[i].buffer = order[i];
    }
    f->prim.body = body(&x);
    assert_true(ir_module_add(m, f));
}

static struct ir_module *module_of(const struct form *form)
{
    struct ir_module *m = ir_module_new();
    struct form plain = {0};
    m->source = "test";
    add_function(m, form, form->name ? form->name : "main");
    if (form->second)
        add_function(m, &plain, "other");
    return m;
}

/* ---- cases ------------------------------------------------------------------------ */

static const struct {
    const char *label;
    struct form untuned, tuned;
    enum report_verdict verdict;
    int exit;
    const char *says; /* in the reason, or in the error of exit 2 */
} cases[] = {
    {"same", {0}, {0}, REPORT_IDENTICAL, 0, "the same program"},
    {"constant", {0}, {.add = 1}, REPORT_DIFFERENT, 1, "C[0]"},
    /* A[i + 1] reads A[8], which is not there. */
    {"shifted", {0}, {.shift = 1}, REPORT_UNSAFE, 1, "A"},
    /* C[7] keeps what it held on entry (rule 14). */
    {"short", {0}, {.extent = N - 1}, REPORT_DIFFERENT, 1, "C[7]"},
    {"long", {0}, {.extent = N + 1}, REPORT_UNSAFE, 1, ""},
    {"uninitialised", {0}, {.scratch = true}, REPORT_UNSAFE, 1, "C[0]"},
    {"undefined", {0}, {.free_var = true}, REPORT_UNSAFE, 1, "'ghost'"},
    /* One product an element, of the same operands: no law is needed. */
    {"flattened",
     {.flat = true},
     {0},
     REPORT_IDENTICAL,
     0,
     "the same expression on both sides"},
    {"renamed",
     {0},
     {.name = "main_tuned"},
     REPORT_IDENTICAL,
     0,
     "the same program"},
    {"order",
     {.sum = true},
     {.sum = true, .reversed = true},
     REPORT_ORDER_ONLY,
     0,
     "term 1 of 8 is A[0] untuned, A[7] tuned"},
    {"sizes",
     {.symbolic = true},
     {.symbolic = true},
     REPORT_IDENTICAL,
     0,
     "the same program"},
    /* For the sizes that were run; no more is known without a proof. */
    {"sizes-scaled",
     {.symbolic = true},
     {.symbolic = true, .swapped = true},
     REPORT_AGREES,
     0,
     "equal bits"},
    {"tail",
     {.symbolic = true},
     {.symbolic = true, .drop_tail = true},
     REPORT_DIFFERENT,
     1,
     "C["},
    {"index",
     {.index_param = true},
     {.index_param = true},
     REPORT_IDENTICAL,
     0,
     "the same program"},
    /* Rule 34: addresses are data, so the claim is for the indices tried. */
    {"index-minus-0",
     {.index_param = true},
     {.index_param = true, .minus_zero = true},
     REPORT_AGREES,
     0,
     "equal bits"},
    {"index-value",
     {.index_param = true},
     {.index_param = true, .add = 2},
     REPORT_DIFFERENT,
     1,
     ""},
    {"bad-reference",
     {.shift = 1},
     {.shift = 2},
     REPORT_UNKNOWN,
     4,
     "itself faults"},
    {"count", {0}, {.nparams = 4}, REPORT_UNKNOWN, 2, "tuned has 4"},
    {"type", {0}, {.doubles = true}, REPORT_UNKNOWN, 2, "parameter 1"},
    {"missing", {.second = true}, {0}, REPORT_UNKNOWN, 2, "'other'"},
    {"two",
     {.second = true},
     {.second = true, .add = 1},
     REPORT_DIFFERENT,
     1,
     ""},
};

static void options_of(struct arena *arena, const char *extra,
                       struct diff_options *o)
{
    char *argv[5];
    int n = 3;
    argv[0] = arena_strdup(arena, "diffcheck");
    argv[1] = arena_strdup(arena, "t.json");
    argv[2] = arena_strdup(arena, "u.json");
    /* runs are what is tested here */
    if (!extra || strcmp(extra, "--cross-check") != 0)
        argv[n++] = arena_strdup(arena, "--no-proof");
    if (extra)
        argv[n++] = arena_strdup(arena, extra);
    assert_true(diff_options_parse(n, argv, arena, o, NULL));
}

static struct report *compare(const struct form *tuned,
                              const struct form *untuned, const char *extra)
{
    struct arena *arena = arena_new();
    struct ir_module *t = module_of(tuned), *u = module_of(untuned);
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    struct diff_options o;
    options_of(arena, extra, &o);
    diff_compare_modules(&o, t, u, report, sink);
    diag_sink_free(sink);
    ir_module_free(t);
    ir_module_free(u);
    arena_free(arena);
    return report;
}

static void case_has_verdict(void **state)
{
    size_t i =
        (size_t)((const char *)*state - (const char *)cases) / sizeof cases[0];
    struct report *r = compare(&cases[i].tuned, &cases[i].untuned, NULL);
    assert_int_equal(r->exit_code, cases[i].exit);
    if (cases[i].exit == 2) {
        assert_non_null(r->error);
        if (!strstr(r->error, cases[i].says))
            fail_msg("error is: %s", r->error);
        report_free(r);
        return;
    }
    enum report_verdict worst;
    assert_true(report_worst(r, &worst));
    if (worst != cases[i].verdict)
        fail_msg("verdict %s, wanted %s: %s", report_verdict_name(worst),
                 report_verdict_name(cases[i].verdict), r->pairs[0].reason);
    if (!strstr(r->pairs[0].reason, cases[i].says))
        fail_msg("reason is: %s", r->pairs[0].reason);
    if (worst == REPORT_UNSAFE || worst == REPORT_DIFFERENT)
        assert_non_null(r->pairs[0].witness);
    report_free(r);
}

/* A proof may show more than runs do, never something else. */
static void proofs_contradict_nothing(void **state)
{
    size_t proved = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct report *r =
            compare(&cases[i].tuned, &cases[i].untuned, "--cross-check");
        enum report_verdict worst;
        assert_int_not_equal(r->exit_code, 3);
        if (cases[i].exit == 2) {
            assert_int_equal(r->exit_code, 2);
            report_free(r);
            continue;
        }
        assert_true(report_worst(r, &worst));
        if (worst != cases[i].verdict &&
            (cases[i].verdict != REPORT_AGREES || worst < REPORT_AGREES))
            fail_msg("%s: %s with a proof, %s without", cases[i].label,
                     report_verdict_name(worst),
                     report_verdict_name(cases[i].verdict));
        proved += r->pairs[0].evidence == REPORT_PROOF;
        report_free(r);
    }
    assert_true(proved >= 8);
}

static void witness_shows_the_element(void **state)
{
    (void)state;
    struct form plain = {0}, plus = {.add = 1};
    struct report *r = compare(&plus, &plain, NULL);
    const struct report_witness *w = r->pairs[0].witness;
    assert_non_null(w);
    assert_string_equal(w->kind, "value");
    assert_string_equal(w->parameter, "C");
    assert_int_equal(w->position, 2);
    assert_int_equal(w->nindex, 1);
    double u = num_to_double(DTYPE_FLOAT32, w->untuned.bits);
    double t = num_to_double(DTYPE_FLOAT32, w->tuned.bits);
    assert_true(t == u + 1);
    const struct report_list *assumed = &r->pairs[0].assumptions;
    bool apart = false;
    for (size_t i = 0; i < assumed->n; i++)
        apart = apart ||
                strcmp(assumed->items[i], "parameters do not overlap") == 0;
    assert_true(apart);
    report_free(r);
}

static void small_budget_is_undecided_or_sampled(void **state)
{
    (void)state;
    struct form plain = {0}, flat = {.flat = true};
    struct report *r = compare(&plain, &flat, "--budget=1");
    enum report_verdict worst;
    assert_true(report_worst(r, &worst));
    assert_int_equal(worst, REPORT_UNKNOWN);
    assert_non_null(strstr(r->pairs[0].reason, "budget"));
    report_free(r);
}

static void json_of(struct report *r, struct buf *out)
{
    struct report_style plain = {0};
    for (size_t i = 0; i < r->npairs; i++)
        r->pairs[i].time_s = 0;
    report_write_one(report_writer_find("json", 4), r, plain, out);
}

static void reports_repeat(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf one = {0}, two = {0};
        struct report *a = compare(&cases[i].tuned, &cases[i].untuned, NULL);
        struct report *b = compare(&cases[i].tuned, &cases[i].untuned, NULL);
        json_of(a, &one);
        json_of(b, &two);
        assert_string_equal(buf_text(&one), buf_text(&two));
        buf_fini(&one);
        buf_fini(&two);
        report_free(a);
        report_free(b);
    }
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(cases) + 4] = {
        cmocka_unit_test(witness_shows_the_element),
        cmocka_unit_test(small_budget_is_undecided_or_sampled),
        cmocka_unit_test(reports_repeat),
        cmocka_unit_test(proofs_contradict_nothing),
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++)
        tests[i + 4] =
            (struct CMUnitTest){cases[i].label, case_has_verdict, NULL, NULL,
                                (void *)(uintptr_t)(const void *)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
