/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc with parallel loops run by OpenMP on four threads: a loop
 * whose iterations are not independent may show here (the interpreter calls
 * that a race, whatever the threads do).
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O2",
                                    "-fopenmp",
                                    "-ffp-contract=off",
                                    "-fexcess-precision=16",
                                    NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const environment[] = {"OMP_NUM_THREADS=4",
                                          "OMP_DYNAMIC=false", NULL};

const struct diff_target target_gcc_openmp = {
    .name = "gcc-openmp",
    .summary = "gcc, parallel loops on four threads",
    .group = "host",
    .compilers = compilers,
    .flags = flags,
    .faster = faster,
    .libraries = libraries,
    .environment = environment,
    .float16 = "_Float16",
    .openmp = true,
    .may = "functions=float functions=double",
};
