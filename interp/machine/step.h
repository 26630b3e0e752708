/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of statements that exec.c (one thread) and kernel.c (threads in
 * lockstep) share; private to interp/.
 */
#ifndef DC_INTERP_MACHINE_STEP_H
#define DC_INTERP_MACHINE_STEP_H

#include "interp/machine/arith.h"
#include "interp/machine/view.h"

struct bounds {
    int64_t min, extent, step, trips;
    uint32_t taints; /* of the loop variable */
};

/* Loop header of the current thread; false after a fault. */
bool exec_loop_bounds(struct machine *m, const struct ir_stmt *s,
                      struct bounds *out);
/* Parallel loops of the current thread: entered, next iteration, left. */
void exec_loop_push(struct machine *m);
void exec_loop_next(struct machine *m);
void exec_loop_pop(struct machine *m);

/* Ends the definitions that stand directly in a sequence. */
void exec_scope_end(struct machine *m, const struct ir_stmt *seq);

bool exec_block_enter(struct machine *m, const struct ir_block *b, bool *run);
void exec_block_leave(struct machine *m, const struct ir_block *b);
bool exec_block_at_init(struct machine *m, const struct ir_block *b, bool *out);
/* Whether a block's buffer is made by a loop below (rule 4). */
bool exec_is_moved(const struct machine *m, const struct ir_buffer *buffer);

/* FOR THREAD, thread_extent and virtual_thread in the current thread: launches
 * a kernel from host code, sets the variable inside one. */
enum exec_flow kernel_thread_stmt(struct machine *m, const struct ir_stmt *s);
/* A kernel that begins at s, from host code. */
enum exec_flow kernel_launch(struct machine *m, const struct ir_stmt *s);

/* Sets the variable of a thread binding for the current thread, inside a
 * kernel; *axis is which one. False after a fault. */
bool thread_set_var(struct machine *m, const struct ir_stmt *s,
                    const struct ir_axis **axis);
const struct ir_stmt *thread_body(const struct ir_stmt *s);
/* Storage for the threads of a group by the buffer's scope (rule 4); global
 * storage is one for all only where the caller says so. */
bool group_alloc(struct machine *m, const struct group *g,
                 const struct ir_buffer *b, bool global_is_shared);
void group_release(struct machine *m, const struct group *g,
                   const struct ir_buffer *b);

/* A block inside a running cross-thread reduction: the update of a thread's
 * partial (crossthread.c). */
enum exec_flow reduction_block(struct machine *m, const struct ir_stmt *s);
/* The same block where its predicate is false. */
void reduction_passive(struct machine *m, const struct ir_stmt *s);
/* Runs a reduction over all threads of g (rule 5). */
void reduction_run(struct machine *m, const struct group *g,
                   const struct ir_stmt *s, const struct ir_plan_info *info);

/* A call of another function of the module. */
struct value exec_call_function(struct machine *m, const struct ir_expr *e);
/* A call by name of a function that the operator table does not know: runs the
 * module's function of that name, or ends the run saying what is missing. */
struct value exec_call_named(struct machine *m, const struct ir_expr *e);
/* Whether a call of an intrinsic has as many operands as that takes. */
bool intrin_arity_fits(const struct ir_expr *call);
struct frame *exec_frame_new(struct machine *m, const struct ir_func *func);
void exec_frame_free(struct machine *m, struct frame *f);

#endif
