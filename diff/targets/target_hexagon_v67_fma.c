/* SPDX-License-Identifier: Apache-2.0
 *
 * As hexagon-v67 with contraction: the multiply-add instruction of float32
 * wherever it fits.
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
                                    "-mv67",
                                    "-nostdlibinc",
                                    "-nostdlib",
                                    "-nostartfiles",
                                    "-static",
                                    "-fuse-ld=lld",
                                    "-ffp-contract=fast",
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67_fma = {
    .name = "hexagon-v67-fma",
    .summary = "Hexagon v67, a*b+c of float32 in one operation",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .expects = "contract=left",
    .may = "contract=*",
    .runtime = runtime,
    .own_math = true,
};
