/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine numbers, for domains that compute with them: what each member of
 * struct interp_domain is in the domain ieee. Private to interp/domains/.
 */
#ifndef DC_INTERP_DOMAINS_IEEE_H
#define DC_INTERP_DOMAINS_IEEE_H

#include "interp/machine/exec.h"

struct value ieee_literal(struct machine *m, struct dtype t, double value);
struct value ieee_unary(struct machine *m, enum num_op op, struct dtype t,
                        struct value a);
struct value ieee_binary(struct machine *m, enum num_op op, struct dtype t,
                         struct value a, struct value b);
struct value ieee_fma(struct machine *m, struct dtype t, struct value a,
                      struct value b, struct value c);
struct value ieee_cast(struct machine *m, struct dtype from, struct dtype to,
                       struct value a);
struct value ieee_select(struct machine *m, struct dtype t, struct value a,
                         struct value b);

#endif
