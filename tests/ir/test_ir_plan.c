/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of functions (R2 to R5): each row a function in TVMScript and what its
 * plan says, statement by statement.
 */
#include "ir/plan/plan.h"
#include "tests/test.h"

#include <string.h>

#define HEADER                                                      \
    "from tvm.script import ir as I\n"                              \
    "from tvm.script import tirx as T\n\n"                          \
    "@T.prim_func(s_tir=True)\n"                                    \
    "def main(A: T.Buffer((32,), \"float32\"), C: T.Buffer((32,), " \
    "\"float32\")):\n"

struct plan_case {
    const char *label;
    const char *body;
    const char *want; /* "KIND: facts; …" in the order of the text */
    bool explicit_barriers;
};

static const struct plan_case cases[] = {
    {"nothing to say",
     "    for i in range(32):\n"
     "        C[i] = A[i]\n",
     "", false},
    {"R2: bindings of one tag are one axis",
     "    for bx in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
     "        for ty in T.thread_binding(2, thread=\"threadIdx.y\"):\n"
     "            for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
     "                for t2 in T.thread_binding(2, thread=\"threadIdx.y\"):\n"
     "                    C[bx * 8 + t2 * 4 + tx] = A[bx * 8 + ty * 4 + tx]\n",
     "For: kernel blockIdx.x threadIdx.y threadIdx.x, 4 bindings, threads "
     "threadIdx.x threadIdx.y",
     false},
    {"R20, R30: virtual threads come last, the innermost first",
     "    for vy in T.thread_binding(2, thread=\"vthread.y\"):\n"
     "        for vx in T.thread_binding(2, thread=\"vthread.x\"):\n"
     "            for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "                C[vy * 16 + vx * 8 + tx] = A[vy * 16 + vx * 8 + tx]\n",
     "For: kernel vthread.y vthread.x threadIdx.x, 3 bindings, threads "
     "threadIdx.x | vthread.x vthread.y",
     false},
    {"R3: what a shared buffer orders",
     "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
     "        B = T.alloc_buffer((32,), scope=\"shared\")\n"
     "        B[tx] = A[tx]\n"
     "        C[tx] = B[31 - tx]\n",
     "For: lockstep shared 2 stored 2 kernel threadIdx.x, 1 bindings, threads "
     "threadIdx.x; "
     "SeqStmt: lockstep shared 2 stored 2; AllocBuffer: lockstep; "
     "BufferStore: lockstep shared 2 stored 2; BufferStore: shared 2",
     false},
    {"R3: explicit barriers on request",
     "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
     "        B = T.alloc_buffer((32,), scope=\"shared\")\n"
     "        B[tx] = A[tx]\n"
     "        C[tx] = B[31 - tx]\n",
     "For: lockstep kernel threadIdx.x, 1 bindings, threads threadIdx.x; "
     "SeqStmt: lockstep; AllocBuffer: lockstep",
     true},
    {"R3, R19: a barrier for one shared scope is one for both",
     "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
     "        B = T.alloc_buffer((32,), scope=\"shared.dyn\")\n"
     "        B[tx] = A[tx]\n"
     "        T.tvm_storage_sync(\"shared\")\n"
     "        C[tx] = B[31 - tx]\n",
     "For: lockstep kernel threadIdx.x, 1 bindings, threads threadIdx.x; "
     "SeqStmt: lockstep; AllocBuffer: lockstep; Evaluate: lockstep",
     false},
    {"R4: storage that only iterations of a parallel loop use is theirs",
     "    with T.sblock(\"root\"):\n"
     "        B = T.sblock_alloc_buffer((32,))\n"
     "        for i in T.parallel(32):\n"
     "            B[i] = A[i]\n"
     "            C[i] = B[i]\n",
     "For: moved B", false},
    {"R4: it stays where two loops use it",
     "    with T.sblock(\"root\"):\n"
     "        B = T.sblock_alloc_buffer((32,))\n"
     "        for i in T.parallel(32):\n"
     "            B[i] = A[i]\n"
     "        for i in T.parallel(32):\n"
     "            C[i] = B[i]\n",
     "", false},
    {"R5: threads combine at the outermost loop that holds nothing else",
     "    for k in range(4):\n"
     "        for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "            with T.sblock(\"sum\"):\n"
     "                v = T.axis.spatial(1, 0)\n"
     "                vk = T.axis.reduce(32, k * 8 + tx)\n"
     "                with T.init():\n"
     "                    C[v] = T.float32(0)\n"
     "                C[v] = C[v] + A[vk]\n",
     "For: lockstep launch sum 0: C 1 guards kernel threadIdx.x, 1 bindings, "
     "threads threadIdx.x; For: lockstep; SBlock: lockstep",
     false},
    {"R5: a serial loop of it holds another statement",
     "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        for k in range(4):\n"
     "            C[8 + tx] = A[tx]\n"
     "            with T.sblock(\"sum\"):\n"
     "                v = T.axis.spatial(1, 0)\n"
     "                vk = T.axis.reduce(32, k * 8 + tx)\n"
     "                with T.init():\n"
     "                    C[v] = T.float32(0)\n"
     "                C[v] = C[v] + A[vk]\n",
     "For: lockstep kernel threadIdx.x, 1 bindings, threads threadIdx.x; "
     "For: lockstep; SeqStmt: lockstep; SBlock: lockstep launch sum 1: C "
     "1 guards",
     false},
    {"R5: no term",
     "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        with T.sblock(\"sum\"):\n"
     "            v = T.axis.spatial(1, 0)\n"
     "            vk = T.axis.reduce(8, tx)\n"
     "            T.where(tx < 4 and A[0] < 1.0)\n"
     "            with T.init():\n"
     "                C[v] = T.float32(0)\n"
     "            C[v] = A[vk]\n",
     "For: lockstep sum 3: C kernel threadIdx.x, 1 bindings, threads "
     "threadIdx.x; SBlock: lockstep",
     false},
    {"R5: what guards the instance, and what a thread's terms",
     "    for b in range(4):\n"
     "        for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "            with T.sblock(\"sum\"):\n"
     "                v = T.axis.spatial(4, b)\n"
     "                vk = T.axis.reduce(8, tx)\n"
     "                T.where(b < 3 and tx < 4)\n"
     "                with T.init():\n"
     "                    C[v] = T.float32(0)\n"
     "                C[v] = T.max(A[vk], C[v])\n",
     "For: lockstep sum 0: C 1 guards kernel threadIdx.x, 1 bindings, threads "
     "threadIdx.x; SBlock: lockstep",
     false},
    {"R5: a loop whose extent hangs on a thread is not bound to it",
     "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        for k in range(tx + 1):\n"
     "            with T.sblock(\"sum\"):\n"
     "                v = T.axis.spatial(8, tx)\n"
     "                vk = T.axis.reduce(8, k)\n"
     "                with T.init():\n"
     "                    C[v] = T.float32(0)\n"
     "                C[v] = C[v] + A[vk]\n",
     "For: kernel threadIdx.x, 1 bindings, threads threadIdx.x", false},
};

static void put_kernel(struct buf *out, const struct ir_kernel *k)
{
    buf_puts(out, " kernel");
    for (size_t i = 0; i < k->naxes; i++)
        buf_printf(out, " %s", k->axes[i].tag);
    buf_printf(out, ", %zu bindings, threads", k->nbindings);
    for (size_t i = 0; i < k->nthreads; i++)
        buf_printf(out, "%s %s", i == k->nlinear ? " |" : "",
                   k->axes[k->threads[i]].tag);
}

static void put_info(struct buf *out, const struct ir_plan_info *x)
{
    const struct ir_reduction *r = x->reduction;
    buf_printf(out, "%s%s:", out->len > 0 ? "; " : "",
               ir_stmt_kind_name(x->stmt->kind));
    buf_printf(out, "%s%s", x->lockstep ? " lockstep" : "",
               x->launch ? " launch" : "");
    if (x->shared != 0)
        buf_printf(out, " shared %x", x->shared);
    if (x->stored != 0)
        buf_printf(out, " stored %x", x->stored);
    for (size_t i = 0; i < x->nmoved; i++)
        buf_printf(out, " moved %s", x->moved[i]->name);
    if (r != NULL)
        buf_printf(out, " %s %d:", r->block->name, (int)r->fault);
    for (size_t i = 0; r != NULL && i < r->ntargets; i++)
        buf_printf(out, " %s", r->targets[i].buffer->name);
    if (r != NULL && r->nguards > 0)
        buf_printf(out, " %zu guards", r->nguards);
    if (x->kernel != NULL)
        put_kernel(out, x->kernel);
}

struct telling {
    const struct ir_plan *plan;
    struct buf text;
};

static bool tell(void *user, struct ir_stmt *s)
{
    struct telling *t = user;
    const struct ir_plan_info *info = ir_plan_info(t->plan, s);
    if (info != NULL)
        put_info(&t->text, info);
    return true;
}

static void test_facts(void **state)
{
    (void)state;
    bool good = true;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf text = {0};
        struct arena *arena = arena_new();
        struct diag_sink *sink = diag_sink_new();
        buf_printf(&text, "%s%s", HEADER, cases[i].body);
        struct ir_module *m =
            ir_read(buf_text(&text), text.len, "case.py", sink);
        assert_non_null(m);
        struct telling t = {
            ir_plan_make(m, m->funcs[0], cases[i].explicit_barriers, arena),
            {0}};
        struct ir_visitor v = {tell, NULL, &t};
        ir_visit_stmt(&v, m->funcs[0]->prim.body);
        if (strcmp(buf_text(&t.text), cases[i].want) != 0) {
            print_error("%s:\n  %s\nwanted\n  %s\n", cases[i].label,
                        buf_text(&t.text), cases[i].want);
            good = false;
        }
        buf_fini(&t.text);
        buf_fini(&text);
        ir_module_free(m);
        diag_sink_free(sink);
        arena_free(arena);
    }
    assert_true(good);
}

static void test_scopes(void **state)
{
    (void)state;
    assert_int_equal(ir_scope_of(NULL), IR_SCOPE_GLOBAL);
    assert_int_equal(ir_scope_of("global"), IR_SCOPE_GLOBAL);
    assert_int_equal(ir_scope_of("shared"), IR_SCOPE_SHARED);
    assert_int_equal(ir_scope_of("shared.dyn"), IR_SCOPE_SHARED_DYN);
    assert_int_equal(ir_scope_of("wmma.accumulator"), IR_SCOPE_WARP);
    assert_int_equal(ir_scope_of("local"), IR_SCOPE_LOCAL);
    assert_int_equal(ir_scope_of("texture"), IR_SCOPE_GLOBAL);
}

static void test_counts(void **state)
{
    (void)state;
    struct ir_axis axes[] = {{"vthread", false, true},
                             {"blockIdx.x", true, false},
                             {"threadIdx.x", false, false}};
    size_t threads[] = {2, 0};
    const struct ir_kernel k = {.naxes = 3,
                                .axes = axes,
                                .nthreads = 2,
                                .nlinear = 1,
                                .threads = threads};
    int64_t extent[] = {2, 1 << 20, 32}, n, linear;
    assert_true(ir_count_threads(&k, extent, 64, &n, &linear));
    assert_int_equal(n, 64);
    assert_int_equal(linear, 32);
    assert_false(ir_count_threads(&k, extent, 63, &n, &linear));
    extent[0] = -1;
    assert_true(ir_count_threads(&k, extent, 64, &n, &linear));
    assert_int_equal(n, 0);
    assert_int_equal(ir_axis_find(&k, "threadIdx.x"), 2);
    assert_int_equal(ir_axis_find(&k, "threadIdx.y"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
