/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the interpreter: machine state, values, memory, threads, hooks.
 * Private to interp/. interp.h is the public face.
 *
 * Shape of a run
 *   machine -> threads -> frame (variables and views of one function call).
 *   Host code is the one thread `machine.host`; a kernel makes one thread for
 *   each combination of threadIdx and vthread indices of one block.
 *   `machine.thread` is who executes now; exec_eval and exec_stmt work for it.
 *
 * Faults are sticky: the first one is recorded by exec_fault, later ones are
 * dropped. Expressions keep evaluating (to undefined values, at most to the
 * end of the expression); statements stop as soon as machine.failed is set.
 *
 * Undefined values (rule 10) are poison: V_UNDEF travels through every
 * operation and through memory, and is a fault only in exec_index,
 * exec_condition and exec_pointer_get.
 */
#ifndef DC_INTERP_MACHINE_EXEC_H
#define DC_INTERP_MACHINE_EXEC_H

#include "interp/interp.h"
#include "ir/plan/plan.h"

struct machine;
struct race_table;

/* ---- values -------------------------------------------------------------- */

enum value_flag {
    V_UNDEF = 1,     /* undefined or uninitialised: bits mean nothing */
    V_INEXACT = 2,   /* depends on an operation that rounded */
    V_WRAPPED = 4,   /* depends on an int32 or int64 operation that wrapped */
    V_DATA = 8,      /* depends on the contents of a parameter tensor */
    V_VECTOR = 16,   /* u.lane, aux = number of lanes */
    V_BOX = 32,      /* u.box: a float of the interval domain, or any value
                        of a keyed domain that is not known */
    V_POINTER = 64,  /* u.bits from pointer_pack, aux from dtype_pack */
    V_MAYBE = 128,   /* bool of a boxed domain that is not decided; its bits
                        are what the machine would say, if the domain knows */
    V_UNBOUND = 256, /* variable slots only: not defined here */
    V_OWNED = 512,   /* variable slots only: lanes are the slot's own */
    V_MATCHED = 1024 /* variable slots only: bound by a match_buffer */
};
/* What an operation hands on from operand to result. */
#define V_TAINTS (V_UNDEF | V_INEXACT | V_WRAPPED | V_DATA)

struct value {
    union {
        uint64_t bits;               /* scalar as in num.h */
        struct value *lane;          /* V_VECTOR: scalars without V_VECTOR */
        const union interp_box *box; /* V_BOX */
    } u;
    uint32_t flags; /* enum value_flag */
    uint32_t aux;   /* V_VECTOR: lanes; V_POINTER: element type; else 0 */
};

static inline struct value exec_value_scalar(uint64_t bits, uint32_t flags)
{
    return (struct value){{bits}, flags, 0};
}
static inline struct value exec_value_undefined(void)
{
    return (struct value){{0}, V_UNDEF, 0};
}
/* Lane i of a vector; a scalar is its own every lane. */
static inline struct value exec_value_lane(struct value v, uint32_t i)
{
    return v.flags & V_VECTOR ? v.u.lane[i] : v;
}
static inline uint32_t exec_value_lanes(struct value v)
{
    return v.flags & V_VECTOR ? v.aux : 1;
}
/* Of a value of so many lanes that was undefined so far. */
static inline void exec_value_set_lane(struct value *v, uint32_t i,
                                       struct value lane)
{
    if (v->flags & V_VECTOR)
        v->u.lane[i] = lane;
    else
        *v = lane;
}
/* Vector of n (>= 2) lanes in scratch storage, all undefined. Lives until the
 * statement that runs now is done. */
struct value exec_value_vector(struct machine *m, uint32_t n);
/* Undefined value of the lane count of t (1: scalar). */
struct value exec_value_undefined_of(struct machine *m, struct dtype t);
/* Scalar in a box, copied to scratch: as it is, of the interval domain, of a
 * keyed domain. */
struct value exec_value_box(struct machine *m, union interp_box box,
                            uint32_t flags);
struct value exec_value_range(struct machine *m, struct num_interval range,
                              uint32_t flags);
