/* SPDX-License-Identifier: Apache-2.0
 *
 * Structural equality and hash. One small program is built with one detail
 * changed; whether that counts follows TVM's StructuralEqual (names of
 * variables, buffers and blocks do not, everything else does) and ir.h.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <dirent.h>
#include <string.h>

/* ---- for i in range(16): block(vi = i): B[vi] = A[vi] * 2 ---------------- */

enum detail {
    SAME,
    OTHER_NAMES,
    OTHER_BLOCK_NAME,
    TIR_NAMESPACE,
    NESTED_SEQ,
    STEP_ONE,
    OTHER_ERA_POINTER,
    VOID_RESULT,
    OTHER_CONSTANT,
    ZERO,
    NEGATIVE_ZERO,
    SWAPPED_BUFFERS,
    OTHER_INDEX,
    OTHER_EXTENT,
    PARALLEL,
    OTHER_DTYPE,
    OTHER_SCOPE,
    OTHER_ALIGNMENT,
    OTHER_STRIDES,
    OTHER_REGION,
    OTHER_OPERATOR,
    INT_ANNOTATION,
    INT_IMM_ANNOTATION,
    BOOL_ANNOTATION,
    EXTRA_ATTRIBUTE,
    S_TIR,
    REDUCE_AXIS,
    OTHER_PREDICATE,
    EXTRA_STATEMENT,
    IDLE_STATEMENT,
    OTHER_FUNCTION_NAME
};

static struct ir_expr *i32(struct ir_module *m, int64_t value)
{
    return ir_int(m, DTYPE_INT32, value);
}

static struct ir_buffer *make_buffer(struct ir_module *m, const char *name,
                                     struct dtype t, enum detail d)
{
    struct ir_expr *shape[] = {i32(m, 16)};
    struct ir_buffer *b = ir_buffer_make(
        m, name, t, 1, shape, NULL, d == OTHER_SCOPE ? "shared" : "global");
    if (d == OTHER_ALIGNMENT)
        b->alignment = 16;
    if (d == OTHER_STRIDES) {
        b->nstrides = 1;
        b->strides = ARENA_ARRAY(m->arena, 1, struct ir_expr *);
        b->strides[0] = i32(m, 2);
    }
    return b;
}

static struct ir_region one_cell(struct ir_module *m, struct ir_buffer *b,
                                 struct ir_expr *at, int64_t extent)
{
    struct ir_region r = {b, ARENA_ARRAY(m->arena, 1, struct ir_range), 1};
    r.ranges[0] = (struct ir_range){at, i32(m, extent)};
    return r;
}

static struct ir_expr *make_value(struct ir_module *m, struct ir_buffer *a,
                                  struct ir_expr *vi, enum detail d)
{
    struct ir_expr *index =
        d == OTHER_INDEX ? ir_binary(m, IR_ADD, vi, i32(m, 1)) : vi;
    struct ir_expr *load = ir_load(m, a, 1, &index, NULL);
    double factor = d == OTHER_CONSTANT  ? 3.0
                    : d == ZERO          ? 0.0
                    : d == NEGATIVE_ZERO ? -0.0
                                         : 2.0;
    struct ir_expr *e = ir_binary(m, d == OTHER_OPERATOR ? IR_ADD : IR_MUL,
                                  load, ir_float(m, a->dtype, factor));
    return ir_call(m, a->dtype, d == TIR_NAMESPACE ? "tir.exp" : "tirx.exp", 1,
                   &e);
}

static struct ir_value *annotations(struct ir_module *m, enum detail d)
{
    const char *key = "k";
    struct ir_value *v = NULL;
    if (d == INT_ANNOTATION)
        v = ir_value_int(m, 1);
    if (d == INT_IMM_ANNOTATION)
        v = ir_value_expr(m, i32(m, 1));
    if (d == BOOL_ANNOTATION)
        v = ir_value_bool(m, true);
    return v ? ir_value_map(m, 1, &key, &v) : NULL;
}

