/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer expressions over constants and named sizes, as dimensions are made
 * of; private to interp/.
 */
#ifndef DC_INTERP_DATA_DIMS_H
#define DC_INTERP_DATA_DIMS_H

#include "ir/ir.h"

struct dims_env {
    void *user;
    /* Value of a variable; false when it is not known. */
    bool (*lookup)(void *user, const struct ir_var *var, int64_t *out);
};

/* False when the expression has an unknown variable, does not fit 64 bits,
 * divides by zero, or is none of + - * / % // min max and casts. All variables
 * are looked up, also after the first unknown one. */
bool dims_eval(const struct dims_env *env, const struct ir_expr *e,
               int64_t *out);

#endif
