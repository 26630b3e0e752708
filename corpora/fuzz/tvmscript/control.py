# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32, A: T.Buffer((n,), "int32")):
        i: T.int32 = 0
        while A[0] < 10:
            A[0] = A[0] + 1
        if n > 3:
            A[1] = A[2] // 3
        else:
            A[1] = A[2] % 5
        assert n > 0, "n must be positive"
        T.evaluate(T.call_extern("int32", "f", A[0]))