struct value exec_value_sym(struct machine *m, struct interp_sym sym);

/* ---- value domains: interp/domains/<name>.c, by dc_registry ----------------- */

/* Arithmetic on scalar floats. Integers and bool are concrete everywhere and
 * never come here, but for casts from and to float. Operands carry no V_UNDEF
 * (the caller has looked); results carry V_INEXACT where something rounded,
 * and the callers add the operands' taints. */
struct interp_domain {
    const char *name;
    enum interp_domain_kind kind; /* INTERP_UNLISTED: none of interp.h */
    bool boxed;                   /* every float is in a box */
    bool plain; /* floats that are in none are computed with as ieee does, so
                   that nobody need ask */
    /* Keyed: values that depend on the inputs are in boxes, whatever their
     * type; all operations with such an operand come here. */
    const struct keyed_rules *keyed; /* else NULL */
    /* Boxed: a number of type t as a value without any error. */
    union interp_box (*point)(struct dtype t, uint64_t bits);
    /* Hooks of its own, before a function runs; NULL: none. */
    void (*install)(struct machine *m);
    struct value (*literal)(struct machine *m, struct dtype t, double value);
    struct value (*unary)(struct machine *m, enum num_op op, struct dtype t,
                          struct value a);
    /* Comparisons give bool (V_MAYBE when undecided); LDEXP has an int b. */
    struct value (*binary)(struct machine *m, enum num_op op, struct dtype t,
                           struct value a, struct value b);
    struct value (*fma)(struct machine *m, struct dtype t, struct value a,
                        struct value b, struct value c);
    /* At least one of from, to is a float type. */
    struct value (*cast)(struct machine *m, struct dtype from, struct dtype to,
                         struct value a);
    /* Both sides are evaluated and the condition is V_MAYBE; a is the side
     * that the condition's bits name. t may be any type; V_UNDEF in the result
     * says "no such value", after a fault. */
    struct value (*select)(struct machine *m, struct dtype t, struct value a,
                           struct value b);
    /* The condition is in a box. Keyed domains only. */
    struct value (*choose)(struct machine *m, struct dtype t, struct value c,
                           struct value a, struct value b);
    /* Keyed domains only; else NULL. A value in a box as a type of the same
     * width; and what an operation that combines its terms in an order of its
     * own (m->unordered) gives in the end, of its last step. */
    struct value (*reinterpret)(struct machine *m, struct dtype from,
                                struct dtype to, struct value a);
    struct value (*settle)(struct machine *m, struct dtype t, struct value v);
};
extern const struct interp_domain *const interp_domains[];
/* domain_table.c; never NULL. */
const struct interp_domain *interp_domain_of(enum interp_domain_kind kind);

/* ---- memory -------------------------------------------------------------------- */

/* Shadow byte of each byte of storage, or-ed. */
enum mem_shadow {
    MEM_DEFINED = INTERP_DEFINED,
    MEM_INEXACT = INTERP_INEXACT,
    MEM_WRITTEN = INTERP_WRITTEN,
    MEM_SKIPPED = INTERP_SKIPPED,
    MEM_DATA = 16,                /* V_DATA */
    MEM_WRAPPED = INTERP_WRAPPED, /* V_WRAPPED */
    MEM_BOXED = 64,               /* written as a box: the bytes mean nothing */
    MEM_BOX_TAIL = 128 /* with MEM_BOXED: not the first byte of its box */
};

/* One storage: bytes, little endian, each with a shadow byte. Use mem_load and
 * friends; the layout is memory.c's business. Large storage made inside a
 * kernel or a parallel iteration is sparse: pages made when first written. */
