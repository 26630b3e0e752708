/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of a PrimFunc: what docs/semantics.md says of its storage, its
 * kernels and its reductions over threads (R2 to R5) that is known before it
 * runs. The interpreter's engines and the emitter work from it, each with
 * what is its own beside it; the prover has answers of its own.
 *
 *   struct ir_plan *plan = ir_plan_make(module, func, explicit_barriers, arena);
 *   const struct ir_plan_info *info = ir_plan_info(plan, stmt);
 *   if (info != NULL && info->lockstep)
 *       … threads go through stmt together
 *
 * A plan lives as long as its arena and points into the module, which must
 * not change meanwhile. Making one cannot fail: what an engine cannot do with
 * what a plan says is the engine's to refuse.
 */
#ifndef DC_IR_PLAN_PLAN_H
#define DC_IR_PLAN_PLAN_H

#include "ir/ir.h"

/* ---- storage ---------------------------------------------------------------- */

/* How often a storage exists, from the scope of its buffer (R4). */
enum ir_scope {
    IR_SCOPE_GLOBAL,
    IR_SCOPE_SHARED,     /* one per thread block */
    IR_SCOPE_SHARED_DYN, /* one per thread block */
    IR_SCOPE_WARP,  /* one per warp: "warp", "wmma.*", "m16n8k8.*", "metal.*" */
    IR_SCOPE_LOCAL, /* one per thread */
    IR_NSCOPES
};
/* NULL is global, and so is what is not known. */
enum ir_scope ir_scope_of(const char *scope);

/* Storage classes: representative of the variables whose pointers may lead to
 * the same memory (views, match_buffers, pointer bindings). One entry for each
 * variable id of the module, itself when nothing else is known. In arena. */
uint32_t *ir_storage_classes(const struct ir_module *module,
                             struct ir_stmt *body, struct arena *arena);

/* ---- kernels ------------------------------------------------------------------ */

/* One index of a kernel's threads or blocks: all bindings of one tag (R2). */
struct ir_axis {
    const char *tag;
    bool is_block; /* blockIdx.* */
    bool is_vthread;
};

struct ir_binding {
    const struct ir_stmt *stmt; /* see ir_thread_var */
    const char *tag;
    struct ir_expr *extent;
    size_t axis;
};

/* What begins at a statement with `kernel` set. */
struct ir_kernel {
    size_t naxes, nbindings;
    struct ir_axis *axes;        /* as they are first named in the text */
    struct ir_binding *bindings; /* in the order of the text */
    /* The axes that number the threads of a block, the fastest first:
     * threadIdx.x, y, z, other tags, then virtual threads, the innermost
     * first. Warps are made of the first nlinear (R20). */
    size_t nthreads, nlinear;
    size_t *threads;
};

/* The axis of the tag; naxes: none. */
size_t ir_axis_find(const struct ir_kernel *kernel, const char *tag);
/* How many threads a block has with these extents, by axis, and how many
 * without virtual ones. False: more than `most`. */
bool ir_count_threads(const struct ir_kernel *kernel, const int64_t *extent,
                      int64_t most, int64_t *nthreads, int64_t *nlinear);

/* ---- reductions over threads ---------------------------------------------------- */

#define IR_MAX_TARGETS 8
#define IR_MAX_BINDS   64

/* A buffer that the block initialises and updates: C = C op term. */
struct ir_target {
    const struct ir_buffer *buffer;
    const struct ir_stmt *init, *update; /* stores; the last update */
    const struct ir_expr *term;
};

enum ir_reduction_fault {
    IR_REDUCTION_OK,
    IR_REDUCTION_MIXED,   /* its loops hold other statements, too */
    IR_REDUCTION_NO_INIT, /* nothing is initialised */
    IR_REDUCTION_NO_TERM, /* an update is not C = C op term */
    IR_NREDUCTION_FAULTS
};

/* A block whose reduction iterators are bound to threads (R5). */
struct ir_reduction {
    const struct ir_stmt *stmt;
    const struct ir_block *block;
    enum ir_reduction_fault fault; /* why it cannot be run */
    size_t ntargets, nbinds, nguards;
    struct ir_target targets[IR_MAX_TARGETS];
    /* Variables that stand for a value in the body. */
    struct {
        const struct ir_var *var;
        const struct ir_expr *value;
    } binds[IR_MAX_BINDS];
    /* What the predicate says of spatial iterators alone, to be taken from left
     * to right: where one is false there is no reduction, while the rest of the
     * predicate makes a thread contribute the identity. */
    struct ir_expr **guards;
};

struct ir_target *ir_reduction_target(struct ir_reduction *r,
                                      const struct ir_buffer *b);

/* Two partial results are combined by the update of a target with one of them
 * in place of the accumulator and the other in place of the term. */
enum ir_part {
    IR_PART_OPERATOR, /* neither: to be computed from its operands */
    IR_PART_SUM,      /* the accumulator */
    IR_PART_TERM,
    IR_PART_UNCLEAR /* a term of several targets but this one */
};
/* What *e is in the update of target `own`; variables of the body are replaced
 * by their values first. *target: whose accumulator or term. */
enum ir_part ir_reduction_part(const struct ir_reduction *r, size_t own,
                               const struct ir_expr **e, size_t *target);

/* ---- the plan ------------------------------------------------------------------- */

/* Facts about one statement; made only where one of them holds. */
struct ir_plan_info {
    const struct ir_stmt *stmt;
    size_t order;    /* of its making: the same for the same function */
    bool lockstep;   /* holds a barrier, a collective, storage that threads
                      share, stores that implied barriers order, or a reduction
                      over threads: threads go through it together */
    bool launch;     /* a kernel begins here, outside of its bindings */
    unsigned shared; /* scopes (bits) with implied barriers (R3) that it may
                        access */
    unsigned stored; /* of them, those that it may store to */
    /* Loops and thread bindings: buffers of blocks below whose storage is
     * private to each iteration (R4). */
    size_t nmoved;
    const struct ir_buffer **moved;
    struct ir_reduction *reduction; /* its threads combine here; or NULL */
    const struct ir_kernel *kernel; /* begins here; or NULL */
};

struct ir_plan {
    const struct ir_func *func;
    uint32_t var_base, nvars, buffer_base, nbuffers; /* ranges of ids */
    const uint32_t *class_of; /* ir_storage_classes of the body */
    unsigned explicit_sync;   /* scopes with a tvm_storage_sync (R3, R19) */
    bool has_threads;
    bool launches;   /* some statement has `launch` */
    bool masks;      /* those of shuffles mean something (R22) */
    bool *moved;     /* by buffer id: made by a loop below its block */
    bool *read_only; /* by parameter: nothing stores to it */
    size_t ninfos, cap;
    struct ir_plan_info **table; /* by statement address; open addressing */
};

/* explicit_barriers: none is implied. */
struct ir_plan *ir_plan_make(const struct ir_module *module,
                             const struct ir_func *func, bool explicit_barriers,
                             struct arena *arena);
/* NULL: nothing special about the statement. */
const struct ir_plan_info *ir_plan_info(const struct ir_plan *plan,
                                        const struct ir_stmt *stmt);

#endif
