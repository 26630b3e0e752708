/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM's C code generator, what it prints compiled without excess precision and
 * without contraction.
 */
#include "diff/harness/route.h"

const struct diff_target target_tvm_c = {
    .name = "tvm-c",
    .summary = "TVM's c code, strict",
    .group = "tvm",
    .code = "c",
    .may = "half=bfloat16 half=float8 functions=*",
    .other_nan = true, /* docs/semantics.md, R12 */
    .route = &diff_route_tvm,
};
