/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the fast engine; private to interp/fast/. Three forms of a
 * program, one after the other:
 *
 *   nest   what the function does as a tree of loops, guards and stores, all
 *          addresses affine in the loop variables (lower*.c, affine.c)
 *   choice which loop of each nest runs in lanes (depend.c, choose.c)
 *   code   instructions on lane registers (emit.c), run by vm.c
 *
 * Everything but the run's own storage lives in engine.arena.
 */
#ifndef DC_INTERP_FAST_FAST_ENGINE_H
#define DC_INTERP_FAST_FAST_ENGINE_H

#include "interp/fast/fast.h"
#include "interp/machine/exec.h"

/* ---- element types --------------------------------------------------------- */

enum ftype {
    T_F32,
    T_F16,
    T_BF16,
    T_F64,
    T_I8,
    T_I16,
    T_I32,
    T_U8,
    T_U16,
    T_BOOL,
    T_U32,
    T_I64,
    T_U64,
    T_NTYPES
};
/* How a lane register holds a value of the type. float16 and bfloat16 are held
 * as the float of the same value: what is read from memory or rounded by an
 * operation always is one of theirs. */
enum fclass { C_FLOAT, C_DOUBLE, C_INT, C_LONG };

bool fast_ftype_of(struct dtype t,
                   enum ftype *out); /* scalar part; false: none */
struct dtype fast_ftype_dtype(enum ftype t);
size_t fast_ftype_bytes(enum ftype t);

static inline enum fclass fast_ftype_class(enum ftype t)
{
    return t <= T_BF16   ? C_FLOAT
           : t == T_F64  ? C_DOUBLE
           : t <= T_BOOL ? C_INT
                         : C_LONG;
}
static inline bool fast_ftype_is_float(enum ftype t)
{
    return t <= T_F64;
}

/* ---- affine forms ------------------------------------------------------------ */

/* c + the sum of coef * atom, ascending by atom; the value lies in [lo, hi]
 * (which may be tighter than the terms say). An atom is an integer that the
 * program computes: a loop variable, or a division, minimum or maximum. */
#define AFFINE_TERMS 24
struct term {
    uint32_t atom;
    int64_t coef; /* never 0 */
};
struct affine {
    int64_t c, lo, hi;
    uint32_t n;
    struct term t[AFFINE_TERMS];
};

struct node;
enum atom_kind {
    ATOM_LOOP,     /* a loop variable */
    ATOM_FLOORDIV, /* floor(a / divisor), divisor > 0 */
    ATOM_MIN,      /* min(a, b) */
    ATOM_MAX,      /* max(a, b) */
    ATOM_MUL,      /* a * b */
    ATOM_SUM       /* a: kept for its own sake, outside of an inner loop */
};
struct atom {
    enum atom_kind kind;
    struct affine a, b;
    int64_t divisor, lo, hi;
    struct node *scope; /* innermost loop in which it varies; NULL: constant */
    uint64_t loops;     /* bit d: the loop at depth d around it matters */
    uint32_t level;     /* nesting of atoms in atoms */
    bool emitted;       /* among `first` of its scope */
    uint32_t vec;       /* by its number, from 1: has a value for each thread
                           of a kernel, among `first_vec` of its scope */
};

struct engine;
struct affine affine_const(int64_t value);
struct affine affine_atom(const struct engine *e, uint32_t atom);
/* False where a bound leaves int64 or there are too many terms. */
bool affine_add(const struct engine *e, const struct affine *a,
                const struct affine *b, struct affine *out);
bool affine_sub(const struct engine *e, const struct affine *a,
                const struct affine *b, struct affine *out);
bool affine_same(const struct affine *a, const struct affine *b);
bool affine_scale(const struct affine *a, int64_t factor, struct affine *out);
bool affine_mul(struct engine *e, const struct affine *a,
                const struct affine *b, struct affine *out);
