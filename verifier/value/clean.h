/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether what a value comes from may have overflowed or been undefined (R9,
 * R10): clean.c. Ranges of integer values: value_int.c.
 */
#ifndef DC_VERIFIER_VALUE_CLEAN_H
#define DC_VERIFIER_VALUE_CLEAN_H

#include "verifier/value/value.h"

/* An int32 or int64 operation that v comes from may not fit its type. */
bool vclean_may_overflow(struct vctx *c, const struct value *v);
/* v may come from an operation whose result is undefined for some operands. */
bool vclean_may_be_undefined(struct vctx *c, const struct value *v);
/* Neither happens in v itself, whatever its operands come from; the second alone. */
bool vclean_by_itself(struct vctx *c, const struct value *v);
bool vclean_defined_itself(struct vctx *c, const struct value *v);
/* That neither is so: true, or a predicate of v. */
const struct form *vclean_form(struct vctx *c, const struct value *v);
/* A value that is clean where the integer a fits t. */
const struct value *vclean_index(struct vctx *c, struct dtype t,
                                 const struct aff *a);
/* The integer that v is vclean_index of; NULL if it is something else. */
const struct aff *vclean_fitting(const struct value *v);
/* The v that f is vclean_form of; NULL if it is something else. */
const struct value *vclean_value(const struct vctx *c, const struct form *f);

/* Inclusive bounds of an integer value's number; false: not known. */
bool value_span(struct vctx *c, const struct value *v, int64_t *lo,
                int64_t *hi);
/* Whether the operation, or the sum with each of its partial sums, is shown to
 * fit its type. */
bool value_fits(struct vctx *c, const struct value *v);

#endif