static struct ir_stmt *make_block(struct ir_module *m, struct ir_buffer *a,
                                  struct ir_buffer *b, struct ir_var *i,
                                  enum detail d)
{
    struct ir_block *block = ARENA_NEW(m->arena, struct ir_block);
    struct ir_var *vi =
        ir_var_make(m, d == OTHER_NAMES ? "q" : "vi", DTYPE_INT32);
    struct ir_expr *at = ir_var_ref(m, vi);
    block->name = d == OTHER_BLOCK_NAME ? "other" : "B";
    block->niters = 1;
    block->iters = ARENA_ARRAY(m->arena, 1, struct ir_iter_var);
    block->iters[0] = (struct ir_iter_var){
        .var = vi,
        .has_dom = true,
        .dom = {i32(m, 0), i32(m, 16)},
        .type = d == REDUCE_AXIS ? IR_ITER_REDUCE : IR_ITER_SPATIAL,
        .thread_tag = ""};
    block->iter_values = ARENA_ARRAY(m->arena, 1, struct ir_expr *);
    block->iter_values[0] = ir_var_ref(m, i);
    block->predicate = d == OTHER_PREDICATE
                           ? ir_binary(m, IR_LT, ir_var_ref(m, i), i32(m, 9))
                           : ir_int(m, DTYPE_BOOL, 1);
    block->nreads = block->nwrites = 1;
    block->reads = ARENA_ARRAY(m->arena, 1, struct ir_region);
    block->reads[0] = one_cell(m, a, at, d == OTHER_REGION ? 2 : 1);
    block->writes = ARENA_ARRAY(m->arena, 1, struct ir_region);
    block->writes[0] = one_cell(m, b, at, 1);
    block->annotations = annotations(m, d);
    block->body = ir_store(m, b, make_value(m, a, at, d), 1, &at, NULL);
    struct ir_stmt *s = ir_stmt_make(m, IR_BLOCK);
    s->u.block = block;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *make_loop(struct ir_module *m, struct ir_var *i,
                                 struct ir_stmt *body, enum detail d)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_FOR);
    s->u.loop.var = i;
    s->u.loop.min = i32(m, 0);
    s->u.loop.extent = i32(m, d == OTHER_EXTENT ? 8 : 16);
    s->u.loop.step = d == STEP_ONE ? i32(m, 1) : NULL;
    s->u.loop.kind = d == PARALLEL ? IR_FOR_PARALLEL : IR_FOR_SERIAL;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

/* Evaluate(pointer of A): the data variable, or buffer_data(A) as TVM >= 0.26
 * spells it. */
static struct ir_stmt *make_pointer(struct ir_module *m, struct ir_buffer *a,
                                    enum detail d)
{
    if (d != OTHER_ERA_POINTER)
        return ir_evaluate(m, ir_var_ref(m, a->data));
    struct ir_expr *ref = ir_buffer_ref(m, a);
    return ir_evaluate(m,
                       ir_call(m, DTYPE_HANDLE, "tirx.buffer_data", 1, &ref));
}

static struct ir_stmt *make_body(struct ir_module *m, struct ir_buffer *a,
                                 struct ir_buffer *b, enum detail d)
{
    struct ir_var *i =
        ir_var_make(m, d == OTHER_NAMES ? "p" : "i", DTYPE_INT32);
    struct ir_stmt *loop = make_loop(m, i, make_block(m, a, b, i, d), d);
    struct ir_stmt *items[] = {loop, make_pointer(m, a, d),
                               ir_evaluate(m, i32(m, d == EXTRA_STATEMENT))};
    if (d == NESTED_SEQ) {
        struct ir_stmt *outer[] = {loop, ir_seq(m, 1, &items[1])};
        return ir_seq(m, 2, outer);
    }
    return ir_seq(m, d == EXTRA_STATEMENT || d == IDLE_STATEMENT ? 3 : 2,
                  items);
}

static struct ir_module *make_module(enum detail d)
{
    struct ir_module *m = ir_module_new();
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    struct dtype t = dtype_make(DT_FLOAT, d == OTHER_DTYPE ? 16 : 32, 1);
    bool named = d == OTHER_NAMES;
    struct ir_buffer *a = make_buffer(m, named ? "X" : "A", t, d);
    struct ir_buffer *b = make_buffer(m, named ? "Y" : "B", t, d);
    f->name = d == OTHER_FUNCTION_NAME ? "other" : "main";
    f->prim.nparams = 2;
    f->prim.params = ARENA_ARRAY(m->arena, 2, struct ir_param);
    f->prim.params[0].buffer = a;
    f->prim.params[1].buffer = b;
    f->prim.body =
        d == SWAPPED_BUFFERS ? make_body(m, b, a, d) : make_body(m, a, b, d);
    if (d == VOID_RESULT)
        f->prim.ret_type = ir_type_make(m, IR_TYPE_TUPLE);
    const char *keys[] = {d == TIR_NAMESPACE ? "tir.noalias" : "tirx.noalias",
                          d == S_TIR ? "s_tir" : "z"};
    struct ir_value *values[] = {ir_value_bool(m, true), ir_value_int(m, 1)};
    f->attrs = ir_value_map(m, d == EXTRA_ATTRIBUTE || d == S_TIR ? 2 : 1, keys,
                            values);
    assert_true(ir_module_add(m, f));
    return m;
}

