/* SPDX-License-Identifier: Apache-2.0
 *
 * As hexagon-v67 with the compiler's __fp16: stored as float16, computed as
 * float32, as the C language has it for such a type.
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
                                    "-ffp-contract=off",
                                    "-Xclang",
                                    "-fnative-half-arguments-and-returns",
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67_excess = {
    .name = "hexagon-v67-excess",
    .summary = "Hexagon v67, float16 expressions in float32",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .float16 = "__fp16",
    .expects = "half=statement",
    .may = "half=*",
    .runtime = runtime,
    .own_math = true,
};