bool affine_floordiv(struct engine *e, const struct affine *a, int64_t divisor,
                     struct affine *out);
bool affine_floormod(struct engine *e, const struct affine *a, int64_t divisor,
                     struct affine *out);
bool affine_minmax(struct engine *e, bool max, const struct affine *a,
                   const struct affine *b, struct affine *out);
uint32_t affine_atom_loop(struct engine *e, struct node *loop, int64_t lo,
                          int64_t hi);
/* One atom for a; the same one for the same a. */
uint32_t affine_atom_sum(struct engine *e, const struct affine *a);
/* Whether an atom's, or form's, value depends on a loop's variable. */
#define MAX_LOOPS  60 /* around one statement */
#define ATOM_LEVEL 5
bool affine_atom_uses(const struct engine *e, uint32_t atom,
                      uint32_t loop_atom);
bool affine_uses(const struct engine *e, const struct affine *a,
                 uint32_t loop_atom);
/* Coefficient of a loop's variable where the form is linear in it; false where
 * it depends on it in another way. */
bool affine_linear(const struct engine *e, const struct affine *a,
                   uint32_t loop_atom, int64_t *coef);
/* Value with the atoms' values from ints, but for one loop variable that is
 * `value`; used where a form is not linear in that variable. */
int64_t affine_value_at(const struct atom *atoms, const struct affine *a,
                        const int64_t *ints, uint32_t loop_atom, int64_t value);
int64_t affine_atom_value(const struct atom *atom, const int64_t *ints);
static inline int64_t affine_value(const struct affine *a, const int64_t *ints)
{
    int64_t sum = a->c;
    for (uint32_t i = 0; i < a->n; i++)
        sum += a->t[i].coef * ints[a->t[i].atom];
    return sum;
}

/* ---- the nest ------------------------------------------------------------------ */

/* Who has a copy of storage that is made inside of a kernel. */
enum fast_share {
    SHARE_NOT,   /* each lane, or iteration of `home` */
    SHARE_BLOCK, /* the threads of a block have one */
    SHARE_WARP   /* a warp has one: warp * elements + offset */
};

/* One storage: elements of a type, a state byte (enum interp_state) each. */
struct store {
    const struct ir_buffer *buffer;
    enum ftype type;
    int64_t elements;
    int param;         /* index, or -1 */
    bool read_only;    /* a parameter that nothing stores to */
    struct node *home; /* loop whose iterations each have their own; NULL */
    uint32_t id;
    struct ir_tensor *init; /* constant contents */
    enum fast_share share;
    bool kept; /* SHARE_BLOCK: what is made again is what was there before */
    enum ir_scope scope;
    int64_t tile[3]; /* m, n, k of the tiles that it holds; 0: none yet */
    /* run */
    uint8_t *data, *state;
    uint32_t lanes; /* copies side by side, element-major; 1 but for storage
                       that is private to a lane */
    bool defined;   /* a parameter's elements are, all of them */
    bool sound;     /* all elements are defined, and exact */
    bool borrowed;  /* data and state are the argument's own */
};

/* value in [0, dim) is to be shown at run time */
struct check {
    struct affine at;
    int64_t dim;
};
struct fx;
/* What a kernel's access has to look for at run time. */
enum race_look {
    RACE_LOOK_NOT,
    RACE_LOOK_BARRIER, /* whether an implicit barrier orders it (rule 3) */
    RACE_LOOK_ALL
};
struct access {
    struct store *store;
    const struct ir_buffer *buffer;
    size_t rank;
    struct affine *index; /* of each dimension; NULL where it is data */
    struct affine offset; /* in elements */
    bool distinct;        /* other indices in range are other elements */
    size_t nchecks;
    struct check *checks;
    bool data; /* the address depends on a parameter's contents */
    enum race_look look;
    bool moved;   /* coop.c: offset counts from where it is used */
    int64_t span; /* elements behind offset that it touches too, of tiles */
    /* A gather: index_fx[d] (NULL: index 0), checked against dim[d]. */
    bool gather;
    struct fx **index_fx;
    int64_t *dim, *stride, base;
};