static const struct {
    const char *label;
    enum detail detail;
    bool equal;
} cases[] = {
    {"the same", SAME, true},
    {"names of variables and buffers", OTHER_NAMES, true},
    {"name of the block", OTHER_BLOCK_NAME, true},
    {"tir. against tirx.", TIR_NAMESPACE, true},
    {"sequence in a sequence", NESTED_SEQ, true},
    {"step 1 against none", STEP_ONE, true},
    {"buffer_data against data variable", OTHER_ERA_POINTER, true},
    {"empty tuple against no result type", VOID_RESULT, true},
    {"s_tir against nothing", S_TIR, true},
    {"constant", OTHER_CONSTANT, false},
    {"buffers swapped", SWAPPED_BUFFERS, false},
    {"index", OTHER_INDEX, false},
    {"extent", OTHER_EXTENT, false},
    {"loop kind", PARALLEL, false},
    {"dtype", OTHER_DTYPE, false},
    {"scope", OTHER_SCOPE, false},
    {"alignment", OTHER_ALIGNMENT, false},
    {"strides", OTHER_STRIDES, false},
    {"read region", OTHER_REGION, false},
    {"operator", OTHER_OPERATOR, false},
    {"annotation present", INT_ANNOTATION, false},
    {"attribute present", EXTRA_ATTRIBUTE, false},
    {"axis kind", REDUCE_AXIS, false},
    {"predicate", OTHER_PREDICATE, false},
    {"one statement more", EXTRA_STATEMENT, false},
    {"T.evaluate(0) more", IDLE_STATEMENT, true},
    {"function name", OTHER_FUNCTION_NAME, false},
};

static const struct ir_equal_options strict;

static bool is_equal(const struct ir_module *a, const struct ir_module *b)
{
    struct buf where = {0};
    bool equal = ir_module_equal(a, b, strict, &where);
    /* A difference is always described, equality never. */
    assert_int_equal(equal, where.len == 0);
    assert_int_equal(equal, ir_module_equal(b, a, strict, NULL));
    if (equal)
        assert_true(ir_module_hash(a) == ir_module_hash(b));
    buf_fini(&where);
    return equal;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct ir_module *a = make_module(SAME);
        struct ir_module *b = make_module(cases[i].detail);
        bool equal = is_equal(a, b);
        if (equal != cases[i].equal)
            print_error("case '%s'\n", cases[i].label);
        assert_int_equal(equal, cases[i].equal);
        assert_true(is_equal(b, b));
        ir_module_free(a);
        ir_module_free(b);
    }
}

/* Stricter than TVM: they are different values. */
static void test_zeros(void **state)
{
    (void)state;
    struct ir_module *a = make_module(ZERO), *b = make_module(NEGATIVE_ZERO);
    assert_false(is_equal(a, b));
    ir_module_free(a);
    ir_module_free(b);
}

/* 1, T.int32(1) and True are three annotations, as in TVM 0.27. */
static void test_annotation_kinds(void **state)
{
    (void)state;
    static const enum detail kinds[] = {INT_ANNOTATION, INT_IMM_ANNOTATION,
                                        BOOL_ANNOTATION};
    for (size_t i = 0; i < DC_ARRAY_LEN(kinds); i++)
        for (size_t k = 0; k < DC_ARRAY_LEN(kinds); k++) {
            struct ir_module *a = make_module(kinds[i]);
            struct ir_module *b = make_module(kinds[k]);
            assert_int_equal(is_equal(a, b), i == k);
            ir_module_free(a);
            ir_module_free(b);
        }
}

