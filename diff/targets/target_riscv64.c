/* SPDX-License-Identifier: Apache-2.0
 *
 * RISC-V of 64 bits, under QEMU, without the extension for float16: its
 * arithmetic is written out in the C. NaN results are canonical there, which
 * must not show.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"riscv64-linux-gnu-gcc", NULL};
static const char *const flags[] = {"-std=c11",          "-w", "-O2", "-static",
                                    "-ffp-contract=off", NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const emulator[] = {"qemu-riscv64", NULL};

const struct diff_target target_riscv64 = {
    .name = "riscv64",
    .summary = "RISC-V 64 bit, float16 computed in C, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .emulator = emulator,
    .slow = true,
    .may = "functions=float functions=double",
    .own_math = true,
};
