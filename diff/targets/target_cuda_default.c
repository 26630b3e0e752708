/* SPDX-License-Identifier: Apache-2.0
 *
 * nvcc as it is called without more: a product and a sum after it are one fused
 * operation wherever the compiler sees them; everything else as strict.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"nvcc", NULL};
static const char *const flags[] = {"-x",  "cu",          "-std=c++17", "-w",
                                    "-O2", "-arch=sm_80", NULL};

const struct diff_target target_cuda_default = {
    .name = "cuda-default",
    .summary = "CUDA as nvcc does by default",
    .group = "cuda",
    .language = EMIT_CUDA,
    .compilers = compilers,
    .flags = flags,
    .may = "contract=* forward=* functions=* order=* combine=* start=* "
           "product=* matrix=*",
};
