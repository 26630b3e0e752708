/* SPDX-License-Identifier: Apache-2.0
 *
 * State and entry points shared by the files of structural equality:
 * equal.c (modules, functions, values), equal_node.c (types, variables,
 * buffers, expressions, statements), equal_relax.c. Private to them.
 */
#ifndef DC_IR_EQUAL_PRIVATE_H
#define DC_IR_EQUAL_PRIVATE_H

#include "ir/equal_alias.h"

struct compare_step {
    const char *field; /* what was gone into: "body", "items", … */
    size_t index;      /* SIZE_MAX when the field is no list */
};

struct compare {
    struct ir_equal_options options;
    struct ptr_map forward, backward; /* partners of variables and buffers */
    struct ptr_map same;              /* expression pairs found equal */
    struct ptr_map alias_a, alias_b;
    unsigned defining; /* > 0: a variable not met before is defined here */
    unsigned depth;    /* nesting of values and types, which have no limit */
    struct VEC(struct compare_step) steps; /* innermost first, on failure */
    struct buf what;                       /* the difference itself */
};

/* Each returns whether both sides are equal. On a difference `what` is set
 * once and every caller on the way out adds a step. */
bool equal_differ(struct compare *c, const char *fmt, ...) DC_PRINTF(2, 3);
bool equal_at(struct compare *c, const char *field); /* false */
bool equal_at_item(struct compare *c, const char *field, size_t index);
bool equal_count(struct compare *c, const char *field, size_t a, size_t b);

bool equal_type(struct compare *c, const struct ir_type *a,
                const struct ir_type *b);
bool equal_dtype(struct compare *c, struct dtype a, struct dtype b);
bool equal_pair(struct compare *c, const void *a, const void *b,
                const char *name_a, const char *name_b);
/* A definition, or a use, which pairs what is not known yet. */
bool equal_var(struct compare *c, const struct ir_var *a,
               const struct ir_var *b, bool defines);
bool equal_buffer(struct compare *c, const struct ir_buffer *a,
                  const struct ir_buffer *b, bool defines);
bool equal_iter_var(struct compare *c, const struct ir_iter_var *a,
                    const struct ir_iter_var *b);
/* The same of the thread of a loop. */
bool equal_thread(struct compare *c, const struct ir_iter_var *a,
                  const struct ir_iter_var *b);
bool equal_range(struct compare *c, const struct ir_range *a,
                 const struct ir_range *b);
bool equal_region(struct compare *c, const struct ir_region *a,
                  const struct ir_region *b);
bool equal_reducer(struct compare *c, const struct ir_comm_reducer *a,
                   const struct ir_comm_reducer *b);
bool equal_tensor(struct compare *c, const struct ir_tensor *a,
                  const struct ir_tensor *b);
bool equal_expr(struct compare *c, const struct ir_expr *a,
                const struct ir_expr *b); /* both may be NULL */
bool equal_exprs(struct compare *c, const char *field, size_t n,
                 struct ir_expr *const *a, struct ir_expr *const *b);
bool equal_stmt(struct compare *c, const struct ir_stmt *a,
                const struct ir_stmt *b);
bool equal_value(struct compare *c, const struct ir_value *a,
                 const struct ir_value *b);
bool equal_rx(struct compare *c, const struct rx_expr *a,
              const struct rx_expr *b);
bool equal_rx_func(struct compare *c, const struct rx_func *a,
                   const struct rx_func *b);

#endif
