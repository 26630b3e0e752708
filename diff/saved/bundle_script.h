/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of reproduce.py share. Private to diff/saved/.
 */
#ifndef DC_DIFF_SAVED_BUNDLE_SCRIPT_H
#define DC_DIFF_SAVED_BUNDLE_SCRIPT_H

#include "diff/saved/bundle.h"

enum bundle_check {
    REFUSED,   /* nothing can be run; why says it */
    NO_BUILD,  /* the tuned one should not be built */
    EXACT,     /* one value is right */
    ENCLOSURE, /* the exact results lie on either side of a number */
    SIDED,     /* finite or not */
    BITS,      /* both sides' values */
    UNDEFINED,
    OUTPUTS, /* all outputs of both sides */
    RACE,    /* and whether they are always the same */
    FAULT,
};

struct bundle_script {
    struct buf *out;
    const struct saved_finding *f;
    const struct saved_names *names;
    const struct bundle_module *modules;
    struct arena *arena;
    enum bundle_check check;
    const char *why;
    bool gpu, bare, relax;
    /* How each side is called; NULL: with all arrays in their order. */
    const struct saved_call *calls[NSIDES];
};

/* What stands for the arguments of side k where the sides take others: "lambda a:
 * [a[0], a[1], 7]"; NULL: both take all. */
const char *bundle_picks(const struct bundle_script *p, size_t k);
/* def run(mod, …), which builds the module, calls it, and gives the output in
 * question, or all. */
void bundle_put_run(const struct bundle_script *p);
/* def arrays() and def call(built, args, side), which gives all outputs. */
void bundle_put_calls(const struct bundle_script *p);

#endif
