/* SPDX-License-Identifier: Apache-2.0
 *
 * Definition and end of buffers in the current frame; private to interp/.
 */
#ifndef DC_INTERP_MACHINE_VIEW_H
#define DC_INTERP_MACHINE_VIEW_H

#include "interp/machine/exec.h"

struct view **view_slot(struct machine *m, const struct ir_buffer *buffer);
void view_unset(struct machine *m, const struct ir_buffer *buffer);

/* Fresh storage of the buffer's size; the caller has one reference. */
struct alloc *view_buffer_storage(struct machine *m, const struct ir_buffer *b);
/* Data variable and view on that storage; takes a reference. */
bool view_buffer_bind(struct machine *m, const struct ir_buffer *b,
                      struct alloc *alloc);
/* Both, for the current thread. */
bool view_buffer_alloc(struct machine *m, const struct ir_buffer *b);
/* Undoes view_buffer_bind. */
void view_buffer_release(struct machine *m, const struct ir_buffer *b);
/* match_buffer: a view of a region; symbols of its strides and offset get
 * bound, and unbound at the end of the block. */
bool view_buffer_match(struct machine *m, const struct ir_match_buffer *x);
void view_buffer_unmatch(struct machine *m, const struct ir_match_buffer *x);

#endif
