/* SPDX-License-Identifier: Apache-2.0
 *
 * The operator table against those who read it: rows are complete and agree
 * with themselves, and every engine does something with a row or refuses it by
 * its name. Who adds a row adds it to the engines, or here to what they refuse.
 */
#include "diff/emit/emit.h"
#include "interp/interp.h"
#include "tests/test.h"
#include "verifier/verifier.h"

#include <string.h>

/* ---- rows ----------------------------------------------------------------------- */

static bool is_row(int op)
{
    return op != IR_OP_UNKNOWN && op != IR_OP_GLOBAL;
}

static int operands_of(enum num_op num)
{
    return num < NUM_ADD ? 1 : num < NUM_FMA ? 2 : 3;
}

static void rows_agree_with_themselves(void **state)
{
    const unsigned effects = IR_OPF_MEMORY | IR_OPF_SYNC | IR_OPF_HOST;
    (void)state;
    for (int op = 0; op < IR_NOPS; op++) {
        const struct ir_op_info *row = ir_op_info((enum ir_op)op);
        size_t n = strlen(row->operands);
        bool many = n > 0 && row->operands[n - 1] == '*';
        bool pure = (row->flags & IR_OPF_PURE) != 0;
        bool math = (row->flags & IR_OPF_MATH) != 0;
        assert_int_equal(strspn(row->operands, "vcimpfebsnth"), n - many);
        assert_int_equal(row->max_args, many ? -1 : (int)n);
        assert_true(!pure || (row->flags & effects) == 0);
        assert_true(!math || (pure && row->num != NUM_NOPS &&
                              row->result == IR_RESULT_FIRST));
        assert_true(row->num == NUM_NOPS ||
                    (pure && row->min_args == row->max_args &&
                     row->min_args == operands_of(row->num)));
        assert_true(row->who == IR_WHO_THREAD || !pure);
        assert_true(!(row->flags & IR_OPF_NAMED) || row->operands[0] == 'n');
        assert_true(!(row->flags & IR_OPF_IDENTITY) || row->max_args == 1);
        assert_true(!(row->flags & IR_OPF_FOLDED) ||
                    (math && (row->flags & IR_OPF_SCRIPT)));
        assert_true(!(row->flags & IR_OPF_NOTHING) ||
                    (row->flags & effects) == 0);
    }
}

static void spellings_lead_to_their_rows(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    for (int op = 0; op < IR_NOPS; op++) {
        const char *at = ir_op_info((enum ir_op)op)->spellings;
        for (size_t n; *at; at += n + (at[n] == ' ')) {
            n = strcspn(at, " ");
            bool cuda = *at == '~';
            char *name =
                arena_printf(m->arena, "tirx.%.*s", (int)(n - cuda), at + cuda);
            assert_int_equal(ir_op_find(name), cuda ? IR_OP_UNKNOWN : op);
            assert_int_equal(ir_call_op(ir_call(m, DTYPE_INT32, name, 0, NULL)),
                             op);
        }
    }
    ir_module_free(m);
}

/* ---- engines -------------------------------------------------------------------- */

/* Operands that most rows can do something with. */
static const char *operand_text(const struct ir_op_info *row, char kind)
{
    switch (kind) {
    case 'v': return row->flags & IR_OPF_MATH ? "A[1]" : "B[1]";
    case 'c': return "T.bool(True)";
    case 'm': return "T.uint32(4294967295)";
    case 'p': return "T.address_of(A[0])";
    case 'f':
    case 'h': return "L.data";
    case 'e': return "A[0]";
    case 'b': return "A";
    case 's': return "\"shared\"";
    case 'n': return "\"sqrtf\"";
    case 't': return "T.type_annotation(\"float32\")";
    default: return "4";
    }
}

