/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements shared between script_frame.c and script_storage.c. symbol is the
 * name that is assigned to, or UINT32_MAX.
 */
#ifndef DC_IR_READERS_SCRIPT_FRAME_H
#define DC_IR_READERS_SCRIPT_FRAME_H

#include "ir/readers/tvmscript/script.h"

bool script_stmt_vstore(struct script *s, struct script_body *body,
                        const struct sv_call *c);
bool script_stmt_store(struct script *s, struct script_body *body,
                       const struct sv_call *c);
const char *script_target_name(const struct script *s, uint32_t symbol,
                               const char *fallback);
void script_bind_value(struct script *s, uint32_t symbol, struct sv *v);
bool script_stmt_alloc_buffer(struct script *s, struct script_body *body,
                              struct sv_call *c, uint32_t symbol);
bool script_stmt_decl_buffer(struct script *s, struct script_body *body,
                             struct sv_call *c, uint32_t symbol);
bool script_stmt_view(struct script *s, struct script_body *body,
                      const struct sv_call *c, uint32_t symbol);
bool script_stmt_allocate(struct script *s, struct script_body *body,
                          const struct sv_call *c, uint32_t symbol);
bool script_stmt_allocate_const(struct script *s, struct script_body *body,
                                const struct sv_call *c, uint32_t symbol);
bool script_stmt_match_buffer(struct script *s, struct sv_call *c,
                              uint32_t symbol);

#endif
