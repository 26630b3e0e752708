/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM's LLVM code generator for the least processor of this kind of machine. On
 * x86-64 that has no fused multiply-add; TVM lets LLVM form it wherever there is
 * one. Nor are there conversions of float16, which are calls then: large kernels of
 * them are left to tvm-llvm-native.
 */
#include "diff/harness/route.h"

const struct diff_target target_tvm_llvm = {
    .name = "tvm-llvm",
    .summary = "TVM's llvm code, baseline processor",
    .group = "tvm",
    .code = "llvm",
    .may = "contract=* forward=* half=bfloat16 half=float8 functions=*",
    .slow_half = true,
    .other_nan = true, /* docs/semantics.md, R12 */
    .route = &diff_route_tvm,
};
