# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 4), "int32", strides=(4, 2), layout=None), O: T.Buffer((4, 4), "int32", strides=(0, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("threadIdx.x", 2) as tx:
            S2 = T.alloc_buffer((4, 4), "int32", strides=(6, 1), scope="shared", layout=None)
            for r, j in T.grid(2, 4):
                S2[r * 2 + tx, j] = A[r * 2 + tx, j]
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            for r_1, j_1 in T.grid(2, 4):
                O[r_1 * 2 + tx, j_1] = S2[r_1 * 2 + tx, j_1]
