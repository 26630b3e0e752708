/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code back to plain functions: the parameters that come out, what the
 * function computes, and what happens where the convention is broken. The
 * modules follow what TVM's passes print: MakePackedAPI, SplitHostDevice and
 * LowerTVMBuiltin of 0.27, and the conventions of 0.12 to 0.20.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <string.h>

struct host_case {
    const char *label;
    const char *script; /* functions, after the imports */
    const char *params; /* of main afterwards, "A: float32[4]; n: int32" */
    size_t nfuncs;
    const char *want; /* the last parameter after a run; NULL: a fault */
    enum interp_fault_kind fault;
    const char *message; /* part of the fault's, or of the warning */
    bool stays;          /* main is left as it was, with a warning */
};

#define MODULE                             \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@I.ir_module\n"                       \
    "class Module:\n"

/* The FFI convention, as 0.27 prints it, for tensors A and B of n by 4. */
#define FFI_HEAD                                                              \
    "    @T.prim_func(s_tir=True)\n"                                          \
    "    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, " \
    "result: T.handle) -> T.int32:\n"                                         \
    "        T.func_attr({\"calling_conv\": 1})\n"
#define FFI_TENSOR(name, i)                                                    \
    "        " name "_type_index: T.let[T.int32] = T.tvm_struct_get(args, " i  \
    ", 13, \"int32\")\n"                                                       \
    "        assert " name "_type_index == 0 or " name                         \
    "_type_index >= 64 or " name "_type_index == 7, \"type\"\n"                \
    "        " name "_handle: T.let[T.handle] = T.if_then_else(" name          \
    "_type_index == 70, T.handle_add_byte_offset(T.tvm_struct_get(args, " i    \
    ", 15, \"handle\"), 24), T.tvm_struct_get(args, " i ", 15, \"handle\"))\n" \
    "        assert not T.isnullptr(" name "_handle), \"null\"\n"              \
    "        " name "_shape: T.let[T.handle(\"int64\")] = "                    \
    "T.tvm_struct_get(" name "_handle, 0, 2, \"handle\")\n"                    \
    "        " name "_strides: T.let[T.handle(\"int64\")] = "                  \
    "T.tvm_struct_get(" name "_handle, 0, 3, \"handle\")\n"
#define FFI_TYPE(name, code, bits)                                             \
    "        assert 2 == T.tvm_struct_get(" name "_handle, 0, 4, \"int32\"), " \
    "\"ndim\"\n"                                                               \
    "        assert T.tvm_struct_get(" name "_handle, 0, 5, \"uint8\") == "    \
    "T.uint8(" code ") and T.tvm_struct_get(" name                             \
    "_handle, 0, 6, \"uint8\") == T.uint8(" bits                               \
    ") and T.tvm_struct_get(" name                                             \
    "_handle, 0, 7, \"uint16\") == T.uint16(1), \"dtype\"\n"                   \
    "        assert T.tvm_struct_get(" name                                    \
    "_handle, 0, 10, \"int32\") == 2, \"device\"\n"                            \
    "        if not T.isnullptr(" name "_strides):\n"                          \
    "            assert T.tvm_struct_get(" name                                \
    "_strides, 1, 17, \"int64\") == T.int64(1), \"strides\"\n"                 \
    "        assert T.tvm_struct_get(" name                                    \
    "_shape, 1, 17, \"int64\") == T.int64(4), \"shape\"\n"
#define FFI_TWO                                                               \
    "        assert num_args == 2, \"count\"\n" FFI_TENSOR("A", "0")          \
        FFI_TENSOR("B", "1") FFI_TYPE(                                        \
            "A", "2",                                                         \
            "32") "        n: T.let[T.int64] = T.tvm_struct_get(A_shape, 0, " \
                  "17, "                                                      \
                  "\"int64\")\n" FFI_TYPE(                                    \
                      "B", "2",                                               \
                      "32") "        assert n == T.tvm_struct_get(B_shape, "  \
                            "0, 17, "                                         \
                            "\"int64\"), \"shape 0\"\n"                       \
                            "        A = T.decl_buffer((n, 4), \"float32\", " \
                            "data=T.reinterpret(\"handle\", "                 \
                            "T.tvm_struct_get(A_handle, "                     \
                            "0, 1, \"handle\")))\n"                           \
                            "        B = T.decl_buffer((n, 4), \"float32\", " \
                            "data=T.reinterpret(\"handle\", "                 \
                            "T.tvm_struct_get(B_handle, "                     \
                            "0, 1, \"handle\")))\n"
