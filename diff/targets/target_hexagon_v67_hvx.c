/* SPDX-License-Identifier: Apache-2.0
 *
 * As hexagon-v67 with loops over integers vectorised for HVX, 128 bytes wide. Its
 * instructions for floats begin with v68, so floats stay scalar and exact.
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
                                    "-mhvx=v67",
                                    "-mhvx-length=128b",
                                    "-fvectorize",
                                    "-nostdlibinc",
                                    "-nostdlib",
                                    "-nostartfiles",
                                    "-static",
                                    "-fuse-ld=lld",
                                    "-ffp-contract=off",
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67_hvx = {
    .name = "hexagon-v67-hvx",
    .summary = "Hexagon v67, integer loops on its vector unit",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .runtime = runtime,
    .own_math = true,
};
