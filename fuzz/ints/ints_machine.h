/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the evaluator share: ints_memory.c storage and races,
 * ints_expr.c expressions, ints_eval.c statements and runs.
 */
#ifndef DC_FUZZ_INTS_MACHINE_H
#define DC_FUZZ_INTS_MACHINE_H

#include "fuzz/ints/ints_eval.h"

#define INTS_MAX_RANK    4u
#define INTS_MAX_THREADS 64u /* a bit each */
#define INTS_MAX_STEPS   UINT64_C(200000)
#define INTS_LONG_STEPS  UINT64_C(8000000) /* of a large symbolic size */
#define INTS_MAX_BYTES   ((size_t)1 << 20) /* of one storage */

/* Who met a byte since the last barrier. */
struct ints_met {
    uint64_t epoch;
    uint64_t writers, readers; /* sets of threads; readers that had not
                                  written it before */
    uint8_t value;             /* that was written */
    bool mixed;                /* other values were, too */
};

/* One data variable's storage. */
struct ints_store {
    size_t size, room;
    uint8_t *bytes;       /* room of each; storage of threads one after the */
    uint8_t *state;       /* other where there is one for each */
    struct ints_met *met; /* NULL: nobody looked yet */
    bool live, each;      /* each: every thread has its own */
    bool shared;          /* of a block's threads */
};

/* A buffer's address function, in elements; of one run. */
struct ints_layout {
    uint64_t run;
    int64_t stride[INTS_MAX_RANK], offset;
    size_t unit; /* bytes of an element */
};

struct ints_machine {
    const struct ir_module *module;
    const struct ir_func *func;
    size_t nparams;
    struct ints_param *params;
    struct ints_cell *vars;    /* by id */
    struct ints_store *stores; /* by id of the data variable */
    uint32_t *owner;           /* by id of a pointer: whose storage it is */
    struct ints_layout *layouts;
    uint64_t run;   /* number of the run */
    int64_t size;   /* of symbols */
    uint64_t limit; /* of steps */
    enum ints_stop stop;
    const char *why;
    uint64_t steps;
    bool rounded;  /* some operation did, or gave -0 */
    bool lenient;  /* ints_machine_be_lenient */
    unsigned lane; /* of vectors, that is evaluated */
    /* threads and iterations that promise independence */
    bool apart;      /* in them: accesses are watched */
    unsigned thread; /* that runs */
    unsigned threads;
    uint64_t epoch; /* changes at each barrier */
    /* No barrier is written down (R3): shared storage has one before each
     * statement of a sequence; where more may be implied the evaluator gives
     * up. */
    bool implied;
    uint64_t shared_epoch;
};

/* Stops the run if nothing has; always false. */
bool ints_stop_run(struct ints_machine *m, enum ints_stop stop,
                   const char *why);

/* ---- ints_memory.c ---- */
/* Fresh undefined storage of this buffer. */
bool ints_store_make(struct ints_machine *m, const struct ir_buffer *b);
/* Address function of the buffer; NULL after a stop. */
const struct ints_layout *ints_layout_of(struct ints_machine *m,
                                         const struct ir_buffer *b);
/* Bytes from the first element's to the last one's that the layout reaches. */
size_t ints_extent_of(struct ints_machine *m, const struct ir_buffer *b);
struct ints_cell ints_load(struct ints_machine *m, const struct ir_buffer *b,
                           size_t n, const int64_t *index);
void ints_store(struct ints_machine *m, const struct ir_buffer *b, size_t n,
                const int64_t *index, struct ints_cell value);

/* ---- ints_expr.c ---- */
struct ints_cell ints_eval(struct ints_machine *m, const struct ir_expr *e);
/* The value as an address, an extent or a condition. */
bool ints_eval_index(struct ints_machine *m, const struct ir_expr *e,
                     int64_t *out);
bool ints_eval_cond(struct ints_machine *m, const struct ir_expr *e, bool *out);

#endif
