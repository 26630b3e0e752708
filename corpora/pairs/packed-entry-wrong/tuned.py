# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
        T.func_attr({"calling_conv": 1})
        assert num_args == 3, "expected 3 arguments"
        a_type: T.let[T.int32] = T.tvm_struct_get(args, 0, 13, "int32")
        assert a_type == 7 or a_type >= 64, "expected a tensor"
        a: T.let[T.handle] = T.if_then_else(a_type == 70, T.handle_add_byte_offset(T.tvm_struct_get(args, 0, 15, "handle"), 24), T.tvm_struct_get(args, 0, 15, "handle"))
        k_type: T.let[T.int32] = T.tvm_struct_get(args, 1, 13, "int32")
        assert k_type == 1, "expected an integer"
        k: T.let[T.int32] = T.Cast("int32", T.tvm_struct_get(args, 1, 15, "int64"))
        b_type: T.let[T.int32] = T.tvm_struct_get(args, 2, 13, "int32")
        assert b_type == 7 or b_type >= 64, "expected a tensor"
        b: T.let[T.handle] = T.if_then_else(b_type == 70, T.handle_add_byte_offset(T.tvm_struct_get(args, 2, 15, "handle"), 24), T.tvm_struct_get(args, 2, 15, "handle"))
        assert T.tvm_struct_get(a, 0, 4, "int32") == 2, "expected 2 dimensions"
        assert T.tvm_struct_get(a, 0, 5, "uint8") == T.uint8(2) and T.tvm_struct_get(a, 0, 6, "uint8") == T.uint8(32) and T.tvm_struct_get(a, 0, 7, "uint16") == T.uint16(1), "expected float32"
        a_shape: T.let[T.handle("int64")] = T.tvm_struct_get(a, 0, 2, "handle")
        a_strides: T.let[T.handle("int64")] = T.tvm_struct_get(a, 0, 3, "handle")
        n: T.let[T.int64] = T.tvm_struct_get(a_shape, 0, 17, "int64")
        assert T.tvm_struct_get(a_shape, 1, 17, "int64") == T.int64(4), "expected 4 columns"
        if not T.isnullptr(a_strides):
            assert T.tvm_struct_get(a_strides, 1, 17, "int64") == T.int64(1), "expected to be compact"
        assert T.tvm_struct_get(a, 0, 10, "int32") == 1, "expected the processor"
        b_shape: T.let[T.handle("int64")] = T.tvm_struct_get(b, 0, 2, "handle")
        assert T.tvm_struct_get(b_shape, 0, 17, "int64") == n, "expected as many rows"
        A = T.decl_buffer((n, 4), "float32", data=T.reinterpret("handle", T.tvm_struct_get(a, 0, 1, "handle")))
        B = T.decl_buffer((n, 4), "float32", data=T.reinterpret("handle", T.tvm_struct_get(b, 0, 1, "handle")))
        A_1 = T.decl_buffer((n * T.int64(4),), "float32", data=A.data)
        B_1 = T.decl_buffer((n * T.int64(4),), "float32", data=B.data)
        for i in T.parallel(n):
            for j in range(T.int64(3)):
                B_1[i * T.int64(4) + j] = A_1[i * T.int64(4) + j] * T.Cast("float32", k)
        return 0
