# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def conv2d(image: T.Buffer((1, 230, 230, 3), "float16"), weight: T.Buffer((7, 7, 3, 64), "float16"), result: T.Buffer((1, 112, 112, 64), "float16")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        tile = T.sblock_alloc_buffer((1, 112, 112, 64), "float16")
        for t in T.parallel(196, annotations={"pragma_auto_unroll_max_step": 512, "pragma_unroll_explicit": 1}):
            for fo in range(1):
                for n0, y0, x0, f0, n1, y1, x1 in T.grid(1, 2, 16, 1, 1, 2, 1):
                    for lane in T.vectorized(64):
                        with T.sblock("conv_init"):
                            v_n = T.axis.spatial(1, n0 + n1)
                            v_y = T.axis.spatial(112, t // 7 * 4 + y0 * 2 + y1)
                            v_x = T.axis.spatial(112, x1 + t % 7 * 16 + x0)
                            v_f = T.axis.spatial(64, fo * 64 + f0 * 64 + lane)
                            T.reads()
                            T.writes(tile[v_n, v_y, v_x, v_f])
                            T.sblock_attr({"meta_schedule.tiling_structure": "SRSRS"})
                            tile[v_n, v_y, v_x, v_f] = T.float16(0.0)
                for ry0, rx0, rc0 in T.grid(1, 7, 1):
                    for n0_1, y0_1, x0_1, f0_1, ry1, rx1, rc1, n1_1, y1_1, x1_1 in T.grid(1, 2, 16, 1, 7, 1, 3, 1, 2, 1):
                        for lane_1 in T.vectorized(64):
                            with T.sblock("conv_update"):
                                v_n_1 = T.axis.spatial(1, n0_1 + n1_1)
                                v_y_1 = T.axis.spatial(112, t // 7 * 4 + y0_1 * 2 + y1_1)
                                v_x_1 = T.axis.spatial(112, x1_1 + t % 7 * 16 + x0_1)
                                v_f_1 = T.axis.spatial(64, fo * 64 + f0_1 * 64 + lane_1)
                                v_ry = T.axis.reduce(7, ry0 * 7 + ry1)
                                v_rx = T.axis.reduce(7, rx0 + rx1)
                                v_rc = T.axis.reduce(3, rc0 * 3 + rc1)
                                T.reads(tile[v_n_1, v_y_1, v_x_1, v_f_1], image[v_n_1, v_y_1 * 2 + v_ry, v_x_1 * 2 + v_rx, v_rc], weight[v_ry, v_rx, v_rc, v_f_1])
                                T.writes(tile[v_n_1, v_y_1, v_x_1, v_f_1])
                                T.sblock_attr({"meta_schedule.tiling_structure": "SRSRS"})
                                tile[v_n_1, v_y_1, v_x_1, v_f_1] = tile[v_n_1, v_y_1, v_x_1, v_f_1] + image[v_n_1, v_y_1 * 2 + v_ry, v_x_1 * 2 + v_rx, v_rc] * weight[v_ry, v_rx, v_rc, v_f_1]
                    for c0, c1, c2 in T.grid(1, 4, 16):
                        for lane_2 in T.vectorized(64):
                            with T.sblock("copy_out"):
                                v_n_2 = T.axis.spatial(1, c0)
                                v_y_2 = T.axis.spatial(112, t // 7 * 4 + c1)
                                v_x_2 = T.axis.spatial(112, t % 7 * 16 + c2)
                                v_f_2 = T.axis.spatial(64, lane_2)
                                T.reads(tile[v_n_2, v_y_2, v_x_2, v_f_2])
                                T.writes(result[v_n_2, v_y_2, v_x_2, v_f_2])
                                result[v_n_2, v_y_2, v_x_2, v_f_2] = tile[v_n_2, v_y_2, v_x_2, v_f_2]
