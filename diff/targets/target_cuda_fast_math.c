/* SPDX-License-Identifier: Apache-2.0
 *
 * nvcc --use_fast_math: fused operations, subnormal numbers flushed to zero,
 * approximate division, square root and functions.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"nvcc", NULL};
static const char *const flags[] = {
    "-x",  "cu",          "-std=c++17",      "-w",
    "-O2", "-arch=sm_80", "--use_fast_math", NULL};

const struct diff_target target_cuda_fast_math = {
    .name = "cuda-fast-math",
    .summary = "CUDA --use_fast_math",
    .group = "cuda",
    .language = EMIT_CUDA,
    .compilers = compilers,
    .flags = flags,
    .may = "contract=* forward=* flush-single=* divide=* sqrt=* "
           "functions=* order=* "
           "combine=* start=* product=* matrix=*",
};