static void test_where(void **state)
{
    (void)state;
    struct ir_module *a = make_module(SAME), *b = make_module(OTHER_EXTENT);
    struct buf where = {0};
    assert_false(ir_module_equal(a, b, strict, &where));
    assert_string_equal(buf_text(&where),
                        "main: body.seq[0].extent: 16 against 8");
    buf_fini(&where);
    ir_module_free(a);
    ir_module_free(b);
}

static void test_ignore_symbol(void **state)
{
    (void)state;
    struct ir_equal_options options = {.ignore_symbol = true};
    struct ir_module *a = make_module(SAME);
    struct ir_module *b = make_module(OTHER_FUNCTION_NAME);
    assert_true(ir_module_equal(a, b, options, NULL));
    ir_module_free(a);
    ir_module_free(b);
}

/* ---- functions of one expression ----------------------------------------- */

static struct ir_module *wrap(struct ir_module *m, struct ir_stmt *body)
{
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    f->name = "main";
    f->prim.body = body;
    assert_true(ir_module_add(m, f));
    return m;
}

static struct ir_module *free_variables(bool both_same)
{
    struct ir_module *m = ir_module_new();
    struct ir_var *x = ir_var_make(m, "x", DTYPE_INT32);
    struct ir_var *y = ir_var_make(m, "y", DTYPE_INT32);
    struct ir_expr *e = ir_binary(m, IR_ADD, ir_var_ref(m, x),
                                  ir_var_ref(m, both_same ? x : y));
    return wrap(m, ir_evaluate(m, e));
}

/* Free variables correspond only when asked for, and then one to one. */
static void test_free_variables(void **state)
{
    (void)state;
    struct ir_equal_options map = {.map_free_vars = true};
    struct ir_module *a = free_variables(false), *b = free_variables(false);
    struct ir_module *c = free_variables(true);
    assert_false(ir_module_equal(a, b, strict, NULL));
    assert_true(ir_module_equal(a, b, map, NULL));
    assert_true(ir_module_hash(a) == ir_module_hash(b));
    assert_false(ir_module_equal(a, c, map, NULL));
    assert_false(ir_module_equal(c, a, map, NULL));
    assert_true(ir_module_equal(a, a, strict, NULL));
    ir_module_free(a);
    ir_module_free(b);
    ir_module_free(c);
}

static struct ir_module *doublings(int n, bool shared, int64_t leaf)
{
    struct ir_module *m = ir_module_new();
    struct ir_expr *e = i32(m, leaf);
    for (int k = 0; k < n; k++)
        e = shared ? ir_binary(m, IR_ADD, e, e)
                   : ir_binary(m, IR_ADD, e, i32(m, k));
    return wrap(m, ir_evaluate(m, e));
}

/* 2^60 nodes as a tree, 61 in memory: must take no time. */
static void test_sharing(void **state)
{
    (void)state;
    struct ir_module *a = doublings(60, true, 1), *b = doublings(60, true, 1);
    struct ir_module *c = doublings(60, true, 2);
    assert_true(is_equal(a, b));
    assert_false(is_equal(a, c));
    ir_module_free(a);
    ir_module_free(b);
    ir_module_free(c);
}

/* x + 1 once and used twice, or built twice: the same program. */
static void test_sharing_does_not_count(void **state)
{
    (void)state;
    struct ir_module *m[2];
    for (int k = 0; k < 2; k++) {
        m[k] = ir_module_new();
        struct ir_var *x = ir_var_make(m[k], "x", DTYPE_INT32);
        struct ir_expr *p =
            ir_binary(m[k], IR_ADD, ir_var_ref(m[k], x), i32(m[k], 1));
        struct ir_expr *q =
            k ? p : ir_binary(m[k], IR_ADD, ir_var_ref(m[k], x), i32(m[k], 1));
        struct ir_stmt *body = ir_evaluate(m[k], ir_binary(m[k], IR_MUL, p, q));
        (void)wrap(m[k], make_loop(m[k], x, body, SAME));
    }
    assert_true(is_equal(m[0], m[1]));
    ir_module_free(m[0]);
    ir_module_free(m[1]);
}

