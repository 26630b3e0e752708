/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrong modules on purpose: one realistic miscompile each.
 *
 * A mutation is applied to a copy of any module. Whether it changes what the
 * module computes is not known from it (a dropped predicate may always have
 * been true): who needs to know runs both.
 */
#ifndef DC_FUZZ_MUTATE_H
#define DC_FUZZ_MUTATE_H

#include "ir/ir.h"

/* MUTATION(id, name, class, what it does) */
enum mutate_kind {
#define MUTATION(id, name, class, text) MUTATE_##id,
#include "fuzz/mutate.def"
#undef MUTATION
    MUTATE_NKINDS
};

/* WRONG: other values or memory faults. PRECISION: the same real function
 * with other roundings. RACE: threads or parallel iterations in conflict. */
enum mutate_class { MUTATE_WRONG, MUTATE_PRECISION, MUTATE_RACE };

const char *mutate_name(enum mutate_kind kind);
enum mutate_class mutate_class_of(enum mutate_kind kind);
const char *mutate_class_name(enum mutate_class class_);

/* A well-formed copy of the module that differs from it by one mutation of
 * that kind, at the place that `choice` picks (any number). NULL where the
 * module has no such place. The caller frees it. where (may be NULL) gets a
 * line that says what was changed. */
struct ir_module *mutate_module(const struct ir_module *module,
                                enum mutate_kind kind, uint64_t choice,
                                struct buf *where);

#endif