struct alloc {
    const struct ir_buffer *buffer; /* for messages; never NULL */
    uint8_t *bytes;          /* dense: size bytes, then size shadow bytes */
    struct mem_page **pages; /* sparse (bytes is NULL): hash of pages */
    size_t npages, page_cap;
    size_t size;             /* bytes */
    struct dtype lane;       /* declared lane type: unit of boxes, races */
    union interp_box *box;   /* dense: one per box_unit bytes, made at the first
                              boxed access; else NULL */
    uint32_t box_unit;       /* 0 until then */
    struct race_table *race; /* NULL until needed */
    enum ir_scope scope;
    uint32_t slot;  /* index in machine.allocs */
    uint32_t refs;  /* variables that hold it; freed at 0 */
    uint32_t birth; /* machine.now when it was made */
    int param;      /* index of the parameter; -1 */
    bool private_;  /* no other thread can reach it: no races */
    bool
        again; /* mem_alloc_clear: bytes may be there that count as undefined */
    bool read_only; /* nothing in the function writes it */
};

/* A buffer as it stands in one frame: addresses worked out. */
struct view {
    const struct ir_buffer *buffer;
    struct alloc *alloc;
    int64_t base;    /* byte offset of element [0, …] in the storage */
    int64_t *shape;  /* rank of each */
    int64_t *stride; /* in elements */
    size_t rank;
    struct dtype lane; /* scalar type */
    uint32_t lane_bytes;
    uint32_t elem_lanes; /* lanes of one element */
    uint64_t origin;     /* packed data pointer it was made from */
    bool lazy;           /* made on first use: check origin before use */
    bool owner;          /* holds a reference to alloc */
};

/* Fresh storage of size bytes; NULL after a fault (too large). One reference
 * is the caller's; mem_alloc_drop gives it back. */
struct alloc *mem_alloc_make(struct machine *m, const struct ir_buffer *buffer,
                             size_t size);
/* All of it undefined again; the bytes stay, for races to compare with. */
void mem_alloc_clear(struct alloc *a);
/* The bytes of another one, no larger, in the same state. */
void mem_alloc_adopt(struct machine *m, const struct alloc *from,
                     struct alloc *to);
void mem_alloc_drop(struct machine *m, struct alloc *a);

/* Pointer values: (storage, byte offset, element type) (rule 15). */
struct pointer {
    struct alloc *alloc;
    int64_t offset; /* may lie outside the storage until it is used */
    struct dtype elem;
};
struct value exec_pointer_make(struct machine *m, struct pointer p,
                               uint32_t flags);
/* False after a fault: undefined, NULL or no pointer. Taints control. */
bool exec_pointer_get(struct machine *m, struct value v, struct pointer *out);

/* One lane at a byte offset: bounds against the storage, race check, shadow,
 * domain. They fault with the storage's buffer name. lane.lanes is ignored. */
struct value mem_load(struct machine *m, struct alloc *a, int64_t offset,
                      struct dtype lane);
void mem_store(struct machine *m, struct alloc *a, int64_t offset,
               struct dtype lane, struct value v);
/* The same marked atomic (rule 24); bits in and out are one step. */
struct value mem_load_atomic(struct machine *m, struct alloc *a, int64_t offset,
                             struct dtype lane);
void mem_store_atomic(struct machine *m, struct alloc *a, int64_t offset,
                      struct dtype lane, struct value v);
/* Shadow byte of one byte (0 = untouched). */
uint8_t mem_shadow_at(const struct alloc *a, size_t offset);
/* Whether a byte is, or before mem_alloc_clear was, defined and equals value. */
bool mem_holds(const struct alloc *a, size_t offset, uint8_t value);
/* Sets INTERP_WRITTEN and INTERP_SKIPPED of n bytes to what `state` says. */
void mem_set_marks(struct alloc *a, size_t offset, size_t n, unsigned state);
/* Without any race bookkeeping: for results of collectives that no thread in
 * particular writes. mem_poke also forgets earlier accesses to the cell. */
struct value mem_peek(struct machine *m, struct alloc *a, int64_t offset,
                      struct dtype lane);
void mem_poke(struct machine *m, struct alloc *a, int64_t offset,
              struct dtype lane, struct value v);

/* The view of a buffer in the current frame; NULL after a fault. */
struct view *view_get(struct machine *m, const struct ir_buffer *buffer);
/* Byte offset of buffer[indices], inside the storage (rule 4); an index that
 * leaves its dimension is noted (rule 15). Scalar indices only. False after a
 * fault. */
