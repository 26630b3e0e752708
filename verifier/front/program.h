/* SPDX-License-Identifier: Apache-2.0
 *
 * A PrimFunc as a proof sees it: a list of scalar stores, each under loops and
 * guards, with a position in time. Made by front*.c from any stage of
 * lowering; everything that only spells the same thing differently is gone:
 *
 *  - Blocks are lets (bindings) and guards (predicate; init: reduction
 *    iterators at their minima). Views (match_buffer, decl_buffer, access_ptr,
 *    address_of) are resolved: every IR_LOAD left in an expression and every
 *    store is on the canonical buffer of a storage, by its canonical indices.
 *  - Vector lanes are an innermost loop (`lanes`); expressions are scalar.
 *  - Intrinsics with a specification (wmma, mma, ldmatrix, ...) are loop nests
 *    over fragments; what they leave open is an unordered loop.
 *  - An asynchronous copy is a store where it is issued; that nobody can tell
 *    it from one that happens later is a part of the proof of safety
 *    (copies.c).
 *  - Thread loops: one vloop for each tag of a launch, however often it is
 *    bound (R2). They stand last in `steps`, so that time is lockstep: a
 *    statement runs in all threads, then the next. This is one of the orders
 *    that barriers allow; that all of them give the same is the proof of the
 *    absence of races (races.c).
 *  - A storage has one copy for each iteration of its `privates`: loops around
 *    its allocation, blocks and threads as its scope says, R4.
 *
 * Nothing is trusted from annotations. What has no translation makes the whole
 * program `unsupported`, with statement and reason: never a guess.
 *
 * Expressions are immutable IR; new ones live in the program's scratch module.
 */
#ifndef DC_VERIFIER_FRONT_PROGRAM_H
#define DC_VERIFIER_FRONT_PROGRAM_H

#include "ir/ir.h"

struct vloop {
    struct ir_var *var;           /* unique in the program */
    struct ir_expr *min, *extent; /* scalar; over outer loops, lets, symbols */
    enum ir_for_kind kind;
    const char *tag;   /* THREAD: "threadIdx.x", "blockIdx.x", "vthread.x" */
    bool lanes;        /* lanes of one vector store: R6 */
    bool unordered;    /* iterations combine in an order nobody states */
    uint32_t axis;     /* THREAD: its bit among the axes of its launch */
    uint32_t combines; /* bits of the axes whose threads it combines; 0: none */
    uint32_t id;       /* dense in the program */
    struct ir_pos pos;
};

/* Scope "reduction": partial results of threads, which are an index of it; it
 * orders its accesses itself (R5, R27). */
struct vstorage {
    struct ir_buffer *buffer; /* canonical: dtype (scalar), shape, scope */
    int param;                /* position of the parameter, -1: allocated */
    size_t nprivate;
    struct vloop **privates; /* one copy for each of their iterations */
    /* Of a parameter whose rows do not follow one another, in elements; NULL:
     * they do, or the canonical buffer is linear. */
    struct ir_expr **strides;
    bool written;
    bool fresh; /* a parameter that is uninitialised on entry */
    uint32_t id;
    const void *constant; /* struct ir_tensor of an ALLOC_CONST, else NULL */
};

/* A place in time: compared lexicographically; sequence positions along one
 * nest decide between statements, loop variables between iterations. */
struct vstep {
    struct vloop *loop; /* NULL: a position in a sequence */
    uint32_t pos;
    bool part; /* of one statement of the source: no barrier lies between */
};

/* In evaluation order: loops open, variables are bound, conditions decide. */
enum vscope_kind { VSCOPE_LOOP, VSCOPE_LET, VSCOPE_GUARD };
struct vscope {
    enum vscope_kind kind;
    struct vloop *loop;
    struct ir_var *var;    /* LET */
    struct ir_expr *value; /* LET; GUARD: a condition that holds below */
    bool negated;          /* GUARD: the else arm */
    size_t nsteps;         /* LET, GUARD: evaluated at this place in time */
    struct vstep *steps;
};

