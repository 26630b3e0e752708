/* SPDX-License-Identifier: Apache-2.0
 *
 * What all targets of Hexagon have in common: compilers, flags, the text that
 * stands in for a C library. Included by target_hexagon.c alone.
 */
#ifndef DC_DIFF_TARGETS_HEXAGON_TARGET_H
#define DC_DIFF_TARGETS_HEXAGON_TARGET_H

#include "diff/harness/target.h"

extern const char diff_hexagon_header[], diff_hexagon_libc[],
    diff_hexagon_soft[], diff_hexagon_names[];

#define HEXAGON_RUNTIME                                        \
    diff_hexagon_header, diff_hexagon_libc, diff_hexagon_soft, \
        diff_hexagon_names, NULL

#define HEXAGON_COMPILERS                                                   \
    "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", \
        "clang-15", "clang", NULL

/* -mv66 or -mv67, then how far operations are contracted. LLVM's pass over the
 * data flow of registers is off, for it loses half a register pair that a loop
 * reads from the registers live at the loop's start (docs/findings.md). */
#define HEXAGON_FLAGS(version, contract)                                      \
    "-std=c11", "-w", "-O2", "--target=hexagon-unknown-none-elf", version,    \
        "-mllvm", "-rdf-opt=0", "-nostdlibinc", "-nostdlib", "-nostartfiles", \
        "-static", "-fuse-ld=lld", contract

#endif
