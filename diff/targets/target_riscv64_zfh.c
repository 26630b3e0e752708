/* SPDX-License-Identifier: Apache-2.0
 *
 * RISC-V of 64 bits with Zfh. gcc 12 does not know it, so clang compiles
 * against the headers and libraries of the gcc cross compiler.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"clang-21", "clang-20", "clang-19",
                                        "clang-18", "clang-17", "clang-16",
                                        NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O2",
                                    "-static",
                                    "--target=riscv64-linux-gnu",
                                    "-march=rv64gc_zfh",
                                    "-mabi=lp64d",
                                    "-fuse-ld=lld",
                                    "-ffp-contract=off",
                                    NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const emulator[] = {"qemu-riscv64", "-cpu", "rv64,Zfh=true",
                                       NULL};

const struct diff_target target_riscv64_zfh = {
    .name = "riscv64-zfh",
    .summary = "RISC-V 64 bit with float16, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .emulator = emulator,
    .slow = true,
    .float16 = "_Float16",
    .may = "functions=float functions=double",
    .own_math = true,
};
