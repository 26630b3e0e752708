/* SPDX-License-Identifier: Apache-2.0
 *
 * TVM's CUDA code generator. The source is generated without a GPU, and compiled
 * where there is nvcc; it runs where TVM finds a GPU. TVM has nvcc and nvrtc use
 * fast math.
 */
#include "diff/harness/route.h"

const struct diff_target target_tvm_cuda = {
    .name = "tvm-cuda",
    .summary = "TVM's CUDA code",
    .group = "tvm",
    .code = "cuda -arch=native",
    .expects = "contract=left",
    .may = "contract=* forward=* half=* flush-single=* divide=* sqrt=* "
           "functions=* matrix=*",
    .unsigned_zeros = true,
    .other_nan = true, /* docs/semantics.md, R12 */
    .route = &diff_route_tvm,
};
