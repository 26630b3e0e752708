/* SPDX-License-Identifier: Apache-2.0
 *
 * nvcc for compute capability 8.0 and what runs its code, told to fuse nothing.
 * Division and square root are rounded correctly (its default); functions are
 * CUDA's in double precision, rounded once more. Sums of matrix instructions are
 * in the hardware's order and width.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"nvcc", NULL};
static const char *const flags[] = {"-x",  "cu",          "-std=c++17",   "-w",
                                    "-O2", "-arch=sm_80", "--fmad=false", NULL};

const struct diff_target target_cuda_strict = {
    .name = "cuda-strict",
    .summary = "CUDA, one rounding an operation",
    .group = "cuda",
    .language = EMIT_CUDA,
    .compilers = compilers,
    .flags = flags,
    .own_math = true,
    .may = "functions=* order=* combine=* start=* product=* matrix=*",
};