enum cond_kind { COND_GE, COND_EQ, COND_NE }; /* at >= 0, == 0, != 0 */
struct cond {
    enum cond_kind kind;
    struct affine at;
    uint64_t cost; /* steps charged when it is looked at */
};
/* A conjunction; or, where n is 0 and value is set, a computed bool. */
struct guard {
    size_t n;
    struct cond *conds;
    struct fx *value;
    bool data; /* depends on a parameter's contents */
    uint64_t cost_then, cost_else;
    uint64_t group_then, group_else; /* once for all lanes */
};

enum fx_kind {
    X_CONST,
    X_AFFINE,
    X_LOAD,
    X_SLOT, /* a let- or bind-variable */
    X_UNARY,
    X_BINARY,
    X_FMA,
    X_CAST,
    X_SELECT, /* a: condition */
    X_GUARD   /* b or c by guard */
};
/* What is known of whether a value depends on a parameter's contents. */
enum fdata { DATA_NO, DATA_YES, DATA_UNKNOWN };
struct fx {
    enum fx_kind kind;
    enum ftype type; /* of the value */
    enum num_op op;
    bool check_wrap; /* a wrap might reach an address: give up on one */
    bool computed;   /* of what the function itself has stored */
    enum fdata data;
    struct fx *a, *b, *c;
    uint64_t bits;     /* CONST */
    struct affine *at; /* AFFINE; large, and most are something else */
    struct access *access;
    struct guard *guard;
    uint32_t slot;
};

enum node_kind {
    NODE_LOOP,
    NODE_IF,
    NODE_STORE,
    NODE_SET,
    NODE_ALLOC,
    NODE_LAUNCH,  /* a kernel begins */
    NODE_BARRIER, /* of the threads of a block */
    NODE_TILE     /* a warp-wide operation */
};

/* ---- tiles: fragments of wmma (rules 25, 26) --------------------------------- */

enum tile_kind { TILE_FILL, TILE_LOAD, TILE_STORE, TILE_MULTIPLY };
struct tile {
    enum tile_kind kind;
    int64_t m, n, k;
    /* FILL, LOAD, STORE: a fragment; MULTIPLY: D, A, B, C. offset is that of
     * the tile's first element. */
    struct access *frag[4];
    int64_t rows, columns; /* of frag[0] */
    struct access *memory; /* LOAD, STORE */
    int64_t row, column;   /* elements from one to the next in memory */
    uint64_t bits;         /* FILL */
};

struct node {
    enum node_kind kind;
    struct node *next, *parent; /* parent: the loop around it; NULL: top */
    struct node *body;          /* LOOP, IF: then */
    struct node *other;         /* IF: else */
    /* LOOP */
    uint32_t atom;
    struct affine min, extent;
    int64_t step, trips; /* trips < 0: the value of extent */
    int64_t most;        /* upper bound of trips */
    uint32_t depth;      /* loops around it */
    bool data;           /* bounds depend on a parameter's contents */
    bool promise;        /* parallel or vectorised: independence is promised */
    bool vector;         /* lanes of a vector statement: run in lanes or not
                            at all */
    bool coop;           /* the threads of a block, all in lanes */
    bool ticks;          /* in a kernel: that its iterations are independent is
                            looked at as they run */
    uint64_t cost;       /* of one iteration */
    uint64_t group;      /* in a kernel: once for all threads */
    bool dynamic_cost;   /* trips unknown: charged as it runs */
    bool lanes;          /* choice: runs in lanes */
    bool apart;          /* choice: the loop around runs in lanes, but this one
                            for one of its iterations after the other */
    bool shared;         /* choice: threads may share its iterations */
    double work;         /* choice: of all iterations, by the rough count */
    struct VEC(uint32_t) first;     /* atoms worked out in each iteration */
    struct VEC(uint32_t) first_vec; /* the same, for each thread */
    signed char independent;        /* 0 not looked at, 1 yes, -1 no */
    /* IF */
    struct guard guard;
    /* STORE, SET */
    struct access *access;
    struct fx *value;
    uint32_t slot;
    struct store *store; /* ALLOC */
    /* BARRIER */
    unsigned scopes;                    /* bits of enum ir_scope */
    const struct ir_plan_info *implied; /* rule 3: before this; else NULL */
    struct tile *tile;
};

