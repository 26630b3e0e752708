/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared between the files of the Relax parser.
 */
#ifndef DC_IR_READERS_SCRIPT_RELAX_H
#define DC_IR_READERS_SCRIPT_RELAX_H

#include "ir/readers/tvmscript/script.h"

bool script_relax_dims(struct script *s, const struct sv *v, size_t *n,
                       struct ir_expr ***out);
const struct ir_type *script_tensor_type(struct script *s,
                                         const struct sv_call *c);
bool script_type_list(struct script *s, size_t n, struct sv *const *items,
                      const struct ir_type ***out);
struct rx_expr *script_relax_make(struct script *s, enum rx_kind kind,
                                  struct ir_pos pos);
struct rx_expr *script_relax_checked(struct script *s, struct rx_expr *e);
struct rx_expr *script_relax_tuple(struct script *s, size_t n,
                                   struct sv *const *items, struct ir_pos pos);
struct rx_expr *script_relax_shape(struct script *s, const struct sv *dims,
                                   struct ir_pos pos);
struct rx_expr *script_relax_const(struct script *s, const struct sv_call *c);
struct sv *script_relax_value(struct script *s, struct rx_expr *e,
                              struct ir_pos pos);

#endif
