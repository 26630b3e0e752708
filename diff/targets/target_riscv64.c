/* SPDX-License-Identifier: Apache-2.0
 *
 * RISC-V of 64 bits under QEMU. NaN results are canonical there, which must not show.
 * Each row is a target; what all of them have stands before.
 */
#include "diff/harness/target.h"

static const char *const libraries[] = {"-lm", NULL};

/* What all of them have. */
#define RISCV64                                            \
    .group = "qemu", .libraries = libraries, .slow = true, \
    .may = "functions=float functions=double", .own_math = true

const struct diff_target target_riscv64[] = {
    /* RISC-V of 64 bits, under QEMU, without the extension for float16: its
     * arithmetic is written out in the C. NaN results are canonical there,
     * which must not show. */
    {
        .name = "riscv64",
        .summary = "RISC-V 64 bit, float16 computed in C, under QEMU",
        RISCV64,
        .compilers = DIFF_LIST("riscv64-linux-gnu-gcc"),
        .flags =
            DIFF_LIST("-std=c11", "-w", "-O2", "-static", "-ffp-contract=off"),
        .emulator = DIFF_LIST("qemu-riscv64"),
    },
    /* RISC-V of 64 bits with Zfh. gcc 12 does not know it, so clang
     * compiles against the headers and libraries of the gcc cross compiler. */
    {
        .name = "riscv64-zfh",
        .summary = "RISC-V 64 bit with float16, under QEMU",
        RISCV64,
        .compilers = DIFF_LIST("clang-21", "clang-20", "clang-19", "clang-18",
                               "clang-17", "clang-16"),
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-static",
                           "--target=riscv64-linux-gnu", "-march=rv64gc_zfh",
                           "-mabi=lp64d", "-fuse-ld=lld", "-ffp-contract=off"),
        .emulator = DIFF_LIST("qemu-riscv64", "-cpu", "rv64,Zfh=true"),
        .float16 = "_Float16",
    },
    {.name = NULL},
};
