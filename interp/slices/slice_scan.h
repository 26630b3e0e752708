/* SPDX-License-Identifier: Apache-2.0
 *
 * First pass of slices; private to slice*.c.
 */
#ifndef DC_INTERP_SLICES_SLICE_SCAN_H
#define DC_INTERP_SLICES_SLICE_SCAN_H

#include "interp/slices/slice.h"

void slice_find_regions(struct slice *s);
/* Fills the table of statements; needs the regions. */
void slice_scan(struct slice *s);
/* NULL: not a statement of this function. */
struct slice_stmt *slice_stmt_find(const struct slice *s,
                                   const struct ir_stmt *stmt);

#endif