bool view_offset(struct machine *m, const struct view *v, size_t n,
                 const int64_t *index, int64_t *offset);
/* Makes a view from evaluated shape, strides, offset over storage. */
struct view *view_make(struct machine *m, const struct ir_buffer *buffer,
                       struct alloc *alloc, uint64_t origin);

/* ---- races (rules 4, 6, 17-20, 24, 28) -----------------------------------------
 *
 * Time is a counter that moves at each iteration of a parallel or vectorised
 * loop, at each block of a kernel and at each barrier. A cell remembers when
 * and by which thread it was last written and read (two readers). Host code
 * and each thread run their own loops depth first, so an earlier access of
 * the same thread is concurrent exactly if it falls, for the outermost active
 * parallel loop that it does not precede, before the current iteration. An
 * earlier access of another thread of the block is concurrent unless a
 * barrier that covers both came after it. */

enum race_mode {
    RACE_READ = 0,
    RACE_WRITE = 1,
    RACE_ATOMIC = 2,
    RACE_CHANGES = 4 /* a write that is known to store something else */
};
/* bytes: what a write is about to store, for the benign case; else NULL. */
void exec_race_access(struct machine *m, struct alloc *a, size_t offset,
                      size_t size, unsigned mode, const uint8_t *bytes);
/* Drops what is known about a range. */
void exec_race_forget(struct machine *m, struct alloc *a, size_t offset,
                      size_t size);
void exec_race_table_free(struct race_table *table);
/* Hands on what is known of a storage to one that takes its place, no smaller. */
void exec_race_hand_on(struct alloc *from, struct alloc *to);
/* Moves the clock on. */
void exec_race_tick(struct machine *m);

/* ---- threads --------------------------------------------------------------------------- */

enum exec_flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_STOP };

/* One active parallel or vectorised loop of a thread. */
struct par_loop {
    uint32_t start;     /* machine.now when the loop was entered */
    uint32_t iteration; /* machine.now when the current iteration began */
};

/* Variables and views of one call of a function. */
struct frame {
    struct ir_plan *plan;
    struct frame *caller; /* of a called function; NULL at the entry */
    struct frame *outer;  /* kernel threads: the launching frame; else NULL */
    struct value *vars;   /* by var->id - plan->var_base */
    union interp_box *boxes; /* storage of boxed variables; or NULL */
    struct view **views;     /* by buffer->id - plan->buffer_base */
    struct value result;     /* of IR_RETURN */
};

/* What a collective call gave this thread. */
struct collective_result {
    const struct ir_expr *call;
    struct value value;
};

#define EXEC_MAX_AXES 16 /* distinct thread tags in one kernel */

struct thread {
    struct frame *frame;
    uint32_t id;      /* dense within the block, vthreads included */
    uint32_t linear;  /* threadIdx only, x fastest (rule 20) */
    uint32_t vthread; /* dense index of the vthread part */
    uint32_t warp, lane;
    int64_t index[EXEC_MAX_AXES]; /* by kernel axis */
    enum exec_flow flow; /* in group execution: why it left, if it did */
    struct VEC(struct par_loop) loops;
    /* Results of collective calls of the statement that runs now. */
    struct VEC(struct collective_result) collective;
    void *
        async; /* for intrinsics: pending copies; released by intrin_thread_fini */
};

/* Threads that arrive together at a statement, ascending by id. */
struct group {
    struct thread **threads;
    size_t n;
};

#define EXEC_WARP_SIZE 32

struct block_storage {
    const struct ir_var *data;
    struct alloc *alloc; /* holds a reference */
};

