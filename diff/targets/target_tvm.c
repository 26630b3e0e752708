/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM's own code generators, through an installed TVM (route_tvm.c).
 * Each row is a target; what all of them have stands before.
 */
#include "diff/harness/route.h"

/* What all of them have; docs/semantics.md, R12, on NaN. */
#define TVM .group = "tvm", .other_nan = true, .route = &diff_route_tvm

const struct diff_target target_tvm[] = {
    /* TVM's C code generator, what it prints compiled without excess
     * precision and without contraction. */
    {
        .name = "tvm-c",
        .summary = "TVM's c code, strict",
        TVM,
        .code = "c",
        .may = "half=bfloat16 half=float8 functions=*",
    },
    /* TVM's CUDA code generator. The source is generated without a GPU, and
     * compiled where there is nvcc; it runs where TVM finds a GPU. TVM has
     * nvcc and nvrtc use fast math. */
    {
        .name = "tvm-cuda",
        .summary = "TVM's CUDA code",
        TVM,
        .code = "cuda -arch=native",
        .expects = "contract=left",
        .may = "contract=* forward=* half=* flush-single=* divide=* sqrt=* "
               "functions=* matrix=*",
        .unsigned_zeros = true,
    },
    /* TVM's LLVM code generator for the least processor of this kind of
     * machine. On x86-64 that has no fused multiply-add; TVM lets LLVM form
     * it wherever there is one. Nor are there conversions of float16, which
     * are calls then: large kernels of them are left to tvm-llvm-native. */
    {
        .name = "tvm-llvm",
        .summary = "TVM's llvm code, baseline processor",
        TVM,
        .code = "llvm",
        .may = "contract=* forward=* half=bfloat16 half=float8 functions=*",
        .slow_half = true,
    },
    /* TVM's LLVM code generator for this very processor: products are fused
     * with sums, across statements too, where it can do so. */
    {
        .name = "tvm-llvm-native",
        .summary = "TVM's llvm code for this processor",
        TVM,
        .code = "llvm -mcpu=native",
        .expects = "contract=left",
        .may = "contract=* forward=* half=bfloat16 half=float8 functions=*",
    },
    {.name = NULL},
};
