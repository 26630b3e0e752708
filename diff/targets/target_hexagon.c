/* SPDX-License-Identifier: Apache-2.0
 *
 * Qualcomm Hexagon under QEMU, scalar instructions. There is no C library for it, so
 * diff/targets/hexagon/ stands in for one.
 */
#include "diff/targets/hexagon/hexagon_target.h"

static const char *const compilers[] = {HEXAGON_COMPILERS};
static const char *const emulator[] = {"qemu-hexagon", NULL};
static const char *const runtime[] = {HEXAGON_RUNTIME};

/* What all of them have. */
#define HEXAGON                                                    \
    .group = "qemu", .compilers = compilers, .emulator = emulator, \
    .slow = true, .runtime = runtime, .own_math = true

const struct diff_target target_hexagon[] = {
    /* Qualcomm Hexagon v66 under QEMU, scalar instructions. There is no C
     * library for it, so diff/targets/hexagon/ stands in for one. Float16
     * arithmetic is written out in the C: the compiler, promoting it, would
     * not round it. */
    {
        .name = "hexagon-v66",
        .summary = "Hexagon v66, float16 computed in C, under QEMU",
        HEXAGON,
        .flags = DIFF_LIST(HEXAGON_FLAGS("-mv66", "-ffp-contract=off")),
    },
    /* Qualcomm Hexagon v67 under QEMU, as hexagon-v66; products of doubles
     * have instructions there. */
    {
        .name = "hexagon-v67",
        .summary = "Hexagon v67, float16 computed in C, under QEMU",
        HEXAGON,
        .flags = DIFF_LIST(HEXAGON_FLAGS("-mv67", "-ffp-contract=off")),
    },
    /* As hexagon-v67 with the compiler's __fp16: stored as float16,
     * computed as float32, as the C language has it for such a type. */
    {
        .name = "hexagon-v67-excess",
        .summary = "Hexagon v67, float16 expressions in float32",
        HEXAGON,
        .flags = DIFF_LIST(HEXAGON_FLAGS("-mv67", "-ffp-contract=off"),
                           "-Xclang", "-fnative-half-arguments-and-returns"),
        .float16 = "__fp16",
        .expects = "half=statement",
        .may = "half=*",
    },
    /* As hexagon-v67 with contraction: the multiply-add instruction of
     * float32 wherever it fits. */
    {
        .name = "hexagon-v67-fma",
        .summary = "Hexagon v67, a*b+c of float32 in one operation",
        HEXAGON,
        .flags = DIFF_LIST(HEXAGON_FLAGS("-mv67", "-ffp-contract=fast")),
        .expects = "contract=left",
        .may = "contract=* forward=*",
    },
    /* As hexagon-v67 with float16 as LLVM's own type, which is what TVM's
     * code generator for Hexagon gives it. The scalar unit has no such
     * arithmetic; LLVM computes in float32 and rounds where a value is
     * stored or leaves a basic block, so that a sum stays wide for as many
     * terms as are unrolled into one. */
    {
        .name = "hexagon-v67-half",
        .summary =
            "Hexagon v67, LLVM's float16: kept in float32 within a basic block",
        HEXAGON,
        .flags = DIFF_LIST(HEXAGON_FLAGS("-mv67", "-ffp-contract=off"),
                           "-Xclang", "-fnative-half-type", "-Xclang",
                           "-fnative-half-arguments-and-returns"),
        .float16 = "__fp16",
        .expects = "half=statement",
        .may = "half=* keep=* product=* unroll=* peel=*",
    },
    {.name = NULL},
};