struct kernel {
    const struct ir_stmt *stmt;
    const struct ir_kernel *plan;
    int64_t extent[EXEC_MAX_AXES]; /* by axis; none is below 0 */
    struct thread *threads;        /* of the running block */
    size_t nthreads, nwarps;
    uint32_t launched;    /* machine.now at launch */
    uint32_t block_start; /* machine.now when the running block began */
    uint32_t first_start; /* when the first one did */
    /* machine.now at the last barrier that covers a scope: for the block,
     * explicit and implicit (rule 3), and for each warp. */
    uint32_t synced[IR_NSCOPES], implied[IR_NSCOPES];
    uint32_t (*warp_synced)[IR_NSCOPES];
    /* The statement before which the last implied one stands, and whether it
     * has been noted that it is needed. */
    const struct ir_plan_info *implied_at[IR_NSCOPES];
    bool implied_noted[IR_NSCOPES];
    /* Shared storage of the running block, by data variable (rule 4): the same
     * in every iteration that allocates it. */
    struct VEC(struct block_storage) shared;
};

void thread_switch(struct machine *m, struct thread *t);

/* Works out, or finds again, the plan of a function. */
struct ir_plan *exec_plan_get(struct machine *m, const struct ir_func *func);

/* ---- the machine ---------------------------------------------------------------------------- */

/* Called while a run goes on; all may be NULL. */
struct exec_hooks {
    void *user;
    /* Slices: whether the current thread may leave this statement out. Asked
     * before every statement, loop bodies at each iteration (the loop
     * variable is set). Threads in lockstep leave a statement out when all of
     * them may. Must be false for definitions (BIND, ALLOC, DECL). */
    bool (*skip)(struct machine *m, const struct ir_stmt *stmt);
    /* Terms: each lane loaded or stored through a buffer or pointer, in
     * order. offset in bytes. stmt is machine.stmt. */
    void (*loaded)(struct machine *m, struct alloc *a, size_t offset,
                   struct dtype lane, struct value v);
    void (*stored)(struct machine *m, struct alloc *a, size_t offset,
                   struct dtype lane, struct value v);
    /* Formulas: wants loads and stores of parts as well, which are what a thread
     * gathers by itself in a reduction over threads; and what it gives to an
     * all-reduce, in its own context. */
    bool parts;
    void (*gathered)(struct machine *m, uint64_t part,
                     const struct ir_expr *source);
    void (*fini)(struct machine *m); /* at the end of the run */
};

/* Names of parts, none of which is 0. */
#define EXEC_PART_OF_BLOCK (UINT64_C(2) << 62)
#define EXEC_PART_OF_CALL  (UINT64_C(3) << 62)
struct exec_meeting {
    uint64_t number;       /* which of the run's, from 1 */
    enum ir_expr_kind op;  /* that combines two parts; IR_NKINDS: more than one
                              operation */
    const uint64_t *parts; /* in the order in which they are combined */
    size_t n;
};

struct scratch_chunk {
    struct scratch_chunk *next;
    size_t size, used;
    /* data follows */
};
struct scratch_mark {
    struct scratch_chunk *chunk;
    size_t used;
};

/* Operations that combine their terms in an order of their own (rules 5, 25 to
 * 27): the reference's order is one of many, and no other program's. */
enum exec_unordered {
    EXEC_ORDERED,
    EXEC_TILE_SUM,    /* wmma, mma and their kind */
    EXEC_ALL_REDUCE,  /* tvm_thread_allreduce */
    EXEC_CROSS_THREAD /* a reduction block bound to threads */
};

struct machine {
    const struct ir_module *module;
    const struct ir_func *func;
    struct interp_options options;
    const struct interp_domain *domain;
    const struct interp_domain *plain; /* that of machine numbers */
    bool boxed;                        /* domain->boxed */
    const struct num_profile
        *scalar_profile;        /* of single operations, or NULL */
    struct interp_keyed *keyed; /* keyed domains; else NULL */
    enum exec_unordered unordered;

    bool failed; /* result.fault is set: unwind */
    bool blamed; /* the last address or failed division depended on data */
    struct interp_result result;
    uint64_t max_steps;

    struct thread host;
    struct thread *thread;      /* who runs */
    struct frame *frame;        /* thread->frame */
    struct kernel *kernel;      /* NULL in host code */
    uint32_t depth;             /* nested calls */
    const struct ir_stmt *stmt; /* being executed, for messages and hooks */
    bool control_tainted; /* control depended on rounding: all later stores
                               are inexact */

