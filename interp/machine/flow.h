/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the data of a PrimFunc's parameters may go; private to interp/.
 */
#ifndef DC_INTERP_MACHINE_FLOW_H
#define DC_INTERP_MACHINE_FLOW_H

#include "ir/ir.h"

/* Parameters that one function may have for the analysis. */
#define FLOW_MAX_PARAMS 4096u

/* Arrays of nparams, all the caller's. Each flag says "may": the analysis errs
 * on the side of true. */
struct param_flow {
    bool *stored;
    bool *loaded;
    bool *indexes; /* values may reach an address, extent or condition */
    bool *partial; /* values may reach what some of them have no result for: a
                      divisor, a shift count, clz, a float's conversion to an
                      integer, an assertion; NULL: not asked for */
    /* For a parameter that is a bare pointer: the first buffer of the body
     * declared on it; else NULL. */
    const struct ir_buffer **views;
};

void flow_analyse(const struct ir_module *module, const struct ir_func *func,
                  const struct param_flow *out);

#endif
