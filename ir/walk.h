/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node is made of, walks and maps: the part of ir.h that knows children.
 */
#ifndef DC_IR_WALK_H
#define DC_IR_WALK_H

#include "ir/ir.h"

/* The places in which a statement directly holds others and expressions, in
 * the order in which they are evaluated (what a block declares, then its
 * predicate, its init, its body; empty places are left out). A place may be
 * written to where the caller owns the statement and its arrays, ir_stmt_copy;
 * ir_stmt_seal after that. What it says besides, annotations and the node of
 * an attribute, is no part; nor is the call that BREAK was read from. */
struct ir_parts {
    void (*stmt)(void *user, struct ir_stmt **at); /* may be NULL, */
    void (*expr)(void *user, struct ir_expr **at); /* as this */
    void *user;
    bool buffers; /* shapes, strides and offsets of those made here, too */
    bool claims;  /* what a block says that it reads and writes, too */
};
void ir_stmt_parts(const struct ir_parts *parts, struct ir_stmt *stmt);
/* The i-th of the statements directly below; NULL: there are no more. */
struct ir_stmt *ir_stmt_below(const struct ir_stmt *stmt, size_t i);

/* Walks: call visit on each expression / statement below (self included, NULL
 * is none), parents first; visit returns false to skip the children. A visit
 * that has something to do after the children, or around them, goes below
 * itself with ir_visit_below and returns false. Without stmt nothing is
 * skipped, without expr no expression is gone through. Covers buffers made on
 * the way, not what blocks claim. Nothing is copied; what is told of may be
 * changed by who owns the module.
 *
 * Expressions that are shared in the DAG are met each time they occur, here and
 * below: their unfolded size is bounded (DC_MAX_TREE_NODES), so that no walk
 * need remember where it was. Who counts steps counts them in the visit. */
struct ir_visitor {
    bool (*stmt)(void *user, struct ir_stmt *stmt);
    bool (*expr)(void *user, struct ir_expr *expr);
    void *user;
};
void ir_visit_expr(const struct ir_visitor *v, const struct ir_expr *expr);
void ir_visit_stmt(const struct ir_visitor *v, const struct ir_stmt *stmt);
void ir_visit_below(const struct ir_visitor *v, const struct ir_stmt *stmt);

/* Whether a test holds for an expression or statement below, self included, of
 * all that a walk covers; tried parents first until one does. NULL holds
 * nothing; so does a test that is NULL. */
typedef bool ir_expr_test(const void *user, const struct ir_expr *e);
typedef bool ir_stmt_test(const void *user, const struct ir_stmt *s);
bool ir_expr_any(const struct ir_expr *e, ir_expr_test *is, const void *user);
bool ir_stmt_any(const struct ir_stmt *s, ir_stmt_test *is, ir_expr_test *holds,
                 const void *user);
bool ir_uses_var(const struct ir_expr *e, const struct ir_var *var);
bool ir_loads(const struct ir_expr *e, const struct ir_buffer *buffer);
bool ir_has_load(const struct ir_expr *e); /* of any buffer */

/* Maps: what an expression or statement becomes. What does not change is
 * shared with the original, which is left as it was; what does is made anew in
 * the arena of m, with the types that follow from its operands. Buffers and
 * variables stay what they are. */
struct ir_map {
    struct ir_module *m;
    /* What stands for e, and all below it; NULL: go on below. */
    struct ir_expr *(*before)(void *user, struct ir_expr *e);
    /* What stands for e, whose operands are mapped. */
    struct ir_expr *(*after)(void *user, struct ir_expr *e);
    /* What stands for s, and all below it; NULL: go on below. */
    struct ir_stmt *(*stmt)(void *user, struct ir_stmt *s);
    void *user;
    /* No statement is shared: the result is to stand beside the original in
     * one function, where each statement is found by its address. */
    bool fresh;
    bool claims; /* what blocks say that they read and write is mapped, too */
};
/* NULL becomes NULL. Expressions in statements are mapped if before or after
 * is there. */
struct ir_expr *ir_map_expr(const struct ir_map *map, struct ir_expr *e);
struct ir_stmt *ir_map_stmt(const struct ir_map *map, struct ir_stmt *s);
/* Without asking about the node itself. */
struct ir_expr *ir_map_operands(const struct ir_map *map, struct ir_expr *e);
struct ir_stmt *ir_map_below(const struct ir_map *map, struct ir_stmt *s);
/* A statement of its own with the same children, in arrays of its own. */
struct ir_stmt *ir_stmt_copy(struct arena *arena, const struct ir_stmt *s);

#endif
