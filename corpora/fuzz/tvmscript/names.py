# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def add(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32", elem_offset=0, offset_factor=2)):
        T.func_attr({"k": "v"})
        for i in T.serial(8, annotations={"an": "no"}):
            with T.sblock("blk"):
                v = T.axis.spatial(8, i)
                T.reads(A[v])
                T.writes(B[v])
                T.sblock_attr({"bk": 1})
                with T.attr(0, "attrkey", "attrval"):
                    B[v] = T.Select(A[v] > T.float32(0.0), T.call_extern("float32", "ext", A[v], "s"), T.call_intrin("float32", "tirx.foo", A[v]))
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            assert B[tx] > T.float32(0.0), ("RuntimeError", ["msg"])
            x: T.let[T.int64] = T.Cast("int64", tx)
            C = T.alloc_buffer((4,), "int8", scope="local", annotations={"a": True})
            C[x] = T.int8(1)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), z: R.Callable((R.Tensor((4,)),), R.Object, True)) -> R.Object:
        cls = Module
        with R.dataflow():
            a: R.Tensor((8,), dtype="float32") = R.call_tir(cls.add, (x,), out_ty=R.Tensor((8,), dtype="float32"))
            y: R.Object = R.unknown_op(a, R.str("s"), k="v", b=[1, 2.5], ty_args=(R.Tensor((4,), dtype="float32"), R.Object, ))
            w: R.Tuple(R.Object, R.Shape(ndim=2)) = R.call_packed("f", y, R.shape([1, 2]), R.prim_value(T.int64(3)))
            u: R.Object = z(R.const([1.0, 2.0, 3.0, 4.0], "float32"))
            R.output(w, u)
        v: R.Object = R.match_cast(w[0], R.Object)
        return (v, u)
