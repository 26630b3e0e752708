/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of a finding as places in files. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_PLACES_H
#define DC_DIFF_ENGINE_PLACES_H

#include "diff/engine/engine.h"

/* What is known of one; text in the pair's arena or static. */
struct diff_scene {
    size_t side;
    const struct ir_stmt *stmt;
    const char *vars, *access, *thread; /* may be NULL */
};
/* Fills the places of the origin, in this order. Lines are those of the file
 * that was read; where it has none (JSON), those of a file of the same name
 * that ends in .py beside it, if that holds an equal module, else those of what
 * `diffcheck show` prints. */
void diff_put_places(struct diff_pair *pair, struct report_origin *w,
                     const struct diff_scene *scenes, size_t n);

/* The name of that text: "dir/x.py" for "dir/x.json"; NULL: none answers to it. */
const char *diff_text_beside(struct arena *arena, const char *path);

#endif
