/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of integers of the form base + sum of stride * t, 0 <= t <= count, for
 * what an address can be while some loops are open. Every operation gives a set
 * that holds all results; it may hold more. Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_SPAN_H
#define DC_VERIFIER_ENUMERATE_ENUM_SPAN_H

#include "ir/base/base.h"

#define ENUM_SPAN_STEPS 6u

struct enum_span {
    bool any; /* every integer */
    unsigned n;
    int64_t base;
    struct enum_span_step {
        int64_t stride, count; /* both above 0; strides fall */
    } steps[ENUM_SPAN_STEPS];
};

struct enum_span enum_span_any(void);
struct enum_span enum_span_number(int64_t value);
/* lo, lo + step, ... not above hi; lo <= hi, step > 0. */
struct enum_span enum_span_range(int64_t lo, int64_t hi, int64_t step);
struct enum_span enum_span_add(const struct enum_span *a,
                               const struct enum_span *b);
struct enum_span enum_span_scale(const struct enum_span *a, int64_t by);
/* Rounded down; by > 0. */
struct enum_span enum_span_div(const struct enum_span *a, int64_t by);
struct enum_span enum_span_mod(const struct enum_span *a, int64_t by);
/* All of both, as a range. */
struct enum_span enum_span_hull(const struct enum_span *a,
                                const struct enum_span *b);
/* False: there are none. */
bool enum_span_bounds(const struct enum_span *a, int64_t *lo, int64_t *hi);
bool enum_span_is_number(const struct enum_span *a, int64_t *value);
/* Whether x may be one of them. */
bool enum_span_has(const struct enum_span *a, int64_t x);

#endif
