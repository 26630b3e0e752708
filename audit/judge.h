/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a judgement. Private to audit/.
 */
#ifndef DC_AUDIT_JUDGE_H
#define DC_AUDIT_JUDGE_H

#include "audit/audit.h"

/* Numbers for people: "29 us", "7122", "67.2". */
void audit_put_time(struct buf *out, double seconds);
void audit_put_number(struct buf *out, double x);

/* Sets state and sentence, unless a worse one stands there. */
DC_PRINTF(4, 5)
void audit_conclude(struct audit_set *set, struct audit_record *r,
                    enum audit_state state, const char *fmt, ...);

/* judge_alone.c: against its device, or itself. */
void audit_judge_alone(struct audit_set *set, struct audit_record *r,
                       const struct audit_options *options);
/* judge_others.c: against what else there is. Those that were measured have a
 * time. */
void audit_judge_others(struct audit_set *set);

#endif