struct vstore {
    struct vstorage *target;
    size_t nindex; /* = rank of the canonical buffer */
    struct ir_expr **index;
    struct ir_expr *value; /* scalar, of the canonical dtype */
    size_t nscopes;
    struct vscope *scopes; /* outermost first */
    size_t nloops;
    struct vloop **loops; /* those of scopes, in that order */
    size_t nsteps;
    struct vstep *steps; /* when the store happens */
    size_t read_steps;   /* loads of `value` see what was stored strictly before
                            the first read_steps of steps (all but lanes) */
    bool atomic;         /* R24: value is an update of the old one */
    bool async;          /* R23: an asynchronous copy, at its issue */
    bool init;           /* from a block's init: for messages */
    const char *name;    /* of the block, or NULL */
    struct ir_pos pos;
    uint32_t id; /* dense, program order */
};

/* Evaluated conditions that must hold (assert, assume): faults otherwise. */
struct vassert {
    struct ir_expr *cond;
    size_t nscopes;
    struct vscope *scopes;
    size_t nsteps;
    struct vstep *steps;
    struct ir_pos pos;
};

/* A barrier, for the race proof. */
struct vbarrier {
    const char *scope; /* "shared", "warp" */
    size_t nscopes;
    struct vscope *scopes;
    size_t nsteps; /* thread loops left out */
    struct vstep *steps;
    struct ir_pos pos;
};

/* R23: the end of a group of asynchronous copies of each thread, or a wait for
 * all of them but the last `pending`. */
struct vgroup {
    struct ir_expr *pending; /* NULL: a commit */
    size_t nscopes;
    struct vscope *scopes;
    size_t nsteps; /* thread loops left out */
    struct vstep *steps;
    struct ir_pos pos;
};

/* Expressions evaluated for their faults alone (Evaluate of a pure
 * expression, dead lets): safety.c looks at their accesses. */
struct veval {
    struct ir_expr *value;
    size_t nscopes;
    struct vscope *scopes;
    size_t nsteps;
    struct vstep *steps;
    struct ir_pos pos;
};

struct
    vsymbol { /* a symbolic size: bound by a parameter's shape, or a scalar */
    struct ir_var *var;
    int param;
    int dim; /* -1: the scalar parameter itself */
};

struct vprog {
    const struct ir_module *module;
    const struct ir_func *func;
    struct arena *arena;
    struct ir_module *scratch;
    const char *unsupported; /* NULL: all below is complete */
    struct ir_pos unsupported_pos;
    size_t nparams;
    struct vstorage **params; /* NULL: a scalar */
    struct ir_var **scalars;  /* by position; NULL: a buffer */
    size_t nsymbols;
    struct vsymbol *symbols;
    size_t nstorages;
    struct vstorage **storages;
    size_t nloops;
    struct vloop **loops;
    size_t nstores;
    struct vstore **stores; /* program order */
    size_t nasserts;
    struct vassert **asserts;
    size_t nbarriers;
    struct vbarrier **barriers;
    size_t ngroups;
    struct vgroup **groups;
    size_t nevals;
    struct veval **evals;
    bool explicit_shared, explicit_warp; /* R3: explicit barriers occur */
};

/* Never NULL; see unsupported. Symbolic shapes are kept as expressions. */
struct vprog *vprog_make(const struct ir_module *module,
                         const struct ir_func *func);
#ifdef DC_TEST_OBLIGATIONS
/* With conditions of the translation taken as met (obligation.h). */
struct vprog *vprog_make_without(const struct ir_module *module,
                                 const struct ir_func *func,
                                 const char *leave_out);
#endif
void vprog_free(struct vprog *p);
/* The storage whose canonical buffer this is. */
struct vstorage *vprog_storage(const struct vprog *p,
                               const struct ir_buffer *buffer);

#endif
