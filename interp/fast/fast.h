/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast engine: the same results as the tree walker, many times sooner, for
 * the functions that it knows how to compile. Called by interp_run only.
 */
#ifndef DC_INTERP_FAST_FAST_H
#define DC_INTERP_FAST_FAST_H

#include "interp/interp.h"

/* The walker's steps that one step of this engine stands for: about how many
 * times faster it is on the slowest programs that it accepts, so that a budget
 * of steps means a similar amount of time in both engines. */
#define FAST_STEP_RATIO 16u
/* The same where nearly all of the work runs in lanes, and in keyed domains,
 * whose operations cost more than their dispatch. */
#define FAST_RATIO_LANES       256u
#define FAST_RATIO_KEYED       8u
#define FAST_RATIO_KEYED_LANES 64u

enum fast_answer {
    FAST_DONE,       /* *result and the arguments are as the walker's would be,
                        but for steps and, after INTERP_BUDGET, the contents */
    FAST_NOT_HANDLED /* arguments and *result are untouched; *why says what the
                        engine does not know, or what it met */
};

/* Runs a PrimFunc in the machine domain. why: constant text. */
enum fast_answer fast_run(const struct ir_module *module,
                          const struct ir_func *func, size_t nargs,
                          struct interp_arg *args,
                          const struct interp_options *options,
                          struct interp_result *result, const char **why);

/* How many of the walker's steps a step of fast_run stands for; 1 where it
 * does not know the function. Compiles, and runs nothing. */
double fast_ratio(const struct ir_module *module, const struct ir_func *func,
                  size_t nargs, struct interp_arg *args,
                  const struct interp_options *options);

#endif
