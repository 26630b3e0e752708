/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a finding comes from: statements, variables, formulas. Private to
 * diff/.
 */
#ifndef DC_DIFF_ENGINE_ORIGIN_H
#define DC_DIFF_ENGINE_ORIGIN_H

#include "diff/engine/engine.h"

/* Of an element that differs: makes the origin of the pair, as far as both sides
 * can be followed. */
void diff_trace_value(struct diff_pair *pair, const struct diff_finding *f);
/* Of a fault, which `run` ended with; of a race both accesses. */
void diff_trace_fault(struct diff_pair *pair, const struct diff_finding *f,
                      const struct diff_run *run);
/* Of a variable that nothing defines: where it is mentioned. */
void diff_trace_variable(struct diff_pair *pair, const char *name);
/* Of a pair whose terms are combined in another order or computed in other
 * types: by one element in the middle of the first output that tells. */
void diff_trace_drift(struct diff_pair *pair);

#endif
