/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of formulas; private to slice_formula*.c. The idea is told in
 * slice_formula.c.
 */
#ifndef DC_INTERP_SLICES_SLICE_FORMULA_H
#define DC_INTERP_SLICES_SLICE_FORMULA_H

#include "interp/machine/exec.h"
#include "ir/ptr_map.h"

#define FORM_MAX_LOADS 4096u /* of one statement */
#define FORM_MAX_VARS  24u   /* kept of one store */
#define FORM_MAX_LETS  16u   /* nested */

struct form_cell {
    uint64_t key;  /* storage slot << 37 | offset, plus 1; 0 = free */
    uint64_t turn; /* the statement that stored it */
    struct dtype lane;
    bool undefined; /* so was what was stored */
    const struct interp_form *form;
};

struct seen_load {
    struct alloc *alloc;
    size_t offset;
    uint64_t key; /* of the cell */
    struct dtype lane;
    bool defined;
};

/* What is known of a statement that stores: the variables to keep. */
struct site {
    size_t nvars;
    const struct ir_var *vars[FORM_MAX_VARS];
};

struct form_run {
    struct machine *m;
    struct interp_formula *out;
    uint64_t target; /* key of the element; 0: there is none */
    uint64_t self;   /* that of the cell that is stored now */
    size_t nodes;
    bool lost;
    size_t ncells, cap;
    struct form_cell *cells;
    struct VEC(struct seen_load) loads; /* since the last store */
    bool storing;                       /* the last event was a store */
    const struct ir_stmt *stmt;         /* of the last store */
    uint64_t steps;                     /* at the last store */
    uint32_t lane;                      /* stores since the last load */
    uint64_t turn;                      /* statements that stored */
    uint64_t met; /* the last meeting of threads, and what came of it */
    const struct interp_form *sum;
    struct VEC(const struct interp_form *) stores; /* if all are listed */
    struct ptr_map sites; /* statement -> struct site, as an address */
    struct ptr_map bound; /* variable -> the statement that binds it */
    struct ptr_map iters; /* iterators of blocks */
    struct VEC(const struct ir_var *) around; /* loops, while sites are made */
    size_t nlets;
    struct {
        const struct ir_var *var;
        const struct interp_form *form;
    } lets[FORM_MAX_LETS];
};

/* What is known of a cell; .key 0: nothing. */
struct form_cell *slice_form_cell_find(const struct form_run *f, uint64_t key);
/* The key of what is loaded or stored now: memory, or what a thread gathers by
 * itself. */
uint64_t slice_form_key(const struct machine *m, const struct alloc *a,
                        size_t offset);

/* ---- slice_formula_build.c. Forms are made in out->arena; NULL: lost ----------------- */

const struct interp_form *slice_form_give_up(struct form_run *f);
struct interp_form *slice_form_node(struct form_run *f,
                                    enum interp_form_kind kind, struct dtype t);
const struct interp_form *slice_form_number(struct form_run *f, struct dtype t,
                                            uint64_t bits);
/* args: nargs of them and one more, which is not looked at. */
const struct interp_form *slice_form_operation(struct form_run *f,
                                               enum ir_expr_kind op,
                                               const char *name, struct dtype t,
                                               uint32_t nargs,
                                               const struct interp_form **args);
/* What a load of the lane finds there. `lane` > 0: not what the statement that
 * runs now has stored itself. */
const struct interp_form *
slice_form_loaded(struct form_run *f, const struct seen_load *l, uint32_t lane);
/* Keeps a load that was made; for slice_evaluate. */
void slice_form_note_load(struct machine *m, struct alloc *a, size_t offset,
                          struct dtype lane, struct value v);
/* One lane of an expression that has just been evaluated. */
const struct interp_form *
slice_form_build(struct form_run *f, const struct ir_expr *e, uint32_t lane);

#endif
