# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(J: T.Buffer((2, 32), "int32"), A: T.Buffer((2, 32), "float32"), M: T.Buffer((2,), "int32"), V: T.Buffer((2,), "float32")):
    for i in range(2):
        for k in range(32):
            with T.sblock("s"):
                vi = T.axis.spatial(2, i)
                vk = T.axis.reduce(32, k)
                with T.init():
                    M[vi] = -1
                    V[vi] = T.float32(-3.4028234663852886e+38)
                m: T.let[T.int32] = T.Select(V[vi] > A[vi, vk] or V[vi] == A[vi, vk] and M[vi] < J[vi, vk], M[vi], J[vi, vk])
                v: T.let[T.float32] = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])
                M[vi] = m
                V[vi] = v
