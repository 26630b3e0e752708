/* SPDX-License-Identifier: Apache-2.0
 *
 * What `diffcheck run` shows of an output, for each value domain. Private to
 * diff/.
 */
#ifndef DC_DIFF_CLI_OUTPUTS_H
#define DC_DIFF_CLI_OUTPUTS_H

#include "interp/interp.h"

/* One line: type, shape, and by domain
 *   ieee, terms   least and largest value, a hash of the contents
 *   interval      the widest enclosure
 *   bound         the same as ieee, the largest error bound and sum of terms
 *   keyed ones    a fingerprint: equal for two programs whose outputs are
 *                 equal in that domain under the same key */
void diff_put_output(const char *name, const struct interp_tensor *t,
                     const struct interp_options *options, struct buf *out);
/* DIR/NAME.npy; interval: NAME.lo.npy and NAME.hi.npy (float64, NaN where the
 * value may be undefined); bound: NAME.error.npy and NAME.terms.npy besides;
 * keyed: one uint64 fingerprint an element, 0 where it is undefined. */
DC_MUST_USE bool diff_write_output(const char *dir, const char *name,
                                   const struct interp_tensor *t,
                                   const struct interp_options *options,
                                   struct diag_sink *sink);
/* The terms of one element of t, one a line. */
void diff_put_terms(const char *name, const struct interp_tensor *t,
                    const struct interp_terms *terms, struct buf *out);

#endif
