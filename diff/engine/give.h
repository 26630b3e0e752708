/* SPDX-License-Identifier: Apache-2.0
 *
 * --assume as the prover takes it. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_GIVE_H
#define DC_DIFF_ENGINE_GIVE_H

#include "diff/input/options.h"
#include "verifier/verifier.h"

/* Sets given, nsizes and sizes of *out, in the arena: what the options assume
 * of integer tensors, integer scalars and symbolic sizes of the function; leaves
 * them where nothing is. False: no input is like that, as far as constant shapes
 * tell; a proof would be of nothing. */
DC_MUST_USE bool diff_give(const struct diff_options *options,
                           const struct ir_module *module,
                           const struct ir_func *func, struct arena *arena,
                           struct verifier_options *out);

#endif
