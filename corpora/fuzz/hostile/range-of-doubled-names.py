# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer(("nobody", 2), "int16", layout=None), O: T.Buffer((2, 2), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        S2 = T.alloc_buffer((2, 2), "int16", strides=(0, 1), layout=None)
        for i in range(2):
            v: T.let[T.int32] = 0
            v_1: T.let[T.int32] = v & v
            v_2: T.let[T.int32] = v_1 & v_1
            v_3: T.let[T.int32] = v_2 & v_2
            v_4: T.let[T.int32] = v_3 & v_3
            v_5: T.let[T.int32] = v_4 & v_4
            v_6: T.let[T.int32] = v_5 & v_5
            v_7: T.let[T.int32] = v_6 & v_6
            v_8: T.let[T.int32] = v_7 & v_7
            v_9: T.let[T.int32] = v_8 & v_8
            v_10: T.let[T.int32] = v_9 & v_9
            v_11: T.let[T.int32] = v_10 & v_10
            v_12: T.let[T.int32] = v_11 & v_11
            v_13: T.let[T.int32] = v_12 & v_12
            v_14: T.let[T.int32] = v_13 & v_13
            v_15: T.let[T.int32] = v_14 & v_14
            v_16: T.let[T.int32] = v_15 & v_15
            v_17: T.let[T.int32] = v_16 & v_16
            v_18: T.let[T.int32] = v_17 & v_17
            v_19: T.let[T.int32] = v_18 & v_18
            v_20: T.let[T.int32] = v_19 & v_19
            v_21: T.let[T.int32] = v_20 & v_20
            v_22: T.let[T.int32] = v_21 & v_21
            v_23: T.let[T.int32] = v_22 & v_22
            v_24: T.let[T.int32] = v_23 & v_23
            v_25: T.let[T.int32] = v_24 & v_24
            v_26: T.let[T.int32] = v_25 & v_25
            v_27: T.let[T.int32] = v_26 & v_26
            v_28: T.let[T.int32] = v_27 & v_27
            v_29: T.let[T.int32] = v_28 & v_28
            v_30: T.let[T.int32] = v_29 & v_29
            v_31: T.let[T.int32] = v_30 & v_30
            v_32: T.let[T.int32] = v_31 & v_31
            v_33: T.let[T.int32] = v_32 & v_32
            v_34: T.let[T.int32] = v_33 & v_33
            v_35: T.let[T.int32] = v_34 & v_34
            v_36: T.let[T.int32] = v_35 & v_35
            v_37: T.let[T.int32] = v_36 & v_36
            v_38: T.let[T.int32] = v_37 & v_37
            v_39: T.let[T.int32] = v_38 & v_38
            v_40: T.let[T.int32] = v_39 & v_39
            for j in range(v_40 & v_40, (v_40 & v_40) + 2):
                S2[T.Sub(1, 16), j] = A[T.Sub(1, 16), j]
        for i_1, j_1 in T.grid(2, 2):
            O[i_1, j_1] = S2[i_1, j_1]
