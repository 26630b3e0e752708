# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def v_(v__31mreduint8_t: T.Buffer((2, 4, "v_f____Z__"), "int16", layout=None), v_: T.Buffer(("v_f____Z__", "v_f____Z__"), "int16", layout=None), add_i32: T.Buffer((2, 4, "v_f____Z__"), "int16", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v_____ = T.decl_buffer((8 * v_f____Z__,), "int16", data=add_i32.data, layout=None)
        for v___E__pk_______e__Me______V9___ly, v____________________, v___, v_s_n in T.grid(2, 4, (v_f____Z__ + 1) // 3, 2):
            if T.Ramp(v___ * 2, v_f____Z__, 1) + v_s_n < v_f____Z__:
                NAN = T.alloc_buffer((1,), "int16", layout=None)
                NAN[0] = T.int16(0)
                for a_b in range(v_f____Z__):
                    NAN[0] = NAN[0] + v__31mreduint8_t[v___E__pk_______e__Me______V9___ly, v____________________, a_b] * v_[a_b, T.Ramp(v___ * 2, v_f____Z__, 1) + v_s_n]
                v_____[(v___E__pk_______e__Me______V9___ly * 4 + v____________________) * v_f____Z__ + (T.Ramp(v___ * 2, v_f____Z__, 1) + v_s_n)] = NAN[0]