#define FLAT                                                       \
    "        A_1 = T.decl_buffer((n * T.int64(4),), \"float32\", " \
    "data=A.data)\n"                                               \
    "        B_1 = T.decl_buffer((n * T.int64(4),), \"float32\", " \
    "data=B.data)\n"

/* TVM 0.12 to 0.20: six parameters, type codes in an array of their own. */
#define OLD_HEAD                                                            \
    "    @T.prim_func\n"                                                    \
    "    def main(args: T.handle, arg_type_ids: T.handle(\"int32\"), "      \
    "num_args: T.int32, out_ret_value: T.handle(\"void\"), out_ret_tcode: " \
    "T.handle(\"int32\"), resource_handle: T.handle) -> T.int32:\n"         \
    "        T.func_attr({\"calling_conv\": 1})\n"                          \
    "        assert num_args == 3, \"main: num_args should be 3\"\n"        \
    "        arg_type_ids_1 = T.decl_buffer((3,), \"int32\", "              \
    "data=arg_type_ids)\n"                                                  \
    "        A_handle: T.let[T.handle] = T.tvm_struct_get(args, 0, 12, "    \
    "\"handle\")\n"                                                         \
    "        A_code: T.let[T.int32] = arg_type_ids_1[0]\n"                  \
    "        k: T.let[T.int32] = T.Cast(\"int32\", T.tvm_struct_get(args, " \
    "1, 12, \"int64\"))\n"                                                  \
    "        k_code: T.let[T.int32] = arg_type_ids_1[1]\n"                  \
    "        B_handle: T.let[T.handle] = T.tvm_struct_get(args, 2, 12, "    \
    "\"handle\")\n"                                                         \
    "        A: T.let[T.handle(\"float32\")] = T.tvm_struct_get(A_handle, " \
    "0, 1, \"handle\")\n"                                                   \
    "        A_shape: T.let[T.handle(\"int64\")] = "                        \
    "T.tvm_struct_get(A_handle, 0, 2, \"handle\")\n"                        \
    "        A_shape_1 = T.decl_buffer((1,), \"int64\", data=A_shape)\n"    \
    "        B: T.let[T.handle(\"float32\")] = T.tvm_struct_get(B_handle, " \
    "0, 1, \"handle\")\n"                                                   \
    "        B_shape: T.let[T.handle(\"int64\")] = "                        \
    "T.tvm_struct_get(B_handle, 0, 2, \"handle\")\n"                        \
    "        B_shape_1 = T.decl_buffer((1,), \"int64\", data=B_shape)\n"    \
    "        assert A_code == 3 or A_code == 13 or A_code == 7 or A_code "  \
    "== 4, \"type\"\n"                                                      \
    "        assert k_code == 0, \"type\"\n"                                \
    "        assert 1 == T.tvm_struct_get(A_handle, 0, 4, \"int32\"), "     \
    "\"ndim\"\n"                                                            \
    "        assert 1 == T.tvm_struct_get(B_handle, 0, 4, \"int32\"), "     \
    "\"ndim\"\n"                                                            \
    "        assert T.Cast(\"int32\", A_shape_1[0]) == 4, \"shape\"\n"      \
    "        assert T.Cast(\"int32\", B_shape_1[0]) == 4, \"shape\"\n"      \
    "        assert T.tvm_struct_get(A_handle, 0, 8, \"uint64\") == "       \
    "T.uint64(0), \"offset\"\n"

