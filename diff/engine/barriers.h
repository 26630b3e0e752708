/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers that rule 3 implies: whether a function may have any, and what
 * reports say of them. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_BARRIERS_H
#define DC_DIFF_ENGINE_BARRIERS_H

#include "ir/ir.h"

/* Whether the function uses storage that threads share and has no barrier for
 * its scope, so that rule 3 may imply some. */
bool diff_may_imply_barriers(const struct ir_func *func);

/* "WHOSE has the 2 barriers that rule 3 implies, the first before 'PLACE'
 * (…)", for `assumes`. n is 0: not counted. place may be NULL. */
void diff_put_implied(struct buf *out, const char *whose, size_t n,
                      const char *place);

#endif