/* Two loops over one variable, as some passes leave them, are two loops. */
static void test_shared_loop_variable(void **state)
{
    (void)state;
    struct ir_module *m[2];
    for (int k = 0; k < 2; k++) {
        m[k] = ir_module_new();
        struct ir_var *x = ir_var_make(m[k], "x", DTYPE_INT32);
        struct ir_var *y = k ? x : ir_var_make(m[k], "y", DTYPE_INT32);
        struct ir_stmt *items[] = {
            make_loop(m[k], x, ir_evaluate(m[k], ir_var_ref(m[k], x)), SAME),
            make_loop(m[k], y, ir_evaluate(m[k], ir_var_ref(m[k], y)), SAME)};
        (void)wrap(m[k], ir_seq(m[k], 2, items));
    }
    assert_true(is_equal(m[0], m[1]));
    ir_module_free(m[0]);
    ir_module_free(m[1]);
}

/* `B = decl_buffer(data=A.data)`: a variable shared with A (TVM <= 0.25), or
 * one of its own on the pointer buffer_data(A) (TVM >= 0.26). */
static struct ir_module *view(bool own_data, int64_t extent)
{
    struct ir_module *m = ir_module_new();
    struct ir_expr *shape[] = {i32(m, extent)}, *zero = i32(m, 0);
    struct dtype t = DTYPE_FLOAT32;
    struct ir_buffer *a = ir_buffer_make(m, "A", t, 1, shape, NULL, "");
    struct ir_buffer *b =
        ir_buffer_make(m, "B", t, 1, shape, own_data ? NULL : a->data, "");
    struct ir_stmt *alloc = ir_stmt_make(m, IR_ALLOC);
    alloc->u.alloc.buffer = a;
    struct ir_stmt *decl = ir_stmt_make(m, IR_DECL_BUFFER);
    struct ir_expr *ref = ir_buffer_ref(m, a);
    decl->u.decl.buffer = b;
    if (own_data)
        decl->u.decl.value =
            ir_call(m, DTYPE_HANDLE, "tirx.buffer_data", 1, &ref);
    struct ir_stmt *items[] = {
        alloc, decl, ir_store(m, b, ir_float(m, t, 1.0), 1, &zero, NULL),
        ir_evaluate(m, ir_var_ref(m, own_data ? b->data : a->data))};
    for (size_t i = 0; i < 2; i++)
        ir_stmt_seal(items[i]);
    return wrap(m, ir_seq(m, 4, items));
}

static void test_views_across_generations(void **state)
{
    (void)state;
    struct ir_module *a = view(false, 4), *b = view(true, 4);
    struct ir_module *c = view(true, 5);
    assert_true(is_equal(a, b));
    assert_false(is_equal(a, c));
    ir_module_free(a);
    ir_module_free(b);
    ir_module_free(c);
}

/* ---- real files ---------------------------------------------------------- */

#define ERAS "../shared/data/tvm/eras"

static struct ir_module *load(const char *name, const char *file)
{
    struct buf path = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&path, ERAS "/%s/%s", name, file);
    struct ir_module *m = ir_read_file(buf_text(&path), sink);
    if (!m)
        print_error("%s cannot be read\n", buf_text(&path));
    assert_non_null(m);
    buf_fini(&path);
    diag_sink_free(sink);
    return m;
}

/* TVM 0.25, 0.26 and 0.27 saved the same modules. */
static void test_eras(void **state)
{
    (void)state;
    DIR *dir = opendir(ERAS);
    if (!dir) {
        print_message("skipped: " ERAS " not there\n");
        skip();
        return;
    }
    static const char *const files[] = {"tuned.json", "untuned.json"};
    static const char *const old[][2] = {
        {"tuned_0.25.json", "tuned_0.26.json"},
        {"untuned_0.25.json", "untuned_0.26.json"}};
    size_t n = 0;
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        if (d->d_name[0] == '.')
            continue;
        for (size_t i = 0; i < 2; i++) {
            struct ir_module *now = load(d->d_name, files[i]);
            for (size_t k = 0; k < 2; k++) {
                struct ir_module *then = load(d->d_name, old[i][k]);
                if (!is_equal(now, then))
                    print_error("%s/%s\n", d->d_name, old[i][k]);
                assert_true(is_equal(now, then));
                ir_module_free(then);
                n++;
            }
            ir_module_free(now);
        }
    }
    closedir(dir);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_annotation_kinds),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_ignore_symbol),
        cmocka_unit_test(test_free_variables),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_sharing_does_not_count),
        cmocka_unit_test(test_shared_loop_variable),
        cmocka_unit_test(test_views_across_generations),
        cmocka_unit_test(test_eras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
