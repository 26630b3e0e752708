/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a function at given sizes on symbols. Private to
 * verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_RUN_H
#define DC_VERIFIER_ENUMERATE_ENUM_RUN_H

#include "verifier/enumerate/enum_inputs.h"
#include "verifier/enumerate/enum_need.h"

/* Where the elements of a buffer lie. */
struct enum_layout {
    size_t rank;
    int64_t *shape, *strides;
    int64_t offset;
};

/* The contents of one parameter after a run. */
struct enum_output {
    bool stored;   /* some statement wrote to it */
    size_t n;      /* 0: a scalar */
    int64_t total; /* also where only some are here */
    enum_id *cells;
    bool folded; /* several elements are one cell */
    struct enum_layout layout;
};

/* A number for a variable before the run: a size. */
struct enum_size {
    const struct ir_var *var;
    int64_t value;
    bool is_free; /* no shape says it: on numbers it is an input */
};

/* One element of a parameter. */
struct enum_sample {
    size_t param;
    int64_t element;
};

enum enum_end {
    ENUM_RAN,
    ENUM_FAULT,   /* the program has a fault; why says which */
    ENUM_STOPPED, /* not known here; why */
    ENUM_LARGE    /* the budget is spent, or the room here */
};

struct enum_task {
    const struct ir_func *func;
    size_t nsizes;
    const struct enum_size *sizes;
    /* NULL: the whole function; otherwise what that element needs, and the
     * outputs hold that cell alone */
    const struct enum_sample *sample;
    /* NULL: inputs are symbols; otherwise these numbers. Then addresses and
     * conditions may depend on them, and races and barriers are looked at. Not
     * of a sample. */
    const struct enum_inputs *inputs;
    bool keep_free; /* on numbers, too, sizes that are free are what they are */
};

/* steps: what is left, brought up to date. outputs: one for each parameter, in
 * the table's arena. why: in the table's arena. */
enum enum_end enum_run(struct enum_table *t, const struct enum_task *task,
                       uint64_t *steps, struct enum_output *outputs,
                       const char **why);

/* Private to the files that run. */

#define ENUM_WARP_SIZE 32

struct enum_view { /* a buffer as places of a storage */
    struct enum_storage *storage;
    struct enum_layout at;
};

struct enum_log;  /* of the accesses to one cell: enum_race.c */
struct enum_node; /* of the iterations that a thread is in: enum_race.h */

struct enum_storage {
    struct dtype dtype;
    int64_t n;      /* cells of one copy */
    size_t ncopies; /* one for each thread, block, ... */
    size_t divisor; /* lane / divisor is the copy; 0: one copy for all */
    enum enum_scope { ENUM_GLOBAL, ENUM_SHARED, ENUM_WARP, ENUM_LOCAL } scope;
    const char *scope_name;
    enum_id *cells;
    struct enum_need need; /* of a slice: in place of all of the above */
    int param;             /* -1: allocated */
    bool stored;
    struct enum_log **logs; /* by cell; enum_race.c */
    size_t nlogs;
    uint64_t age; /* what is noted of cells is about it since then */
    /* each iteration of this loop has it to itself (R4); or NULL */
    const struct ir_stmt *own_of;
};

/* One thread; a program without threads is one. */
struct enum_lane {
    enum_id *vars;                /* by variable id; ENUM_NONE: none */
    int64_t index;                /* among all threads of the launch */
    const struct enum_node *node; /* on numbers: the iterations it is in */
};

/* To whom storage belongs that a block allocates (R4). */
struct enum_owner {
    enum {
        ENUM_OWNER_SCOPE,
        ENUM_OWNER_THREAD,
        ENUM_OWNER_BLOCK,
        ENUM_OWNER_UNKNOWN
    } kind;
    const struct ir_stmt *loop; /* and each iteration of it; or NULL */
    bool several; /* what lies below several bindings of threads uses it */
};

struct enum_machine {
    struct enum_table *t;
    const struct ir_func *func;
    struct arena *arena;
    size_t nvars, nbuffers;
    struct VEC(struct enum_view) views; /* by buffer id, plus 1 in `view_of` */
    size_t *view_of;
    struct enum_storage **storage_of; /* by variable id of the data */
    struct VEC(struct enum_storage *) storages;
    size_t nlanes;
    struct enum_lane *lanes;
    size_t threads_per_block;
    bool launched;
    size_t naxes;
    struct enum_axis {
        const char *tag;
        int64_t extent, stride; /* lane / stride % extent */
        int64_t lo, hi;         /* of a slice: what runs of it */
    } axes[16];
    bool *thread_vars; /* by variable id: indices of threads */
    bool returned;
    const struct enum_inputs *inputs; /* NULL: symbols */
    struct enum_owner *owners;        /* by buffer id */
    struct enum_races *races;         /* NULL: not looked at */
    int64_t tile[3];                  /* sides of all tiles; 0: not known yet */
    struct enum_slice *slice;         /* NULL: everything is run */
    uint64_t steps;
    enum enum_end end;
    const char *why;
};

