# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((3, 5), "int8", layout=None), O: T.Buffer((3, 5), "int8", strides=(1, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("threadIdx.x", 3) as tx:
            S2 = T.alloc_buffer((3, 5), "int8", strides=(0, 2), scope="shared", layout=None)
            for j in range(5):
                S2[tx, j] = A[tx, j]
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            for j_1 in range(5):
                O[tx, j_1] = S2[tx, j_1]
