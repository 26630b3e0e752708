/* SPDX-License-Identifier: Apache-2.0
 *
 * A family of one target in one file: the host's compiler without
 * optimisation.
 */
#include "diff/harness/target.h"

extern const struct diff_target target_toy[];

const struct diff_target target_toy[] = {
    {
        .name = "toy",
        .summary = "the host's compiler, as it comes",
        .group = "toys",
        .compilers = DIFF_LIST("cc", "gcc", "clang"),
        .flags = DIFF_LIST("-std=c11", "-w", "-O0", "-ffp-contract=off"),
        .libraries = DIFF_LIST("-lm"),
        .may = "functions=float functions=double",
    },
    {.name = NULL},
};