/* ---- code -------------------------------------------------------------------------- */

#define LANES       2048 /* values in a lane register: threads of a block */
#define STRIP       256  /* of these in use in loops that are no threads */

#define MAX_COLUMNS 32u

struct lin {         /* an affine form ready to run */
    int64_t c, lane; /* lane: added for each lane */
    uint32_t n;
    struct term *t;
    uint32_t nvec; /* atoms that have a value for each lane */
    struct term *vec;
};
/* An access ready to run. */
struct addr {
    struct store *store;
    struct lin at; /* elements */
    size_t nchecks;
    struct lin *checks;
    int64_t *dims;
    bool varying;              /* at is not linear in the lane: see form */
    const struct affine *form; /* varying: evaluated for each lane */
    const struct check *form_checks;
    bool own_lanes;  /* store has one copy for each lane */
    bool own_warps;  /* store has one copy for each warp */
    uint8_t look;    /* enum race_look */
    uint32_t column; /* of lanes far apart in a store that nothing writes: one
                       more than the index of its columns; 0: none */
    /* gather */
    size_t ngather;
    uint32_t *reg; /* registers with the indices; UINT32_MAX: form 0 */
    bool *reg_uniform;
    enum ftype *reg_type;
    int64_t *dim, *stride;
};

enum fop {
    F_LOOP,  /* body follows, to `end` */
    F_LANES, /* the same in lanes */
    F_APART, /* body follows, to `end`: for one lane of the loop after another,
                as if it were no loop in lanes */
    F_IF,    /* then follows, else from mid to end */
    F_RANGE, /* the same for the lanes where the guard holds */
    F_MASK,  /* the same for a guard that may hold in any lanes */
    F_ALLOC,
    F_CONST,
    F_AFFINE,
    F_LOAD,
    F_STORE,
    F_MAC,    /* access += a * b */
    F_COPY,   /* access = load, same type, bits as they are */
    F_SPREAD, /* d = lane 0 of a, in all lanes */
    F_MOVE,   /* d = a; without c: in the running lanes of a guard only */
    F_UNARY,
    F_BINARY,
    F_FMA,
    F_CAST,
    F_SELECT,
    F_LAUNCH,
    F_BARRIER,
    F_TILE,
    F_QUIET /* from here to `end` rounding need not be noticed if the target's
               lanes are all inexact already */
};

/* Those that say what runs, and compute nothing themselves. */
// clang-format off
#define F_CONTROL                                                             \
    F_LOOP: case F_LANES: case F_APART: case F_IF: case F_RANGE: case F_MASK: \
    case F_LAUNCH: case F_BARRIER: case F_TILE
// clang-format on
struct insn {
    uint8_t op, type, from, num; /* enum fop, ftype, ftype, num_op */
    bool uniform;                /* one lane, whatever runs around it */
    bool data;                   /* makes the run data-dependent */
    bool check_wrap;
    uint32_t d, a, b, c;
    uint32_t mid, end;
    const struct node *node;
    const struct guard *guard;
    struct lin *conds; /* of guard */
    struct lin *lin;
    struct addr *addr, *addr2;
    struct addr *from_a, *from_b; /* BINARY, MAC of float32: where a or b is to
                                     be had from memory; NULL: it is there */
    uint64_t bits;
    struct store *store;
    struct tile_code *tile;
};

