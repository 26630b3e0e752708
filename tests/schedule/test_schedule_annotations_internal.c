/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions of annotations for software pipelines and double buffers. What
 * is refused here TVM 0.27 finds when it lowers the module, but where a row
 * says otherwise.
 */
#include "schedule/schedule.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

// clang-format off
#define ROWS(name, made, read) \
    "        for j in range(8):\n" \
    "            with T.sblock(\"" name "\"):\n" \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "                " made " = " read "\n"
#define ROOM(name) "    " name " = T.sblock_alloc_buffer((6, 8))\n"
#define MAIN \
    "from tvm.script import ir as I\n" \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n" \
    "def main(A: T.Buffer((6, 8), \"float32\"), B: T.Buffer((6, 8), " \
    "\"float32\"), C: T.Buffer((6, 8), \"float32\")):\n"
/* two copies, and what is made of them */
static const char staged[] =
    MAIN ROOM("X") ROOM("Y") "    for i in range(6):\n"
    ROWS("X", "X[vi, vj]", "A[vi, vj]")
    ROWS("Y", "Y[vi, vj]", "B[vi, vj]")
    ROWS("C", "C[vi, vj]", "X[vi, 7 - vj] + Y[vi, vj]");
/* the copy is read behind the loop */
static const char kept[] =
    MAIN ROOM("X") "    for i in range(6):\n"
    ROWS("X", "X[vi, vj]", "A[vi, vj]")
    ROWS("C", "C[vi, vj]", "X[vi, 7 - vj]")
    "    for i in range(6):\n"
    ROWS("B", "B[vi, vj]", "X[vi, vj]");
/* what the last iteration left is read first */
static const char carried[] =
    MAIN ROOM("X") "    for i in range(6):\n"
    ROWS("C", "C[vi, vj]", "X[0, vj]")
    ROWS("X", "X[0, vj]", "A[vi, vj]");
/* a loop of two statements in a loop of two */
static const char nested[] =
    MAIN ROOM("X") ROOM("Y") "    for i in range(6):\n"
    ROWS("X", "X[vi, vj]", "A[vi, vj]")
    "        for k in T.serial(2, annotations={"
    "\"software_pipeline_stage\": [0, 1], "
    "\"software_pipeline_order\": [0, 1]}):\n"
    "            for j in range(4):\n"
    "                with T.sblock(\"Y\"):\n"
    "                    vi = T.axis.spatial(6, i)\n"
    "                    vj = T.axis.spatial(8, k * 4 + j)\n"
    "                    Y[vi, vj] = X[vi, vj]\n"
    "            for j in range(4):\n"
    "                with T.sblock(\"C\"):\n"
    "                    vi = T.axis.spatial(6, i)\n"
    "                    vj = T.axis.spatial(8, k * 4 + j)\n"
    "                    C[vi, vj] = Y[vi, vj]\n";
static const char single[] =
    MAIN "    for i in range(6):\n"
    ROWS("C", "C[vi, vj]", "A[vi, vj]");
// clang-format on

#define STAGE  "software_pipeline_stage"
#define ORDER_ "software_pipeline_order"
#define ASYNC  "software_pipeline_async_stages"

struct annotation {
    const char *label, *program;
    const char *block; /* annotated itself, or the outermost loop around it */
    bool loop;
    const char *before; /* orders, or stages, that the loop has already */
    const char *key, *numbers; /* a number alone: not a list */
    const char *want;          /* part of the message; NULL: fine */
};

static const struct annotation table[] = {
    {"stages", staged, "C", true, NULL, STAGE, "0 0 1 ", NULL},
    {"orders", staged, "C", true, "0 0 1 ", ORDER_, "0 1 2 ", NULL},
    {"the later stage first", staged, "C", true, "0 0 1 ", ORDER_, "1 2 0 ",
     NULL},
    {"stages behind orders", staged, "C", true, "1 2 0 ", STAGE, "0 0 1 ",
     NULL},
    {"one stage", staged, "C", true, "0 0 0 ", ORDER_, "1 0 2 ", NULL},
    {"stages of a block", staged, "C", false, NULL, STAGE, "0 0 1 ",
     "'software_pipeline_stage' is for loops"},
    {"stages that are too few", staged, "C", true, NULL, STAGE, "0 1 ",
     "loop 'i' holds 3 statements, and 'software_pipeline_stage' has 2 "
     "numbers"},
    {"stages that are a number", staged, "C", true, NULL, STAGE, "1",
     "has to be a list of up to 64 numbers"},
    {"stages below zero", staged, "C", true, NULL, STAGE, "0 0 -1 ",
     "has to be a list of up to 64 numbers"},
    {"stages of one statement", single, "C", true, NULL, STAGE, "0 ",
     "loop 'i' holds one statement"},
    {"orders that come twice", staged, "C", true, NULL, ORDER_, "0 1 1 ",
     "1 is there twice"},
    {"orders that there are not", staged, "C", true, NULL, ORDER_, "0 1 3 ",
     "3 is none of them"},
    {"a reader in an earlier stage", staged, "C", true, "1 0 0 ", ORDER_,
     "0 1 2 ",
     "block 'C' uses buffer 'X' in stage 0, before block 'X' is done with it "
     "in stage 1"},
    {"a reader that comes first", staged, "C", true, "0 0 0 ", ORDER_, "0 2 1 ",
     "blocks 'Y' and 'C' of one stage use buffer 'Y', and may not be "
     "reordered"},
    /* TVM finds nothing wrong with this one and the next */
    {"a copy that others read", kept, "C", true, "0 1 ", ORDER_, "0 1 ",
     "buffer 'X' is used in stages 0 and 1, and not made anew in each "
     "iteration"},
    {"a copy from the last iteration", carried, "C", true, "0 1 ", ORDER_,
     "0 1 ", "not made anew in each iteration"},
    {"a copy that others read, in one stage", kept, "C", true, "0 0 ", ORDER_,
     "0 1 ", NULL},
    /* the pass makes prologue, body and epilogue of the inner one first */
    {"a pipeline within", nested, "X", true, "0 0 0 1 1 ", ORDER_, "0 3 1 2 4 ",
     NULL},
    {"asynchronous stages", staged, "C", true, "0 0 1 ", ASYNC, "0 ", NULL},
    {"a stage that there is not", staged, "C", true, "0 0 1 ", ASYNC, "2 ",
     "loop 'i' has no stage 2"},
    {"asynchronous stages of a block", staged, "C", false, NULL, ASYNC, "0 ",
     "is for loops"},
    {"twice what a block writes", staged, "X", false, NULL,
     "double_buffer_scope", "0", NULL},
    {"twice what it does not write", staged, "X", false, NULL,
     "double_buffer_scope", "1", "block 'X' has no write 1 to be doubled"},
    {"twice what a loop writes", staged, "X", true, NULL, "double_buffer_scope",
     "0", "is for blocks"},
    {"a local stage", staged, "X", false, NULL,
     "tirx.manifest_shared_memory_local_stage", "1", NULL},
    {"a local stage of a loop", staged, "X", true, NULL,
     "tirx.manifest_shared_memory_local_stage", "1", "is for blocks"},
    {"any other", staged, "X", true, NULL, "pragma_auto_unroll_max_step", "16",
     NULL},
};

static struct ir_value *numbers(struct ir_module *m, const char *text)
{
    struct ir_value *items[8], *list;
    size_t n = 0;
    char *end;
    for (const char *at = text; *at != '\0'; at = end + strspn(end, " "))
        items[n++] = ir_value_int(m, strtoll(at, &end, 10));
    if (!strchr(text, ' '))
        return items[0];
    list = ir_value_make(m, IR_V_ARRAY);
    list->n = n;
    list->items = arena_memdup(m->arena, items, n * sizeof *items);
    return list;
}

static bool set_before(void *user, struct ir_stmt *stmt)
{
    const struct annotation *a = ((void **)user)[0];
    struct ir_module *m = ((void **)user)[1];
    const char *key = strcmp(a->key, STAGE) != 0 ? STAGE : ORDER_;
    struct ir_value *value = numbers(m, a->before);
    if (stmt->kind == IR_FOR && !strcmp(stmt->u.loop.var->name, "i"))
        stmt->u.loop.annotations = ir_value_map(m, 1, &key, &value);
    return true;
}

static void run_annotation(void **state)
{
    union {
        const struct annotation *in;
        void *out;
    } row = {*state};
    const struct annotation *a = row.in;
    struct ir_module *m = ir_read(a->program, strlen(a->program), "test", NULL);
    void *both[] = {row.out, m};
    assert_non_null(m);
    struct ir_visitor visitor = {set_before, NULL, both};
    if (a->before)
        ir_visit_stmt(&visitor, m->funcs[0]->prim.body);
    struct schedule *s = schedule_new(m, NULL, NULL);
    schedule_ref ref = schedule_block(s, a->block), loop;
    if (a->loop) {
        assert_true(schedule_loops(s, ref, 1, &loop) >= 1);
        ref = loop;
    }
    bool fine =
        schedule_check_annotation(s, ref, a->key, numbers(m, a->numbers));
    if (fine != !a->want || (!fine && !strstr(schedule_message(s), a->want))) {
        print_error("%s: %s '%s'\n", a->label, fine ? "fine" : "refused",
                    schedule_message(s));
        fail();
    }
    schedule_free(s);
    ir_module_free(m);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(table)];
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        tests[i].name = table[i].label;
        tests[i].test_func = run_annotation;
        union {
            const struct annotation *in;
            void *out;
        } row = {&table[i]};
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("schedule_annotations", tests,
                                   DC_ARRAY_LEN(tests), NULL, NULL);
}
