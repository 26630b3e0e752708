/* SPDX-License-Identifier: Apache-2.0
 *
 * Every limit on input in one place. All are bad input (exit 2) or `unknown`
 * when passed, never a crash. The `limits` preset (DC_TEST_LIMITS) shrinks
 * them so that the paths behind them are tested.
 */
#ifndef DC_IR_BASE_LIMITS_H
#define DC_IR_BASE_LIMITS_H

#ifdef DC_TEST_LIMITS
#define DC_MAX_INPUT_BYTES ((size_t)8 << 20)
#define DC_MAX_JSON_NODES  200000u
#define DC_MAX_DEPTH       200u
#define DC_MAX_TREE_NODES  2000000u
#define DC_MAX_DIAGS       20u
#else
#define DC_MAX_INPUT_BYTES ((size_t)512 << 20) /* one input file */
#define DC_MAX_JSON_NODES  20000000u           /* nodes of one JSON graph */
#define DC_MAX_DEPTH       1000u     /* nesting of expressions or statements */
#define DC_MAX_TREE_NODES  50000000u /* a module unfolded from DAG to tree */
#define DC_MAX_DIAGS       100u      /* messages kept per sink */
#endif
#define DC_MAX_RANK         64u               /* dimensions of one buffer */
#define DC_MAX_LANES        65535u            /* vector lanes of one value */
#define DC_MAX_BUFFER_BYTES ((size_t)4 << 30) /* one buffer at run time */

#endif
