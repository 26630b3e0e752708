/* SPDX-License-Identifier: Apache-2.0
 *
 * Qualcomm Hexagon v66 under QEMU, scalar instructions. There is no C library
 * for it, so diff/targets/hexagon/ stands in for one. Float16 arithmetic is
 * written out in the C: the compiler, promoting it, would not round it.
 */
#include "diff/harness/target.h"

extern const char diff_hexagon_libc[], diff_hexagon_soft[],
    diff_hexagon_names[];
static const char *const runtime[] = {diff_hexagon_libc, diff_hexagon_soft,
                                      diff_hexagon_names, NULL};
static const char *const compilers[] = {"clang-21", "clang-20", "clang-19",
                                        "clang-18", "clang-17", "clang-16",
                                        "clang-15", "clang",    NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O2",
                                    "--target=hexagon-unknown-none-elf",
                                    "-mv66",
                                    "-nostdlibinc",
                                    "-nostdlib",
                                    "-nostartfiles",
                                    "-static",
                                    "-fuse-ld=lld",
                                    "-ffp-contract=off",
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v66 = {
    .name = "hexagon-v66",
    .summary = "Hexagon v66, float16 computed in C, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .runtime = runtime,
    .own_math = true,
};