static void put_program(struct buf *out, const struct ir_op_info *row)
{
    static const char *const results[] = {
        [IR_RESULT_BOOL] = "bool",     [IR_RESULT_BOOL_LANES] = "bool",
        [IR_RESULT_VOID] = "void",     [IR_RESULT_HANDLE] = "handle",
        [IR_RESULT_UINT32] = "uint32", [IR_RESULT_GIVEN] = "int32"};
    const char *result = results[row->result];
    if (result == NULL || !(row->flags & IR_OPF_ANY))
        result = row->flags & IR_OPF_MATH ? "float32" : "int32";
    buf_puts(out,
             "from tvm.script import tirx as T\n\n"
             "@T.prim_func(s_tir=True)\n"
             "def main(A: T.Buffer((64,), \"float32\"), "
             "B: T.Buffer((64,), \"int32\")):\n"
             "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
             "        L = T.alloc_buffer((64,), scope=\"local\")\n"
             "        L[0] = T.float32(1)\n");
    buf_printf(out, "        T.evaluate(T.call_intrin(\"%s\", \"tirx.%s\"",
               result, row->name);
    for (int i = 0; i < row->min_args; i++)
        buf_printf(out, ", %s", operand_text(row, row->operands[i]));
    buf_puts(out, "))\n");
}

static bool says(const char *message, const char *before,
                 const struct ir_op_info *row, const char *after)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%s'tirx.%s'%s", before, row->name,
                   after);
    return message != NULL && strstr(message, text) != NULL;
}

static bool interp_refuses(const struct ir_module *m,
                           const struct ir_module *other,
                           const struct ir_op_info *row)
{
    (void)other;
    struct interp_arg args[2] = {0};
    const int64_t shape[] = {64};
    for (size_t i = 0; i < 2; i++) {
        args[i].tensor =
            interp_tensor_new(i == 0 ? DTYPE_FLOAT32 : DTYPE_INT32, 1, shape);
        for (size_t k = 0; k < 64; k++) {
            interp_tensor_set(args[i].tensor, k, 0);
            args[i].tensor->state[k] = INTERP_DEFINED;
        }
    }
    struct interp_options options = interp_default_options();
    struct interp_result r = interp_run(m, m->funcs[0], 2, args, &options);
    bool refused = says(r.message, "", row, " is not supported") ||
                   says(r.message, "", row, " belongs to host code");
    interp_result_fini(&r);
    for (size_t i = 0; i < 2; i++)
        interp_tensor_free(args[i].tensor);
    return refused;
}

static bool emitter_refuses(const struct ir_module *m,
                            const struct ir_op_info *row,
                            enum emit_language language)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    struct emit_options options = {.language = language};
    bool refused = !emit_c(m, m->funcs[0], &options, &text, sink) &&
                   says(diag_at(sink, 0)->message, "the operator ", row, "");
    buf_fini(&text);
    diag_sink_free(sink);
    return refused;
}

static bool c_refuses(const struct ir_module *m, const struct ir_module *other,
                      const struct ir_op_info *row)
{
    (void)other;
    return emitter_refuses(m, row, EMIT_C);
}

static bool opencl_refuses(const struct ir_module *m,
                           const struct ir_module *other,
                           const struct ir_op_info *row)
{
    (void)other;
    return emitter_refuses(m, row, EMIT_OPENCL);
}

static bool cuda_refuses(const struct ir_module *m,
                         const struct ir_module *other,
                         const struct ir_op_info *row)
{
    (void)other;
    return emitter_refuses(m, row, EMIT_CUDA);
}

static bool prover_refuses(const struct ir_module *m,
                           const struct ir_module *other,
                           const struct ir_op_info *row)
{
    struct verifier_options options = {.explain = false};
    struct verifier_result r;
    verifier_prove(m, m->funcs[0], other, other->funcs[0], &options, &r);
    bool refused = says(r.reason, "operator ", row, "");
    verifier_result_fini(&r);
    return refused;
}