#define KERNEL(extent)                                                      \
    "    @T.prim_func(s_tir=True)\n"                                        \
    "    def main_kernel(A_ptr: T.handle(\"float32\", \"global\"), B_ptr: " \
    "T.handle(\"float32\", \"global\"), m: T.int32):\n"                     \
    "        T.func_attr({\"calling_conv\": 2, "                            \
    "\"tirx.kernel_launch_params\": [\"blockIdx.x\"]})\n"                   \
    "        A_2 = T.decl_buffer((4,), \"float32\", data=A_ptr)\n"          \
    "        B_2 = T.decl_buffer((4,), \"float32\", data=B_ptr)\n"          \
    "        with T.launch_thread(\"blockIdx.x\", " extent ") as bx:\n"     \
    "            if bx < m:\n"                                              \
    "                B_2[bx] = A_2[bx] * T.float32(2)\n"

#define LAUNCHER                                                      \
    "    @T.prim_func(s_tir=True)\n"                                  \
    "    def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), " \
    "\"float32\")):\n"

static const struct host_case cases[] = {
    {"packed entry, symbolic shape",
     FFI_HEAD FFI_TWO FLAT "        for i in range(n * T.int64(4)):\n"
                           "            B_1[i] = A_1[i] + T.float32(100)\n"
                           "        return 0\n",
     "A: float32[n, 4]; B: float32[n, 4]", 1, "101 102 103 104 105 106 107 108",
     INTERP_OK, NULL, false},
    {"packed entry, a check that cannot hold",
     FFI_HEAD FFI_TWO FLAT "        assert n == T.int64(7), \"seven rows\"\n"
                           "        B_1[0] = A_1[0]\n"
                           "        return 0\n",
     "A: float32[n, 4]; B: float32[n, 4]", 1, NULL, INTERP_ASSERT, "seven rows",
     false},
    {"packed entry, the wrong number of arguments",
     FFI_HEAD "        assert num_args == 3, \"three\"\n" FFI_TENSOR("A", "0")
         FFI_TYPE("A", "2",
                  "32") "        A = T.decl_buffer((4, 4), \"float32\", "
                        "data=T.tvm_struct_get(A_handle, 0, 1, \"handle\"))\n"
                        "        A[0, 0] = T.float32(1)\n"
                        "        return 0\n",
     "A: float32[4, 4]", 1, NULL, INTERP_ASSERT, "three", false},
    {"a result, set where it is returned",
     FFI_HEAD FFI_TWO FLAT
     "        if A_1[0] > T.float32(0):\n"
     "            T.tvm_struct_set(result, 0, 13, 3)\n"
     "            T.tvm_struct_set(result, 0, 14, 0)\n"
     "            T.tvm_struct_set(result, 0, 15, T.Cast(\"float64\", "
     "A_1[1]))\n"
     "            return 0\n"
     "        B_1[0] = T.float32(9)\n"
     "        T.tvm_struct_set(result, 0, 13, 3)\n"
     "        T.tvm_struct_set(result, 0, 15, T.Cast(\"float64\", A_1[0]))\n"
     "        return 0\n",
     "A: float32[n, 4]; B: float32[n, 4]", 1, "11 12 13 14 15 16 17 18",
     INTERP_OK, NULL, false},
    {"a result that is returned elsewhere",
     FFI_HEAD FFI_TWO FLAT
     "        if A_1[0] > T.float32(0):\n"
     "            T.tvm_struct_set(result, 0, 15, T.int64(1))\n"
     "        else:\n"
     "            T.tvm_struct_set(result, 0, 15, T.int64(2))\n"
     "        return 0\n",
     "A: float32[n, 4]; B: float32[n, 4]", 1, NULL, INTERP_OK,
     "returned elsewhere", true},
    {"numbers as arguments",
     FFI_HEAD
     "        n_type_index: T.let[T.int32] = T.tvm_struct_get(args, 0, 13, "
     "\"int32\")\n"
     "        assert n_type_index == 1, \"type\"\n"
     "        n: T.let[T.int32] = T.Cast(\"int32\", T.tvm_struct_get(args, 0, "
     "15, \"int64\"))\n"
     "        x_type_index: T.let[T.int32] = T.tvm_struct_get(args, 1, 13, "
     "\"int32\")\n"
     "        x: T.let[T.float32] = T.if_then_else(x_type_index == 3, "
     "T.Cast(\"float32\", T.tvm_struct_get(args, 1, 15, \"float64\")), "
     "T.Cast(\"float32\", T.tvm_struct_get(args, 1, 15, "
     "\"int64\")))\n" FFI_TENSOR("B", "2") FFI_TYPE(
         "B", "2",
         "32") "        assert T.tvm_struct_get(B_shape, 0, 17, \"int64\") == "
               "T.int64(1), \"shape\"\n"
               "        B = T.decl_buffer((1, 4), \"float32\", "
               "data=T.tvm_struct_get(B_handle, 0, 1, \"handle\"))\n"
               "        for i in range(4):\n"
               "            B[0, i] = T.Cast(\"float32\", n) + x\n"
               "        return 0\n",
     "n: int32; x: float32; B: float32[1, 4]", 1, "4 4 4 4", INTERP_OK, NULL,
     false},
    {"a type that is stored as another",
     FFI_HEAD FFI_TENSOR("A", "0") FFI_TYPE(
         "A", "4",
         "16") "        assert T.tvm_struct_get(A_shape, 0, 17, \"int64\") == "
               "T.int64(1), \"shape\"\n"
               "        A = T.decl_buffer((1, 4), \"uint16\", "
               "data=T.tvm_struct_get(A_handle, 0, 1, \"handle\"))\n"
               "        A[0, 0] = T.uint16(16256)\n"
               "        return 0\n",
     "A: bfloat16[1, 4]", 1, "1 2 3 4", INTERP_OK, NULL, false},
    {"0.20: declared views, a number between tensors",
     OLD_HEAD "        A_1 = T.decl_buffer((4,), data=A)\n"
              "        B_1 = T.decl_buffer((4,), data=B)\n"
              "        for i in range(4):\n"
              "            B_1[i] = A_1[i] * T.Cast(\"float32\", k)\n"
              "        return 0\n",
     "A_1: float32[4]; k: int32; B_1: float32[4]", 1, "2 4 6 8", INTERP_OK,
     NULL, false},
    {"0.12: views that are not declared",
     OLD_HEAD "        A_1 = T.Buffer((4,), data=A)\n"
              "        B_1 = T.Buffer((2,), \"float32x2\", data=B)\n"
              "        assert T.tvm_struct_get(B_handle, 0, 5, \"uint8\") == "
              "T.uint8(2) and T.tvm_struct_get(B_handle, 0, 6, \"uint8\") == "
              "T.uint8(32) and T.tvm_struct_get(B_handle, 0, 7, \"uint16\") == "
              "T.uint16(1), \"dtype\"\n"
              "        for i in range(2):\n"
              "            B_1[i] = A_1[i * 2:i * 2 + 2] * T.Broadcast("
              "T.Cast(\"float32\", k), 2)\n"
              "        return 0\n",
     "A_1: float32[4]; k: int32; B_1: float32[4]", 1, "2 4 6 8", INTERP_OK,
     NULL, false},
    {"a kernel becomes part of its launcher",
     LAUNCHER
     "        T.call_packed(\"main_kernel\", A.data, B.data, 3, 4)\n" KERNEL(
         "4"),
     "A: float32[4]; B: float32[4]", 1, "2 4 6 14", INTERP_OK, NULL, false},
    {"a launch of another extent",
     LAUNCHER
     "        T.call_packed(\"main_kernel\", A.data, B.data, 3, 8)\n" KERNEL(
         "4"),
     "A: float32[4]; B: float32[4]", 1, NULL, INTERP_ASSERT, "blockIdx.x",
     false},
    {"a kernel that is launched twice stays a function",
     LAUNCHER
     "        T.call_packed(\"main_kernel\", A.data, B.data, 3, 4)\n"
     "        T.call_packed(\"main_kernel\", B.data, B.data, 2, 4)\n" KERNEL(
         "4"),
     "A: float32[4]; B: float32[4]", 2, "4 8 6 14", INTERP_OK, NULL, false},
    {"arguments that were put into an array",
     FFI_HEAD
     "        stack: T.let[T.handle] = T.tvm_stack_alloca(\"tvm_ffi_any\", "
     "8)\n" FFI_TENSOR("A", "0") FFI_TENSOR("B", "1") FFI_TYPE("A", "2", "32")
         FFI_TYPE("B", "2",
                  "32") "        A = T.decl_buffer((1, 4), \"float32\", "
                        "data=T.tvm_struct_get(A_handle, 0, 1, \"handle\"))\n"
                        "        B = T.decl_buffer((1, 4), \"float32\", "
                        "data=T.tvm_struct_get(B_handle, 0, 1, \"handle\"))\n"
                        "        if T.isnullptr(A.data):\n"
                        "            T.tvm_struct_set(stack, 0, 13, 0)\n"
                        "        else:\n"
                        "            T.tvm_struct_set(stack, 0, 13, 4)\n"
                        "        T.tvm_struct_set(stack, 0, 15, A.data)\n"
                        "        T.tvm_struct_set(stack, 1, 15, B.data)\n"
                        "        T.tvm_struct_set(stack, 2, 15, "
                        "T.Cast(\"int64\", 2))\n"
                        "        T.tvm_struct_set(stack, 3, 15, "
                        "T.Cast(\"int64\", 4))\n"
                        "        T.call_packed_lowered(\"main_kernel\", stack, "
                        "0, 4)\n"
                        "        return 0\n" KERNEL("4"),
     "A: float32[1, 4]; B: float32[1, 4]", 1, "2 4 13 14", INTERP_OK, NULL,
     false},
    {"bare pointers get the buffers on them",
     "    @T.prim_func(s_tir=True)\n"
     "    def main(A_ptr: T.handle(\"float32\", \"global\"), m: T.int32, "
     "B_ptr: "
     "T.handle(\"float32\", \"global\")):\n"
     "        A = T.decl_buffer((4,), \"float32\", data=A_ptr)\n"
     "        B = T.decl_buffer((2, m), \"float32\", data=B_ptr)\n"
     "        for i in range(m):\n"
     "            B[1, i] = A[i]\n",
     "A_ptr: float32[4]; m: int32; B_ptr: float32[2, m]", 1, "21 22 1 2",
     INTERP_OK, NULL, false},
    {"an argument that is not used",
     FFI_HEAD FFI_TENSOR("B", "1") FFI_TYPE(
         "B", "2", "32") "        B = T.decl_buffer((1, 4), \"float32\", "
                         "data=T.tvm_struct_get(B_handle, 0, 1, \"handle\"))\n"
                         "        B[0, 0] = T.float32(1)\n"
                         "        return 0\n",
     NULL, 1, NULL, INTERP_OK, "does not use as a tensor", true},
};

