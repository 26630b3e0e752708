/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM's LLVM code generator for this very processor: products are fused with
 * sums, across statements too, where it can do so.
 */
#include "diff/harness/route.h"

const struct diff_target target_tvm_llvm_native = {
    .name = "tvm-llvm-native",
    .summary = "TVM's llvm code for this processor",
    .group = "tvm",
    .code = "llvm -mcpu=native",
    .expects = "contract=left",
    .may = "contract=* forward=* half=bfloat16 half=float8 functions=*",
    .other_nan = true, /* docs/semantics.md, R12 */
    .route = &diff_route_tvm,
};