/* A tile operation ready to run. */
struct tile_code {
    const struct tile *tile;
    struct addr *frag[4], *memory;
};

struct engine {
    const struct ir_module *module;
    const struct ir_func *func;
    const struct interp_options *options;
    const struct num_profile *scalar; /* toggles of single operations that are
                                         set; NULL: none */
    size_t nargs;
    struct interp_arg *args;
    struct arena *arena;
    struct ir_plan *plan;
    const char *why; /* first thing that is not handled; NULL: none yet */

    struct VEC(struct atom) atoms;
    uint32_t *atom_table; /* hash of the atoms that are no loop variables */
    size_t atom_cap;
    struct VEC(struct store *) stores;
    struct node *top;
    uint64_t cost; /* static steps of a run */
    uint32_t nslots;
    size_t nfx;    /* expression nodes made */
    bool all_coop; /* all kernels are run as if their threads worked together */
    bool watch;    /* an address or condition uses what the function stored, or
                      a later call may: no int32 or int64 may wrap anywhere
                      (rule 9) */
    uint32_t nvecs;

    struct VEC(struct insn) code;
    struct VEC(uint32_t) first; /* atoms that nothing varies */
    uint32_t nregs, ncolumns;
    bool steady; /* nothing can go wrong, and no step is charged, once the code
                    runs: of the code (steady.c), then of the arguments too */
};

/* Records why; returns false. */
bool lower_give_up(struct engine *e, const char *why);

/* lower.c, lower_expr.c */
bool lower_function(struct engine *e);
/* depend.c: whether no two iterations touch one element, one writing. */
bool fast_loop_independent(struct engine *e, struct node *loop);
/* Storage of a kernel's block that is made in loops below that over its threads:
 * whether no element is touched in two of their iterations, so that it may as
 * well be new in each (rule 4: it is one). */
bool fast_store_is_fresh(struct engine *e, const struct node *threads,
                         const struct store *store);
/* Has all accesses looked at to the storages that stand in the way of that. */
bool fast_loop_look(struct engine *e, struct node *loop);
/* choose.c: marks the loops that run in lanes; false: a promise is not kept
 * as far as can be seen. */
bool fast_choose_lanes(struct engine *e);
extern const char fast_why_not_independent[];
/* lower_kernel.c: a launch, and nobody looks for races. */
extern const char lower_why_kernel[];
/* ratio.c: the walker's steps that one step is; after fast_choose_lanes. */
uint64_t fast_engine_ratio(const struct engine *e);
/* coop.c: a kernel whose threads run in lanes, once it is lowered. The loop is
 * that over the threads. */
void fast_coop_finish(struct engine *e, struct node *threads);
/* Whether the body can run so: false after giving up. */
bool fast_coop_fits(struct engine *e, struct node *threads);
/* emit.c */
bool fast_emit_code(struct engine *e);
/* steady.c: sets e->steady. */
void fast_find_steady(struct engine *e);
/* vm.c: false: a fault or something unknown was met, why is set. */
struct vm_result {
    uint64_t steps;
    bool inexact, budget, data_dependent;
    /* keyed domains */
    uint64_t keyed_ops;
    uint32_t degree;
    unsigned assumptions;
    size_t nimplied;                    /* rule 3's barriers that were needed */
    const struct ir_plan_info *implied; /* before which the first stands */
};
bool fast_vm_run(struct engine *e, uint64_t max_steps, struct vm_result *out);
/* store.c */
bool fast_stores_fill(struct engine *e);
void fast_stores_back(struct engine *e);
void fast_stores_free(struct engine *e);

/* Visits every access below a list of nodes; false from visit ends it. */
typedef bool access_visit(void *user, struct access *access, bool stored);
bool fast_nodes_accesses(struct node *list, access_visit *visit, void *user);

#endif