static void put_params(const struct ir_func *f, struct buf *out)
{
    char type[48];
    for (size_t i = 0; i < f->prim.nparams; i++) {
        const struct ir_param *p = &f->prim.params[i];
        const struct ir_buffer *b = p->buffer;
        buf_printf(out, "%s%s: %s", i > 0 ? "; " : "",
                   b != NULL ? b->name : p->var->name,
                   dtype_name(b != NULL ? b->dtype : p->var->dtype, type));
        for (size_t k = 0; b != NULL && k < b->rank; k++) {
            int64_t size;
            buf_puts(out, k > 0 ? ", " : "[");
            if (ir_const_int(b->shape[k], &size))
                buf_printf(out, "%lld", (long long)size);
            else if (b->shape[k]->kind == IR_VAR_REF)
                buf_puts(out, b->shape[k]->u.var->name);
            else
                buf_putc(out, '?');
        }
        buf_puts(out, b != NULL ? "]" : "");
    }
}

/* Element e of parameter p is 10 p + e + 1, numbers are 2, sizes 2. */
static void run_main(const struct host_case *c, const struct ir_module *m)
{
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct interp_symbol two[] = {{"n", 2}, {"m", 2}, {"k", 2}};
    struct interp_signature sig;
    const struct ir_func *f = ir_module_find(m, "main");
    assert_true(interp_signature(m, f, two, 3, arena, &sig, sink));
    struct interp_arg *args =
        ARENA_ARRAY(arena, sig.nparams, struct interp_arg);
    for (size_t i = 0; i < sig.nparams; i++) {
        struct dtype t = sig.params[i].dtype;
        unsigned flags = 0;
        args[i].dtype = t;
        args[i].bits = num_from_double(t, 2, &flags);
        if (!sig.params[i].is_tensor)
            continue;
        args[i].tensor =
            interp_tensor_new(t, sig.params[i].rank, sig.params[i].shape);
        for (size_t e = 0; e < args[i].tensor->elements; e++) {
            interp_tensor_set(
                args[i].tensor, e,
                num_from_double(t, (double)(10 * i + e + 1), &flags));
            args[i].tensor->state[e] = INTERP_DEFINED;
        }
    }
    struct interp_result r = interp_run(m, f, sig.nparams, args, NULL);
    if (r.fault != c->fault) {
        print_error("%s: %s: %s\n", c->label, interp_fault_name(r.fault),
                    r.message);
        fail();
    }
    if (c->message != NULL)
        assert_non_null(strstr(r.message, c->message));
    struct buf have = {0};
    const struct interp_tensor *last = args[sig.nparams - 1].tensor;
    for (size_t e = 0; c->want != NULL && e < last->elements; e++) {
        struct dtype t = last->dtype;
        buf_printf(&have, "%s%g", e > 0 ? " " : "",
                   num_to_double(t, interp_tensor_get(last, e)));
    }
    if (c->want != NULL)
        assert_string_equal(buf_text(&have), c->want);
    buf_fini(&have);
    interp_result_fini(&r);
    for (size_t i = 0; i < sig.nparams; i++)
        interp_tensor_free(args[i].tensor);
    diag_sink_free(sink);
    arena_free(arena);
}

