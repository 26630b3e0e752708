# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4096, 256), "float32"), C: T.Buffer((4096, 256), "float32")):
    S = T.alloc_buffer((256,), "float32", scope="shared")
    for bx in T.thread_binding(1024, thread="blockIdx.x"):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            with T.sblock("rows"):
                vb, vt = T.axis.remap("SS", [bx, tx])
                for r in range(4):
                    S[vt] = A[vb * 4 + r, vt]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    C[vb * 4 + r, vt] = S[255 - vt] * T.float32(2) + S[vt]