/* Notes the first reason; always false. */
bool enum_stop(struct enum_machine *m, enum enum_end end, const char *fmt, ...)
    DC_PRINTF(3, 4);
/* Lane `lane` of vector expression e (0 for scalars) in a thread. ENUM_NONE
 * after a failure. */
enum_id enum_eval(struct enum_machine *m, const struct enum_lane *thread,
                  const struct ir_expr *e, uint32_t lane);
/* A number that an address, an extent or a condition is made of; what is above
 * 2^63 - 1 comes as that. False after a failure. */
bool enum_int(struct enum_machine *m, const struct enum_lane *thread,
              const struct ir_expr *e, uint32_t lane, int64_t *out);
/* Whether a lane of a masked access is on; false after a failure. */
bool enum_masked(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *predicate, uint32_t lane, bool *on);
/* Whether all are, which a mask does not guard (R8). */
bool enum_evaluates(struct enum_machine *m, const struct enum_lane *thread,
                    size_t n, struct ir_expr *const *list, uint32_t lane);
/* Where an access lies in its storage; false after a failure. */
bool enum_place(struct enum_machine *m, const struct enum_lane *thread,
                const struct ir_buffer *b, size_t nindices,
                struct ir_expr *const *indices, uint32_t lane,
                struct enum_storage **storage, int64_t *place);
/* Where a place is held, of what is run whole. */
enum_id *enum_held(const struct enum_lane *thread, const struct enum_storage *s,
                   int64_t place);
/* What it holds, also in a slice. */
enum_id enum_read(struct enum_machine *m, const struct enum_lane *thread,
                  struct enum_storage *s, int64_t place);
/* What is there before anything is stored. */
enum_id enum_storage_entry(struct enum_machine *m, const struct enum_storage *s,
                           int64_t place);
/* Runs a statement in n threads, one after the other within each statement. */
bool enum_exec(struct enum_machine *m, const struct ir_stmt *s, size_t n,
               const size_t *active);
/* enum_loop.c: room for as many threads; a loop; a statement that binds a thread
 * or block axis. */
size_t *enum_threads_new(size_t n);
bool enum_exec_loop(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                    const size_t *active);
bool enum_exec_threads(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active);
/* Storage of a buffer, not initialised, and its view. block: a block allocates
 * it. */
bool enum_alloc(struct enum_machine *m, const struct ir_buffer *b,
                const struct enum_lane *thread, bool block);
/* Copies for the threads of the launch of what is not global. */
bool enum_spread(struct enum_machine *m);
bool enum_view_make(struct enum_machine *m, const struct ir_buffer *b,
                    const struct enum_lane *thread,
                    struct enum_storage *storage);
/* The view of a buffer that has one. */
struct enum_view *enum_view_find(struct enum_machine *m,
                                 const struct ir_buffer *b);
/* Storage of the parameters, with what is there on entry, and in the end. */
bool enum_params(struct enum_machine *m, struct enum_output *outputs);
void enum_keep(const struct enum_machine *m, struct enum_output *outputs);
/* Whether elements of the same number share cells with the same others. */
bool enum_same_layout(const struct enum_output *u, const struct enum_output *v);
/* enum_owner.c: fills m->owners. */
void enum_find_owners(struct enum_machine *m);

/* Whether a call that stands as a statement does nothing to storage. */
bool enum_is_quiet(const struct ir_expr *e);
/* Whether it is a call that stores and is known (enum_tile.c), or that a warp
 * makes together, and doing it. */
bool enum_is_effect(const struct ir_expr *e);
bool enum_is_warp_effect(const struct ir_expr *e);
bool enum_effect(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *e);
struct enum_axis *enum_axis_of(struct enum_machine *m, const char *tag);
bool enum_is_block_tag(const char *tag);
/* The pointer that a declared buffer is a view of; NULL: it is none. */
const struct ir_var *enum_decl_source(const struct ir_stmt *s);

#endif
