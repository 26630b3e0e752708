/* SPDX-License-Identifier: Apache-2.0
 *
 * Which statements are named for an element that differs. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_SUSPECTS_H
#define DC_DIFF_ENGINE_SUSPECTS_H

#include "diff/engine/places.h"
#include "diff/why/why.h"

#define DIFF_SUSPECTS 3 /* two of the tuned side, one of the untuned one */

/* The statement to blame first, then who else had a hand in it; the number of
 * them. Text in the pair's arena. */
size_t diff_list_suspects(struct diff_pair *pair, const struct why *why,
                          const struct why_blame *blame,
                          struct diff_scene out[DIFF_SUSPECTS]);
/* "vx = 0, vr = 0..8", in the pair's arena; NULL: none. */
const char *diff_vars_text(struct diff_pair *pair,
                           const struct why_store *store);
/* The last store to that parameter's own storage, as the text has it; or NULL. */
const struct ir_stmt *diff_last_store(const struct diff_pair *pair, size_t side,
                                      size_t output);

#endif
