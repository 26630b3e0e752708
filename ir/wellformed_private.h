/* SPDX-License-Identifier: Apache-2.0
 *
 * State and entry points shared by the files of the well-formedness check:
 * wellformed.c (scopes, functions, modules), wellformed_expr.c,
 * wellformed_stmt.c, wellformed_value.c, wellformed_relax.c. Private to them.
 */
#ifndef DC_IR_WELLFORMED_PRIVATE_H
#define DC_IR_WELLFORMED_PRIVATE_H

#include "ir/ir.h"
#include "ir/ptr_map.h"

/* The three axes of blockIdx and threadIdx within one kernel. */
enum { CHECK_NTAGS = 6 };

struct check {
    const struct ir_module *module; /* NULL when one function is checked */
    struct diag_sink *sink;         /* NULL: only undefined names count */
    bool fine;
    struct buf scratch; /* path of a location */
    /* Variables and buffers -> CHECK_IN_SCOPE and friends. */
    struct ptr_map state;
    struct VEC(const void *) scope; /* defined, innermost last */
    struct VEC(const char *) undefined;
    struct ptr_map seen; /* expression -> epoch in which it was checked */
    uint64_t epoch;      /* grows whenever a scope ends */
    bool any_var;        /* in an attribute: variables may be out of scope */
    bool claims;         /* in T.reads or T.writes: so may anything be */
    unsigned loops;      /* around the statement */
    unsigned threads;    /* thread bindings around the statement */
    const struct ir_expr *extents[CHECK_NTAGS]; /* in the current kernel */
};

enum check_state {
    CHECK_IN_SCOPE = 1,
    CHECK_REPORTED = 2 /* as undefined; once is enough */
};

void check_error(struct check *c, struct ir_pos pos, const char *code,
                 const char *fmt, ...) DC_PRINTF(4, 5);
void check_warning(struct check *c, struct ir_pos pos, const char *code,
                   const char *fmt, ...) DC_PRINTF(4, 5);

/* ---- scopes (wellformed.c) ----------------------------------------------- */

size_t check_scope_open(const struct check *c);
void check_scope_close(struct check *c, size_t mark);
bool check_in_scope(const struct check *c, const void *object);
/* Defines without complaint, for symbols that several places may bind. */
void check_bind(struct check *c, const void *object);
/* Defines; a definition inside the scope of the same variable is an error. */
void check_define(struct check *c, const struct ir_var *var, struct ir_pos pos);
void check_define_buffer(struct check *c, const struct ir_buffer *buffer);
void check_use(struct check *c, const struct ir_var *var, struct ir_pos pos);
void check_use_buffer(struct check *c, const struct ir_buffer *buffer,
                      struct ir_pos pos);
void check_undefined(struct check *c, const void *object, const char *name,
                     struct ir_pos pos);

/* ---- wellformed_expr.c --------------------------------------------------- */

void check_expr(struct check *c, const struct ir_expr *e); /* NULL is fine */
void check_exprs(struct check *c, size_t n, struct ir_expr *const *list);
/* Indices of an access: as many as dimensions, integers, only the last a
 * vector. Returns the lanes of the last one. */
unsigned check_indices(struct check *c, const struct ir_buffer *buffer,
                       size_t n, struct ir_expr *const *indices,
                       struct ir_pos pos);
void check_predicate(struct check *c, const struct ir_expr *predicate,
                     unsigned lanes, struct ir_pos pos);
/* A scalar bool. */
void check_condition(struct check *c, const struct ir_expr *e, const char *what,
                     struct ir_pos pos);
/* A scalar integer. */
void check_index(struct check *c, const struct ir_expr *e, const char *what,
                 struct ir_pos pos);
bool check_same_type(struct check *c, struct dtype a, struct dtype b,
                     const char *what, struct ir_pos pos);
/* Shape, strides, offset and scope. */
void check_layout(struct check *c, const struct ir_buffer *buffer);

/* ---- wellformed_value.c -------------------------------------------------- */

/* An attribute of whatever kind; NULL is fine. */
void check_value(struct check *c, const struct ir_value *v, struct ir_pos pos);
void check_reducer(struct check *c, const struct ir_comm_reducer *r);

/* ---- wellformed_stmt.c, wellformed_relax.c ------------------------------- */

void check_stmt(struct check *c, const struct ir_stmt *s); /* NULL is fine */
void check_regions(struct check *c, size_t n, const struct ir_region *regions,
                   struct ir_pos pos);
void check_rx_func(struct check *c, const struct rx_func *f);

#endif