/* A compiler would not pack it. */
static bool says_packed(const struct ir_module *m)
{
    int64_t convention;
    const struct ir_func *f = ir_module_find(m, "main");
    return ir_value_as_int(ir_attr_find(f->attrs, "calling_conv"),
                           &convention) &&
           convention == 1;
}

static void check_case(void **state)
{
    const struct host_case *c = *state;
    struct buf script = {0}, params = {0}, messages = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&script, MODULE "%s", c->script);
    struct ir_module *m = ir_read(buf_text(&script), script.len, "case", sink);
    if (m != NULL)
        ir_host_restore(m, sink);
    if (m == NULL || !ir_wellformed(m, sink) ||
        (diag_count(sink) > 0) != c->stays) {
        diag_render(sink, false, &messages);
        print_error("%s:\n%s\n", c->label, buf_text(&messages));
        fail();
    }
    assert_int_equal(m->nfuncs, c->nfuncs);
    if (c->stays) {
        assert_string_equal(diag_at(sink, 0)->code, "ir.host");
        assert_non_null(strstr(diag_at(sink, 0)->message, c->message));
        assert_int_equal(ir_module_find(m, "main")->prim.nparams, 4);
        assert_true(says_packed(m));
    } else {
        assert_false(says_packed(m));
        put_params(ir_module_find(m, "main"), &params);
        assert_string_equal(buf_text(&params), c->params);
        run_main(c, m);
    }
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&script);
    buf_fini(&params);
    buf_fini(&messages);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(cases)];
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++)
        tests[i] = (struct CMUnitTest){cases[i].label, check_case, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
