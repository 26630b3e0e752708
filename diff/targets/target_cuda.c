/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA through nvcc, for compute capability 8.0 and what runs its code.
 * Each row is a target; what all of them have stands before.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"nvcc", NULL};

/* What all of them have. */
#define CUDA .group = "cuda", .language = EMIT_CUDA, .compilers = compilers

const struct diff_target target_cuda[] = {
    /* nvcc as it is called without more: a product and a sum after it are
     * one fused operation wherever the compiler sees them; everything else
     * as strict. */
    {
        .name = "cuda-default",
        .summary = "CUDA as nvcc does by default",
        CUDA,
        .flags =
            DIFF_LIST("-x", "cu", "-std=c++17", "-w", "-O2", "-arch=sm_80"),
        .may = "contract=* forward=* functions=* order=* combine=* start=* "
               "product=* matrix=*",
    },
    /* nvcc --use_fast_math: fused operations, subnormal numbers flushed to
     * zero, approximate division, square root and functions. */
    {
        .name = "cuda-fast-math",
        .summary = "CUDA --use_fast_math",
        CUDA,
        .flags = DIFF_LIST("-x", "cu", "-std=c++17", "-w", "-O2", "-arch=sm_80",
                           "--use_fast_math"),
        .may = "contract=* forward=* flush-single=* divide=* sqrt=* "
               "functions=* order=* combine=* start=* product=* matrix=*",
    },
    /* nvcc for compute capability 8.0 and what runs its code, told to fuse
     * nothing. Division and square root are rounded correctly (its
     * default); functions are CUDA's in double precision, rounded once
     * more. Sums of matrix instructions are in the hardware's order and
     * width. */
    {
        .name = "cuda-strict",
        .summary = "CUDA, one rounding an operation",
        CUDA,
        .flags = DIFF_LIST("-x", "cu", "-std=c++17", "-w", "-O2", "-arch=sm_80",
                           "--fmad=false"),
        .own_math = true,
        .may = "functions=* order=* combine=* start=* product=* matrix=*",
    },
    {.name = NULL},
};
