# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
    T.func_attr({"calling_conv": 1})
    assert num_args == 1, ("TypeError", ["number"])
    x: T.let[T.int32] = T.Cast("int32", T.tvm_struct_get(args, 0, 15, "int64"))
    if x > 3:
        T.tvm_struct_set(result, 0, 13, 1)
        T.tvm_struct_set(result, 0, 14, 0)
        T.tvm_struct_set(result, 0, 15, T.Cast("int64", x * 2))
        return 0
    T.tvm_struct_set(result, 0, 13, 1)
    T.tvm_struct_set(result, 0, 14, 0)
    T.tvm_struct_set(result, 0, 15, T.Cast("int64", 1))
    return 0
