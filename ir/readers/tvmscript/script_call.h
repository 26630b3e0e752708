/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the table of calls (script_call.c); arg is the number that stands
 * in the table. Private to script_call.c, script_operator.c, script_intrin.c.
 */
#ifndef DC_IR_READERS_SCRIPT_CALL_H
#define DC_IR_READERS_SCRIPT_CALL_H

#include "ir/readers/tvmscript/script.h"

struct sv *script_call_node(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_unary(struct script *s, const struct sv_call *c,
                             int arg);
struct sv *script_call_binary(struct script *s, const struct sv_call *c,
                              int arg);
struct sv *script_call_ceildiv(struct script *s, const struct sv_call *c,
                               int arg);
struct sv *script_call_cast(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_choice(struct script *s, const struct sv_call *c,
                              int arg);
struct sv *script_call_ramp(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_broadcast(struct script *s, const struct sv_call *c,
                                 int arg);
struct sv *script_call_shuffle(struct script *s, const struct sv_call *c,
                               int arg);
struct sv *script_call_let(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_range(struct script *s, const struct sv_call *c,
                             int arg);
struct sv *script_call_iter_var(struct script *s, const struct sv_call *c,
                                int arg);
struct sv *script_call_buffer(struct script *s, const struct sv_call *c,
                              int arg);
struct sv *script_call_meta_var(struct script *s, const struct sv_call *c,
                                int arg);
struct sv *script_call_limit(struct script *s, const struct sv_call *c,
                             int arg);
struct sv *script_call_load(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_join(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_intrin(struct script *s, const struct sv_call *c,
                              int arg);
struct sv *script_call_annotation(struct script *s, const struct sv_call *c,
                                  int arg);
struct sv *script_call_renamed(struct script *s, const struct sv_call *c,
                               int arg);
struct sv *script_call_round(struct script *s, const struct sv_call *c,
                             int arg);
/* v, the result of call c, if it has the type that c states; else NULL with a
 * message. */
struct sv *script_check_result(struct script *s, const struct sv_call *c,
                               struct sv *v);
struct sv *script_call_isnan(struct script *s, const struct sv_call *c,
                             int arg);
struct sv *script_call_sync(struct script *s, const struct sv_call *c, int arg);
struct sv *script_call_address(struct script *s, const struct sv_call *c,
                               int arg);

#endif
