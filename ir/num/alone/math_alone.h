/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in front of the parts of ir/num that are linked to kernels for another
 * machine (see math_alone.c): what they take from ir/base, and the
 * compiler's promise to round each operation whatever the target's flags say.
 */
#ifndef DC_IR_NUM_ALONE_MATH_ALONE_H
#define DC_IR_NUM_ALONE_MATH_ALONE_H

#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif

#define DC_MUST_USE
#define DC_BUG(...) __builtin_trap()
struct buf;

#endif