    bool racing;  /* check_races, and in a kernel or parallel loop */
    uint32_t now; /* race clock; never 0 */
    struct VEC(struct alloc *) allocs; /* by slot; NULL = free */
    struct VEC(uint32_t) free_slots;
    size_t live_bytes;
    struct scratch_chunk *scratch, *scratch_first;

    struct arena *arena; /* plans and other things that live as long */
    struct VEC(struct ir_plan *) plans; /* of the functions met so far */
    size_t nargs;
    struct interp_arg *args;
    struct alloc **param_allocs; /* by parameter; NULL for scalars */
    struct exec_hooks hooks;
    uint32_t async_pending;      /* see intrin_async_access */
    void *intrin;                /* of the intrinsics, in arena; or NULL */
    struct reduction *reduction; /* crossthread.c: overlay in use, or NULL */
    /* What is stored is where parts of threads meet (reductions over threads),
     * and not what `stmt` stores; or NULL. */
    const struct exec_meeting *meeting;
    uint64_t meetings; /* so far */
    uint64_t part;     /* hooks: what is loaded or stored is no memory but this
                          part of a thread; 0: it is memory */
    struct VEC(
        const struct ir_plan_info *) implied; /* that were needed (rule 3) */
};

/* Storage that lives until the running statement is done. */
void *exec_scratch_alloc(struct machine *m, size_t size);
struct scratch_mark exec_scratch_save(struct machine *m);
void exec_scratch_restore(struct machine *m, struct scratch_mark mark);
void exec_scratch_init(struct machine *m);
void exec_scratch_fini(struct machine *m);

/* ---- evaluation and execution ---------------------------------------------------------------- */

/* In the current thread. Never fails: after a fault the value is undefined. */
struct value exec_eval(struct machine *m, const struct ir_expr *e);
/* For use as address, extent or condition: an undefined, wrapped or undecided
 * value is a fault; an inexact one taints control. `what` names the use in
 * messages ("index of buffer 'A'"). */
bool exec_index(struct machine *m, struct value v, const char *what,
                int64_t *out);
bool exec_condition(struct machine *m, struct value v, bool *out);
/* The same of the value of e: one of 2^63 or more is refused. */
bool exec_index_of(struct machine *m, const struct ir_expr *e, struct value v,
                   const char *what, int64_t *out);
/* Evaluates and converts. */
bool exec_eval_index(struct machine *m, const struct ir_expr *e,
                     const char *what, int64_t *out);
bool exec_eval_condition(struct machine *m, const struct ir_expr *e, bool *out);
/* One operation on values of any lane count (equal or scalar), all checks and
 * taints included. */
struct value exec_unary(struct machine *m, enum num_op op, struct dtype t,
                        struct value a);
struct value exec_binary(struct machine *m, enum num_op op, struct dtype t,
                         struct value a, struct value b);
struct value exec_fma(struct machine *m, struct dtype t, struct value a,
                      struct value b, struct value c);
struct value exec_cast(struct machine *m, struct dtype from, struct dtype to,
                       struct value a);
struct value exec_literal(struct machine *m, struct dtype t, double value);
/* The end of an operation in an order of its own (interp_domain.settle). */
static inline struct value exec_settle(struct machine *m, struct dtype t,
                                       struct value v)
{
    return m->domain->settle != NULL ? m->domain->settle(m, t, v) : v;
}
/* c ? a : b on scalars, both sides evaluated (rule 8). */
struct value exec_choose(struct machine *m, struct dtype t, struct value c,
                         struct value a, struct value b);

enum exec_flow exec_stmt(struct machine *m, const struct ir_stmt *s);
/* All threads of g together; afterwards threads[i]->flow says how each left. */
void group_run(struct machine *m, const struct group *g,
               const struct ir_stmt *s);
#define EXEC_ALL_SCOPES ((1u << IR_NSCOPES) - 1u)

