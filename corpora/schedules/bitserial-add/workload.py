# A bitserial convolution (popcounts of bit planes, shifted and added) and a bias
# added to it: two stages, the second of which is the output.
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(data: T.Buffer((1, 6, 6, 1, 2), "uint8"), kernel: T.Buffer((3, 3, 1, 8, 2), "uint8"), bias: T.Buffer((8,), "int16"), out: T.Buffer((1, 4, 4, 8), "int16")):
    conv = T.sblock_alloc_buffer((1, 4, 4, 8), "int16")
    for n, h, w, c, kh, kw, ib, kb, ci in T.grid(1, 4, 4, 8, 3, 3, 2, 2, 1):
        with T.sblock("conv"):
            vn, vh, vw, vc, vkh, vkw, vib, vkb, vci = T.axis.remap("SSSSRRRRR", [n, h, w, c, kh, kw, ib, kb, ci])
            with T.init():
                conv[vn, vh, vw, vc] = T.int16(0)
            conv[vn, vh, vw, vc] = conv[vn, vh, vw, vc] + T.shift_left(T.Cast("int16", T.popcount(data[vn, vh + vkh, vw + vkw, vci, vib] & kernel[vkh, vkw, vci, vc, vkb])), T.Cast("int16", vib + vkb))
    for n, h, w, c in T.grid(1, 4, 4, 8):
        with T.sblock("T_add"):
            vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, w, c])
            out[vn, vh, vw, vc] = conv[vn, vh, vw, vc] + bias[vc]