/* Of programs of hosts that stay as they are, and instructions. */
#define HOST                                                              \
    "tvm_call_packed_lowered tvm_call_cpacked_lowered "                   \
    "tvm_call_trace_packed_lowered tvm_stack_alloca "                     \
    "tvm_stack_make_shape tvm_stack_make_array tvm_struct_get "           \
    "tvm_struct_set tvm_throw_last_error lookup_param tvm_static_handle " \
    "tvm_context_id ret break_loop continue_loop "
#define DEVICE                                                         \
    "tvm_bmma_sync ptx_mma_sp ptx_cp_async_bulk ptx_cp_async_barrier " \
    "ptx_init_barrier_thread_count ptx_arrive_barrier "                \
    "ptx_arrive_barrier_expect_tx ptx_wait_barrier create_barriers "   \
    "ptx_ldg32 dma_copy dma_wait dma_start_group dma_end_group "       \
    "texture2d_load texture2d_store "
#define LISTS                            \
    "anylist_getitem anylist_resetitem " \
    "anylist_setitem_call_packed anylist_setitem_call_cpacked "
/* Read as kinds of expressions; the interpreter can do without that. */
#define KINDS \
    "bitwise_and bitwise_or bitwise_xor bitwise_not shift_left shift_right "
#define EMITTED "vscale " KINDS HOST DEVICE LISTS "nd_mem_alloc_with_scope "
/* The prover refuses what gives a pointer as a pointer, not by name; a value
 * that it has no rule for is one of a pure function without laws. */
#define PROVED                                                                \
    "isnullptr buffer_offset tvm_call_packed tvm_call_cpacked "               \
    "tvm_call_packed_lowered tvm_call_cpacked_lowered tvm_call_trace_packed " \
    "tvm_call_trace_packed_lowered tvm_struct_get tvm_struct_set "            \
    "tvm_throw_last_error tvm_static_handle tvm_context_id ret "              \
    "thread_return break_loop continue_loop " DEVICE "anylist_resetitem "     \
    "anylist_setitem_call_packed anylist_setitem_call_cpacked "

struct engine {
    const char *name;
    bool (*refuses)(const struct ir_module *m, const struct ir_module *other,
                    const struct ir_op_info *row);
    const char *rows; /* that it refuses by name, in their order */
};

/* All rows but those it does something with, or says what is wrong with these
 * operands. */
static void engine_answers(void **state)
{
    const struct engine *engine = *state;
    struct buf refused = {0};
    for (int op = 0; op < IR_NOPS; op++) {
        const struct ir_op_info *row = ir_op_info((enum ir_op)op);
        struct diag_sink *sink = diag_sink_new();
        struct buf script = {0};
        put_program(&script, row);
        struct ir_module *m[2];
        for (size_t i = 0; i < 2 && is_row(op); i++) {
            m[i] = ir_read(buf_text(&script), script.len, row->name, sink);
            assert_non_null(m[i]);
            assert_true(ir_wellformed(m[i], sink));
        }
        if (is_row(op) && engine->refuses(m[0], m[1], row))
            buf_printf(&refused, "%s ", row->name);
        for (size_t i = 0; i < 2 && is_row(op); i++)
            ir_module_free(m[i]);
        diag_sink_free(sink);
        buf_fini(&script);
    }
    assert_string_equal(buf_text(&refused), engine->rows);
    buf_fini(&refused);
}

int main(void)
{
    struct engine engines[] = {
        {"interpreter", interp_refuses,
         "vscale " HOST DEVICE LISTS "nd_mem_alloc_with_scope "},
        {"C", c_refuses, EMITTED},
        {"OpenCL", opencl_refuses, EMITTED},
        {"CUDA", cuda_refuses, EMITTED},
        {"prover", prover_refuses, PROVED},
    };
    struct CMUnitTest tests[2 + DC_ARRAY_LEN(engines)] = {
        cmocka_unit_test(rows_agree_with_themselves),
        cmocka_unit_test(spellings_lead_to_their_rows),
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(engines); i++)
        tests[2 + i] = (struct CMUnitTest){
            .name = engines[i].name,
            .test_func = engine_answers,
            .initial_state = &engines[i],
        };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