/* Records the first fault. buffer may be NULL. Formats after "buffer …". */
void exec_fault(struct machine *m, enum interp_fault_kind kind,
                const struct ir_buffer *buffer, const struct ir_expr *where,
                const char *fmt, ...) DC_PRINTF(5, 6);
/* "blockIdx.x 3, threadIdx.x 0", of axes with more than one value; false and
 * nothing: no thread of a kernel is running. */
bool exec_put_thread(const struct machine *m, const char *between,
                     struct buf *out);
/* What interp.h says of a scene, of the statement that runs now; what *out held
 * before is released. */
void exec_scene(struct machine *m, struct interp_scene *out);
/* Before a fault of an address or a division: the flags of what it is about. */
void exec_blame(struct machine *m, uint32_t flags);
/* The statement's first line, without indentation, at most 200 bytes; heap. */
char *exec_one_line(const struct ir_stmt *s);
/* INTERP_UNSUPPORTED for a call: "call of 'x' is not supported". */
struct value exec_unsupported(struct machine *m, const struct ir_expr *e,
                              const char *what);
/* INTERP_UNDECIDED: what keyed domains have no law for; undefined. */
struct value exec_undecided(struct machine *m, const char *what);

/* Variables of the current frame. */
struct value var_get(struct machine *m, const struct ir_var *var);
void var_set(struct machine *m, const struct ir_var *var, struct value v);
void var_unset(struct machine *m, const struct ir_var *var);
/* Its value, if it has a whole number for one. */
bool exec_var_known(struct machine *m, const struct ir_var *var, int64_t *out);

/* ---- intrinsics: intrin*.c ------------------------------------------------------------------------
 *
 * eval: runs in the current thread alone; operands not yet evaluated.
 * collective: runs once for the threads of g that arrive together. For thread
 * i: thread_switch(m, g->threads[i]), exec_eval operands (a scratch value
 * stays valid until the statement ends), and at the end put the call's value
 * for that thread in results[i] (preset to an integer 0). Who is missing is
 * its business (rules 21, 22, 25, 27). Without thread axes g holds only the
 * host. Exactly one of the two is set. In both, exec_fault reports. */
struct intrin {
    struct value (*eval)(struct machine *m, const struct ir_expr *call);
    void (*collective)(struct machine *m, const struct ir_expr *call,
                       const struct group *g, struct value *results);
};
/* NULL: not implemented (the caller reports it by name). The core itself
 * evaluates everything PURE in ops.def, pointer operators, barriers
 * (STORAGE_SYNC, WARP_SYNC), ATOMIC_ADD and calls of known C functions; the
 * rest is asked here. */
const struct intrin *intrin_of(const struct ir_expr *call);
/* Called for every access while machine.async_pending is nonzero (intrinsics
 * count their issued, not yet waited-for copies there). mode: enum race_mode. */
void intrin_async_access(struct machine *m, struct alloc *a, size_t offset,
                         size_t size, unsigned mode);
void intrin_thread_fini(struct machine *m, struct thread *t);
/* AttrStmt keys that intrinsics want to see (async_scope, …): true = handled,
 * *flow is how the body ended; false = the core runs the body. */
bool intrin_attr(struct machine *m, const struct ir_stmt *s,
                 enum exec_flow *flow);
/* intrin_async.c: an attribute about the queue of asynchronous copies (rule 23):
 * each thread waits before its body, or ends a group after it. False: it is
 * none, or of a queue that is not supported (a fault). */
struct async_queue {
    bool ends, waits;
    const struct ir_expr *pending; /* of the wait */
    const struct ir_stmt *body;
};
bool intrin_queue_of(struct machine *m, const struct ir_stmt *s,
                     struct async_queue *q);
void intrin_queue_before(struct machine *m, const struct async_queue *q);
void intrin_queue_after(struct machine *m, const struct async_queue *q);

/* slice.c: installs hooks when the options ask for them; false after a
 * fault. */
bool slice_install(struct machine *m);
/* slice_formula.c: the same for a formula. */
void slice_formula_install(struct machine *m);

#endif
