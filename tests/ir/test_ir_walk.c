/* SPDX-License-Identifier: Apache-2.0
 *
 * What nodes are made of, walks and maps: a statement of each kind whose
 * expressions are the numbers 1, 2, … in the order in which they are to be
 * met, 1000 and more in buffers and 2000 and more in claims. A child that is
 * left out, or met elsewhere, breaks the sequence.
 */
#include "ir/ir.h"
#include "tests/test.h"

enum { FLAT = 1, BUFFERS = 1000, CLAIMS = 2000, MAPPED = 100 };

struct maker {
    struct ir_module *m;
    int next, buffer, claim; /* the next numbers */
};

static struct ir_expr *number(struct maker *k)
{
    return ir_int(k->m, DTYPE_INT32, k->next++);
}

static struct ir_expr **numbers(struct maker *k, size_t n)
{
    struct ir_expr **items = ARENA_ARRAY(k->m->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        items[i] = number(k);
    return items;
}

static struct ir_stmt *leaf(struct maker *k)
{
    return ir_evaluate(k->m, number(k));
}

static struct ir_buffer *buffer(struct maker *k)
{
    int saved = k->next;
    k->next = k->buffer;
    struct ir_expr **shape = numbers(k, 2);
    struct ir_buffer *b =
        ir_buffer_make(k->m, "B", DTYPE_FLOAT32, 2, shape, NULL, "global");
    b->strides = numbers(k, 2);
    b->nstrides = 2;
    b->elem_offset = number(k);
    k->buffer = k->next;
    k->next = saved;
    return b;
}

static struct ir_region region(struct maker *k, struct ir_buffer *b)
{
    struct ir_range *ranges = ARENA_ARRAY(k->m->arena, 2, struct ir_range);
    for (size_t i = 0; i < 2; i++) {
        ranges[i].min = number(k);
        ranges[i].extent = number(k);
    }
    return (struct ir_region){b, ranges, 2};
}

static struct ir_region *claim(struct maker *k, struct ir_buffer *b)
{
    int saved = k->next;
    k->next = k->claim;
    struct ir_region *r = ARENA_NEW(k->m->arena, struct ir_region);
    *r = region(k, b);
    k->claim = k->next;
    k->next = saved;
    return r;
}

static struct ir_block *block(struct maker *k)
{
    struct ir_block *b = ARENA_NEW(k->m->arena, struct ir_block);
    b->name = "b";
    b->niters = 2;
    b->iters = ARENA_ARRAY(k->m->arena, 2, struct ir_iter_var);
    for (size_t i = 0; i < 2; i++) {
        b->iters[i].var = ir_var_make(k->m, "v", DTYPE_INT32);
        b->iters[i].has_dom = true;
        b->iters[i].dom.min = number(k);
        b->iters[i].dom.extent = number(k);
    }
    b->iter_values = numbers(k, 2);
    b->predicate = number(k);
    b->allocs = ARENA_NEW(k->m->arena, struct ir_buffer *);
    b->allocs[0] = buffer(k);
    b->nallocs = 1;
    b->reads = claim(k, b->allocs[0]);
    b->writes = claim(k, b->allocs[0]);
    b->nreads = b->nwrites = 1;
    b->matches = ARENA_NEW(k->m->arena, struct ir_match_buffer);
    b->matches[0].source = region(k, b->allocs[0]);
    b->matches[0].buffer = buffer(k);
    b->nmatches = 1;
    b->init = leaf(k);
    b->body = leaf(k);
    return b;
}

static void fill_flat(struct maker *k, struct ir_stmt *s)
{
    switch ((int)s->kind) {
    case IR_BIND:
        s->u.bind.var = ir_var_make(k->m, "x", DTYPE_INT32);
        s->u.bind.value = number(k);
        break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: s->u.alloc.buffer = buffer(k); break;
    case IR_DECL_BUFFER:
        s->u.decl.value = number(k);
        s->u.decl.buffer = buffer(k);
        break;
    case IR_ASSERT:
        s->u.assert_.cond = number(k);
        s->u.assert_.parts = numbers(k, 2);
        s->u.assert_.nparts = 2;
        break;
    case IR_EVALUATE:
    case IR_RETURN: s->u.value = number(k); break;
    case IR_STORE:
        s->u.store.buffer =
            ir_buffer_make(k->m, "A", DTYPE_FLOAT32, 0, NULL, NULL, "global");
        s->u.store.indices = numbers(k, 2);
        s->u.store.nindices = 2;
        s->u.store.value = number(k);
        s->u.store.predicate = number(k);
        break;
    default: break; /* BREAK and CONTINUE hold nothing */
    }
}

static struct ir_stmt *make(struct maker *k, enum ir_stmt_kind kind)
{
    struct ir_stmt *s = ir_stmt_make(k->m, kind);
    switch ((int)kind) {
    case IR_SEQ:
        s->u.seq.items = ARENA_ARRAY(k->m->arena, 3, struct ir_stmt *);
        for (s->u.seq.n = 0; s->u.seq.n < 3; s->u.seq.n++)
            s->u.seq.items[s->u.seq.n] = leaf(k);
        break;
    case IR_FOR:
        s->u.loop.var = ir_var_make(k->m, "i", DTYPE_INT32);
        s->u.loop.min = number(k);
        s->u.loop.extent = number(k);
        s->u.loop.step = number(k);
        s->u.loop.body = leaf(k);
        break;
    case IR_WHILE:
        s->u.while_.cond = number(k);
        s->u.while_.body = leaf(k);
        break;
    case IR_IF:
        s->u.if_.cond = number(k);
        s->u.if_.then_ = leaf(k);
        s->u.if_.else_ = leaf(k);
        break;
    case IR_ATTR:
        s->u.attr.key = "pragma";
        s->u.attr.value = number(k);
        s->u.attr.body = leaf(k);
        break;
    case IR_BLOCK: s->u.block = block(k); break;
    default: fill_flat(k, s); break;
    }
    ir_stmt_seal(s);
    return s;
}

static struct maker maker_new(void)
{
    return (struct maker){ir_module_new(), FLAT, BUFFERS, CLAIMS};
}

/* ---- what is met ------------------------------------------------------------- */

struct met {
    struct maker next; /* the numbers that come next */
    int shift;         /* added to those outside of buffers */
    unsigned stmts;
};

static void meet(struct met *x, const struct ir_expr *e)
{
    int value = (int)e->u.int_value;
    assert_int_equal(e->kind, IR_INT_IMM);
    int *next = value - x->shift >= CLAIMS ? &x->next.claim
                : value >= BUFFERS         ? &x->next.buffer
                                           : &x->next.next;
    assert_int_equal(value - (next == &x->next.buffer ? 0 : x->shift), *next);
    ++*next;
}

static void meet_expr(void *user, struct ir_expr **at)
{
    meet(user, *at);
}

static void meet_stmt(void *user, struct ir_stmt **at)
{
    struct met *x = user;
    struct ir_parts all = {meet_stmt, meet_expr, user, true, true};
    x->stmts++;
    ir_stmt_parts(&all, *at);
}

static bool see_expr(void *user, struct ir_expr *e)
{
    meet(user, e);
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct met *x = user;
    x->stmts++;
    return s->kind < IR_NSTMTS;
}

static struct met met_new(int shift)
{
    return (struct met){{NULL, FLAT, BUFFERS, CLAIMS}, shift, 0};
}

/* All that the maker made was met; claims only where they are asked for. */
static void check_met(const struct met *x, const struct maker *k, bool claims)
{
    assert_int_equal(x->next.next, k->next);
    assert_int_equal(x->next.buffer, k->buffer);
    assert_int_equal(x->next.claim, claims ? k->claim : CLAIMS);
}

static void test_parts(void **state)
{
    (void)state;
    for (int kind = 0; kind < IR_NSTMTS; kind++) {
        struct maker k = maker_new();
        struct ir_stmt *s = make(&k, (enum ir_stmt_kind)kind);
        struct met parts = met_new(0), visit = met_new(0);
        meet_stmt(&parts, &s);
        check_met(&parts, &k, true);
        struct ir_visitor v = {see_stmt, see_expr, &visit};
        ir_visit_stmt(&v, s);
        check_met(&visit, &k, false);
        assert_int_equal(visit.stmts, parts.stmts);
        assert_int_equal(s->size, parts.stmts + (unsigned)(k.next - FLAT) +
                                      (unsigned)(k.buffer - BUFFERS) +
                                      (unsigned)(k.claim - CLAIMS));
        unsigned below = 0;
        while (ir_stmt_below(s, below))
            below++;
        assert_int_equal(below + 1, parts.stmts);
        ir_module_free(k.m);
    }
}

/* ---- pruning -------------------------------------------------------------------- */

static bool stop_stmt(void *user, struct ir_stmt *s)
{
    unsigned *seen = user;
    (*seen)++;
    return s->kind == IR_SEQ;
}

static bool stop_expr(void *user, struct ir_expr *e)
{
    unsigned *seen = user;
    (*seen)++;
    return e->kind != IR_MUL;
}

static void test_pruning(void **state)
{
    (void)state;
    struct maker k = maker_new();
    unsigned seen = 0;
    struct ir_visitor v = {stop_stmt, stop_expr, &seen};
    ir_visit_stmt(&v, make(&k, IR_SEQ)); /* it and its items */
    assert_int_equal(seen, 4);
    seen = 0;
    ir_visit_below(&v, make(&k, IR_FOR)); /* three bounds, the body */
    assert_int_equal(seen, 4);
    seen = 0;
    struct ir_expr *product = ir_binary(k.m, IR_MUL, number(&k), number(&k));
    ir_visit_expr(&v, ir_binary(k.m, IR_ADD, product, product));
    assert_int_equal(seen, 3); /* met twice, its operands never */
    ir_visit_expr(&v, NULL);
    ir_visit_stmt(&v, NULL);
    assert_int_equal(seen, 3);
    ir_module_free(k.m);
}

/* ---- expressions ------------------------------------------------------------------ */

/* An expression of the kind; NULL for a leaf. */
static struct ir_expr *operation(struct maker *k, enum ir_expr_kind kind,
                                 struct ir_buffer *b)
{
    struct ir_expr **args = numbers(k, 4);
    if (kind >= IR_ADD && kind <= IR_OR)
        return ir_binary(k->m, kind, args[0], args[1]);
    switch ((int)kind) {
    case IR_NOT: return ir_not(k->m, args[0]);
    case IR_BITNOT: return ir_bitnot(k->m, args[0]);
    case IR_CAST: return ir_cast(k->m, DTYPE_INT64, args[0]);
    case IR_SELECT: return ir_select(k->m, args[0], args[1], args[2]);
    case IR_RAMP: return ir_ramp(k->m, args[0], args[1], args[2]);
    case IR_BROADCAST: return ir_broadcast(k->m, args[0], args[1]);
    case IR_SHUFFLE: return ir_shuffle(k->m, 2, args, 2, args + 2);
    case IR_LOAD: return ir_load(k->m, b, 2, args, args[2]);
    case IR_CALL: return ir_call(k->m, DTYPE_INT32, "tirx.fma", 3, args);
    case IR_LET:
        return ir_let(k->m, ir_var_make(k->m, "x", DTYPE_INT32), args[0],
                      args[1]);
    default: return NULL;
    }
}

static bool count(void *user, struct ir_expr *e)
{
    unsigned *n = user;
    *n += e->kind == IR_INT_IMM;
    return true;
}

static struct ir_expr *plus(void *user, struct ir_expr *e)
{
    struct ir_module *m = user;
    return e->kind == IR_INT_IMM ? ir_int(m, e->dtype, e->u.int_value + MAPPED)
                                 : e;
}

static void test_operations(void **state)
{
    (void)state;
    for (int i = 0; i < IR_NKINDS; i++) {
        struct maker k = maker_new();
        struct ir_buffer *b =
            ir_buffer_make(k.m, "A", DTYPE_FLOAT32, 0, NULL, NULL, "global");
        struct ir_expr *e = operation(&k, (enum ir_expr_kind)i, b);
        if (!e) {
            assert_true(i <= IR_BUFFER_REF);
            ir_module_free(k.m);
            continue;
        }
        unsigned n = 0;
        struct ir_visitor v = {NULL, count, &n};
        ir_visit_expr(&v, e);
        assert_int_equal(n, e->nargs + (e->predicate != NULL));
        struct ir_map map = {.m = k.m, .after = plus, .user = k.m};
        struct ir_expr *other = ir_map_expr(&map, e);
        assert_int_equal(other->kind, e->kind);
        if (i != IR_RAMP && i != IR_BROADCAST) /* whose lanes were mapped */
            assert_true(dtype_equal(other->dtype, e->dtype));
        assert_memory_equal(&other->u, &e->u, sizeof e->u);
        assert_int_equal(other->size, e->size);
        for (uint32_t a = 0; a < e->nargs; a++)
            assert_int_equal(other->args[a]->u.int_value,
                             e->args[a]->u.int_value + MAPPED);
        if (e->predicate)
            assert_int_equal(other->predicate->u.int_value,
                             e->predicate->u.int_value + MAPPED);
        ir_module_free(k.m);
    }
}

static void test_questions(void **state)
{
    (void)state;
    struct maker k = maker_new();
    struct ir_var *x = ir_var_make(k.m, "x", DTYPE_INT32);
    struct ir_expr *at[] = {number(&k), ir_var_ref(k.m, x)};
    struct ir_buffer *b = buffer(&k), *other = buffer(&k);
    struct ir_expr *guard = ir_binary(k.m, IR_LT, at[1], at[0]);
    struct ir_expr *load = ir_load(k.m, b, 1, at, guard);
    struct ir_expr *sum = ir_binary(k.m, IR_ADD, load, load);
    assert_true(ir_uses_var(sum, x)); /* in the predicate */
    assert_false(ir_uses_var(sum, ir_var_make(k.m, "x", DTYPE_INT32)));
    assert_true(ir_loads(sum, b) && ir_has_load(sum));
    assert_false(ir_loads(sum, other) || ir_has_load(guard));
    assert_false(ir_uses_var(NULL, x) || ir_has_load(NULL));
    assert_false(ir_loads(sum, NULL));
    ir_module_free(k.m);
}

static bool is_leaf(const void *value, const struct ir_expr *e)
{
    return e->kind == IR_INT_IMM && e->u.int_value == *(const int *)value;
}

static bool is_evaluate(const void *value, const struct ir_stmt *s)
{
    return s->kind == IR_EVALUATE && is_leaf(value, s->u.value);
}

/* Each number of a statement is found, and none that it does not hold. */
static void test_any(void **state)
{
    (void)state;
    for (int kind = 0; kind < IR_NSTMTS; kind++) {
        struct maker k = maker_new();
        struct ir_stmt *s = make(&k, (enum ir_stmt_kind)kind);
        for (int i = FLAT; i < k.next; i++)
            assert_true(ir_stmt_any(s, NULL, is_leaf, &i));
        for (int i = BUFFERS; i < k.buffer; i++)
            assert_true(ir_stmt_any(s, NULL, is_leaf, &i));
        assert_false(ir_stmt_any(s, is_evaluate, is_leaf, &k.next));
        ir_module_free(k.m);
    }
    struct maker k = maker_new();
    struct ir_stmt *s = make(&k, IR_IF);
    int last = k.next - 1;
    assert_true(ir_stmt_any(s, is_evaluate, NULL, &last));
    assert_false(ir_stmt_any(NULL, is_evaluate, is_leaf, &last));
    ir_module_free(k.m);
}

/* ---- maps ------------------------------------------------------------------------- */

static void test_map(void **state)
{
    (void)state;
    for (int kind = 0; kind < IR_NSTMTS; kind++) {
        struct maker k = maker_new();
        struct ir_stmt *s = make(&k, (enum ir_stmt_kind)kind);
        struct ir_map map = {
            .m = k.m, .after = plus, .user = k.m, .claims = true};
        struct ir_stmt *other = ir_map_stmt(&map, s);
        struct met mapped = met_new(MAPPED), old = met_new(0);
        meet_stmt(&mapped, &other);
        check_met(&mapped, &k, true);
        meet_stmt(&old, &s); /* as it was */
        check_met(&old, &k, true);
        assert_int_equal(other->size, s->size);
        bool empty = kind == IR_ALLOC || kind == IR_ALLOC_CONST ||
                     kind == IR_BREAK || kind == IR_CONTINUE;
        assert_true((other == s) == empty);
        ir_module_free(k.m);
    }
}

static struct ir_stmt *drop_second(void *user, struct ir_stmt *s)
{
    struct ir_stmt **second = user;
    return s == second[0] ? second[1] : NULL;
}

/* What does not change is shared, but in a fresh copy. */
static void test_sharing(void **state)
{
    (void)state;
    struct maker k = maker_new();
    struct ir_stmt *s = make(&k, IR_SEQ), *instead[2];
    instead[0] = s->u.seq.items[1];
    instead[1] = make(&k, IR_STORE);
    struct ir_map map = {.m = k.m, .stmt = drop_second, .user = instead};
    struct ir_stmt *other = ir_map_stmt(&map, s);
    assert_ptr_not_equal(other, s);
    assert_ptr_equal(other->u.seq.items[0], s->u.seq.items[0]);
    assert_ptr_equal(other->u.seq.items[1], instead[1]);
    assert_ptr_equal(other->u.seq.items[2], s->u.seq.items[2]);
    assert_ptr_equal(s->u.seq.items[1], instead[0]);
    instead[0] = NULL;
    assert_ptr_equal(ir_map_stmt(&map, s), s);
    map.fresh = true;
    other = ir_map_stmt(&map, s);
    assert_ptr_not_equal(other->u.seq.items[0], s->u.seq.items[0]);
    assert_ptr_equal(other->u.seq.items[0]->u.value,
                     s->u.seq.items[0]->u.value);
    assert_null(ir_map_stmt(&map, NULL));
    assert_null(ir_map_expr(&map, NULL));
    ir_module_free(k.m);
}

struct swap {
    const struct ir_expr *from;
    struct ir_expr *to;
    unsigned asked;
};

static struct ir_expr *swap_expr(void *user, struct ir_expr *e)
{
    struct swap *x = user;
    x->asked++;
    return e == x->from ? x->to : NULL;
}

static void test_before(void **state)
{
    (void)state;
    struct maker k = maker_new();
    struct ir_expr *a = ir_binary(k.m, IR_MUL, number(&k), number(&k));
    struct ir_expr *b = ir_binary(k.m, IR_MUL, number(&k), number(&k));
    struct ir_expr *sum = ir_binary(k.m, IR_ADD, a, b);
    sum->pos = (struct ir_pos){3, 4};
    struct swap x = {a, number(&k), 0};
    struct ir_map map = {.m = k.m, .before = swap_expr, .user = &x};
    struct ir_expr *other = ir_map_expr(&map, sum);
    assert_ptr_equal(other->args[0], x.to);
    assert_ptr_equal(other->args[1], b);
    assert_int_equal(other->pos.line, 3);
    assert_int_equal(x.asked, 5); /* not below what is replaced */
    assert_ptr_equal(ir_map_expr(&map, b), b);
    ir_module_free(k.m);
}

/* ---- threads ---------------------------------------------------------------------- */

static void test_thread_axis(void **state)
{
    (void)state;
    struct maker k = maker_new();
    struct ir_thread_axis axis;
    struct ir_stmt *loop = make(&k, IR_FOR), *attr = make(&k, IR_ATTR);
    struct ir_iter_var iter = {.var = loop->u.loop.var,
                               .thread_tag = "threadIdx.x"};
    assert_false(ir_thread_axis(loop, &axis) || ir_thread_axis(attr, NULL));
    loop->u.loop.kind = IR_FOR_THREAD;
    loop->u.loop.thread = &iter;
    assert_true(ir_thread_axis(loop, &axis));
    assert_ptr_equal(axis.var, iter.var);
    assert_string_equal(axis.tag, "threadIdx.x");
    assert_ptr_equal(axis.extent, loop->u.loop.extent);
    assert_ptr_equal(axis.body, loop->u.loop.body);
    attr->u.attr.key = "thread_extent";
    assert_false(ir_thread_axis(attr, &axis)); /* of no variable */
    attr->u.attr.node = ir_value_make(k.m, IR_V_ITER_VAR);
    attr->u.attr.node->u.iter_var = &iter;
    assert_true(ir_thread_axis(attr, &axis) && !axis.is_virtual);
    assert_ptr_equal(axis.extent, attr->u.attr.value);
    assert_ptr_equal(axis.body, attr->u.attr.body);
    attr->u.attr.key = "virtual_thread";
    assert_true(ir_thread_axis(attr, &axis) && axis.is_virtual);
    ir_module_free(k.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_pruning),
        cmocka_unit_test(test_operations), cmocka_unit_test(test_questions),
        cmocka_unit_test(test_any),        cmocka_unit_test(test_map),
        cmocka_unit_test(test_sharing),    cmocka_unit_test(test_before),
        cmocka_unit_test(test_thread_axis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
