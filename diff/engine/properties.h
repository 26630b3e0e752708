/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of an integer tensor as a whole: --assume NAME:distinct,
 * NAME:sorted, NAME:permutation. Private to diff/.
 *
 * The elements are taken in row-major order, lanes included. Every input that
 * is run has what is assumed: generated ones are made so, files are checked.
 */
#ifndef DC_DIFF_ENGINE_PROPERTIES_H
#define DC_DIFF_ENGINE_PROPERTIES_H

#include "diff/engine/args.h"
#include "diff/input/contract.h"

/* All that is assumed of the parameter of that name, or-ed. */
unsigned diff_property_find(const struct diff_options *options,
                            const char *name);
/* Whether some function of the module has an integer tensor of each name that
 * something is assumed of; false with a diagnostic. */
DC_MUST_USE bool diff_property_check(const struct diff_options *options,
                                     const struct ir_module *module,
                                     struct diag_sink *sink);

/* Whether the tensor is what kinds say. */
bool diff_property_holds(const struct interp_tensor *t, unsigned kinds);
/* Makes it so: elements that must change become values of the range, or of the
 * type where lo > hi. False: no tensor of so many elements is. */
DC_MUST_USE bool diff_property_make(struct interp_tensor *t, unsigned kinds,
                                    const struct diff_range *range);
/* The same for all arguments; kinds, by parameter, may be NULL, ranges too. */
DC_MUST_USE bool diff_properties_make(struct diff_args *args,
                                      const unsigned *kinds,
                                      const struct diff_range *ranges);

#endif
