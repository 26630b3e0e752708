/* SPDX-License-Identifier: Apache-2.0
 *
 * Points of boxes under conditions: how many there are, and at how many places an
 * access among them is. Private to audit/.
 *
 * Loops are axes with constant bounds, conditions are expressions over them. Axes
 * that no condition joins are independent, so that counts multiply; a group that
 * conditions or an index join is gone through point by point, as far as that is
 * little work: `exact` is false, and the count a lower bound, where it is not.
 */
#ifndef DC_AUDIT_COUNT_BOX_POINTS_H
#define DC_AUDIT_COUNT_BOX_POINTS_H

#include "ir/ir.h"

#define DOMAIN_MAX_AXES 64u
/* Points of one group that are gone through, and of all of a record. */
#define DOMAIN_MAX_POINTS ((uint64_t)1 << 20)
#define DOMAIN_MAX_WORK   ((uint64_t)1 << 25)
/* Nodes of expressions that are looked at in all, and variables that are bound to
 * what is bound: beyond these nothing is known. */
#define DOMAIN_MAX_NODES ((uint64_t)1 << 28)
#define DOMAIN_MAX_BOUND 64u
/* Bounds of axes are below this, so that sums of them fit. */
#define DOMAIN_MAX_EXTENT ((int64_t)1 << 40)

struct domain_axis {
    const struct ir_var *var;
    int64_t min, extent;
    int64_t now; /* while points are gone through */
};
struct domain_condition {
    const struct ir_expr *expr;
    bool negated;
    uint64_t axes; /* bits */
};
struct domain_binding {
    const struct ir_var *var;
    const struct ir_expr *value;
};

struct domain {
    size_t naxes;
    struct domain_axis axes[DOMAIN_MAX_AXES];
    struct VEC(struct domain_condition) conditions;
    struct VEC(struct domain_binding) bindings;
    bool cut; /* points of some group were too many to be gone through */
    uint64_t work, nodes;
    unsigned bound; /* bindings that are followed */
    bool exact;
    /* Of the last questions: counts of the sets of axes since a change. */
    size_t ncached;
    uint64_t cached_set[16];
    double cached[16];
};

void domain_fini(struct domain *d);
/* What an expression depends on: axes; *data: on memory; *open: on what is not
 * known, parameters and calls. */
uint64_t domain_axes(struct domain *d, const struct ir_expr *e, bool *data,
                     bool *open);
/* Least and largest value over all points; false: not known, or too much work. */
DC_MUST_USE bool domain_bounds(struct domain *d, const struct ir_expr *e,
                               int64_t *least, int64_t *most);
/* Adds a condition, the parts of a conjunction one by one; false: it depends on
 * memory or on what is not known, and was not added. */
DC_MUST_USE bool domain_require(struct domain *d, const struct ir_expr *e,
                                bool negated);
/* How far to go back to: conditions and bindings are as they were then. */
struct domain_mark {
    size_t naxes, nconditions, nbindings;
};
struct domain_mark domain_mark(const struct domain *d);
void domain_return(struct domain *d, struct domain_mark mark);
/* False: there are too many, or its bounds are out of reach. */
DC_MUST_USE bool domain_push(struct domain *d, const struct ir_var *var,
                             int64_t min, int64_t extent);
void domain_bind(struct domain *d, const struct ir_var *var,
                 const struct ir_expr *value);
/* At how many different places the axes of the set are, over all points. */
double domain_points(struct domain *d, uint64_t set);
/* How many elements of a box of extents `shape` the indices reach; indices that
 * depend on memory reach one. */
double domain_reached(struct domain *d, size_t n, struct ir_expr *const *index,
                      const int64_t *shape);

#endif
