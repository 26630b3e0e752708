/* SPDX-License-Identifier: Apache-2.0
 *
 * What the interpreter works out about a function before it runs it; private
 * to interp/.
 */
#ifndef DC_INTERP_MACHINE_PLAN_H
#define DC_INTERP_MACHINE_PLAN_H

#include "interp/machine/exec.h"

/* Facts about one statement; made only where one of them holds. */
struct stmt_info {
    const struct ir_stmt *stmt;
    size_t order;    /* of its making: the same in every run */
    bool lockstep;   /* holds a barrier, a collective, or storage that threads
                      share: threads go through it together */
    unsigned shared; /* scopes (bits) that storage accessed below has */
    unsigned shared_stored;
    /* Loops and thread_extent attributes: buffers whose storage is private to
     * each iteration (rule 4). */
    size_t nmoved;
    const struct ir_buffer **moved;
    bool launch; /* a kernel begins here, outside of its thread bindings */
    /* The root of a cross-thread reduction: its block (rule 5). */
    const struct ir_stmt *reduction;
    const char *bad_reduction; /* why it cannot be run, or NULL */
};

struct plan {
    const struct ir_func *func;
    uint32_t var_base, nvars, buffer_base, nbuffers; /* id ranges */
    unsigned explicit_sync; /* scopes with a tvm_storage_sync in the function */
    bool has_threads;
    bool launches;   /* some statement has `launch` */
    bool masks;      /* those of shuffles mean something (R22) */
    bool *moved;     /* by buffer: storage is made by a loop below its block */
    bool *read_only; /* by parameter */
    size_t ninfos, cap;
    struct stmt_info **table; /* by statement address; open addressing */
};

/* Works out, or finds again, the plan of a function. */
struct plan *exec_plan_get(struct machine *m, const struct ir_func *func);
/* NULL: nothing special about the statement. */
const struct stmt_info *exec_plan_info(const struct plan *plan,
                                       const struct ir_stmt *stmt);
void exec_scratch_init(struct machine *m);
void exec_scratch_fini(struct machine *m);

#endif
