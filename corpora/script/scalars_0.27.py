# SPDX-License-Identifier: Apache-2.0
# Mutable scalars, immutable bindings, dimensions and views of TVM 0.25 to 0.27.
# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T

n = TypeVar("n")
@I.ir_module
class Module:
    I.module_attrs({"external_mods": [], "k": {"a": 1, "b": T.int64(2)}})
    I.module_global_infos({"vdevice": [I.vdevice({"kind": "llvm"}, 0, "global")]})
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n, 4), "float32"), B: T.Buffer(("m", 4), "float32"), p: T.handle("float32", "shared")):
        T.func_attr({"tirx.noalias": True, "target": T.target({"kind": "llvm", "keys": ["cpu"], "tag": ""}), "layout": T.index_map(lambda i, j: (j, i), index_dtype="int32")})
        m = T.int32()
        x: T.int32 = 3
        x = x + 1
        y: T.let[T.float32] = A[0, 0] * T.float32(2)
        q: T.let[T.handle("float32")] = T.address_of(A[0, 0])
        C = T.alloc_local((4,))
        D = A.view(n * T.int64(4))
        E = T.decl_buffer((4,), data=p)
        for i in range(0, 8, 2):
            D[x + i] = y
        for i in T.serial(m, annotations={"pragma_unroll_explicit": 1}, unroll=True):
            C[i] = E[i] if True else y
        assert x < 4, ("ValueError", ["x is ", "too large"])

    @T.prim_func(private=True, s_tir=True)
    def helper(A: T.Buffer((), "float32")) -> T.float32:
        A[()] = T.Select(A[()] < T.float32(0), T.float32(0), A[()])
        return A[()]
