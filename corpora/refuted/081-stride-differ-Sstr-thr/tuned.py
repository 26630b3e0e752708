# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((3, 4), "int32", layout=None), O: T.Buffer((3, 4), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("threadIdx.x", 4) as tx:
            S2 = T.alloc_buffer((3, 4), "int32", strides=(2, 0), scope="shared", layout=None)
            if tx < 3:
                for j in range(4):
                    S2[tx, j] = A[tx, j]
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            if tx < 3:
                for j_1 in range(4):
                    O[tx, j_1] = A[tx, j_1]
