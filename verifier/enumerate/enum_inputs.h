/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for the elements of the parameters: for each trial other ones, the
 * same on every machine. Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_INPUTS_H
#define DC_VERIFIER_ENUMERATE_ENUM_INPUTS_H

#include "ir/ir.h"

#define ENUM_MAX_CONSTS 96u
#define ENUM_MAX_PARAMS 64u /* of which it is known what they are used for */

/* What two programs mention. */
struct enum_pool {
    size_t nodes; /* of both programs */
    size_t nints, nfloats, nsizes;
    int64_t ints[ENUM_MAX_CONSTS];
    double floats[ENUM_MAX_CONSTS];
    int64_t sizes[ENUM_MAX_CONSTS]; /* small ones: bounds of indices */
    size_t nparams;
    struct dtype types[ENUM_MAX_PARAMS];
    bool is_scalar[ENUM_MAX_PARAMS];
    bool is_index[ENUM_MAX_PARAMS]; /* an address depends on it */
};

void enum_pool_init(struct enum_pool *p, const struct ir_func *const f[2]);

enum enum_care {
    ENUM_ANY,    /* any numbers */
    ENUM_FINITE, /* floats are neither NaN nor infinite */
    ENUM_EXACT   /* they are small numbers, on which little rounds */
};

struct enum_inputs {
    const struct enum_pool *pool;
    unsigned trial;
    enum enum_care care;
};

/* Element `element` of parameter `param` (0: a scalar), as bits of type t. */
uint64_t enum_input(const struct enum_inputs *in, size_t param,
                    uint64_t element, struct dtype t);

#endif
